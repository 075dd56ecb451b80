package reference

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestA2A10CardIsCached(t *testing.T) {
	t.Parallel()
	for _, variant := range Variants("a2a-1.0") {
		s, _ := start10(t, variant)
		url := s.URL() + "/.well-known/agent-card.json"
		first := fetch(t, "GET", url, "", "")
		tag := first.header.Get("ETag")
		if tag == "" || !strings.Contains(first.header.Get("Cache-Control"), "max-age=") || first.header.Get("Last-Modified") == "" {
			t.Errorf("%s: the card comes with %v", variant, first.header)
		}
		again := fetchWith(t, "GET", url, "", "", map[string]string{"If-None-Match": tag})
		if again.status != http.StatusNotModified || again.raw != "" || again.header.Get("ETag") != tag {
			t.Errorf("%s: the unchanged card is answered with %d %q", variant, again.status, again.raw)
		}
		if other := fetchWith(t, "GET", url, "", "", map[string]string{"If-None-Match": `"x"`}); other.status != http.StatusOK {
			t.Errorf("%s: another tag is answered with %d", variant, other.status)
		}
		expect(t, first.body, map[string]any{"supportedInterfaces/0/url": s.URL() + "/", "supportedInterfaces/0/protocolBinding": "JSONRPC",
			"supportedInterfaces/0/protocolVersion": "1.0"})
	}
}

// verified reports whether a signature of a card holds: the card without its
// signatures, with sorted members, is what was signed.
func verified(card any, n int) bool {
	m, _ := card.(map[string]any)
	protected, sealed := text(card, fmt.Sprintf("signatures/%d/protected", n)), text(card, fmt.Sprintf("signatures/%d/signature", n))
	var rest = map[string]any{}
	for name, v := range m {
		if name != "signatures" {
			rest[name] = v
		}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(rest)
	block, _ := pem.Decode(CardKey())
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	raw, err2 := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil || err2 != nil || len(raw) != 64 {
		return false
	}
	sum := sha256.Sum256([]byte(protected + "." + base64.RawURLEncoding.EncodeToString([]byte(strings.TrimSuffix(b.String(), "\n")))))
	return ecdsa.Verify(key.(*ecdsa.PublicKey), sum[:], new(big.Int).SetBytes(raw[:32]), new(big.Int).SetBytes(raw[32:]))
}

func TestA2A10CardIsSigned(t *testing.T) {
	t.Parallel()
	s, _ := start10(t, "signed")
	card := fetch(t, "GET", s.URL()+"/.well-known/agent-card.json", "", "").body
	if !verified(card, 0) {
		t.Errorf("the signature does not hold: %v", at(card, "signatures"))
	}
	header, err := base64.RawURLEncoding.DecodeString(text(card, "signatures/0/protected"))
	if err != nil {
		t.Fatal(err)
	}
	v, _ := decode(header)
	expect(t, v, map[string]any{"alg": "ES256", "typ": "JOSE", "kid": "reference-es256"})
	expect(t, fetch(t, "GET", text(v, "jku"), "", "").body, map[string]any{"keys/0/kid": "reference-es256", "keys/0/crv": "P-256"})
	card.(map[string]any)["name"] = "Another"
	if verified(card, 0) {
		t.Error("the signature holds for another card")
	}
}

// hook is a receiver of push notifications that keeps what comes.
type hook struct {
	*httptest.Server
	got chan told
}

type told struct {
	header http.Header
	body   any
}

func newHook(t *testing.T) hook {
	h := hook{got: make(chan told, 100)}
	h.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		body, _ := decode(raw)
		h.got <- told{r.Header, body}
	}))
	t.Cleanup(h.Close)
	return h
}

// next waits for a notification.
func (h hook) next(t *testing.T) told {
	t.Helper()
	select {
	case n := <-h.got:
		return n
	case <-time.After(10 * time.Second):
		t.Fatal("no notification came")
		return told{}
	}
}

func TestA2A10Pushes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ variant, state string }{{"full", "statusUpdate/status/state"}, {"lavish", "task/status/state"}} {
		_, c := start10(t, test.variant)
		h := newHook(t)
		c.say("artifact", "", `,"configuration":{"taskPushNotificationConfig":{"url":"`+h.URL+`","token":"abc","authentication":{"scheme":"Custom","credentials":"xyz"}}}`)
		var states []string
		for len(states) == 0 || states[len(states)-1] != "TASK_STATE_COMPLETED" {
			n := h.next(t)
			if n.header.Get("Content-Type") != "application/a2a+json" || n.header.Get("Authorization") != "Custom xyz" || n.header.Get("X-A2A-Notification-Token") != "abc" {
				t.Errorf("a notification comes with %v", n.header)
			}
			if state := text(n.body, test.state); state != "" {
				states = append(states, state)
			} else if at(n.body, "artifactUpdate/artifact/artifactId") == nil {
				t.Errorf("a notification is %v", n.body)
			}
		}
		if states[0] != "TASK_STATE_SUBMITTED" || !slices.Contains(states, "TASK_STATE_WORKING") {
			t.Errorf("the notifications say %v", states)
		}
	}
}

