package directory

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

var directoryTaskChecks = []judge.Check{
	judge.Define("task/place", "calls are taken at one of the places", takenSomewhere),
	judge.Define("task/output", "a task that succeeded has an output", taskOutput),
	judge.Define("task/fails", "a task that cannot succeed is reported in one of the forms there are", taskFails),
	judge.Define("task/reason", "the reason in the data of an error is a string", reasonString),
	judge.Define("errors/not-for-callers", "a malformed call is not answered by errors that are about something else", notForCallers),
}

// takenSomewhere: the second place is tried only where the first gave nothing.
func takenSomewhere(t *judge.T, p observe.OnSteps) {
	steps := t.Steps(p.Steps)
	last := steps[len(steps)-1]
	if !match.BeAReply(t).Holds(last.Reply()) {
		t.Step(p.Steps[len(p.Steps)-1]) // for which there may have been no time
	}
	t.Expect(last.Reply()).To(match.BeAReply(t))
}

// taskOutput: what the output holds is the agent's affair.
func taskOutput(t *judge.T, _ observe.OnPlays) {
	var of []judge.Value
	for _, v := range t.All(judge.ReplyText) {
		result := v.Result()
		if s := t.Case.Dialect.State(result.Read("task.state").Text()); s != nil && s.Outcome == "done" {
			of = append(of, result)
		}
	}
	judge.Each(t, of, func(result judge.Value) {
		t.Expect(result.Read("task.output")).To(match.Should("an output of a task that succeeded", judge.Value.Exists, nil))
	})
}

type failsParams struct {
	observe.OnStep
	Codes   []string          `json:"codes" names:"error"`   // accepted errors
	States  []string          `json:"states"`                // accepted states of a result
	Reasons map[string]string `json:"reasons" names:"error"` // the reason that an error has to give, where it is not enough by itself
}

func taskFails(t *judge.T, p failsParams) {
	s := t.Step(p.Step)
	observe.RequireControlAccepted(t, s)
	reply := s.Reply()
	wants := strings.Join(p.States, " or ") + " as status, or an error " + strings.Join(p.Codes, " or ")
	t.Expect(reply).To(match.Should(wants, func(v judge.Value) bool {
		if !match.IsError(v) {
			return slices.Contains(p.States, v.Result().Read("task.state").Text())
		}
		for name, reason := range p.Reasons {
			if observe.IsRefusal(t, v, []string{name}) {
				return v.ErrorDetails("/reason").Is(reason)
			}
		}
		return observe.IsRefusal(t, v, p.Codes)
	}, match.Outcome))
}

type reasonParams struct {
	observe.OnPlays
	Codes []string `json:"codes" names:"error"` // the errors whose data may give a reason
}

func reasonString(t *judge.T, p reasonParams) {
	var of []judge.Value
	for _, v := range t.All(judge.ReplyText) {
		if reason := v.ErrorDetails("/reason"); match.IsError(v) && observe.IsRefusal(t, v, p.Codes) && reason.Exists() {
			of = append(of, reason)
		}
	}
	judge.Each(t, of, func(v judge.Value) { t.Expect(v).To(match.BeAString()) })
}

// notForCallers reads every malformed call that was answered by an error.
func notForCallers(t *judge.T, p reasonParams) {
	var of []judge.Value
	for _, v := range t.All(judge.ReplyText) {
		if v.Document().Step.Invalid && match.IsError(v) {
			of = append(of, v)
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		t.Expect(v).NotTo(match.BeRPCError(t, p.Codes...))
	})
}
