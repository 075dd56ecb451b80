package reference

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rest03 makes requests of A2A 0.3 over HTTP+JSON, in one of the two forms that there are.
type rest03 struct {
	t      *testing.T
	base   string // as on the card, with /v1 if it is not there
	schema bool   // the form of the schema, not that of the definition of the service
	more   map[string]string
}

func startRest03(t *testing.T, variant string) (*Server, rest03) {
	t.Helper()
	s := start(t, Options{Dialect: "a2a-0.3", Variant: variant})
	base := interface03(t, s, "HTTP+JSON")
	if !strings.HasSuffix(base, "/v1") {
		base += "/v1"
	}
	return s, rest03{t, base, variant == "rest-schema", nil}
}

// interface03 is the url of an interface on the card; empty if there is none.
func interface03(t *testing.T, s *Server, transport string) string {
	t.Helper()
	list, _ := at(fetch(t, "GET", s.URL()+"/.well-known/agent-card.json", "", "").body, "additionalInterfaces").([]any)
	i := slices.IndexFunc(list, func(v any) bool { return text(v, "transport") == transport })
	if i < 0 {
		return ""
	}
	return text(list[i], "url")
}

// as is the same client with other headers.
func (c rest03) as(headers map[string]string) rest03 {
	c.more = headers
	return c
}

// say is the body of a message with one text, in the form that the server speaks, with
// further members of the message and beside it.
func (c rest03) say(what, more, beside string) string {
	if c.schema {
		return `{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":` + strconv.Quote(what) + `}]` + more + `}` + beside + `}`
	}
	return proto03(what, more, beside)
}

// proto03 is say in the form of the definition of the service.
func proto03(what, more, beside string) string {
	return `{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":` + strconv.Quote(what) + `}]` + more + `}` + beside + `}`
}

// wait03 is the configuration of a client that waits for the end.
const wait03 = `,"configuration":{"blocking":true}`

// ask makes a request and reads the whole reply. A body is labelled as is due.
func (c rest03) ask(verb, path, body string) result {
	c.t.Helper()
	media := ""
	if body != "" {
		media = "application/json"
	}
	return c.askAs(media, verb, path, body)
}

func (c rest03) askAs(media, verb, path, body string) result {
	c.t.Helper()
	r := fetchWith(c.t, verb, c.base+path, media, body, c.more)
	if got := r.header.Get("Content-Type"); r.raw != "" && !strings.HasPrefix(got, "application/json") && !strings.HasPrefix(got, "text/event-stream") {
		c.t.Errorf("%s %s is answered as %q", verb, path, got)
	}
	if at(r.body, "jsonrpc") != nil {
		c.t.Errorf("%s %s is answered with an envelope: %s", verb, path, r.raw)
	}
	return r
}

// refused expects an error of a status with a code.
func (c rest03) refused(r result, status, code int) {
	c.t.Helper()
	expect(c.t, r.body, map[string]any{"code": code})
	if r.status != status || text(r.body, "message") == "" {
		c.t.Errorf("refused with HTTP %d and %s, want %d", r.status, r.raw, status)
	}
}

// events reads the events of a stream to its end.
func (c rest03) events(verb, path, body string) []any {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), verb, c.base+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	reply, err := client.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer reply.Body.Close()
	if media := reply.Header.Get("Content-Type"); !strings.HasPrefix(media, "text/event-stream") || reply.StatusCode != 200 {
		raw, _ := io.ReadAll(reply.Body)
		c.t.Fatalf("%s %s: the stream is %d %s %s", verb, path, reply.StatusCode, media, raw)
	}
	return readEvents(c.t, reply.Body, func(v any) {
		if at(v, "jsonrpc") != nil {
			c.t.Errorf("an event has an envelope: %v", v)
		}
	})
}

// names are what the two forms say in different words.
func (c rest03) names() (state func(string) string, agent, parts string) {
	if c.schema {
		return func(s string) string { return s }, "agent", "parts"
	}
	return func(s string) string {
		if s == "canceled" {
			return "TASK_STATE_CANCELLED"
		}
		return "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(s, "-", "_"))
	}, "ROLE_AGENT", "content"
}

