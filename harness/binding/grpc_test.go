package binding

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// overGRPC is A2A 1.0 with gRPC beside its other bindings.
func overGRPC(t testing.TB, edits ...string) *schema.Dialect {
	t.Helper()
	made := fstest.MapFS{}
	dir := os.DirFS("../../schema")
	for _, pattern := range []string{"probes.yaml", "a2a-1.0/*.*", "a2a-1.0/requirements/*.yaml"} {
		files, err := fs.Glob(dir, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := fs.ReadFile(dir, file)
			if err != nil {
				t.Fatal(err)
			}
			made[file] = &fstest.MapFile{Data: text}
		}
	}
	for name := range made {
		made[name].Data = []byte(strings.NewReplacer(edits...).Replace(string(made[name].Data)))
	}
	d, err := schema.LoadFS(made, "a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The proto file is read when it is needed first: until then nothing is said of what is
// wrong with it. Then every call says so, and no message can be read.
func TestGRPCReadsItsFileLate(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"message Task {", "message Task", "a2a.proto:"},
		{"service A2AService {", "service A2A {", "a2a.proto has no service lf.a2a.v1.A2AService"},
		{"      get: GetTask\n", "      get: GetTasks\n", "lf.a2a.v1.A2AService has no method GetTasks for the operation get"},
	} {
		b := ByNameOrDefault(overGRPC(t, c.old, c.new), "GRPC")
		if b.Title("list") != "ListTasks" || b.Sign("TaskNotFound") == "" {
			t.Errorf("%q: nothing is known of the binding", c.new)
		}
		for range 2 {
			if _, err := b.Encode("h:1", Request{Op: "list"}); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%q: %v, want %s", c.new, err, c.want)
			}
		}
		whole := ByNameOrDefault(overGRPC(t), "GRPC")
		call, err := whole.Encode("h:1", Request{Op: "list"})
		if err != nil {
			t.Fatal(err)
		}
		b = ByNameOrDefault(b.(*grpcBinding).dialect, "GRPC")
		if a := b.Decode("list", exchanged(t, call, [][]byte{{}}, "grpc-status: 0\r\n")); a.Result.Exists() {
			t.Errorf("%q: a message was read: %s", c.new, told(a))
		}
	}
}

// A call is written as a message of the service, and read back from the record.
func TestGRPCCalls(t *testing.T) {
	d := overGRPC(t)
	b := ByNameOrDefault(d, "GRPC")
	if b.Name() != "GRPC" || b.Kind() != schema.KindGRPC || b.Title("get") != "GetTask" || b.Title("fly") != "" {
		t.Errorf("the binding is %s (%s) with %q and %q", b.Name(), b.Kind(), b.Title("get"), b.Title("fly"))
	}
	for name, want := range map[string]string{"TaskNotFound": "NOT_FOUND with the reason TASK_NOT_FOUND", "InvalidParams": "INVALID_ARGUMENT (InvalidParams)", "Unheard": ""} {
		if got := b.Sign(name); got != want {
			t.Errorf("%s is told by %q, want %q", name, got, want)
		}
	}
	for _, c := range []struct {
		base, url string
		request   Request
		message   []byte
		sent      string
		named, op string
	}{
		{"http://h:1", "http://h:1/lf.a2a.v1.A2AService/GetTask", Request{Op: "get", Params: map[string]any{"id": "t", "historyLength": 0}},
			joined(field(2, "t"), field(3, 0)), `{"id":"t","historyLength":0}`, "GetTask", "get"},
		{"h:1", "//h:1/lf.a2a.v1.A2AService/ListTasks", Request{Op: "list", ID: "no envelope has it"}, nil, `{}`, "ListTasks", "list"},
		{"h:1", "//h:1/lf.a2a.v1.A2AService/GetExtendedAgentCard", Request{Op: "extended-card", Params: map[string]any{}}, nil, `{}`, "GetExtendedAgentCard", "extended-card"},
		{"https://h/", "https://h/lf.a2a.v1.A2AService/unknown%2Fmethod", Request{Op: "unknown/method", Params: map[string]any{}}, nil, "", "unknown/method", ""},
	} {
		call, err := b.Encode(c.base, c.request)
		if err != nil || call.URL != c.url || string(call.Body) != string(record.FrameGRPC(c.message)) || !call.HTTP2 || call.Method != "POST" {
			t.Errorf("%s of %q to %s: %v, want %q to %s", call.Method, call.Body, call.URL, err, c.message, c.url)
		}
		if call.Header.Get("Content-Type") != "application/grpc" || call.Header.Get("A2A-Version") != "1.0" {
			t.Errorf("the header is %v", call.Header)
		}
		s := b.Sent(exchanged(t, call, nil, ""))
		text := ""
		if s.Params != nil {
			text = written(s.Params)
		}
		if s.Named != c.named || s.Op != c.op || s.Sound != (c.op != "") || s.Framed || text != c.sent {
			t.Errorf("%s is read as %+v, with %s, want %s", c.url, s, text, c.sent)
		}
	}
	for base, want := range map[string]string{
		"h:1": "//h:1", "//h:1": "//h:1", "dns:h:1": "//h:1", "dns:///h:1": "//h:1", "dns://8.8.8.8/h:1": "//h:1", "grpc://h:1/": "//h:1", "GRPCS://h:1": "https://h:1", "http://h:1": "http://h:1", "[::1]:5": "//[::1]:5",
	} {
		if got := grpcTargetToBaseURL(base); got != want {
			t.Errorf("%s is called as %s, want %s", base, got, want)
		}
	}
	for _, r := range []Request{
		{Op: "get", Params: map[string]any{"id": 7}},
		{Op: "get", Params: []any{}},
		{Op: "unknown/method", Params: map[string]any{"a": 1}},
		{Op: "send", Params: map[string]any{"metadata": map[string]any{"a": []byte("x")}, "unheard": true}},
	} {
		if _, err := b.Encode("h", r); !errors.Is(err, ErrNotInProtobuf) {
			t.Errorf("%v: %v", r, err)
		}
	}
	if _, err := b.Encode("h", Request{Op: "get", Bend: func(b []byte) ([]byte, error) { return b, nil }}); err != ErrNoEnvelope {
		t.Errorf("an envelope was bent: %v", err)
	}
}

