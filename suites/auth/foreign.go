package auth

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// What one client learns of another's tasks, and may do to them.
var foreignChecks = []judge.Check{
	judge.Define("auth/foreign-refused", "a client cannot make a call about another client's task", foreignRefused),
	judge.Define("auth/foreign-cancel", "a client cannot cancel another client's task", foreignCancel),
	judge.Define("auth/foreign-code", "a call about another client's task is refused like one about an unknown task", foreignCode),
	judge.Define("auth/foreign-words", "the refusals about another client's task and about an unknown task look the same", foreignWords),
	judge.Define("auth/says-why", "a caller without the right is told what is missing, and nothing else", saysWhy),
}

type foreignCallParams struct {
	observe.OnSteps
	Known string `json:"known" step:"{}"` // shows that the other client is one
}

// isClient ends the check undecided where the other client is none to the server.
func isClient(t *judge.T, known string) {
	if s := t.Step(known); wantsCredentials(t, s) {
		t.Stopped("the second credential is not accepted: %s", s.Outcome())
	}
}

func foreignRefused(t *judge.T, p foreignCallParams) {
	isClient(t, p.Known)
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		refusedAtAll(t, s, notYours)
		observe.ValidBeside(t, s)
		t.OK(s.Head())
	})
}

type foreignCancelParams struct {
	Step  string `json:"step" step:"{}"`  // the other client's call
	Known string `json:"known" step:"{}"` // shows that the other client is one
	Then  string `json:"then" step:"{}"`  // the owner's look at the task
}

func foreignCancel(t *judge.T, p foreignCancelParams) {
	isClient(t, p.Known)
	s := t.Step(p.Step)
	refusedAtAll(t, s, notYours)
	observe.ValidBeside(t, s)
	state := t.Step(p.Then).Result().Read("task.state")
	if known := t.Case.Dialect.State(state.Text()); known != nil && known.Outcome == "canceled" {
		t.Fail(state, "canceled the task of another client", "the tasks of a client to be kept from others")
	}
	t.OK(s.Head())
}

type pairParams struct {
	Step  string `json:"step" step:"{}"`  // the other client's look at the task
	Known string `json:"known" step:"{}"` // and at one that never was
}

// pair are the two refusals. A task that is shown is for another requirement.
func (p pairParams) pair(t *judge.T) (foreign, unknown judge.Step) {
	isClient(t, p.Known)
	foreign, unknown = t.Step(p.Step), t.Step(p.Known)
	for _, s := range []judge.Step{foreign, unknown} {
		if s.Accepted() {
			t.Stopped("the call %s/%s was not refused, so there is nothing to compare", s.Play.Scenario, s.Name)
		}
	}
	return foreign, unknown
}

func foreignCode(t *judge.T, p pairParams) {
	foreign, unknown := p.pair(t)
	got := foreign.Head()
	if match.IsError(foreign.Reply()) {
		got = foreign.Reply()
	}
	t.Expect(got).Against(unknown.Head()).To(match.Should("the refusal that a task gets which never was: "+unknown.Outcome(),
		func(judge.Value) bool { return observe.Alike(foreign, unknown) }, func(judge.Value) string { return "refused the task of another in another way: " + foreign.Outcome() }))
}

// foreignWords: the ids that a message repeats are the caller's own.
func foreignWords(t *judge.T, p pairParams) {
	foreign, unknown := p.pair(t)
	words := func(s judge.Step) string {
		var all []string
		for _, v := range s.Reply().Failure().Strings() {
			all = append(all, strings.ReplaceAll(v.Text(), s.Task, "…"))
		}
		return strings.Join(all, "\n")
	}
	if a, b := words(foreign), words(unknown); a != b || foreign.Exchange.Status() != unknown.Exchange.Status() {
		t.Finding(foreign.Reply(), "the server answers differently about another client's task and about an unknown one: %s and %s", foreign.Outcome(), unknown.Outcome())
	}
	t.OK(foreign.Head())
}

type saysWhyParams struct {
	observe.OnSteps
	Own string `json:"own" step:"{}"` // the owner's look at a task, nothing of which is for others
}

// shortest is how long a text of a task has to be, in bytes, to be known again.
const shortest = 6

// saysWhy: how much is said is the server's choice, so that it is never more than a
// finding.
func saysWhy(t *judge.T, p saysWhyParams) {
	var own []string
	if look, ok := t.Find(p.Own); ok && look.Accepted() {
		for _, v := range look.Reply().Result().Strings() {
			own = append(own, v.Text())
		}
	}
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		if s.Accepted() {
			t.Stopped("the call %s/%s was not refused", s.Play.Scenario, s.Name)
		}
		reply, said := s.Reply(), ""
		for _, v := range reply.Failure().Strings() {
			said += v.Text() + "\n"
		}
		page := !match.IsError(reply) && len(s.Exchange.Response.Body) > 0
		if strings.TrimSpace(said) == "" && !page {
			t.Finding(s.Head(), "the server refuses the call without saying what is missing")
		}
		if strings.Contains(said, wire.SecretMark) {
			t.Finding(reply, "the refusal repeats a credential")
		}
		for _, text := range own {
			if len(text) >= shortest && strings.Contains(said, text) && !strings.Contains(string(s.Exchange.Request.Body), text) {
				t.Finding(reply, "the refusal repeats content of another client's task: %s", judge.Shorten(text, 60))
			}
		}
		t.OK(s.Head())
	})
}
