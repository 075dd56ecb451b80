package client

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// keptCardParams choose what of cards that a client keeps is judged.
type keptCardParams struct {
	Plays []string `json:"plays"`
	// What is judged: fresh, that a card is not downloaded again while it is fresh; condition, that a stale one is
	// asked for under a condition; unchanged, that the stored one is used if it has not changed; moved, that one
	// which may not be stored is not used later.
	What string `json:"what"`
}

// checkKeptCard judges how the client deals with a card that it has.
func checkKeptCard(t *judge.T, p keptCardParams) {
	judgeStart := map[string]func(*judge.T, judge.Start){"fresh": judgeFreshCard, "condition": judgeStaleCard, "unchanged": judgeUnchangedCard, "moved": judgeMovedCard}[p.What]
	if judgeStart == nil {
		panic(fmt.Errorf("there is no sentence %q about kept cards", p.What))
	}
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) { judgeStart(t, s) })
}

// downloadsOf returns the requests of a start for a card that were answered, in order.
func downloadsOf(s judge.Start) []judge.Request {
	return s.Requests(func(r judge.Request) bool {
		return r.Op == "card" && r.Method() == http.MethodGet && r.Exchange.Answered()
	})
}

// findEarlierDownload returns the last download before a request for a card that brought the same card in full.
func findEarlierDownload(before []judge.Request, r judge.Request) (earlier judge.Request, found bool) {
	for _, e := range slices.Backward(before) {
		if e.Exchange.URL == r.Exchange.URL && e.Exchange.Status() == http.StatusOK && e.Exchange.End <= r.Exchange.Start {
			return e, true
		}
	}
	return earlier, false
}

// judgeFreshCard judges whether a card was downloaded again while it was fresh. Answers that it is unchanged do not count,
// and neither do requests that no cache may answer, as those of a user who reloads.
func judgeFreshCard(t *judge.T, s judge.Start) {
	all := downloadsOf(s)
	reloads := false
	for i, r := range all {
		if _, again := findEarlierDownload(all[:i], r); !again || r.Exchange.Status() != http.StatusOK {
			continue
		}
		if asksForReload(r) {
			reloads = true
			continue
		}
		t.Fail(r.Head(report.StatusLine), "downloaded the card again while it was fresh", "the card that it has")
	}
	switch {
	case len(all) == 0 || len(messagesOf(t, s)) < 2:
		s.Last()
		t.StopInconclusive("", "the client did not get the card and send two messages in the scenario '%s'", s.Play.Scenario)
	case reloads:
		t.StopUndecided("the client asked for the card past all caches, as for a user who reloads")
	}
	t.OK(all[0].Call)
}

// asksForReload reports whether a request may not be answered by a cache.
func asksForReload(r judge.Request) bool {
	asked := strings.ToLower(strings.Join(slices.Concat(r.Header().Values("Cache-Control"), r.Header().Values("Pragma")), ","))
	return strings.Contains(asked, "no-cache") || strings.Contains(asked, "max-age=0") || strings.Contains(asked, "no-store")
}

// judgeStaleCard judges whether a card that is out of date is asked for under a condition.
func judgeStaleCard(t *judge.T, s judge.Start) {
	all := downloadsOf(s)
	var later []judge.Request
	for i, r := range all {
		if _, again := findEarlierDownload(all[:i], r); again {
			later = append(later, r)
		}
	}
	if len(later) == 0 {
		s.Last()
		t.StopInconclusive("", "the client did not ask for the card again in the scenario '%s'", s.Play.Scenario)
	}
	eachOf(t, later, func(r judge.Request) {
		earlier, _ := findEarlierDownload(all, r)
		had := earlier.Exchange.Response.Header()
		tag, modified := had.Get("ETag"), had.Get("Last-Modified")
		named := strings.Join(r.Header().Values("If-None-Match"), ", ")
		at := r.Head("If-None-Match")
		switch {
		case tag != "" && strings.Contains(named, tag), modified != "" && r.Header().Get("If-Modified-Since") != "":
		case named != "":
			t.Fail(at, "asked for the card again with If-None-Match: "+shorten.Visible(shorten.Clip(named, 80), 80), "the ETag of the card that it has")
		default:
			t.Fail(at, "asked for the card again without a condition", "If-None-Match with the ETag of the card that it has")
		}
		t.OK(at)
	})
}

