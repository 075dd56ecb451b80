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

// StreamMutants are about the events of message/stream, beyond what other
// protocols have.
var StreamMutants = map[string]front.Mutant{
	"chat-in-pieces": {Event: updates("message", func(f *front.Frame) {
		m := front.Generic(f.Body)
		front.Put(m, "result/messageId", "second-piece")
		f.After = []any{m}
	})},
	"event-of-subtask": {Event: Words.InStream("echo", func(f *front.Frame) {
		if f.State() == "working" && front.Text(f.Body, "result/kind") == "status-update" {
			e := front.Generic(f.Body)
			front.Put(e, "result/taskId", "a-part-of-the-task")
			f.After = []any{e}
		}
	})},
	"event-after-final": {Event: Words.InStream("echo", func(f *front.Frame) {
		if f.State() == "completed" {
			f.After = []any{f.Further(map[string]any{"kind": "artifact-update", "taskId": f.Task(), "contextId": front.At(f.Body, "result/contextId"),
				"artifact": map[string]any{"artifactId": "artifact-2", "parts": V03Hello()["parts"]}})}
		}
	})},
	"streamed-task-unknown": {Event: Words.InStream("echo", func(f *front.Frame) { f.Reply.Server.Notes.Write("streamed "+f.Task(), true) }),
		Reply: func(x *front.Reply) {
			if x.Method() == "tasks/get" && x.Server.Notes.Read("streamed "+x.TaskID()) != nil {
				x.Decline(TaskNotFound)
			}
		}},
	"stream-unknown-task-renewed": {Call: toTask("message/stream", isUnknown, func(body any) { front.Drop(body, "params/message/taskId") })},
	"crash-as-text": {Event: func(f *front.Frame) {
		if front.Has(f.Body, "error") {
			f.Raw = "data: Internal Server Error\n\n"
		}
	}},
	"stream-unclaimed": {Reply: mutants.Failing("message/stream", Unsupported, func(x *front.Reply) {
		x.EmptyStream()
		hello := Server{x.Server}.Chat(engine.Request{Session: "some-context"})
		x.Raw = []byte("data: " + string(front.Encode(front.Response{JSONRPC: "2.0", ID: front.At(x.Request, "id"), Result: hello})) + "\n\n")
	})},
}
