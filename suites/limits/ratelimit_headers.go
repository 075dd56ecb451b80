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

// findOperatorOrCardLimit returns the limit of the server from the configuration, or from its card.
func findOperatorOrCardLimit(t *judge.T) (operator.RateLimit, bool) {
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

// readIntHeader returns the value of a header that is a whole number.
func readIntHeader(s judge.Step, header string) (int, bool) {
	n, err := strconv.Atoi(s.Exchange.Response.Header().Get(header))
	return n, err == nil
}

// maxClockSkew is the tolerated difference between the clocks of the server and the suite.
const maxClockSkew = 5 * time.Second

func checkRateHeader(t *judge.T, p rateHeaderParams) {
	l, _ := findOperatorOrCardLimit(t)
	wants := func(s judge.Step) (string, func(n int) bool) {
		switch p.Is {
		case "remaining":
			limit, ok := readIntHeader(s, limitHeader)
			if !ok {
				limit = l.Requests
			}
			return fmt.Sprintf("a whole number from 0 to %d", limit), func(n int) bool { return n >= 0 && n <= limit }
		case "reset":
			from, to := computeResetSpan(t, s, l)
			return fmt.Sprintf("a Unix time in seconds, from %d to %d", from, to), func(n int) bool { return int64(n) >= from && int64(n) <= to }
		case "requests":
			return fmt.Sprintf("%d, as the card says", l.Requests), func(n int) bool { return n == l.Requests }
		case "seconds":
			return fmt.Sprintf("%v, as the card says", l.Seconds), func(n int) bool { return float64(n) == l.Seconds }
		}
		return "a whole number above 0", func(n int) bool { return n > 0 }
	}
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		observe.StopIfCallShowsNothing(t, s, !s.Exchange.Answered(), "got no HTTP response")
		is, right := wants(s)
		if p.Is == "requests" || p.Is == "seconds" {
			if _, ok := readIntHeader(s, p.Header); !ok {
				t.StopUndecided("the header %s contains no number", p.Header)
			}
		}
		t.Expect(s.Head()).To(match.HaveHeader("the header "+p.Header+" with "+is, p.Header,
			func(string) bool { n, ok := readIntHeader(s, p.Header); return ok && right(n) },
			func(value string) string {
				if value == "" {
					return "sent no header " + p.Header
				}
				return fmt.Sprintf("sent %s: %s", p.Header, shorten.Visible(value, 80))
			}))
	})
}

// computeResetSpan returns the Unix times between which the window may end. If the server sends a
// Date, it is used in place of the suite's clock.
func computeResetSpan(t *judge.T, s judge.Step, l operator.RateLimit) (from, to int64) {
	begun, ended := t.Case.Transcript.Started.Add(s.Exchange.Start), t.Case.Transcript.Started.Add(s.Exchange.End)
	if date, err := http.ParseTime(s.Exchange.Response.Header().Get("Date")); err == nil {
		begun, ended = date, date
	}
	window := l.Window()
	if n, ok := readIntHeader(s, windowHeader); ok && n > 0 && time.Duration(n)*time.Second > window {
		window = time.Duration(n) * time.Second
	}
	return begun.Add(-maxClockSkew).Unix(), ended.Add(window + maxClockSkew).Unix()
}

// checkRemainingFalls compares calls of one window. If the number does not fall, that is a fault
// only if less than one request was granted anew between the first call and the last.
func checkRemainingFalls(t *judge.T, p floodParams) {
	windows := map[string][]judge.Step{}
	var most []judge.Step
	for _, s := range p.listCalls(t) {
		if _, ok := readIntHeader(s, remainingHeader); !ok {
			continue
		}
		reset := s.Exchange.Response.Header().Get(resetHeader)
		windows[reset] = append(windows[reset], s)
		if len(windows[reset]) > len(most) {
			most = windows[reset]
		}
	}
	if len(most) < 3 {
		t.StopUndecided("fewer than three calls in a row fell into one window with a header that says how many requests remain")
	}
	first, last := most[0], most[len(most)-1]
	before, _ := readIntHeader(first, remainingHeader)
	after, _ := readIntHeader(last, remainingHeader)
	if after < before {
		t.OK(last.Head())
		return
	}
	l, ok := findOperatorOrCardLimit(t)
	took := last.Exchange.End - first.Exchange.Start
	if granted := took.Seconds() * float64(l.Requests) / max(l.Seconds, 0.001); !ok || granted >= float64(len(most)-2) {
		t.StopUndecided("the calls took %.2f s, and in that time the server may have allowed as many again", took.Seconds())
	}
	t.Fail(last.Head(), fmt.Sprintf("said before %d calls that %d remain, and after them %d", len(most)-1, before, after), "fewer to remain")
}

// maxInFlight is the number of calls of a flood that may be under way when one is refused, with
// some more for a server that counts in several places.
const maxInFlight = 8 + 5

// checkServedWhileRequestsRemain compares the first refusal with the number of remaining requests in the
// responses before it in the same window.
func checkServedWhileRequestsRemain(t *judge.T, p floodParams) {
	told, least := judge.Step{}, -1
	for _, s := range p.listCalls(t) {
		if !s.Exchange.Answered() {
			continue
		}
		if !s.Reply().Refuses(p.Code) && s.Exchange.Standing() != 429 {
			if n, ok := readIntHeader(s, remainingHeader); ok && (least < 0 || n <= least ||
				s.Exchange.Response.Header().Get(resetHeader) != told.Exchange.Response.Header().Get(resetHeader)) {
				told, least = s, n
			}
			continue
		}
		if least < 0 {
			t.StopUndecided("the answers before the first refusal did not say how many requests remain")
		}
		t.OK(told.Head())
		if least > maxInFlight {
			t.Fail(s.Head(), fmt.Sprintf("refused a call when it had said shortly before that %d remain", least), "the requests that remain to be served")
		}
		return
	}
	t.StopUndecided("the server refused no call because of its rate limit")
}

// checkRefusalHeadersShowExhaustion reads every such refusal of the flood.
func checkRefusalHeadersShowExhaustion(t *judge.T, p floodParams) {
	of := judge.Filter(p.listCalls(t), func(s judge.Step) bool {
		return s.Exchange.Answered() && (s.Reply().Refuses(p.Code) || s.Exchange.Standing() == 429)
	})
	judge.Each(t, of, func(s judge.Step) {
		t.Expect(s.Head()).To(match.Head("the four headers of the rate limit, with nothing remaining",
			func(judge.Value) bool {
				n, ok := readIntHeader(s, remainingHeader)
				for _, name := range []string{limitHeader, resetHeader, windowHeader} {
					_, there := readIntHeader(s, name)
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
