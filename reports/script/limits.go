package script

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

// explainMissing states why there are no calls that are few; "" if there are.
func (s *scripter) explainMissing(few record.Excerpt, play *record.Play) string {
	switch {
	case few.Transcript != nil:
		return ""
	case few.Untried && s.res.Because != "":
		return "it has the same cause as " + safetext.Line(s.res.Because, safetext.MaxName) + ", whose script is shorter"
	case few.Untried:
		return "there are too many failures to write a short script for each"
	case play.Has("undelivered") || slices.ContainsFunc(play.Steps, func(s record.Step) bool { return s.Hook != "" }):
		return "it is about what the server delivers to a webhook, and a shell script has none"
	}
	return "it shows only in a whole run, not in a few calls"
}

// explainImpossible returns the reason why a script cannot make the calls of a transcript; "" if it can.
func (s *scripter) explainImpossible(t *record.Transcript) string {
	_, calls := record.Keep(t, s.res.ID, s.origin)
	// Those that show a refusal for the rate limit are few, and those that provoked it many.
	flooded := slices.ContainsFunc(t.Plays, func(p record.Play) bool { return p.Scenario == "flood" })
	if len(calls) > 40 || flooded {
		return "it needs too many calls"
	}
	for _, x := range calls {
		if _, why := x.Made(); why != "" {
			return why
		}
		if x.Dir != record.Out {
			continue
		}
		if _, note := s.curlCommand(x, 0); note != "" {
			return note
		}
		if u, err := url.PathUnescape(x.URL); err == nil && needlessEscape.MatchString(x.URL) && uuids.MatchString(u) {
			return "its URL contains an escaped id, which a shell script cannot make anew"
		}
		if cutIDs.MatchString(" " + x.URL + " " + string(x.Request.Body) + " ") {
			return "it uses a part of an id, which a shell script cannot make anew"
		}
		if x.ID == s.shown && (x.Status() == 404 || x.Status() == 405) && !strings.Contains(x.Response.MediaType(), "json") {
			return "the protocol is not spoken at the recorded address, and a2a-conform looks for the right one again"
		}
	}
	switch {
	case hasParallelRepeats(t):
		return "it is about calls at the same time, which a shell script cannot time"
	case hasPages(t):
		return "each call depends on the answer to the one before it"
	case sharesConnection(t):
		return "it is about calls of several clients on one connection, which a shell script cannot keep open"
	}
	return ""
}

// sharesConnection reports whether calls of several clients have to use one connection: those of a step whose
// name begins with kept-.
func sharesConnection(t *record.Transcript) bool {
	return slices.ContainsFunc(t.Plays, func(p record.Play) bool {
		return slices.ContainsFunc(p.Steps, func(s record.Step) bool { return strings.HasPrefix(s.Name, "kept-") && s.As != "" })
	})
}

// hasParallelRepeats reports whether the same was asked for several times at once.
func hasParallelRepeats(t *record.Transcript) bool {
	for _, p := range t.Plays {
		for i, a := range p.Steps {
			if slices.ContainsFunc(p.Steps[i+1:], func(b record.Step) bool {
				x, y := a.Exchange, b.Exchange
				return x != nil && y != nil && x != y && a.Role == record.Main && b.Role == record.Main && a.Op == b.Op && x.Start < y.End && y.Start < x.End
			}) {
				return true
			}
		}
	}
	return false
}

// pageStep are steps that a play makes as long as the answers lead on.
var pageStep = regexp.MustCompile(`^page-\d+$`)

// hasPages reports whether the number of calls follows from the answers.
func hasPages(t *record.Transcript) bool {
	return slices.ContainsFunc(t.Plays, func(p record.Play) bool {
		return slices.ContainsFunc(p.Steps, func(s record.Step) bool { return pageStep.MatchString(s.Name) })
	})
}

// cutIDs are ids of which the end is missing.
var cutIDs = regexp.MustCompile(`[^0-9a-f][0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{1,11}[^0-9a-f]`)

// needlessEscape are characters of an address that need no escape and have one.
var needlessEscape = regexp.MustCompile(`%(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])`)
