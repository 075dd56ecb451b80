package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
)

// recorded is a run against a server, and the number of the exchange of each step.
func recorded(t *testing.T, url string, args ...string) (dir string, number func(scenario, step string) string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "report")
	args = append([]string{"run", url, "--out", dir, "--quiet", "--stimuli", "plain"}, args...)
	if code, out, errs := command(t, args...); code == 2 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	file, err := os.Open(filepath.Join(dir, "transcript.har"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	transcript, err := record.ReadHAR(file)
	if err != nil {
		t.Fatal(err)
	}
	return dir, func(scenario, step string) string {
		p := transcript.Play(scenario)
		if p == nil || p.Step(step) == nil || p.Step(step).Exchange == nil {
			t.Fatalf("the run has no %s/%s", scenario, step)
		}
		return fmt.Sprint(p.Step(step).Exchange.ID)
	}
}

// A recorded call is sent again as it was, malformed ones included, and its answer is
// printed: a body laid out, a stream event by event.
func TestCall(t *testing.T) {
	testamount.SkipInShort(t)
	here(t)
	server, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-1.0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	dir, number := recorded(t, server.URL(), "--binding", "JSONRPC")
	restDir, restNumber := recorded(t, server.URL(), "--binding", "HTTP+JSON")
	for _, c := range []struct {
		name, dir, id string
		want          []string
	}{
		{"card/well-known", dir, number("card", "well-known"), []string{"GET " + server.URL() + "/.well-known/agent-card.json (exchange 1, card/well-known)\n", `"name": "Reference Agent"`, "HTTP 200, after"}},
		{"JSONRPC/quick/send", dir, number("quick", "send"), []string{"by JSONRPC)\nHTTP/1.1 200 OK\n", "Content-Type: application/json", `"state": "TASK_STATE_COMPLETED"`, "HTTP 200, a result, after"}},
		{"JSONRPC/unknown/get", dir, number("unknown", "get"), []string{`"code": -32001`, "the error TaskNotFound, after"}},
		{"JSONRPC/malformed/cut-off", dir, number("malformed", "cut-off"), []string{`"code": -32700`, "the error ParseError, after"}},
		{"JSONRPC/stream/subscribe", dir, number("stream", "subscribe"), []string{"Content-Type: text/event-stream", "event 1 after ", "    data: {", "event 2 after ", "a stream of "}},
		{"HTTP+JSON/quick/send", restDir, restNumber("quick", "send"), []string{"by HTTP+JSON)\nHTTP/1.1 200 OK\n", "Content-Type: application/a2a+json", `"state": "TASK_STATE_COMPLETED"`, "HTTP 200, a result, after"}},
		{"HTTP+JSON/unknown/get", restDir, restNumber("unknown", "get"), []string{"HTTP/1.1 404 Not Found\n", `"reason": "TASK_NOT_FOUND"`, "the error TaskNotFound, after"}},
		{"HTTP+JSON/stream/subscribe", restDir, restNumber("stream", "subscribe"), []string{"Content-Type: text/event-stream", "event 1 after ", "event 2 after ", "a stream of "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, name := range []string{c.dir, filepath.Join(c.dir, "report.json"), filepath.Join(c.dir, "transcript.har")} {
				code, out, errs := command(t, "call", name, c.id)
				if code != 0 || errs != "" {
					t.Fatalf("exit %d\n%s%s", code, out, errs)
				}
				for _, want := range c.want {
					if !strings.Contains(out, want) {
						t.Errorf("%q is missing in\n%s", want, out)
					}
				}
			}
		})
	}
	other, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-1.0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	if code, out, errs := command(t, "call", dir, number("quick", "get"), "--url", other.URL()); code != 0 || !strings.Contains(out, "the error TaskNotFound") || !strings.HasPrefix(out, "POST "+other.URL()+" (") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"there is no exchange 9999; the recorded calls are 1 to ", []string{dir, "9999"}},
		{"there is no exchange 0; the recorded calls", []string{dir, "0"}},
		{`"first" is not the number of an exchange; the recorded calls`, []string{dir, "first"}},
		{"call takes a report and the number of an exchange", []string{dir}},
		{"no such file", []string{"nowhere", "1"}},
		{"there is no transcript.har in the folder of .", []string{".", "1"}},
		{"unknown binding JSONRCP; did you mean JSONRPC?", []string{dir, number("quick", "send"), "--binding", "JSONRCP"}},
		{"it fetches a document", []string{dir, "1", "--binding", "JSONRPC"}},
		{"is not an http or https URL", []string{dir, "1", "--url", "localhost:1"}},
		{"--url is empty", []string{dir, "1", "--url", ""}},
		{"no answer came from http://127.0.0.1:1: connection refused: is the server running on port 1?", []string{dir, number("quick", "send"), "--url", "http://127.0.0.1:1"}},
		{"--timeout must be more than 0", []string{dir, "1", "--timeout", "0s"}},
		{"the environment variable NO_TOKEN is not set", []string{dir, "1", "--bearer-env", "NO_TOKEN"}},
	} {
		if code, out, errs := command(t, append([]string{"call"}, c.args...)...); code != 2 || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d\n%s%s\nwant %s", c.args, code, out, errs, c.want)
		}
	}
}

