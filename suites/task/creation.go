package task

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// checkResultIsObject leaves the allowed kinds to the shape rules. A refusal has no kind.
func checkResultIsObject(t *judge.T, p observe.StepsRules) {
	if p.FailIfBroken(t) {
		return
	}
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		t.Expect(s.Result()).To(match.BeAnObject())
	})
}

// requireTaskResults returns the results of the steps that were answered with a task.
func requireTaskResults(t *judge.T, steps []string) map[string]judge.Value {
	out := map[string]judge.Value{}
	made := t.Steps(steps)
	for _, s := range made {
		if s.Accepted() && !observe.IsMessage(s.Result()) {
			out[s.Play.Scenario+"/"+s.Name] = s.Result()
		}
	}
	if len(out) == 0 {
		t.StopUndecided("no task was made: %s", made[0].Outcome())
	}
	return out
}

// checkServerMadeTaskID fails if the id of the task is one that the client sent.
func checkServerMadeTaskID(t *judge.T, p observe.OnSteps) {
	of := requireTaskResults(t, p.Steps)
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		result, made := of[s.Play.Scenario+"/"+s.Name]
		if !made {
			return
		}
		id := result.Read("task.id")
		t.Expect(id).To(match.BeNonEmptyString())
		t.Expect(id).NotTo(match.Should("an id that the client sent", func(v judge.Value) bool {
			return slices.Contains([]string{observe.SentMessageMember(t, s, "id"), observe.SentMessageMember(t, s, "task.context"), s.Context}, v.Text())
		}, nil))
	})
}

func checkLookUpKeepsContext(t *judge.T, p observe.PairParams) {
	made := t.Step(p.Step).Result().Read("task.context")
	observe.StopUndecidedIf(t, !made.IsString(), "the reply to the call %s named no context", p.Step)
	t.Expect(t.Step(p.Then).Result().Read("task.context")).ComparedWith(made).To(match.Should("the context that the task was made in, "+made.Shown(), made.Equal, nil))
}

// checkWaitingCallReturnsSettledTask accepts a message and an error, which leave no task at work.
func checkWaitingCallReturnsSettledTask(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		if reply := s.Reply(); match.IsError(reply) || match.Present(reply.Result()) && observe.IsMessage(reply.Result()) {
			t.OK(reply)
			return
		}
		t.Expect(s.Result().Read("task.state")).To(match.Should("a task that has ended or needs input, since blocking is true",
			func(v judge.Value) bool { return observe.IsTerminalOrInterrupted(t, v) }, func(v judge.Value) string { return "returned the task in state " + v.Shown() }))
	})
}

type earlyParams struct {
	Step     string `json:"step" step:"{}"`
	Stimulus string `json:"stimulus"` // whose work it is
}

// checkNonWaitingCallReturnsEarly is undecided if the agent was faster than the operator
// declared.
func checkNonWaitingCallReturnsEarly(t *judge.T, p earlyParams) {
	s := t.Step(p.Step)
	state := s.Result().Read("task.state")
	took, lasts := (s.Exchange.End - s.Exchange.Start).Seconds(), t.Case.Transcript.Facts.Stimuli[p.Stimulus].Seconds
	if observe.IsTerminalOrInterrupted(t, state) && (lasts == 0 || took < lasts/2) {
		t.TooQuick(p.Stimulus, "the task had ended within %.2f s: make stimuli.%s take longer", took, p.Stimulus)
	}
	t.Expect(state).To(match.Should("a task that is still at work, since the call was not to wait", func(v judge.Value) bool { return !observe.IsTerminalOrInterrupted(t, v) },
		func(v judge.Value) string {
			return fmt.Sprintf("returned after %.2f s, with the task in state %s", took, v.Shown())
		}))
}

type unchangedParams struct {
	observe.OnSteps
	Ignore []string `json:"ignore"` // members of artifacts that may change from look to look
	Ended  bool     `json:"ended"`  // from the first look on at which the task has ended
	// By is a message between the look-ups, if the requirement is about its refusal.
	By string `json:"by" step:"{},optional"`
}

