package auth

import (
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

const (
	wantRefusal        = "a refusal of a call without valid credentials"
	wantForeignRefusal = "a refusal of a call about what is another client's"
)

type acceptedWithParams struct {
	observe.OnStep
	// Alone means that the call shows one of several credentials. Whether there is one to judge
	// depends on the card and on the configuration.
	Alone bool `json:"alone"`
}

// checkCredentialsAccepted needs proof that the configured credentials are valid, since a server
// has to refuse others.
func checkCredentialsAccepted(t *judge.T, p acceptedWithParams) {
	scenario, name, _ := strings.Cut(p.Step, "/")
	if play := t.Case.Transcript.Play(scenario); p.Alone && play != nil && play.Step(name) != nil {
		if s := play.Step(name); s.NotSent != "" && s.Remedy == "" {
			t.StopVacuous("%s", s.NotSent)
		}
	}
	s := t.Step(p.Step)
	because := "the call carried valid credentials"
	if isCredentialRefusal(t, s) {
		because = observe.RequireValidCredentials(t, s)
	}
	t.Expect(s.Reply()).Because("%s", because).To(match.BeAResult())
}

// checkCallRefused accepts any refusal. Without a configured credential it can only show that a
// call is served.
func checkCallRefused(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		expectNoResult(t, s, wantRefusal)
		requireCredential(t)
		observe.RequireControlAccepted(t, s)
		stopIfRefusedForState(t, s)
		observe.FailIfTaskMade(t, s, "carried out the call that it refused", wantRefusal)
		t.OK(s.Head())
	})
}

// requireCredential leaves a refusal undecided if the run has no credential, with which the call
// might be served.
func requireCredential(t *judge.T) {
	if len(t.Case.Transcript.Facts.Secrets) == 0 {
		t.StopInconclusive(judge.CredentialFlags, "the server refused the call, and without a credential the run does not know whether it would serve it")
	}
}

// expectNoResult fails the requirement if the call was answered with a result,
// at once or in a stream.
func expectNoResult(t *judge.T, s judge.Step, due string) {
	answers := []judge.Value{}
	switch x := s.Exchange; {
	case x.IsStream():
		answers = s.Events()
	case x.Answered() && x.Ended != record.Limit:
		answers = append(answers, s.Reply())
	case x.Ended == record.Timeout:
		t.StopUndecided("the call %s/%s was neither served nor refused: %s", s.Play.Scenario, s.Name, s.Outcome())
	}
	for _, v := range answers {
		if r := v.Result(); match.Present(r) {
			t.Fail(r, "answered with "+match.ResultOf(r), due)
		}
	}
}

type demandedParams struct {
	observe.OnSteps
	Code string `json:"code" names:"error"`
}

// checkRefusalCode does not expect a code of a gateway that refuses with HTTP 401 or 403 and
// without JSON-RPC.
func checkRefusalCode(t *judge.T, p demandedParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		expectNoResult(t, s, wantRefusal)
		if s.As != record.Low {
			requireCredential(t)
		}
		observe.RequireControlAccepted(t, s)
		if status := s.Exchange.Standing(); (status == 401 || status == 403) && !match.IsError(s.Reply()) {
			t.Tolerate(s.Head(), "the server refuses the call with HTTP status %d and no %s", status, s.Reply().Words().Bare())
			return
		}
		t.Expect(s.Reply()).To(match.BeRPCError(t, p.Code))
	})
}

// checkAnonymousCancelRefused does not count a refusal because the task has ended: only a server that
// looked at the task can send it, and it may cancel one that runs.
func checkAnonymousCancelRefused(t *judge.T, p observe.PairParams) {
	s := t.Step(p.Step)
	expectNoResult(t, s, wantRefusal)
	observe.RequireControlAccepted(t, s)
	if state := t.Step(p.Then).Result().Read("task.state"); observe.IsCanceled(t, state) {
		t.Fail(state, "canceled the task for a caller without credentials", wantRefusal)
	}
	stopIfRefusedForState(t, s)
	t.OK(s.Head())
}

type configKeptParams struct {
	observe.OnSteps
	Set  string `json:"set" step:"{}"`  // the configuration of the owner
	Then string `json:"then" step:"{}"` // what it is afterwards
}

