package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Every script has a name of its own, a sentence, and a twin that there is.
func TestDescribeScripts(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{a2a10, a2a03} {
		seen := map[string]bool{}
		for _, s := range Scripts(dialect) {
			if seen[s.Name] {
				t.Errorf("%s: %s is there twice", dialect, s.Name)
			}
			seen[s.Name] = true
			if s.Doc == "" || !strings.HasSuffix(s.Doc, ".") || strings.HasSuffix(s.Fault, ".") || s.Group == "" {
				t.Errorf("%s is not described", s.Name)
			}
			for _, also := range s.Also {
				if Find(dialect, also) == nil {
					t.Errorf("%s: %s is played with %s, which there is not", dialect, s.Name, also)
				}
			}
			if s.Twin != "" && Find(dialect, s.Twin) == nil {
				t.Errorf("%s: %s has the twin %s, which there is not", dialect, s.Name, s.Twin)
			}
		}
		for name := range loadDialect(t, dialect).Errors {
			if !seen["error-codes-"+separateWords(name)] {
				t.Errorf("%s: there is no scenario for the error %s", dialect, name)
			}
		}
	}
}

func writerOf(d *schema.Dialect) *dialect.Writer {
	w, err := dialect.For(d.Name)
	if err != nil {
		panic(err)
	}
	return w
}

func outgoing(text, task string) dialect.Outgoing {
	return dialect.Outgoing{Text: text, Message: "m-1", Task: task}
}

