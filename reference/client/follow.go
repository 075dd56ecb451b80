package client

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

// sendAndFollow sends a text, to a task if one is named, and follows what comes of it.
func (s *session) sendAndFollow(text, task string) error {
	s.turn++
	if s.task.context == "" && s.dialect.makesContexts {
		s.task.context = newID()
	}
	m := outgoingMessage{id: newID(), text: text, task: task, context: s.task.context, rich: s.habits.rich}
	if s.habits.rich {
		m.extensions = s.card.extensions
		if s.task.id != "" {
			m.references = []string{s.task.id}
		}
	}
	for {
		s.message = m.id
		s.task.beginTurn()
		s.stopped = false
		if err := s.sendMessage(m); err != nil {
			return err
		}
		if s.stopped {
			return nil
		}
		if err := s.followTask(m); err != nil {
			return err
		}
		if m.payment != nil || !s.canPay() {
			break
		}
		m = outgoingMessage{id: newID(), text: "The payment.", task: s.task.id, context: s.task.context, payment: s.writePayment()}
	}
	s.printer.printResult(&s.task)
	s.printer.reportEnd(&s.task)
	return nil
}

// canPay reports whether the task asks for a payment, and the client knows the extension for that.
func (s *session) canPay() bool {
	return s.task.state == inputRequired && s.task.payment != nil && slices.ContainsFunc(s.card.extensions, func(uri string) bool { return strings.Contains(uri, "x402") })
}

// writePayment writes a payment of what the task asks for, in the first way that it takes. It has no true signature, since the client
// has no money.
func (s *session) writePayment() object {
	way := object{}
	if all := getList(s.task.payment, "accepts"); len(all) > 0 {
		way = getObject(all[0])
	}
	return object{"x402Version": 1, "scheme": way["scheme"], "network": way["network"], "payload": object{"signature": "0x00"}}
}

// sendMessage sends a message, by a stream if the variant and the card have them.
func (s *session) sendMessage(m outgoingMessage) error {
	configuration, err := s.writeConfiguration(m)
	if err != nil {
		return err
	}
	write := s.dialect.writeParams
	if write == nil {
		write = writeParams
	}
	params := write(s.dialect, m, configuration)
	if s.usesStreams() {
		return s.readStream(stream, params)
	}
	return s.callAndUpdate(send, params)
}

// writeParams returns the parameters of a call that sends a message, with its configuration.
func writeParams(d *dialect, m outgoingMessage, configuration object) object {
	params := object{"message": d.writeMessage(m)}
	if len(configuration) > 0 {
		params["configuration"] = configuration
	}
	return params
}

// writeConfiguration returns the configuration of a message.
func (s *session) writeConfiguration(m outgoingMessage) (object, error) {
	c := object{}
	if s.habits.immediately {
		maps.Copy(c, s.dialect.immediately)
	}
	if s.habits.rich {
		c["acceptedOutputModes"], c["historyLength"] = []string{"text/plain", "application/json"}, 5
	}
	known := s.dialect.bareMessage && m.task != "" && !s.habits.webhookEachTime // the task has one, or there is a call to set one
	if s.habits.webhook && !known && (s.card.push || s.habits.webhookUndeclared) {
		webhook, err := s.writeWebhook(false)
		if err != nil {
			return nil, err
		}
		c[s.dialect.webhookMember] = webhook
		maps.Copy(c, s.dialect.immediately) // it will be notified
	}
	return c, nil
}

// usesStreams reports whether messages are sent by a stream.
func (s *session) usesStreams() bool {
	return s.habits.streaming && (s.card.streaming || s.habits.streamUndeclared)
}

// callAndUpdate makes a call that has one answer, and takes that in.
func (s *session) callAndUpdate(op operation, params object) error {
	result, err := s.callForResult(op, params)
	if err == nil {
		s.applyResult(result)
	}
	return err
}

// nameTask returns the parameters that name the task.
func (s *session) nameTask() object { return object{"id": s.task.id} }

// nameTaskToLookAt returns the parameters of a look at the task.
func (s *session) nameTaskToLookAt() object {
	params := s.nameTask()
	if s.habits.history > 0 {
		params["historyLength"] = s.habits.history
	}
	return params
}

