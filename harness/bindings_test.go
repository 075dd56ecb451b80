package harness

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// ops is a binding that nobody speaks: each operation is a path, and neither calls nor
// answers have an envelope. Errors are told by their names.
type ops struct {
	name    string
	dialect *schema.Dialect
}

func init() {
	binding.Register("ops", func(name string, _ schema.Binding, d *schema.Dialect) binding.Binding { return ops{name, d} })
}

func (o ops) Name() string            { return o.name }
func (o ops) Kind() string            { return "ops" }
func (o ops) Title(op string) string  { return op }
func (o ops) Sign(name string) string { return name }

func (o ops) Encode(base string, r binding.Request) (client.Call, error) {
	if r.Bend != nil {
		return client.Call{}, binding.ErrNoEnvelope
	}
	body, err := json.Marshal(r.Params)
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}
	if o.dialect.Operation(r.Op).Streams {
		h.Set("Accept", "text/event-stream, application/json")
	}
	return client.Call{Method: http.MethodPost, URL: base + "/" + r.Op, Header: h, Body: body}, err
}

func (o ops) Sent(x *record.Exchange) binding.Sent {
	op := x.URL[strings.LastIndexByte(x.URL, '/')+1:]
	s := binding.Sent{Named: op, Call: x.Call().Root, Params: x.Call().Root, Sound: true}
	if o.dialect.Has(op) {
		s.Op = op
	}
	return s
}

func (o ops) Decode(op string, x *record.Exchange) binding.Answer {
	root := x.Reply().Root
	if x.Status() == http.StatusOK && root != nil {
		return binding.Answer{Marked: true, Result: binding.View{Node: root}}
	}
	return o.failure(root)
}

func (o ops) Event(op string, data *record.Node) binding.Answer {
	if a := o.failure(data); a.Marked || data == nil {
		return a
	}
	return binding.Answer{Marked: true, Result: binding.View{Node: data}}
}

func (o ops) failure(root *record.Node) (a binding.Answer) {
	a.Code.At, a.Message.At, a.Details.At = "/name", "/message", "/data"
	if n := root.Member("name"); n != nil && root.Member("kind") == nil {
		if _, known := o.dialect.Errors[n.String]; known {
			a.Marked, a.Failure.Node, a.Names = true, root, []string{n.String}
			a.Code.Node, a.Message.Node, a.Details.Node = n, root.Member("message"), root.Member("data")
		}
	}
	return a
}

// twoBindings is a dialect with a second binding beside its own.
func twoBindings(t *testing.T, name string) *schema.Dialect {
	t.Helper()
	made := fstest.MapFS{}
	dir := os.DirFS("../schema")
	for _, pattern := range []string{"probes.yaml", name + "/dialect.yaml", name + "/a2a.json", name + "/probes.yaml", name + "/requirements/*.yaml"} {
		files, err := fs.Glob(dir, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := fs.ReadFile(dir, file)
			if err != nil {
				t.Fatal(err)
			}
			if path.Base(file) == "dialect.yaml" { // of the bindings that ship, JSON-RPC alone
				before, rest, _ := bytes.Cut(text, []byte("\n  HTTP+JSON:"))
				_, after, _ := bytes.Cut(rest, []byte("\n# What a2a.proto"))
				text = slices.Concat(before, []byte("\n# What a2a.proto"), after)
			}
			made[file] = &fstest.MapFile{Data: bytes.Replace(text, []byte("\nbindings:\n"), []byte("\nbindings:\n  OPS: {kind: ops}\n"), 1)}
		}
	}
	d, err := schema.LoadFS(made, name)
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.Requirements { // most are about JSON-RPC since the source has others for its other transports
		if r := &d.Requirements[i]; r.Binding == schema.KindJSONRPC && !aboutEnvelopes.MatchString(r.ID) {
			r.Binding = schema.AnyBinding
		}
	}
	return d
}

