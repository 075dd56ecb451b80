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

// moving makes an edit that gives a member another name or place.
func moving(from, to string) func(any) {
	return func(v any) {
		put(v, to, at(v, from))
		drop(v, from)
	}
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
	looking("task-id-number", "The id of a task is a number.", "echo", setting("id", 17)),
	looking("task-context-left-out", "A task has no contextId.", "echo", lacking("contextId")),
	looking("task-status-bare", "The status of a task is its state.", "echo", func(t any) { put(t, "status", at(t, "status/state")) }),
	looking("task-kind-left-out", "A task has no kind.", "echo", lacking("kind")),
	looking("task-history-text", "The history holds bare texts.", "echo", func(t any) {
		if has(t, "history") {
			put(t, "history", []any{"echo hello", "hello"})
		}
	}),
	looking("task-artifacts-keyed", "The artifacts are an object with their names as members.", "echo", func(t any) {
		put(t, "artifacts", map[string]any{"answer": at(t, "artifacts/0")})
	}),
	looking("task-metadata-text", "The metadata of a task are a string.", "echo", setting("metadata", "engine=reference")),
	looking("task-state-shouted", "The state of a task is spelled in the way of gRPC.", "echo", setting("status/state", "TASK_STATE_COMPLETED")),
	mutant{name: "canceled-misspelt", summary: "The state canceled is spelled cancelled.",
		reply: func(x *reply) { swap(x.body, "result/status/state", "canceled", "cancelled") }},
	looking("timestamp-number", "The timestamp of a status is a Unix number.", "echo", setting("status/timestamp", 1710513000)),
	looking("status-message-text", "The message of a status is a string.", "echo", func(t any) { put(t, "status/message", text(t, "status/message/parts/0/text")) }),
	looking("status-message-from-asker", "The message of a status is the user's.", "echo", setting("status/message/role", "user")),

	looking("artifact-id-left-out", "An artifact has an index instead of an id.", "echo", moving("artifacts/0/artifactId", "artifacts/0/index")),
	looking("artifact-ids-equal", "Two artifacts of a task have one id.", "echo", setting("artifacts/1/artifactId", "artifact-0")),
	looking("artifact-parts-left-out", "An artifact has no parts.", "echo", lacking("artifacts/0/parts")),
	looking("artifact-part-kind-left-out", "A part of an artifact has no kind.", "echo", lacking("artifacts/0/parts/0/kind")),
	looking("artifact-name-null", "The name of an artifact is null.", "echo", setting("artifacts/0/name", nil)),
	looking("artifact-extensions-keyed", "The extensions of an artifact are an object.", "echo", setting("artifacts/0/extensions", map[string]any{a2a03Trace: true})),
	looking("artifact-metadata-list", "The metadata of an artifact are an array.", "echo", setting("artifacts/0/metadata", []any{"en"})),
)

// a2a03ContentMutants spoil the shape of messages and parts.
var a2a03ContentMutants = inArea("message",
	looking("message-kind-left-out", "A message in the history has no kind.", "echo", lacking("history/1/kind")),
	looking("message-role-shouted", "The role of a message is spelled in the way of gRPC.", "echo", setting("history/1/role", "ROLE_AGENT")),
	looking("message-id-left-out", "A message of the agent has no messageId.", "echo", lacking("history/1/messageId")),
	looking("message-content", "A message has its parts under the name content.", "echo", moving("history/1/parts", "history/1/content")),
	looking("message-task-null", "The taskId of a message is null.", "echo", setting("history/1/taskId", nil)),
	looking("message-of-other-task", "A message in the history names another task.", "echo", setting("history/0/taskId", "another-task")),
	looking("message-of-other-context", "The message of a status names another context.", "echo", setting("status/message/contextId", "another-context")),
	looking("message-extensions-joined", "The extensions of a message are one string.", "echo", setting("status/message/extensions", a2a03Trace+", "+a2a03Provenance)),
	looking("message-metadata-pairs", "The metadata of a message are a list of pairs.", "echo", setting("status/message/metadata", []any{[]any{"agent", "reference"}})),

	looking("part-type", "A part has the member type instead of kind.", "echo", moving("status/message/parts/0/kind", "status/message/parts/0/type")),
	looking("part-text-object", "The text of a part is an object.", "echo", setting("status/message/parts/0/text", map[string]any{"value": "hello"})),
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
