package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// takes names, for each operation, the requirements of which one is broken if a valid and plain call
// of it is refused as malformed, or by an internal error. One of our own is a finding, if no
// sentence of the source obliges.
var takes = map[string]map[string]string{
	"a2a-0.1": {
		"send": "A2A01-MSG-017", "stream": "A2A01-STR-001", "get": "A2A01-TASK-020", "cancel": "A2A01-TASK-046",
		"resubscribe": "A2A01-STR-039", "push-set": "A2A01-PUSH-001", "push-get": "A2A01-PUSH-003",
	},
	"a2a-0.3": {
		"send": "A2A03-SEND-001", "stream": "A2A03-STREAM-001", "get": "A2A03-GET-002", "cancel": "A2A03-CANCEL-001",
		"resubscribe": "A2A03-RESUB-001", "push-set": "A2A03-PUSH-001", "push-get": "A2A03-PUSH-013", "push-list": "A2A03-PUSH-018",
		"push-delete": "A2A03-PUSH-023", "extended-card": "A2A03-EXTCARD-001",
	},
	"a2a-1.0": {
		"send": "A2A10-SEND-001", "stream": "A2A10-STREAM-003", "get": "A2A10-GET-002", "list": "A2A10-LIST-001", "cancel": "A2A10-CANCEL-001",
		"resubscribe": "A2A10-SUB-001", "push-set": "A2A10-PUSH-008", "push-get": "A2A10-PUSH-016", "push-list": "A2A10-PUSH-021",
		"push-delete": "A2A10-PUSH-025", "extended-card": "A2A10-EXTCARD-004",
	},
	"a2x-0.3":       {"send": "A2X03-OWN-005", "stream": "A2X03-STR-001", "get": "A2X03-TASK-011", "cancel": "A2X03-TASK-021"},
	"core-schema":   {"send": "CORE-OWN-001", "get": "CORE-OWN-002", "stream": "CORE-OWN-003"},
	"directory-0.1": {"register": "DIR01-DIR-001", "discover": "DIR01-DIR-028", "task": "DIR01-OWN-003"},
	"jaf-0.3":       {"send": "JAF03-MSG-018", "stream": "JAF03-STR-001", "get": "JAF03-STR-028", "cancel": "JAF03-TASK-022 JAF03-TASK-026"},
}

// delivers are requirements whose conversations wait for a delivery, by dialect and operation.
var delivers = map[string]map[string][]string{
	"a2a-0.1": {"push-set": {"A2A01-PUSH-013"}}, "a2a-0.3": {"push-set": {"A2A03-PUSH-032"}}, "a2a-1.0": {"push-set": {"A2A10-DELIV-011"}},
}

// A server that refuses each valid call of one operation breaks a requirement on that
// operation, in each dialect. An agent that answers each message by an internal error fails
// inside, which is no refusal of the call.
func TestEachOperationTakesValidCalls(t *testing.T) {
	t.Parallel()
	for _, name := range schema.Names() {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for op := range takes[name] {
			if !d.Has(op) {
				t.Errorf("%s has no operation %s", name, op)
			}
		}
		for op, is := range d.Operations {
			ids := strings.Fields(takes[name][op])
			if len(ids) == 0 || slices.ContainsFunc(ids, func(id string) bool { return d.Requirement(id) == nil }) {
				t.Errorf("%s: no requirement says that a valid call of %s is taken", name, op)
				continue
			}
			for code, error := range map[int]string{-32602: "InvalidParams", -32603: "InternalError"} {
				if code == -32603 && is.Agent && !is.Streams {
					continue
				}
				t.Run(name+"/"+op+"/"+error, func(t *testing.T) {
					t.Parallel()
					// A refusal is excused if no webhook was called yet, so that a run of calls of
					// webhooks waits until one was.
					asked := slices.Concat(ids, delivers[name][op])
					got := judgedOn(t, refusingCallsOf(t, d, op, code), refusedTarget(name), asked...)
					if !slices.ContainsFunc(ids, func(id string) bool { return names(got[id]) }) {
						t.Errorf("%v are not broken: %+v", ids, got)
					}
				})
			}
		}
	}
}

// names reports whether a result names a fault: it is a failure or, of a requirement of our
// own, a finding.
func names(r report.Result) bool {
	return r.Verdict == report.Fail || schema.IsOwn(r.ID) && r.Verdict == report.Pass && len(r.Findings) > 0
}

