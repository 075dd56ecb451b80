package rpc

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// echoedEverywhere looks at the replies to all calls but those of the steps, which
// are judged more closely.
func echoedEverywhere(t *judge.T, p idParams) {
	refusing := observe.StreamRefusals(t)
	judge.Each(t, t.All(judge.ReplyText, judge.EventText), func(v judge.Value) {
		s := v.Document()
		if s.Kind == judge.EventText && refusing[s.Exchange] != s.Event {
			return // which is for the checks on streams
		}
		if slices.Contains(p.Steps, s.Play.Scenario+"/"+s.Step.Name) || !p.fits(v) {
			return
		}
		if own := observe.ReadableID(v); own != nil && own.Kind == record.String && !observe.MayBeNull(t, v) {
			t.Expect(v.ID()).To(observe.BeNode(own))
		}
	})
}

// fits reports whether a reply is of the sort that every one is judged of.
func (p idParams) fits(v judge.Value) bool {
	switch p.Every {
	case "result":
		return match.Present(v.Result())
	case "error":
		return match.IsError(v)
	}
	return match.IsResponse(v)
}
