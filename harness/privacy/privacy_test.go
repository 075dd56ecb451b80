package privacy

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/schema"
)

// exchange is an exchange of others.
func exchange(url, request, body, response, answer string) traffic.Passed {
	x := &record.Exchange{Dir: record.Out, URL: url, End: time.Millisecond, Ended: record.EOF,
		Request:  record.Message{Head: []byte(request + "\r\n"), Body: []byte(body), Framing: record.Framing{Kind: "none", Declared: -1}},
		Response: record.Message{Head: []byte(response + "\r\n"), Body: []byte(answer), Framing: record.Framing{Kind: "none", Declared: -1}}}
	if answer != "" {
		x.Response.Chunks = []record.Chunk{{At: time.Millisecond, N: len(answer)}}
	}
	in := &record.Exchange{Dir: record.In, URL: x.URL, End: x.End, Ended: x.Ended, Request: x.Request, Response: x.Response}
	return traffic.Passed{In: in, Out: x}
}

// secret returns a secret of its own for each place.
func secret(place string) string { return "S3cr3t-" + place + "-0123456789" }

// conversation has a secret in every place in which HTTP or the protocol puts one, and the texts of both sides.
func conversation(t *testing.T) traffic.Recording {
	t.Helper()
	d, err := schema.Load("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	const card = `{"name":"Private Name","description":"PRIVATE description","version":"1.0.0","supportedInterfaces":[{"url":"http://agent.example/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[{"id":"w","name":"PRIVATE skill","description":"d","tags":["weather"]}]}`
	call := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":"PRIVATE-id","method":"` + method + `","params":` + params + `}`
	}
	message := `{"message":{"messageId":"m-PRIVATE","role":"ROLE_USER","parts":[{"text":"PRIVATE question"},{"url":"http://files.example/` + secret("file") + `/a.pdf?sig=` + secret("sig") + `"},{"data":{"PRIVATEkey":123456,"deep":["PRIVATE value"]}}],"metadata":{"PRIVATE":true}}}`
	task := `{"id":"t-PRIVATE","contextId":"c-PRIVATE","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-02T03:04:05Z","message":{"messageId":"a","role":"ROLE_AGENT","parts":[{"text":"PRIVATE answer"}]}}}`
	json := "Content-Type: application/json\r\n"
	ok := "HTTP/1.1 200 OK\r\n" + json
	post := "POST /rpc HTTP/1.1\r\nHost: agent.example\r\nA2A-Version: 1.0\r\n" + json
	return traffic.Recording{Source: "test", Target: "http://agent.example/", Dialects: []*schema.Dialect{d}, Started: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Passed: []traffic.Passed{
		exchange("http://agent.example/.well-known/agent-card.json", "GET /.well-known/agent-card.json HTTP/1.1\r\nHost: agent.example\r\nReferer: http://x/?t="+secret("referer")+"\r\nUser-Agent: PRIVATE agent\r\n", "", ok+"Set-Cookie: sid="+secret("set-cookie")+"; Path=/\r\n", card),
		exchange("http://agent.example/rpc", post+"Authorization: Bearer "+secret("bearer")+"\r\nX-Api-Key: "+secret("key")+"\r\nX-Vendor: "+secret("vendor")+"\r\nCookie: sid="+secret("cookie")+"; short=abc\r\n", call("SendMessage", message), ok, `{"jsonrpc":"2.0","id":"PRIVATE-id","result":{"task":`+task+`}}`),
		exchange("http://agent.example/rpc?key="+secret("query"), "POST /rpc?key="+secret("query")+" HTTP/1.1\r\n"+json, call("CreateTaskPushNotificationConfig", `{"taskId":"t-PRIVATE","url":"http://hooks.example/`+secret("hook")+`?k=`+secret("hookquery")+`","token":"`+secret("token")+`","authentication":{"scheme":"Bearer","credentials":"`+secret("credentials")+`"}}`), ok, `{"jsonrpc":"2.0","id":"PRIVATE-id","result":{"id":"p","taskId":"t-PRIVATE","url":"http://hooks.example/`+secret("hook")+`","token":"`+secret("token")+`"}}`),
		exchange("http://agent.example/rpc", post, call("SendStreamingMessage", message), "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n", ": PRIVATE comment\nid: PRIVATE1\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"PRIVATE-id\",\"result\":{\"task\":"+task+"}}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"PRIVATE-id\",\"result\":{\"artifactUpdate\":{\"taskId\":\"t-PRIVATE\",\"contextId\":\"c-PRIVATE\",\"artifact\":{\"artifactId\":\"a1\",\"parts\":[{\"text\":\"PRIVATE part with "+secret("bearer")+"\"}]}}}}\n\n"),
		exchange("http://login.example/token", "POST /token HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n", "grant_type=client_credentials&client_secret="+secret("client"), ok, `{"access_token":"`+secret("access")+`","refresh_token":"`+secret("refresh")+`"}`),
		exchange("http://files.example/"+secret("file")+"/a.pdf?sig="+secret("sig"), "GET /"+secret("file")+"/a.pdf?sig="+secret("sig")+" HTTP/1.1\r\n", "", "HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n", "PRIVATE pdf"),
		exchange("http://agent.example/login", "GET /login HTTP/1.1\r\n", "", "HTTP/1.1 302 Found\r\nLocation: http://login.example/cb?code="+secret("code")+"&state=x\r\n", ""),
	}}
}

