package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/schema"
)

// callRPC makes a call of JSON-RPC, and returns the header of the answer and its body.
func callRPC(ctx context.Context, url, method string, params object) (http.Header, []byte, error) {
	body := encodeJSON(object{"jsonrpc": "2.0", "id": "1", "method": method, "params": params})
	return exchange(ctx, client.Call{Method: "POST", URL: url, Header: http.Header{"Content-Type": {"application/json"}}, Body: body})
}

// readValidResult returns the result of an answer, which has to be as the dialect defines it; nil for an error.
func readValidResult(t *testing.T, d *schema.Dialect, definition string, body []byte) object {
	t.Helper()
	var answer struct{ Result object }
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	if answer.Result == nil {
		return nil
	}
	broken, err := d.Shapes().Validate(definition, answer.Result)
	if err != nil || len(broken) > 0 {
		t.Errorf("%s: %v, %v", body, broken, err)
	}
	return answer.Result
}

// playScript plays one scenario with a function in place of a client, which has a second text if one is due.
func playScript(t *testing.T, dialect, scenario string, with []string, play func(ctx context.Context, c *Task)) {
	t.Helper()
	script := Find(dialect, scenario)
	if script == nil {
		t.Fatalf("%s has no scenario %s", dialect, scenario)
	}
	played := false
	runClient(t, Config{Dialect: loadDialect(t, dialect), Scenarios: []string{scenario}, With: with, Func: func(ctx context.Context, c *Task) error {
		if c.Scenario == scenario {
			played = true
			play(ctx, c)
			return nil
		}
		_, _, err := callRPC(ctx, c.RPC, methodOf[dialect], object{"message": object{}}) // so that the run goes on
		return err
	}})
	if !played {
		t.Errorf("%s: %s was not played", dialect, scenario)
	}
}

// methodOf are the methods that have agents work.
var methodOf = map[string]string{directory01: "a2a/task", coreSchema: "tasks/send", jaf03: "message/send", a2x03: "message/send"}

func TestDirectoryScripts(t *testing.T) {
	t.Parallel()
	d := loadDialect(t, directory01)
	for scenario, want := range map[string]string{
		"hello": "completed", "directory": "completed", "directory-ends-failed": "failed", "directory-ends-cancelled": "cancelled", "directory-ends-timeout": "timeout",
		"directory-error-task-failed": `-32001,"message":"The agent refuses: `, "directory-error-task-timeout": "-32002", "directory-error-method-not-found": "-32601", "directory-empty": "",
	} {
		playScript(t, directory01, scenario, nil, func(ctx context.Context, c *Task) {
			_, body, err := callRPC(ctx, c.URL+"/a2a/discover", "a2a/discover", object{"capabilities": []any{"x", "y"}})
			if err != nil {
				t.Error(err)
				return
			}
			agents := readValidResult(t, d, "DiscoverResult", body)["agents"].([]any)
			if n := map[string]int{"directory": 2, "directory-empty": 0}[scenario]; scenario != "directory-empty" && len(agents) != max(n, 1) || scenario == "directory-empty" && len(agents) > 0 {
				t.Errorf("%s: found %v", scenario, agents)
			}
			if len(agents) == 0 {
				return
			}
			if first := agents[0].(object)["capabilities"]; (fmt.Sprint(first) == "[y]") != (scenario == "directory") {
				t.Errorf("%s: the first agent has %v", scenario, first)
			}
			endpoint := agents[len(agents)-1].(object)["endpoint"].(string)
			for _, at := range []string{endpoint, endpoint + "/a2a/task"} {
				_, body, err = callRPC(ctx, at, "a2a/task", object{"taskId": "t", "action": "a", "sender": "s", "input": object{}})
				if err != nil || !strings.Contains(string(body), want) {
					t.Errorf("%s: %s, %v", scenario, body, err)
				}
				if r := readValidResult(t, d, "TaskResult", body); r != nil && r["taskId"] != "t" {
					t.Errorf("%s: it is another task: %v", scenario, r)
				}
			}
			for _, path := range []string{"/a2a/agents", "/a2a/agents/agents%2Fanswerer"} {
				if _, body, err := exchange(ctx, client.Call{Method: "GET", URL: c.URL + path}); err != nil || !strings.Contains(string(body), `"endpoint"`) {
					t.Errorf("%s: %s, %v", path, body, err)
				}
			}
			if _, body, _ := callRPC(ctx, c.URL, "a2a/register", object{"agentId": "me"}); readValidResult(t, d, "RegisterResult", body)["agentId"] != "me" {
				t.Errorf("registered as %s", body)
			}
			if c.Card != c.URL+"/a2a/agents" || c.RPC != c.URL {
				t.Errorf("the client is given %s and %s", c.Card, c.RPC)
			}
		})
	}
}

