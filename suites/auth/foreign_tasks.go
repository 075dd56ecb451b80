package auth

import (
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type foreignCallParams struct {
	observe.OnSteps
	Known string `json:"known" step:"{}"` // shows that the other client is one
}

// requireSecondClientAccepted ends the check undecided if the server does not accept the other client.
func requireSecondClientAccepted(t *judge.T, secondClientStep string) {
	if s := t.Step(secondClientStep); isCredentialRefusal(t, s) {
		t.StopUndecided("the second credential is not accepted: %s", s.Outcome())
	}
}

func checkForeignCallsRefused(t *judge.T, p foreignCallParams) {
	requireSecondClientAccepted(t, p.Known)
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) { expectForeignCallRefused(t, s, p.Known) })
}

// checkForeignSubscriptionsRefused judges each step by itself: each is about a task in a state of
// its own, such as one that runs and one that waits for its owner. A server that serves one of
// them shows the task.
func checkForeignSubscriptionsRefused(t *judge.T, p foreignCallParams) {
	requireSecondClientAccepted(t, p.Known)
	judge.EachOf(t, t.Steps(p.Steps), func(s judge.Step) { expectForeignCallRefused(t, s, p.Known) })
}

// expectForeignCallRefused expects one call of the other client to be refused because the task is
// not its own. If the owner is refused in the same way, the caller is not the reason.
func expectForeignCallRefused(t *judge.T, s judge.Step, known string) {
	expectNoResult(t, s, wantForeignRefusal)
	if owner := observe.RequireControlAccepted(t, s); owner != nil {
		observe.StopIfRefusedLikeControl(t, *owner, s)
	}
	requireCallerOrUnknownRefusal(t, s, t.Step(known))
	t.OK(s.Head())
}

// requireCallerOrUnknownRefusal leaves the requirement undecided unless a refusal is one that a caller
// gets because the task is not its own: it may not do this, or there is no such task. Any
// other reason, above all one that only a look at the task can give, may hold for the owner
// too, and does not show that anybody asked who calls.
func requireCallerOrUnknownRefusal(t *judge.T, s, unknown judge.Step) {
	if isCredentialRefusal(t, s) || s.Exchange.Standing() == http.StatusNotFound || observe.IsUnknownTaskError(t, s.Reply()) || observe.HaveSameRefusal(s, unknown) {
		return
	}
	t.StopUndecided("the call %s/%s was refused for another reason than that the task is another client's: %s", s.Play.Scenario, s.Name, s.Outcome())
}

// stopIfRefusedForState leaves the requirement undecided if a call was refused for the state of
// its task: only a look at the task can show that, and the call may be served in another
// state.
func stopIfRefusedForState(t *judge.T, s judge.Step) {
	if observe.NamesTaskState(t, s) && !isCredentialRefusal(t, s) {
		t.StopUndecided("the call %s/%s was refused for the state of the task, not for its caller: %s", s.Play.Scenario, s.Name, s.Outcome())
	}
}

type foreignCancelParams struct {
	// Calls are those of the other client, each about a task in a state of its own, with
	// the owner's look at the task.
	Calls []observe.PairParams `json:"calls"`
	Known string               `json:"known" step:"{}"` // shows that the other client is one
}

func checkForeignCancelRefused(t *judge.T, p foreignCancelParams) {
	requireSecondClientAccepted(t, p.Known)
	judge.EachOf(t, madePairsOrAll(t, p.Calls), func(pair observe.PairParams) {
		s := t.Step(pair.Step)
		expectNoResult(t, s, wantForeignRefusal)
		observe.RequireControlAccepted(t, s)
		if state := t.Step(pair.Then).Result().Read("task.state"); observe.IsCanceled(t, state) {
			t.Fail(state, "canceled the task of another client", "the tasks of a client to be kept from others")
		}
		requireCallerOrUnknownRefusal(t, s, t.Step(p.Known))
		t.OK(s.Head())
	})
}

// madePairsOrAll returns the pairs whose call was made; all of them if none was, so that the
// first gives the reason.
func madePairsOrAll(t *judge.T, pairs []observe.PairParams) []observe.PairParams {
	if made := observe.KeepPairsWithFirstStep(t, pairs); len(made) > 0 {
		return made
	}
	return pairs
}