// exchanged is a call as it is recorded, with an answer of messages and trailers.
func exchanged(t *testing.T, call client.Call, messages [][]byte, trailers string) *record.Exchange {
	t.Helper()
	u, err := url.Parse(call.URL)
	if err != nil {
		t.Fatal(err)
	}
	x := &record.Exchange{Dir: record.Out, URL: call.URL, Ended: record.EOF, HTTP2: &record.HTTP2{}}
	x.Request.Head = []byte("POST " + u.EscapedPath() + " HTTP/2\r\ncontent-type: application/grpc\r\n\r\n")
	sent, _ := record.ReadGRPC(call.Body, nil, "")
	for _, m := range sent {
		x.Request.Body = append(x.Request.Body, m.Payload...)
		x.Request.Prefixes = append(x.Request.Prefixes, m.GRPCPrefix)
	}
	x.Response.Head = []byte("HTTP/2 200\r\ncontent-type: application/grpc\r\n\r\n")
	x.Response.Framing.Kind = "frames"
	for _, m := range messages {
		x.Response.Body = append(x.Response.Body, m...)
		x.Response.Prefixes = append(x.Response.Prefixes, record.GRPCPrefix{Declared: int64(len(m)), Received: int64(len(m)), Size: len(m)})
	}
	if x.Response.Trailer = []byte(trailers); messages == nil {
		x.Response.Head = []byte("HTTP/2 200\r\ncontent-type: application/grpc\r\n" + trailers + "\r\n")
		x.Response.Framing.Kind, x.Response.Trailer = "none", nil
	}
	return x
}

// written is a value as JSON.
func written(n *record.Node) string {
	switch n.Kind {
	case record.Object:
		var all []string
		for _, m := range n.Members {
			all = append(all, fmt.Sprintf("%q:%s", m.Name, written(m.Value)))
		}
		return "{" + strings.Join(all, ",") + "}"
	case record.Array:
		var all []string
		for _, e := range n.Elems {
			all = append(all, written(e))
		}
		return "[" + strings.Join(all, ",") + "]"
	case record.String:
		return fmt.Sprintf("%q", n.String)
	case record.Number:
		return n.Number
	case record.Bool:
		return fmt.Sprint(n.Bool)
	}
	return "null"
}

// detail is a google.rpc.Status with one detail, as a trailer has it.
func detail(code int, kind string, content []byte) string {
	status := joined(field(1, code), field(3, joined(field(1, "type.googleapis.com/"+kind), field(2, content))))
	return "grpc-status-details-bin: " + base64.RawStdEncoding.EncodeToString(status) + "\r\n"
}

