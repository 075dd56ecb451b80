package auth

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/scenario/scenariotest"
)

// A guard is asked with, without and with wrong credentials; of a server that
// lets nobody in, nothing is asked twice.
func TestGuard(t *testing.T) {
	var mu sync.Mutex
	served := 0
	door := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "right" {
			scenariotest.Answer(w, r, 401, `"error":{"code":-32007,"message":"no"}`)
			return
		}
		if method := scenariotest.Answer(w, r, 200, scenariotest.Task("t", "completed")); method == "tasks/send" {
			mu.Lock()
			served++
			mu.Unlock()
		}
	}
	known := func(s *conversation.Setting) {
		s.Header = http.Header{"Authorization": {"right"}}
		s.Secrets = []string{"right"}
		s.Callers = map[record.Caller]http.Header{record.Nobody: {}, record.Stranger: {"Authorization": {"wrong"}}, record.Second: {"Authorization": {"second"}}}
	}
	play := scenariotest.PlayAgainstHandler(t, Guard, door, known)
	const want = "task bare-resubscribe second-resubscribe own-resubscribe push-set bare-push-set bare-push-get push-get bare-cancel look second-unknown second-get " +
		"bare-get bare-stream bare-stream-then bare-send bare-send-then wrong-send wrong-send-then in-body in-body-then bare-card kept-with kept-bare"
	if got := scenariotest.Steps(play); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if served != 1 {
		t.Errorf("%d messages came to the agent", served)
	}
	if !strings.Contains(string(play.Step("in-body").Exchange.Request.Body), `"token":"right"`) {
		t.Error("the payload does not carry the credential")
	}
	if a, b := play.Step("kept-with").Exchange, play.Step("kept-bare").Exchange; a.Conn != b.Conn {
		t.Errorf("connections %d and %d", a.Conn, b.Conn)
	}
	with := []int{}
	for _, s := range play.Steps {
		if s.As == "" {
			with = append(with, s.Exchange.Conn)
		} else if slices.Contains(with, s.Exchange.Conn) && s.Name != "kept-bare" && s.As != record.Second {
			t.Errorf("%s travelled on a connection that was authenticated", s.Name)
		}
	}

	shut := func(w http.ResponseWriter, r *http.Request) {
		scenariotest.Answer(w, r, 401, `"error":{"code":-32007,"message":"no"}`)
	}
	if play := scenariotest.PlayAgainstHandler(t, Guard, shut, known); scenariotest.Steps(play) != "task" || play.Stop == "" {
		t.Errorf("steps %s, stop %q", scenariotest.Steps(play), play.Stop)
	}
	none := func(s *conversation.Setting) {
		s.Callers = map[record.Caller]http.Header{record.Nobody: {}, record.Stranger: {"Authorization": {"wrong"}}}
	}
	if play := scenariotest.PlayAgainstHandler(t, Guard, door, none); scenariotest.Steps(play) != "bare-send wrong-send" || play.Stop != "no credential is configured" {
		t.Errorf("steps %s, stop %q", scenariotest.Steps(play), play.Stop)
	}
}
