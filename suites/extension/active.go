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

// parseExtensionHeader returns the extensions in the header of a message, which may have several
// fields.
func parseExtensionHeader(t *judge.T, m *record.Message) (out []string) {
	for _, v := range m.Header().Values(t.Case.Dialect.Card.ExtensionHeader) {
		for uri := range strings.SplitSeq(v, ",") {
			if uri = strings.TrimSpace(uri); uri != "" {
				out = append(out, uri)
			}
		}
	}
	return out
}

func readActivatedExtensions(t *judge.T, s judge.Step) []string {
	return parseExtensionHeader(t, &s.Exchange.Response)
}

func readRequestedExtensions(t *judge.T, s judge.Step) []string {
	return parseExtensionHeader(t, &s.Exchange.Request)
}

// expectActivatedExtensions asserts what the response of a step names as active; shown are the extensions
// that a failure lists.
func expectActivatedExtensions(t *judge.T, s judge.Step, expectation string, met bool, shown []string) {
	t.Expect(s.Head()).To(match.Head(expectation, func(judge.Value) bool { return met }, func(judge.Value) string {
		if len(shown) == 0 {
			return "named no extension as active"
		}
		return "named as active " + shorten.Visible(strings.Join(shown, ", "), 160)
	}).On(t.Case.Dialect.Card.ExtensionHeader))
}

// requireSingleExtensionCalls returns the steps of the plays that request a single extension.
func requireSingleExtensionCalls(t *judge.T, p observe.OnPlays) []judge.Step {
	of := slices.DeleteFunc(t.Played(p.Plays...), func(s judge.Step) bool { return !strings.HasPrefix(s.Name, "one-") })
	if len(of) == 0 || !of[0].Accepted() {
		t.StopUndecided("the server accepted no call that asked for an extension")
	}
	return of
}

// requireExtensionsSeenActivated returns the extensions that the server activates when they are requested. If
// there are none, nothing can be judged about others.
func requireExtensionsSeenActivated(t *judge.T, p observe.OnPlays, vacuousIfNone bool) []string {
	var all []string
	for _, s := range requireSingleExtensionCalls(t, p) {
		for _, uri := range readActivatedExtensions(t, s) {
			if slices.Contains(readRequestedExtensions(t, s), uri) && !slices.Contains(all, uri) {
				all = append(all, uri)
			}
		}
	}
	observe.StopVacuousIf(t, len(all) == 0 && vacuousIfNone, "the server names no extension as active")
	observe.StopUndecidedIf(t, len(all) == 0, "the server showed no extension as active")
	return all
}

type activeParams struct {
	observe.OnPlays
	// Silent marks a source that does not require a server to name active extensions: to name
	// none is a finding, and to name others than requested is the breach.
	Silent bool `json:"silent"`
}

// checkSomeRequestedExtensionActivated accepts any of the extensions, since the server decides which it activates.
func checkSomeRequestedExtensionActivated(t *judge.T, p activeParams) {
	looks := requireSingleExtensionCalls(t, p.OnPlays)
	if p.Silent {
		checkActivatedDeclaredAndRequested(t, p.OnPlays)
	}
	for _, s := range looks {
		if slices.ContainsFunc(readActivatedExtensions(t, s), func(uri string) bool { return slices.Contains(readRequestedExtensions(t, s), uri) }) {
			t.OK(s.Head())
			return
		}
	}
	s := looks[0]
	if p.Silent {
		t.Tolerate(s.Head(), "the server does not name the active extensions in %s", t.Case.Dialect.Card.ExtensionHeader)
		return
	}
	expectActivatedExtensions(t, s, t.Case.Dialect.Card.ExtensionHeader+" in the response, with an extension of the card that the client requested", false, readActivatedExtensions(t, s))
}

// checkActivatedDeclaredAndRequested looks for what is neither on the card nor asked for. Another version
// of an extension is for another requirement.
func checkActivatedDeclaredAndRequested(t *judge.T, p observe.OnPlays) {
	card, _ := t.Case.Card()
	var own []string
	for _, e := range t.Case.ReadCard(card).Extensions() {
		own = append(own, e.URI())
	}
	of := slices.DeleteFunc(t.Played(p.Plays...), func(s judge.Step) bool { return !s.Exchange.Answered() || s.Name == "other-version" })
	for _, s := range of {
		if s.Name == "send" || strings.HasPrefix(s.Name, "one-") { // these ask for what the card lists
			own = append(own, readRequestedExtensions(t, s)...)
		}
	}
	judge.Each(t, of, func(s judge.Step) {
		wanted := readRequestedExtensions(t, s)
		strange := slices.DeleteFunc(readActivatedExtensions(t, s), func(uri string) bool { return slices.Contains(own, uri) && slices.Contains(wanted, uri) })
		expectActivatedExtensions(t, s, "no extension but those of the card that the client requested", len(strange) == 0, strange)
	})
}

func checkOnlyRequestedActivated(t *judge.T, p observe.OnPlays) {
	of := slices.DeleteFunc(t.Played(p.Plays...), func(s judge.Step) bool { return !s.Exchange.Answered() })
	judge.Each(t, of, func(s judge.Step) {
		wanted := readRequestedExtensions(t, s)
		extra := slices.DeleteFunc(readActivatedExtensions(t, s), func(uri string) bool { return slices.Contains(wanted, uri) || s.Name == "other-version" })
		expectActivatedExtensions(t, s, "no extension that the client did not request", len(extra) == 0, extra)
	})
}

type otherStepParams struct {
	observe.OnPlays        // that ask for one at a time
	Step            string `json:"step" step:"{}"`
	Silent          bool   `json:"silent"` // a server need not name any; if it names none, the requirement is vacuous
}

func checkOtherVersionNotActivated(t *judge.T, p otherStepParams) {
	visible := requireExtensionsSeenActivated(t, p.OnPlays, p.Silent)
	if why := findReasonStepNotSent(t, p.Step); why != "" {
		t.StopVacuous("%s", why)
	}
	s := t.Step(p.Step)
	wrong := slices.DeleteFunc(readActivatedExtensions(t, s), func(uri string) bool {
		return !slices.Contains(visible, uri) || slices.Contains(readRequestedExtensions(t, s), uri)
	})
	expectActivatedExtensions(t, s, "no extension, in whatever version, that the client did not request", len(wrong) == 0, wrong)
}

// findReasonStepNotSent returns the reason why a step was not made, if its play has recorded one.
func findReasonStepNotSent(t *judge.T, name string) string {
	scenario, step, _ := strings.Cut(name, "/")
	if play := t.Case.Transcript.Play(scenario); play != nil && play.Step(step) != nil {
		return play.Step(step).NotSent
	}
	return ""
}

func checkAllRequestedActivated(t *judge.T, p otherStepParams) {
	visible := requireExtensionsSeenActivated(t, p.OnPlays, p.Silent)
	s := t.Step(p.Step)
	observe.RequireAccepted(t, s, "the call was not accepted")
	named := readActivatedExtensions(t, s)
	all := !slices.ContainsFunc(visible, func(uri string) bool { return !slices.Contains(named, uri) })
	expectActivatedExtensions(t, s, "the extensions that are active when they are asked for alone, "+shorten.Visible(strings.Join(visible, ", "), 160), all, named)
}