func TestGRPCAnswers(t *testing.T) {
	d := overGRPC(t)
	b := ByNameOrDefault(d, "GRPC")
	task := field(1, "t")
	info := func(reason string) []byte { return joined(field(1, reason), field(2, "a2a-protocol.org")) }
	for _, c := range []struct {
		name, op string
		messages [][]byte
		trailers string
		want     string
	}{
		{"a result", "get", [][]byte{task}, "grpc-status: 0\r\n", `marked result {"id":"t"}`},
		{"an empty one", "push-delete", [][]byte{{}}, "grpc-status: 0\r\n", `marked result {}`},
		{"a result without a status", "get", [][]byte{task}, "", ""},
		{"a status without a result", "get", nil, "grpc-status: 0\r\n", "marked"},
		{"no message", "get", [][]byte{{0x0a}}, "grpc-status: 0\r\n", "marked"},
		{"an error with its reason", "get", nil, "grpc-status: 5\r\ngrpc-message: no%20task\r\n" + detail(5, "google.rpc.ErrorInfo", info("TASK_NOT_FOUND")),
			`marked error 5 "no task" [{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}] TaskNotFound`},
		{"the reason decides", "cancel", nil, "grpc-status: 13\r\n" + detail(13, "google.rpc.ErrorInfo", info("TASK_NOT_CANCELABLE")),
			`marked error 13 "" [{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_CANCELABLE","domain":"a2a-protocol.org"}] TaskNotCancelable`},
		{"an error after the head", "get", [][]byte{}, "grpc-status: 5\r\ngrpc-message: no\r\n", `marked error 5 "no" TaskNotFound`},
		{"a status that several share", "cancel", nil, "grpc-status: 9\r\n", `marked error 9 ""`},
		{"invalid parameters", "get", nil, "grpc-status: 3\r\n", `marked error 3 "" InvalidParams InvalidRequest`},
		{"no such method", "get", nil, "grpc-status: 12\r\n", `marked error 12 "" MethodNotFound`},
		{"an unknown detail", "get", nil, "grpc-status: 5\r\n" + detail(5, "some.Thing", []byte("x")), `marked error 5 "" [{"@type":"type.googleapis.com/some.Thing","value":"eA=="}] TaskNotFound`},
		{"something on the way", "get", nil, "grpc-status: 14\r\ngrpc-message: upstream\r\n", `error 14 "upstream"`},
		{"a status that there is not", "get", nil, "grpc-status: 99\r\n", `marked error 99 ""`},
		{"a stream", "stream", [][]byte{field(2, field(1, "m"))}, "grpc-status: 0\r\n", ""},
		{"a stream that is refused", "resubscribe", nil, "grpc-status: 5\r\n", `marked error 5 "" TaskNotFound`},
	} {
		call, err := b.Encode("h:1", Request{Op: c.op})
		if err != nil {
			t.Fatal(err)
		}
		x := exchanged(t, call, c.messages, c.trailers)
		if got := told(b.Decode(c.op, x)); got != c.want {
			t.Errorf("%s is read as\n%s, want\n%s", c.name, got, c.want)
		}
	}
}

// told are the parts of an answer.
func told(a Answer) string {
	var out []string
	if a.Marked {
		out = append(out, "marked")
	}
	if a.Result.Exists() {
		out = append(out, "result", written(a.Result.Node))
	}
	if a.Failure.Exists() {
		out = append(out, "error")
	}
	for _, v := range []View{a.Code, a.Message, a.Details} {
		if v.Exists() {
			out = append(out, written(v.Node))
		}
	}
	return strings.Join(append(out, a.Names...), " ")
}

// The messages of a stream are its events, and so is the error that ends it.
func TestGRPCStreams(t *testing.T) {
	b := ByNameOrDefault(overGRPC(t), "GRPC")
	call, err := b.Encode("h:1", Request{Op: "stream"})
	if err != nil {
		t.Fatal(err)
	}
	x := exchanged(t, call, [][]byte{field(1, field(1, "t")), field(3, field(1, "t")), {}}, "grpc-status: 13\r\ngrpc-message: oh\r\n")
	var got []string
	for _, e := range x.Events() {
		got = append(got, told(b.Event("stream", e.Root)))
	}
	want := []string{`result {"task":{"id":"t"}}`, `result {"statusUpdate":{"taskId":"t","contextId":""}}`, "result {}", `marked error 13 "oh" InternalError ParseError`}
	if !x.IsStream() || !slices.Equal(got, want) {
		t.Errorf("the events are\n%s, want\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What the JSON of messages hides is asked for by itself.
func TestGRPCMessageFaults(t *testing.T) {
	b := ByNameOrDefault(overGRPC(t), "GRPC")
	call, err := b.Encode("h:1", Request{Op: "stream"})
	if err != nil {
		t.Fatal(err)
	}
	x := exchanged(t, call, [][]byte{field(1, field(1, "t")), joined(field(1, field(1, "t")), field(50, "x"))}, "grpc-status: 0\r\n")
	faults := MessageFaults(b, x)
	if len(faults) != 1 || len(faults[1]) != 1 || faults[1][0].Kind != UnknownField {
		t.Errorf("the faults are %v", faults)
	}
	if MessageFaults(ByNameOrDefault(nil, ""), x) != nil || MessageFaults(b, &record.Exchange{}) != nil {
		t.Error("there are faults where there are no messages")
	}
}
