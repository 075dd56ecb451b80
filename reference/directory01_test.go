package reference

import (
	"testing"
)

// directoryPaths are where the variants of the directory take calls.
func directoryPaths(variant string) (register, discover, task string) {
	if variant == "minimal" {
		return "/", "/", "/agent"
	}
	return "/a2a/register", "/a2a/discover", "/agent/a2a/task"
}

func TestDirectory01(t *testing.T) {
	for _, variant := range Variants("directory-0.1") {
		t.Run(variant, func(t *testing.T) {
			s := start(t, Options{Dialect: "directory-0.1", Variant: variant})
			register, discover, task := directoryPaths(variant)
			entry := `{"agentId":"a","name":"A","capabilities":["x","y"],"endpoint":"http://a.example"}`
			for _, call := range []struct {
				name, path, method, params string
				want                       map[string]any
			}{
				{"register", register, "a2a/register", entry, map[string]any{"result/status": "registered", "result/agentId": "a"}},
				{"any capability", discover, "a2a/discover", `{"capabilities":["z","y"]}`, map[string]any{"result/agents/0/agentId": "a", "result/agents/0/endpoint": "http://a.example"}},
				{"no capability of the kind", discover, "a2a/discover", `{"capabilities":["z"]}`, map[string]any{"result/agents/0": nil, "error": nil}},
				{"a part of a capability", discover, "a2a/discover", `{"capabilities":[""]}`, map[string]any{"result/agents/0": nil}},
				{"no endpoint", register, "a2a/register", `{"agentId":"b","name":"B","capabilities":[]}`, map[string]any{"error/code": codeInvalidParams}},
				{"endpoint that is none", register, "a2a/register", `{"agentId":"b","name":"B","capabilities":[],"endpoint":"b"}`, map[string]any{"error/code": codeInvalidParams}},
				{"unknown method", discover, "a2a/cancel", `{}`, map[string]any{"error/code": codeMethodNotFound}},
				{"task", task, "a2a/task", `{"taskId":"t","action":"echo","input":{"q":"hello"}}`, map[string]any{"result/taskId": "t", "result/status": "completed", "result/output/echo/q": "hello"}},
				{"two l", task, "a2a/task", `{"taskId":"t","action":"cancelled"}`, map[string]any{"result/status": "cancelled"}},
				{"task without id", task, "a2a/task", `{"action":"echo"}`, map[string]any{"error/code": codeInvalidParams}},
			} {
				t.Run(call.name, func(t *testing.T) {
					expect(t, rpc(t, s.URL()+call.path, call.method, call.params).body, call.want)
				})
			}
		})
	}
}

// A second registration is refused, or replaces the first one.
func TestDirectory01Again(t *testing.T) {
	for variant, endpoint := range map[string]string{"full": "http://second.example", "minimal": "http://first.example"} {
		s := start(t, Options{Dialect: "directory-0.1", Variant: variant})
		register, discover, _ := directoryPaths(variant)
		for _, where := range []string{"first", "second"} {
			rpc(t, s.URL()+register, "a2a/register", `{"agentId":"a","name":"A","capabilities":["x"],"endpoint":"http://`+where+`.example"}`)
		}
		found := rpc(t, s.URL()+discover, "a2a/discover", `{"capabilities":["x"]}`).body
		expect(t, found, map[string]any{"result/agents/0/endpoint": endpoint, "result/agents/1": nil})
	}
}

func TestDirectory01Documents(t *testing.T) {
	for variant, want := range map[string][2]string{"full": {"agents/0/agentId", "agentId"}, "lavish": {"0/agentId", "agentId"}, "minimal": {"echo-agent/agentId", "agent/agentId"}} {
		s := start(t, Options{Dialect: "directory-0.1", Variant: variant})
		expect(t, fetch(t, "GET", s.URL()+"/a2a/agents", "", "").body, map[string]any{want[0]: "echo-agent"})
		expect(t, fetch(t, "GET", s.URL()+"/a2a/agents/echo-agent", "", "").body, map[string]any{want[1]: "echo-agent"})
		if r := fetch(t, "GET", s.URL()+"/a2a/agents/nobody", "", ""); r.status != 404 {
			t.Errorf("%s: status %d", variant, r.status)
		}
	}
}
