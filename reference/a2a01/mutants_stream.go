package a2a01

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// streamMutants are those that only A2A 0.1.0 has a place for.
var streamMutants = front.InArea("stream",
	front.Mutant{Name: "event-task-id-renamed", Summary: "A working update calls the task's id taskId.",
		Event: words.InStream("echo", func(f *front.Frame) {
			if f.State() == "working" {
				front.Put(f.Body, "result/taskId", front.Text(f.Body, "result/id"))
				front.Drop(f.Body, "result/id")
			}
		})},
	front.Mutant{Name: "event-artifact-id", Summary: "A chunk carries the id of an artifact instead of the task's.",
		Event: words.InStream("artifact", func(f *front.Frame) {
			if front.Has(f.Body, "result/artifact") {
				front.Put(f.Body, "result/id", "artifact-0")
			}
		})},
	front.Mutant{Name: "event-after-final", Summary: "An artifact is sent after the final status.",
		Event: words.InStream("echo", func(f *front.Frame) {
			if f.State() == "completed" {
				f.After = []any{f.ArtifactEvent(2)}
			}
		})},
	front.Mutant{Name: "last-chunk-unmarked", Summary: "No chunk is announced as the last.",
		Event: words.InStream("artifact", func(f *front.Frame) {
			if front.Has(f.Body, "result/artifact") {
				front.Put(f.Body, "result/artifact/lastChunk", false)
			}
		})},
	front.Mutant{Name: "event-after-error", Summary: "An event with an error is followed by results.",
		Event: words.InStream("fail", func(f *front.Frame) {
			if f.State() == "working" {
				f.Skip = true
				f.After = []any{map[string]any{"jsonrpc": "2.0", "id": front.At(f.Body, "id"),
					"error": map[string]any{"code": front.CodeInternal, "message": "The agent failed"}}}
			}
		})},
	front.Mutant{Name: "submitted-again", Summary: "submitted is sent after working.",
		Event: words.InStream("echo", func(f *front.Frame) {
			if f.State() == "working" {
				f.After = []any{f.Status("submitted")}
			}
		})},
	front.Mutant{Name: "event-id-nul", Summary: "An id line contains a NUL character.",
		Event: words.InStream("echo", func(f *front.Frame) {
			if f.Count == 2 {
				f.Raw = "id: e\x002\ndata: " + string(front.Encode(f.Body)) + "\n\n"
			}
		})},
)

// subscriptionMutants are those that only A2A 0.1.0 has a place for.
var subscriptionMutants = front.InArea("stream",
	front.Mutant{Name: "failed-stream-detail", Summary: "The body of a failed subscription is the web framework's own.",
		Reply: mutants.Failing("tasks/sendSubscribe", front.CodeInvalidParams, func(x *front.Reply) {
			x.Body = map[string]any{"detail": "field required"}
		})},
	front.Mutant{Name: "answer-by-stream-refused", Summary: "tasks/sendSubscribe to a waiting task is refused as a duplicate id.",
		Reply: front.Opening("tasks/sendSubscribe", func(x *front.Reply) {
			if x.Script() == "ask" && front.Text(x.Request, "params/message/parts/0/text") != "ask" {
				x.Decline(front.CodeInvalidParams)
			}
		})},
	front.Mutant{Name: "resubscribe-as-json", Summary: "tasks/resubscribe returns the current task as JSON.",
		Reply: front.Opening("tasks/resubscribe", func(x *front.Reply) {
			x.Header.Set("Content-Type", "application/json")
			x.Succeed(front.Generic(Server{x.Server}.task(x.Task(), 0)))
		})},
	front.Mutant{Name: "resubscribe-snapshot", Summary: "The first event of a resubscription is a task.",
		Event: words.Resuming(func(f *front.Frame) {
			if f.Count == 1 {
				task := front.Generic(Server{f.Reply.Server}.task(f.Reply.Task(), 0))
				front.Put(f.Body, "result", map[string]any{"task": task})
			}
		})},
	front.Mutant{Name: "resubscribe-members-refused", Summary: "tasks/resubscribe with historyLength and metadata is refused.",
		Reply: front.Opening("tasks/resubscribe", func(x *front.Reply) {
			if front.Has(x.Request, "params/historyLength") || front.Has(x.Request, "params/metadata") {
				x.Decline(front.CodeInvalidParams)
			}
		})},
)
