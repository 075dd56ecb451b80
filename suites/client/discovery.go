package client

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// cardPathParams name the path at which a client asks for a card if it knows nothing but the host.
type cardPathParams struct {
	Plays []string `json:"plays"`
	Path  string   `json:"path"`
	Also  string   `json:"also"` // or at one of the paths that this pattern of path.Match describes
}

// checkCardPath judges at which path the client asks for a card.
func checkCardPath(t *judge.T, p cardPathParams) {
	for _, word := range t.Case.Transcript.Facts.Command {
		if strings.Contains(word, "{card}") || strings.Contains(word, "{rpc}") {
			t.StopNotApplicable("the client is given more than the agent's host: %s", shorten.Visible(shorten.Clip(word, 60), 60))
		}
	}
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		asked := s.Requests(func(r judge.Request) bool { return !r.IsCall() && r.Method() == http.MethodGet })
		i := slices.IndexFunc(asked, func(r judge.Request) bool {
			also, err := path.Match(p.Also, pathOf(r))
			return pathOf(r) == p.Path || also && err == nil && p.Also != ""
		})
		switch {
		case i >= 0:
			t.OK(asked[i].Call)
		case len(asked) == 0:
			s.Last()
			t.StopInconclusive("", "the client asked for no card in the scenario '%s'", s.Play.Scenario)
		case !s.Ended():
			stopBeforeEnd(t, s)
		default:
			t.Fail(asked[0].Head(report.StatusLine), "asked for "+shorten.Visible(shorten.Clip(pathOf(asked[0]), 80), 80), p.describeDue())
		}
	})
}

// describeDue returns in words at which paths a card is due.
func (p *cardPathParams) describeDue() string {
	if p.Also != "" {
		return p.Path + " or " + p.Also
	}
	return p.Path
}

// pathOf returns the path to which a request went.
func pathOf(r judge.Request) string {
	u, err := url.Parse(r.Exchange.URL)
	if err != nil {
		return ""
	}
	return u.Path
}

// fallbackParams name scenarios in each of which one of two interfaces cannot be reached.
type fallbackParams struct {
	Plays []string `json:"plays"`
}

// checkFallback judges whether the client turns to another interface of the card if one cannot be reached. We do not
// see which one it tried: so only a client that has a call arrive in each of the scenarios is known to do so.
func checkFallback(t *judge.T, p fallbackParams) {
	used := t.Case.Transcript.Facts.Calibration
	switch {
	case used == nil:
		t.StopUndecided("it is not known which bindings the client has")
	case len(used.Bindings) < 2:
		t.StopNotApplicable("the client uses one binding alone, and no two interfaces of one card")
	}
	starts := t.Starts(p.Plays...)
	if listed, has := countSharedBindings(starts, used.Bindings); listed > 1 && has < 2 {
		t.StopNotApplicable("the client uses one binding alone of those on the cards, and no two interfaces of one card")
	}
	played := func(scenario string) bool {
		return slices.ContainsFunc(starts, func(s judge.Start) bool { return s.Play.Scenario == scenario })
	}
	judge.Each(t, starts, func(s judge.Start) {
		calls := messagesOf(t, s)
		switch missing := slices.IndexFunc(p.Plays, func(name string) bool { return !played(name) }); {
		case len(calls) > 0 && missing >= 0:
			t.StopUndecided("the scenario '%s' was not part of this run", p.Plays[missing])
		case len(calls) > 0:
			t.OK(calls[0].Call)
		case len(s.Cards()) == 0:
			s.Last()
			t.StopInconclusive("", "the client asked for no card in the scenario '%s'", s.Play.Scenario)
		case !s.Ended():
			stopBeforeEnd(t, s)
		default:
			t.Fail(s.Last(), "made no call, though one interface of the card is served", "a call at that interface, since the other one cannot be reached")
		}
	})
}

// countSharedBindings counts the bindings of the cards of some starts, and those of them that the client uses.
func countSharedBindings(starts []judge.Start, used []string) (listed, shared int) {
	seen := map[string]bool{}
	for _, s := range starts {
		for _, c := range s.Cards() {
			for _, i := range c.Interfaces() {
				if name := i.Transport(); !seen[name] {
					seen[name] = true
					listed++
					if slices.Contains(used, name) {
						shared++
					}
				}
			}
		}
	}
	return listed, shared
}
