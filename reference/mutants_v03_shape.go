package reference

// looking makes a mutant that edits the tasks tasks/get returns for one script.
func looking(name, summary, script string, edit func(task any)) mutant {
	return mutant{name: name, summary: summary, reply: onTask("tasks/get", script, func(x *reply) { edit(at(x.body, "result")) })}
}

// setting makes an edit that sets a member where its parent is.
func setting(path string, value any) func(any) {
	return func(v any) { put(v, path, value) }
}

// lacking makes an edit that removes a member.
func lacking(path string) func(any) {
	return func(v any) { drop(v, path) }
}

// The parts of the second artifact of an echo: a file by value, one by
// reference, and data.
const (
	inlineFile = "artifacts/1/parts/0"
	linkedFile = "artifacts/1/parts/1"
	someData   = "artifacts/1/parts/2"
)

// a2a03ShapeMutants spoil the shape of what tasks/get returns.
var a2a03ShapeMutants = inArea("task",
	looking("task-status-bare", "The status of a task is its state.", "echo", func(t any) { put(t, "status", at(t, "status/state")) }),
	looking("task-kind-left-out", "A task has no kind.", "echo", lacking("kind")),
	mutant{name: "canceled-misspelt", summary: "The state canceled is spelled cancelled.",
		reply: func(x *reply) { swap(x.body, "result/status/state", "canceled", "cancelled") }},
	looking("timestamp-number", "The timestamp of a status is a Unix number.", "echo", setting("status/timestamp", 1710513000)),
	looking("status-message-from-asker", "The message of a status is the user's.", "echo", setting("status/message/role", "user")),

	looking("artifact-ids-equal", "Two artifacts of a task have one id.", "echo", setting("artifacts/1/artifactId", "artifact-0")),
	looking("artifact-part-kind-left-out", "A part of an artifact has no kind.", "echo", lacking("artifacts/0/parts/0/kind")),
)

// a2a03ContentMutants spoil the shape of messages and parts.
var a2a03ContentMutants = inArea("message",
	looking("message-kind-left-out", "A message in the history has no kind.", "echo", lacking("history/1/kind")),
	looking("message-of-other-task", "A message in the history names another task.", "echo", setting("history/0/taskId", "another-task")),
	looking("message-of-other-context", "The message of a status names another context.", "echo", setting("status/message/contextId", "another-context")),

	looking("part-file-flat", "A file has its members beside its kind.", "echo", func(t any) {
		for name, value := range object(t, inlineFile+"/file") {
			put(t, inlineFile+"/"+name, value)
		}
		drop(t, inlineFile+"/file")
	}),
	looking("part-file-doubled", "A file has both bytes and uri.", "echo", setting(inlineFile+"/file/uri", "https://files.example.com/answer.txt")),
	looking("part-bytes-hex", "The bytes of a file are hexadecimal.", "echo", setting(inlineFile+"/file/bytes", "68:65:6c:6c:6f")),
	looking("part-uri-local", "The uri of a file is a path on the server.", "echo", setting(linkedFile+"/file/uri", "/var/spool/answer 1.png")),
	looking("part-mime-listed", "The mimeType of a file is an array.", "echo", setting(linkedFile+"/file/mimeType", []any{"image/png"})),
	looking("part-data-encoded", "The data of a part are a string of JSON.", "echo", func(t any) {
		put(t, someData+"/data", string(encode(at(t, someData+"/data"))))
	}),
	looking("part-metadata-text", "The metadata of a part are a string.", "echo", setting(inlineFile+"/metadata", "by value")),
)
