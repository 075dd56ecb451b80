package traffic

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// by has a call be made with a header field.
func by(field string, c call) call {
	c.sentField = field
	return c
}

// asked is the status of a task that waits, with what belongs to it.
func asked(id, time string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"id":%q,"contextId":"c","status":{"state":"TASK_STATE_INPUT_REQUIRED","timestamp":%q}}}`, id, time)
}

const (
	refused   = `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"x"}}`
	isUnknown = `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"x"}}`
	earlier   = "2026-03-01T10:00:00Z"
	later     = "2026-03-01T10:00:09Z"
)

// A refusal about a task is evidence if the same caller was shown before and after that the task was still as it was, or that
// it took the message all the same. If another caller was shown it, or something changed, it is none.
func TestWhatSettlesARefusal(t *testing.T) {
	question := call{request: send("", ""), response: `{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_INPUT_REQUIRED","timestamp":"` + earlier + `"}}}}`}
	work := call{request: send("", ""), response: task("t", "c", "WORKING")}
	answer := call{request: send("t", "c"), response: refused}
	cancel := call{request: `{"jsonrpc":"2.0","id":1,"method":"CancelTask","params":{"id":"t"}}`, response: refused}
	quick := call{request: send("", ""), response: task("t", "c", "COMPLETED")}
	lost := call{request: get("t"), response: isUnknown}
	alice, bob := "Authorization: Bearer a", "Authorization: Bearer b"
	id := answer.request[strings.Index(answer.request, `"messageId":`)+len(`"messageId":`):]
	id = id[:strings.Index(id, ",")]
	took := call{request: get("t"), response: `{"jsonrpc":"2.0","id":1,"result":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"history":[{"messageId":` + id + `,"role":"ROLE_USER","parts":[{"text":"x"}]}]}}`}
	for name, c := range map[string]struct {
		calls   []call
		counts  bool
		refusal int
	}{
		"nothing came later":              {[]call{question, answer}, false, 1},
		"it waits as before":              {[]call{question, answer, {request: get("t"), response: asked("t", earlier)}}, true, 1},
		"it waits anew":                   {[]call{question, answer, {request: get("t"), response: asked("t", later)}}, false, 1},
		"another caller is shown it":      {[]call{by(alice, question), by(bob, answer), by(alice, call{request: get("t"), response: asked("t", earlier)})}, false, 1},
		"the same caller is shown it":     {[]call{by(alice, question), by(alice, answer), by(alice, call{request: get("t"), response: asked("t", earlier)})}, true, 1},
		"a field that may name a user":    {[]call{by("X-User: a", question), by("X-User: b", answer), by("X-User: b", call{request: get("t"), response: asked("t", earlier)})}, false, 1},
		"hidden fields that look alike":   {[]call{by("X-User: ⟦secret:x-user⟧", question), by("X-User: ⟦secret:x-user⟧", answer), by("X-User: ⟦secret:x-user⟧", call{request: get("t"), response: asked("t", earlier)})}, false, 1},
		"it took the message":             {[]call{question, answer, took}, true, 1},
		"it ended otherwise":              {[]call{question, answer, {request: get("t"), response: shown("t", "CANCELED")}}, false, 1},
		"it was at work before and after": {[]call{work, cancel, {request: get("t"), response: shown("t", "WORKING")}}, true, 1},
		"it may have ended before":        {[]call{work, cancel, {request: get("t"), response: shown("t", "COMPLETED")}}, false, 1},
		"an unknown task, at once":        {[]call{quick, lost}, true, 1},
		"an unknown task, of another":     {[]call{by(alice, quick), by(bob, lost)}, false, 1},
		"an unknown task, much later":     {[]call{quick, {url: "http://agent.example/1"}, {url: "http://agent.example/2"}, {url: "http://agent.example/3"}, {url: "http://agent.example/4"}, {url: "http://agent.example/5"}, {url: "http://agent.example/6"}, {url: "http://agent.example/7"}, {url: "http://agent.example/8"}, {url: "http://agent.example/9"}, {url: "http://agent.example/a"}, lost}, false, 11},
	} {
		var all []*record.Exchange
		for i, one := range c.calls {
			all = append(all, newExchange(one, i, record.Out))
		}
		found := readCalls(load(t, "a2a-1.0"), all, nil, false)[c.refusal]
		if got := found.Unusual == ""; got != c.counts {
			t.Errorf("%s: it is evidence: %v, want %v: %s", name, got, c.counts, found.Unusual)
		}
	}
}

// A malformed call has the place of a probe if the same caller made it out of a call that was accepted, by the change of
// the probe alone.
func TestMalformedCallsAreProbes(t *testing.T) {
	valid := call{request: send("", ""), response: task("t", "c", "COMPLETED")}
	bent := func(params string) call {
		return call{request: `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":` + params + `}`, response: refused}
	}
	alice, bob := "Authorization: Bearer a", "Authorization: Bearer b"
	noParts := bent(`{"message":{"messageId":"n","role":"ROLE_USER"}}`)
	for name, c := range map[string]struct {
		calls []call
		want  string
	}{
		"without parts":                {[]call{valid, noParts}, "send-params/no-parts"},
		"before the accepted one":      {[]call{noParts, valid}, "send-params/no-parts"},
		"no accepted call":             {[]call{noParts}, ""},
		"of another caller":            {[]call{by(alice, valid), by(bob, noParts)}, ""},
		"two flaws at once":            {[]call{valid, bent(`{"message":{"role":"ROLE_USER"}}`)}, ""},
		"with more than the other has": {[]call{valid, bent(`{"message":{"messageId":"n","role":"ROLE_USER"},"metadata":{"a":1}}`)}, ""},
		"a gateway refused it":         {[]call{valid, {request: noParts.request, response: "<html>", status: 400}}, ""},
	} {
		h, err := Recognise(record10(t, append([]call{{url: "http://agent.example/.well-known/agent-card.json", response: `{"name":"A","supportedInterfaces":[{"url":"` + rpc + `","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`}}, c.calls...)...))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range ListViews(load(t, "a2a-1.0"), h.Server).Named {
			for p, s := range v.Steps() {
				if s.Role == record.Probe && s.Invalid {
					got = append(got, p.Scenario+"/"+s.Name)
				}
			}
		}
		if c.want == "" && len(got) > 0 || c.want != "" && !slices.Contains(got, c.want) {
			t.Errorf("%s: got %v, want %q", name, got, c.want)
		}
	}
}

