package binding

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// shop is a made-up protocol over REST.
const shop = `name: zz-9.9
title: ZZ 9.9
prefix: ZZ99
headers: {ZZ-Version: "9.9"}
operations:
  send: {params: Send, result: Job, agent: true}
  stream: {params: Send, agent: true, streams: true}
  get: {params: Get, result: Job, about: task}
  list: {params: List, result: Jobs}
  watch: {params: Get, about: task, streams: true}
  hook: {params: Hook, result: Hook, about: task}
  unhook: {params: Hook, about: task}
bindings:
  WEB:
    kind: rest
    media: [application/json, application/zz+json]
    tenant: tenant
    routes:
      send: POST /jobs:send
      stream: POST /jobs:stream
      get: "GET /jobs/{id}"
      list: GET /jobs
      watch: ["POST /jobs/{id}:watch", "GET /jobs/{id}:watch"]
      hook: "POST /jobs/{job}/hooks"
      unhook: "DELETE /jobs/{job}/hooks/{id}"
errors:
  BadBody: {code: -1, http: 400}
  NoMethod: {code: -2, http: [404, 405, 501]}
  NoJob: {code: -3, http: 404, reason: NO_JOB}
  Done: {code: -4, http: 400, reason: DONE}
  Closed: {code: -5, http: 400, reason: CLOSED}
shapes: {card: Job}
`

const shopShapes = `{"$defs": {
"Job": {"type": "object"}, "Jobs": {"type": "object"}, "Send": {"type": "object"},
"Get": {"type": "object", "properties": {"tenant": {"type": "string"}, "id": {"type": "string"}, "last": {"type": "integer"}}},
"List": {"type": "object", "properties": {"tenant": {"type": "string"}, "word": {"type": "string"}, "all": {"type": "boolean"}, "size": {"type": "integer"}, "of": {"type": "array"}}},
"Hook": {"type": "object", "properties": {"tenant": {"type": "string"}, "job": {"type": "string"}, "id": {"type": "string"}, "url": {"type": "string"}}}}}`

func web(t testing.TB) Binding {
	t.Helper()
	d, err := schema.LoadFS(fstest.MapFS{"zz-9.9/dialect.yaml": {Data: []byte(shop)}, "zz-9.9/a2a.json": {Data: []byte(shopShapes)}}, "zz-9.9")
	if err != nil {
		t.Fatal(err)
	}
	return ByNameOrDefault(d, "WEB")
}