func TestScriptsOfTheCoreSchema(t *testing.T) {
	t.Parallel()
	d := loadDialect(t, coreSchema)
	playScript(t, coreSchema, "card-bare", nil, func(ctx context.Context, c *Task) {
		_, body, err := exchange(ctx, client.Call{Method: "GET", URL: c.Card})
		var card object
		if json.Unmarshal(body, &card); err != nil || len(card) != 5 || card["url"] == nil {
			t.Errorf("%s, %v", body, err)
		}
		if broken, err := d.Shapes().Validate("AgentCard", card); err != nil || len(broken) > 0 {
			t.Errorf("%v, %v", broken, err)
		}
	})
	playScript(t, coreSchema, "task-bare", nil, func(ctx context.Context, c *Task) {
		_, body, err := callRPC(ctx, c.RPC, "tasks/send", object{"id": "t", "message": object{"role": "user", "parts": []any{}}})
		if task := readValidResult(t, d, "Task", body); err != nil || strings.Count(string(body), "null") != 5 || task["id"] != "t" {
			t.Errorf("%s, %v", body, err)
		}
	})
}

// Clients of JAF may use the paths that the text has, whatever the card names.
func TestPathsOfJAF(t *testing.T) {
	t.Parallel()
	d := loadDialect(t, jaf03)
	send := object{"message": object{"kind": "message", "messageId": "m", "contextId": "c", "role": "user", "parts": []any{object{"kind": "text", "text": "hi"}}}}
	playScript(t, jaf03, "hello", nil, func(ctx context.Context, c *Task) {
		for _, path := range []string{"/.well-known/agent-card", "/a2a/agents/Anyone/card", "/a2a/agents/Anyone"} {
			_, body, err := exchange(ctx, client.Call{Method: "GET", URL: c.URL + path})
			var card object
			if json.Unmarshal(body, &card); err != nil || card["url"] != c.RPC {
				t.Errorf("%s: %s, %v", path, body, err)
			}
		}
		for _, path := range []string{"/a2a", "/a2a/agents/Anyone", "/agent/rpc"} {
			if _, body, err := callRPC(ctx, c.URL+path, "message/send", send); err != nil || readValidResult(t, d, "Completion", body) == nil {
				t.Errorf("%s: %s, %v", path, body, err)
			}
		}
		if _, body, err := callRPC(ctx, c.URL+"/a2a/agents/a/b", "message/send", send); err != nil || len(body) > 0 {
			t.Errorf("an address that is none is answered %s, %v", body, err)
		}
	})
}