func TestRest03ServesEveryOperation(t *testing.T) {
	t.Parallel()
	for _, variant := range []string{"full", "lavish", "tls", "rest-schema"} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			s, c := startRest03(t, variant)
			state, agent, parts := c.names()
			done := c.ask("POST", "/message:send", c.say("echo hello", `,"contextId":"a/b c"`, wait03))
			expect(t, done.body, map[string]any{"task/status/state": state("completed"), "task/contextId": "a/b c", "task/status/message/role": agent,
				"task/status/message/" + parts + "/0/text": "hello"})
			id := text(done.body, "task/id")
			expect(t, c.ask("GET", "/tasks/"+id+"?historyLength=1", "").body, map[string]any{"id": id, "status/state": state("completed"), "history/0/role": agent, "history/1": nil})
			if !c.schema { // no limit
				expect(t, c.ask("GET", "/tasks/"+id+"?historyLength=0", "").body, map[string]any{"history/1/role": agent})
			}
			expect(t, rpc(t, s.URL(), "tasks/get", `{"id":"`+id+`"}`).body, map[string]any{"result/id": id})
			expect(t, c.ask("POST", "/message:send", c.say("hello", "", "")).body, map[string]any{"message/role": agent, "task": nil})
			c.refused(c.ask("POST", "/tasks/"+id+":cancel", ""), 409, -32002)
			c.refused(c.ask("POST", "/message:send", c.say("more", `,"taskId":"`+id+`"`, "")), 400, -32004)
			c.refused(c.ask("GET", "/tasks/no%2Fsuch", ""), 404, -32001)

			waiting := text(c.ask("POST", "/message:send", c.say("ask", "", wait03)).body, "task/id")
			c.configures(s, waiting)
			canceled := c.ask("POST", "/tasks/"+waiting+":cancel", `{"name":"tasks/`+waiting+`"}`)
			expect(t, canceled.body, map[string]any{"id": waiting, "status/state": state("canceled")})

			list := c.events("POST", "/message:stream", c.say("artifact", "", ""))
			expect(t, list[0], map[string]any{"task/status/state": state("submitted")})
			expect(t, list[len(list)-1], map[string]any{"statusUpdate/status/state": state("completed"), "statusUpdate/final": true})
			if !slices.ContainsFunc(list, func(v any) bool { return at(v, "artifactUpdate/artifact/parts/0/text") != nil }) {
				t.Errorf("no event has an artifact: %v", list)
			}
			right, wrong := "GET", "POST"
			switch {
			case c.schema:
				right, wrong = wrong, right
			case variant != "tls":
				wrong = ""
			}
			slow := text(c.ask("POST", "/message:send", c.say("slow 0.3", "", `,"configuration":{"blocking":false}`)).body, "task/id")
			list = c.events(right, "/tasks/"+slow+":subscribe", "")
			expect(t, list[len(list)-1], map[string]any{"statusUpdate/status/state": state("completed")})
			if wrong == "" {
				again := text(c.ask("POST", "/message:send", c.say("slow 0.3", "", `,"configuration":{"blocking":false}`)).body, "task/id")
				list = c.events("POST", "/tasks/"+again+":subscribe", "")
				expect(t, list[len(list)-1], map[string]any{"statusUpdate/status/state": state("completed")})
			} else if r := c.ask(wrong, "/tasks/"+slow+":subscribe", ""); r.status != 404 && r.status != 405 {
				t.Errorf("a subscription by %s is answered with %d", wrong, r.status)
			}
			c.refused(c.ask("GET", "/card", ""), 404, -32007)
			if variant != "lavish" {
				c.refused(c.ask(right, "/tasks/"+id+":subscribe", ""), 400, -32004)
			}
			c.refused(c.ask("POST", "/message:stream", `{}`), 400, -32602)
		})
	}
}

