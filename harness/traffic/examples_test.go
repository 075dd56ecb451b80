package traffic

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// That the agent refuses what its card gives as an example counts, if nothing in the recording shows another reason: not if the
// card asks for something besides, or the message has something besides, or a message of anybody was accepted.
func TestRefusedExamples(t *testing.T) {
	const card = `{"name":"A","defaultInputModes":["text/plain"],"capabilities":{},"skills":[{"id":"s","examples":["echo hello"]}],"supportedInterfaces":[{"url":"` + rpc + `","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`
	cardOf := func(old, new string) call {
		if !strings.Contains(card, old) {
			t.Fatalf("the card has no %s", old)
		}
		return call{url: "http://agent.example/.well-known/agent-card.json", response: strings.Replace(card, old, new, 1)}
	}
	usual := cardOf("", "")
	with := func(members, params string) call {
		return call{request: fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m%d","role":"ROLE_USER"%s}%s}}`, messages.Add(1), members, params), response: refused, sentField: "A2A-Version: 1.0"}
	}
	const parts = `,"parts":[{"text":"echo hello"}]`
	plain := func() call { return with(parts, "") }
	answered := func(c call, response string) call {
		c.response = response
		return c
	}
	alice, bob := "A2A-Version: 1.0\r\nAuthorization: Bearer a", "A2A-Version: 1.0\r\nAuthorization: Bearer b"
	for name, c := range map[string]struct {
		calls []call
		want  bool
	}{
		"the example":                     {[]call{usual, plain()}, true},
		"twice, by different users":       {[]call{usual, by(alice, plain()), by(bob, plain())}, true},
		"to wait for the end":             {[]call{usual, with(parts, `,"configuration":{"returnImmediately":false}`)}, true},
		"the card came again":             {[]call{usual, usual, plain()}, true},
		"another text":                    {[]call{usual, with(`,"parts":[{"text":"echo hello, please"}]`, "")}, false},
		"two texts":                       {[]call{usual, with(`,"parts":[{"text":"echo hello"},{"text":"x"}]`, "")}, false},
		"with metadata":                   {[]call{usual, with(parts+`,"metadata":{"a":1}`, "")}, false},
		"with metadata of the call":       {[]call{usual, with(parts, `,"metadata":{"a":1}`)}, false},
		"with metadata of the part":       {[]call{usual, with(`,"parts":[{"text":"echo hello","metadata":{}}]`, "")}, false},
		"with an extension":               {[]call{usual, with(parts+`,"extensions":["https://a.example/x"]`, "")}, false},
		"with a tenant":                   {[]call{usual, with(parts, `,"tenant":"t"`)}, false},
		"asks for a form of the answer":   {[]call{usual, with(parts, `,"configuration":{"acceptedOutputModes":["image/png"]}`)}, false},
		"asks for a webhook":              {[]call{usual, with(parts, `,"configuration":{"pushNotificationConfig":{"url":"http://h.example/"}}`)}, false},
		"about a task":                    {[]call{usual, with(parts+`,"taskId":"t"`, "")}, false},
		"without a card":                  {[]call{plain()}, false},
		"the card came later":             {[]call{plain(), usual}, false},
		"a card of another address":       {[]call{cardOf(rpc, "http://agent.example/other"), plain()}, false},
		"a card without it was there too": {[]call{usual, cardOf("echo hello", "echo"), plain()}, false},
		"it asks for credentials":         {[]call{cardOf(`"capabilities":{}`, `"securitySchemes":{"b":{"httpAuthSecurityScheme":{"scheme":"bearer"}}},"securityRequirements":[{"schemes":{"b":{"list":[]}}}],"capabilities":{}`), by(alice, plain())}, false},
		"it asks for an extension":        {[]call{cardOf(`"capabilities":{}`, `"capabilities":{"extensions":[{"uri":"https://a.example/x","required":true}]}`), plain()}, false},
		"an extension no header can name": {[]call{cardOf(`"capabilities":{}`, `"capabilities":{"extensions":[{"uri":"a,b","required":true}]}`), plain()}, false},
		"an extension it can do without":  {[]call{cardOf(`"capabilities":{}`, `"capabilities":{"extensions":[{"uri":"https://a.example/x"}]}`), plain()}, true},
		"it names a tenant":               {[]call{cardOf(`"protocolVersion":"1.0"`, `"protocolVersion":"1.0","tenant":"t"`), plain()}, false},
		"it takes no text":                {[]call{cardOf("text/plain", "image/png"), plain()}, false},
		"it names no modes":               {[]call{cardOf(`"defaultInputModes":["text/plain"],`, ""), plain()}, false},
		"another message was accepted":    {[]call{usual, plain(), {request: send("", ""), response: task("t", "c", "COMPLETED")}}, false},
		"one was accepted of another":     {[]call{usual, by(alice, plain()), by(bob, answered(plain(), task("t", "c", "COMPLETED")))}, false},
		"the same was accepted later":     {[]call{usual, plain(), answered(plain(), task("t", "c", "COMPLETED"))}, false},
		"nothing came to another":         {[]call{usual, plain(), answered(plain(), "")}, false},
		"a fault of the server":           {[]call{usual, answered(plain(), `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"busy"}}`)}, false},
		"it has no such method":           {[]call{usual, answered(plain(), `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x"}}`)}, false},
		"a gateway refused it":            {[]call{usual, {request: plain().request, sentField: "A2A-Version: 1.0", response: `{"message":"no route"}`, status: 400}}, false},
		"a rate limit":                    {[]call{usual, {request: plain().request, sentField: "A2A-Version: 1.0", response: refused, status: 429}}, false},
		"the credential has expired":      {[]call{usual, {request: plain().request, sentField: alice, response: refused, status: 401}}, false},
		"it names no version":             {[]call{usual, by("X: y", plain())}, false},
		"it is sent again":                {[]call{usual, {request: strings.Replace(send("", ""), `"x"`, `"y"`, 1), response: task("t", "c", "COMPLETED")}, plain()}, false},
	} {
		var all []*record.Exchange
		for i, one := range c.calls {
			all = append(all, newExchange(one, i, record.Out))
		}
		got := false
		for _, found := range readCalls(load(t, "a2a-1.0"), all, nil, false) {
			got = got || found.example
		}
		if got != c.want {
			t.Errorf("%s: it counts: %v, want %v", name, got, c.want)
		}
	}
}

// In a dialect whose agents may refuse a context that they do not know, a message in a context of the client's choice shows
// nothing.
func TestRefusedExamplesInContexts(t *testing.T) {
	for _, c := range []struct {
		dialect, more string
		want          bool
	}{
		{"a2a-1.0", "", true}, {"a2a-1.0", `,"contextId":"mine"`, false},
		{"a2a-0.3", "", true}, {"a2a-0.3", `,"contextId":"mine"`, false},
		{"jaf-0.3", `,"contextId":"mine"`, true},
	} {
		d := load(t, c.dialect)
		card := map[string]string{
			"a2a-1.0": `{"name":"A","defaultInputModes":["text/plain"],"skills":[{"id":"s","examples":["x"]}],"supportedInterfaces":[{"url":"` + rpc + `","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`,
			"a2a-0.3": `{"name":"A","protocolVersion":"0.3.0","defaultInputModes":["text/plain"],"skills":[{"id":"s","examples":["x"]}],"url":"` + rpc + `","preferredTransport":"JSONRPC"}`,
			"jaf-0.3": `{"name":"A","protocolVersion":"0.3.0","inputModes":["text"],"authentication":{"required":false,"schemes":[]},"skills":[{"id":"s","examples":[{"input":"x","output":"y"}]}],"url":"` + rpc + `"}`,
		}[c.dialect]
		message := call{request: `{"jsonrpc":"2.0","id":"1","method":"message/send","params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"x"}]` + c.more + `}}}`, response: `{"jsonrpc":"2.0","id":"1","error":{"code":-32602,"message":"x"}}`}
		if c.dialect == "a2a-1.0" {
			message = call{request: strings.Replace(send("", ""), `"parts"`, strings.TrimPrefix(c.more+",", ",")+`"parts"`, 1), response: refused, sentField: "A2A-Version: 1.0"}
		}
		r := Recording{Source: "test", Dialects: []*schema.Dialect{d}}
		if c.dialect == "jaf-0.3" {
			message.url = "http://agent.example/a2a"
		}
		for i, one := range []call{{url: "http://agent.example" + d.Card.Paths[0], response: card}, message} {
			r.Passed = append(r.Passed, Passed{Out: newExchange(one, i, record.Out)})
		}
		h, err := Recognise(r)
		if err != nil {
			t.Fatal(err)
		}
		got := false
		for _, v := range ListViews(d, h.Server).Named {
			got = got || v.Plays["quick"]
		}
		if got != c.want {
			t.Errorf("%s, with %q: the refusal is looked at: %v, want %v", c.dialect, c.more, got, c.want)
		}
	}
}
