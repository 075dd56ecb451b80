package extension

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// Messages and artifacts may name the extensions that they were made with.
var markChecks = []judge.Check{
	judge.Define("extension/off", "what answers a message that asks for no extension is not marked with one of the card", offUnlessAsked),
	judge.Define("extension/declared", "what is marked with an extension is marked with one of the card or of the client", markedAsKnown),
}

type markParams struct {
	observe.OnPlays
	Places []markPlace `json:"places"`
}

// A markPlace is a list of URIs inside a definition.
type markPlace struct {
	Type string `json:"type"`
	At   string `json:"at"`
}

// marks are the URIs that the server sends.
func (p markParams) marks(t *judge.T) (out []judge.Value) {
	for _, place := range p.Places {
		for _, v := range t.Instances(place.Type) {
			for _, uri := range v.At(place.At).Elems() {
				if uri.IsString() {
					out = append(out, uri)
				}
			}
		}
	}
	return out
}

// mentioned reports whether a request of ours names a URI, in its head or in a text of
// its body.
func mentioned(t *judge.T, x *record.Exchange, uri string) bool {
	return slices.Contains(listed(t, &x.Request), uri) || observe.Mentions(x.Call().Root, uri)
}

// offUnlessAsked looks at the answers to messages that begin something: of what was
// begun before another call may have asked for an extension.
func offUnlessAsked(t *judge.T, p markParams) {
	card, _ := t.Case.Card()
	uris, _ := t.Case.ReadCard(card).Requestable()
	begins := func(s judge.Step) bool { return s.Accepted() && t.Case.Dialect.Operation(s.Op).Agent }
	made, silent := map[*record.Exchange]bool{}, false
	for _, s := range t.Played(p.Plays...) {
		if begins(s) {
			made[s.Exchange] = true
			for _, uri := range uris {
				if !mentioned(t, s.Exchange, uri) {
					t.OK(s.Reply())
					silent = true
				}
			}
		}
	}
	if !silent {
		t.Undecided("no message that leaves out an extension of the card was answered with a result")
	}
	judge.Each(t, p.marks(t), func(uri judge.Value) {
		if x := uri.Exchange(); made[x] && slices.Contains(uris, uri.Text()) {
			on := mentioned(t, x, uri.Text())
			t.Expect(uri).To(match.Should("no mark of an extension that the message did not ask for", func(judge.Value) bool { return on }, nil))
		}
	})
}

// everAsked reports whether any call of the run names a URI.
func everAsked(t *judge.T, uri string) bool {
	for _, p := range t.Case.Transcript.Plays {
		for _, s := range p.Steps {
			if s.Exchange != nil && s.Exchange.Dir == record.Out && mentioned(t, s.Exchange, uri) {
				return true
			}
		}
	}
	return false
}

func markedAsKnown(t *judge.T, p markParams) {
	card, _ := t.Case.Card()
	known := map[string]bool{}
	for _, e := range t.Case.ReadCard(card).Extensions() {
		known[e.URI()] = true
	}
	judge.Each(t, p.marks(t), func(uri judge.Value) {
		if !known[uri.Text()] {
			known[uri.Text()] = everAsked(t, uri.Text())
		}
		t.Expect(uri).To(match.Should("an extension of the card, or one that the client asked for", func(v judge.Value) bool { return known[v.Text()] }, nil))
	})
}