// aboutEnvelopes are the sentences of A2A 0.3 that speak of the envelope of JSON-RPC.
var aboutEnvelopes = regexp.MustCompile(`^A2A03-(ENV-(001|002|003|004|005|006|007|008|009|010|011|012|013|014|015|016|017|018|019|020|021|022|023|024|025|026|027|028|029|030|031)|OWN-006|OWN-001|OWN-002|ERR-004|STREAM-004|STREAM-005|RESUB-003|LIST-001)$`)

// front is the bundled server, with the made-up binding beside its own. Where it is
// broken, a sentence that holds in any binding does not hold in this one.
func front(t *testing.T, d *schema.Dialect, broken bool) *httptest.Server {
	t.Helper()
	behind, err := reference.Start(t.Context(), reference.Options{Dialect: d.Name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { behind.Close() })
	ask := func(r *http.Request, path string, body []byte) *http.Response {
		to, err := http.NewRequestWithContext(r.Context(), r.Method, behind.URL()+path, bytes.NewReader(body))
		if err != nil {
			t.Error(err)
		}
		to.Header = r.Header.Clone()
		answer, err := http.DefaultTransport.RoundTrip(to)
		if err != nil {
			return &http.Response{StatusCode: http.StatusBadGateway, Header: http.Header{}, Body: http.NoBody}
		}
		return answer
	}
	var server *httptest.Server
	plain := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer := ask(r, r.URL.RequestURI(), body)
		defer answer.Body.Close()
		for name, values := range answer.Header {
			if name != "Content-Length" {
				w.Header()[name] = values
			}
		}
		w.WriteHeader(answer.StatusCode)
		if strings.Contains(r.URL.Path, "/.well-known/") {
			text, _ := io.ReadAll(answer.Body)
			text = bytes.ReplaceAll(text, []byte(behind.URL()), []byte(server.URL))
			text = bytes.Replace(text, []byte(`"additionalInterfaces":[`), []byte(`"additionalInterfaces":[{"url":"`+server.URL+`/ops","transport":"OPS"},{"url":"`+server.URL+`/also","transport":"OPS"},`), 1)
			w.Write(text)
			return
		}
		streamed(w, answer.Body)
	}
	translated := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		op := r.PathValue("op")
		method := d.Method(op)
		refuse := func(name, text string) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			json.NewEncoder(w).Encode(map[string]string{"name": name, "message": text})
		}
		switch {
		case method == "":
			refuse("MethodNotFound", "there is no such operation")
			return
		case !json.Valid(body):
			refuse("ParseError", "the body is no JSON")
			return
		}
		call := map[string]any{"jsonrpc": "2.0", "id": 1, "method": method}
		if string(body) != "null" {
			call["params"] = json.RawMessage(body)
		}
		text, _ := json.Marshal(call)
		answer := ask(r, "/", text)
		defer answer.Body.Close()
		kind := answer.Header.Get("Content-Type")
		for name, values := range answer.Header {
			if name != "Content-Length" {
				w.Header()[name] = values
			}
		}
		if strings.HasPrefix(kind, "text/event-stream") {
			w.WriteHeader(answer.StatusCode)
			lines := bufio.NewReader(answer.Body)
			for {
				line, err := lines.ReadString('\n')
				if data, is := strings.CutPrefix(line, "data:"); is {
					bare, _, _ := unwrapped(d, []byte(data))
					line = fmt.Sprintf("data: %s\n", bare)
				}
				io.WriteString(w, line)
				w.(http.Flusher).Flush()
				if err != nil {
					return
				}
			}
		}
		text, _ = io.ReadAll(answer.Body)
		bare, failed, ok := unwrapped(d, text)
		switch {
		case !ok:
			bare = text
			w.WriteHeader(answer.StatusCode)
		case failed:
			w.WriteHeader(http.StatusBadRequest)
		case broken && op == "get":
			bare = bytes.Replace(bare, []byte(`"kind":"task"`), []byte(`"kind":"chore"`), 1)
		}
		w.Write(bare)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/", plain)
	mux.HandleFunc("POST /ops/{op}", translated)
	mux.HandleFunc("POST /also/{op}", translated)
	server = httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// streamed copies a body as it comes.