// callEverything is a client that calls whatever the card offers.
func callEverything(d *schema.Dialect, kind string, style int) func(context.Context, *Task) error {
	w := writerOf(d)
	return func(ctx context.Context, t *Task) error {
		head, text, err := exchange(ctx, client.Call{Method: "GET", URL: t.Card})
		if err != nil {
			return err
		}
		var card struct {
			URL, PreferredTransport string
			AdditionalInterfaces    []struct{ URL, Transport string }
			SupportedInterfaces     []struct{ URL, ProtocolBinding, ProtocolVersion, Tenant string }
			Capabilities            struct{ Streaming bool }
		}
		if err := json.Unmarshal(text, &card); err != nil {
			return err
		}
		call := func(base, name, tenant, op string, params map[string]any) []byte {
			if tenant != "" {
				params["tenant"] = tenant
			}
			c, err := binding.ByNameOrDefault(d, name).Encode(base, binding.Request{Op: op, ID: "1", Params: params, Style: style % binding.Styles(binding.ByNameOrDefault(d, name), base)})
			if err != nil {
				return nil
			}
			text, _ := do(ctx, c)
			return text
		}
		converse := func(base, name, version, tenant string) {
			if d.Bindings[name].Kind != kind || version != "" && !d.Detect.Fits(version) {
				return
			}
			message := func(task string) map[string]any { return w.Params["send"](outgoing(t.Text, task)) }
			ops := []string{"send"}
			if card.Capabilities.Streaming {
				ops = append(ops, "stream")
			}
			for _, op := range ops {
				id := taskIn(call(base, name, tenant, op, message("")))
				if id == "" {
					continue
				}
				for range 3 {
					call(base, name, tenant, "get", w.Params["get"](dialect.Outgoing{Task: id}))
				}
				call(base, name, tenant, "send", message(id))
				call(base, name, tenant, "cancel", w.Params["cancel"](dialect.Outgoing{Task: id}))
			}
			if w.Params["list"] != nil {
				call(base, name, tenant, "list", w.Params["list"](dialect.Outgoing{}))
			}
		}
		if card.URL != "" {
			name := card.PreferredTransport
			if name == "" {
				name = "JSONRPC"
			}
			converse(card.URL, name, "", "")
		}
		for _, i := range card.AdditionalInterfaces {
			if i.URL != card.URL {
				converse(i.URL, i.Transport, "", "")
			}
		}
		for _, i := range card.SupportedInterfaces {
			converse(i.URL, i.ProtocolBinding, i.ProtocolVersion, i.Tenant)
		}
		if tag := head.Get("ETag"); tag != "" || head.Get("Cache-Control") != "" { // what is kept is asked for again
			for _, same := range []string{tag, `"other"`} {
				if _, err := do(ctx, client.Call{Method: "GET", URL: t.Card, Header: http.Header{"If-None-Match": {same}}}); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

func do(ctx context.Context, c client.Call) ([]byte, error) {
	_, body, err := exchange(ctx, c)
	return body, err
}

func get(ctx context.Context, c client.Call) (http.Header, error) {
	head, _, err := exchange(ctx, c)
	return head, err
}

func exchange(ctx context.Context, c client.Call) (http.Header, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, c.Method, c.URL, bytes.NewReader(c.Body))
	if err != nil {
		return nil, nil, err
	}
	req.Header = c.Header
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	resp, err := (&http.Client{Transport: tr}).Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.Header, body, err
}

// taskIn is the id of the first task in an answer.
func taskIn(text []byte) string {
	if i := bytes.Index(text, []byte("data:")); i >= 0 {
		line, _, _ := bytes.Cut(text[i+len("data:"):], []byte("\n"))
		text = line
	}
	root, _ := record.ObserveJSON(bytes.TrimSpace(text))
	for _, at := range []string{"/result/task/id", "/task/id", "/result/id", "/id"} {
		if n := root.At(at); n != nil && n.Kind == record.String && len(n.String) > 1 {
			return n.String
		}
	}
	return ""
}

// What the legal scripts send is what the text asks for, in each binding: we are never the faulty side.
func TestLegalScriptsSendValidAnswers(t *testing.T) {
	for _, dialect := range []string{a2a10, a2a03} {
		for i, kind := range []string{schema.KindJSONRPC, schema.KindREST, schema.KindREST, schema.KindREST} {
			style := max(0, i-1)
			if style > 0 && dialect == a2a10 {
				continue
			}
			t.Run(fmt.Sprint(dialect, " ", kind, " ", style), func(t *testing.T) {
				t.Parallel()
				d := loadDialect(t, dialect)
				var legal []string
				for _, s := range Scripts(dialect) {
					if s.Fault == "" {
						legal = append(legal, s.Name)
					}
				}
				tr := runClient(t, Config{Dialect: d, Scenarios: legal, Jobs: 8, pace: 0.05, Func: callEverything(d, kind, style)})
				if tr.Facts.Cut != "" {
					t.Fatal(tr.Facts.Cut)
				}
				compareAfterFile(t, tr)
				refuteTrouble(t, tr)
				valid := map[string]int{}
				for p, s := range tr.Steps() {
					if !slices.Contains(legal, p.Scenario) {
						continue
					}
					if s.Name == "stray" {
						t.Errorf("%s: %s went astray", p.Scenario, s.Exchange.URL)
					}
					if s.Exchange.Status() == http.StatusUnauthorized || s.Exchange.Status() == http.StatusForbidden { // which HTTP alone refuses
						continue
					}
					if s.Op == "" && strings.HasPrefix(s.Name, "redirected") { // HTTP made a GET of a call, which is none of the protocol
						continue
					}
					for _, fault := range faultsOf(d, s) {
						t.Errorf("%s/%s: %s", p.Scenario, s.Name, fault)
					}
					valid[s.Op]++
				}
				for _, op := range []string{"card", "send", "stream", "get", "cancel"} {
					if valid[op] < 3 {
						t.Errorf("%d answers to %s were judged", valid[op], op)
					}
				}
			})
		}
	}
}

// faultsOf compares what answered a call with the shapes of the dialect.
func faultsOf(d *schema.Dialect, s *record.Step) (out []string) {
	check := func(what, definition string, n *record.Node) {
		if definition == "" || n == nil {
			return
		}
		violations, err := d.Shapes().Validate(definition, n.Interface())
		if err != nil {
			out = append(out, err.Error())
		}
		for _, v := range violations {
			out = append(out, fmt.Sprintf("%s: %+v", what, v))
		}
	}
	x := s.Exchange
	if s.Op == "card" {
		check("card", d.Types.Card, x.Reply().Root)
		return out
	}
	b := binding.ByNameOrDefault(d, s.Binding)
	framed := b.Kind() == schema.KindJSONRPC
	judge := func(a binding.Answer, definition string) {
		if framed && !a.Marked {
			out = append(out, "it is no response")
			return
		}
		if framed {
			check("envelope", d.Types.Envelope, a.Envelope.Node)
			if a.ID.Node == nil || a.ID.Node.String != "1" {
				out = append(out, "it is a response to another call")
			}
		}
		if a.Failure.Exists() {
			if framed {
				check("error", d.Types.Error, a.Failure.Node)
			}
			return
		}
		check("result", definition, a.Result.Node)
	}
	switch {
	case x.Status() == http.StatusTooManyRequests, x.Status() == http.StatusServiceUnavailable, x.Status() == http.StatusMethodNotAllowed, x.Status()/100 == 3:
	case x.IsStream():
		if len(x.Events()) == 0 {
			out = append(out, "the stream has no events")
		}
		for _, e := range x.Events() {
			if e.Frame.HasData {
				judge(b.Event(s.Op, e.Document.Root), d.Types.Event)
			}
		}
	case x.Reply().Root == nil:
		out = append(out, fmt.Sprintf("HTTP %d has no JSON: %q", x.Status(), x.Response.Body))
	default:
		judge(b.Decode(s.Op, x), d.Operation(s.Op).Result)
	}
	return out
}

// What a small client does in each scenario shows that it provokes what it is for.
func TestScriptsProvoke(t *testing.T) {
	const (
		plainly = "card send; 0"
		refused = "card send; 1"
		streams = "card stream; 0"
	)
	want := map[string]string{
		"turns": "card send send-2; 0", "odd-ids": "card send send-2; 0", "auth-required-credential": "card send send-2; 0", "input-required": "card send send-2; 0", "only-rest": "card; 1", "only-grpc": "card; 1",
		"card-broken": "card; 1", "card-redirect": "card card-2 send; 0", "extension-unknown": refused, "version-refused": refused, "auth-401": refused, "auth-403": refused, "extended-card": plainly,
		"interfaces-older": "card; 1", "interfaces-down": "card; 1", "interfaces-down-rest": plainly,
		"no-answer": refused, "no-answer-no-version": plainly, "no-answer-other-id": plainly, "error": refused,
		"stream": streams, "stream-error": "card stream; 1", "stream-refused": "card stream; 1", "stream-not-offered": plainly, "stream-cut-torn": "card stream; 1", "subscribe": "card stream; 1",
		"stream-cr": "card stream; 0 without event-1 event-2 event-3 event-4", "stream-bom": "card stream; 0 without event-1", "stream-unended": "card stream; 0 without status",
		"stream-waiting": "card stream stream-2; 0", "cancel": streams, "redirect": "card send redirected; 0", "redirect-302": "card send redirected; 1", "busy": refused, "answer-lost": refused,
		"silent":                  "card send; 1",
		"tls-unknown-issuer-card": "handshake; 1", "tls-wrong-name-card": "handshake; 1", "tls-expired-card": "handshake; 1",
		"tls-unknown-issuer-interface": "card handshake; 1", "tls-wrong-name-interface": "card handshake; 1", "tls-expired-interface": "card handshake; 1",
	}
	for _, dialect := range []string{a2a10, a2a03} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			tr := runClient(t, Config{Dialect: loadDialect(t, dialect), Command: testCommand(), Patience: 8 * time.Second, pace: 0.02, Jobs: 6, With: []string{WithTLS, WithKeys}})
			for i := range tr.Plays {
				p := &tr.Plays[i]
				expected := plainly
				for name := p.Scenario; name != ""; { // the longest name that is listed
					if w, ok := want[name]; ok {
						expected = w
						break
					}
					name = name[:max(0, strings.LastIndexByte(name, '-'))]
				}
				exit := fmt.Sprint(p.Client.Exit)
				if p.Client.Patience {
					exit = "1"
				}
				got := strings.Join(names(p), " ") + "; " + exit
				for _, s := range p.Steps {
					if strings.HasPrefix(s.Name, "redirected") && (s.Binding == "") != (s.Op == "") {
						t.Errorf("%s: the redirected request for %q counts as one in %q", p.Scenario, s.Op, s.Binding)
					}
				}
				var missing []string
				for _, m := range p.Client.Markers {
					if m.Sent && !m.Printed {
						missing = append(missing, m.In)
					}
				}
				if exit == "0" && len(missing) > 0 {
					got += " without " + strings.Join(missing, " ")
				}
				if got != expected {
					t.Errorf("%s: %s, want %s; it printed %q", p.Scenario, got, expected, p.Client.Stderr)
				}
			}
			compareAfterFile(t, tr)
			refuteTrouble(t, tr)
		})
	}
}

