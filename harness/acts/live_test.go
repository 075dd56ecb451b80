package acts

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/reference"
)

// noVariables is the environment of a test that gives its documents nothing.
var noVariables = NewEnvironment(nil, nil, func(string) (string, bool) { return "", false })

// playOnBundledServer plays a run with a variant of the bundled server by a binding.
func playOnBundledServer(t *testing.T, run *Run, binding, variant string) *harness.Recording {
	t.Helper()
	server, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-1.0", Variant: variant, GRPCAddr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	target := operator.Target{URL: server.URL(), Dialect: "a2a-1.0", Version: "test"}
	target.Binding, target.Bundled, target.Deadline, target.Webhook.Listen = binding, true, 2*time.Minute, "127.0.0.1:0"
	recording, err := harness.PlayOwn(t.Context(), target, run.Scenarios)
	if err != nil {
		t.Fatal(err)
	}
	return recording
}

// playSet runs tests against a variant of the bundled server over one transport.
func playSet(t *testing.T, set *Set, binding, variant string) []*TestResult {
	t.Helper()
	run := NewRun(set, noVariables)
	playOnBundledServer(t, run, binding, variant)
	transports := run.Transports()
	if len(transports) != 1 {
		t.Fatalf("got results over %v", transports)
	}
	return run.Results(transports[0], "it was not played")
}

// TestCorpusOnBundledServer: over each transport, every test that the bundled server fails is one that demands what A2A
// does not demand, and none could not be performed.
func TestCorpusOnBundledServer(t *testing.T) {
	for _, c := range []struct {
		binding, variant string
		passes           int // at least
	}{{"JSONRPC", "", 71}, {"HTTP+JSON", "", 67}, {"GRPC", "", 68}, {"JSONRPC", "minimal", 40}, {"HTTP+JSON", "extended", 60}, {"GRPC", "silent", 40}} {
		t.Run(c.binding+c.variant, func(t *testing.T) {
			count := map[string]int{}
			for _, r := range playSet(t, readCorpus(t, Options{}), c.binding, c.variant) {
				count[r.Result]++
				m, ok := FindMapping(r.Test.ID)
				switch {
				case !ok:
					t.Errorf("%s is not mapped", r.Test.ID)
				case r.Result == Failed && c.variant != "" && strings.Contains(m.Why, "lacks the precondition"):
				case r.Result == Failed && m.Is != IsWrong, r.Result == Broken:
					t.Errorf("%s %s %s at %s: %s", c.binding, r.Result, r.Test.ID, r.Failure.Step, r.Failure.Message)
				case r.Result == Failed && (r.Failure.Line == 0 || r.Failure.Step == "" || r.Failure.Expected == "" || r.Failure.Actual == ""):
					t.Errorf("%s: the failure lacks something: %+v", r.Test.ID, r.Failure)
				case r.Result == Skipped && r.SkipReason == "":
					t.Errorf("%s is skipped without a reason", r.Test.ID)
				}
			}
			t.Log(count)
			if count[Passed] < c.passes {
				t.Errorf("got %v, want at least %d passes", count, c.passes)
			}
		})
	}
}

