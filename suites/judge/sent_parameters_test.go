package judge

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// The parameters of a call are named as its binding writes them: places of JSON-RPC are for
// JSON-RPC alone.
func TestParametersAreNamedAsTheBindingWritesThem(t *testing.T) {
	type object = map[string]any
	message := object{"messageId": "", "role": "ROLE_USER", "parts": []any{}}
	for _, c := range []struct {
		dialect, binding, op string
		params               object
		changed              []parameter
		want                 string
	}{
		{"a2a-1.0", "JSONRPC", "get", object{"id": "7", "historyLength": -5}, []parameter{{"/historyLength", "-5"}}, "GetTask with params.historyLength = -5"},
		{"a2a-1.0", "HTTP+JSON", "get", object{"id": "7", "historyLength": -5}, []parameter{{"/historyLength", "-5"}}, "GET /tasks/{id}?historyLength=-5"},
		{"a2a-1.0", "GRPC", "get", object{"id": "7", "historyLength": -5}, []parameter{{"/historyLength", "-5"}}, "GetTask {history_length: -5}"},
		{"a2a-1.0", "HTTP+JSON", "get", object{"id": "5"}, []parameter{{"/id", `"5"`}}, "GET /tasks/5"},
		{"a2a-1.0", "HTTP+JSON", "list", object{"status": "X", "pageSize": 1}, []parameter{{"/status", `"X"`}, {"/pageSize", "1"}}, "GET /tasks?pageSize=1&status=X"},
		{"a2a-1.0", "HTTP+JSON", "send", object{"message": message}, []parameter{{"/message/role", `"ROLE_USER"`}}, `POST /message:send with message.role = "ROLE_USER"`},
		{"a2a-1.0", "GRPC", "send", object{"message": message}, []parameter{{"/message/messageId", `""`}, {"/message/role", `"ROLE_USER"`}}, `SendMessage {message.message_id: "", message.role: "ROLE_USER"}`},
		{"a2a-0.3", "HTTP+JSON", "send", object{"message": object{"kind": "message", "messageId": "m", "role": "user", "parts": []any{}}}, []parameter{{"/message/parts", "[]"}}, "POST /v1/message:send with message.content = []"},
		{"a2a-0.1", "", "get", object{"id": "7"}, []parameter{{"/historyLength", "0"}}, "tasks/get with params.historyLength = 0"},
	} {
		t.Run(c.dialect+" "+c.want, func(t *testing.T) {
			d, err := schema.Load(c.dialect)
			if err != nil {
				t.Fatal(err)
			}
			b := binding.ByNameOrDefault(d, c.binding)
			said := &Document{Exchange: sentBy(t, b, binding.Request{Op: c.op, ID: 1, Params: c.params}), Play: &record.Play{}, Step: &record.Step{}}
			k := &Case{Dialect: d, binding: b}
			describer := newCallDescriber(k, said)
			target, others := describer.fillPathAndQuery(b.Title(c.op), c.changed)
			if got := target + describer.listParameters(others); got != c.want {
				t.Errorf("says %q, want %q", got, c.want)
			}
		})
	}
}

// sentBy is a call as the record has it.
func sentBy(t *testing.T, b binding.Binding, r binding.Request) *record.Exchange {
	t.Helper()
	call, err := b.Encode("http://h", r)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(call.URL)
	if err != nil {
		t.Fatal(err)
	}
	x := &record.Exchange{Dir: record.Out, URL: call.URL, Ended: record.EOF}
	x.Request = record.Message{Head: fmt.Appendf(nil, "%s %s HTTP/1.1\r\ncontent-type: %s\r\n\r\n", call.Method, u.RequestURI(), call.Header.Get("Content-Type")), Body: call.Body}
	if call.HTTP2 {
		x.HTTP2, x.Request.Body = &record.HTTP2{}, nil
		sent, _ := record.ReadGRPC(call.Body, nil, "")
		for _, m := range sent {
			x.Request.Body, x.Request.Prefixes = append(x.Request.Body, m.Payload...), append(x.Request.Prefixes, m.GRPCPrefix)
		}
		x.Response.Head = []byte("HTTP/2 200\r\ncontent-type: application/grpc\r\n\r\n")
	}
	return x
}
