package client

import (
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// unclaimedParams name operations that only a server has which claims them.
type unclaimedParams struct {
	Claim string   `json:"claim"`
	Ops   []string `json:"ops"`
	At    []string `json:"at"` // members of messages that only such a server understands
}

// checkUnclaimed judges whether the client asks for nothing that its cards do not claim.
func checkUnclaimed(t *judge.T, p unclaimedParams) {
	seen := 0
	judge.EachOf(t, t.AllStarts(), func(s judge.Start) {
		cards := s.Cards()
		if len(cards) == 0 || slices.ContainsFunc(cards, func(c card.Card) bool { return c.Claims(p.Claim) != card.No }) {
			return
		}
		eachOf(t, s.Calls(), func(r judge.Request) {
			if slices.Contains(p.Ops, r.Op) {
				t.Fail(r.Head(report.StatusLine), "called "+r.By.Title(r.Op), "no such call, since "+card.NotDeclared(p.Claim))
			}
			for _, at := range p.At {
				if v := r.Params.MemberAt(at); v.Exists() && !v.IsNull() {
					t.Fail(v, "sent "+describeValue(v), "none, since "+card.NotDeclared(p.Claim))
				}
			}
			seen++
			t.OK(r.Call)
		})
	})
	if seen == 0 {
		t.StopVacuous("no call was seen after a card that does not claim it")
	}
}

// countParams bound how often the client makes some calls in a scenario.
type countParams struct {
	Plays   []string `json:"plays"`
	Ops     []string `json:"ops"` // none for those that send a message
	Any     bool     `json:"any"` // all calls
	Most    int      `json:"most"`
	Seconds float64  `json:"seconds"` // in such a time; 0 for the whole scenario
	Fresh   string   `json:"fresh"`   // only calls count that differ in this member and not in the one named by same
	Same    string   `json:"same"`
}

// checkCount judges how often the client repeats a call.
func checkCount(t *judge.T, p countParams) {
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		calls := countedCalls(t, s, p)
		if len(calls) == 0 {
			s.Last()
			t.StopInconclusive("", "the client made no such call in the scenario '%s'", s.Play.Scenario)
		}
		if !s.Ended() {
			stopBeforeEnd(t, s)
		}
		if p.Seconds > 0 && s.Run.Disturbed != "" {
			t.StopUndecided("%s", s.Run.Disturbed)
		}
		window := time.Duration(p.Seconds * float64(time.Second))
		for i := range calls {
			j := i + p.Most
			if j < len(calls) && (window == 0 || time.Duration(calls[j].Exchange.Start-calls[i].Exchange.Start) < window) {
				t.Fail(calls[j].Head(report.StatusLine), fmt.Sprintf("made such a call %d times", len(calls)), atMost(p.Most)+within(p.Seconds))
			}
		}
		t.OK(s.Last())
	})
}

func within(seconds float64) string {
	if seconds == 0 {
		return ""
	}
	return fmt.Sprintf(" in %v s", seconds)
}

// countedCalls returns the calls of a start that count.
func countedCalls(t *judge.T, s judge.Start, p countParams) (out []judge.Request) {
	all := messagesOf(t, s)
	if p.Any || len(p.Ops) > 0 {
		all = s.Calls(p.Ops...)
	}
	if p.Fresh == "" {
		return all
	}
	for _, r := range all {
		repeats := slices.ContainsFunc(out, func(first judge.Request) bool {
			return first.Params.At(p.Fresh).Equal(r.Params.At(p.Fresh)) || !first.Params.At(p.Same).Equal(r.Params.At(p.Same))
		})
		if !repeats {
			out = append(out, r)
		}
	}
	return out
}

// pauseParams name calls between which the client has to pause.
type pauseParams struct {
	Plays   []string `json:"plays"`
	Ops     []string `json:"ops"` // none for those that send a message
	Seconds float64  `json:"seconds"`
	Status  []int    `json:"status"` // the pause is due after an answer of one of these; else it is the average
	// Exhausted is a header field; the pause is due after an answer that has 0 in it.
	Exhausted string `json:"exhausted"`
}

