package a2a01

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// streamMutants are those that only A2A 0.1.0 has a place for.
var streamMutants = map[string]front.Mutant{
	"event-after-final": {Event: Words.InStream("echo", func(f *front.Frame) {
		if f.State() == "completed" {
			f.After = []any{f.ArtifactEvent(2)}
		}
	})},
	"event-after-error": {Event: Words.InStream("fail", func(f *front.Frame) {
		if f.State() == "working" {
			f.Skip = true
			f.After = []any{map[string]any{"jsonrpc": "2.0", "id": front.At(f.Body, "id"),
				"error": map[string]any{"code": front.CodeInternal, "message": "The agent failed"}}}
		}
	})},
	"event-id-nul": {Event: Words.InStream("echo", func(f *front.Frame) {
		if f.Count == 2 {
			f.Raw = "id: e\x002\ndata: " + string(front.Encode(f.Body)) + "\n\n"
		}
	})},
}

// subscriptionMutants are those that only A2A 0.1.0 has a place for.
var subscriptionMutants = map[string]front.Mutant{
	"resubscribe-as-json": {Reply: front.Opening("tasks/resubscribe", func(x *front.Reply) {
		x.Header.Set("Content-Type", "application/json")
		x.Succeed(front.Generic(Server{x.Server}.task(x.Task(), 0)))
	})},
	"resubscribe-snapshot": {Event: Words.Resuming(func(f *front.Frame) {
		if f.Count == 1 {
			task := front.Generic(Server{f.Reply.Server}.task(f.Reply.Task(), 0))
			front.Put(f.Body, "result", map[string]any{"task": task})
		}
	})},
}