// checkPushConfigProtected counts only a refusal for missing credentials if the server does not
// accept the owner's configuration either.
func checkPushConfigProtected(t *judge.T, p configKeptParams) {
	owner := t.Step(p.Set)
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		expectNoResult(t, s, wantRefusal)
		if !owner.Accepted() && !isCredentialRefusal(t, s) {
			t.StopUndecided("the same call with credentials (%s) was not accepted either: %s", p.Set, owner.Outcome())
		}
		t.OK(s.Head())
	})
	if !owner.Accepted() {
		return
	}
	want := observe.SentWebhookMember(t, owner, "url")
	t.Expect(observe.ReturnedWebhookMember(t, t.Step(p.Then).Result(), "url")).To(match.Should(fmt.Sprintf("the url that the owner gave, %q", want),
		func(v judge.Value) bool { return v.Is(want) }, func(v judge.Value) string { return "reports the url " + v.Shown() }))
}

// isCredentialRefusal reports whether a refusal names missing credentials or rights as its
// reason.
func isCredentialRefusal(t *judge.T, s judge.Step) bool {
	if status := s.Exchange.Standing(); status == 401 || status == 403 {
		return true
	}
	return s.Exchange.Answered() && s.Reply().Refuses("AuthenticationRequired", "AuthorizationFailed", "PermissionDenied")
}

type eachRequestParams struct {
	With string `json:"with" step:"{}"`
	Bare string `json:"bare" step:"{}"`
}

// checkEachRequestAuthenticated is vacuous if the server closes every connection.
func checkEachRequestAuthenticated(t *judge.T, p eachRequestParams) {
	with, bare := t.Step(p.With), t.Step(p.Bare)
	if with.Exchange.Conn != bare.Exchange.Conn {
		if closes := with.Exchange.Response.Header().Get("Connection"); strings.EqualFold(closes, "close") {
			t.StopVacuous("the server keeps no connection open")
		}
		t.StopUndecided("the server closed the connection after the first call")
	}
	observe.RequireAccepted(t, with, "the first call on the connection was not accepted")
	expectNoResult(t, bare, wantRefusal)
	t.OK(bare.Head())
}

// checkOpenServerServes judges the first of the steps that was made without credentials. A
// refusal that does not name credentials does not demand them.
func checkOpenServerServes(t *judge.T, p observe.OnSteps) {
	for _, s := range t.Steps(p.Steps) {
		if s.As != record.Nobody && len(t.Case.Transcript.Facts.Secrets) > 0 {
			continue
		}
		if !s.Accepted() && !isCredentialRefusal(t, s) {
			t.StopUndecided("the call %s/%s was refused, but not because it has no credentials: %s", s.Play.Scenario, s.Name, s.Outcome())
		}
		if isCredentialRefusal(t, s) {
			t.Fail(s.Head().Header(report.StatusLine), "demands credentials ("+observe.StatusOf(s.Exchange)+") that its card does not mention", "a call without credentials to be served")
		}
		t.OK(s.Reply())
		return
	}
	t.StopUndecided("no call was made without credentials")
}

type foreignParams struct {
	Own   string `json:"own" step:"{}"`   // the owner's look at the task
	Step  string `json:"step" step:"{}"`  // the other client's
	Known string `json:"known" step:"{}"` // shows that the other client is one
	// Follows are the other client's subscriptions, which show a task too.
	Follows []string `json:"follows" step:"{}"`
}

func checkForeignTaskHidden(t *judge.T, p foreignParams) {
	requireSecondClientAccepted(t, p.Known)
	observe.RequireAccepted(t, t.Step(p.Own), "the owner could not read the task either")
	s := t.Step(p.Step)
	if r := s.Reply().Result(); match.Present(r) && !observe.IsUnknownState(t, r.Read("task.state")) {
		t.Fail(r, "showed the task to another client", "the tasks of a client to be kept from others")
	}
	for _, name := range p.Follows {
		if follows, made := t.Find(name); made {
			expectNoResult(t, follows, wantForeignRefusal)
		}
	}
	stopIfRefusedForState(t, s)
	t.OK(s.Head())
}

// checkAuthStatusMessagePresent accepts a text. A form that a program can read is better.
func checkAuthStatusMessagePresent(t *judge.T, p observe.StaysParams) {
	observe.CheckStatusMessagePresent(t, p)
	for _, s := range observe.Sightings(t, p.Plays) {
		if m := s.Read("task.message"); s.HasState(p.State) && match.Present(m) && !strings.Contains(fmt.Sprint(m.Node().Interface()), "schemes:") {
			t.Finding(m, "the server describes the credentials in text only; programs could read a data part with their schemes")
		}
	}
}
