package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/internal/config"
	"github.com/a2a-conform/a2a-conform/harness/scenario/probe"
)

// parrot is an agent of A2A 0.3.0 that does with each text what the test says:
// message, data, a state of a task, or cut, which breaks a stream off.
type parrot struct {
	streams  bool
	examples []string
	does     func(text string) string

	mu   sync.Mutex
	told []string // the texts of all messages
	made map[string]string
}

func (p *parrot) started(t *testing.T) string {
	t.Helper()
	p.made = map[string]string{}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return server.URL
}

func (p *parrot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodGet {
		json.NewEncoder(w).Encode(map[string]any{"name": "Parrot", "description": "Repeats.", "protocolVersion": "0.3.0", "version": "1", "url": "http://" + r.Host + "/",
			"capabilities": map[string]any{"streaming": p.streams}, "defaultInputModes": []string{"text/plain"}, "defaultOutputModes": []string{"text/plain"},
			"skills": []any{map[string]any{"id": "talk", "name": "Talk", "description": "Talks.", "tags": []string{"talk"}, "examples": p.examples}}})
		return
	}
	var call struct {
		ID     any
		Method string
		Params struct {
			ID      string
			Message struct {
				TaskID string
				Parts  []struct{ Text string }
			}
		}
	}
	if json.NewDecoder(r.Body).Decode(&call) != nil {
		return
	}
	result := map[string]any{"jsonrpc": "2.0", "id": call.ID}
	switch call.Method {
	case "tasks/get":
		p.mu.Lock()
		defer p.mu.Unlock()
		result["result"] = task(call.Params.ID, p.made[call.Params.ID])
	case "message/send", "message/stream":
		does := "completed" // what is answered goes on
		id := call.Params.Message.TaskID
		if id == "" {
			text := call.Params.Message.Parts[0].Text
			does = p.does(text)
			p.mu.Lock()
			p.told = append(p.told, text)
			id = fmt.Sprintf("task-%d", len(p.told))
			p.mu.Unlock()
		}
		switch does {
		case "message", "data":
			part := map[string]any{"kind": "text", "text": "Good day."}
			if does == "data" {
				part = map[string]any{"kind": "data", "data": map[string]any{"day": "good"}}
			}
			result["result"] = map[string]any{"kind": "message", "role": "agent", "messageId": "m", "parts": []any{part}}
		default:
			if does == "cut" {
				does = "working"
			}
			p.mu.Lock()
			p.made[id] = does
			p.mu.Unlock()
			result["result"] = task(id, does)
		}
	default:
		result["error"] = map[string]any{"code": -32601, "message": "no such method"}
	}
	if call.Method == "message/stream" {
		w.Header().Set("Content-Type", "text/event-stream")
		text, _ := json.Marshal(result)
		fmt.Fprintf(w, "data: %s\n\n", text)
		return
	}
	json.NewEncoder(w).Encode(result)
}

func task(id, state string) map[string]any {
	return map[string]any{"kind": "task", "id": id, "contextId": "c", "status": map[string]any{"state": state}}
}