// What a server answers obeys nobody and shows no secret; the credentials of the flags are
// sent where the recorded call had some, and those of another client are not.
func TestCallOfAHostileServer(t *testing.T) {
	testamount.SkipInShort(t)
	here(t)
	const token = "a-token-of-this-test"
	t.Setenv("TEST_TOKEN", token)
	behind, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-0.3"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { behind.Close() })
	dir, number := recorded(t, behind.URL(), "--bearer-env", "TEST_TOKEN")
	const evil = "\x1b[2J\x1b]0;owned\x07\u202e\r\n::error::no\r\n##vso[task.complete]"
	var shown []string
	hostile := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown = append(shown, r.Header.Get("Authorization"))
		w.Header().Set("X-Echo", r.Header.Get("Authorization")+"\x9b31m")
		if strings.Contains(r.Header.Get("Accept"), "event-stream") {
			w.Header().Set("Content-Type", "text/event-stream")
			for i := range 3000 {
				text, _ := json.Marshal(evil + token)
				fmt.Fprintf(w, "event: \x1b[31m%d\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":%s}\n\n", i, text)
			}
			io.WriteString(w, "data: \x1b[5m"+token)
			return
		}
		w.WriteHeader(http.StatusTeapot)
		io.WriteString(w, evil+token+strings.Repeat("x", 1<<20))
	}))
	t.Cleanup(hostile.Close)
	for _, step := range [][2]string{{"quick", "send"}, {"stream", "subscribe"}, {"unknown", "get"}} {
		code, out, errs := command(t, "call", dir, number(step[0], step[1]), "--url", hostile.URL, "--bearer-env", "TEST_TOKEN")
		if code != 0 || errs != "" {
			t.Fatalf("%v: exit %d\n%s", step, code, errs)
		}
		noControls(t, "stdout", out)
		if strings.Contains(out, token) || !strings.Contains(out, "⟦secret:bearer⟧") {
			t.Errorf("%v shows the token, or has lost its place", step)
		}
		if len(out) > 100<<10 {
			t.Errorf("%v prints %d bytes", step, len(out))
		}
		for l := range strings.Lines(out) {
			if strings.HasPrefix(l, "::error") || strings.HasPrefix(l, "##vso") {
				t.Errorf("%v: a CI runner takes a command from %q", step, l)
			}
		}
	}
	for _, s := range shown {
		if s != "Bearer "+token {
			t.Errorf("it was shown %q", s)
		}
	}
	shown = nil
	code, out, errs := command(t, "call", dir, number("quick", "send"), "--url", hostile.URL)
	if code != 0 || len(shown) != 1 || shown[0] != "" || !strings.Contains(errs, "the recorded call carried the credential bearer") {
		t.Errorf("exit %d, shown %q\n%s%s", code, shown, out, errs)
	}
}

// ops is a binding that nobody speaks: each operation is a path.
type ops struct {
	binding.Binding
	name string
}

func (o ops) Name() string         { return o.name }
func (ops) Title(op string) string { return op }

