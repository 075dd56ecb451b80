package scenario

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// perform plays a scenario against a server that answers with what answer
// returns for the params of a call.
func perform(t *testing.T, s Scenario, shown string, answer func(method string, params map[string]any) string) *record.Play {
	t.Helper()
	return performOn(t, s, shown, 0.1, func(w http.ResponseWriter, method string, id json.RawMessage, params map[string]any) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, id, answer(method, params))
	})
}

// performOn plays a scenario against a server whose slow work lasts the given
// seconds.
func performOn(t *testing.T, s Scenario, shown string, slow float64, serve func(w http.ResponseWriter, method string, id json.RawMessage, params map[string]any)) *record.Play {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			ID     json.RawMessage
			Method string
			Params map[string]any
		}
		body, _ := io.ReadAll(r.Body)
		json.Unmarshal(body, &call)
		serve(w, call.Method, call.ID, call.Params)
	}))
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
	root, _ := record.ObserveJSON([]byte(shown))
	play := &record.Play{Scenario: s.Name}
	s.Play(&Conversation{Setting: &Setting{Client: httpClient, Dialect: d, Writer: w, RPC: server.URL, Card: card.Of(d, root),
		Stimuli: map[string]operator.Stimulus{"quick": {Text: "echo hello"}, "data": {Text: "echo data"},
			"slow": {Text: "slow", Seconds: slow}, "ask": {Text: "ask", Answer: "blue"}, "fail": {Text: "fail"}},
		Claimed: func(words ...string) bool { return false }, Wait: func(string, time.Duration) {}},
		Context: t.Context(), Play: play})
	return play
}

func steps(p *record.Play) string {
	var out []string
	for _, s := range p.Steps {
		name := s.Name
		if s.Exchange == nil {
			name = "(" + name + ")"
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func task(id any, state string) string {
	return fmt.Sprintf(`"result":{"id":%q,"status":{"state":%q}}`, id, state)
}

const (
	refusal = `"error":{"code":-32602,"message":"no"}`
	allIn   = `{"defaultInputModes":["application/json"],"skills":[{"inputModes":["Image/PNG; q=1"]}]}`
)

func TestTrays(t *testing.T) {
	accept := func(_ string, p map[string]any) string { return task(p["id"], "completed") }
	refuse := func(member string) func(string, map[string]any) string {
		return func(_ string, p map[string]any) string {
			text, _ := json.Marshal(p)
			if strings.Contains(string(text), member) {
				return refusal
			}
			return task(p["id"], "completed")
		}
	}
	for _, c := range []struct {
		name   string
		play   Scenario
		card   string
		answer func(string, map[string]any) string
		want   string
	}{
		{"everything is taken", kitchenSink, allIn, accept, "all"},
		{"one member is not", kitchenSink, allIn, refuse(`"trace"`), "all plain sessionId historyLength params-metadata message-metadata part-metadata several-parts"},
		{"nulls", nullMembers, allIn, accept, "all"},
		{"every part", partKinds, allIn, accept, "all"},
		{"no files", partKinds, `{"defaultInputModes":["application/json"]}`, accept, "(file-bytes) (file-uri) (file-reference) all"},
		{"text only", partKinds, `{}`, accept, "(data-object) (data-array) (file-bytes) (file-uri) (file-reference)"},
		{"arrays are not taken", partKinds, `{"defaultInputModes":["*/*"]}`, refuse(`[1,2]`), "(file-bytes) (file-uri) (file-reference) all plain data-object data-array"},
		{"a hint is fatal", outputHint, allIn, refuse("desired"), "all plain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := perform(t, c.play, c.card, c.answer)
			if got := steps(p); got != c.want {
				t.Errorf("steps %s, want %s", got, c.want)
			}
			for _, s := range p.Steps {
				if s.Exchange != nil && slices.Contains([]string{"all", "plain"}, s.Name) == (s.Bisects != "") {
					t.Errorf("%s bisects %q", s.Name, s.Bisects)
				}
			}
		})
	}
}

func TestFinished(t *testing.T) {
	state := func(send, get string) func(string, map[string]any) string {
		return func(method string, p map[string]any) string {
			switch method {
			case "tasks/send":
				return task(p["id"], send)
			case "tasks/get":
				return task(p["id"], get)
			}
			return refusal
		}
	}
	for _, c := range []struct{ name, send, get, want, ended string }{
		{"at once", "completed", "completed", "send before cancel get", "before"},
		{"later", "working", "failed", "send poll-1 before cancel get", "before"},
		{"paused", "input-required", "input-required", "send before (cancel) (get)", ""},
		{"forgotten", "completed", "working", "send before (cancel) (get)", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := perform(t, finished, allIn, state(c.send, c.get))
			if got := steps(p); got != c.want {
				t.Errorf("steps %s, want %s", got, c.want)
			}
			ended := ""
			for _, m := range p.Reached {
				if m.Name == "ended" {
					ended = m.Step
				}
			}
			if ended != c.ended {
				t.Errorf("ended at %q, want %q", ended, c.ended)
			}
		})
	}
}

func TestUnsupported(t *testing.T) {
	p := perform(t, unsupported, allIn, func(method string, p map[string]any) string {
		if method == "tasks/send" && p["pushNotification"] == nil {
			return task(p["id"], "completed")
		}
		return `"error":{"code":-32003,"message":"no"}`
	})
	if got, want := steps(p), "task push-set push-get send-with-push stream resubscribe"; got != want {
		t.Errorf("steps %s, want %s", got, want)
	}
	p = perform(t, unsupported, allIn, func(string, map[string]any) string { return refusal })
	if got, want := steps(p), "task (push-set) (push-get) send-with-push stream (resubscribe)"; got != want {
		t.Errorf("steps %s, want %s", got, want)
	}
}

// Bounds on the TLS versions hold for their own call only.
func TestTLSBounds(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") }))
	t.Cleanup(server.Close)
	config := server.Client().Transport.(*http.Transport).TLSClientConfig
	httpClient := client.NewClient(client.Config{Started: time.Now(), TLS: config, Timeout: 10 * time.Second})
	t.Cleanup(httpClient.Close)
	do := func(min, max uint16) *record.Exchange {
		return httpClient.Do(context.Background(), client.Call{Method: http.MethodGet, URL: server.URL, MinTLS: min, MaxTLS: max}, nil)
	}
	if x := do(0, 0); x.Status() != 200 {
		t.Fatalf("an ordinary call: %s", x.Trouble)
	}
	if x := do(tls.VersionTLS10, tls.VersionTLS11); x.Answered() || x.Ended != record.NoDial {
		t.Errorf("an outdated handshake: %s, status %d", x.Ended, x.Status())
	}
	if x := do(tls.VersionTLS12, tls.VersionTLS12); x.Status() != 200 || x.TLS == nil || x.TLS.Version != "TLS 1.2" {
		t.Errorf("a TLS 1.2 handshake: %s, %+v", x.Trouble, x.TLS)
	}
}
