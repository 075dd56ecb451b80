package push

import (
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type takenParams struct {
	observe.StepRules
	// Forms are calls by which further webhooks are set for the same task, in other forms
	// that the protocol allows, at another path of the same host.
	Forms []string `json:"forms" step:"{},optional"`
}

// checkWebhookAccepted also sets further webhooks if the plain form is accepted, since the address is
// then not the reason of a refusal.
func checkWebhookAccepted(t *judge.T, p takenParams) {
	p.FailIfBroken(t)
	s := t.Step(p.Step)
	expectWebhookAccepted(t, s)
	for _, name := range p.Forms {
		if form, made := t.Find(name); made {
			observe.ExpectNotRefusedAsMalformed(t, form)
		}
	}
	t.OK(s.Reply())
}

// expectWebhookAccepted fails the check if a webhook was refused. A server may look at the URL closely,
// and refuse one that leads nowhere or goes by plain http, unless it calls webhooks of this
// run itself: then the address is not the reason.
func expectWebhookAccepted(t *judge.T, s judge.Step) {
	if s.Accepted() {
		return
	}
	lacks := []string{"MethodNotFound", "PushNotificationNotSupported", "OperationNotSupported", "InternalError"}
	if match.IsError(s.Reply()) && !s.Reply().Refuses(lacks...) && !t.Case.Called() {
		switch hook := t.Case.Transcript.Facts.Webhook; {
		case hook == "":
			t.StopInconclusive("--webhook-listen HOST:PORT", "the server refuses a webhook at a host that does not exist (%s)", s.Outcome())
		case strings.HasPrefix(hook, "http:"):
			t.StopInconclusive("--webhook-cert FILE --webhook-key FILE", "the server refuses a webhook with a plain http URL (%s)", s.Outcome())
		}
	}
	t.Expect(s.Reply()).To(match.BeAResult())
}

type givenParams struct {
	Step string   `json:"step" step:"{}"` // the look at the webhook
	From []string `json:"from" step:"{}"` // the calls that may have given it; the one that was accepted counts
}

func checkSetResultMatchesRequest(t *judge.T, p observe.OnStep) {
	s := observe.RequireAccepted(t, t.Step(p.Step), "the call %s was not accepted", p.Step)
	result := s.Reply().Result()
	t.OK(result)
	if id := result.Read("task.id"); id.Exists() {
		t.Expect(id).To(observe.BeIDOfAddressedTask(s))
	}
	if u := observe.ReturnedWebhookMember(t, result, "url"); u.Exists() {
		t.Expect(u).To(match.BeTheText("the URL that was given, ", observe.SentWebhookMember(t, s, "url")))
	}
}

func checkConfigNamesTask(t *judge.T, p observe.StepRules) {
	p.FailIfBroken(t)
	s := t.Step(p.Step)
	t.Expect(s.Result().Read("task.id")).To(observe.BeIDOfAddressedTask(s))
}

func checkLookUpShowsWebhookURL(t *judge.T, p givenParams) {
	from := observe.FirstAcceptedOrLast(t, p.From)
	expectWebhookAccepted(t, from)
	expectWebhookURL(t, t.Step(p.Step), from)
}

// expectWebhookURL expects a look-up to show the URL that a call gave.
func expectWebhookURL(t *judge.T, look, from judge.Step) {
	t.Expect(observe.ReturnedWebhookMember(t, look.Result(), "url")).To(match.BeTheText("the URL that was given, ", observe.SentWebhookMember(t, from, "url")))
}

// checkLookUpTokenUnaltered accepts a token that is left out or masked, since it is a secret.
func checkLookUpTokenUnaltered(t *judge.T, p givenParams) {
	from := observe.FirstAcceptedOrLast(t, p.From)
	token := observe.ReturnedWebhookMember(t, t.Step(p.Step).Result(), "token")
	if !match.Present(token) || token.Text() != "" && strings.Trim(token.Text(), "*") == "" {
		t.OK(token)
		return
	}
	t.Expect(token).To(match.BeTheText("the token that was given, ", observe.SentWebhookMember(t, from, "token")))
}

// checkNoWebhookInvented accepts a result without a webhook, and any error but an internal one.
func checkNoWebhookInvented(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	reply := s.Reply()
	if result := reply.Result(); reply.IsObject() && !match.IsError(reply) {
		u := observe.ReturnedWebhookMember(t, result, "url")
		if u.Exists() {
			t.Fail(u, "answered with a webhook that nobody gave: "+u.Shown(), "no webhook, or an error")
		}
		t.OK(result)
		return
	}
	if match.IsError(reply) {
		t.Expect(reply).NotTo(match.BeRPCError(t, "InternalError"))
		return
	}
	observe.ExpectNoServerFault(t, s)
}

type webhookParams struct {
	observe.OnSteps
	// HTTP means that the requirement is about plain http, which a server must accept if the
	// operator's own webhook has no https.
	HTTP bool `json:"http"`
}

func checkWebhookURLRefused(t *judge.T, p webhookParams) {
	if hook := t.Case.Transcript.Facts.Webhook; p.HTTP && strings.HasPrefix(hook, "http:") {
		t.StopVacuous("the webhook of your configuration has a plain http URL")
	}
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		observe.StopIfRefusedLikeValidCalls(t, s)
		t.Expect(s.Reply()).To(match.BeRPCError(t))
	})
}

