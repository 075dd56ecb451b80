package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// facing is a conversation with a server of the test's own.
func facing(t *testing.T, s Scenario, handler http.HandlerFunc, change func(*Setting)) *record.Play {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	d, err := schema.Load("a2a-0.1")
	if err != nil {
		t.Fatal(err)
	}
	w, err := dialect.For(d.Name)
	if err != nil {
		t.Fatal(err)
	}
	httpClient := client.NewClient(client.Config{Started: time.Now(), Timeout: 10 * time.Second})
	t.Cleanup(httpClient.Close)
	setting := &Setting{Client: httpClient, Dialect: d, Writer: w, RPC: server.URL, CardURL: server.URL, Header: http.Header{},
		Stimuli: map[string]operator.Stimulus{"quick": {Text: "echo hello"}, "forbidden": {Text: "forbidden"}},
		Claimed: func(...string) bool { return true }, Wait: func(string, time.Duration) {}}
	if change != nil {
		change(setting)
	}
	play := &record.Play{Scenario: s.Name}
	s.Play(&Conversation{Setting: setting, Context: t.Context(), Play: play})
	return play
}

// answer writes a JSON-RPC reply with the id of the call.
func answer(w http.ResponseWriter, r *http.Request, status int, member string) (method string) {
	var call struct {
		ID     json.RawMessage
		Method string
	}
	body, _ := io.ReadAll(r.Body)
	json.Unmarshal(body, &call)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, call.ID, member)
	return call.Method
}

const limited = `"error":{"code":-32010,"message":"Rate limit exceeded"}`

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
			answer(w, r, 200, limited)
		}, "send-limited-1 send-limited-2 send get", "", 400 * time.Millisecond},
		{"for ever", 100, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "0.1")
			answer(w, r, 429, limited)
		}, "send-limited-1 send-limited-2 send get-limited-1 get-limited-2 get", "refused it 3 times", 200 * time.Millisecond},
		{"for a day", 100, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "86400")
			answer(w, r, 429, limited)
		}, "send get", "asks to wait 86400 s", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var mu sync.Mutex
			left := c.refuses
			play := facing(t, quick, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				refuse := left > 0
				left--
				mu.Unlock()
				if refuse {
					c.refuse(w, r)
					return
				}
				answer(w, r, 200, task("t", "completed"))
			}, nil)
			if got := steps(play); got != c.steps {
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

// The flood ends with the first refusal, stays within its bound, and waits.
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
			play := facing(t, flood, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				calls++
				over := calls > c.allow
				mu.Unlock()
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				switch {
				case bytes.Contains(body, []byte("tasks/send")):
					answer(w, r, 200, task("t", "completed"))
				case over:
					answer(w, r, 429, limited)
				default:
					answer(w, r, 200, `"error":{"code":-32001,"message":"Task not found"}`)
				}
			}, func(s *Setting) { s.Limit = &operator.RateLimit{Requests: 4, Seconds: 0.2} })
			if n := len(play.Steps) - 1; n > c.most || !strings.HasSuffix(steps(play), c.steps) {
				t.Errorf("%d calls, then %s", n, play.Steps[n].Name)
			}
			if last := play.Step("again-1"); last.Exchange != nil && last.Exchange.Start-play.Steps[len(play.Steps)-2].Exchange.End < 200*time.Millisecond {
				t.Error("the window was not waited for")
			}
		})
	}
	play := facing(t, flood, func(http.ResponseWriter, *http.Request) { t.Error("it was flooded") },
		func(s *Setting) { s.Limit = &operator.RateLimit{Requests: 100_000, Seconds: 60} })
	if len(play.Steps) != 0 || !strings.Contains(play.Stop, "100000") {
		t.Errorf("stop %q", play.Stop)
	}
}

// A guard is asked with, without and with wrong credentials; of a server that
// lets nobody in, nothing is asked twice.
func TestGuard(t *testing.T) {
	var mu sync.Mutex
	served := 0
	door := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "right" {
			answer(w, r, 401, `"error":{"code":-32007,"message":"no"}`)
			return
		}
		if method := answer(w, r, 200, task("t", "completed")); method == "tasks/send" {
			mu.Lock()
			served++
			mu.Unlock()
		}
	}
	known := func(s *Setting) {
		s.Header = http.Header{"Authorization": {"right"}}
		s.Secrets = []string{"right"}
		s.Callers = map[record.Caller]http.Header{record.Nobody: {}, record.Stranger: {"Authorization": {"wrong"}}, record.Second: {"Authorization": {"second"}}}
	}
	play := facing(t, guard, door, known)
	const want = "task bare-resubscribe second-resubscribe own-resubscribe push-set bare-push-set bare-push-get push-get bare-cancel look second-unknown second-get " +
		"bare-get bare-stream bare-stream-then bare-send bare-send-then wrong-send wrong-send-then in-body in-body-then bare-card kept-with kept-bare"
	if got := steps(play); got != want {
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
		answer(w, r, 401, `"error":{"code":-32007,"message":"no"}`)
	}
	if play := facing(t, guard, shut, known); steps(play) != "task" || play.Stop == "" {
		t.Errorf("steps %s, stop %q", steps(play), play.Stop)
	}
	none := func(s *Setting) {
		s.Callers = map[record.Caller]http.Header{record.Nobody: {}, record.Stranger: {"Authorization": {"wrong"}}}
	}
	if play := facing(t, guard, door, none); steps(play) != "bare-send wrong-send" || play.Stop != "no credential is configured" {
		t.Errorf("steps %s, stop %q", steps(play), play.Stop)
	}
}

// A heavy message that was refused in words, or answered, costs no further one.
func TestHeavy(t *testing.T) {
	for _, c := range []struct {
		name  string
		heavy func(w http.ResponseWriter)
		want  string // the operations of the signs of life
	}{
		{"refused", func(w http.ResponseWriter) { http.Error(w, "too large", http.StatusRequestEntityTooLarge) }, "get get"},
		{"hung up", func(w http.ResponseWriter) { panic(http.ErrAbortHandler) }, "send send"},
		{"served", func(w http.ResponseWriter) { io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"id":"t"}}`) }, "get get"},
	} {
		t.Run(c.name, func(t *testing.T) {
			play := facing(t, heavy, func(w http.ResponseWriter, r *http.Request) {
				if r.ContentLength > 30_000 {
					io.Copy(io.Discard, r.Body)
					c.heavy(w)
					return
				}
				answer(w, r, 200, task("t", "completed"))
			}, nil)
			if got := steps(play); got != "large large-alive deep deep-alive" {
				t.Fatalf("steps %s", got)
			}
			if got := play.Step("large-alive").Op + " " + play.Step("deep-alive").Op; got != c.want {
				t.Errorf("signs of life by %s, want %s", got, c.want)
			}
			for name, least := range map[string]int{"large": 10 << 20, "deep": 40_000} {
				m := play.Step(name).Exchange.Request
				if m.Recipe == nil || m.Recipe.Size < least || m.Recipe.Size > least+500 || len(m.Body) != 0 {
					t.Errorf("%s: recipe %+v, %d bytes kept", name, m.Recipe, len(m.Body))
				}
			}
		})
	}
}
