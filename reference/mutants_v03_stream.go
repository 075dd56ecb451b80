package reference

import "github.com/a2a-conform/a2a-conform/reference/engine"

// updates edits the results of one kind in streams that begin with a message.
func updates(kind string, edit func(*frame)) func(*frame) {
	return a2a03Words.inStream("", ofKind(kind, edit))
}

// inUpdate edits the results of one kind in the same way.
func inUpdate(kind string, edit func(result any)) func(*frame) {
	return updates(kind, func(f *frame) { edit(at(f.body, "result")) })
}

// further makes a further event of the stream.
func (f *frame) further(result map[string]any) any {
	return map[string]any{"jsonrpc": "2.0", "id": at(f.body, "id"), "result": result}
}

// a2a03StreamMutants are about the events of message/stream, beyond what other
// protocols have.
var a2a03StreamMutants = inArea("stream",
	mutant{name: "event-unwrapped", summary: "A working update comes without the envelope of JSON-RPC.",
		event: a2a03Words.inStream("echo", func(f *frame) {
			if f.count == 2 {
				f.body = at(f.body, "result")
			}
		})},
	mutant{name: "stream-begins-with-update", summary: "A stream begins without the task.",
		event: a2a03Words.inStream("", func(f *frame) { f.skip = f.count == 1 && text(f.body, "result/kind") == "task" })},
	mutant{name: "chat-in-pieces", summary: "A direct answer is streamed as two messages.",
		event: updates("message", func(f *frame) {
			m := generic(f.body)
			put(m, "result/messageId", "second-piece")
			f.after = []any{m}
		})},
	mutant{name: "event-of-subtask", summary: "A stream tells of a task of another id, too.",
		event: a2a03Words.inStream("echo", func(f *frame) {
			if f.state() == "working" && text(f.body, "result/kind") == "status-update" {
				e := generic(f.body)
				put(e, "result/taskId", "a-part-of-the-task")
				f.after = []any{e}
			}
		})},
	mutant{name: "event-after-final", summary: "An artifact is sent after the final status.",
		event: a2a03Words.inStream("echo", func(f *frame) {
			if f.state() == "completed" {
				f.after = []any{f.further(map[string]any{"kind": "artifact-update", "taskId": f.task(), "contextId": at(f.body, "result/contextId"),
					"artifact": map[string]any{"artifactId": "artifact-2", "parts": v03Hello()["parts"]}})}
			}
		})},
	mutant{name: "final-unsent", summary: "A stream ends after the last artifact, without a final status.",
		event: a2a03Words.inStream("", func(f *frame) { f.skip = f.state() == "completed" })},
	mutant{name: "streamed-task-unknown", summary: "A streamed task is not stored when it ends at once.",
		event: a2a03Words.inStream("echo", func(f *frame) { f.reply.server.notes.write("streamed "+f.task(), true) }),
		reply: func(x *reply) {
			if x.method() == "tasks/get" && x.server.notes.read("streamed "+x.taskID()) != nil {
				x.decline(a2a03TaskNotFound)
			}
		}},
	mutant{name: "stream-unknown-task-renewed", summary: "A message to an unknown task is streamed as a new one.",
		call: toTask("message/stream", isUnknown, func(body any) { drop(body, "params/message/taskId") })},
	mutant{name: "stream-finished-opens", summary: "message/stream to a finished task opens a stream without events.",
		reply: failing("message/stream", a2a03Unsupported, (*reply).emptyStream)},
	mutant{name: "crash-as-text", summary: "What breaks off ends its stream with the words Internal Server Error.",
		event: func(f *frame) {
			if has(f.body, "error") {
				f.raw = "data: Internal Server Error\n\n"
			}
		}},
	mutant{name: "push-in-stream-ignored", summary: "A configuration sent with message/stream is ignored.",
		call: misread("message/stream", func(body any) { drop(body, "params/configuration/pushNotificationConfig") })},
	mutant{name: "stream-unclaimed", variant: "silent", summary: "message/stream answers with a stream, which the card says there is not.",
		reply: failing("message/stream", a2a03Unsupported, func(x *reply) {
			x.emptyStream()
			hello := a2a03Server{x.server}.chat(engine.Request{Session: "some-context"})
			x.raw = []byte("data: " + string(encode(response{JSONRPC: "2.0", ID: at(x.request, "id"), Result: hello})) + "\n\n")
		})},
	mutant{name: "resubscribed-not-final", summary: "A stream that was taken up again ends without final.",
		event: resuming(func(f *frame) {
			if has(f.body, "result/final") {
				put(f.body, "result/final", false)
			}
		})},
)
