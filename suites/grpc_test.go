package suites_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// Messages of gRPC cannot be made up in a line of text, so that these trials are about
// the real protocol.

// rpcStep is a step over gRPC: what was called, and how that was answered.
type rpcStep struct {
	place, op, params string
	status            string   // such as "0", or "5" with a text behind
	messages          []string // as JSON
	info              string   // the reason in an ErrorInfo
	raw               []byte   // a message as bytes, where it is none that JSON could say
	edit              func(*record.Step)
}

const (
	rpcTask  = `{"task":{"id":"7","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}`
	rpcEvent = `{"statusUpdate":{"taskId":"7","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}`
	rpcGot   = `{"id":"7","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}`
)

// conversation makes a transcript of steps.
func conversation(t *testing.T, d *schema.Dialect, words []string, steps []rpcStep) *record.Transcript {
	t.Helper()
	out := &record.Transcript{Facts: record.Facts{Dialect: d.Name, Bindings: []string{"GRPC"}, Operator: words, Secrets: []string{"bearer"}}}
	by := binding.ByNameOrDefault(d, "GRPC")
	var plays []string
	for i, one := range steps {
		scenario, name, _ := strings.Cut(one.place, "/")
		if !slices.Contains(plays, scenario) {
			plays = append(plays, scenario)
			out.Plays = append(out.Plays, record.Play{Scenario: scenario, Attempt: 1})
		}
		var params any
		if one.params != "" {
			root, _ := record.ObserveJSON([]byte(one.params))
			params = root.Interface()
		}
		call, err := by.Encode("http://server.invalid", binding.Request{Op: one.op, Params: params})
		if err != nil {
			t.Fatal(err)
		}
		_, path, _ := strings.Cut(strings.TrimPrefix(call.URL, "http://"), "/")
		x := &record.Exchange{Dir: record.Out, URL: call.URL, Ended: record.EOF, HTTP2: &record.HTTP2{}, Start: record.Instant(2 * i), End: record.Instant(2*i + 1)}
		n := len(call.Body) - 5
		x.Request = record.Message{Head: []byte("POST /" + path + " HTTP/2\r\ncontent-type: application/grpc\r\n\r\n"), Body: call.Body[5:],
			Prefixes: []record.GRPCPrefix{{Declared: int64(n), Received: int64(n), Size: n}}, Framing: record.Framing{Kind: "frames", Declared: -1}}
		code, text, _ := strings.Cut(one.status, " ")
		x.Response = record.Message{Head: []byte("HTTP/2 200\r\ncontent-type: application/grpc\r\n\r\n"), Framing: record.Framing{Kind: "frames", Declared: -1},
			Trailer: fmt.Appendf(nil, "grpc-status: %s\r\ngrpc-message: %s\r\n", code, text)}
		if one.info != "" {
			x.Response.Trailer = append(x.Response.Trailer, "grpc-status-details-bin: "+errorInfo(t, code, one.info)+"\r\n"...)
		}
		for range one.messages {
			x.Response.Prefixes = append(x.Response.Prefixes, record.GRPCPrefix{})
		}
		if one.raw != nil {
			x.Response.Prefixes = []record.GRPCPrefix{{Declared: int64(len(one.raw)), Received: int64(len(one.raw)), Size: len(one.raw)}}
			x.Response.Body = one.raw
		}
		for k, message := range one.messages {
			event := 0
			if d.Operation(one.op).Streams {
				event = k + 1
			}
			if x, err = binding.Rewritten(by, x, event, []byte(message)); err != nil {
				t.Fatalf("%s: %v", message, err)
			}
		}
		s := record.Step{Name: name, Op: one.op, Role: record.Main, Exchange: x}
		if one.edit != nil {
			one.edit(&s)
		}
		p := &out.Plays[slices.Index(plays, scenario)]
		p.Steps = append(p.Steps, s)
	}
	out.Seal()
	return out
}

// errorInfo is a google.rpc.Status with an ErrorInfo, as a field has it.
func errorInfo(t *testing.T, code, reason string) string {
	t.Helper()
	n, err := strconv.ParseUint(code, 10, 8)
	if err != nil {
		t.Fatal(err)
	}
	text := func(b []byte, number protowire.Number, s string) []byte {
		return protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), s)
	}
	info := text(text(nil, 1, reason), 2, "a2a-protocol.org")
	detail := text(text(nil, 1, "type.googleapis.com/google.rpc.ErrorInfo"), 2, string(info))
	status := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), n)
	return base64.RawStdEncoding.EncodeToString(text(status, 3, string(detail)))
}

