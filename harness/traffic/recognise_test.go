package traffic

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// call is an exchange of a test: a request in JSON-RPC and its response.
type call struct {
	url, request, response string
	status                 int
	field                  string // a field of the response
	sentField              string // a field of the request
}

const rpc = "http://agent.example/rpc"

// newExchange makes the exchange of a call, which begins at its number in seconds.
func newExchange(c call, n int, dir record.Direction) *record.Exchange {
	method := "POST"
	if c.request == "" {
		method = "GET"
	}
	if c.url == "" {
		c.url = rpc
	}
	if c.status == 0 {
		c.status = 200
	}
	media := "application/json"
	if strings.HasPrefix(c.response, "data:") {
		media = "text/event-stream"
	} else if strings.HasPrefix(c.response, "<") {
		media = "text/html"
	}
	if c.sentField != "" {
		c.sentField += "\r\n"
	}
	at := time.Duration(n) * time.Second
	x := &record.Exchange{Dir: dir, URL: c.url, Start: at, End: at + time.Millisecond, Ended: record.EOF,
		Request:  record.Message{Head: []byte(method + " " + strings.TrimPrefix(c.url, "http://agent.example") + " HTTP/1.1\r\nContent-Type: application/json\r\n" + c.sentField + "\r\n"), Body: []byte(c.request)},
		Response: record.Message{Head: []byte(fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: %s\r\n%s\r\n", c.status, media, c.field)), Body: []byte(c.response)}}
	x.Request.Framing = record.Framing{Kind: "length", Declared: int64(len(c.request)), Received: int64(len(c.request))}
	x.Response.Framing = record.Framing{Kind: "chunked", Declared: -1, Received: int64(len(c.response))}
	x.Response.Chunks = []record.Chunk{{At: x.End, N: len(c.response)}}
	return x
}

func load(t testing.TB, name string) *schema.Dialect {
	t.Helper()
	d, err := schema.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// record10 returns a recording of calls, with 0.3 and 1.0 as candidates.
func record10(t testing.TB, calls ...call) Recording {
	r := Recording{Source: "test", Dialects: []*schema.Dialect{load(t, "a2a-0.3"), load(t, "a2a-1.0")}}
	for i, c := range calls {
		r.Passed = append(r.Passed, Passed{In: newExchange(c, i, record.In), Out: newExchange(c, i, record.Out)})
	}
	return r
}

// messages counts the messages of the tests, each of which has an id of its own.
var messages atomic.Int64

func send(task, context string) string {
	more := ""
	if task != "" {
		more += fmt.Sprintf(`,"taskId":%q`, task)
	}
	if context != "" {
		more += fmt.Sprintf(`,"contextId":%q`, context)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m%d","role":"ROLE_USER","parts":[{"text":"x"}]%s}}}`, messages.Add(1), more)
}

func task(id, context, state string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"task":{"id":%q,"contextId":%q,"status":{"state":"TASK_STATE_%s"}}}}`, id, context, state)
}

func get(id string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":%q}}`, id)
}

func shown(id, state string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"id":%q,"contextId":"c","status":{"state":"TASK_STATE_%s"}}}`, id, state)
}

// Calls are recognised by what was sent and delivered, and are in the conversations that their ids show.
func TestRecognise(t *testing.T) {
	h, err := Recognise(record10(t,
		call{url: "http://agent.example/.well-known/agent-card.json", response: `{"name":"A","supportedInterfaces":[{"url":"` + rpc + `","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`},
		call{request: send("", ""), response: task("t1", "c", "INPUT_REQUIRED")},
		call{request: send("t1", "c"), response: task("t1", "c", "COMPLETED")},
		call{request: get("t1"), response: shown("t1", "COMPLETED")},
		call{request: send("t1", "c"), response: `{"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"x"}}`},
		call{request: send("", ""), response: task("t2", "other", "WORKING")},
		call{request: get("t2"), response: shown("t2", "WORKING")},
		call{request: get("nobody"), response: shown("nobody", "WORKING")},
		call{request: `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{}}`, response: task("t3", "d", "COMPLETED")},
		call{url: "http://agent.example/style.css", response: "body {}"},
	))
	if err != nil {
		t.Fatal(err)
	}
	if got := h.Server.Facts.Dialect; got != "a2a-1.0" {
		t.Errorf("the dialect is %s", got)
	}
	var got []string
	for p, s := range h.Server.Steps() {
		line := p.Scenario + "/" + s.Name
		switch {
		case s.Invalid:
			line += " invalid"
		case s.Role == record.Probe:
			line += " unusual"
		}
		got = append(got, line)
	}
	want := []string{"card/card", "thread-1/send", "thread-1/send-answer", "thread-1/look", "thread-1/send-ended", "thread-1/look-3 unusual", "thread-2/send-2", "thread-2/look-2",
		"thread-3/send-3 invalid", "thread-4/stray"}
	if !slices.Equal(got, want) {
		t.Errorf("the steps are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := len(h.Client.Plays[0].Steps); got != len(want) {
		t.Errorf("the client has %d steps, want %d", got, len(want))
	}
	for _, s := range h.Client.Plays[0].Steps {
		if !slices.ContainsFunc(want, func(w string) bool { return strings.HasSuffix(strings.Fields(w)[0], "/"+s.Name) }) {
			t.Errorf("the client has the step %s, and the server has none of that name", s.Name)
		}
	}
	if err := h.Server.Contradiction(); err != nil {
		t.Error(err)
	}
}

// What somebody before the agent said, or what it was not asked for, is not looked at.
func TestWhatIsNotTheAgents(t *testing.T) {
	ordinary := task("t1", "c", "COMPLETED")
	for name, c := range map[string]call{
		"a gateway":            {request: send("", ""), status: 502, response: `{"message":"bad gateway"}`},
		"a web page":           {request: send("", ""), response: "<html>"},
		"a proxy that says so": {request: send("", ""), response: ordinary, field: "Via: 1.1 proxy\r\n"},
		"a rate limit":         {request: send("", ""), status: 429, response: "{}"},
		"a stranger":           {request: send("", ""), status: 401, response: "{}"},
		"a missing path":       {request: send("", ""), status: 404, response: "404 page not found"},
		"no message":           {request: `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{}}`, response: ordinary},
		"a notification":       {request: strings.Replace(send("", ""), `"id":1,`, "", 1), response: ordinary},
		"an unknown task":      {request: get("nobody"), response: shown("nobody", "COMPLETED")},
		"another context":      {request: send("t0", "else"), response: ordinary},
		"words":                {request: "hello", response: ordinary},
	} {
		h, err := Recognise(record10(t, call{request: send("", ""), response: task("t0", "c", "INPUT_REQUIRED")}, c))
		if err != nil {
			t.Fatal(err)
		}
		v := ListViews(load(t, "a2a-1.0"), h.Server)
		if n := len(v.Ordinary.Exchanges); n != 1 {
			t.Errorf("%s: %d calls are looked at, want the first alone", name, n)
		}
		if len(v.Left) != 1 {
			t.Errorf("%s: left out are %v", name, v.Left)
		}
	}
}

// What is missing in a recording is not looked at, and a recording that begins in the middle has old tasks.
func TestWhatIsMissing(t *testing.T) {
	r := record10(t, call{request: send("", ""), response: task("t1", "c", "COMPLETED")}, call{request: get("t1"), response: shown("t1", "COMPLETED")}, call{request: get("old"), response: shown("old", "COMPLETED")})
	r.Cut = true
	r.Passed[1].In.Gaps, r.Passed[1].Out.Gaps = &record.Gaps{Response: true}, &record.Gaps{Response: true}
	h, err := Recognise(r)
	if err != nil {
		t.Fatal(err)
	}
	v := ListViews(load(t, "a2a-1.0"), h.Server)
	if n := len(v.Ordinary.Exchanges); n != 1 {
		t.Errorf("%d calls are looked at, want 1", n)
	}
	for _, reason := range []string{"its bodies are not recorded in full", "it is about a task whose creation was not recorded"} {
		if v.Left[reason] != 1 {
			t.Errorf("%q is no reason: %v", reason, v.Left)
		}
	}
}

// A call has the names of all steps that it fits, and is in no play whose conditions it does not meet.
func TestViews(t *testing.T) {
	h, err := Recognise(record10(t,
		call{request: send("", ""), response: task("t1", "c1", "COMPLETED")},
		call{request: get("t1"), response: shown("t1", "COMPLETED")},
		call{request: send("", ""), response: task("t2", "c2", "INPUT_REQUIRED")},
		call{request: send("t2", "c2"), response: task("t2", "c2", "COMPLETED")},
		call{request: send("", ""), response: `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`},
	))
	if err != nil {
		t.Fatal(err)
	}
	v := ListViews(load(t, "a2a-1.0"), h.Server)
	at := map[string][]int{}
	for _, w := range v.Named {
		for p, s := range w.Transcript.Steps() {
			if w.Plays[p.Scenario] {
				at[p.Scenario+"/"+s.Name] = append(at[p.Scenario+"/"+s.Name], int(s.Exchange.Start/time.Second))
			}
		}
		if n := len(w.Transcript.Exchanges); n != 5 {
			t.Errorf("a view has %d exchanges, want all 5", n)
		}
	}
	for name, want := range map[string][]int{"quick/send": {0}, "quick/get": {1}, "ask/send": {2}, "ask/answer": {3}, "slow/send": nil} {
		if !slices.Equal(at[name], want) {
			t.Errorf("%s is at %v, want %v", name, at[name], want)
		}
	}
	if c := v.Count["quick"]; c.Of != 1 || c.Tried != 1 {
		t.Errorf("counted for quick: %+v", c)
	}
}

// Many calls that could begin a play are tried to a bound, spread over the recording.
func TestCandidatesAreBounded(t *testing.T) {
	var calls []call
	for i := range 3 * maxCandidates {
		calls = append(calls, call{request: send("", ""), response: task(fmt.Sprint("t", i), fmt.Sprint("c", i), "COMPLETED")})
	}
	h, err := Recognise(record10(t, calls...))
	if err != nil {
		t.Fatal(err)
	}
	v := ListViews(load(t, "a2a-1.0"), h.Server)
	if c := v.Count["quick"]; c.Of != len(calls) || c.Tried != maxCandidates {
		t.Errorf("counted for quick: %+v", c)
	}
	if len(v.Named) > 2*maxCandidates {
		t.Errorf("there are %d views", len(v.Named))
	}
}

// Each rule can be read, names roles that calls can have, and refers to steps before it.
func TestTable(t *testing.T) {
	words := map[string]bool{CardOp: true, documentOp: true, "card-again": true}
	for _, name := range schema.Names() {
		for op := range load(t, name).Operations {
			for _, end := range []string{"", "-answer", "-ended", "-more", "-waiting"} {
				words[op+end] = true
			}
		}
	}
	for _, p := range readTable().Plays {
		before := map[string]bool{"": true}
		for _, s := range p.Steps {
			for _, role := range s.Role {
				if !words[role] {
					t.Errorf("%s/%s has the role %q, which no call has", p.Play, s.Name, role)
				}
			}
			others := []string{s.Context, s.Apart, s.Config, s.Otherwise, s.During, s.Like}
			if s.Since != nil {
				others = append(others, *s.Since)
			}
			if s.Task != "any" {
				others = append(others, s.Task)
			}
			for _, other := range others {
				if !before[other] {
					t.Errorf("%s/%s refers to %q, which is no step before it", p.Play, s.Name, other)
				}
			}
			before[s.Name] = true
		}
	}
}

func TestNoDialect(t *testing.T) {
	if _, err := Recognise(Recording{}); err != ErrNoDialect {
		t.Errorf("got %v", err)
	}
}

// Whatever both sides send, the recogniser comes to an end and loses no exchange.
func FuzzRecognise(f *testing.F) {
	f.Add(send("", ""), task("t", "c", "COMPLETED"), get("t"))
	f.Add("[]", "data: {}\n\n", "null")
	f.Add(`{"jsonrpc":"2.0","method":5}`, "<html>", `[{"jsonrpc":"2.0","id":null,"method":"GetTask"}]`)
	candidates := []*schema.Dialect{load(f, "a2a-1.0"), load(f, "a2a-0.1")}
	f.Fuzz(func(t *testing.T, first, answer, second string) {
		r := Recording{Dialects: candidates}
		for i, text := range []string{first, second} {
			r.Passed = append(r.Passed, Passed{Out: newExchange(call{request: text, response: answer}, i, record.Out)})
		}
		h, err := Recognise(r)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(h.Server.Exchanges); n != 2 {
			t.Errorf("the record has %d exchanges", n)
		}
		for _, d := range candidates {
			if d.Name == h.Server.Facts.Dialect {
				ListViews(d, h.Server)
			}
		}
	})
}
