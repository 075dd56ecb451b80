package push

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// hookParams name a play and one of its webhooks, and the calls that gave it.
type hookParams struct {
	Scenario string   `json:"scenario"`
	Hook     string   `json:"hook"`
	From     []string `json:"from" step:"{}"`
	// AnyMethod leaves the method of a delivery to another requirement.
	AnyMethod bool `json:"anyMethod"`
	// Waits means that the delivery has to show a task which waits for the client: a later state
	// does not count.
	Waits bool `json:"waits"`
}

// isExpectedDelivery reports whether a delivery is, or may be, the one that was due.
func (p hookParams) isExpectedDelivery(t *judge.T, v judge.Value) bool {
	ends, hasState := reportsSettledState(t, v)
	if !hasState || !p.Waits {
		return ends || !hasState
	}
	return slices.ContainsFunc(deliveredStates(t, v), func(s judge.Value) bool { return t.Case.Dialect.State(s.Text()).Interrupted })
}

// checkEndDelivered accepts a delivery that is repeated or late, and deliveries of steps on the
// way.
func checkEndDelivered(t *judge.T, p hookParams) {
	from := observe.RequireAccepted(t, observe.FirstAcceptedOrLast(t, p.From), "the server accepted no webhook")
	came := webhookDeliveries(t, p.Scenario, p.Hook)
	for _, v := range came {
		if !v.Exchange().Posted() && !p.AnyMethod {
			t.Fail(v, "delivered by "+requestMethod(v), "a POST to the webhook of the task")
		}
		if p.isExpectedDelivery(t, v) {
			t.OK(v)
			return
		}
	}
	stopUnlessDeliveryWasDue(t, from.Play)
	got := "delivered nothing"
	if len(came) > 0 {
		got = fmt.Sprintf("made %d deliveries, none of them about the end of the task,", len(came))
	}
	t.Fail(from.Head(), fmt.Sprintf("%s within %.1f s after the task had ended", got, t.Case.Dialect.Patience["delivery"].Seconds),
		fmt.Sprintf("a POST to its webhook; if it cannot reach %s, give another --webhook-url", t.Case.Transcript.Facts.Webhook))
}

type eachHookParams struct {
	Hooks []hookParams `json:"hooks"`
}

func checkEndDeliveredToEach(t *judge.T, p eachHookParams) {
	judge.Each(t, p.Hooks, func(h hookParams) { checkEndDelivered(t, h) })
}

type tokenHeaderParams struct {
	observe.OnPlays
	Header string `json:"header"` // by which the token travels
	// Required means that a delivery without the header is a breach, too.
	Required bool `json:"required"`
}

// requireDeliveries returns the deliveries of the plays. Without any the check is undecided.
func requireDeliveries(t *judge.T, p observe.OnPlays) []judge.Value {
	var out []judge.Value
	for _, name := range p.Plays {
		out = append(out, webhookDeliveries(t, name, "")...)
	}
	observe.StopUndecidedIf(t, len(out) == 0, "the server delivered nothing")
	return out
}

// requireFullHeaderDeliveries returns all those deliveries whose header fields are kept in full.
func requireFullHeaderDeliveries(t *judge.T, p observe.OnPlays) []judge.Value {
	return requireUncutHeaders(t, requireDeliveries(t, p))
}

// deliveriesWithFullBodies returns all those deliveries whose bodies are kept in full.
func deliveriesWithFullBodies(t *judge.T, p observe.OnPlays) []judge.Value {
	return requireUncutDeliveries(t, requireDeliveries(t, p))
}

// requireDeliveriesToTokenWebhook returns those with headers in full that came to a webhook with a token. Without
// one the check is undecided.
func requireDeliveriesToTokenWebhook(t *judge.T, p observe.OnPlays) []judge.Value {
	of := slices.DeleteFunc(requireFullHeaderDeliveries(t, p), func(v judge.Value) bool { return len(tokensConfiguredForDelivery(t, v)) == 0 })
	observe.StopUndecidedIf(t, len(of) == 0, "the server delivered nothing to a webhook with a token")
	return of
}

// hasTokenInAnyHeader reports whether a header field of a delivery has one of the tokens, alone or
// after the name of a scheme.
func hasTokenInAnyHeader(v judge.Value, tokens map[string]bool) bool {
	for _, f := range v.Exchange().Request.Fields() {
		if _, rest, _ := strings.Cut(f.Value, " "); tokens[f.Value] || tokens[strings.TrimSpace(rest)] {
			return true
		}
	}
	return false
}

// tokensConfiguredForDelivery returns those that a delivery may carry.
func tokensConfiguredForDelivery(t *judge.T, v judge.Value) map[string]bool {
	out := map[string]bool{}
	for _, s := range callsThatSetWebhook(t, v) {
		if token := observe.SentWebhookMember(t, s, "token"); token != "" {
			out[token] = true
		}
	}
	return out
}

