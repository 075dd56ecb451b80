package rpc

import (
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type apartParams struct {
	Here string   `json:"here" step:"{}"` // a look at the task by its own tenant
	Not  []string `json:"not" step:"{}"`  // the same, or a list, by another
}

// checkTaskHiddenFromOtherTenant requires first that the task is shown to its own tenant; a refusal to another
// tenant shows nothing without that.
func checkTaskHiddenFromOtherTenant(t *judge.T, p apartParams) {
	here := t.Step(p.Here)
	here.Result()
	judge.Each(t, t.Steps(p.Not), func(s judge.Step) {
		result := s.Reply().Result()
		if match.Present(result) && observe.Mentions(result.Node(), here.Task) {
			t.Fail(result, "showed the task of another tenant", "only tasks of the tenant that the call names")
		}
		t.OK(s.Reply())
	})
}

func checkShownWebhookTenantMatches(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		t.Expect(s.Reply()).To(match.BeAResult())
		sent := observe.Params(s).At("/tenant")
		if shown := observe.ReturnedWebhookMember(t, s.Reply().Result(), "tenant"); sent != nil && shown.Text() != "" {
			t.Expect(shown).To(match.Should("the tenant of the call, "+observe.DescribeNode(sent), func(v judge.Value) bool { return v.Is(sent.String) }, nil))
		}
	})
}
