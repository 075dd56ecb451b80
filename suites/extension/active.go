package extension

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

var activeChecks = []judge.Check{
	judge.Define("extension/lists-active", "a response names the extensions that are active", listsActive),
	judge.Define("extension/only-asked-for", "no response names an extension that was not asked for", onlyAskedFor),
	judge.Define("extension/other-version", "another version of an extension is not activated in its place", otherVersion),
	judge.Define("extension/among-others", "an extension is activated among others that are not known", amongOthers),
}

// listed are the extensions that a head names, in one field or several.
func listed(t *judge.T, m *record.Message) (out []string) {
	for _, v := range m.Header().Values(t.Case.Dialect.Card.ExtensionHeader) {
		for uri := range strings.SplitSeq(v, ",") {
			if uri = strings.TrimSpace(uri); uri != "" {
				out = append(out, uri)
			}
		}
	}
	return out
}

func active(t *judge.T, s judge.Step) []string { return listed(t, &s.Exchange.Response) }

func asked(t *judge.T, s judge.Step) []string { return listed(t, &s.Exchange.Request) }

func says(uris []string) func(judge.Value) string {
	return func(judge.Value) string {
		if len(uris) == 0 {
			return "named no extension as active"
		}
		return "named as active " + shorten.Visible(strings.Join(uris, ", "), 160)
	}
}

// singly are the looks of a play at what happens when one extension is asked
// for.
func singly(t *judge.T, p observe.OnPlays) []judge.Step {
	of := slices.DeleteFunc(t.Played(p.Plays...), func(s judge.Step) bool { return !strings.HasPrefix(s.Name, "one-") })
	if len(of) == 0 || !of[0].Accepted() {
		t.Undecided("the server accepted no call that asked for an extension")
	}
	return of
}

// visible are the extensions that are active when they are asked for; where none
// is, nothing can be told of others.
func visible(t *judge.T, p observe.OnPlays, silent bool) []string {
	var all []string
	for _, s := range singly(t, p) {
		for _, uri := range active(t, s) {
			if slices.Contains(asked(t, s), uri) && !slices.Contains(all, uri) {
				all = append(all, uri)
			}
		}
	}
	if len(all) == 0 && silent {
		t.Vacuous("the server names no extension as active")
	}
	if len(all) == 0 {
		t.Undecided("the server showed no extension as active")
	}
	return all
}

type activeParams struct {
	observe.OnPlays
	// Silent says that a server need not name any: that none is named is a finding, and
	// a list with others than the client asked for the breach.
	Silent bool `json:"silent"`
}

// listsActive: which of the extensions can be activated is the server's to say.
func listsActive(t *judge.T, p activeParams) {
	looks := singly(t, p.OnPlays)
	if p.Silent {
		strangersListed(t, p.OnPlays)
	}
	for _, s := range looks {
		if slices.ContainsFunc(active(t, s), func(uri string) bool { return slices.Contains(asked(t, s), uri) }) {
			t.OK(s.Head())
			return
		}
	}
	s := looks[0]
	if p.Silent {
		t.Finding(s.Head(), "the server does not name the active extensions in %s", t.Case.Dialect.Card.ExtensionHeader)
		t.OK(s.Head())
		return
	}
	t.Expect(s.Head()).To(match.Head(t.Case.Dialect.Card.ExtensionHeader+" in the response, with an extension of the card that the client requested",
		func(judge.Value) bool { return false }, says(active(t, s))).On(t.Case.Dialect.Card.ExtensionHeader))
}

// strangersListed looks for what is neither on the card nor asked for. Another version
// of an extension is for another requirement.
func strangersListed(t *judge.T, p observe.OnPlays) {
	card, _ := t.Case.Card()
	var own []string
	for _, e := range t.Case.ReadCard(card).Extensions() {
		own = append(own, e.URI())
	}
	of := slices.DeleteFunc(t.Played(p.Plays...), func(s judge.Step) bool { return !s.Exchange.Answered() || s.Name == "other-version" })
	for _, s := range of {
		if s.Name == "send" || strings.HasPrefix(s.Name, "one-") { // these ask for what the card lists
			own = append(own, asked(t, s)...)
		}
	}
	judge.Each(t, of, func(s judge.Step) {
		wanted := asked(t, s)
		strange := slices.DeleteFunc(active(t, s), func(uri string) bool { return slices.Contains(own, uri) && slices.Contains(wanted, uri) })
		t.Expect(s.Head()).To(match.Head("no extension but those of the card that the client requested", func(judge.Value) bool { return len(strange) == 0 }, says(strange)).On(t.Case.Dialect.Card.ExtensionHeader))
	})
}

func onlyAskedFor(t *judge.T, p observe.OnPlays) {
	of := slices.DeleteFunc(t.Played(p.Plays...), func(s judge.Step) bool { return !s.Exchange.Answered() })
	judge.Each(t, of, func(s judge.Step) {
		wanted := asked(t, s)
		extra := slices.DeleteFunc(active(t, s), func(uri string) bool { return slices.Contains(wanted, uri) || s.Name == "other-version" })
		t.Expect(s.Head()).To(match.Head("no extension that the client did not request", func(judge.Value) bool { return len(extra) == 0 }, says(extra)).On(t.Case.Dialect.Card.ExtensionHeader))
	})
}

type besideStep struct {
	observe.OnPlays        // that ask for one at a time
	Step            string `json:"step" step:"{}"`
	Silent          bool   `json:"silent"` // a server need not name any: where it names none there is nothing to tell
}

func otherVersion(t *judge.T, p besideStep) {
	visible := visible(t, p.OnPlays, p.Silent)
	if why := notSent(t, p.Step); why != "" {
		t.Vacuous("%s", why)
	}
	s := t.Step(p.Step)
	wrong := slices.DeleteFunc(active(t, s), func(uri string) bool { return !slices.Contains(visible, uri) || slices.Contains(asked(t, s), uri) })
	t.Expect(s.Head()).To(match.Head("no extension, in whatever version, that the client did not request", func(judge.Value) bool { return len(wrong) == 0 }, says(wrong)).On(t.Case.Dialect.Card.ExtensionHeader))
}

// notSent is why a step was not made, where a play says so.
func notSent(t *judge.T, name string) string {
	scenario, step, _ := strings.Cut(name, "/")
	if play := t.Case.Transcript.Play(scenario); play != nil && play.Step(step) != nil {
		return play.Step(step).NotSent
	}
	return ""
}

func amongOthers(t *judge.T, p besideStep) {
	visible := visible(t, p.OnPlays, p.Silent)
	s := t.Step(p.Step)
	if !s.Accepted() {
		t.Undecided("the call was not accepted: %s", s.Outcome())
	}
	named := active(t, s)
	t.Expect(s.Head()).To(match.Head("the extensions that are active when they are asked for alone, "+shorten.Visible(strings.Join(visible, ", "), 160), func(judge.Value) bool {
		return !slices.ContainsFunc(visible, func(uri string) bool { return !slices.Contains(named, uri) })
	}, says(named)).On(t.Case.Dialect.Card.ExtensionHeader))
}