// writeTranscript writes what would be in a file.
func writeTranscript(t *testing.T, r traffic.Recording) string {
	t.Helper()
	out := &record.Transcript{Started: r.Started, Duration: time.Second}
	for _, p := range r.Passed {
		out.Exchanges = append(out.Exchanges, p.In, p.Out)
	}
	out.Seal()
	var b bytes.Buffer
	for _, x := range out.Exchanges {
		fmt.Fprintf(&b, "%s\n%s\n%s\n%s\n%s\n", x.URL, x.Request.Head, x.Request.Body, x.Response.Head, x.Response.Body)
	}
	if err := record.WriteHAR(&b, out); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A secret is removed from every place, and from texts that repeat it, with bodies and without.
func TestNoSecretStays(t *testing.T) {
	for _, bodies := range []bool{true, false} {
		text := writeTranscript(t, Protect(conversation(t), bodies))
		for _, place := range []string{"referer", "set-cookie", "bearer", "key", "vendor", "cookie", "query", "hook", "hookquery", "token", "credentials", "client", "access", "refresh", "file", "sig", "code"} {
			if at := strings.Index(text, secret(place)); at >= 0 {
				t.Errorf("bodies %v: the secret of %s stays: %q", bodies, place, text[max(0, at-80):at+40])
			}
		}
		if at := strings.Index(text, "PRIVATE"); at >= 0 && !bodies {
			t.Errorf("a text of one side stays: %q", text[max(0, at-80):at+40])
		}
		if !strings.Contains(text, "PRIVATE question") && bodies {
			t.Error("the bodies do not stay")
		}
	}
}

// Without bodies the structure stays: types, lengths, words of the protocol, and which values are equal.
func TestShapeStays(t *testing.T) {
	r := conversation(t)
	got := Protect(r, false)
	for i, p := range r.Passed[:3] {
		for side, pair := range map[string][2]*record.Document{"request": {p.Out.Call(), got.Passed[i].Out.Call()}, "response": {p.Out.Reply(), got.Passed[i].Out.Reply()}} {
			if pair[0].Root == nil {
				continue
			}
			if len(pair[1].Faults) > 0 {
				t.Errorf("exchange %d, %s: %v", i, side, pair[1].Faults)
			}
			if want, has := describeShape(pair[0].Root), describeShape(pair[1].Root); want != has {
				t.Errorf("exchange %d, %s: got %s, want %s", i, side, has, want)
			}
		}
	}
	sent, task := got.Passed[1].Out.Call().Root, got.Passed[1].Out.Reply().Root
	if sent.Member("id").String != task.Member("id").String || sent.Member("id").String == "PRIVATE-id" {
		t.Errorf("the id %q is answered by %q", sent.Member("id").String, task.Member("id").String)
	}
	if got, want := got.Passed[2].Out.Call().Root.At("/params/taskId").String, task.At("/result/task/id").String; got != want {
		t.Errorf("the task %q is called %q later", want, got)
	}
	if state := task.At("/result/task/status/state").String; state != "TASK_STATE_COMPLETED" {
		t.Errorf("the state is %q", state)
	}
	if time := task.At("/result/task/status/timestamp").String; time != "2026-01-02T03:04:05Z" {
		t.Errorf("the timestamp is %q", time)
	}
	events := got.Passed[3].Out.Events()
	if len(events) != 2 || events[1].Root.At("/result/artifactUpdate/taskId").String != task.At("/result/task/id").String {
		t.Errorf("got %d events", len(events))
	}
	if n := len(got.Passed[0].Out.Reply().Root.At("/supportedInterfaces").Elems); n != 1 {
		t.Errorf("the card has %d interfaces", n)
	}
}

// describeShape writes the kinds of values and the lengths of texts, in their order.
func describeShape(n *record.Node) string {
	switch n.Kind {
	case record.Object:
		var of []string
		for _, m := range n.Members {
			of = append(of, fmt.Sprint(len(m.Name))+":"+describeShape(m.Value))
		}
		return "{" + strings.Join(of, ",") + "}"
	case record.Array:
		var of []string
		for _, e := range n.Elems {
			of = append(of, describeShape(e))
		}
		return "[" + strings.Join(of, ",") + "]"
	case record.String:
		if isAddress(n.String) {
			return "url"
		}
		return fmt.Sprint(len(n.String))
	}
	return n.Kind.String()
}

// A secret of a stream is hidden at its place though an event before it cannot be read. It is too short to be removed by its value.
func TestSecretsBehindAnUnreadableEvent(t *testing.T) {
	r := conversation(t)
	const id = `"jsonrpc":"2.0","id":"1"`
	r.Passed = append(r.Passed, exchange("http://agent.example/rpc", "POST /rpc HTTP/1.1\r\nContent-Type: application/json\r\n", `{`+id+`,"method":"SubscribeToTask","params":{"id":"t"}}`, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n",
		"data: {"+id+",\"result\":{\"token\":\"s3c-1\"}}\n\n: a comment\ndata: {oops\n\nid: 7\ndata: {"+id+",\"result\":{\"token\":\"s3c-3\"}}\n\n"))
	text := writeTranscript(t, Protect(r, true))
	for _, token := range []string{"s3c-1", "s3c-3"} {
		if strings.Contains(text, token) {
			t.Errorf("%s stayed", token)
		}
	}
	if !strings.Contains(text, "{oops") || !strings.Contains(text, "a comment") {
		t.Error("what can be shown with bodies is lost")
	}
}

// What is recorded of others is not changed in place: it is judged as it was.
func TestProtectCopies(t *testing.T) {
	r := conversation(t)
	before := writeTranscript(t, r)
	Protect(r, false)
	if writeTranscript(t, r) != before {
		t.Error("the recording was changed")
	}
}

// Different texts get different ones, of their length if it leaves room.
func TestAliases(t *testing.T) {
	a := newAliases()
	seen := map[string]string{}
	for i := range 2000 {
		text := fmt.Sprintf("text number %d", i)
		alias := a.aliasOf(text)
		if seen[alias] != "" || len(alias) != len(text) || alias != a.aliasOf(text) {
			t.Fatalf("%q became %q, as did %q", text, alias, seen[alias])
		}
		seen[alias] = text
	}
	for _, c := range strings.Split("abcdefghijklmnopqrstuvwxyzABCDEFG", "") {
		alias := a.aliasOf(c)
		if seen[alias] != "" {
			t.Errorf("%q became %q, as did %q", c, alias, seen[alias])
		}
		seen[alias] = c
	}
	if id := a.aliasOf("2f1c7d0a-9a0b-4c3d-8e5f-0123456789ab"); !uuid.MatchString(id) || id[14] != '4' {
		t.Errorf("a UUID became %q", id)
	}
	if !slices.Equal([]string{a.aliasOf(""), a.aliasOf("  ")}, []string{"", "  "}) {
		t.Error("a text without a character did not stay")
	}
}

// Whatever a body has, what is left of it can be read as what it was.
func FuzzProtect(f *testing.F) {
	for _, p := range conversation(&testing.T{}).Passed {
		f.Add(p.Out.Request.Body, p.Out.Response.Body)
	}
	f.Fuzz(func(t *testing.T, sent, received []byte) {
		r := conversation(t)
		r.Passed = r.Passed[1:4]
		for i, kind := range []string{"application/json", "application/json", "text/event-stream"} {
			m := &r.Passed[i].Out.Response
			m.Head, m.Body, m.Chunks = []byte("HTTP/1.1 200 OK\r\nContent-Type: "+kind+"\r\n\r\n"), received, nil
			r.Passed[i].Out.Request.Body = sent
		}
		for _, bodies := range []bool{true, false} {
			for i, p := range Protect(r, bodies).Passed {
				before, after := r.Passed[i].Out.Call(), p.Out.Call()
				if before.Root != nil && len(before.Faults) == 0 && len(p.Out.Request.Body) > 0 && (after.Root == nil || len(after.Faults) > 0) {
					t.Errorf("%q became %q: %v", sent, p.Out.Request.Body, after.Faults)
				}
			}
		}
	})
}

// A secret is removed wherever it is, also if it came in an exchange that is not judged, in a trailer, or in a header field that was
// taken out before.
func TestSecretsOfOtherPlaces(t *testing.T) {
	r := conversation(t)
	says := func(text string) traffic.Passed {
		return exchange("http://agent.example/rpc", "POST /rpc HTTP/1.1\r\nContent-Type: application/json\r\n", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}`,
			"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n", `{"jsonrpc":"2.0","id":1,"result":{"id":"t","text":"`+text+`"}}`)
	}
	r.Passed = append(r.Passed[:1:1], says("PRIVATE "+secret("bearer")+" "+secret("trailer")+" "+secret("hidden")))
	r.Others = conversation(t).Passed[1:]
	r.Passed[0].Out.Response.Trailer = []byte("X-Token: " + secret("trailer") + "\r\n")
	r.Passed[1].Credentials = map[string][]string{"Authorization": {"Bearer " + secret("hidden")}}
	protected := Protect(r, true)
	text := writeTranscript(t, protected)
	if at := strings.Index(text, "S3cr3t"); at >= 0 || !strings.Contains(text, "PRIVATE") {
		t.Errorf("a secret was left: %q", text[max(0, at):min(len(text), max(0, at)+60)])
	}
	if protected.Others != nil || protected.Passed[1].Credentials != nil {
		t.Error("what is not judged was kept")
	}
}