type pairParams struct {
	Step  string `json:"step" step:"{}"`  // the other client's look at the task
	Known string `json:"known" step:"{}"` // and at one that never was
}

// stopUndecidedIfServed leaves the check undecided if a call was served.
func stopUndecidedIfServed(t *judge.T, wasServed func(judge.Step) bool, steps ...judge.Step) {
	for _, s := range steps {
		if wasServed(s) {
			t.StopUndecided("the call %s/%s was not refused, so there is nothing to compare", s.Play.Scenario, s.Name)
		}
	}
}

type foreignCodeParams struct {
	pairParams
	// Calls are further calls of the other client about the task, each with a call of
	// the same operation about a task that never was.
	Calls []observe.PairParams `json:"calls"`
}

// checkForeignRefusalLikeUnknown judges each operation by itself. It may refuse the task of another like
// a task that never existed, or like a look-up of such a task.
func checkForeignRefusalLikeUnknown(t *judge.T, p foreignCodeParams) {
	requireSecondClientAccepted(t, p.Known)
	pairs := append([]observe.PairParams{{Step: p.Step, Then: p.Known}}, observe.KeepPairsWithFirstStep(t, p.Calls)...)
	judge.EachOf(t, pairs, func(pair observe.PairParams) {
		foreign, unknown := t.Step(pair.Step), t.Step(p.Known)
		if same, asked := t.Find(pair.Then); asked && !same.Accepted() && !streamBeginsWithoutError(same) {
			unknown = same
		}
		stopUndecidedIfServed(t, func(s judge.Step) bool { return s.Accepted() || streamBeginsWithoutError(s) }, foreign, unknown)
		got := foreign.Head()
		if match.IsError(foreign.Reply()) {
			got = foreign.Reply()
		}
		t.Expect(got).ComparedWith(unknown.Head()).To(match.Should("the same refusal as for a task that does not exist ("+strings.TrimPrefix(unknown.Outcome(), "the server ")+")",
			func(judge.Value) bool {
				return observe.HaveSameRefusal(foreign, unknown) || observe.HaveSameRefusal(foreign, t.Step(p.Known))
			},
			func(judge.Value) string {
				return "refused the task of another client in a way of its own: it " + strings.TrimPrefix(foreign.Outcome(), "the server ")
			}))
	})
}

// streamBeginsWithoutError reports whether a call opened a stream that begins with anything but a
// refusal.
func streamBeginsWithoutError(s judge.Step) bool {
	return s.Exchange.IsStream() && !observe.BeginsWithError(s)
}

// noteForeignTextUnlikeUnknown leaves out the ids that a message repeats, since they are the caller's
// own. Another requirement covers a task that is shown.
func noteForeignTextUnlikeUnknown(t *judge.T, p pairParams) {
	requireSecondClientAccepted(t, p.Known)
	foreign, unknown := t.Step(p.Step), t.Step(p.Known)
	stopUndecidedIfServed(t, judge.Step.Accepted, foreign, unknown)
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

// leastTextLength is how long a text of a task has to be, in bytes, to be recognized.
const leastTextLength = 6

// noteRefusalTextFlaws has findings only, since the server chooses how much it explains.
func noteRefusalTextFlaws(t *judge.T, p saysWhyParams) {
	var own []string
	if look, ok := t.Find(p.Own); ok && look.Accepted() {
		for _, v := range look.Reply().Result().Strings() {
			own = append(own, v.Text())
		}
	}
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		observe.StopUndecidedIf(t, s.Accepted(), "the call %s/%s was not refused", s.Play.Scenario, s.Name)
		reply, refusal := s.Reply(), ""
		for _, v := range reply.Failure().Strings() {
			refusal += v.Text() + "\n"
		}
		page := !match.IsError(reply) && len(s.Exchange.Response.Body) > 0
		if strings.TrimSpace(refusal) == "" && !page {
			t.Finding(s.Head(), "the server refuses the call without saying what is missing")
		}
		if strings.Contains(refusal, record.SecretMark) {
			t.Finding(reply, "the refusal repeats a credential")
		}
		for _, text := range own {
			if len(text) >= leastTextLength && strings.Contains(refusal, text) && !strings.Contains(string(s.Exchange.Request.Body), text) {
				t.Finding(reply, "the refusal repeats content of another client's task: %s", shorten.Visible(text, 60))
			}
		}
		t.OK(s.Head())
	})
}
