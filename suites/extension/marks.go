package extension

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type markParams struct {
	observe.OnPlays
	Places []observe.TypePlace `json:"places"` // lists of URIs
}

// listExtensionMarks returns the URIs with which the server marks objects.
func (p markParams) listExtensionMarks(t *judge.T) (out []judge.Value) {
	for _, place := range p.Places {
		for _, v := range t.Instances(place.Type) {
			out = append(out, observe.KeepStrings(v.At(place.At).Elems())...)
		}
	}
	return out
}

// requestMentions reports whether a request of ours names a URI, in its head or in a text of
// its body.
func requestMentions(t *judge.T, x *record.Exchange, uri string) bool {
	return slices.Contains(parseExtensionHeader(t, &x.Request), uri) || observe.Mentions(x.Call().Root, uri)
}

// checkNoUnrequestedMarks looks at the answers to messages that begin something: of what was
// begun before another call may have asked for an extension.
func checkNoUnrequestedMarks(t *judge.T, p markParams) {
	card, _ := t.Case.Card()
	uris, _ := t.Case.ReadCard(card).Requestable()
	begins := func(s judge.Step) bool { return s.Accepted() && t.Case.Dialect.Operation(s.Op).Agent }
	made, silent := map[*record.Exchange]bool{}, false
	for _, s := range t.Played(p.Plays...) {
		if begins(s) {
			made[s.Exchange] = true
			for _, uri := range uris {
				if !requestMentions(t, s.Exchange, uri) {
					t.OK(s.Reply())
					silent = true
				}
			}
		}
	}
	if !silent {
		t.StopUndecided("no message that leaves out an extension of the card was answered with a result")
	}
	judge.Each(t, p.listExtensionMarks(t), func(uri judge.Value) {
		if x := uri.Exchange(); made[x] && slices.Contains(uris, uri.Text()) {
			on := requestMentions(t, x, uri.Text())
			t.Expect(uri).To(match.Should("no mark of an extension that the message did not ask for", func(judge.Value) bool { return on }, nil))
		}
	})
}

// anyRequestMentions reports whether any call of the run names a URI.
func anyRequestMentions(t *judge.T, uri string) bool {
	for _, p := range t.Case.Transcript.Plays {
		for _, s := range p.Steps {
			if s.Exchange != nil && s.Exchange.Dir == record.Out && requestMentions(t, s.Exchange, uri) {
				return true
			}
		}
	}
	return false
}

func checkMarksDeclaredOrRequested(t *judge.T, p markParams) {
	card, _ := t.Case.Card()
	known := map[string]bool{}
	for _, e := range t.Case.ReadCard(card).Extensions() {
		known[e.URI()] = true
	}
	judge.Each(t, p.listExtensionMarks(t), func(uri judge.Value) {
		if !known[uri.Text()] {
			known[uri.Text()] = anyRequestMentions(t, uri.Text())
		}
		t.Expect(uri).To(match.Should("an extension of the card, or one that the client asked for", func(v judge.Value) bool { return known[v.Text()] }, nil))
	})
}
