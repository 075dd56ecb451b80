package conversation_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/scenario/message"
	"github.com/a2a-conform/a2a-conform/harness/scenario/scenariotest"
)

// A call that is refused for the rate limit is repeated after the wait the
// server asks for, and every attempt is kept.
func TestLimitedCallsAreRepeated(t *testing.T) {
	for _, c := range []struct {
		name    string
		refuses int // calls at the beginning
		refuse  func(w http.ResponseWriter, r *http.Request)
		steps   string
		gaveUp  string
		wait    time.Duration
	}{
		{"HTTP 429", 1, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "slow down", http.StatusTooManyRequests)
		}, "send-limited-1 send get", "", time.Second},
		{"-32010 with HTTP 200, twice", 2, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "0.2")
			scenariotest.Answer(w, r, 200, scenariotest.Limited)
		}, "send-limited-1 send-limited-2 send get", "", 400 * time.Millisecond},
		{"for ever", 100, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "0.1")
			scenariotest.Answer(w, r, 429, scenariotest.Limited)
		}, "send-limited-1 send-limited-2 send get-limited-1 get-limited-2 get", "refused it 3 times", 200 * time.Millisecond},
		{"for a day", 100, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "86400")
			scenariotest.Answer(w, r, 429, scenariotest.Limited)
		}, "send get", "asks to wait 86400 s", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var mu sync.Mutex
			left := c.refuses
			play := scenariotest.PlayAgainstHandler(t, message.Quick, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				refuse := left > 0
				left--
				mu.Unlock()
				if refuse {
					c.refuse(w, r)
					return
				}
				scenariotest.Answer(w, r, 200, scenariotest.Task("t", "completed"))
			}, nil)
			if got := scenariotest.Steps(play); got != c.steps {
				t.Errorf("steps %s, want %s", got, c.steps)
			}
			for _, s := range play.Steps {
				if refused := strings.Contains(s.Name, "-limited-"); refused != (s.Exchange.Status() == 429 || strings.Contains(string(s.Exchange.Response.Body), "-32010")) && c.gaveUp == "" {
					t.Errorf("%s is HTTP %d", s.Name, s.Exchange.Status())
				}
			}
			if got := play.Step("send").Limited; !strings.Contains(got, c.gaveUp) || (c.gaveUp == "") != (got == "") {
				t.Errorf("limited %q", got)
			}
			first, last := play.Steps[0].Exchange, play.Step("send").Exchange
			if last.Start-first.Start < c.wait {
				t.Errorf("the call was repeated after %v", last.Start-first.Start)
			}
		})
	}
}
