package suites

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// echoedEverywhere looks at the replies to all calls but those of the steps, which
// are judged more closely.
func echoedEverywhere(t *judge.T, p idParams) {
	refusing := refusals(t)
	judge.Each(t, t.All(judge.ReplyText, judge.EventText), func(v judge.Value) {
		s := v.Said()
		if s.Kind == judge.EventText && refusing[s.Exchange] != s.Event {
			return // which is for the checks on streams
		}
		if slices.Contains(p.Steps, s.Play.Scenario+"/"+s.Step.Name) || !p.fits(v) {
			return
		}
		if own := readableID(v); own != nil && own.Kind == wire.String && !mayBeNull(t, v) {
			t.Expect(v.ID()).To(beNode(own))
		}
	})
}

// refusals are the events by which streams were refused: errors that come before
// anything else.
func refusals(t *judge.T) map[*wire.Exchange]int {
	out, begun := map[*wire.Exchange]int{}, map[*wire.Exchange]bool{}
	for _, e := range t.All(judge.EventText) {
		if x := e.Exchange(); !begun[x] {
			if begun[x] = true; isError(e) {
				out[x] = e.Said().Event
			}
		}
	}
	return out
}

// fits reports whether a reply is of the sort that every one is judged of.
func (p idParams) fits(v judge.Value) bool {
	switch p.Every {
	case "result":
		return present(v.Result())
	case "error":
		return isError(v)
	}
	return isResponse(v)
}

// readableID is the id of the call that a text of the server answers, a string or
// a number; nil where no answer owes it: to a batch, to what is no call or an
// invalid one, which has sentences of its own, to what contradicts what had been
// agreed on, or where the answer has no id at all, which is for its shape.
func readableID(v judge.Value) *wire.Node {
	doc := v.Exchange().Call()
	if !proper(v) || v.Said().Step.Contradicts || len(doc.Faults) > 0 || doc.Root == nil || doc.Root.Kind != wire.Object || !v.ID().Exists() {
		return nil
	}
	ours := v.Sent()
	if !ours.Sound {
		return nil
	}
	id := ours.ID
	if id == nil || id.Kind != wire.String && id.Kind != wire.Number {
		return nil
	}
	return id
}

// mayBeNull reports whether a reply has the id null and may: the sources let null
// and the id of the call both stand where the request is called invalid, and who
// refuses a client may not have read its call.
func mayBeNull(t *judge.T, v judge.Value) bool {
	gate := slices.Contains([]int{401, 403, 407, 413, 415, 429}, v.Exchange().Status())
	return v.ID().IsNull() && (gate || isError(v) && isRefusal(t, v, []string{"ParseError", "InvalidRequest"}))
}

type eventIDParams struct {
	streamRules
	Every string `json:"every"` // an operation: beside the steps, every stream by which such a call was answered
}

// eventID: what else came than responses is for the check on the data.
func eventID(t *judge.T, p eventIDParams) {
	p.broken(t)
	var of []judge.Value
	for _, s := range t.Steps(p.Steps) {
		for _, e := range opened(t, s) {
			if e.IsObject() && !e.Said().Answer.Bare {
				of = append(of, e)
			}
		}
	}
	refusing := refusals(t)
	for _, e := range t.All(judge.EventText) {
		s := e.Said()
		named := slices.Contains(p.Steps, s.Play.Scenario+"/"+s.Step.Name)
		if s.Op == p.Every && !named && refusing[s.Exchange] == 0 && e.IsObject() && !s.Answer.Bare && readableID(e) != nil && !mayBeNull(t, e) {
			of = append(of, e)
		}
	}
	judge.Each(t, of, func(e judge.Value) { t.Expect(e.ID()).To(beNode(e.Sent().ID)) })
}

// enveloped judges what an envelope adds to a sentence that holds in any binding: the
// answer has the id of the call.
func enveloped(t *judge.T, v judge.Value) {
	if sent := v.Sent(); sent.Framed {
		t.Expect(v.ID()).To(beNode(sent.ID))
	}
}

// toldError judges an error that an event brings. Its code is an integer where there
// is an envelope; else the binding says how an error is told.
func toldError(t *judge.T, v judge.Value) {
	if v.Sent().Framed {
		t.Expect(v.ErrorCode()).To(matcher{"an integer code in the error", func(v judge.Value) bool { _, ok := v.Int(); return ok }, nil})
	}
	t.Expect(v.ErrorMessage()).To(BeAString())
}

// beNode is satisfied by the same JSON value.
func beNode(want *wire.Node) matcher {
	return matcher{"the id of the call, " + shownNode(want), func(v judge.Value) bool {
		n := v.Node()
		return n != nil && want != nil && n.Equal(want)
	}, nil}
}

func shownNode(n *wire.Node) string {
	if n == nil {
		return "nothing"
	}
	switch n.Kind {
	case wire.String:
		return judge.Shorten(fmt.Sprintf("%q", n.String), 80)
	case wire.Number:
		return judge.Shorten(n.Number, 80)
	}
	return judge.Shorten(fmt.Sprint(n.Interface()), 80)
}
