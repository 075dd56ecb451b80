package limits

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/scenario/scenariotest"
)

// The flood ends with the first scenariotest.Refusal, stays within its bound, and waits.
func TestFlood(t *testing.T) {
	for _, c := range []struct {
		name  string
		allow int // calls before the refusals begin
		most  int
		steps string
	}{
		{"limited", 3, 3 + floodWidth, "again-1"},
		{"never limited", 1000, 9, "(again-1)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var mu sync.Mutex
			calls := 0
			play := scenariotest.PlayAgainstHandler(t, Flood, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				calls++
				over := calls > c.allow
				mu.Unlock()
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				switch {
				case bytes.Contains(body, []byte("tasks/send")):
					scenariotest.Answer(w, r, 200, scenariotest.Task("t", "completed"))
				case over:
					scenariotest.Answer(w, r, 429, scenariotest.Limited)
				default:
					scenariotest.Answer(w, r, 200, `"error":{"code":-32001,"message":"Task not found"}`)
				}
			}, func(s *conversation.Setting) { s.Limit = &operator.RateLimit{Requests: 4, Seconds: 0.2} })
			if n := len(play.Steps) - 1; n > c.most || !strings.HasSuffix(scenariotest.Steps(play), c.steps) {
				t.Errorf("%d calls, then %s", n, play.Steps[n].Name)
			}
			if last := play.Step("again-1"); last.Exchange != nil && last.Exchange.Start-play.Steps[len(play.Steps)-2].Exchange.End < 200*time.Millisecond {
				t.Error("the window was not waited for")
			}
		})
	}
	play := scenariotest.PlayAgainstHandler(t, Flood, func(http.ResponseWriter, *http.Request) { t.Error("it was flooded") },
		func(s *conversation.Setting) { s.Limit = &operator.RateLimit{Requests: 100_000, Seconds: 60} })
	if len(play.Steps) != 0 || !strings.Contains(play.Stop, "100000") {
		t.Errorf("stop %q", play.Stop)
	}
}