func (ops) Encode(base string, r binding.Request) (client.Call, error) {
	body, err := json.Marshal(r.Params)
	return client.Call{Method: http.MethodPost, URL: strings.TrimSuffix(base, "/") + "/" + r.Op, Header: http.Header{"Content-Type": {"application/json"}, "A2a-Version": {"1.0"}}, Body: body}, err
}

func init() {
	binding.Register("test-ops", func(name string, _ schema.Binding, _ *schema.Dialect) binding.Binding {
		return ops{binding.ByNameOrDefault(nil, ""), name}
	})
}

// An operation is said in another binding of the dialect: with the same parameters and the
// same header, where the card has it or the operator says. What names no operation is not.
func TestCallInAnotherBinding(t *testing.T) {
	d, err := schema.Load("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	more := *d
	more.Bindings = map[string]schema.Binding{"JSONRPC": d.Bindings["JSONRPC"], "OPS": {Kind: "test-ops"}}
	post := func(body string) *record.Exchange {
		return &record.Exchange{Dir: record.Out, URL: "http://agent.example.com/rpc", Request: record.Message{Body: []byte(body),
			Head: []byte("POST /rpc HTTP/1.1\r\nHost: agent.example.com\r\nContent-Type: application/json\r\nA2A-Extensions: https://x\r\nAuthorization: Bearer ⟦secret:bearer⟧\r\n\r\n")}}
	}
	get := post(`{"jsonrpc":"2.0","id":9007199254740993,"method":"GetTask","params":{"id":"t1","historyLength":12345678901234567890}}`)
	batch, cut, foreign := post(`[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]`), post(`{"jsonrpc"`), post(`{"jsonrpc":"2.0","id":1,"method":"tasks/get"}`)
	doc := post("")
	doc.Response = record.Message{Head: []byte("HTTP/1.1 200 OK\r\n\r\n"), Body: []byte(`{"name":"x","supportedInterfaces":[{"url":"http://elsewhere.example.com/ops","protocolBinding":"OPS","protocolVersion":"1.0"},{"url":"http://agent.example.com:81/ops","protocolBinding":"OPS","protocolVersion":"1.0"}]}`)}
	r := &recording{dialect: &more, transcript: &record.Transcript{
		Facts: record.Facts{Target: "http://agent.example.com", RPC: "http://agent.example.com/rpc", Secrets: []string{"bearer"}},
		Plays: []record.Play{
			{Scenario: "card", Steps: []record.Step{{Name: "well-known", Op: "card", Exchange: doc}}},
			{Scenario: "quick", Steps: []record.Step{{Name: "get", Op: "get", Exchange: get}, {Name: "batch", Op: "get", Exchange: batch}, {Name: "cut", Op: "get", Exchange: cut}, {Name: "foreign", Op: "get", Exchange: foreign}}},
		}}}
	r.transcript.Seal()
	for endpoint, want := range map[string]string{"": "http://agent.example.com:81/ops/get", "http://other.example.com/x/": "http://other.example.com/x/get"} {
		c, err := r.rebuildCall(get, "OPS", endpoint)
		if err != nil {
			t.Fatal(err)
		}
		if c.URL != want || string(c.Body) != `{"historyLength":12345678901234567890,"id":"t1"}` || !strings.Contains(c.name, "get by OPS") {
			t.Errorf("%s %s (%s)", c.URL, c.Body, c.name)
		}
		if h := c.Header; h.Get("A2A-Extensions") != "https://x" || h.Get("Authorization") != "" || h.Get("A2A-Version") != "" || h.Get("Host") != "" {
			t.Errorf("its header is %v", h)
		}
	}
	for x, want := range map[*record.Exchange]string{batch: "a batch of calls", cut: "it calls an operation that", foreign: "it calls an operation that"} {
		if _, err := r.rebuildCall(x, "OPS", ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", x.Request.Body, err)
		}
	}
	more.Bindings["AWAY"] = schema.Binding{Kind: "test-ops"}
	if _, err := r.rebuildCall(get, "AWAY", ""); err == nil {
		t.Error("a binding that the card does not have is called somewhere")
	}
}
