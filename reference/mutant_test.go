package reference

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
)

// The proof of each dialect plays every mutant and fails if one changes nothing. The tests
// of this file show without the suite that a mutant is applied at each of its doors.

// TestMutantsAtTheirDoors makes one request of the healthy server and of a mutant: only the
// mutant's response contains what the mutant is about.
func TestMutantsAtTheirDoors(t *testing.T) {
	t.Parallel()
	call := func(method, params string) string { return a2aCall(`"r"`, method, params) }
	twentyYearsAgo := fmt.Sprint(time.Now().AddDate(-20, 0, 0).Year())
	for _, test := range []struct {
		door, dialect, mutant string
		verb, path, body      string
		want                  string // in the status, the headers and the body of the mutant's response
	}{
		{"reply, with an error", "a2a-0.1", "unknown-task-misnamed", "POST", "/", call("tasks/get", `{"id":"none"}`), "-32602"},
		{"reply, with a patch", "a2a-0.1", "error-id-scraped", "POST", "/", `{"id":`, `"id":"p1"`},
		{"reply, with a result", "a2a-0.3", "unknown-task-null", "POST", "/", call("tasks/get", `{"id":"none"}`), `"result":null`},
		{"reply, without a body", "a2a-0.1", "unknown-method-404", "POST", "/", call("tasks/none", `{}`), "404 Not Found"},
		{"reply, in Go", "a2a-0.1", "word-gets-error-page", "POST", "/", "hello", "<h1>Bad Request</h1>"},
		{"document", "a2a-0.1", "card-in-array", "GET", "/.well-known/agent.json", "", "][{"},
		{"call", "a2a-0.1", "version-not-required", "POST", "/", `{"id":"r","method":"tasks/get","params":{"id":"none"}}`, "-32001"},
		{"call, each part", "a2a-0.3", "text-optional", "POST", "/", call("message/send", `{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text"}]}}`), `"result"`},
		{"event", "a2a-0.3", "event-error-beside-result", "POST", "/", call("message/stream", v03Text("echo hi", "")), `"message":"None"`},
		{"engine", "a2a-0.3", "clock-set-back", "POST", "/", call("message/send", v03Text("echo hi", "")), `"timestamp":"` + twentyYearsAgo},
		{"guard", "a2a-0.3", "guard-open-get", "POST", "/", call("tasks/get", `{"id":"none"}`), "-32001"},
		{"server flag", "a2a-0.3", "guard-hidden", "POST", "/", call("tasks/get", `{"id":"none"}`), "401 Unauthorized"},
		{"HTTP+JSON", "a2a-1.0", "rest-wrong-verb-served", "PUT", "/rest/tasks/none", "", "200 OK"},
		{"HTTP+JSON, by an edit for any binding", "a2a-1.0", "unknown-cancel-misnamed", "POST", "/rest/tasks/none:cancel", "{}", "TASK_NOT_CANCELABLE"},
		{"JSON-RPC, by an edit for any binding", "a2a-1.0", "unknown-cancel-misnamed", "POST", "/", call("CancelTask", `{"id":"none"}`), "-32002"},
		{"payments", "a2x-0.3", "unknown-task-null", "POST", "/api/a2a", call("tasks/get", `{"id":"none"}`), `"result":null`},
		{"agents", "jaf-0.3", "unknown-task-null", "POST", "/a2a", call("tasks/get", `{"id":"none"}`), `"result":null`},
		{"directory", "directory-0.1", "register-missing", "POST", "/a2a/register", call("a2a/register", `{}`), "-32601"},
		{"core schema", "core-schema", "text-refused", "POST", "/", call("tasks/send", a2aText("t", "echo hi")), "-32005"},
	} {
		t.Run(test.door, func(t *testing.T) {
			t.Parallel()
			variant := "full"
			for _, m := range Mutants(test.dialect) {
				if m.Name == test.mutant {
					variant = m.Variant
				}
			}
			ask := func(mutant string) string {
				s := start(t, Options{Dialect: test.dialect, Variant: variant, Mutant: mutant})
				r := fetchBy(http.DefaultClient, t, test.verb, s.URL()+test.path, "application/json", test.body, map[string]string{"A2A-Version": "1.0"})
				return fmt.Sprint(r.status, " ", http.StatusText(r.status), r.header) + r.raw
			}
			healthy, spoiled := ask(""), ask(test.mutant)
			if strings.Contains(healthy, test.want) || !strings.Contains(spoiled, test.want) {
				t.Errorf("%q should be in the second response only:\n%s\n%s", test.want, healthy, spoiled)
			}
		})
	}
}

// TestMutantOverGRPC is about the form of JSON-RPC that an answer has inside the server: an
// edit of it shows in the status of gRPC.
func TestMutantOverGRPC(t *testing.T) {
	t.Parallel()
	for mutant, want := range map[string]codes.Code{"": codes.NotFound, "unknown-cancel-misnamed": codes.FailedPrecondition} {
		s := start(t, Options{Dialect: "a2a-1.0", Mutant: mutant, GRPCAddr: "127.0.0.1:0"})
		if got := dialGRPC(t, s).call("CancelTask", `{"id":"none"}`).status.Code(); got != want {
			t.Errorf("mutant %q: CancelTask of an unknown task ends with %v, not %v", mutant, got, want)
		}
	}
}

// TestMutantOfPushNotifications is about the door that only a webhook can see.
func TestMutantOfPushNotifications(t *testing.T) {
	t.Parallel()
	for mutant, want := range map[string]bool{"": true, "push-task-unnamed": false} {
		bodies := make(chan any, 10)
		hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body := make([]byte, r.ContentLength)
			r.Body.Read(body)
			v, _ := decode(body)
			bodies <- v
		}))
		t.Cleanup(hook.Close)
		s := start(t, Options{Dialect: "a2a-0.1", Mutant: mutant})
		rpc(t, s.URL(), "tasks/send", `{"id":"t","message":{"role":"user","parts":[{"type":"text","text":"echo hi"}]},"pushNotification":{"url":"`+hook.URL+`"}}`)
		if got := has(<-bodies, "taskId"); got != want {
			t.Errorf("mutant %q: a notification names its task: %v, not %v", mutant, got, want)
		}
	}
}

func a2aCall(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`
}

// v10Now is the configuration of a client that does not wait.
const v10Now = `,"configuration":{"returnImmediately":true}`

const v10Trace = "https://conform.example.com/ext/trace/v1"

// a2aBare returns TaskSendParams without optional members, with further ones
// added in front.
func a2aBare(id, text, more string) string {
	return `{` + more + `"id":"` + id + `","message":{"role":"user","parts":[{"type":"text","text":"` + text + `"}]}}`
}