func TestAnswersOfJAF(t *testing.T) {
	t.Parallel()
	d := loadDialect(t, jaf03)
	send := object{"message": object{"kind": "message", "messageId": "m", "contextId": "c", "role": "user", "parts": []any{object{"kind": "text", "text": "hi"}}}}
	for scenario, cancelled := range map[string]bool{"cancel": true, "cancel-late-working": false} {
		playScript(t, jaf03, scenario, nil, func(ctx context.Context, c *Task) {
			q, err := http.NewRequestWithContext(ctx, http.MethodPost, c.RPC, bytes.NewReader(encodeJSON(object{"jsonrpc": "2.0", "id": "1", "method": "message/stream", "params": send})))
			if err != nil {
				t.Fatal(err)
			}
			q.Header.Set("Content-Type", "application/json")
			stream, err := http.DefaultClient.Do(q)
			if err != nil {
				t.Fatal(err)
			}
			defer stream.Body.Close()
			first, err := bufio.NewReader(stream.Body).ReadString('\n')
			_, rest, _ := strings.Cut(first, `"taskId":"`)
			id, _, found := strings.Cut(rest, `"`)
			if err != nil || !found {
				t.Fatalf("the stream begins with %q, %v", first, err)
			}
			_, body, err := callRPC(ctx, c.RPC, "tasks/cancel", object{"id": id})
			if r := readValidResult(t, d, "CancelResult", body); err != nil || r["cancelled"] != cancelled || r["id"] != id {
				t.Errorf("%s: %s, %v", scenario, body, err)
			}
		})
	}
	playScript(t, jaf03, "busy-soon", nil, func(ctx context.Context, c *Task) {
		head, _, err := callRPC(ctx, c.RPC, "message/send", send)
		var reset int64
		fmt.Sscan(head.Get("X-RateLimit-Reset"), &reset)
		if left := time.Until(time.Unix(reset, 0)); err != nil || head.Get("X-RateLimit-Remaining") != "0" || left < time.Second || left > 4*time.Second {
			t.Errorf("%v, %v", head, err)
		}
		if head, _, err = callRPC(ctx, c.RPC, "message/send", send); err != nil || head.Get("X-RateLimit-Remaining") != "" {
			t.Errorf("%v, %v", head, err)
		}
	})
}

// The streams of A2X have the events of its samples alone.
func TestStreamsOfA2X(t *testing.T) {
	t.Parallel()
	d := loadDialect(t, a2x03)
	send := object{"message": object{"role": "user", "parts": []any{object{"kind": "text", "text": "hi"}}}}
	for _, scenario := range []string{"stream", "stream-bare"} {
		playScript(t, a2x03, scenario, nil, func(ctx context.Context, c *Task) {
			_, body, err := callRPC(ctx, c.RPC, "message/stream", send)
			kinds := map[any]int{}
			for line := range strings.Lines(string(body)) {
				data, is := strings.CutPrefix(line, "data: ")
				if !is {
					continue
				}
				var event object
				if err := json.Unmarshal([]byte(data), &event); err != nil {
					t.Fatal(err)
				}
				if in, enveloped := event["result"].(object); enveloped {
					event = in
				}
				kinds[event["kind"]]++
				if broken, err := d.Shapes().Validate("StreamEvent", event); err != nil || len(broken) > 0 {
					t.Errorf("%s: %v, %v", data, broken, err)
				}
			}
			if err != nil || kinds["status-update"] != 2 || kinds["message"] == 0 || len(kinds) != 2 {
				t.Errorf("%s: %v, %v", scenario, kinds, err)
			}
		})
	}
}

// A task that asks for a payment is completed by a message with one that names it.
func TestPayments(t *testing.T) {
	t.Parallel()
	d := loadDialect(t, a2x03)
	playScript(t, a2x03, "payment", []string{WithExtension}, func(ctx context.Context, c *Task) {
		say := func(more object) (state string, task string, asks bool) {
			message := object{"role": "user", "parts": []any{}}
			for name, v := range more {
				message[name] = v
			}
			_, body, err := callRPC(ctx, c.RPC, "message/send", object{"message": message})
			if err != nil {
				t.Error(err)
				return
			}
			r := readValidResult(t, d, "Task", body)
			status := r["status"].(object)
			return status["state"].(string), r["id"].(string), strings.Contains(string(body), "x402.payment.required")
		}
		if !slices.Equal(c.Extensions, []string{paymentExtension}) {
			t.Errorf("the client is to know %v", c.Extensions)
		}
		state, id, asks := say(nil)
		if state != "input-required" || !asks {
			t.Errorf("a task is %s, and asks for a payment: %v", state, asks)
		}
		paid := object{paymentPayload: object{"signature": "0x"}}
		for _, c := range []struct {
			more object
			want string
		}{
			{object{"taskId": id}, "input-required"}, {object{"metadata": paid}, "input-required"}, {object{"taskId": id, "metadata": paid}, "completed"},
		} {
			if state, _, _ := say(c.more); state != c.want {
				t.Errorf("after %v a task is %s, want %s", c.more, state, c.want)
			}
		}
	})
}