// configures makes, shows, lists and deletes a push configuration of a task.
func (c rest03) configures(s *Server, task string) {
	t := c.t
	t.Helper()
	configs := "/tasks/" + task + "/pushNotificationConfigs"
	config := `{"id":"c 1","url":"https://hook.invalid/","authentication":{"schemes":["Bearer"],"credentials":"x"}}`
	body, wrong, want := `{"pushNotificationConfig":`+config+`}`, `{"config":`+config+`}`, map[string]any{"name": "tasks/" + task + "/pushNotificationConfigs/c 1", "taskId": nil}
	one := "configs/0/"
	if c.schema {
		body, wrong, want = wrong, body, map[string]any{"taskId": task, "name": nil}
		one = "0/"
	}
	want["pushNotificationConfig/id"], want["pushNotificationConfig/authentication/schemes/0"] = "c 1", "Bearer"
	if s.Variant.Name == "tls" || c.schema {
		c.refused(c.ask("POST", configs, wrong), 400, -32602)
	} else {
		expect(t, c.ask("POST", configs, wrong).body, want)
		expect(t, c.ask("POST", configs, `{"parent":"tasks/`+task+`","configId":"c 1","config":`+body+`}`).body, want)
	}
	expect(t, c.ask("POST", configs, body).body, want)
	expect(t, c.ask("GET", configs+"/c%201", "").body, want)
	expect(t, c.ask("GET", configs, "").body, map[string]any{one + "pushNotificationConfig/url": "https://hook.invalid/"})
	expect(t, rpc(t, s.URL(), listPushConfigMethod, `{"id":"`+task+`"}`).body, map[string]any{"result/0/pushNotificationConfig/id": "c 1"})
	if r := c.ask("DELETE", configs+"/c%201", ""); r.status != 200 && r.status != 204 || r.raw != "" {
		t.Errorf("DELETE is answered with %d %q", r.status, r.raw)
	}
	c.refused(c.ask("GET", configs+"/c%201", ""), 404, -32602)
	expect(t, c.ask("GET", configs, "").body, map[string]any{one + "pushNotificationConfig": nil})
}

// Parts of every kind come and go in the form that the server speaks.
func TestRest03Parts(t *testing.T) {
	t.Parallel()
	for variant, test := range map[string]struct{ send, file, data string }{
		"full": {`{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"echo x"},{"file":{"fileWithBytes":"aGk=","mimeType":"image/png","name":"a"}},{"data":{"data":{"n":1.5}}}]}}`,
			"content/1/file/fileWithBytes", "content/2/data/data/n"},
		"rest-schema": {`{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"echo x"},{"kind":"file","file":{"bytes":"aGk=","mimeType":"image/png"}},{"kind":"data","data":{"n":1.5}}]}}`,
			"parts/1/file/bytes", "parts/2/data/n"},
	} {
		_, c := startRest03(t, variant)
		expect(t, c.ask("POST", "/message:send", test.send).body, map[string]any{"task/history/0/" + test.file: "aGk=", "task/history/0/" + test.data: json.Number("1.5")})
	}
}

// What is said over HTTP+JSON is what is said over JSON-RPC, or else over gRPC.
func TestRest03LosesNothing(t *testing.T) {
	t.Parallel()
	_, schema := startRest03(t, "rest-schema")
	for _, variant := range []string{"full", "minimal"} {
		s, grpc := startGRPC03(t, variant)
		proto := rest03{t, s.URL() + "/rest/v1", false, nil}
		for _, word := range []string{"echo hello", "ask", "artifact", "fail"} {
			said := proto03(word, `,"metadata":{"n":1.5,"list":[null,{"a":true}]}`, wait03)
			id := text(proto.ask("POST", "/message:send", said).body, "task/id")
			same(t, proto.ask("GET", "/tasks/"+id+"?historyLength=9", "").body, grpc.call("GetTask", `{"name":"tasks/`+id+`","historyLength":9}`).result(t))
		}
	}
	for _, word := range []string{"echo hello", "ask", "artifact", "fail"} {
		id := text(schema.ask("POST", "/message:send", schema.say(word, "", wait03)).body, "task/id")
		rpc := rpc(t, strings.TrimSuffix(schema.base, "rest/v1"), "tasks/get", `{"id":"`+id+`"}`)
		if got, want := encode(schema.ask("GET", "/tasks/"+id, "").body), encode(at(rpc.body, "result")); string(got) != string(want) {
			t.Errorf("over HTTP+JSON it is\n%s\nand over JSON-RPC\n%s", got, want)
		}
	}
}

