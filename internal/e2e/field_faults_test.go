package e2e

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/reference"
)

// anotherContext is the context of no task.
const anotherContext = "5c8fd0a2-5c1e-4a0e-9d7f-6b1f4a4f7a11"

// contextChangedInAnswer has the message in the status of a task name another context, if the client has answered it.
func contextChangedInAnswer(k call, m map[string]any) {
	if message, _ := k.params["message"].(map[string]any); message["taskId"] != nil {
		if of := memberAt(m, "result", "task", "status", "message"); of != nil {
			of["contextId"] = anotherContext
		}
	}
}

// A message inside a task is looked at in whichever conversation, list or stream it comes.
func TestMessageOfAnotherContextIsFoundEverywhere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dialect, id string
		change      func(k call, m map[string]any)
	}{
		"an answer, 1.0": {"a2a-1.0", "A2A10-DATA-013", contextChangedInAnswer},
		"a stream, 1.0": {"a2a-1.0", "A2A10-DATA-013", func(k call, m map[string]any) {
			if of := memberAt(m, "result", "statusUpdate", "status", "message"); of != nil && k.method == "SendStreamingMessage" {
				of["contextId"] = anotherContext
			}
		}},
		"an answer, 0.3": {"a2a-0.3", "A2A03-MSG-007", func(k call, m map[string]any) {
			if message, _ := k.params["message"].(map[string]any); message["taskId"] != nil {
				if of := memberAt(m, "result", "status", "message"); of != nil {
					of["contextId"] = anotherContext
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := doctored(t, reference.Options{Dialect: c.dialect}, func(k call, r *reply) {
				r.edit(func(m map[string]any) { c.change(k, m) })
			})
			target := conform.Target{Dialect: c.dialect, Behaviour: conform.Behaviour{DefaultStimuli: true}}
			prefix, _, _ := strings.Cut(c.id, "-")
			got := judgedOn(t, url, target, c.id, prefix+"-STREAM-*", prefix+"-GET-*", prefix+"-SEND-*")
			expect(t, got, map[string]string{c.id: "fail"})
		})
	}
}

// A fault that stands in one list or stream alone is found there, though the catalogue names
// others of their kind that have to be held.
func TestFaultsOfOneListOrStream(t *testing.T) {
	t.Parallel()
	inStream := func(step string, change func(update map[string]any)) func(call, *reply) {
		return func(c call, r *reply) {
			if c.named(step) {
				r.edit(func(m map[string]any) {
					change(memberAt(m, "result", "artifactUpdate"))
					if of := result(m); of["kind"] == "artifact-update" {
						change(of)
					}
				})
			}
		}
	}
	appended := func(update map[string]any) {
		if update != nil {
			update["append"] = true
		}
	}
	// Which of its events a stream that is left and joined has depends on time, so that each is cut.
	cut := func(step string) func(method, block string) string {
		return func(_, block string) string {
			if strings.Contains(block, `"id":"`+step) {
				return "data: " + dataOf(block)[:20] + "\n\n"
			}
			return block
		}
	}
	lastingTask := conform.Stimulus{Text: "slow 0.3", Seconds: 0.3} // tasks that end at the same moment are in no order
	oldestFirst := func(c call, r *reply) {
		if c.method != "ListTasks" || c.params["status"] == nil {
			return
		}
		r.edit(func(m map[string]any) {
			if tasks, is := result(m)["tasks"].([]any); is {
				slices.Reverse(tasks)
			}
		})
	}
	for _, c := range []struct {
		dialect, binding, mutant, id string
		change                       func(call, *reply)
		write                        func(method, block string) string
		quick                        conform.Stimulus // in place of the usual one
	}{
		{dialect: "a2a-1.0", change: oldestFirst, id: "A2A10-LIST-013", quick: lastingTask},
		{dialect: "a2a-1.0", mutant: "list-of-state-artifacts-empty", id: "A2A10-LIST-019"},
		{dialect: "a2a-1.0", binding: "HTTP+JSON", mutant: "list-of-state-artifacts-empty", id: "A2A10-LIST-019"},
		{dialect: "a2a-1.0", change: inStream("push-configs/", appended), id: "A2A10-STREAM-025"},
		{dialect: "a2a-0.3", change: inStream("push-configs/", appended), id: "A2A03-STREAM-023"},
		{dialect: "a2a-1.0", write: cut("followers/"), id: "A2A10-STREAM-006"},
		{dialect: "a2a-0.3", write: cut("resubscribe/"), id: "A2A03-STREAM-004"},
		{dialect: "a2a-0.1", write: cut("resubscribe/"), id: "A2A01-STR-004"},
		{dialect: "jaf-0.3", write: cut("drop/"), id: "JAF03-STR-007"},
	} {
		t.Run(c.id+" "+c.binding, func(t *testing.T) {
			t.Parallel()
			with := reference.Options{Dialect: c.dialect, Mutant: c.mutant}
			target := conform.Target{Dialect: c.dialect, IDs: stepsAsIDs, Endpoint: conform.Endpoint{Binding: c.binding}, Behaviour: conform.Behaviour{DefaultStimuli: true, Stimuli: maps.Clone(slowForSure)}}
			if c.quick.Text != "" {
				target.Stimuli["quick"] = c.quick
			}
			if c.binding == "" {
				target.Binding = onlyRPC(c.dialect)
			}
			if c.binding == "GRPC" {
				with.GRPCAddr = "127.0.0.1:0"
			}
			url := changedServer(t, with, c.change, c.write)
			expect(t, judgedOn(t, url, target), map[string]string{c.id: "fail"}) // with every conversation
		})
	}
}

// Members that are null count as left out where the protocol's JSON is that of Protocol
// Buffers, which is a finding; where it has a JSON Schema alone, null is a fault.
func TestNullForWhatIsNotThere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dialect string
		want    map[string]string
	}{
		{"a2a-1.0", map[string]string{"A2A10-DATA-015": "pass!", "A2A10-DATA-025": "pass!", "A2A10-SCHEMA-000": "pass"}},
		{"a2a-0.3", map[string]string{"A2A03-MSG-008": "fail"}},
	} {
		t.Run(c.dialect, func(t *testing.T) {
			t.Parallel()
			url := doctored(t, reference.Options{Dialect: c.dialect}, func(k call, r *reply) {
				r.edit(func(m map[string]any) { nullMessages(m["result"]) })
			})
			var ids []string
			for id := range c.want {
				ids = append(ids, id)
			}
			expect(t, judgedOn(t, url, conform.Target{Dialect: c.dialect, Behaviour: conform.Behaviour{DefaultStimuli: true}}, ids...), c.want)
		})
	}
}

