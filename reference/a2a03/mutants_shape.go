package a2a03

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// Looking makes a mutant that edits the tasks tasks/get returns for one script.
func Looking(name, summary, script string, edit func(task any)) front.Mutant {
	return front.Mutant{Name: name, Summary: summary, Reply: OnTask("tasks/get", script, func(x *front.Reply) { edit(front.At(x.Body, "result")) })}
}

// Setting makes an edit that sets a member where its parent is.
func Setting(path string, value any) func(any) {
	return func(v any) { front.Put(v, path, value) }
}

// Lacking makes an edit that removes a member.
func Lacking(path string) func(any) {
	return func(v any) { front.Drop(v, path) }
}

// The parts of the second artifact of an echo: a file by value, one by
// reference, and data.
const (
	inlineFile = "artifacts/1/parts/0"
	linkedFile = "artifacts/1/parts/1"
	someData   = "artifacts/1/parts/2"
)

// ShapeMutants spoil the shape of what tasks/get returns.
var ShapeMutants = front.InArea("task",
	Looking("task-status-bare", "The status of a task is its state.", "echo", func(t any) { front.Put(t, "status", front.At(t, "status/state")) }),
	Looking("task-kind-left-out", "A task has no kind.", "echo", Lacking("kind")),
	front.Mutant{Name: "canceled-misspelt", Summary: "The state canceled is spelled cancelled.",
		Reply: func(x *front.Reply) { front.Swap(x.Body, "result/status/state", "canceled", "cancelled") }},
	Looking("timestamp-number", "The timestamp of a status is a Unix number.", "echo", Setting("status/timestamp", 1710513000)),
	Looking("status-message-from-asker", "The message of a status is the user's.", "echo", Setting("status/message/role", "user")),

	Looking("artifact-ids-equal", "Two artifacts of a task have one id.", "echo", Setting("artifacts/1/artifactId", "artifact-0")),
	Looking("artifact-part-kind-left-out", "A part of an artifact has no kind.", "echo", Lacking("artifacts/0/parts/0/kind")),
)

// ContentMutants spoil the shape of messages and parts.
var ContentMutants = front.InArea("message",
	Looking("message-kind-left-out", "A message in the history has no kind.", "echo", Lacking("history/1/kind")),
	Looking("message-of-other-task", "A message in the history names another task.", "echo", Setting("history/0/taskId", "another-task")),
	Looking("message-ids-equal", "The agent's message in a task has the messageId of the client's.", "echo", func(t any) {
		front.Replace(t, "status/message/messageId", front.Text(t, "history/0/messageId"))
	}),
	Looking("message-of-other-context", "The message of a status names another context.", "echo", Setting("status/message/contextId", "another-context")),

	front.Mutant{Name: "answer-in-other-context", Summary: "Where a task goes on, the message of its status names another context.",
		Reply: func(x *front.Reply) {
			if front.Has(x.Request, "params/message/taskId") && front.Has(x.Body, "result/status/message") {
				front.Put(x.Body, "result/status/message/contextId", "another-context")
			}
		}},

	Looking("part-file-flat", "A file has its members beside its kind.", "echo", func(t any) {
		for name, value := range front.Object(t, inlineFile+"/file") {
			front.Put(t, inlineFile+"/"+name, value)
		}
		front.Drop(t, inlineFile+"/file")
	}),
	Looking("part-file-doubled", "A file has both bytes and uri.", "echo", Setting(inlineFile+"/file/uri", "https://files.example.com/answer.txt")),
	Looking("part-bytes-hex", "The bytes of a file are hexadecimal.", "echo", Setting(inlineFile+"/file/bytes", "68:65:6c:6c:6f")),
	Looking("part-uri-local", "The uri of a file is a path on the server.", "echo", Setting(linkedFile+"/file/uri", "/var/spool/answer 1.png")),
	Looking("part-mime-listed", "The mimeType of a file is an array.", "echo", Setting(linkedFile+"/file/mimeType", []any{"image/png"})),
	Looking("part-data-encoded", "The data of a part are a string of JSON.", "echo", func(t any) {
		front.Put(t, someData+"/data", string(front.Encode(front.At(t, someData+"/data"))))
	}),
	Looking("part-metadata-text", "The metadata of a part are a string.", "echo", Setting(inlineFile+"/metadata", "by value")),
)