// A receiver that a client of 0.3 set up gets the task, as it knows it.
func TestA2A10PushesToOlderClients(t *testing.T) {
	t.Parallel()
	_, c := start10(t, "two-versions")
	h := newHook(t)
	c.with("A2A-Version", "0.3").call("message/send", v03Text("ask", `{"blocking":true,"pushNotificationConfig":{"url":"`+h.URL+`"}}`))
	n := h.next(t)
	expect(t, n.body, map[string]any{"kind": "task", "statusUpdate": nil})
	if media := n.header.Get("Content-Type"); media != "application/json" {
		t.Errorf("the notification is %s", media)
	}
}

func TestA2A10PushConfigurations(t *testing.T) {
	t.Parallel()
	_, c := start10(t, "full")
	id := text(c.say("ask", "", ""), "result/task/id")
	made := c.call("CreateTaskPushNotificationConfig", `{"taskId":"`+id+`","url":"https://hook.invalid/","tenant":"x"}`).body
	expect(t, made, map[string]any{"result/taskId": id, "result/url": "https://hook.invalid/", "result/tenant": "x"})
	config := text(made, "result/id")
	expect(t, c.call("CreateTaskPushNotificationConfig", `{"taskId":"`+id+`","id":"mine","url":"https://hook.invalid/2","authentication":{"scheme":"Basic","credentials":"eA=="}}`).body,
		map[string]any{"result/id": "mine", "result/authentication/scheme": "Basic"})
	get := func(config string) any {
		return c.call("GetTaskPushNotificationConfig", `{"taskId":"`+id+`","id":"`+config+`"}`).body
	}
	expect(t, get(config), map[string]any{"result/url": "https://hook.invalid/"})
	expect(t, get("none"), map[string]any{"error/code": -32001})
	page := c.call("ListTaskPushNotificationConfigs", `{"taskId":"`+id+`","pageSize":1}`).body
	expect(t, page, map[string]any{"result/configs/0/id": config, "result/configs/1": nil})
	expect(t, c.call("ListTaskPushNotificationConfigs", `{"taskId":"`+id+`","pageSize":1,"pageToken":"`+text(page, "result/nextPageToken")+`"}`).body,
		map[string]any{"result/configs/0/id": "mine", "result/nextPageToken": ""})
	for range 2 {
		if gone := c.call("DeleteTaskPushNotificationConfig", `{"taskId":"`+id+`","id":"mine"}`).body; at(gone, "error") != nil || at(gone, "result") == nil {
			t.Errorf("deleting is answered with %v", gone)
		}
	}
	expect(t, c.call("ListTaskPushNotificationConfigs", `{"taskId":"`+id+`"}`).body, map[string]any{"result/configs/0/id": config, "result/configs/1": nil})
	for _, method := range []string{"Create", "Get", "Delete"} {
		expect(t, c.call(method+"TaskPushNotificationConfig", `{"taskId":"none","id":"x","url":"https://hook.invalid/"}`).body, map[string]any{"error/code": -32001})
	}
	for _, more := range []string{``, `,"url":"nowhere"`, `,"url":"http://169.254.1.1/"`, `,"url":"https://hook.invalid/","authentication":{"credentials":"x"}`} {
		expect(t, c.call("CreateTaskPushNotificationConfig", `{"taskId":"`+id+`"`+more+`}`).body, map[string]any{"error/code": -32602})
	}
}

func TestA2A10Guard(t *testing.T) {
	t.Parallel()
	_, c := start10(t, "guarded")
	id := text(c.say("ask", "", ""), "result/task/id")
	nobody := c.with("Authorization", "Bearer wrong")
	for _, method := range []string{"SendMessage", "GetTask", "ListTasks", "GetExtendedAgentCard"} {
		if r := nobody.call(method, `{"id":"`+id+`"}`); r.status != http.StatusUnauthorized || !strings.HasPrefix(r.header.Get("WWW-Authenticate"), "Bearer") {
			t.Errorf("%s of a stranger is answered with %d", method, r.status)
		}
	}
	expect(t, nobody.with("Authorization", "").with("X-API-Key", Token).call("GetTask", `{"id":"`+id+`"}`).body, map[string]any{"result/id": id})
	second, low := c.with("Authorization", "Bearer "+SecondToken), c.with("Authorization", "Bearer "+LowToken)
	for _, method := range []string{"GetTask", "CancelTask", "SubscribeToTask"} {
		foreign, missing := second.call(method, `{"id":"`+id+`"}`), second.call(method, `{"id":"none"}`)
		if foreign.raw != missing.raw || !strings.Contains(foreign.raw, "-32001") {
			t.Errorf("%s: a foreign task is answered with %s, a missing one with %s", method, foreign.raw, missing.raw)
		}
	}
	expect(t, second.say("x", `,"taskId":"`+id+`"`, ""), map[string]any{"error/code": -32001})
	expect(t, second.call("GetTaskPushNotificationConfig", `{"taskId":"`+id+`","id":"x"}`).body, map[string]any{"error/code": -32001})
	expect(t, second.call("ListTasks", `{}`).body, map[string]any{"result/totalSize": 0})
	expect(t, c.call("ListTasks", `{}`).body, map[string]any{"result/totalSize": 1, "result/tasks/0/id": id})
	if r := low.call("SendMessage", v10Text("forbidden", "", "")); r.status != http.StatusForbidden {
		t.Errorf("what is not allowed is answered with %d", r.status)
	}
	expect(t, c.call("GetExtendedAgentCard", `{}`).body, map[string]any{"result/skills/2/id": "remember", "result/skills/3/id": "forbidden"})
	expect(t, low.call("GetExtendedAgentCard", `{}`).body, map[string]any{"result/skills/2/id": "remember", "result/skills/3": nil})
	_, full := start10(t, "full")
	expect(t, full.call("GetExtendedAgentCard", `{}`).body, map[string]any{"error/code": -32004})
	_, lavish := start10(t, "lavish")
	expect(t, lavish.call("GetExtendedAgentCard", `{}`).body, map[string]any{"error/code": -32007})
}