// nullMessages sends what messages do not have as null, as many JSON libraries do.
func nullMessages(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			nullMessages(e)
		}
	case map[string]any:
		for _, member := range v {
			nullMessages(member)
		}
		if v["messageId"] != nil {
			for _, name := range []string{"extensions", "metadata", "referenceTaskIds"} {
				if v[name] == nil {
					v[name] = nil
				}
			}
		}
	}
}

// Two webhooks of a task that are created without an id get ids of their own, and the
// tasks of a client are kept from another by each operation, whatever the others do.
func TestFaultsThatHidEachOther(t *testing.T) {
	t.Parallel()
	guarded := identity()
	for _, c := range []struct {
		mutant string
		target conform.Target
		ids    []string
		want   map[string]string
	}{
		{"push-id-of-task", conform.Target{Dialect: "a2a-1.0", Behaviour: conform.Behaviour{DefaultStimuli: true}}, []string{"A2A10-PUSH-*"}, map[string]string{"A2A10-PUSH-015": "fail"}},
		{"guard-shares-subscribe", guarded, []string{"A2A10-AUTH-*"},
			map[string]string{"A2A10-AUTH-014": "pass", "A2A10-AUTH-015": "pass", "A2A10-AUTH-016": "fail", "A2A10-AUTH-018": "pass"}},
		{"guard-open-cancel", guarded, []string{"A2A10-AUTH-*"}, map[string]string{"A2A10-AUTH-004": "fail", "A2A10-AUTH-015": "pass"}},
		{"foreign-cancel-told", guarded, []string{"A2A10-AUTH-*", "A2A10-CANCEL-*"},
			map[string]string{"A2A10-AUTH-014": "pass", "A2A10-AUTH-015": "inconclusive", "A2A10-AUTH-018": "fail"}},
	} {
		t.Run(c.mutant, func(t *testing.T) {
			t.Parallel()
			server := bundled(t, reference.Options{Dialect: "a2a-1.0", Mutant: c.mutant})
			expect(t, judgedOn(t, server.URL(), c.target, c.ids...), c.want)
		})
	}
}

