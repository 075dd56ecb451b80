package suites_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// grpcCallsOfClient makes the transcript of a client that made calls of gRPC.
func grpcCallsOfClient(t *testing.T, edit func(x *record.Exchange), steps ...rpcStep) *record.Transcript {
	t.Helper()
	d := only(t, "client/service", "")
	tr := conversation(t, d, nil, steps)
	tr.Facts.Role = record.ClientRole
	for i := range tr.Plays {
		p := &tr.Plays[i]
		p.Client = &record.ClientRun{Command: []string{"mine"}, Started: 1, Ended: record.Instant(1000)}
		for k := range p.Steps {
			s := &p.Steps[k]
			s.Binding, s.Exchange.Dir = "GRPC", record.In
			if edit != nil {
				edit(s.Exchange)
			}
		}
	}
	return tr
}

// appendToMessage adds bytes to the message of a request.
func appendToMessage(more []byte) func(x *record.Exchange) {
	return func(x *record.Exchange) {
		q := &x.Request
		q.Body = append(bytes.Clone(q.Body), more...)
		n := len(q.Body)
		q.Prefixes = []record.GRPCPrefix{{Declared: int64(n), Received: int64(n), Size: n}}
	}
}

// replaceInHead edits the head of a request, and its address.
func replaceInHead(from, to string) func(x *record.Exchange) {
	return func(x *record.Exchange) {
		x.Request.Head = bytes.Replace(x.Request.Head, []byte(from), []byte(to), 1)
		x.URL = strings.Replace(x.URL, from, to, 1)
	}
}

func TestCallsOfGRPCOfAClient(t *testing.T) {
	send := rpcStep{place: "hello/send", op: "send", params: `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}`, status: "0", messages: []string{`{"task":` + rpcGot + `}`}}
	look := rpcStep{place: "hello/get", op: "get", params: `{"id":"7"}`, status: "0", messages: []string{rpcGot}}
	unnamed := rpcStep{place: "hello/get", op: "get", params: `{"id":""}`, status: "5 no"}
	versioned := send
	versioned.params = strings.Replace(send.params, `"parts"`, `"metadata":{"A2A-Version":"1.0"},"parts"`, 1)
	with := replaceInHead("content-type:", "te: trailers\r\na2a-version: 1.0\r\ncontent-type:")
	fields := "{fields: {send: [message], get: [id]}}"
	where := "{names: [A2A-Version], within: [message/metadata]}"
	for i, c := range []struct {
		check, with string
		edit        func(x *record.Exchange)
		steps       []rpcStep
		want        report.Verdict
		findings    int
		says        string // part of the reason
	}{
		{"client/service", "", nil, []rpcStep{send, look}, report.Pass, 0, ""},
		{"client/service", "", replaceInHead("lf.a2a.v1", "a2a.v1"), []rpcStep{send}, report.Fail, 0, "called /a2a.v1.A2AService/SendMessage"},
		{"client/service", "", replaceInHead("SendMessage", "Ask"), []rpcStep{send}, report.Fail, 0, "called /lf.a2a.v1.A2AService/Ask"},
		{"client/messages", "", nil, []rpcStep{send, look}, report.Pass, 0, ""},
		{"client/messages", "", appendToMessage([]byte{0xff}), []rpcStep{send}, report.Fail, 0, "not as the proto file has it"},
		{"client/messages", "", appendToMessage(protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), []byte{0xff})), []rpcStep{send}, report.Fail, 0, "not as the proto file has it"},
		{"client/messages", "", appendToMessage(protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), 1)), []rpcStep{send}, report.Fail, 0, "not as the proto file has it"},
		{"client/messages", "", appendToMessage(protowire.AppendVarint(protowire.AppendTag(nil, 900, protowire.VarintType), 1)), []rpcStep{send}, report.Pass, 1, ""},
		{"client/messages", "", func(x *record.Exchange) { x.Request.Prefixes[0].Fault = "its gzip is broken" }, []rpcStep{send}, report.Fail, 0, "its gzip is broken"},
		{"client/messages", "", func(x *record.Exchange) { x.Request.Prefixes, x.Request.Body = nil, nil }, []rpcStep{send}, report.Fail, 0, "sent 0 messages"},
		{"client/messages", "", replaceInHead("lf.a2a.v1", "a2a.v1"), []rpcStep{send}, report.NotApplicable, 0, ""},
		{"client/required-fields", fields, nil, []rpcStep{send, look}, report.Pass, 0, ""},
		{"client/required-fields", fields, nil, []rpcStep{unnamed}, report.Fail, 0, "without `id`"},
		{"client/required-fields", fields, func(x *record.Exchange) { x.Request.Body, x.Request.Prefixes[0] = nil, record.GRPCPrefix{} }, []rpcStep{send}, report.Fail, 0, "without `message`"},
		{"client/required-fields", "{fields: {cancel: [id]}}", nil, []rpcStep{send}, report.NotApplicable, 0, ""},
		{"client/metadata", where, with, []rpcStep{send}, report.Pass, 0, ""},
		{"client/metadata", where, with, []rpcStep{versioned}, report.Pass, 0, ""},
		{"client/metadata", where, nil, []rpcStep{versioned}, report.Fail, 0, "the metadata `a2a-version`"},
		{"client/metadata", where, nil, []rpcStep{send}, report.NotApplicable, 0, ""},
		{"client/grpc-form", "", with, []rpcStep{send}, report.Pass, 0, ""},
		{"client/grpc-form", "", nil, []rpcStep{send}, report.Fail, 0, "without te: trailers"},
		{"client/grpc-form", "", func(x *record.Exchange) { with(x); replaceInHead("POST", "PUT")(x) }, []rpcStep{send}, report.Fail, 0, "sent a call by PUT"},
		{"client/grpc-form", "", func(x *record.Exchange) { with(x); replaceInHead("application/grpc", "application/proto")(x) }, []rpcStep{send}, report.Fail, 0, "of the type application/proto"},
	} {
		t.Run(fmt.Sprint(i, " ", c.check), func(t *testing.T) {
			d := only(t, c.check, c.with)
			tr := grpcCallsOfClient(t, c.edit, c.steps...)
			r := verdict.NewDecider(d, tr, suites.Checks(), nil).Result("A2A10-X-001")
			if r.Verdict != c.want || len(r.Findings) != c.findings {
				t.Errorf("got %s (%s) with %d findings, want %s with %d", r.Verdict, r.Reason, len(r.Findings), c.want, c.findings)
			}
			if !strings.Contains(r.Reason, c.says) {
				t.Errorf("the reason is %q, want one with %q", r.Reason, c.says)
			}
		})
	}
}