func streamed(w http.ResponseWriter, from io.Reader) {
	piece := make([]byte, 4096)
	for {
		n, err := from.Read(piece)
		w.Write(piece[:n])
		w.(http.Flusher).Flush()
		if err != nil {
			return
		}
	}
}

// unwrapped takes a response out of its envelope.
func unwrapped(d *schema.Dialect, text []byte) (bare []byte, failed, ok bool) {
	var answer struct {
		Result json.RawMessage
		Error  *struct {
			Code    int             `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data,omitempty"`
		}
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return text, false, false
	}
	if answer.Error == nil {
		return answer.Result, false, true
	}
	told := map[string]any{"name": d.ErrorName(answer.Error.Code), "message": answer.Error.Message}
	if answer.Error.Data != nil {
		told["data"] = answer.Error.Data
	}
	bare, err := json.Marshal(told)
	return bare, true, err == nil
}

// spoke holds all conversations in some bindings, and returns what they left behind
// as a replay reads it.
func spoke(t *testing.T, d *schema.Dialect, target operator.Target) *verdict.Decider {
	t.Helper()
	target.Dialect, target.DefaultStimuli, target.Load = d.Name, true, func(string) (*schema.Dialect, error) { return d, nil }
	talk, err := run(t.Context(), target, scenario.All, func(d *schema.Dialect) (names []string, err error) {
		for _, s := range scenario.All(d) {
			names = append(names, s.Name)
		}
		return names, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var har bytes.Buffer
	if err := record.WriteHAR(&har, talk.Transcript); err != nil {
		t.Fatal(err)
	}
	again, err := record.ReadHAR(&har)
	if err != nil {
		t.Fatal(err)
	}
	live, replay := verdict.NewDecider(d, talk.Transcript, suites.Checks(), nil), verdict.NewDecider(d, again, suites.Checks(), nil)
	for _, q := range d.Requirements {
		if was, is := live.Result(q.ID), replay.Result(q.ID); was.Verdict != is.Verdict || fmt.Sprint(was.Subjects) != fmt.Sprint(is.Subjects) {
			t.Errorf("%s was %s %v, and is %s %v in the replay", q.ID, was.Verdict, was.Subjects, is.Verdict, is.Subjects)
		}
	}
	return replay
}

// A sentence that is not about a binding comes to the same in each, one without any
// envelope included, of which nobody but the binding itself knows.
func TestAnotherBindingIsJudgedAlike(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	d := twoBindings(t, "a2a-0.3")
	server := front(t, d, false)
	by := map[string]*verdict.Decider{}
	for _, name := range []string{"JSONRPC", "OPS"} {
		target := operator.Target{URL: server.URL, Endpoint: operator.Endpoint{Binding: name}}
		target.Stimuli = map[string]operator.Stimulus{"slow": {Text: "slow 1.5", Seconds: 1.5}} // on a busy machine, too
		by[name] = spoke(t, d, target)
	}
	tried := 0
	for _, q := range d.Requirements {
		here, there := by["JSONRPC"].Result(q.ID), by["OPS"].Result(q.ID)
		switch {
		case !q.For("ops"):
			if there.Verdict != report.NotApplicable {
				t.Errorf("%s is about %s, and is %s where that was not spoken: %s", q.ID, q.Binding, there.Verdict, there.Reason)
			}
		case q.Check == "interface/preferred": // the card prefers the other
			if there.Verdict != report.NotApplicable {
				t.Errorf("%s is %s, though what the card prefers was not spoken", q.ID, there.Verdict)
			}
		case here.Verdict != there.Verdict:
			t.Errorf("%s %s\n\tin JSON-RPC %s: %s\n\twithout an envelope %s: %s", q.ID, q.Statement, here.Verdict, here.Reason, there.Verdict, there.Reason)
		case there.Verdict == report.Pass:
			tried++
		}
	}
	if tried < 150 {
		t.Errorf("only %d sentences hold without an envelope", tried)
	}
}

// Where an agent is reached in several ways, all is said in the one that it prefers,
// and in the others what every run begins with. What was not tried in one of them is no
// pass there, and what does not hold in one of them does not hold.
func TestSeveralBindings(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	d := twoBindings(t, "a2a-0.3")
	server := front(t, d, true) // what OPS gets is no task
	held := map[string]*verdict.Decider{}
	in := func(t *testing.T, name string) *verdict.Decider {
		if held[name] == nil {
			held[name] = spoke(t, d, operator.Target{URL: server.URL, Endpoint: operator.Endpoint{Binding: name}})
		}
		return held[name]
	}
	for _, c := range []struct{ binding, id, verdict, cells string }{
		{"all", "A2A03-SEND-002", "pass", "JSONRPC pass, OPS pass"},
		{"all", "A2A03-SEND-004", "pass", "JSONRPC pass, OPS not-tried"},  // looks at further conversations
		{"each", "A2A03-SEND-004", "pass", "JSONRPC pass, OPS pass"},      // which are held here
		{"each", "A2A03-ENV-001", "pass", "JSONRPC pass, OPS not-tried"},  // is about JSON-RPC
		{"each", "A2A03-CARD-001", "pass", "JSONRPC pass, OPS not-tried"}, // is about the card
		{"all", "A2A03-TASK-004", "fail", "JSONRPC pass, OPS fail"},
		{"each", "A2A03-TASK-004", "fail", "JSONRPC pass, OPS fail"},
		{"", "A2A03-TASK-004", "fail", "JSONRPC pass, OPS fail"},
		{"JSONRPC", "A2A03-TASK-004", "pass", ""},
		{"OPS", "A2A03-TASK-004", "fail", ""},
		{"OPS", "A2A03-ENV-001", "not-applicable", ""},
	} {
		t.Run(c.binding+" "+c.id, func(t *testing.T) {
			r := in(t, c.binding).Result(c.id)
			var cells []string
			for _, s := range r.Subjects {
				cells = append(cells, s.Binding+" "+string(s.Verdict))
			}
			if got := strings.Join(cells, ", "); string(r.Verdict) != c.verdict || got != c.cells {
				t.Errorf("%s (%s), want %s (%s): %s", r.Verdict, got, c.verdict, c.cells, r.Reason)
			}
			if by := "by OPS: "; c.cells != "" && strings.HasPrefix(r.Reason, by) != (c.verdict == "fail") {
				t.Errorf("the reason is %q", r.Reason)
			}
		})
	}
}

// A binding that nobody has is a mistake of the operator's, which is told with those that
// there are.
func TestBindingOfNobody(t *testing.T) {
	t.Parallel()
	d := twoBindings(t, "a2a-0.3")
	alone, err := reference.Start(t.Context(), reference.Options{Dialect: d.Name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { alone.Close() })
	for _, c := range []struct{ binding, dialect, want string }{
		{"GRPC", d.Name, "--binding GRPC: there is no such binding; A2A 0.3.0 can be judged over JSONRPC, OPS"},
		{"GRPC", "auto", "--binding GRPC: A2A 0.3.0 can be judged over JSONRPC, OPS; the card offers JSONRPC; give --rpc GRPC=URL if the server supports it all the same"},
		{"ops", d.Name, "--binding OPS: A2A 0.3.0 can be judged over JSONRPC, OPS; the card offers JSONRPC; give --rpc OPS=URL if the server supports it all the same"},
		{"GRCP", "auto", "--binding GRCP: unknown binding GRCP; did you mean GRPC?"},
	} {
		target := operator.Target{URL: alone.URL(), Dialect: c.dialect, Load: func(name string) (*schema.Dialect, error) {
			if name == d.Name {
				return d, nil
			}
			return schema.Load(name)
		}, Endpoint: operator.Endpoint{Binding: c.binding}}
		_, err := run(t.Context(), target, scenario.All, func(*schema.Dialect) ([]string, error) { return []string{"quick"}, nil })
		if mistake := (*UsageError)(nil); !errors.As(err, &mistake) || mistake.Text != c.want {
			t.Errorf("--binding %s --dialect %s: %v, want %s", c.binding, c.dialect, err, c.want)
		}
	}
}
