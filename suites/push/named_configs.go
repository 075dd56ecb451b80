package push

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type belongsParams struct {
	Step  string `json:"step" step:"{}"`           // the call that gave the configuration
	Look  string `json:"look" step:"{}"`           // reads it
	Other string `json:"other" step:"{},optional"` // asks for it under another task
}

// checkConfigFoundOnlyUnderTask accepts a result that does not repeat the task.
func checkConfigFoundOnlyUnderTask(t *judge.T, p belongsParams) {
	s, look := t.Step(p.Step), t.Step(p.Look)
	checkSetResultMatchesRequest(t, observe.OnStep{Step: p.Step})
	t.Expect(look.Reply()).To(match.BeAResult())
	if id := look.Result().Read("task.id"); id.Exists() {
		t.Expect(id).To(observe.BeIDOfAddressedTask(look))
	}
	expectWebhookURL(t, look, s)
	if p.Other == "" {
		return
	}
	if other, asked := t.Find(p.Other); asked {
		t.Expect(other.Reply()).To(match.BeRPCError(t))
	}
}

type keptParams struct {
	List string   `json:"list" step:"{}"` // of the task's configurations, after something was delivered
	Gets []string `json:"gets" step:"{}"` // later looks at the configuration
	From string   `json:"from" step:"{}"` // gave it
}

func checkConfigSurvivesDelivery(t *judge.T, p keptParams) {
	from := observe.RequireAccepted(t, t.Step(p.From), "the call %s was not accepted", p.From)
	checkConfigsListed(t, configParams{Step: p.List, From: []string{p.From}})
	judge.Each(t, t.Steps(p.Gets), func(s judge.Step) {
		t.Expect(s.Reply()).To(match.BeAResult())
		expectWebhookURL(t, s, from)
	})
}

// checkConfigKeepsTokenAndScheme accepts a masked token, since it is a secret.
func checkConfigKeepsTokenAndScheme(t *judge.T, p configLook) {
	look, from := t.Step(p.Step), t.Step(p.From)
	observe.RequireAccepted(t, from, "the call %s was not accepted", p.From)
	token, want := observe.ReturnedWebhookMember(t, look.Result(), "token"), observe.SentWebhookMember(t, from, "token")
	if masked := token.Text(); masked != "" && strings.Trim(masked, "*") == "" {
		t.Tolerate(token, "the server masks the token of a webhook")
	} else {
		t.Expect(token).To(match.BeTheText("the token that was given, ", want))
	}
	scheme := observe.SentWebhookMember(t, from, "scheme")
	t.Expect(observe.ReturnedWebhookMember(t, look.Result(), "scheme")).To(match.Should("the scheme that was given, "+scheme,
		func(v judge.Value) bool { return strings.EqualFold(v.Text(), scheme) }, nil))
}

type pagesParams struct {
	Play string `json:"play" step:"{}/page-1"` // asks for one configuration at a time, in the steps page-1, page-2, …
	List string `json:"list" step:"{}"`        // the list in one piece
}

// checkPagesListEachConfigOnce accepts one page from a server that ignores the size of a page.
func checkPagesListEachConfigOnce(t *judge.T, p pagesParams) {
	_, whole := requireConfigList(t, p.List)
	count := map[string]int{}
	next, _ := t.Case.Dialect.Pointer("push-list", "next")
	tokens := map[string]bool{}
	for i := 1; ; i++ {
		name := fmt.Sprintf("%s/page-%d", p.Play, i)
		if _, ok := t.Find(name); !ok && i > 1 {
			break
		}
		page := t.Step(name)
		t.Expect(page.Reply()).To(match.BeAResult())
		_, all := requireConfigList(t, name)
		for _, e := range all {
			id := readNamedWebhookMember(t, e, "id")
			if count[id.Text()]++; count[id.Text()] > 1 {
				t.Fail(id, "lists the configuration "+id.Shown()+" on two pages", "each configuration once")
			}
			t.OK(id)
		}
		token := page.Result().At(next)
		if token.Text() != "" && tokens[token.Text()] {
			t.Fail(token, "leads from one page to the same one again", "a token that leads to the next page, or none on the last")
		}
		tokens[token.Text()] = true
		if token.Text() == "" {
			t.OK(page.Result())
			for _, e := range whole {
				if id := readNamedWebhookMember(t, e, "id"); count[id.Text()] == 0 {
					t.Fail(page.Result(), "ended the pages without the configuration "+id.Shown(), "every configuration of the task on one of the pages", id)
				}
			}
			if i == 1 {
				t.StopUnused("its list comes as one page, though pages of one entry were asked for")
			}
			return
		}
	}
	observe.StopUndecidedIf(t, len(tokens) < len(whole), "the run did not ask for all pages")
	t.Fail(t.Step(p.Play+"/page-1").Result(), fmt.Sprintf("had not come to an end of %d configurations after %d pages of one each", len(whole), len(tokens)), "a last page without a token")
}

type foreignParams struct {
	observe.OnSteps
	Known string `json:"known" step:"{}"` // shows that the other client is one
	Own   string `json:"own" step:"{}"`   // the same for the owner
}

// checkForeignConfigCallsRefused accepts any refusal, also one that does not admit that there is
// such a task, but none for the state of the task, which may hold for its owner too.
func checkForeignConfigCallsRefused(t *judge.T, p foreignParams) {
	if known := t.Step(p.Known); slices.Contains([]int{401, 403}, known.Exchange.Standing()) {
		t.StopUndecided("the second credential is not accepted: %s", known.Outcome())
	}
	observe.RequireAccepted(t, t.Step(p.Own), "the owner could not give the task a webhook either")
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		if observe.NamesTaskState(t, s) {
			t.StopUndecided("the call %s/%s was refused for the state of the task, not for its caller: %s", s.Play.Scenario, s.Name, s.Outcome())
		}
		if s.Exchange.Standing() >= 400 {
			t.OK(s.Head())
			return
		}
		t.Expect(s.Reply()).To(match.Should("a refusal, since the task is another client's", match.IsError, match.Outcome))
	})
}