// applyResult takes in the result of a call, or an event.
func (s *session) applyResult(result object) { s.applyUpdate(s.dialect.readUpdate(result)) }

// applyUpdate takes in an update and prints it.
func (s *session) applyUpdate(u update) {
	s.task.applyUpdate(u, s.habits.ignoresAppend)
	s.printer.printUpdate(u)
	s.noteTaskOfWebhook()
}

// readStream makes a call whose answer is a stream, and reads that until the task has
// ended or waits for the user.
func (s *session) readStream(op operation, params object) error {
	return s.callWithRetries(s.newCall(op, params), func(r *response) error {
		if !r.isStream() && !s.habits.readsAnythingAsStream {
			result, err := s.readResult(r)
			if err == nil {
				s.applyResult(result)
			}
			return err
		}
		return s.readEvents(r)
	})
}

// readEvents reads the events of a stream, until the task has ended or waits for the user.
func (s *session) readEvents(r *response) error {
	if limit := s.habits.readLimit; limit > 0 {
		defer time.AfterFunc(limit, func() { r.body.Close() }).Stop()
	}
	waiting := time.AfterFunc(s.habits.authPatience, func() { r.body.Close() }) // for an authorisation by others
	waiting.Stop()
	defer waiting.Stop()
	var source io.Reader = r.body
	if s.habits.readsStreamWhole {
		source = readWhole(r.body)
	}
	events := newEventReader(source, s.habits.stream)
	for n := range maxEvents {
		end := s.lookMeanwhile()
		data, err := events.readEvent()
		end()
		switch {
		case err == io.EOF:
			s.printer.printReport(reportLine{Saw: "end", Of: "stream"})
			return s.endStream(n)
		case err != nil && s.habits.readLimit == 0 && s.task.id != "" && isConnectionFault(err):
			s.printer.printReport(reportLine{Saw: "end", Of: "stream"})
			s.cutOff = true
			return nil // and the task is followed otherwise
		case err != nil:
			return fmt.Errorf("the stream broke off: %w", err)
		}
		result, err := s.readAnswer(r.call, r.status, data)
		if err != nil {
			return err
		}
		u := s.dialect.readStreamed(result)
		if s.habits.appendsOldPieces && (r.call.op == subscribe || s.dialect.methods[subscribe] == "") && u.kind == taskUpdate {
			u.artifacts = joinArtifacts(s.task.artifacts, u.artifacts)
		}
		s.applyUpdate(u)
		s.stopped = s.stopAfter > 0 && n+1 >= s.stopAfter
		if s.stopped || s.isLastEvent(u) {
			s.printer.printReport(reportLine{Saw: "end", Of: "stream"})
			if s.stopped && s.habits.leavesStreamOpen {
				return s.waitFor(40 * s.habits.pause)
			}
			return nil
		}
		if waiting.Stop(); s.task.state == authRequired {
			waiting.Reset(s.habits.authPatience)
		}
	}
	return errors.New("the stream has too many events")
}

// lookMeanwhile looks the task up, once, if its stream brings nothing for a while: two calls are then under way at the same time. What
// comes of it changes nothing, since the stream brings it too. It returns what ends it.
func (s *session) lookMeanwhile() (end func()) {
	if !s.habits.looksMeanwhile || s.task.id == "" || s.task.state != working {
		return func() {}
	}
	c, done := s.newCall(get, s.nameTaskToLookAt()), make(chan struct{})
	t := time.AfterFunc(2*s.habits.pause, func() {
		defer close(done)
		_ = s.callWithRetries(c, func(r *response) error {
			_, err := s.readResult(r)
			return err
		})
	})
	return func() {
		if !t.Stop() {
			<-done
			s.habits.looksMeanwhile = false
		}
	}
}

// isConnectionFault reports whether a stream ended by a fault of the connection, or because the client
// closed it.
func isConnectionFault(err error) bool {
	var fault *net.OpError
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, http.ErrBodyReadAfterClose) || errors.As(err, &fault)
}