// What probe prints is true of agents that do otherwise than the texts mean.
func TestProbeTellsTheTruth(t *testing.T) {
	t.Parallel()
	always := func(does string) func(string) string { return func(string) string { return does } }
	on := func(this, does, otherwise string) func(string) string {
		return func(text string) string {
			if text == this {
				return does
			}
			return otherwise
		}
	}
	works := func(on string, times int32) func(string) string { // slowly, that often
		var left atomic.Int32
		left.Store(times)
		return func(text string) string {
			if text == on && left.Add(-1) >= 0 {
				time.Sleep(600 * time.Millisecond)
			}
			return "completed"
		}
	}
	hostile := "say \"good\": #{day}\ndeclares: {never: [quick]}"
	for _, c := range []struct {
		name   string
		agent  *parrot
		flags  []string
		lines  []string // of the output
		shown  string   // names, sorted
		never  string
		silent []string // what is not in the output
	}{
		{name: "it answers all with messages", agent: &parrot{streams: true, does: always("message")},
			lines: []string{`  quick: {text: "echo hello"}`, `  message: {text: "hello"}`, `#   crash (breaks its stream off in the middle); tried: "crash": it answered with a message`},
			shown: "message quick", silent: []string{"task without", "task at once"}},
		{name: "it makes a task of hello alone", agent: &parrot{does: on("hello", "completed", "message")},
			lines: []string{`  quick: {text: "hello"} # seen in the answer to the message for message`, `  message: {text: "echo hello"} # seen in the answer to the message for quick`},
			shown: "message quick", never: "crash"},
		{name: "its stream breaks off", agent: &parrot{streams: true, does: on("crash", "cut", "completed")},
			lines: []string{`  crash: {text: "crash"}`}, shown: "crash quick"},
		{name: "another message shows it", agent: &parrot{does: on("needauth", "data", "completed")},
			lines: []string{`  data: {text: "needauth"} # seen in the answer to the message for needauth`, `  message: {text: "needauth"} # seen in the answer to the message for needauth`},
			shown: "data message quick", never: "crash"},
		{name: "an example shows it", agent: &parrot{examples: []string{"sing", "pay"}, does: on("pay", "failed", "completed")},
			lines: []string{`  fail: {text: "pay"} # an example on the card`}, shown: "fail quick", never: "crash"},
		{name: "an example asks", agent: &parrot{streams: true, examples: []string{"pay"}, does: on("pay", "input-required", "completed")},
			lines: []string{`  ask: {text: "pay", answer: "yes"} # an example on the card`}, shown: "ask quick"},
		{name: "an example takes long", agent: &parrot{examples: []string{"sing"}, does: works("sing", 9)},
			shown: "quick slow", never: "crash"},
		{name: "an example is held up once", agent: &parrot{examples: []string{"sing"}, does: works("sing", 1)},
			shown: "quick", never: "crash"},
		{name: "no example is wanted", agent: &parrot{examples: []string{"pay"}, does: on("pay", "failed", "completed")}, flags: []string{"--examples", "0"},
			lines: []string{`#   fail (lets the task fail); tried: "fail": its task reached the state completed`}, shown: "quick", never: "crash", silent: []string{"pay"}},
		{name: "a text of the operator's shows it", agent: &parrot{does: on("pay", "failed", "completed")}, flags: []string{"--try", "sing", "--try", "pay"},
			lines: []string{`  fail: {text: "pay"} # a text from --try`}, shown: "fail quick", never: "crash"},
		{name: "an example is hostile", agent: &parrot{examples: []string{hostile, "e\x1b[31m", "\u202edna", strings.Repeat("x", 501), "  "}, does: on(hostile, "failed", "completed")},
			shown: "fail quick", never: "crash", silent: []string{"\ndeclares: {"}},
		{name: "the operator knows that it does no more", agent: &parrot{does: always("completed")}, flags: []string{"--never-unseen"},
			lines: []string{`    - fail # not seen, and declared because of --never-unseen; tried: "fail": its task reached the state completed`},
			shown: "quick", never: "ask chunks crash data fail message needauth recall remember slow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, printed := probedBy(t, append([]string{c.agent.started(t)}, c.flags...)...)
			for _, line := range c.lines {
				if !slices.Contains(strings.Split(out, "\n"), line) {
					t.Errorf("the line %s is not in\n%s", line, out)
				}
			}
			for _, text := range c.silent {
				if strings.Contains(out, text) {
					t.Errorf("%q is in\n%s", text, out)
				}
			}
			var shown []string
			for name, s := range printed.Stimuli {
				shown = append(shown, name)
				if c.name == "an example is hostile" && name == "fail" && s.Text != hostile {
					t.Errorf("the text became %q", s.Text)
				}
			}
			slices.Sort(shown)
			slices.Sort(printed.Never)
			if got := strings.Join(shown, " "); got != c.shown {
				t.Errorf("shown is %q, not %q:\n%s", got, c.shown, out)
			}
			if got := strings.Join(printed.Never, " "); got != c.never {
				t.Errorf("never is %q, not %q:\n%s", got, c.never, out)
			}
			c.agent.mu.Lock()
			defer c.agent.mu.Unlock()
			if want := fmt.Sprintf("in answer to %d messages", len(c.agent.told)+strings.Count(out, "answer:")); !strings.Contains(out, want) {
				t.Errorf("%q is not in\n%s", want, out)
			}
			for _, text := range c.agent.told {
				if strings.ContainsAny(text, "\x1b\u202e") || len(text) > 500 || strings.TrimSpace(text) == "" {
					t.Errorf("the agent was sent %q", text)
				}
			}
		})
	}
}

// However many examples a card has, only some are sent.
func TestProbeIsModest(t *testing.T) {
	here(t)
	agent := &parrot{does: func(string) string { return "completed" }}
	for i := range 100 {
		agent.examples = append(agent.examples, fmt.Sprintf("example %d", i))
	}
	probedBy(t, agent.started(t))
	sent := slices.DeleteFunc(slices.Clone(agent.told), func(text string) bool { return !strings.HasPrefix(text, "example ") })
	if len(sent) != probe.DefaultExamples || sent[0] != "example 0" {
		t.Errorf("%d examples were sent: %q", len(sent), sent)
	}
}

// probedBy runs probe and reads what it prints as run would.
func probedBy(t *testing.T, args ...string) (out string, printed conform.Target) {
	t.Helper()
	code, out, errs := command(t, append([]string{"probe"}, args...)...)
	if code != 0 {
		t.Fatalf("exit %d\n%s", code, errs)
	}
	if err := config.Parse("probed.yaml", []byte(out), &printed, config.FromOutside); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	return out, printed
}