// refuteTrouble demands that no script failed.
func refuteTrouble(t *testing.T, tr *record.Transcript) {
	t.Helper()
	for _, x := range tr.Exchanges {
		if strings.HasPrefix(x.Trouble, ScriptTrouble) {
			t.Errorf("%s: %s", x.URL, x.Trouble)
		}
	}
}

// A task that is canceled while its stream goes on ends that stream, and other calls may come meanwhile.
func TestCancelWhileStreaming(t *testing.T) {
	for _, dialect := range []string{a2a10, a2a03} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			d := loadDialect(t, dialect)
			b := binding.ByNameOrDefault(d, "")
			tr := runClient(t, Config{Dialect: d, Scenarios: []string{"cancel", "cancel-late-working"}, Func: func(ctx context.Context, task *Task) error {
				if !strings.HasPrefix(task.Scenario, "cancel") {
					return runTestClient([]string{task.URL, task.Text}, strings.NewReader(""), task.Stdout)
				}
				w := writerOf(d)
				c, err := b.Encode(task.RPC, binding.Request{Op: "stream", ID: "1", Params: w.Params["send"](outgoing(task.Text, ""))})
				if err != nil {
					return err
				}
				req, err := http.NewRequestWithContext(ctx, c.Method, c.URL, bytes.NewReader(c.Body))
				if err != nil {
					return err
				}
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					return err
				}
				defer resp.Body.Close()
				first := make([]byte, 4096)
				n, err := resp.Body.Read(first)
				if err != nil {
					return err
				}
				id := taskIn(first[:n])
				var work sync.WaitGroup
				for _, op := range []string{"get", "get", "cancel", "get"} {
					work.Go(func() {
						if c, err := b.Encode(task.RPC, binding.Request{Op: op, ID: "2", Params: map[string]any{"id": id}}); err == nil {
							do(ctx, c)
						}
					})
				}
				work.Wait()
				rest, err := io.ReadAll(resp.Body)
				fmt.Fprintf(task.Stdout, "%s", rest)
				return err
			}})
			for scenario, want := range map[string]string{"cancel": "cancel", "cancel-late-working": "complete"} {
				p := tr.Play(scenario)
				if p == nil || p.Client.Exit != 0 || p.Step("stream") == nil || p.Step("cancel") == nil {
					t.Fatalf("%s: %+v", scenario, p)
				}
				events := p.Step("stream").Exchange.Events()
				if last := events[len(events)-1]; !strings.Contains(strings.ToLower(last.Data), want) {
					t.Errorf("%s: the last event is %s", scenario, last.Data)
				}
				if p.Step("cancel").Task == "" {
					t.Errorf("%s: the task of the call is not known", scenario)
				}
			}
			refuteTrouble(t, tr)
		})
	}
}