// judgeUnchangedCard judges whether the next call after the answer that the card is unchanged goes by the card that the client has.
func judgeUnchangedCard(t *judge.T, s judge.Start) {
	all := downloadsOf(s)
	i := slices.IndexFunc(all, func(r judge.Request) bool { return r.Exchange.Status() == http.StatusNotModified })
	cards := s.Cards()
	if i < 0 || len(cards) == 0 {
		s.Last()
		t.StopInconclusive("", "the client asked for no card under a condition that holds, in the scenario '%s'", s.Play.Scenario)
	}
	unchanged := all[i]
	next := s.Requests(func(r judge.Request) bool {
		return r.Exchange.Start >= unchanged.Exchange.End && (r.IsCall() && r.Op != "" || isStrayCall(t, r))
	})
	if len(next) == 0 {
		if !s.Ended() {
			stopBeforeEnd(t, s)
		}
		demandPlainSuccess(t, s)
		t.Fail(unchanged.Head(report.StatusLine), "made no call after the answer that the card is unchanged (304)", "a call to an address of the card that it has")
	}
	at := next[0].Head(report.StatusLine)
	if len(findEntries(next[0], cards)) == 0 {
		t.Fail(at, "called "+shorten.Visible(shorten.Clip(next[0].Exchange.URL, 100), 100)+" after the answer that the card is unchanged (304)", "an address of the card that it has")
	}
	t.OK(at)
}

// judgeMovedCard judges whether a message goes to an address of the first card, after which the card names others. Those
// count that were sent after the first one was answered.
func judgeMovedCard(t *judge.T, s judge.Start) {
	cards, given := s.Cards(), s.Delivered()
	i := slices.IndexFunc(given, func(d judge.Delivered) bool { return d.Task != "" })
	var later []judge.Request
	if i >= 0 && len(cards) > 0 {
		later = startedAfter(messagesOf(t, s), given[i].At)
	}
	if len(later) == 0 {
		s.Last()
		t.StopInconclusive("", "the client sent no second message in the scenario '%s'", s.Play.Scenario)
	}
	eachOf(t, later, func(r judge.Request) {
		at := r.Head(report.StatusLine)
		if len(findEntries(r, cards[:1])) > 0 {
			t.Fail(at, "called "+shorten.Visible(shorten.Clip(r.Exchange.URL, 100), 100)+", an address of a card that it was not to store", "an address that the card names now")
		}
		t.OK(at)
	})
}

// startedAfter returns those of some requests that came after a time.
func startedAfter(all []judge.Request, at record.Instant) []judge.Request {
	return slices.DeleteFunc(slices.Clone(all), func(r judge.Request) bool { return r.Exchange.Start < at })
}

// extendedParams name how the extended card is got.
type extendedParams struct {
	Plays []string `json:"plays"`
	Ops   []string `json:"ops"`   // that get it
	Claim string   `json:"claim"` // which only the extended card makes
}

// checkExtendedCard judges whether the client goes by the extended card: by a call that only this card offers, or by what
// it reports.
func checkExtendedCard(t *judge.T, p extendedParams) {
	judge.EachOf(t, t.ReportingStarts(p.Plays...), func(s judge.Start) {
		calls, given := s.Calls(p.Ops...), s.Delivered()
		i := slices.IndexFunc(given, func(d judge.Delivered) bool {
			return slices.ContainsFunc(calls, func(r judge.Request) bool { return r.Exchange == d.Exchange })
		})
		if i < 0 {
			s.Last()
			t.StopInconclusive("", "the client got no extended card in the scenario '%s'", s.Play.Scenario)
		}
		name := card.Of(t.Case.Dialect, given[i].Result.Node()).Name()
		for _, r := range s.Reported("card") {
			if name != "" && r.Name == name {
				t.OK(r.Value)
				return
			}
		}
		sent := startedAfter(messagesOf(t, s), given[i].At)
		switch {
		case len(sent) == 0:
			t.StopUndecided("the client sent no message after it got the extended card")
		case callsUnclaimed(t, p.Claim):
			t.StopUndecided("the client makes such calls whatever a card offers")
		case slices.ContainsFunc(sent, func(r judge.Request) bool { return isClaimed(t, p.Claim, r) }):
			t.OK(sent[0].Call)
			return
		case len(t.Requests(func(r judge.Request) bool { return isClaimed(t, p.Claim, r) })) == 0:
			t.StopUndecided("the client does not report the extended card, and never makes the calls that this card alone offers")
		}
		t.Fail(sent[0].Head(report.StatusLine), "called "+sent[0].By.Title(sent[0].Op)+", as by the public card", "a call that only the extended card offers, as it makes them elsewhere, or a report of that card")
	})
}

// isClaimed reports whether a request is a call of an operation that a server has to claim.
func isClaimed(t *judge.T, claim string, r judge.Request) bool {
	return r.IsCall() && r.Op != "" && t.Case.Dialect.Operation(r.Op).Claim == claim
}

// callsUnclaimed reports whether the client makes such calls in a scenario whose cards do not offer them.
func callsUnclaimed(t *judge.T, claim string) bool {
	return slices.ContainsFunc(t.AllStarts(), func(s judge.Start) bool {
		cards := s.Cards()
		return len(cards) > 0 && !slices.ContainsFunc(cards, func(c card.Card) bool { return c.Claims(claim) != card.No }) &&
			len(s.Requests(func(r judge.Request) bool { return isClaimed(t, claim, r) })) > 0
	})
}
