package limits

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

var allowanceChecks = []judge.Check{
	judge.Define("ratelimit/header", "a response says a fact about the rate limit in its header", rateHeader),
	judge.Define("ratelimit/falls", "what remains goes down as calls are made", remainingFalls),
	judge.Define("ratelimit/early", "no call is refused while requests remain", refusedEarly),
	judge.Define("ratelimit/refusal-headers", "the refusal for the rate limit says that nothing remains", refusalHeaders),
}

// rateLimit is the limit of the server, by the word of the operator or of its
// card.
func rateLimit(t *judge.T) (operator.RateLimit, bool) {
	if l := t.Case.Transcript.Facts.RateLimit; l != nil {
		return *l, true
	}
	card, ok := t.Case.Card()
	if !ok {
		return operator.RateLimit{}, false
	}
	return t.Case.ReadCard(card).Rate()
}

type rateHeaderParams struct {
	observe.OnSteps
	Header string `json:"header"`
	Is     string `json:"is"` // positive, remaining, reset, or the card's requests or seconds
}

const limitHeader, remainingHeader, resetHeader, windowHeader = "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Window"

// number is a header that is a whole number.
func number(s judge.Step, header string) (int, bool) {
	n, err := strconv.Atoi(s.Exchange.Response.Header().Get(header))
	return n, err == nil
}

// skew is what the clocks of server and suite may differ by.
const skew = 5 * time.Second

func rateHeader(t *judge.T, p rateHeaderParams) {
	l, _ := rateLimit(t)
	wants := func(s judge.Step) (string, func(n int) bool) {
		switch p.Is {
		case "remaining":
			limit, ok := number(s, limitHeader)
			if !ok {
				limit = l.Requests
			}
			return fmt.Sprintf("a whole number from 0 to %d", limit), func(n int) bool { return n >= 0 && n <= limit }
		case "reset":
			from, to := resetSpan(t, s, l)
			return fmt.Sprintf("a Unix time in seconds, from %d to %d", from, to), func(n int) bool { return int64(n) >= from && int64(n) <= to }
		case "requests":
			return fmt.Sprintf("%d, as the card says", l.Requests), func(n int) bool { return n == l.Requests }
		case "seconds":
			return fmt.Sprintf("%v, as the card says", l.Seconds), func(n int) bool { return float64(n) == l.Seconds }
		}
		return "a whole number above 0", func(n int) bool { return n > 0 }
	}
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		if !s.Exchange.Answered() {
			t.Undecided("the call %s/%s got no HTTP response: %s", s.Play.Scenario, s.Name, s.Outcome())
		}
		is, right := wants(s)
		if p.Is == "requests" || p.Is == "seconds" {
			if _, ok := number(s, p.Header); !ok {
				t.Undecided("the header %s contains no number", p.Header)
			}
		}
		t.Expect(s.Head()).To(match.Head("the header "+p.Header+" with "+is,
			func(judge.Value) bool { n, ok := number(s, p.Header); return ok && right(n) },
			func(judge.Value) string {
				v := s.Exchange.Response.Header().Get(p.Header)
				if v == "" {
					return "sent no header " + p.Header
				}
				return fmt.Sprintf("sent %s: %s", p.Header, shorten.Visible(v, 80))
			}).On(p.Header))
	})
}

// resetSpan is between which Unix times the end of the window may lie. The
// server's clock counts, where it shows it.
func resetSpan(t *judge.T, s judge.Step, l operator.RateLimit) (from, to int64) {
	begun, ended := t.Case.Transcript.Started.Add(s.Exchange.Start), t.Case.Transcript.Started.Add(s.Exchange.End)
	if date, err := http.ParseTime(s.Exchange.Response.Header().Get("Date")); err == nil {
		begun, ended = date, date
	}
	window := l.Window()
	if n, ok := number(s, windowHeader); ok && n > 0 && time.Duration(n)*time.Second > window {
		window = time.Duration(n) * time.Second
	}
	return begun.Add(-skew).Unix(), ended.Add(window + skew).Unix()
}

// remainingFalls compares calls of one window. Where the server says that
// nothing is gone, that is a fault only if less than one request was granted
// anew between the first call and the last.
func remainingFalls(t *judge.T, p floodParams) {
	windows := map[string][]judge.Step{}
	var most []judge.Step
	for _, s := range p.calls(t) {
		if _, ok := number(s, remainingHeader); !ok {
			continue
		}
		reset := s.Exchange.Response.Header().Get(resetHeader)
		windows[reset] = append(windows[reset], s)
		if len(windows[reset]) > len(most) {
			most = windows[reset]
		}
	}
	if len(most) < 3 {
		t.Undecided("fewer than three calls in a row fell into one window with a header that says how many requests remain")
	}
	first, last := most[0], most[len(most)-1]
	before, _ := number(first, remainingHeader)
	after, _ := number(last, remainingHeader)
	if after < before {
		t.OK(last.Head())
		return
	}
	l, ok := rateLimit(t)
	took := last.Exchange.End - first.Exchange.Start
	if granted := took.Seconds() * float64(l.Requests) / max(l.Seconds, 0.001); !ok || granted >= float64(len(most)-2) {
		t.Undecided("the calls took %.2f s, and in that time the server may have allowed as many again", took.Seconds())
	}
	t.Fail(last.Head(), fmt.Sprintf("said before %d calls that %d remain, and after them %d", len(most)-1, before, after), "fewer to remain")
}

// atSameTime is how many calls of a flood may be under way when one is refused,
// and a few for a server that counts in several places.
const atSameTime = 8 + 5

// refusedEarly compares the first refusal with what the calls before it were
// told in the same window.
func refusedEarly(t *judge.T, p floodParams) {
	told, least := judge.Step{}, -1
	for _, s := range p.calls(t) {
		if !s.Exchange.Answered() {
			continue
		}
		if !observe.IsRefusal(t, s.Reply(), []string{p.Code}) && s.Exchange.Standing() != 429 {
			if n, ok := number(s, remainingHeader); ok && (least < 0 || n <= least ||
				s.Exchange.Response.Header().Get(resetHeader) != told.Exchange.Response.Header().Get(resetHeader)) {
				told, least = s, n
			}
			continue
		}
		if least < 0 {
			t.Undecided("the answers before the first refusal did not say how many requests remain")
		}
		t.OK(told.Head())
		if least > atSameTime {
			t.Fail(s.Head(), fmt.Sprintf("refused a call when it had said shortly before that %d remain", least), "the requests that remain to be served")
		}
		return
	}
	t.Undecided("the server refused no call because of its rate limit")
}

// refusalHeaders reads every such refusal of the flood.
func refusalHeaders(t *judge.T, p floodParams) {
	var of []judge.Step
	for _, s := range p.calls(t) {
		if s.Exchange.Answered() && (observe.IsRefusal(t, s.Reply(), []string{p.Code}) || s.Exchange.Standing() == 429) {
			of = append(of, s)
		}
	}
	judge.Each(t, of, func(s judge.Step) {
		t.Expect(s.Head()).To(match.Head("the four headers of the rate limit, with nothing remaining",
			func(judge.Value) bool {
				n, ok := number(s, remainingHeader)
				for _, name := range []string{limitHeader, resetHeader, windowHeader} {
					_, there := number(s, name)
					ok = ok && there
				}
				return ok && n == 0
			},
			func(judge.Value) string {
				h := s.Exchange.Response.Header()
				return fmt.Sprintf("sent Limit %q, Remaining %q, Reset %q, Window %q", h.Get(limitHeader), h.Get(remainingHeader), h.Get(resetHeader), h.Get(windowHeader))
			}))
	})
}