func checkTaskUnchanged(t *judge.T, p unchangedParams) {
	observe.StopVacuousIf(t, p.By != "" && t.Step(p.By).Accepted(), "the message was accepted")
	looks := slices.DeleteFunc(t.Steps(p.Steps), func(s judge.Step) bool { return !s.Accepted() })
	if p.Ended {
		i := slices.IndexFunc(looks, func(s judge.Step) bool { return observe.IsTerminal(t, s.Result().Read("task.state")) })
		looks = looks[max(i, 0):]
		if i < 0 {
			looks = nil
		}
	}
	observe.StopUndecidedIf(t, len(looks) < 2, "no two look-ups showed the task in the same state")
	if i := slices.IndexFunc(looks, func(s judge.Step) bool { return !s.Result().Read("task.state").Exists() }); i >= 0 {
		t.StopUndecided("the call %s/%s shows no state of the task", looks[i].Play.Scenario, looks[i].Name)
	}
	was := looks[0].Result()
	judge.Each(t, looks[1:], func(s judge.Step) {
		now := s.Result()
		t.Expect(now.Read("task.state")).ComparedWith(was.Read("task.state")).To(match.Should("the state to stay "+was.Read("task.state").Shown(), was.Read("task.state").Equal, nil))
		expectArtifactsAndHistoryUnchanged(t, was, now, p.Ignore, was.Read("task.history").IsArray() || now.Read("task.history").IsArray())
	})
}

type spellingParams struct {
	observe.OnPlays
	Is  string   `json:"is"`
	Not []string `json:"not"`
}

func checkStateSpelling(t *judge.T, p spellingParams) {
	of := judge.Filter(judge.Map(observe.Sightings(t, p.Plays), observe.Sighting.State), func(state judge.Value) bool {
		return state.Is(p.Is) || slices.Contains(p.Not, state.Text())
	})
	judge.Each(t, of, func(v judge.Value) { t.Expect(v).To(match.BeText(p.Is)) })
}

func checkContextIssued(t *judge.T, p observe.OnSteps) {
	of := requireTaskResults(t, p.Steps)
	judge.Each(t, p.Steps, func(name string) {
		if result, made := of[name]; made {
			t.Expect(result.Read("task.context")).To(match.BeNonEmptyString())
		}
	})
}

type notMovedParams struct {
	Made string `json:"made" step:"{}"`
	Step string `json:"step" step:"{}"` // the message from another context
	Look string `json:"look" step:"{}"`
}

// checkTaskStaysInContext accepts an error, a reply in the task's own context, and another task.
func checkTaskStaysInContext(t *judge.T, p notMovedParams) {
	made := t.Step(p.Made).Result()
	own := made.Read("task.context")
	same := match.Should("the task to stay in its context, "+own.Shown(), own.Equal, nil)
	s := t.Step(p.Step)
	if reply := s.Reply(); match.Present(reply.Result()) && reply.Result().Read("task.id").Equal(made.Read("task.id")) {
		t.Expect(reply.Result().Read("task.context")).To(same)
	}
	t.Expect(t.Step(p.Look).Result().Read("task.context")).To(same)
	if s.Accepted() {
		t.StopUnused("it accepts the message")
	}
	t.OK(s.Reply())
}

func checkArtifactIDsUnique(t *judge.T, p observe.TypeRules) {
	var of [][]judge.Value
	for _, v := range t.Instances(p.Type) {
		if ids := observe.KeepStrings(v.Expand(p.At)); len(ids) > 0 {
			of = append(of, ids)
		}
	}
	judge.Each(t, of, func(ids []judge.Value) {
		first := map[string]judge.Value{}
		for _, id := range ids {
			if o, twice := first[id.Text()]; twice {
				t.Fail(id, fmt.Sprintf("gave two artifacts of a task the id %s, first at %s", id.Shown(), o.Place()), "ids that are unique within the task")
			}
			first[id.Text()] = id
			t.OK(id)
		}
	})
}

// checkArtifactPartsValid counts a fault of a part as a fault of its artifact.
func checkArtifactPartsValid(t *judge.T, p observe.TypeRules) {
	if p.FailIfBroken(t) {
		return
	}
	parts := judge.Map(t.Instances(p.Type), func(v judge.Value) judge.Value { return v.At(p.At) })
	observe.ExpectValidBelow(t, parts, nil)
}