// Another client subscribes to a task that runs: a server that keeps from others only
// what waits or has ended is found out, in each dialect and binding. If the task had ended
// before, that says nothing, and a task that waits decides.
func TestStrangersFollowWhatRuns(t *testing.T) {
	t.Parallel()
	const mutant = "guard-shares-running"
	for _, c := range []struct {
		dialect, binding, mutant, id string
		stimuli                      map[string]operator.Stimulus
		want                         string
	}{
		{"a2a-0.1", "", mutant, "A2A01-AUTH-020", nil, "fail"},
		{"a2a-0.3", "JSONRPC", mutant, "A2A03-AUTH-015", nil, "fail"},
		{"a2a-0.3", "HTTP+JSON", mutant, "A2A03-AUTH-015", nil, "fail"},
		{"a2a-0.3", "GRPC", mutant, "A2A03-AUTH-015", nil, "fail"},
		{"a2a-1.0", "JSONRPC", mutant, "A2A10-AUTH-016", nil, "fail"},
		{"a2a-1.0", "HTTP+JSON", mutant, "A2A10-AUTH-016", nil, "fail"},
		{"a2a-1.0", "GRPC", mutant, "A2A10-AUTH-016", nil, "fail"},
		{"a2a-1.0", "JSONRPC", "", "A2A10-AUTH-016", map[string]operator.Stimulus{"quick": {Text: "echo x"}, "slow": {Text: "echo ended at once", Seconds: 5}}, "inconclusive"},
		{"a2a-1.0", "JSONRPC", "", "A2A10-AUTH-016", map[string]operator.Stimulus{"quick": {Text: "echo x"}, "slow": {Text: "echo ended at once", Seconds: 5},
			"ask": {Text: "ask", Answer: "blue"}}, "pass"},
		{"a2a-1.0", "JSONRPC", "", "A2A10-AUTH-016", map[string]operator.Stimulus{"quick": {Text: "echo x"}}, "pass"},
		{"a2a-1.0", "JSONRPC", "guard-shares-subscribe", "A2A10-AUTH-016", map[string]operator.Stimulus{"quick": {Text: "echo x"}}, "inconclusive"},
	} {
		name := strings.Join([]string{c.dialect, c.binding, c.mutant, c.want}, " ")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := reference.Options{Dialect: c.dialect, Variant: "guarded", Mutant: c.mutant}
			if c.binding == "GRPC" {
				o.GRPCAddr = "127.0.0.1:0"
			}
			target := identity()
			target.Dialect, target.Binding = c.dialect, c.binding
			if c.stimuli != nil {
				target.DefaultStimuli, target.Stimuli = false, c.stimuli
			}
			expect(t, judgedOn(t, bundled(t, o).URL(), target, c.id), map[string]string{c.id: c.want})
		})
	}
}

// If a server answers messages only when the work is done, whatever the client wants, others
// ask for a task that its owner streams.
func TestStrangersFollowWhatIsStreamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ dialect, streams, asked, heard, mutant, id string }{
		{"a2a-1.0", "SendStreamingMessage", `"returnImmediately":true`, `"returnImmediately":false`, "guard-shares-running", "A2A10-AUTH-016"},
		{"a2a-1.0", "SendStreamingMessage", `"returnImmediately":true`, `"returnImmediately":false`, "guard-open-resubscribe", "A2A10-AUTH-005"},
		{"a2a-0.3", "message/stream", `"blocking":false`, `"blocking":true`, "guard-shares-running", "A2A03-AUTH-015"},
	} {
		t.Run(c.dialect+" "+c.mutant, func(t *testing.T) {
			t.Parallel()
			behind := bundled(t, reference.Options{Dialect: c.dialect, Mutant: c.mutant})
			at, err := url.Parse(behind.URL())
			if err != nil {
				t.Fatal(err)
			}
			through := httputil.NewSingleHostReverseProxy(at)
			through.FlushInterval = -1
			var hurried, streamed atomic.Int32
			front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent, _ := io.ReadAll(r.Body)
				hurried.Add(int32(bytes.Count(sent, []byte(c.asked))))
				if bytes.Contains(sent, []byte(c.streams)) && bytes.Contains(sent, []byte(`"slow `)) {
					streamed.Add(1)
				}
				sent = bytes.ReplaceAll(sent, []byte(c.asked), []byte(c.heard))
				r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(sent)), int64(len(sent))
				through.ServeHTTP(w, r)
			}))
			t.Cleanup(front.Close)
			target := identity()
			target.Dialect, target.Binding, target.RPC = c.dialect, "JSONRPC", front.URL
			expect(t, judgedOn(t, behind.URL(), target, c.id), map[string]string{c.id: "fail"})
			if hurried.Load() == 0 || streamed.Load() == 0 {
				t.Errorf("%d messages did not want to wait, and %d were streamed", hurried.Load(), streamed.Load())
			}
		})
	}
}

// Over gRPC, errors without an ErrorInfo are one fault: what rests on the name of an error
// is undecided, and no interface is said to offer what it refuses.
func TestErrorsWithoutAName(t *testing.T) {
	t.Parallel()
	server := bundled(t, reference.Options{Dialect: "a2a-1.0", Mutant: "grpc-error-details-missing", GRPCAddr: "127.0.0.1:0"})
	target := conform.Target{Dialect: "a2a-1.0", Behaviour: conform.Behaviour{DefaultStimuli: true}, Endpoint: conform.Endpoint{Binding: "each"}}
	target.URL = server.URL()
	o, err := conform.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	onlyFails(t, verdicts(o), "A2A10-GRPC-ERR-001")
}
