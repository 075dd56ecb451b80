package directory

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// checkLastCallAnswered judges the last call that was made: the run tries the second place only if
// the first gave nothing.
func checkLastCallAnswered(t *judge.T, p observe.OnSteps) {
	steps := t.Steps(p.Steps)
	last := steps[len(steps)-1]
	if !match.BeAReply(t).Holds(last.Reply()) {
		t.Step(p.Steps[len(p.Steps)-1]) // for which there may have been no time
	}
	t.Expect(last.Reply()).To(match.BeAReply(t))
}

// checkDoneTasksHaveOutput does not look into the output, which the agent defines.
func checkDoneTasksHaveOutput(t *judge.T, _ observe.OnPlays) {
	of := judge.Filter(judge.Map(t.All(judge.ReplyText), judge.Value.Result), func(result judge.Value) bool {
		s := t.Case.Dialect.State(result.Read("task.state").Text())
		return s != nil && s.Outcome == "done"
	})
	judge.Each(t, of, func(result judge.Value) {
		t.Expect(result.Read("task.output")).To(match.Should("an output of a task that succeeded", judge.Value.Exists, nil))
	})
}

type failsParams struct {
	observe.OnStep
	Codes   []string          `json:"codes" names:"error"`   // accepted errors
	States  []string          `json:"states"`                // accepted states of a result
	Reasons map[string]string `json:"reasons" names:"error"` // the reason that an error needs, for errors that are not enough by themselves
}

func checkTaskFailsOrRefused(t *judge.T, p failsParams) {
	s := t.Step(p.Step)
	observe.RequireControlAccepted(t, s)
	reply := s.Reply()
	wants := strings.Join(p.States, " or ") + " as status, or an error " + strings.Join(p.Codes, " or ")
	t.Expect(reply).To(match.Should(wants, func(v judge.Value) bool {
		if !match.IsError(v) {
			return slices.Contains(p.States, v.Result().Read("task.state").Text())
		}
		for name, reason := range p.Reasons {
			if v.Refuses(name) {
				return v.ErrorDetails("/reason").Is(reason)
			}
		}
		return v.Refuses(p.Codes...)
	}, match.Outcome))
}

type reasonParams struct {
	observe.OnPlays
	Codes []string `json:"codes" names:"error"` // the errors whose data may give a reason
}

func checkErrorReasonIsString(t *judge.T, p reasonParams) {
	of := judge.Filter(t.All(judge.ReplyText), func(v judge.Value) bool {
		return match.IsError(v) && v.Refuses(p.Codes...) && v.ErrorDetails("/reason").Exists()
	})
	judge.Each(t, of, func(v judge.Value) { t.Expect(v.ErrorDetails("/reason")).To(match.BeAString()) })
}

// checkMalformedCallNotAnsweredSo reads every malformed call that was answered by an error.
func checkMalformedCallNotAnsweredSo(t *judge.T, p reasonParams) {
	of := judge.Filter(t.All(judge.ReplyText), func(v judge.Value) bool { return v.Document().Step.Invalid && match.IsError(v) })
	judge.Each(t, of, func(v judge.Value) {
		t.Expect(v).NotTo(match.BeRPCError(t, p.Codes...))
	})
}