// checkTokenCarried accepts any header, also one with a scheme before the token.
func checkTokenCarried(t *judge.T, p observe.OnPlays) {
	judge.Each(t, requireDeliveriesToTokenWebhook(t, p), func(v judge.Value) {
		want := tokensConfiguredForDelivery(t, v)
		if hasTokenInAnyHeader(v, want) {
			t.OK(v)
			return
		}
		for token := range want {
			if strings.Contains(string(v.Exchange().Request.Body), token) {
				t.Tolerate(v, "the token travels in the body of the delivery, not in a header")
				return
			}
		}
		t.Fail(v, "delivered without the token that was given with the webhook", "it in a header of the delivery (any header counts)")
	})
}

func checkTokenHeader(t *judge.T, p tokenHeaderParams) {
	of := judge.Filter(requireFullHeaderDeliveries(t, p.OnPlays), func(v judge.Value) bool {
		return (p.Required || v.Exchange().Request.Header().Get(p.Header) != "") && len(tokensConfiguredForDelivery(t, v)) > 0
	})
	judge.Each(t, of, func(v judge.Value) {
		value := v.Exchange().Request.Header().Get(p.Header)
		if !tokensConfiguredForDelivery(t, v)[value] {
			got := fmt.Sprintf("delivered with %s: %s", p.Header, shorten.Visible(value, 80))
			switch part := describeTokenPart(value, tokensConfiguredForDelivery(t, v)); {
			case value == "":
				got = "delivered without the header " + p.Header
			case part != "":
				got = fmt.Sprintf("delivered with only %s in %s", part, p.Header)
			}
			t.Fail(v.Header(p.Header), got, "that header with the token that was given with the webhook")
		}
		t.OK(v)
	})
}

// describeTokenPart returns how much of a token a text is; "" if it is no part of one.
func describeTokenPart(text string, tokens map[string]bool) string {
	for token := range tokens {
		if text != "" && strings.Contains(token, text) {
			return fmt.Sprintf("%d of the %d characters of the token", len(text), len(token))
		}
	}
	return ""
}

func checkDeliveryLabelledJSON(t *judge.T, p observe.OnPlays) {
	judge.Each(t, requireUncutHeaders(t, deliveriesWithFullBodies(t, p)), func(v judge.Value) {
		if v.Node() == nil {
			t.Fail(v, v.Missing(), "a JSON body")
		}
		if mt := v.Exchange().Request.MediaType(); mt != "application/json" {
			t.Fail(v.Header("Content-Type"), "delivered with Content-Type "+shorten.Visible(mt, 80), "Content-Type application/json")
		}
		t.OK(v)
	})
}

func checkDeliveryNamesTask(t *judge.T, p observe.OnPlays) {
	names := t.Case.Dialect.Delivered.Task
	judge.Each(t, deliveriesWithFullBodies(t, p), func(v judge.Value) {
		task := v.Document().Step.Task
		for _, name := range names {
			for _, id := range v.Find(name) {
				if id.Is(task) {
					t.OK(id)
					return
				}
			}
		}
		t.Fail(v, "delivered a body that does not name the task", fmt.Sprintf("the id %q as %s, anywhere in the body", task, strings.Join(names, " or ")))
	})
}

type statusParams struct {
	Scenario string `json:"scenario"`
	Hook     string `json:"hook"`
	Look     string `json:"look" step:"{}"` // at the task, after the deliveries
}

// checkStoredStateDelivered allows deliveries about other things than the status, and a repeated
// attempt as the last.
func checkStoredStateDelivered(t *judge.T, p statusParams) {
	came := webhookDeliveries(t, p.Scenario, p.Hook)
	observe.StopUndecidedIf(t, len(came) == 0, "the server delivered nothing")
	all := came
	came = requireUncutDeliveries(t, all)
	var states []judge.Value
	for _, v := range came {
		found := deliveredStates(t, v)
		states = append(states, found...)
		if len(found) == 0 {
			t.Finding(v, "this delivery contains no status with a state")
		}
	}
	stored := t.Step(p.Look).Result().Read("task.state")
	if len(came) < len(all) && !slices.ContainsFunc(states, stored.Equal) {
		t.StopInconclusive("", "the delivery that was due may be one that is not kept in full: %s", all[len(all)-1].Exchange().Trouble)
	}
	if len(states) == 0 {
		t.Fail(came[len(came)-1], "delivered no status with a state of the protocol", fmt.Sprintf("an object %q with a valid state, anywhere in the body", t.Case.Dialect.Delivered.Status))
	}
	if i := slices.IndexFunc(states, stored.Equal); i >= 0 {
		t.OK(states[i])
		return
	}
	t.Fail(states[len(states)-1], "delivered the state "+states[len(states)-1].Shown()+" last", "the state that a look-up reports, "+stored.Shown()+", in one of the deliveries", stored)
}

