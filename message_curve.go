package conform

import (
	"errors"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/harness/schedule"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/summary"
)

// DecidedByMessages returns how many MUST requirements a run like this one decides with at most so many messages to the
// agent, for each of the numbers; as in Limits.MaxMessages, 0 or less is any number. It judges parts of the run's record and
// sends nothing. It is an error if nothing of the outcome was judged, as if the server was not reached.
func (o *Outcome) DecidedByMessages(numbers []int) ([]int, error) {
	if o.invocations == nil || o.Transcript == nil || o.Dialect == nil {
		return nil, errors.New("it is not known which conversation sent how many messages: only the outcome of a run says so")
	}
	var ids []string
	for _, r := range o.Report.Results {
		ids = append(ids, r.ID)
	}
	count, err := suites.NewMustCounter(o.Dialect, suites.Checks(), ids)
	if err != nil {
		return nil, err
	}
	all := o.listBudgetedPlays()
	out := make([]int, len(numbers))
	for i, n := range numbers {
		if n <= 0 {
			out[i] = o.Report.Summary[string(schema.Must)].Decided()
			continue
		}
		plays := all.leaveOutUnaffordable(n)
		held := plays.chooseWithin(n, count)
		judged, err := summary.Judge(o.Dialect, o.cutDownTo(all, plays, held), suites.Checks(), summary.CallDirectly)
		if err != nil {
			return nil, err
		}
		out[i] = judged.Report.Summary[string(schema.Must)].Decided()
	}
	return out, nil
}

// budgetedPlays are the conversations of a run, as those with a budget are chosen from.
type budgetedPlays struct {
	candidates []schedule.Candidate
	sent       []int // messages that reached the agent
}

// listBudgetedPlays lists the conversations of a run. Those of one scenario and interface count once.
func (o *Outcome) listBudgetedPlays() budgetedPlays {
	var out budgetedPlays
	known := map[string]conversation.Scenario{}
	for _, s := range scenario.All(o.Dialect) {
		known[s.Name] = s
	}
	sent := o.invocations()
	for i := range o.Transcript.Plays {
		p := &o.Transcript.Plays[i]
		s, is := known[p.Scenario]
		if !is || out.findPlay(p) >= 0 {
			continue
		}
		out.candidates = append(out.candidates, schedule.Candidate{Scenario: s, Subject: p.Subject, Idle: p.Stop != "" && len(p.Steps) == 0})
		out.sent = append(out.sent, sent[summary.Conversation{Scenario: p.Scenario, Subject: p.Subject}])
	}
	return out
}

// findPlay returns the place of a play's conversation; -1 if it is none of a scenario.
func (b *budgetedPlays) findPlay(p *record.Play) int {
	return slices.IndexFunc(b.candidates, func(c schedule.Candidate) bool { return c.Scenario.Name == p.Scenario && c.Subject == p.Subject })
}

// leaveOutUnaffordable returns the conversations with the interfaces that a run calls which may send so many messages.
func (b *budgetedPlays) leaveOutUnaffordable(messages int) budgetedPlays {
	subjects := schedule.ListAffordableSubjects(messages, b.candidates)
	var out budgetedPlays
	for i, c := range b.candidates {
		if slices.Contains(subjects, c.Subject) && (len(subjects) > 1 || !c.Scenario.MultiInterface) {
			out.candidates, out.sent = append(out.candidates, c), append(out.sent, b.sent[i])
		}
	}
	return out
}

// chooseWithin chooses the conversations as a run does that may send so many messages.
func (b *budgetedPlays) chooseWithin(messages int, count schedule.CountDecided) []bool {
	budget := conversation.NewMessageBudget(messages)
	return schedule.HoldWithin(budget, b.candidates, count, func(before, now []bool) bool {
		for i := range now {
			if now[i] && !before[i] && schedule.Cost(b.candidates, before, i) > 0 {
				budget.DeductMessages(b.sent[i])
			}
		}
		return true
	})
}

// cutDownTo returns the record with those of all conversations that are held, and what belongs to none.
func (o *Outcome) cutDownTo(all, plays budgetedPlays, held []bool) *record.Transcript {
	t := *o.Transcript
	t.Plays, t.Exchanges = nil, nil
	t.Facts.Bindings = slices.DeleteFunc(slices.Clone(t.Facts.Bindings), func(name string) bool {
		return !slices.ContainsFunc(plays.candidates, func(c schedule.Candidate) bool { return c.Subject.Binding == name })
	})
	with := map[*record.Exchange]bool{}
	for _, p := range o.Transcript.Plays {
		i := plays.findPlay(&p)
		switch {
		case i < 0 && all.findPlay(&p) >= 0:
			continue
		case i >= 0 && !held[i] && !plays.candidates[i].Idle:
			p.Steps, p.Stop = nil, "it was left out"
		}
		for _, s := range p.Steps {
			with[s.Exchange] = true
		}
		t.Plays = append(t.Plays, p)
	}
	for _, x := range o.Transcript.Exchanges {
		if with[x] {
			t.Exchanges = append(t.Exchanges, x)
		}
	}
	return &t
}
