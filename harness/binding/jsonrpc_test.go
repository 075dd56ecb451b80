package binding

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// A call is read back from the record as it was written, and the parts of an answer are
// where they were recorded.
func TestJSONRPC(t *testing.T) {
	d, err := schema.Load("a2a-0.3")
	if err != nil {
		t.Fatal(err)
	}
	b := ByNameOrDefault(d, "")
	if b.Name() != "JSONRPC" || b.Kind() != schema.KindJSONRPC || b.Title("get") != "tasks/get" || b.Sign("TaskNotFound") != "-32001 (TaskNotFound)" {
		t.Errorf("the binding is %s (%s), with %s and %s", b.Name(), b.Kind(), b.Title("get"), b.Sign("TaskNotFound"))
	}
	for _, c := range []struct {
		request         Request
		body, op, named string
		sound           bool
	}{
		{Request{Op: "get", ID: "a", Params: map[string]any{"id": "t"}}, `{"jsonrpc":"2.0","method":"tasks/get","params":{"id":"t"},"id":"a"}`, "get", "tasks/get", true},
		{Request{Op: "unknown/method", ID: 7}, `{"jsonrpc":"2.0","method":"unknown/method","id":7}`, "", "unknown/method", true},
		{Request{Op: "get", Bend: func(envelope []byte) ([]byte, error) {
			return bytes.Replace(envelope, []byte("2.0"), []byte("1.0"), 1), nil
		}}, `{"jsonrpc":"1.0","method":"tasks/get"}`, "get", "tasks/get", false},
	} {
		call, err := b.Encode("http://h/rpc", c.request)
		if err != nil || string(call.Body) != c.body || call.URL != "http://h/rpc" || call.Method != "POST" {
			t.Errorf("%s of %s to %s: %v, want %s", call.Method, call.Body, call.URL, err, c.body)
		}
		sent := b.Sent(&record.Exchange{Dir: record.Out, Request: record.Message{Body: call.Body}})
		if sent.Op != c.op || sent.Named != c.named || sent.Sound != c.sound || !sent.Framed {
			t.Errorf("%s is read as %+v", c.body, sent)
		}
	}
	for _, c := range []struct{ body, parts string }{
		{`{"jsonrpc":"2.0","id":1,"result":{"id":"t"}}`, "marked /result"},
		{`{"jsonrpc":"2.0","id":1,"result":null}`, "marked /result"},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no"}}`, "marked /error /error/code [TaskNotFound]"},
		{`{"error":{"code":"x"}}`, "/error /error/code"},
		{`{"error":"Not Found"}`, "/error"},
		{`[{"jsonrpc":"2.0"}]`, "listed"},
		{`{"detail":"Not Found"}`, ""},
		{`<html>`, ""},
	} {
		a := b.Decode("get", &record.Exchange{Dir: record.Out, Response: record.Message{Body: []byte(c.body)}})
		got := ""
		add := func(is bool, what string) {
			if is {
				got += " " + what
			}
		}
		add(a.Marked, "marked")
		add(a.Listed, "listed")
		for _, v := range []View{a.Result, a.Failure, a.Code} {
			add(v.Exists(), v.At)
		}
		add(len(a.Names) > 0, fmt.Sprint(a.Names))
		if got != "" {
			got = got[1:]
		}
		if got != c.parts {
			t.Errorf("%s has %q, want %q", c.body, got, c.parts)
		}
		if a.Result.At != "/result" {
			t.Errorf("%s: the result is looked for at %q", c.body, a.Result.At)
		}
	}
}

// Where a protocol allows it, the data of an event may be a result by itself.
func TestBareEvents(t *testing.T) {
	for name, want := range map[string]string{"a2x-0.3": "", "a2a-0.3": "/result"} {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		data, _ := record.ObserveJSON([]byte(`{"id":"t","kind":"task"}`))
		if a := ByNameOrDefault(d, "").Event("stream", data); a.Bare != (want == "") || a.Result.At != want || a.Bare && a.ID.Exists() {
			t.Errorf("%s: %+v", name, a)
		}
	}
}
