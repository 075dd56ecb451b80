package push

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type attemptedParams struct {
	Scenario string   `json:"scenario"`
	Hook     string   `json:"hook"`
	From     []string `json:"from" step:"{}"` // the calls that gave the webhook
	Again    bool     `json:"again"`          // whether what could not be delivered is delivered again
}

// judgeUseOfRedelivery counts a delivery with the body of an earlier one as another attempt.
func judgeUseOfRedelivery(t *judge.T, came []judge.Value) {
	for i, v := range came {
		for _, earlier := range came[:i] {
			if bytes.Equal(v.Exchange().Request.Body, earlier.Exchange().Request.Body) {
				t.OK(earlier)
				t.OK(v)
				return
			}
		}
	}
	t.OK(came[0])
	t.StopUnused("it delivers nothing again that could not be delivered")
}

// checkDeliveryAttempted leaves the content of the delivery to other requirements.
func checkDeliveryAttempted(t *judge.T, p attemptedParams) {
	from := observe.RequireAccepted(t, observe.FirstAcceptedOrLast(t, p.From), "the server accepted no webhook")
	if came := webhookDeliveries(t, p.Scenario, p.Hook); len(came) > 0 && p.Again {
		judgeUseOfRedelivery(t, came)
		return
	} else if len(came) > 0 {
		t.OK(came[0])
		return
	}
	stopUnlessDeliveryWasDue(t, from.Play)
	t.Fail(from.Head(), fmt.Sprintf("delivered nothing within %.1f s after the task had ended", t.Case.Dialect.Patience["delivery"].Seconds),
		fmt.Sprintf("one attempt at least to call its webhook; if it cannot reach %s, give another --webhook-url", t.Case.Transcript.Facts.Webhook))
}

func checkDeliveryIsJSONObject(t *judge.T, p observe.OnPlays) {
	judge.Each(t, deliveriesWithFullBodies(t, p), func(v judge.Value) {
		t.Expect(v).To(match.Should("a JSON object as the body", judge.Value.IsObject, nil))
	})
}

type labelledParams struct {
	observe.OnPlays
	Type  string `json:"type"`
	Older string `json:"older"` // a media type that an earlier edition asked for: a finding
}

func checkDeliveryMediaType(t *judge.T, p labelledParams) {
	judge.Each(t, requireFullHeaderDeliveries(t, p.OnPlays), func(v judge.Value) {
		mt := v.Exchange().Request.MediaType()
		switch mt {
		case p.Type:
		case p.Older:
			t.Finding(v.Header("Content-Type"), "the server delivers with Content-Type %s, which an earlier edition of the protocol required", p.Older)
		default:
			t.Fail(v.Header("Content-Type"), "delivered with Content-Type "+shorten.Visible(mt, 80), "Content-Type "+p.Type)
		}
		t.OK(v)
	})
}

type eventParams struct {
	observe.OnPlays
	Types []string `json:"types"` // definitions whose rules the event has to keep; those of what is in it are for others
}

// checkDeliveryIsEvent validates each body like the event of a stream.
func checkDeliveryIsEvent(t *judge.T, p eventParams) {
	judge.Each(t, deliveriesWithFullBodies(t, p.OnPlays), func(v judge.Value) {
		observe.StopUndecidedIf(t, !v.IsObject(), "the body is not a JSON object")
		held := judge.Filter(t.Case.Dialect.Sorts.Member, func(name string) bool { return v.At(record.Pointer(name)).Exists() })
		one := "exactly one of " + strings.Join(t.Case.Dialect.Sorts.Member, ", ")
		switch len(held) {
		case 0:
			t.Fail(v, "delivered a body with none of the members that an event has", one)
		case 1:
		default:
			t.Fail(v, "delivered a body with "+strings.Join(held, " and "), one)
		}
		faults, err := t.Case.Dialect.Shapes().Validate(t.Case.Dialect.Types.Event, v.Node().Interface())
		if err != nil {
			panic(err)
		}
		for _, f := range faults {
			if slices.Contains(p.Types, f.Definition) {
				t.Fail(v.At(f.Instance), fmt.Sprintf("delivered an event whose %s %s", strings.TrimPrefix(f.Instance, "/"), f.Message), "an event as a stream has them")
			}
		}
		t.OK(v.At(record.Pointer(held[0])))
	})
}

// checkDeliveryCredentials accepts the refusal of the webhook by a server without the scheme.
func checkDeliveryCredentials(t *judge.T, p schemeParams) {
	judge.Each(t, p.requireAuthWebhookDeliveries(t), func(v judge.Value) {
		shown, ok := p.readCredentials(v)
		if !ok {
			t.Fail(v.Header("Authorization"), "delivered without an Authorization of the scheme "+p.Scheme, "the credentials that were given with the webhook")
		}
		for _, s := range callsThatSetWebhook(t, v) {
			if want := observe.SentWebhookMember(t, s, "credentials"); want != "" && shown != want {
				t.Fail(v.Header("Authorization"), "delivered with other credentials than were given with the webhook", "exactly those that were given")
			}
		}
		t.OK(v)
	})
}

