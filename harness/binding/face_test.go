package binding

import (
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Answers look alike or not by status class, error code and shape, and never by
// what they say.
func TestFaces(t *testing.T) {
	b := ByNameOrDefault(nil, "")
	answer := func(status, kind, body string) *record.Exchange {
		return &record.Exchange{Dir: record.Out, Ended: record.EOF, Response: record.Message{Head: []byte("HTTP/1.1 " + status + " X\r\nContent-Type: " + kind + "\r\n\r\n"), Body: []byte(body)}}
	}
	json := func(body string) *record.Exchange { return answer("200", "application/json", body) }
	refused := json(`{"jsonrpc":"2.0","id":"a","error":{"code":-32001,"message":"no"}}`)
	for _, c := range []struct {
		name string
		a, b *record.Exchange
		want string // beginning of what differs; "" for nothing
	}{
		{"other words and order", refused, json(`{"id":"b","error":{"message":"nothing there","code":-32001},"jsonrpc":"2.0"}`), ""},
		{"another status of the class", refused, answer("202", "application/json", string(refused.Response.Body)), ""},
		{"another class", refused, answer("404", "application/json", string(refused.Response.Body)), "HTTP 2xx against HTTP 4xx"},
		{"another code", refused, json(`{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"no"}}`), "error code -32001 against error code -32601"},
		{"no code", refused, json(`{"jsonrpc":"2.0","id":"a","result":{}}`), "error code -32001 against no error code"},
		{"a member more", refused, json(`{"jsonrpc":"2.0","id":"a","error":{"code":-32001,"message":"no","data":{}}}`), "a body with other members"},
		{"another type", refused, json(`{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no"}}`), "a body with other members"},
		{"longer lists", json(`{"a":[1,2,3]}`), json(`{"a":[7]}`), ""},
		{"lists of something else", json(`{"a":[1]}`), json(`{"a":["x"]}`), "a body with other members"},
		{"an empty list", json(`{"a":[1]}`), json(`{"a":[]}`), "a body with other members"},
		{"no JSON", refused, answer("200", "text/html", "<p>"), "error code -32001 against no error code"},
		{"other pages", answer("403", "text/html", "<p>a"), answer("403", "text/html", "<h1>b"), ""},
		{"no body", answer("403", "text/html", "<p>a"), answer("403", "text/html", ""), "a body with other members"},
		{"no answer", refused, &record.Exchange{Dir: record.Out, Ended: record.Reset}, "HTTP 2xx against no answer"},
		{"no answers", &record.Exchange{Dir: record.Out, Ended: record.Timeout}, &record.Exchange{Dir: record.Out, Ended: record.Reset}, ""},
	} {
		if got := FingerprintOf(b, c.a).Differs(FingerprintOf(b, c.b)); (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	deep := json(strings.Repeat(`{"a":`, 500) + "1" + strings.Repeat("}", 500))
	if s := FingerprintOf(b, deep).Shape; len(s) > 100 {
		t.Errorf("the shape of something deep is %d bytes long", len(s))
	}
}