// A call is a verb, a path with its parameters in it, and a query or a body with the
// others; what is read from its record is what was asked.
func TestRESTCalls(t *testing.T) {
	b := web(t)
	for _, c := range []struct {
		name, op, params string
		way              int
		want, body       string
		sent             string // "" for the parameters as they are
	}{
		{"a body", "send", `{"text":"hi"}`, 0, "POST /jobs:send", `{"text":"hi"}`, ""},
		{"an id", "get", `{"id":"7"}`, 0, "GET /jobs/7", "", ""},
		{"an odd id", "get", `{"id":"a/b ?%ü"}`, 0, "GET /jobs/a%2Fb%20%3F%25%C3%BC", "", ""},
		{"a query", "get", `{"id":"7","last":3}`, 0, "GET /jobs/7?last=3", "", ""},
		{"a number out of range", "get", `{"id":"7","last":-5}`, 0, "GET /jobs/7?last=-5", "", ""},
		{"what is no number", "get", `{"id":"7","last":"many"}`, 0, "GET /jobs/7?last=many", "", ""},
		{"plain values", "list", `{"all":true,"size":0,"word":"a b+c&d"}`, 0, "GET /jobs?all=true&size=0&word=a%20b%2Bc%26d", "", ""},
		{"a text of digits", "list", `{"word":"7"}`, 0, "GET /jobs?word=7", "", ""},
		{"a list", "list", `{"of":["a","b"]}`, 0, "GET /jobs?of=a&of=b", "", ""},
		{"nothing", "list", `{}`, 0, "GET /jobs", "", ""},
		{"no parameters", "list", `null`, 0, "GET /jobs", "", `{}`},
		{"a stream", "stream", `{"text":"hi"}`, 0, "POST /jobs:stream", `{"text":"hi"}`, ""},
		{"what is left of a path", "hook", `{"job":"7","url":"u"}`, 0, "POST /jobs/7/hooks", `{"url":"u"}`, ""},
		{"nothing is left", "watch", `{"id":"7"}`, 0, "POST /jobs/7:watch", `{}`, ""},
		{"the other way", "watch", `{"id":"7"}`, 1, "GET /jobs/7:watch", "", ""},
		{"a way too many", "watch", `{"id":"7"}`, 9, "GET /jobs/7:watch", "", ""},
		{"an id with an action in it", "get", `{"id":"7:look"}`, 0, "GET /jobs/7:look", "", ""},
		{"two names", "unhook", `{"job":"7","id":"h"}`, 0, "DELETE /jobs/7/hooks/h", "", ""},
		{"a tenant", "get", `{"tenant":"t/1","id":"7"}`, 0, "GET /t%2F1/jobs/7", "", `{"id":"7"}`},
		{"a body that is no object", "send", `[1]`, 0, "POST /jobs:send", `[1]`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, base := range []string{"http://x", "http://x/", "http://x/a/jobs"} {
				call, err := b.Encode(base, Request{Op: c.op, Params: json.RawMessage(c.params), Way: c.way})
				if err != nil {
					t.Fatal(err)
				}
				if got := call.Method + " " + strings.TrimPrefix(call.URL, strings.TrimRight(base, "/")); got != c.want || string(call.Body) != c.body {
					t.Errorf("%s with %q, want %s with %q", got, call.Body, c.want, c.body)
				}
				if got, want := call.Header.Get("Content-Type"), map[bool]string{true: "application/json"}[strings.HasPrefix(c.want, "POST")]; got != want || call.Header.Get("ZZ-Version") != "9.9" {
					t.Errorf("the head is %v", call.Header)
				}
				sent := b.Sent(&record.Exchange{URL: call.URL, Request: record.Message{Head: []byte(call.Method + " / HTTP/1.1\r\n\r\n"), Body: call.Body}})
				var want any
				json.Unmarshal([]byte(map[bool]string{true: c.params, false: c.sent}[c.sent == ""]), &want)
				a, _ := json.Marshal(sent.Params.Interface())
				var got any
				json.Unmarshal(a, &got)
				text, _ := json.Marshal(want)
				again, _ := json.Marshal(got)
				if sent.Op != c.op || string(again) != string(text) || sent.Named != b.Title(c.op) || sent.Framed {
					t.Errorf("it was read as %s with %s, want %s", sent.Op, again, text)
				}
			}
		})
	}
	call, err := b.Encode("http://x/?k=1", Request{Op: "get", Params: map[string]any{"id": "7", "last": 1}})
	if err != nil || call.URL != "http://x/jobs/7?k=1&last=1" {
		t.Errorf("an address with a query made %s, %v", call.URL, err)
	}
	if call, err = b.Encode("http://x", Request{Op: "no such"}); err != nil || call.Method+call.URL != "GEThttp://x/no%20such" {
		t.Errorf("an unknown operation made %s %s, %v", call.Method, call.URL, err)
	}
	if s := b.Sent(&record.Exchange{URL: call.URL, Request: record.Message{Head: []byte("GET / HTTP/1.1\r\n\r\n")}}); s.Op != "" || s.Named != "" {
		t.Errorf("it was read as %+v", s)
	}
}

// What neither a path nor a query can hold is not sent as something else.
func TestRESTCannotSayAll(t *testing.T) {
	b := web(t)
	for _, c := range []struct{ op, params string }{
		{"get", `{}`}, {"get", `{"id":""}`}, {"get", `{"id":null}`}, {"get", `{"id":{}}`}, {"get", `{"id":"7","last":{}}`}, {"get", `{"id":"7","last":null}`}, {"get", `"7"`},
		{"list", `{"of":[{}]}`}, {"get", `{"id":"7","tenant":""}`}, {"get", `{"id":"7","tenant":{}}`},
		{"get", `{"id":5}`}, {"get", `{"id":"7","tenant":true}`}, {"list", `{"word":7}`},
	} {
		if call, err := b.Encode("http://x", Request{Op: c.op, Params: json.RawMessage(c.params)}); !errors.Is(err, ErrNotSayable) {
			t.Errorf("%s %s was written as %s, %v", c.op, c.params, call.URL, err)
		}
	}
	if _, err := b.Encode("http://x", Request{Op: "get", Bend: func(text []byte) ([]byte, error) { return text, nil }}); !errors.Is(err, ErrNoEnvelope) {
		t.Errorf("an envelope was bent: %v", err)
	}
}