// checkDeliveryOrder ignores a repeated delivery, and deliveries that were under way at the same
// time, since these have no order.
func checkDeliveryOrder(t *judge.T, p observe.OnPlays) {
	all := requireDeliveries(t, p)
	judge.Each(t, all, func(v judge.Value) {
		t.OK(v)
		again := slices.ContainsFunc(all, func(o judge.Value) bool {
			return o.Exchange() != v.Exchange() && deliveredToSameHook(o, v) && o.Exchange().Start < v.Exchange().Start && o.Equal(v)
		})
		if again {
			return
		}
		for _, was := range all {
			if !deliveredToSameHook(was, v) || !was.Exchange().Before(v.Exchange()) {
				continue
			}
			for _, before := range deliveredStates(t, was) {
				known := t.Case.Dialect.State(before.Text())
				for _, state := range deliveredStates(t, v) {
					if slices.Contains(known.Not, state.Text()) || known.Terminal && !state.Equal(before) {
						t.Fail(state, "delivered the state "+state.Shown()+" after "+before.Shown(), "deliveries in the order in which the task changed", before)
					}
				}
			}
		}
	})
}

func deliveredToSameHook(first, second judge.Value) bool {
	return first.Document().Play == second.Document().Play && first.Document().Step.Hook == second.Document().Step.Hook
}

type unhinderedParams struct {
	Scenario string `json:"scenario" step:"{}/set"`
	Hook     string `json:"hook"` // which does not answer while the play lasts
	// Bears is for how many seconds a server may wait for a webhook before it gives the
	// delivery up, as the source has it. That it does nothing else meanwhile is a finding
	// only, if it was seen for less.
	Bears float64 `json:"bears"`
}

// checkTaskNotHeldUp looks at what was asked while a delivery waited for an answer. That the
// server gives a delivery up is fair.
func checkTaskNotHeldUp(t *judge.T, p unhinderedParams) {
	observe.RequireAccepted(t, t.Step(p.Scenario+"/set"), "the webhook was not accepted")
	came := webhookDeliveries(t, p.Scenario, p.Hook)
	observe.StopUndecidedIf(t, len(came) == 0, "the server delivered nothing to the webhook that does not answer")
	first := slices.MinFunc(came, func(a, b judge.Value) int { return cmp.Compare(a.Exchange().Start, b.Exchange().Start) }).Exchange()
	since := first.Start
	var of, after []judge.Step
	ended := false // before it called
	for _, s := range t.Played(p.Scenario) {
		switch x := s.Exchange; {
		case s.Op != "get":
		case x.End <= since, p.Bears == 0 && x.Start < since: // an answer that came later may have waited for the webhook too
			ended = ended || observe.IsTerminalOrInterrupted(t, s.Result().Read("task.state"))
		case x.Start < first.End || p.Bears == 0:
			of = append(of, s)
		default:
			after = append(after, s)
		}
	}
	if len(of) == 0 && ended { // nothing could be held up
		of = after
	}
	observe.StopUndecidedIf(t, len(of) == 0, "the run made no call while the webhook was called")
	for _, s := range of {
		t.Expect(s.Reply()).To(match.BeAResult())
		if state := s.Result().Read("task.state"); observe.IsTerminalOrInterrupted(t, state) {
			t.OK(state)
			return
		}
	}
	last := of[len(of)-1]
	state, held := last.Result().Read("task.state"), (last.Exchange.End - since).Seconds()
	if held < p.Bears {
		t.Tolerate(state, "the task waits for a webhook that does not answer: it was still in state %s %.1f s after the call", state.Shown(), held)
		return
	}
	t.Fail(state, fmt.Sprintf("had the task in state %s %.1f s after it had called a webhook that does not answer", state.Shown(), held),
		"the task to go on meanwhile")
}

// checkTokenNotTruncated accepts any header. A delivery without the token is a finding only;
// one with a piece of it is of no use to its receiver.
func checkTokenNotTruncated(t *judge.T, p observe.OnPlays) {
	judge.Each(t, requireDeliveriesToTokenWebhook(t, p), func(v judge.Value) {
		t.OK(v)
		want := tokensConfiguredForDelivery(t, v)
		if hasTokenInAnyHeader(v, want) {
			return
		}
		cut := ""
		for _, f := range v.Exchange().Request.Fields() {
			if part := describeTokenPart(f.Value, want); part != "" && len(f.Value) >= leastTokenPart {
				cut = fmt.Sprintf("%s in %s", part, f.Name)
			}
		}
		if cut != "" {
			t.Fail(v, "delivered with only "+cut, "the token that was given with the webhook, in any header")
		}
		t.Finding(v, "the delivery carries the token of the webhook in none of its headers")
	})
}

// leastTokenPart is how much of a token a header must have, in characters, for it to be no
// coincidence.
const leastTokenPart = 8