// Calls without a credential are of one caller, unless certificates may tell them apart: by TLS, on different connections, and not
// through our proxy.
func TestCallersWithoutCredentials(t *testing.T) {
	const secure = "https://agent.example/rpc"
	work, cancel, look := call{request: send("", ""), response: task("t", "c", "WORKING")}, call{request: `{"jsonrpc":"2.0","id":1,"method":"CancelTask","params":{"id":"t"}}`, response: refused}, call{request: get("t"), response: shown("t", "WORKING")}
	for name, c := range map[string]struct {
		url     string
		change  func(n int, x *record.Exchange)
		field   string
		settled bool
	}{
		"in plain":                      {rpc, func(int, *record.Exchange) {}, "", true},
		"in plain, several connections": {rpc, func(n int, x *record.Exchange) { x.Conn = n + 1 }, "", true},
		"by TLS":                        {secure, func(int, *record.Exchange) {}, "", false},
		"by TLS, one connection":        {secure, func(_ int, x *record.Exchange) { x.Conn = 1 }, "", true},
		"by TLS, several connections":   {secure, func(n int, x *record.Exchange) { x.Conn = n + 1 }, "", false},
		"by TLS through our proxy": {secure, func(n int, x *record.Exchange) {
			x.Conn, x.TLS, x.Gaps = n+1, &record.TLS{}, &record.Gaps{Bytes: true}
		}, "", true},
		"by TLS in a run, in which a stranger shows no certificate": {secure, func(n int, x *record.Exchange) { x.Conn, x.TLS = n+1, &record.TLS{} }, "", false},
		"by TLS with a field that everybody has":                    {secure, func(n int, x *record.Exchange) { x.Conn = n + 1 }, "X-Client: sdk", false},
		"by TLS with a token":                                       {secure, func(n int, x *record.Exchange) { x.Conn = n + 1 }, "Authorization: Bearer a", true},
		"by TLS with a session":                                     {secure, func(n int, x *record.Exchange) { x.Conn = n + 1 }, "Cookie: session=a", true},
	} {
		var all []*record.Exchange
		for i, one := range []call{work, cancel, look} {
			one.url, one.sentField = c.url, c.field
			x := newExchange(one, i, record.Out)
			c.change(i, x)
			all = append(all, x)
		}
		if got := readCalls(load(t, "a2a-1.0"), all, nil, false)[1]; (got.Unusual == "") != c.settled {
			t.Errorf("%s: the refusal counts: %v, want %v: %s", name, got.Unusual == "", c.settled, got.Unusual)
		}
	}
}

// A server that keeps its clients apart by cookies, or takes the first answer to set one: the calls before and after are not known
// to be of one caller.
func TestCallersByCookie(t *testing.T) {
	work, cancel, look := call{request: send("", ""), response: task("t", "c", "WORKING"), field: "Set-Cookie: s=1\r\n"}, call{request: `{"jsonrpc":"2.0","id":1,"method":"CancelTask","params":{"id":"t"}}`, response: refused}, call{request: get("t"), response: shown("t", "WORKING")}
	for name, c := range map[string]struct {
		calls   []call
		settled bool
	}{
		"the first got the cookie":   {[]call{work, by("Cookie: s=1", cancel), by("Cookie: s=1", look)}, false},
		"two sessions":               {[]call{by("Cookie: s=1", work), by("Cookie: s=2", cancel), by("Cookie: s=1", look)}, false},
		"one session":                {[]call{by("Cookie: s=1", work), by("Cookie: s=1", cancel), by("Cookie: s=1", look)}, true},
		"the cookies are not shown":  {[]call{by("Cookie: ⟦secret:cookie⟧", work), by("Cookie: ⟦secret:cookie⟧", cancel), by("Cookie: ⟦secret:cookie⟧", look)}, false},
		"one of two shows no cookie": {[]call{by("Cookie: s=1", work), cancel, by("Cookie: s=1", look)}, false},
	} {
		var all []*record.Exchange
		for i, one := range c.calls {
			all = append(all, newExchange(one, i, record.Out))
		}
		if got := readCalls(load(t, "a2a-1.0"), all, nil, false)[1]; (got.Unusual == "") != c.settled {
			t.Errorf("%s: the refusal counts: %v, want %v: %s", name, got.Unusual == "", c.settled, got.Unusual)
		}
	}
}

// To a server that sets a cookie, callers without one may be several; a credential tells who they are all the same.
func TestCallerWhoGetsACookie(t *testing.T) {
	for sent, want := range map[string]bool{"": false, "X-Client: sdk": false, "Authorization: Bearer a": true, "Cookie: s=1": true} {
		if _, known := readCaller(newExchange(call{request: get("t"), response: isUnknown, field: "Set-Cookie: s=2\r\n", sentField: sent}, 0, record.Out)); known != want {
			t.Errorf("with %q the caller is known: %v, want %v", sent, known, want)
		}
	}
}