// Each form refuses the other.
func TestRest03RefusesTheOtherForm(t *testing.T) {
	t.Parallel()
	_, proto := startRest03(t, "full")
	_, schema := startRest03(t, "rest-schema")
	for _, path := range []string{"/message:send", "/message:stream"} {
		proto.refused(proto.ask("POST", path, schema.say("echo x", "", "")), 400, -32602)
		schema.refused(schema.ask("POST", path, proto.say("echo x", "", "")), 400, -32602)
	}
	if strings.HasSuffix(interface03(t, start(t, Options{Dialect: "a2a-0.3"}), "HTTP+JSON"), "/v1") {
		t.Error("the url on the card of the variant full ends in /v1")
	}
	if !strings.HasSuffix(interface03(t, start(t, Options{Dialect: "a2a-0.3", Variant: "rest-schema"}), "HTTP+JSON"), "/rest/v1") {
		t.Error("the url on the card of the variant rest-schema does not end in /v1")
	}
	if r := schema.ask("GET", "/v1/tasks/none", ""); r.status != 404 || at(r.body, "code") != num(-32601) {
		t.Errorf("the version may stand in a path twice: %d %s", r.status, r.raw)
	}
}

func TestRest03Refuses(t *testing.T) {
	t.Parallel()
	_, full := startRest03(t, "full")
	_, schema := startRest03(t, "rest-schema")
	for _, c := range []rest03{full, schema} {
		message := c.say("echo x", "", "")
		for _, test := range []struct {
			media, verb, path, body string
			status, code            int
		}{
			{"", "GET", "/no-such-path", "", 404, -32601},
			{"", "GET", "", "", 404, -32601},
			{"", "GET", "/tasks", "", 404, -32601},
			{"", "DELETE", "/message:send", "", 405, -32600},
			{"", "POST", "/tasks/x", "", 405, -32600},
			{"text/plain", "POST", "/message:send", message, 415, -32600},
			{"", "POST", "/message:send", message, 415, -32600},
			{"application/json", "POST", "/message:send", `{"message":`, 400, -32700},
			{"application/json", "POST", "/message:send", `[]`, 400, -32602},
			{"application/json", "POST", "/message:send", `{}`, 400, -32602},
			{"", "POST", "/message:send", "", 400, -32602},
			{"application/json", "POST", "/message:send", strings.Repeat(" ", maxBody+1), 413, -32600},
			{"", "GET", "/tasks/none?historyLength=many", "", 400, -32602},
			{"", "POST", "/tasks/none:cancel", "", 404, -32001},
			{"", "GET", "/tasks/none/pushNotificationConfigs", "", 404, -32001},
		} {
			r := c.askAs(test.media, test.verb, test.path, test.body)
			c.refused(r, test.status, test.code)
			if allow := r.header.Get("Allow"); (allow != "") != (r.status == 405) {
				t.Errorf("%s %s is for %q", test.verb, test.path, allow)
			}
			expect(t, r.body, map[string]any{"data/reason": text(r.body, "message")})
		}
		expect(t, c.askAs("application/json; charset=utf-8", "POST", "/message:send", message).body, map[string]any{"code": nil})
	}
	full.refused(full.ask("POST", "/message:send", `{"message":{"messageId":"m","role":"ROLE_USER","content":[{"file":{"fileWithBytes":"eA==","mimeType":"application/x-unknown"}}]}}`), 415, -32005)

	_, silent := startRest03(t, "silent")
	silent.refused(silent.ask("POST", "/message:stream", proto03("echo x", "", "")), 501, -32004)
	silent.refused(silent.ask("GET", "/tasks/x:subscribe", ""), 501, -32004)
	silent.refused(silent.ask("GET", "/tasks/x/pushNotificationConfigs", ""), 501, -32003)
	_, minimal := startRest03(t, "minimal")
	r := minimal.ask("GET", "/tasks/none", "")
	minimal.refused(r, 404, -32001)
	expect(t, r.body, map[string]any{"data": nil})
	minimal.refused(minimal.ask("GET", "/card", ""), 404, -32601)
	expect(t, minimal.ask("POST", "/message:send", proto03("echo x", "", wait03)).body, map[string]any{"task/status/state": "TASK_STATE_COMPLETED", "task/history": nil})
	_, extended := startRest03(t, "extended")
	extended.refused(extended.ask("POST", "/message:send", proto03("echo x", "", "")), 400, -32600)
	if r := extended.as(map[string]string{extensionsHeader: a2a03Trace}).ask("POST", "/message:send", proto03("echo x", "", "")); r.status != 200 || r.header.Get(extensionsHeader) != a2a03Trace {
		t.Errorf("the extension is answered with %d, %q", r.status, r.header.Get(extensionsHeader))
	}
}