type schemeParams struct {
	hookParams
	Scheme  string   `json:"scheme"`
	Without []string `json:"without" step:"{}"` // the calls that were made after a refusal of the scheme
}

// requireAuthWebhookDeliveries returns the deliveries to a webhook that asked for credentials. A server
// that does not speak the scheme may refuse the webhook.
func (p schemeParams) requireAuthWebhookDeliveries(t *judge.T) []judge.Value {
	for _, s := range t.Steps(p.From) {
		if s.Accepted() {
			came := webhookDeliveries(t, p.Scenario, p.Hook)
			observe.StopUndecidedIf(t, len(came) == 0, "the server delivered nothing")
			return requireUncutHeaders(t, came)
		}
		t.Tolerate(s.Reply(), "the server refuses a webhook that asks for the scheme %s (%s)", p.Scheme, s.Outcome())
	}
	if s := observe.FirstAcceptedOrLast(t, p.Without); !s.Accepted() { // then the scheme was not what it minded
		t.StopUndecided("the server accepted no webhook: %s", s.Outcome())
	}
	return nil
}

// readCredentials returns what a delivery shows in the scheme.
func (p schemeParams) readCredentials(v judge.Value) (string, bool) {
	scheme, rest, _ := strings.Cut(v.Exchange().Request.Header().Get("Authorization"), " ")
	return strings.TrimSpace(rest), strings.EqualFold(scheme, p.Scheme)
}

func checkDeliveryAuthScheme(t *judge.T, p schemeParams) {
	judge.Each(t, p.requireAuthWebhookDeliveries(t), func(v judge.Value) {
		if _, ok := p.readCredentials(v); !ok {
			t.Fail(v.Header("Authorization"), "delivered without an Authorization of the scheme "+p.Scheme, "credentials of a scheme that the webhook asked for")
		}
		t.OK(v)
	})
}

// checkNoTextAroundCredentials accepts a credential of the server's own, but not ours with other
// characters around it.
func checkNoTextAroundCredentials(t *judge.T, p schemeParams) {
	of := slices.DeleteFunc(p.requireAuthWebhookDeliveries(t), func(v judge.Value) bool {
		_, ok := p.readCredentials(v) // that there are none is another requirement
		return !ok || !slices.ContainsFunc(callsThatSetWebhook(t, v), func(s judge.Step) bool { return observe.SentWebhookMember(t, s, "credentials") != "" })
	})
	judge.Each(t, of, func(v judge.Value) {
		shown, _ := p.readCredentials(v)
		for _, s := range callsThatSetWebhook(t, v) {
			want := observe.SentWebhookMember(t, s, "credentials")
			switch {
			case want == "":
				continue
			case shown == want:
			case strings.Contains(shown, want):
				t.Fail(v.Header("Authorization"), "put other characters "+sidesWithExtraText(shown, want)+" the credentials that were given", "exactly what was given with the webhook, or a credential of the server's own")
			default:
				t.Finding(v, "the server sends a credential of its own instead of the one that was given")
			}
			t.OK(v)
		}
	})
}

// sidesWithExtraText returns on which side of a part the text has more characters.
func sidesWithExtraText(text, part string) string {
	before, after, _ := strings.Cut(text, part)
	switch {
	case after == "":
		return "before"
	case before == "":
		return "after"
	}
	return "before and after"
}

type replacedParams struct {
	Scenario string `json:"scenario" step:"{}/set {}/after"`
	Old      string `json:"old"` // the webhooks
	New      string `json:"new"`
}

// checkWebhookReplacementTakesEffect rests on a look-up which shows that the task ended after the change
// was answered. A delivery without a state may have been sent before.
func checkWebhookReplacementTakesEffect(t *judge.T, p replacedParams) {
	set, after := t.Step(p.Scenario+"/set"), t.Step(p.Scenario+"/after")
	observe.RequireAccepted(t, set, "the webhook could not be replaced")
	doubt := false
	for _, v := range webhookDeliveries(t, p.Scenario, p.Old) {
		ends, hasState := reportsSettledState(t, v)
		if ends && v.Exchange().Start > after.Exchange.Start {
			t.Fail(v, "delivered the end of the task to the webhook that had been replaced", "deliveries to the new one only")
		}
		doubt = doubt || !hasState && v.Exchange().Start > after.Exchange.End
	}
	for _, v := range webhookDeliveries(t, p.Scenario, p.New) {
		if mayReportSettledState(t, v) {
			if doubt {
				t.StopUndecided("the deliveries contain no state, so the one to the old webhook may have been sent before it was replaced")
			}
			t.OK(v)
			return
		}
	}
	stopUnlessDeliveryWasDue(t, set.Play)
	t.Fail(set.Head(), "delivered nothing to the new webhook after the task had ended", "the end of the task at the new webhook")
}