// An answer is a result by its status, and an error is known by its reason before its
// status.
func TestRESTAnswers(t *testing.T) {
	b := web(t)
	info := func(reason string) string {
		return `{"error":{"code":404,"status":"X","message":"no","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"` + reason + `","domain":"d"}]}}`
	}
	for _, c := range []struct {
		name, status, body string
		want               string // result, error, or nothing, and the names
		marked             bool
	}{
		{"a result", "200", `{"id":"7"}`, "result", false},
		{"another success", "201", `{"id":"7"}`, "result", false},
		{"no content", "204", ``, "result null", false},
		{"a reason", "404", info("NO_JOB"), "error NoJob", true},
		{"a reason with another status", "500", info("DONE"), "error Done", true},
		{"an unknown reason", "404", info("NO_IDEA"), "error NoJob", true},
		{"no reason", "404", `{"error":{"code":404,"message":"no"}}`, "error NoJob", true},
		{"no reason for one of several", "400", `{"error":{"code":400,"message":"no"}}`, "error BadBody", true},
		{"an error with success", "200", `{"error":{"code":400,"message":"no"}}`, "error", true},
		{"a member called error", "200", `{"error":{"code":400},"id":"7"}`, "result", false},
		{"another error", "401", `{"error":"unauthorized"}`, "nothing", false},
		{"an error that says nothing", "400", `{"error":{}}`, "error BadBody", false},
		{"a problem document", "404", `{"type":"about:blank","status":404}`, "nothing NoMethod", false},
		{"a page", "404", `<p>`, "nothing NoMethod", false},
		{"a verb", "405", ``, "nothing NoMethod", false},
		{"a page of success", "200", `<p>`, "nothing", false},
		{"a fault", "500", `oops`, "nothing", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := &record.Exchange{Dir: record.Out, Ended: record.EOF, Response: record.Message{Head: []byte("HTTP/1.1 " + c.status + " X\r\nContent-Type: application/json\r\n\r\n"), Body: []byte(c.body)}}
			a := b.Decode("get", x)
			got := "nothing"
			switch {
			case a.Result.Exists() && a.Failure.Exists():
				got = "both"
			case a.Result.Present():
				got = "result"
			case a.Result.Exists():
				got = "result null"
			case a.Failure.Exists():
				got = "error"
			}
			if got = strings.Join(append([]string{got}, a.Names...), " "); got != c.want || a.Marked != c.marked {
				t.Errorf("%s, marked %v; want %s, %v", got, a.Marked, c.want, c.marked)
			}
			if a.Code.At != "/error/code" || a.Envelope.Exists() || a.ID.Exists() {
				t.Errorf("the places are %+v", a)
			}
		})
	}
	event := func(text string) Answer { root, _ := record.ObserveJSON([]byte(text)); return b.Event("stream", root) }
	if a := event(`{"task":{}}`); !a.Result.Present() || a.Failure.Exists() {
		t.Errorf("an event is %+v", a)
	}
	if a := event(`{"error":{"code":400,"message":"no","details":[{"@type":"google.rpc.ErrorInfo","reason":"CLOSED"}]}}`); a.Result.Exists() || !slices.Equal(a.Names, []string{"Closed"}) {
		t.Errorf("an error in a stream is %+v", a)
	}
	if a := event(`no`); a.Result.Exists() || a.Failure.Exists() {
		t.Errorf("no JSON is %+v", a)
	}
}

func TestRESTWords(t *testing.T) {
	b := web(t)
	for name, want := range map[string]string{"NoJob": "HTTP 404 with the reason NO_JOB", "NoMethod": "HTTP 404 (NoMethod)", "None": ""} {
		if got := b.Sign(name); got != want {
			t.Errorf("%s is told by %q, want %q", name, got, want)
		}
	}
	if b.Title("watch") != "POST /jobs/{id}:watch" || b.Title("no") != "" || RouteCount(b, "watch") != 2 || RouteCount(b, "get") != 1 || RouteCount(b, "no") != 1 {
		t.Errorf("titles %q, %q; ways %d, %d", b.Title("watch"), b.Title("no"), RouteCount(b, "watch"), RouteCount(b, "get"))
	}
}

// Whatever a server answers and whatever stands in a record is read without harm, and
// the same each time.
func FuzzREST(f *testing.F) {
	b := web(f)
	f.Add("GET", "http://x/jobs/7?last=3", 404, `{"error":{"code":404,"details":[{"@type":1,"reason":{}}]}}`)
	f.Add("POST", "http://x/jobs/%zz:watch", 200, `[{"error":null}]`)
	f.Add("DELETE", "://", 204, ``)
	f.Fuzz(func(t *testing.T, verb, address string, status int, body string) {
		x := &record.Exchange{Dir: record.Out, Ended: record.EOF, URL: address,
			Request:  record.Message{Head: []byte(verb + " / HTTP/1.1\r\n\r\n"), Body: []byte(body)},
			Response: record.Message{Head: []byte("HTTP/1.1 " + string(rune('2'+status&3)) + "00 X\r\nContent-Type: application/json\r\n\r\n"), Body: []byte(body)}}
		a, again := b.Decode("get", x), b.Decode("get", x)
		if a.Result.Exists() && a.Failure.Exists() || a.Marked != again.Marked || !slices.Equal(a.Names, again.Names) {
			t.Errorf("%q was read as %+v", body, a)
		}
		e := b.Event("stream", x.Reply().Root)
		if e.Result.Exists() && e.Failure.Exists() {
			t.Errorf("%q as an event was read as %+v", body, e)
		}
		s := b.Sent(x)
		if s.Op != "" && s.Named == "" {
			t.Errorf("%s %q was read as %+v", verb, address, s)
		}
		s.Params.Interface()
	})
}