// endStream decides what a stream that was closed after so many events means.
func (s *session) endStream(events int) error {
	switch {
	case s.habits.waitingIsCut && s.task.state == inputRequired:
		return errors.New("the connection was lost")
	case s.habits.waitsForFinal:
		return errors.New("the stream was closed before its final event")
	case events == 0 && !s.habits.readsAnythingAsStream:
		return errors.New("the stream had no events")
	}
	s.cutOff = true
	return nil
}

// isLastEvent reports whether the client closes the stream after an update.
func (s *session) isLastEvent(u update) bool {
	if s.habits.waitsForFinal || s.habits.waitsForClose {
		return s.habits.waitsForFinal && u.final
	}
	return u.final || u.kind == messageUpdate && s.task.state == "" || s.task.state.isTerminal() || s.task.state == inputRequired && !s.habits.waitingIsCut
}

// followTask follows a task until it has ended or waits for the user: by streams if the
// variant has them, otherwise by looks at it.
func (s *session) followTask(m outgoingMessage) error {
	reconnects, pause, begin := 0, s.habits.pause, time.Now()
	for {
		now := s.task.state
		switch {
		case s.habits.followsNot, s.habits.cutIsSuccess && s.cutOff:
			return nil
		case now == "" && !s.habits.readsAnythingAsStream && !s.task.answered && !s.habits.anythingIsSuccess:
			return errors.New("the agent answered nothing that the client understands")
		case s.habits.authIsFailure && now == s.dialect.credentialState:
			return errors.New("the task failed: it asks for an authorisation")
		case now == "", s.habits.isEnd(now):
			return nil
		case now == authRequired && s.habits.authIgnored:
			return s.waitFor(s.habits.authPatience)
		case now == authRequired && (time.Since(begin) > s.habits.authPatience || s.habits.authIsEnd):
			return nil
		case s.habits.insteadOfFollowing != nil:
			return s.habits.insteadOfFollowing(s, m)
		}
		var (
			err     error
			refusal *rpcError
		)
		if s.usesStreams() && s.dialect.methods[subscribe] != "" && reconnects < s.habits.maxReconnects {
			reconnects++
			if err = s.waitFor(time.Duration(reconnects) * s.habits.reconnectPause); err == nil {
				err = s.readStream(subscribe, s.nameTask())
			}
			if errors.As(err, &refusal) {
				reconnects, err = s.habits.maxReconnects, nil
			}
		} else {
			if err = s.waitFor(pause); err == nil {
				err = s.callAndUpdate(get, s.nameTaskToLookAt())
			}
			pause = min(pause*3/2, 5*s.habits.pause)
		}
		if err != nil && !(s.habits.takesErrorsForNotYet && errors.As(err, &refusal)) {
			return err
		}
	}
}

// maxPages bounds a list of tasks.
const maxPages = 20

// listTasks lists the tasks of the context, page by page, in the variant that does so.
func (s *session) listTasks() error {
	if !s.habits.lists || s.dialect.methods[list] == "" || s.task.context == "" {
		return nil
	}
	return s.listPages(s.writeFilters())
}

// writeFilters returns the parameters by which a variant that lists by itself asks for tasks; none in the others.
func (s *session) writeFilters() object {
	if !s.habits.lists {
		return object{}
	}
	filters := object{"pageSize": 2, "statusTimestampAfter": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)}
	if s.task.context != "" {
		filters["contextId"] = s.task.context
	}
	return filters
}

// listPages lists tasks, page by page.
func (s *session) listPages(params object) error {
	seen := map[string]bool{}
	for page := 0; page < maxPages || s.habits.listsWithoutLimit; page++ {
		result, err := s.callForResult(list, params)
		if err != nil {
			return err
		}
		for _, t := range getList(result, "tasks") {
			if s.habits.style == reportStyle {
				s.printer.printUpdate(s.dialect.readUpdate(getObject(t)))
				continue
			}
			s.printer.printLine("task", getText(t, "id"))
		}
		token := getText(result, "nextPageToken")
		if token == "" && (seen[""] || !s.habits.startsListOver) {
			return nil
		}
		if seen[token] && !seen[""] && !s.habits.listsWithoutLimit {
			return errors.New("the list of tasks comes back to an earlier page")
		}
		seen[token] = true
		params["pageToken"] = token
	}
	return errors.New("the list of tasks has too many pages")
}