// In the other bindings of a dialect the same holds, of a requirement on the binding or on
// the operation.
func TestEachBindingTakesValidCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ dialect, binding, mutant, id string }{
		{"a2a-0.3", "HTTP+JSON", "send-refused-as-invalid", "A2A03-REST-OP-001"}, {"a2a-0.3", "GRPC", "send-refused-as-invalid", "A2A03-GRPC-OP-001"},
		{"a2a-0.3", "HTTP+JSON", "cancel-refused-as-invalid", "A2A03-REST-OP-008"}, {"a2a-0.3", "GRPC", "cancel-refused-as-invalid", "A2A03-GRPC-OP-009"},
		{"a2a-1.0", "HTTP+JSON", "send-refused-as-invalid", "A2A10-REST-OP-001"}, {"a2a-1.0", "GRPC", "send-refused-as-invalid", "A2A10-GRPC-OP-001"},
		{"a2a-1.0", "HTTP+JSON", "cancel-refused-as-invalid", "A2A10-REST-OP-004"}, {"a2a-1.0", "GRPC", "cancel-refused-as-invalid", "A2A10-CANCEL-001"},
		{"a2a-1.0", "HTTP+JSON", "push-guarded-refused", "A2A10-PUSH-008"}, {"a2a-1.0", "GRPC", "push-guarded-refused", "A2A10-PUSH-008"},
		{"a2a-1.0", "HTTP+JSON", "push-delete-refused", "A2A10-PUSH-025"}, {"a2a-1.0", "GRPC", "push-delete-refused", "A2A10-PUSH-025"},
	} {
		t.Run(c.dialect+"/"+c.binding+"/"+c.mutant, func(t *testing.T) {
			t.Parallel()
			with := reference.Options{Dialect: c.dialect, Mutant: c.mutant}
			if c.binding == "GRPC" {
				with.GRPCAddr = "127.0.0.1:0"
			}
			target := refusedTarget(c.dialect)
			target.Binding = c.binding
			expect(t, judgedOn(t, bundled(t, with).URL(), target, c.id), map[string]string{c.id: "fail"})
		})
	}
}

// A webhook whose address is plain http may be refused for that, unless the server calls
// webhooks of this run.
func TestRefusedWebhookIsExcusedByItsAddressAlone(t *testing.T) {
	t.Parallel()
	for dialect, ids := range map[string][]string{
		"a2a-0.1": {"A2A01-PUSH-001", "A2A01-PUSH-006"}, "a2a-0.3": {"A2A03-PUSH-001", "A2A03-PUSH-003"}, "a2a-1.0": {"A2A10-PUSH-008", "A2A10-PUSH-007"},
	} {
		d, err := schema.Load(dialect)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			target := refusedTarget(dialect)
			target.Webhook = conform.Webhook{}
			got := judgedOn(t, refusingCallsOf(t, d, "push-set", -32602), target, ids...)
			for _, id := range ids {
				if r := got[id]; r.Verdict != report.Inconclusive || r.Remedy == "" && r.Because == "" {
					t.Errorf("%s is %s without a way out: %s", id, r.Verdict, r.Reason)
				}
			}
		})
	}
}

// refusingCallsOf is a bundled server in front of which each call of an operation that it takes is
// refused.
func refusingCallsOf(t *testing.T, d *schema.Dialect, op string, code int) string {
	t.Helper()
	with := reference.Options{Dialect: d.Name}
	if op == "extended-card" {
		with.Variant = "guarded"
	}
	if op == "cancel" { // which must not be carried out before it is refused
		return refusingBefore(t, doctored(t, with, func(call, *reply) {}), d.Method(op), code, func(string) bool { return true })
	}
	return doctored(t, with, func(c call, r *reply) {
		if c.method == "" || c.method != d.Method(op) {
			return
		}
		var answer struct{ Error json.RawMessage }
		stream := strings.HasPrefix(r.header.Get("Content-Type"), "text/event-stream")
		if !stream && (json.Unmarshal(r.body, &answer) != nil || answer.Error != nil) {
			return
		}
		r.error(c, code, "this operation is out of order")
	})
}

// refusingBefore is a proxy that refuses the calls of a method that name a task for which
// refused is true, and hands on all others.
func refusingBefore(t *testing.T, behind, method string, code int, refused func(task string) bool) string {
	t.Helper()
	to, err := url.Parse(behind)
	if err != nil {
		t.Fatal(err)
	}
	onward := httputil.NewSingleHostReverseProxy(to)
	onward.FlushInterval = -1
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var c struct {
			ID     json.RawMessage
			Method string
			Params struct{ ID string }
		}
		if json.Unmarshal(body, &c) != nil || c.Method != method || c.Params.ID == "" || !refused(c.Params.ID) {
			onward.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"this operation is out of order"}}`, c.ID, code)
	}))
	t.Cleanup(front.Close)
	return front.URL
}

// refusedTarget is a run with all that calls of any operation need, over JSON-RPC.
func refusedTarget(dialect string) conform.Target {
	out := conform.Target{Dialect: dialect, Behaviour: conform.Behaviour{DefaultStimuli: true, Webhook: conform.Webhook{Listen: "127.0.0.1:0"}, Allow: []schema.Risk{schema.Residue},
		Stimuli: slowForSure}, Credentials: conform.Credentials{Bearer: reference.Token}}
	if slices.Contains([]string{"a2a-0.3", "a2a-1.0"}, dialect) {
		out.Binding = "JSONRPC"
	}
	return out
}
