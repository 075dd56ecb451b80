package task

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// checkClientTaskIDKept expects the server to keep the id of a task that the client chose. A
// refusal has none.
func checkClientTaskIDKept(t *judge.T, p observe.StepsRules) {
	p.FailIfBroken(t)
	steps := t.Steps(p.Steps)
	answered := slices.DeleteFunc(slices.Clone(steps), func(s judge.Step) bool { return !s.Accepted() })
	if len(answered) == 0 {
		steps[0].Result()
	}
	judge.Each(t, answered, func(s judge.Step) {
		t.Expect(s.Result().Read("task.id")).To(observe.BeIDOfAddressedTask(s))
	})
}

type sameIDParams struct {
	observe.PairParams
	observe.OwnRules
	Result bool `json:"result"` // that there is none is a breach too
}

// checkLookUpReturnsTask compares the id with that of the first reply, for which the look-up
// asked.
func checkLookUpReturnsTask(t *judge.T, p sameIDParams) {
	p.FailIfBroken(t)
	made := t.Step(p.Step).Result().Read("task.id")
	if p.Result {
		t.Expect(t.Step(p.Then).Reply()).To(match.BeAResult())
	}
	t.Expect(t.Step(p.Then).Result().Read("task.id")).ComparedWith(made).To(match.Should("the id that was asked for, "+made.Shown(), made.Equal, nil))
}

// checkResultIsTask leaves a look-up that does not find its task to another requirement.
func checkResultIsTask(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		reply := s.Reply()
		if s.Op == "get" && observe.IsUnknownTaskError(t, reply) {
			t.StopUndecided("the call %s/%s did not find its task", s.Play.Scenario, s.Name)
		}
		observe.StopIfFailedInside(t, s)
		t.Expect(reply).To(match.BeAResult())
		result := reply.Result()
		t.Expect(result).To(match.BeAnObject())
		t.Expect(result.Read("task.id")).To(match.BeAString())
		if _, has := t.Case.Dialect.Pointer(s.Op, "task.status"); has {
			t.Expect(result.Read("task.status")).To(match.BeAnObject())
		}
	})
}

// checkMadeTaskFound counts only the error for an unknown task. Another error is a fault of the
// look-up as such.
func checkMadeTaskFound(t *judge.T, p observe.PairParams) {
	t.Step(p.Step).Result()
	then := t.Step(p.Then)
	if reply := then.Reply(); match.IsError(reply) && !observe.IsUnknownTaskError(t, reply) {
		then.Result()
	}
	t.Expect(then.Reply()).To(match.BeAResult())
}

// checkLookUpKeepsState compares terminal states only, since a task at work may have moved on.
// Another requirement covers a look-up without a known state.
func checkLookUpKeepsState(t *judge.T, p observe.PairParams) {
	first := t.Step(p.Step).Result().Read("task.state")
	if !observe.IsTerminal(t, first) {
		t.StopUndecided("the call ended in state %s, which is not terminal", first.Shown())
	}
	then := t.Step(p.Then).Result().Read("task.state")
	if observe.IsUnknownState(t, then) {
		t.StopUndecided("the look-up found the state %s", then.Shown())
	}
	t.Expect(then).ComparedWith(first).To(match.Should(fmt.Sprintf("the state %s that the call ended with", first.Shown()), first.Equal, nil))
}

// requireControlUnderstood returns the control request of a probe, which is valid. It may be
// refused because it is about no task, but not for its params: then the refusal of the probe
// proves nothing.
func requireControlUnderstood(t *judge.T, s judge.Step, codes []string) judge.Step {
	valid := t.Step(s.Play.Scenario + "/" + s.Twin)
	reply := valid.Reply()
	if match.IsError(reply) && reply.Refuses(append([]string{"MethodNotFound", "InvalidRequest", "InternalError"}, codes...)...) {
		t.StopUndecided("the control request, which is valid, was refused too (%s), with the %s", observe.DescribeControlRequest(s.Play, s.Twin), match.CodeOf(reply))
	}
	if !reply.IsObject() {
		t.StopUndecided("the control request, which is valid, got no reply (%s): the server %s", observe.DescribeControlRequest(s.Play, s.Twin), reply.Missing())
	}
	return valid
}

func checkBadParamsRefused(t *judge.T, p observe.Errors) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		observe.StopVacuousIfRefusedWith(t, t.Step(s.Play.Scenario+"/"+s.Twin).Reply(), p.Unless)
		if match.IsHollow(s.Reply()) {
			t.Expect(s.Reply()).To(match.BeRPCError(t, p.Codes...))
		}
		observe.StopIfRefusedLikeControl(t, requireControlUnderstood(t, s, p.Codes), s)
		t.Expect(s.Reply()).To(match.BeRPCError(t, p.Codes...))
	})
}

