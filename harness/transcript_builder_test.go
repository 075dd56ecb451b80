package harness

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// inOrder makes plays begin in the order of their weights, without pauses.
var inOrder = operator.Naming{Seed: "in order"}

// A run ends and keeps what it has even if somebody waits for the server for
// ever: after its deadline, and after an interruption.
func TestWatchdogSealsACopy(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			io.WriteString(w, `{"name":"x","description":"x","version":"1","url":"http://`+r.Host+`/","capabilities":{},"skills":[]}`)
			return
		}
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	}))
	defer server.Close()
	for _, interrupted := range []bool{false, true} {
		let, stuck := make(chan struct{}), make(chan struct{})
		begun, left := make(chan struct{}), make(chan struct{})
		ask := func(c *conversation.Conversation, name string) {
			c.Raw(conversation.Step{Name: name, Op: "get", Timeout: time.Second}, []byte(`{}`))
		}
		all := func(*schema.Dialect) []conversation.Scenario {
			return []conversation.Scenario{
				{Name: "ends", Play: func(c *conversation.Conversation) { ask(c, "one") }},
				{Name: "stays", Play: func(c *conversation.Conversation) {
					close(begun)
					defer close(left)
					ask(c, "one")
					ask(c, "two")
					c.Publish(c.Play)
					close(stuck)
					<-let
					for range 100 { // while the copy is judged
						c.Reached("late", "two")
						c.Play.Stop = "it came back"
					}
				}},
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		deadline := 2 * time.Second // time for all that comes before, on a busy machine too
		if interrupted {
			deadline = time.Hour
			go func() { <-stuck; cancel() }()
		}
		talk, err := run(ctx, operator.Target{URL: server.URL, Dialect: "a2a-0.1", IDs: inOrder, Limits: operator.Limits{Deadline: deadline}}, all,
			func(*schema.Dialect) ([]string, error) { return []string{"ends", "stays"}, nil })
		cancel()
		if err != nil || talk == nil {
			t.Fatalf("%v (%v)", talk, err)
		}
		close(let)
		tr := talk.Transcript
		if tr.Facts.Cut == "" || tr.Facts.Stopped != interrupted || tr.Facts.Stopped && !strings.Contains(tr.Facts.Cut, "interrupted") {
			t.Errorf("cut %q, stopped: %v", tr.Facts.Cut, tr.Facts.Stopped)
		}
		ends, stays := tr.Play("ends"), tr.Play("stays")
		if ends == nil || len(ends.Steps) != 1 || ends.Stop != "" {
			t.Errorf("the play that ended is %+v", ends)
		}
		if stays == nil || len(stays.Steps) != 2 || stays.Stop == "" || len(stays.Reached) != 0 {
			t.Errorf("the play that did not end is %+v", stays)
		}
		if err := record.WriteHAR(io.Discard, tr); err != nil {
			t.Error(err)
		}
		select {
		case <-begun:
			<-left
		default: // on a busy machine the deadline came first, which is an error above
		}
	}
}