func TestA2A10Extensions(t *testing.T) {
	t.Parallel()
	_, c := start10(t, "extended")
	const trace = "https://conform.example.com/ext/trace/v1"
	for _, asked := range []string{"", "https://conformance.example/ext/none", strings.TrimSuffix(trace, "1") + "2"} {
		body := c.with("A2A-Extensions", asked).say("echo x", "", "")
		expect(t, body, map[string]any{"error/code": -32008, "error/data/0/reason": "EXTENSION_SUPPORT_REQUIRED", "error/data/0/domain": "a2a-protocol.org"})
	}
	for _, asked := range []string{trace, "https://conformance.example/ext/none, " + trace, "https://conformance.example/ext/none," + trace} {
		r := c.with("a2a-extensions", asked).call("SendMessage", v10Text("echo x", `,"extensions":["`+trace+`"]`, ""))
		expect(t, r.body, map[string]any{"result/task/status/message/extensions/0": trace})
		if got := r.header.Get("A2A-Extensions"); got != trace {
			t.Errorf("the response names %q", got)
		}
	}
}

func TestA2A10Tenants(t *testing.T) {
	t.Parallel()
	_, c := start10(t, "tenanted")
	expect(t, c.say("ask", "", ""), map[string]any{"error/code": -32602})
	expect(t, c.say("ask", "", `,"tenant":"nobody"`), map[string]any{"error/code": -32602})
	id := text(c.say("ask", "", `,"tenant":"acme"`), "result/task/id")
	for tenant, code := range map[string]any{"acme": nil, "globex": num(-32001), "nobody": num(-32001)} {
		expect(t, c.call("GetTask", `{"id":"`+id+`","tenant":"`+tenant+`"}`).body, map[string]any{"error/code": code})
		want := 0
		if code == nil {
			want = 1
		}
		expect(t, c.call("ListTasks", `{"tenant":"`+tenant+`"}`).body, map[string]any{"result/totalSize": want})
	}
	_, full := start10(t, "full")
	expect(t, full.say("echo x", "", `,"tenant":"any"`), map[string]any{"result/task/status/state": "TASK_STATE_COMPLETED"})
}

func TestA2A10Talks(t *testing.T) {
	t.Parallel()
	_, c := start10(t, "talking")
	expect(t, c.say("echo x", "", ""), map[string]any{"result/message/parts/0/text": "Hello to you.", "result/task": nil})
	expect(t, c.call("ListTasks", `{}`).body, map[string]any{"result/totalSize": 0})
}

func TestA2A10TakesParts(t *testing.T) {
	t.Parallel()
	_, c := start10(t, "full")
	for part, code := range map[string]any{
		`{"text":"x","mediaType":"text/plain"}`:                   nil,
		`{"raw":"aGk=","mediaType":"image/png"}`:                  nil,
		`{"raw":"-_8","filename":"a.png"}`:                        nil,
		`{"url":"https://example.com/a","mediaType":"image/png"}`: nil,
		`{"data":{"a":1}}`:                                        nil,
		`{"data":[1,"a",null]}`:                                   nil,
		`{"data":5}`:                                              nil,
		`{"data":false}`:                                          nil,
		`{"text":"x","mediaType":"video/x-odd"}`:                  num(-32005),
		`{"raw":"aGk=","mediaType":"application/x-odd"}`:          num(-32005),
		`{}`:                     num(-32602),
		`{"text":"x","data":{}}`: num(-32602),
		`{"text":5}`:             num(-32602),
		`{"raw":"***"}`:          num(-32602),
		`{"kind":"text"}`:        num(-32602),
	} {
		expect(t, c.say("", `,"parts":[`+part+`]`, ""), map[string]any{"error/code": code})
	}
}