func checkGoodParamsNotRefused(t *judge.T, p observe.Errors) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		requireControlUnderstood(t, s, p.Codes)
		t.Expect(s.Reply()).To(match.BeAReply(t))
		t.Expect(s.Reply()).NotTo(match.BeRPCError(t, p.Codes...))
	})
}

func checkTasksDistinct(t *judge.T, p observe.OnSteps) { expectDistinctTasks(t, t.Steps(p.Steps)) }

// expectDistinctTasks expects each of the calls to have made a task of its own.
func expectDistinctTasks(t *judge.T, calls []judge.Step) {
	first := map[string]judge.Value{}
	had := map[*record.Exchange]bool{}
	var ids []judge.Value
	for _, s := range calls {
		if had[s.Exchange] {
			continue
		}
		had[s.Exchange] = true
		if id := observe.NamedTask(t, s); id.IsString() {
			ids = append(ids, id)
		}
	}
	observe.StopUndecidedIf(t, len(ids) < 2, "fewer than two of the messages were answered with the id of a task")
	judge.Each(t, ids, func(id judge.Value) {
		if o, twice := first[id.Text()]; twice {
			t.Fail(id, fmt.Sprintf("named the task %s again, which an earlier message had made (exchange %d)", id.Shown(), o.Exchange().ID), "a task of its own for each message", o)
		}
		first[id.Text()] = id
		t.OK(id)
	})
}

func checkTaskCompletedAfterFinal(t *judge.T, p observe.PairParams) {
	if first := t.Step(p.Step).Result(); !first.Read("event.final").True() {
		t.StopUndecided("the call %s was not answered with final true", p.Step)
	}
	t.Expect(t.Step(p.Then).Result().Read("task.state")).To(match.Should("the state completed, since the call that made the task was answered with final true",
		func(v judge.Value) bool { return observe.IsSuccess(t, v) }, nil))
}

// checkCompletedTaskHasNoError accepts null as well as no member.
func checkCompletedTaskHasNoError(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		task := s.Result()
		if state := task.Read("task.state"); !observe.IsSuccess(t, state) {
			t.StopUndecided("the task was in state %s", state.Shown())
		}
		if e := task.Read("task.error"); match.Present(e) {
			t.Fail(e, "sent an error with a task that succeeded", "no error in the status of a completed task")
		}
		t.OK(task.Read("task.status"))
	})
}

// checkFinalMessageStored compares the texts: ids and times may be made anew.
func checkFinalMessageStored(t *judge.T, p observe.PairParams) {
	answer := t.Step(p.Step).Result().Read("task.message")
	task := t.Step(p.Then).Result()
	if state := task.Read("task.state"); !observe.IsSuccess(t, state) {
		t.StopUndecided("the task was in state %s", state.Shown())
	}
	message := task.Read("task.message")
	t.Expect(message).To(match.BeThere("the agent's final message"))
	parts := func(m judge.Value) int { return len(observe.ExpandDialectPlace(t, m, "message", "parts")) }
	t.Expect(message).ComparedWith(answer).To(match.Should("the content of the message with which it answered", func(v judge.Value) bool {
		return parts(v) == parts(answer) && observe.TextOf(t, v, "message") == observe.TextOf(t, answer, "message")
	}, func(v judge.Value) string {
		if n, of := parts(v), parts(answer); n != of {
			return fmt.Sprintf("shows a message of %d parts, and answered with one of %d", n, of)
		}
		return fmt.Sprintf("shows %q as the message of the task, and answered with %q", shorten.Clip(observe.TextOf(t, v, "message"), 40), shorten.Clip(observe.TextOf(t, answer, "message"), 40))
	}))
}

type independentParams struct {
	A []string `json:"a" step:"{}"` // the steps about one task; the first one made it
	B []string `json:"b" step:"{}"` // the steps about the other
}

// checkTaskHistoriesNotMixed looks for words that only the messages of the other task have.
func checkTaskHistoriesNotMixed(t *judge.T, p independentParams) {
	for _, of := range [][2][]string{{p.A, p.B}, {p.B, p.A}} {
		other := observe.SentText(t, t.Step(of[1][0]))
		judge.Each(t, of[0], func(name string) {
			s := t.Step(name)
			result := s.Result()
			t.Expect(result.Read("task.id")).To(observe.BeIDOfAddressedTask(s))
			for _, m := range result.Read("task.history").Elems() {
				t.Expect(m).NotTo(match.Should("a message of another task", func(v judge.Value) bool {
					return strings.Contains(observe.TextOf(t, v, "message"), other)
				}, nil))
			}
		})
	}
}