// webhookDeliveries returns the deliveries to the webhooks of a play, or to one of them if it is
// named.
func webhookDeliveries(t *judge.T, scenario, hook string) []judge.Value {
	last := t.Case.Transcript.Play(scenario)
	return judge.Filter(t.All(judge.Delivery), func(v judge.Value) bool {
		s := v.Document()
		return s.Play == last && (hook == "" || s.Step.Hook == hook) && v.Exchange().Ended != record.Reset // an attempt that broke off is none
	})
}

// requireUncutDeliveries returns the deliveries whose bodies are recorded in full.
func requireUncutDeliveries(t *judge.T, deliveries []judge.Value) []judge.Value {
	isWhole := func(v judge.Value) bool { return v.Exchange().Ended != record.Limit }
	return filterWholeDeliveriesOrStop(t, deliveries, isWhole, "every delivery is too large to keep in full")
}

// requireUncutHeaders returns the deliveries whose header fields are recorded in full.
func requireUncutHeaders(t *judge.T, deliveries []judge.Value) []judge.Value {
	isWhole := func(v judge.Value) bool { return v.Exchange().HeadKept() }
	return filterWholeDeliveriesOrStop(t, deliveries, isWhole, "no delivery has header fields that are kept in full")
}

// filterWholeDeliveriesOrStop returns the deliveries of which enough is recorded. If none is, that is a limit of ours.
func filterWholeDeliveriesOrStop(t *judge.T, all []judge.Value, isWhole func(judge.Value) bool, reason string) []judge.Value {
	out := judge.Filter(all, isWhole)
	if len(out) == 0 && len(all) > 0 {
		t.StopInconclusive("", "%s: %s", reason, all[0].Exchange().Trouble)
	}
	return out
}

// stopUnlessDeliveryWasDue makes sure that a delivery was due that did not come, and that the run would
// have noticed one.
func stopUnlessDeliveryWasDue(t *judge.T, p *record.Play) {
	switch {
	case p.Has("unreceived"):
		t.StopInconclusive("", "the delivery that was due may have come: the webhook had no room for all the deliveries of the server, which were too many or came too slowly")
	case !p.Has("undelivered"):
		t.StopUndecided("the task did not end, so the server had nothing to deliver")
	}
	stopIfPrivateWebhookUncalled(t)
}

// callsThatSetWebhook returns the accepted calls that gave the webhook which a delivery came
// to, the last one last.
func callsThatSetWebhook(t *judge.T, delivery judge.Value) []judge.Step {
	var out []judge.Step
	to, err := url.Parse(delivery.Exchange().URL)
	if err != nil {
		return nil
	}
	play := delivery.Document().Play
	for i := range play.Steps {
		s := &play.Steps[i]
		if _, ok := t.Case.Dialect.Pointer("request", "webhook."+s.Op); !ok || s.Exchange == nil || s.Late != "" {
			continue
		}
		step := t.Step(play.Scenario + "/" + s.Name)
		if u, err := url.Parse(observe.SentWebhookMember(t, step, "url")); err == nil && u.Path == to.Path && step.Accepted() {
			out = append(out, step)
		}
	}
	return out
}

// deliveredStates returns the statuses in a delivery whose state the dialect knows.
func deliveredStates(t *judge.T, delivery judge.Value) []judge.Value {
	statuses := delivery.Find(t.Case.Dialect.Delivered.Status)
	states := judge.Map(statuses, func(v judge.Value) judge.Value { return v.At(t.Case.Dialect.Delivered.State) })
	return judge.Filter(states, func(v judge.Value) bool { return t.Case.Dialect.State(v.Text()) != nil })
}

// mayReportSettledState reports whether a delivery shows the end of the task, or no state at all.
func mayReportSettledState(t *judge.T, v judge.Value) bool {
	ends, hasState := reportsSettledState(t, v)
	return ends || !hasState
}

// reportsSettledState reports whether a delivery shows that the task has ended or waits for the
// client. A delivery without a state may mean that, unless its kind has no states.
func reportsSettledState(t *judge.T, v judge.Value) (ends, hasState bool) {
	if sort := v.Sort(); sort != "" && t.Case.Dialect.Held(v.Document().Op) {
		if _, has := t.Case.Dialect.Pointer(sort, "task.state"); !has {
			return false, true
		}
	}
	states := deliveredStates(t, v)
	ends = slices.ContainsFunc(states, func(s judge.Value) bool { return observe.IsTerminalOrInterrupted(t, s) })
	return ends, len(states) > 0
}