func TestRest03IsGuarded(t *testing.T) {
	t.Parallel()
	_, c := startRest03(t, "guarded")
	as := func(credential string) rest03 { return c.as(map[string]string{"Authorization": credential}) }
	id := text(c.ask("POST", "/message:send", c.say("ask", "", wait03)).body, "task/id")
	for _, path := range []string{"/tasks/" + id, "/card", "/no-such-path"} {
		r := as("").ask("GET", path, "")
		c.refused(r, 401, -32050)
		if !strings.HasPrefix(r.header.Get("WWW-Authenticate"), "Bearer ") || at(r.body, "data") == nil {
			t.Errorf("GET %s is refused without a challenge or in another shape", path)
		}
	}
	c.refused(as("Bearer "+SecondToken).ask("GET", "/tasks/"+id, ""), 404, -32001)
	c.refused(as("Bearer "+LowToken).ask("POST", "/message:send", c.say("forbidden", "", "")), 403, -32051)
	expect(t, c.as(map[string]string{"Authorization": "", apiKeyHeader: Token}).ask("GET", "/tasks/"+id, "").body, map[string]any{"id": id})
	expect(t, c.ask("GET", "/card", "").body, map[string]any{"skills/2/id": "remember", "protocolVersion": "0.3.0", "securitySchemes/bearer/type": "http"})
}

// The other protocols that build on A2A 0.3 have no further interfaces.
func TestOnly03HasOtherBindings(t *testing.T) {
	t.Parallel()
	for _, variant := range Variants("a2a-0.3") {
		s := start(t, Options{Dialect: "a2a-0.3", Variant: variant})
		if interface03(t, s, "HTTP+JSON") == "" || interface03(t, s, "GRPC") != "" {
			t.Errorf("%s: without an address for gRPC the card has %q and %q", variant, interface03(t, s, "HTTP+JSON"), interface03(t, s, "GRPC"))
		}
	}
	for dialect, path := range map[string]string{"a2x-0.3": "/.well-known/agent.json", "jaf-0.3": "/.well-known/agent-card"} {
		s := start(t, Options{Dialect: dialect})
		if card := fetch(t, "GET", s.URL()+path, "", ""); strings.Contains(card.raw, "HTTP+JSON") {
			t.Errorf("%s: the card is %s", dialect, card.raw)
		}
		if r := fetch(t, "POST", s.URL()+"/rest/v1/message:send", "application/json", proto03("echo x", "", "")); r.status < 400 {
			t.Errorf("%s: HTTP+JSON is answered with %d", dialect, r.status)
		}
	}
}