// playSteps runs a test of these steps, which are lines of YAML, over JSON-RPC.
func playSteps(t *testing.T, steps string) *TestResult {
	t.Helper()
	set, err := readText(documentOfStep(steps), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return playSet(t, set, "JSONRPC", "")[0]
}

// TestFailureNamesItsPlace: a failure has the step, the path in the answer, what was expected and what came, and the line
// in the document.
func TestFailureNamesItsPlace(t *testing.T) {
	r := playSteps(t, `- id: send
  operation: send_message
  params: {message: {role: ROLE_USER, parts: [{text: tck-complete-task}]}}
  capture: {taskId: task.id}
- id: look
  operation: get_task
  params: {id: "{{send.taskId}}"}
  expect:
    status: 200
    body:
      status:
        state: TASK_STATE_FAILED
`)
	f := r.Failure
	if r.Result != Failed || f == nil || f.Step != "look" || f.Path != "status.state" || f.Line != 22 || f.Expected != `"TASK_STATE_FAILED"` || f.Actual != `"TASK_STATE_COMPLETED"` {
		t.Errorf("got %s, %+v", r.Result, f)
	}
	if len(r.Steps) != 2 || r.Steps[0].Result != Passed || r.Steps[1].Result != Failed {
		t.Errorf("got the steps %+v", r.Steps)
	}
}

// foreignWebhook are steps that name a webhook of somebody else, which ours replaces.
const foreignWebhook = `- id: send
  operation: send_message
  params: {message: {role: ROLE_USER, parts: [{text: tck-input-required}]}}
  capture: {taskId: task.id, state: task.status.state}
- id: set
  operation: create_push_config
  params: {taskId: "{{send.taskId}}", pushNotificationConfig: {url: "https://example.com/hook"}}
  expect: {status: 200, body: {url: {starts_with: "http://127.0.0.1:"}}}
`

// TestServerIsNotMadeToCallOut: whatever a document has, the server gets our webhook, and no call goes to another host.
func TestServerIsNotMadeToCallOut(t *testing.T) {
	r := playSteps(t, foreignWebhook+`- id: raw
  raw: {method: GET, path: "{{elsewhere}}/x"}
`)
	if r.Result != Skipped || !strings.Contains(r.SkipReason, "--var elsewhere") {
		t.Errorf("got %s: %s", r.Result, r.SkipReason)
	}
	r = playSteps(t, foreignWebhook+`- id: raw
  raw: {method: GET, path: "{{send.state}}"}
  expect: {status: 200}
`)
	if r.Result != Broken || r.Failure.Step != "raw" || !strings.Contains(r.Failure.Message, "leads to another host") {
		t.Errorf("got %s: %+v", r.Result, r.Failure)
	}
}

// TestResultsThatShowNothing: what cannot be decided is no pass.
func TestResultsThatShowNothing(t *testing.T) {
	for name, c := range map[string]struct{ steps, result, text string }{
		"no assertion":     {"- {id: a, operation: list_tasks, params: {}}\n", Skipped, "asserts nothing"},
		"lost capture":     {"- {id: a, operation: list_tasks, params: {}, capture: {x: nothing.here}}\n- {id: b, operation: get_task, params: {id: \"{{a.x}}\"}, expect: {status: 200}}\n", Broken, "has no value"},
		"secret variable":  {"- {id: a, operation: get_task, params: {id: \"{{env.HOME}}\"}, expect: {status: 200}}\n", Broken, "--env HOME"},
		"unset variable":   {"- {id: a, operation: get_task, params: {id: \"{{env.A2A_NOTHING}}\"}, expect: {status: 200}}\n", Broken, "set that variable"},
		"until never":      {"- {id: a, operation: list_tasks, params: {}, repeat: {until: tasks == 5, max_attempts: 3, delay_ms: 1}}\n", Failed, "after 3 attempts"},
		"refused":          {"- {id: a, operation: get_task, params: {id: none}, expect: {status: 200}}\n", Failed, "TaskNotFoundError"},
		"another error":    {"- {id: a, operation: get_task, params: {id: none}, expect_error: {error_type: TaskNotCancelableError}}\n", Failed, "must be"},
		"no error":         {"- {id: a, operation: list_tasks, params: {}, expect_error: {error_type: TaskNotFoundError}}\n", Failed, "refused by"},
		"details":          {"- {id: a, operation: get_task, params: {id: none}, expect_error: {error_type: TaskNotFoundError, details: {reason: TASK_NOT_FOUND}}}\n", Passed, ""},
		"other details":    {"- {id: a, operation: get_task, params: {id: none}, expect_error: {error_type: TaskNotFoundError, details: {reason: X}}}\n", Failed, "TASK_NOT_FOUND"},
		"inline assertion": {"- {id: a, operation: list_tasks, params: {}}\n- {id: b, assertion: {source: \"{{a.response}}\", any: {path: \"tasks[*]\", match: {id: never}}}}\n", Failed, "tasks[*] leads to no element, but one must be like"},
		"other elements":   {"- {id: a, operation: get_task, params: {id: none}, expect_error: {error_type: TaskNotFoundError}}\n- {id: b, operation: send_message, params: {message: {role: ROLE_USER, parts: [{text: echo x}]}}, assertions: [{source: \"{{b.response}}\", any: {path: \"task.artifacts[*].parts[*]\", match: {text: y}}}]}\n", Failed, `is like {text: "y"}; the first is {"text":"x"}`},
		"stream":           {"- {id: a, operation: send_streaming_message, params: {message: {role: ROLE_USER, parts: [{text: tck-stream-basic}]}}, expect_stream: {max_count: 1}}\n", Failed, "at most 1"},
		"stream order":     {"- {id: a, operation: send_streaming_message, params: {message: {role: ROLE_USER, parts: [{text: tck-stream-basic}]}}, expect_stream: {events: [{task: {id: {type: string}}}, {match: any_position, artifact_update: {artifact: {parts: {count_gte: 1}}}}], final_event: {status_update: {status: {state: TASK_STATE_COMPLETED}}}}}\n", Passed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := playSteps(t, c.steps)
			got := r.SkipReason
			if r.Failure != nil {
				got = r.Failure.Message
			}
			if r.Result != c.result || !strings.Contains(got, c.text) {
				t.Errorf("got %s: %s", r.Result, fmt.Sprint(got))
			}
		})
	}
}

// TestCapturesOfNothing: a capture that finds nothing is noted, and shows in the strict mode that the document is wrong.
func TestCapturesOfNothing(t *testing.T) {
	steps := documentOfStep("- id: a\n  operation: list_tasks\n  params: {}\n  capture: {x: taskz}\n  expect: {status: 200}\n")
	for _, strict := range []bool{false, true} {
		set, err := readText(steps, Options{Strict: strict})
		if err != nil {
			t.Fatal(err)
		}
		r := playSet(t, set, "JSONRPC", "")[0]
		text := strings.Join(r.Notes, "") + r.Describe()
		if want := map[bool]string{false: Passed, true: Broken}[strict]; r.Result != want || !strings.HasPrefix(text, `f.yaml:14: step a: capture x found nothing at "taskz"`) {
			t.Errorf("strict %t: got %s: %s", strict, r.Result, text)
		}
	}
}