// only is the protocol with a single requirement.
func only(t *testing.T, check, with string) *schema.Dialect {
	t.Helper()
	files := fstest.MapFS{}
	for _, name := range []string{"dialect.yaml", "a2a.json", "a2a.proto"} {
		text, err := os.ReadFile("../schema/a2a-1.0/" + name)
		if err != nil {
			t.Fatal(err)
		}
		files["a2a-1.0/"+name] = &fstest.MapFile{Data: text}
	}
	if with == "" {
		with = "{}"
	}
	files["a2a-1.0/requirements/all.yaml"] = &fstest.MapFile{Data: fmt.Appendf(nil, "source: A protocol\nrequirements:\n"+
		"  - {id: A2A10-X-001, level: MUST, area: task, binding: grpc, section: '1', statement: It holds., every: thing, check: %s, with: %s}\n", check, with)}
	d, err := schema.LoadFS(files, "a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

type rpcTrial struct {
	check, with string
	said        map[string][]rpcStep
}

func TestGRPCChecks(t *testing.T) {
	const message = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}`
	send := func(status string, messages ...string) rpcStep {
		return rpcStep{place: "b/send", op: "send", params: message, status: status, messages: messages}
	}
	get := func(status, info string, messages ...string) rpcStep {
		return rpcStep{place: "b/get", op: "get", params: `{"id":"7"}`, status: status, info: info, messages: messages}
	}
	with := func(s rpcStep, edit func(*record.Step)) rpcStep { s.edit = edit; return s }
	stream := func(status string, messages ...string) rpcStep {
		return rpcStep{place: "b/stream", op: "stream", params: message, status: status, messages: messages}
	}
	drop := func(lost string, frames ...record.HTTP2Frame) rpcStep {
		return with(stream("0", rpcTask), func(s *record.Step) {
			s.Exchange.Ended, s.Exchange.HTTP2.Lost, s.Exchange.HTTP2.Frames = record.OurClose, lost, frames
		})
	}
	reset := record.HTTP2Frame{Sent: true, Type: "RST_STREAM", Stream: 1}
	bare := func(status string) rpcStep {
		return with(get(status, ""), func(s *record.Step) { s.As = record.Nobody })
	}
	remove := func(status string, messages ...string) rpcStep {
		return rpcStep{place: "b/delete", op: "push-delete", params: `{"taskId":"7","id":"1"}`, status: status, messages: messages}
	}
	list := func(text string) rpcStep {
		return rpcStep{place: "b/list", op: "list", params: `{}`, status: "0", messages: []string{text}}
	}
	one := func(s ...rpcStep) []rpcStep { return s }
	named := func(s rpcStep, reason string) rpcStep { s.info = reason; return s }
	var texts strings.Builder
	for _, tr := range []rpcTrial{
		{"errors/refused", "{steps: [b/send], codes: [ContentTypeNotSupported]}", map[string][]rpcStep{
			"pass":                        one(named(send("3 no"), "CONTENT_TYPE_NOT_SUPPORTED"), get("5 no", "TASK_NOT_FOUND")),
			"fail:by its status":          one(send("3 no"), get("5 no", "TASK_NOT_FOUND")),
			"fail:another error":          one(send("5 no"), get("5 no", "")),
			"inconclusive:it may be that": one(send("3 no"), get("5 no", "")),
		}},
		{"errors/code", "{steps: [b/get], codes: [TaskNotCancelable]}", map[string][]rpcStep{
			"pass": one(get("9 no", "TASK_NOT_CANCELABLE")), "fail": one(get("9 no", "UNSUPPORTED_OPERATION")), "inconclusive": one(get("9 no", "")),
		}},
		{"grpc/served", "{steps: [b/send, b/get]}", map[string][]rpcStep{
			"pass": one(send("0", rpcTask), get("12 no", "")), "pass:refused": one(send("12 no"), get("5 no", "")), "fail": one(send("12 no"), get("12 no", "")),
		}},
		{"grpc/encoded", "", map[string][]rpcStep{
			"pass": one(send("0", rpcTask)), "pass:an error": one(get("5 no", "TASK_NOT_FOUND")),
			"fail:another type of field": one(rpcStep{place: "b/get", op: "get", params: `{"id":"7"}`, status: "0", raw: []byte{0x0a, 1, '7', 0x10, 1}}),
			"finding:an unknown field":   one(rpcStep{place: "b/get", op: "get", params: `{"id":"7"}`, status: "0", raw: []byte{0x0a, 1, '7', 0x7a, 1, 'c'}}),
		}},
		{"grpc/secured", "{steps: [b/send], production: production}", map[string][]rpcStep{
			"finding": one(send("0", rpcTask)), "fail:production": one(send("0", rpcTask)),
			"pass": one(with(send("0", rpcTask), func(s *record.Step) { s.Exchange.TLS = &record.TLS{Version: "TLS 1.3"} })),
		}},
		{"grpc/one-payload", "{steps: [b/stream], sorts: [task, message, statusUpdate, artifactUpdate]}", map[string][]rpcStep{
			"pass": one(stream("0", rpcTask, rpcEvent)), "pass:an error at the end": one(stream("13 no", rpcTask)), "fail": one(stream("0", rpcTask, "{}")), "inconclusive": one(stream("13 no")),
		}},
		{"grpc/one-payload", "{steps: [b/send], sorts: [task, message]}", map[string][]rpcStep{
			"pass": one(send("0", rpcTask)), "fail": one(send("0", "{}")), "inconclusive": one(send("13 no")),
		}},
		{"grpc/one-payload", "{steps: [b/send], sorts: [task, message], result: true}", map[string][]rpcStep{
			"pass": one(send("0", rpcTask)), "fail": one(send("3 no")), "inconclusive": one(send("13 no")),
		}},
		{"grpc/empty", "{steps: [b/delete]}", map[string][]rpcStep{
			"pass": one(remove("0", "{}")), "fail": one(remove("2 deleted")), "inconclusive": one(remove("12 no")), "inconclusive:no such task": one(remove("5 no")),
		}},
		{"grpc/bare-ids", "{steps: [b/get], named: [tasks/]}", map[string][]rpcStep{
			"pass": one(get("0", "", rpcGot)), "pass:an id with a slash": one(get("0", "", strings.Replace(rpcGot, `"7"`, `"a/7"`, 1))),
			"fail": one(get("0", "", strings.Replace(rpcGot, `"7"`, `"tasks/7"`, 1))), "inconclusive": one(get("5 no", "")),
		}},
		{"grpc/counted", "{steps: [b/list]}", map[string][]rpcStep{
			"pass":         one(list(`{"tasks":[` + rpcGot + `],"nextPageToken":"","pageSize":1,"totalSize":1}`)),
			"fail":         one(list(`{"tasks":[` + rpcGot + `],"nextPageToken":"","pageSize":0,"totalSize":0}`)),
			"inconclusive": one(list(`{"tasks":[],"nextPageToken":"","pageSize":0,"totalSize":0}`)),
		}},
		{"grpc/dropped", "{steps: [b/stream]}", map[string][]rpcStep{
			"pass": one(drop("", reset, record.HTTP2Frame{Type: "PING", Flags: 1})), "fail": one(drop("EOF", reset)), "inconclusive:too late": one(drop("", reset)),
			"inconclusive": one(stream("0", rpcTask)),
		}},
		{"errors/info-present", "{steps: [b/get]}", map[string][]rpcStep{
			"pass": one(get("5 no", "TASK_NOT_FOUND")), "fail": one(get("5 no", "")), "not-applicable:it may be another": one(get("9 no", "")), "not-applicable": one(get("0", "", rpcGot)),
		}},
		{"grpc/error-status", "{steps: [b/get], error: VersionNotSupported, tolerated: [UNIMPLEMENTED]}", map[string][]rpcStep{
			"pass": one(get("9 no", "VERSION_NOT_SUPPORTED")), "finding": one(get("12 no", "VERSION_NOT_SUPPORTED")), "fail": one(get("13 no", "VERSION_NOT_SUPPORTED")),
			"not-applicable": one(get("9 no", "TASK_NOT_CANCELABLE")),
		}},
		{"grpc/status", "{steps: [b/get], status: [INVALID_ARGUMENT]}", map[string][]rpcStep{
			"pass": one(get("3 no", "")), "fail": one(get("13 no", "")), "not-applicable:accepted": one(get("0", "", rpcGot)), "inconclusive:a guard": one(get("16 no", "")),
		}},
		{"grpc/guarded", "{missing: [b/get], forbidden: []}", map[string][]rpcStep{
			"pass": one(bare("16 no")), "finding": one(bare("7 no")), "fail": one(bare("13 no")), "fail:served": one(with(get("0", "", rpcGot), func(s *record.Step) { s.As = record.Nobody })),
		}},
		{"grpc/named-values", "{plays: [b], of: [{type: TaskStatus, at: /state, none: TASK_STATE_UNSPECIFIED}]}", map[string][]rpcStep{
			"pass": one(get("0", "", rpcGot)), "fail": one(get("0", "", strings.Replace(rpcGot, "COMPLETED", "UNSPECIFIED", 1))),
			"fail:no name": one(get("0", "", strings.Replace(rpcGot, `"TASK_STATE_COMPLETED"`, `99`, 1))), "not-applicable": one(get("5 no", "")),
		}},
	} {
		var names []string
		for name := range tr.said {
			names = append(names, name)
		}
		slices.Sort(names)
		d := only(t, tr.check, tr.with)
		for _, name := range names {
			t.Run(tr.check+" "+name, func(t *testing.T) {
				want, note, _ := strings.Cut(name, ":")
				var words []string
				if note == "production" {
					words = append(words, note)
				}
				r := verdict.NewDecider(d, conversation(t, d, words, tr.said[name]), suites.Checks(), nil).Result(d.Requirements[0].ID)
				got, text := string(r.Verdict), r.Reason
				if r.Verdict == report.Pass && len(r.Findings) > 0 {
					got, text = "finding", r.Findings[0].Text
				}
				if got != want {
					t.Errorf("%s (%s)", got, r.Reason)
				}
				if want != "pass" {
					fmt.Fprintf(&texts, "%s %s %s\n\t%s\n", tr.check, tr.with, name, text)
				}
			})
		}
	}
	if !t.Failed() {
		judgetest.Golden(t, "testdata/failures/grpc.golden", texts.String())
	}
}
