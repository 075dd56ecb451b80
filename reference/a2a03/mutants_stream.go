package a2a03

import (
	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// updates edits the results of one kind in streams that begin with a message.
func updates(kind string, edit func(*front.Frame)) func(*front.Frame) {
	return Words.InStream("", front.OfKind(kind, edit))
}

// InUpdate edits the results of one kind in the same way.
func InUpdate(kind string, edit func(result any)) func(*front.Frame) {
	return updates(kind, func(f *front.Frame) { edit(front.At(f.Body, "result")) })
}

// StreamMutants are about the events of message/stream, beyond what other
// protocols have.
var StreamMutants = front.InArea("stream",
	front.Mutant{Name: "event-unwrapped", Summary: "A working update comes without the envelope of JSON-RPC.",
		Event: Words.InStream("echo", func(f *front.Frame) {
			if f.Count == 2 {
				f.Body = front.At(f.Body, "result")
			}
		})},
	front.Mutant{Name: "stream-begins-with-update", Summary: "A stream begins without the task.",
		Event: Words.InStream("", func(f *front.Frame) { f.Skip = f.Count == 1 && front.Text(f.Body, "result/kind") == "task" })},
	front.Mutant{Name: "chat-in-pieces", Summary: "A direct answer is streamed as two messages.",
		Event: updates("message", func(f *front.Frame) {
			m := front.Generic(f.Body)
			front.Put(m, "result/messageId", "second-piece")
			f.After = []any{m}
		})},
	front.Mutant{Name: "event-of-subtask", Summary: "A stream tells of a task of another id, too.",
		Event: Words.InStream("echo", func(f *front.Frame) {
			if f.State() == "working" && front.Text(f.Body, "result/kind") == "status-update" {
				e := front.Generic(f.Body)
				front.Put(e, "result/taskId", "a-part-of-the-task")
				f.After = []any{e}
			}
		})},
	front.Mutant{Name: "event-after-final", Summary: "An artifact is sent after the final status.",
		Event: Words.InStream("echo", func(f *front.Frame) {
			if f.State() == "completed" {
				f.After = []any{f.Further(map[string]any{"kind": "artifact-update", "taskId": f.Task(), "contextId": front.At(f.Body, "result/contextId"),
					"artifact": map[string]any{"artifactId": "artifact-2", "parts": V03Hello()["parts"]}})}
			}
		})},
	front.Mutant{Name: "final-unsent", Summary: "A stream ends after the last artifact, without a final status.",
		Event: Words.InStream("", func(f *front.Frame) { f.Skip = f.State() == "completed" })},
	front.Mutant{Name: "streamed-task-unknown", Summary: "A streamed task is not stored when it ends at once.",
		Event: Words.InStream("echo", func(f *front.Frame) { f.Reply.Server.Notes.Write("streamed "+f.Task(), true) }),
		Reply: func(x *front.Reply) {
			if x.Method() == "tasks/get" && x.Server.Notes.Read("streamed "+x.TaskID()) != nil {
				x.Decline(TaskNotFound)
			}
		}},
	front.Mutant{Name: "stream-unknown-task-renewed", Summary: "A message to an unknown task is streamed as a new one.",
		Call: toTask("message/stream", isUnknown, func(body any) { front.Drop(body, "params/message/taskId") })},
	front.Mutant{Name: "stream-finished-opens", Summary: "message/stream to a finished task opens a stream without events.",
		Reply: mutants.Failing("message/stream", Unsupported, (*front.Reply).EmptyStream)},
	front.Mutant{Name: "crash-as-text", Summary: "What breaks off ends its stream with the words Internal Server Error.",
		Event: func(f *front.Frame) {
			if front.Has(f.Body, "error") {
				f.Raw = "data: Internal Server Error\n\n"
			}
		}},
	front.Mutant{Name: "push-in-stream-ignored", Summary: "A configuration sent with message/stream is ignored.",
		Call: front.Misread("message/stream", func(body any) { front.Drop(body, "params/configuration/pushNotificationConfig") })},
	front.Mutant{Name: "stream-unclaimed", Variant: "silent", Summary: "message/stream answers with a stream, which the card says there is not.",
		Reply: mutants.Failing("message/stream", Unsupported, func(x *front.Reply) {
			x.EmptyStream()
			hello := Server{x.Server}.Chat(engine.Request{Session: "some-context"})
			x.Raw = []byte("data: " + string(front.Encode(front.Response{JSONRPC: "2.0", ID: front.At(x.Request, "id"), Result: hello})) + "\n\n")
		})},
	front.Mutant{Name: "resubscribed-not-final", Summary: "A stream that was taken up again ends without final.",
		Event: Words.Resuming(func(f *front.Frame) {
			if front.Has(f.Body, "result/final") {
				front.Put(f.Body, "result/final", false)
			}
		})},
)
