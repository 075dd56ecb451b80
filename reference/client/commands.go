package client

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
)

// A command is one thing that the variant reporting is asked to do.
type command struct {
	Do    string
	Text  string
	Wait  *bool // false to go on as soon as the task is known
	Task  string
	After int
	Since string // of list: only tasks that changed after it
	// Signed is set if a webhook is to ask for signed tokens.
	Signed bool
}

// errSomeFailed is the end of a run in which commands failed. Each was reported.
var errSomeFailed = errors.New("some of the commands failed")

// readCommands returns the commands of the context, or to send the texts if there is none.
func (s *session) readCommands() ([]command, error) {
	var context struct {
		Do   []command
		Hook string
	}
	if s.options.Context != "" {
		if err := json.Unmarshal([]byte(s.options.Context), &context); err != nil {
			return nil, fmt.Errorf("the context is no JSON object: %w", err)
		}
	}
	s.options.Hook = cmp.Or(s.options.Hook, context.Hook)
	if len(context.Do) == 0 {
		context.Do = []command{{Do: "send", Text: s.options.Text}}
		if s.options.Second != "" {
			context.Do = append(context.Do, command{Do: "send", Text: s.options.Second, Task: "last"})
		}
	}
	return context.Do, nil
}

// runCommands does what the context asks for. A command that fails keeps none of the others from being done.
func (s *session) runCommands() error {
	all, err := s.readCommands()
	if err != nil {
		return err
	}
	if all[0].Do != "card" {
		if err := s.discoverAgent(); err != nil {
			return err
		}
	}
	failed := false
	for i, c := range all {
		s.stopAfter = 0
		if i+1 < len(all) && all[i+1].Do == "stop" {
			s.stopAfter = max(1, all[i+1].After)
		}
		err := s.runCommand(c)
		switch {
		case err != nil && s.card == nil: // nothing can be called
			return err
		case err != nil:
			s.printer.reportError(err)
			failed = true
		}
	}
	s.awaitNotices()
	if err := s.actAfterwards(); err != nil {
		return err
	}
	if failed {
		return errSomeFailed
	}
	return nil
}

// runCommand does what one command asks for.
func (s *session) runCommand(c command) error {
	if c.Task == "last" && s.task.id == "" && c.Do != "send" && c.Do != "stream" {
		return errors.New("no task is known")
	}
	if c.Do == s.habits.lacks {
		s.printer.printReport(reportLine{Cannot: c.Do})
		return nil
	}
	switch c.Do {
	case "stop": // it took effect on the command before it
		return nil
	case "card":
		return s.discoverAgent()
	case "push":
		return s.registerWebhook(c.Signed)
	case "extended-card":
		return s.fetchExtendedCard()
	case "send", "stream":
		return s.sendAsAsked(c)
	case "get":
		return s.callAndUpdate(get, s.nameTask())
	case "cancel":
		return s.cancelTask()
	case "subscribe":
		if s.task.state.isTerminal() { // there is nothing to come
			return nil
		}
		err := s.readStream(subscribe, s.nameTask())
		if err == nil {
			s.printer.printResult(&s.task)
			s.printer.reportEnd(&s.task)
		}
		return err
	case "list":
		if _, has := s.chooseEndpoint(list); has {
			filters := s.writeFilters()
			if c.Since != "" {
				filters["statusTimestampAfter"] = c.Since
			}
			return s.listPages(filters)
		}
	}
	s.printer.printReport(reportLine{Cannot: c.Do})
	return nil
}

// cancelTask cancels the task, and reports what the agent answered.
func (s *session) cancelTask() error {
	if s.habits.wishIsState {
		_, _ = s.callForResult(cancel, s.nameTask())
		s.printer.printReport(reportLine{Saw: "task", ID: s.task.id, State: canceled})
		return nil
	}
	return s.callAndUpdate(cancel, s.nameTask())
}

// sendAsAsked sends a text: in the conversation of the last task if the command names that, and without waiting for its end
// if the command asks for that.
func (s *session) sendAsAsked(c command) error {
	task := ""
	switch {
	case c.Task != "last":
		s.task = taskView{}
	case s.task.state == inputRequired, s.task.state == authRequired:
		task = s.task.id
	}
	if c.Wait == nil || *c.Wait {
		if err := s.sendAndFollow(c.Text, task); err != nil {
			return err
		}
		return s.judgeEnd()
	}
	before := *s.habits
	defer func() { *s.habits = before }()
	s.habits.immediately, s.habits.followsNot, s.habits.streaming = true, true, false
	return s.sendAndFollow(c.Text, task)
}