// checkPauses judges the pauses between calls.
func checkPauses(t *judge.T, p pauseParams) {
	pauses := 0
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		calls := s.Calls(p.Ops...)
		if len(p.Ops) == 0 {
			calls = messagesOf(t, s)
		}
		calls = slices.CompactFunc(calls, func(a, b judge.Request) bool { return a.Exchange == b.Exchange }) // a batch is one request
		if s.Run.Disturbed != "" {
			t.StopUndecided("%s", s.Run.Disturbed)
		}
		if len(p.Status) == 0 && p.Exhausted == "" {
			if len(calls) < 2 {
				return
			}
			pauses++
			last := calls[len(calls)-1]
			if mean := (last.Exchange.Start - calls[0].Exchange.Start).Seconds() / float64(len(calls)-1); mean < p.Seconds {
				t.Fail(last.Head(report.StatusLine), fmt.Sprintf("made %d such calls, one each %.3f s", len(calls), mean), fmt.Sprintf("at least %v s between two calls", p.Seconds))
			}
			t.OK(last.Call)
			return
		}
		for i, r := range calls {
			if !slices.Contains(p.Status, r.Exchange.Status()) && (p.Exhausted == "" || r.Exchange.Response.Header().Get(p.Exhausted) != "0") {
				continue
			}
			if i+1 == len(calls) { // it gave up, or had no time left to try again
				pauses++
				t.OK(r.Call)
				continue
			}
			pauses++
			if waited := (calls[i+1].Exchange.Start - r.Exchange.End).Seconds(); waited < p.Seconds {
				t.Fail(calls[i+1].Head(report.StatusLine), fmt.Sprintf("called again %.1f s after %s", waited, p.describeAnswer(r)), fmt.Sprintf("a pause of %v s", p.Seconds))
			}
			t.OK(calls[i+1].Call)
		}
	})
	if pauses == 0 {
		t.StopVacuous("the client made no two such calls")
	}
}

// describeAnswer returns what of an answer asks for a pause.
func (p *pauseParams) describeAnswer(r judge.Request) string {
	if p.Exhausted != "" {
		return p.Exhausted + ": 0"
	}
	return fmt.Sprintf("HTTP %d", r.Exchange.Status())
}

// redirectParams choose what of redirects is judged.
type redirectParams struct {
	Plays  []string `json:"plays"`
	Origin bool     `json:"origin"` // nothing that the user wrote may come to another origin
}

// checkRedirects judges what came to the address to which a call was redirected.
func checkRedirects(t *judge.T, p redirectParams) {
	judge.EachOf(t, t.Starts(p.Plays...), func(s judge.Start) {
		calls := messagesOf(t, s)
		if len(calls) == 0 {
			s.Last()
			t.StopInconclusive("", "the client sent no message in the scenario '%s'", s.Play.Scenario)
		}
		if !s.Ended() {
			stopBeforeEnd(t, s)
		}
		for _, r := range s.Requests(isRedirected) {
			switch {
			case p.Origin && origin(r) != origin(calls[0]) && len(r.Exchange.Request.Body) > 0:
				t.Fail(r.Call, "sent its message on to another origin", "no message there")
			case !p.Origin && (r.Method() != calls[0].Method() || len(r.Exchange.Request.Body) == 0):
				t.Fail(r.Head(report.StatusLine), fmt.Sprintf("sent %s with a body of %d bytes to the new address", r.Method(), len(r.Exchange.Request.Body)), "the method and the body of the call, or no request")
			}
		}
		t.OK(calls[0].Call)
	})
}

func origin(r judge.Request) string {
	u, err := url.Parse(r.Exchange.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// checkFraming judges whether requests are well-formed HTTP.
func checkFraming(t *judge.T, _ struct{}) {
	judge.Each(t, t.Requests(func(judge.Request) bool { return true }), func(r judge.Request) {
		if faults := r.Exchange.Request.Framing.Faults; len(faults) > 0 {
			t.Fail(r.Head(report.StatusLine), "sent a request with this fault: "+faults[0], "well-formed HTTP")
		}
		t.OK(r.Call)
	})
}
