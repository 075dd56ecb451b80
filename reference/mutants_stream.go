package reference

import (
	"net/http"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// status makes a further event of the stream with the given state.
func (f *frame) status(state string) any {
	e := generic(f.body)
	put(e, "result/status/state", state)
	put(e, "result/final", false)
	return e
}

// artifactEvent makes a further event of the stream with an artifact of the
// given index.
func (f *frame) artifactEvent(index int) any {
	return map[string]any{"jsonrpc": "2.0", "id": at(f.body, "id"), "result": map[string]any{
		"id":       text(f.body, "result/id"),
		"artifact": map[string]any{"index": index, "parts": []any{hi()}},
	}}
}

// streamMutants are about the events of a stream that begins with a message.
func streamMutants(w wording) []mutant {
	return inArea("stream",
		mutant{name: "stream-accepted", summary: "A stream is opened with HTTP 202.",
			reply: opening(w.stream, func(x *reply) { x.status = http.StatusAccepted })},
		mutant{name: "stream-as-ndjson", summary: "A stream is labelled application/x-ndjson.",
			reply: opening(w.stream, func(x *reply) { x.header.Set("Content-Type", "application/x-ndjson") })},
		mutant{name: "event-without-field", summary: "The second event of a stream has no data field.",
			event: w.inStream("echo", func(f *frame) {
				if f.count == 2 {
					f.raw = string(encode(f.body)) + "\n\n"
				}
			})},
		mutant{name: "event-split", summary: "The second event of a stream is split in two.",
			event: w.inStream("echo", func(f *frame) {
				if f.count == 2 {
					b := encode(f.body)
					f.raw = "data: " + string(b[:20]) + "\n\ndata: " + string(b[20:]) + "\n\n"
				}
			})},
		mutant{name: "event-id-of-task", summary: "A numeric id is replaced by the task's id in events.",
			event: w.inStream("", func(f *frame) {
				if isNumber(at(f.body, "id")) {
					put(f.body, "id", f.task())
				}
			})},
		mutant{name: "working-flagged-final", summary: "A working update is flagged final.",
			event: w.inStream("echo", func(f *frame) {
				if f.state() == "working" {
					put(f.body, "result/final", true)
				}
			})},
		mutant{name: "final-missing", summary: "completed is sent without final.",
			event: w.inStream("echo", func(f *frame) {
				if f.state() == "completed" {
					drop(f.body, "result/final")
				}
			})},
		mutant{name: "stream-stays-open", waits: true, summary: "The stream is kept open after the final event.",
			event: w.inStream("echo", func(f *frame) { f.stay = true })},
		mutant{name: "first-chunk-appended", summary: "The first chunk of an artifact is flagged append.",
			event: w.inStream("artifact", func(f *frame) {
				if has(f.body, "result/artifact") {
					put(f.body, w.chunk+"append", true)
				}
			})},
		mutant{name: "every-chunk-last", summary: "Every chunk is announced as the last.",
			event: w.inStream("artifact", func(f *frame) {
				if has(f.body, "result/artifact") {
					put(f.body, w.chunk+"lastChunk", true)
				}
			})},
		mutant{name: "last-chunk-stored", summary: "Only the last chunk of an artifact is stored.",
			engine: func(o *engine.Options) { o.Defects.LastChunkOnly = true }},
		mutant{name: "streamed-task-working", summary: "A task that was streamed to its end is shown as working.",
			event: w.inStream("echo", func(f *frame) { f.reply.server.notes.write("streamed "+f.task(), true) }),
			reply: lookingAgain("echo", 1, func(x *reply) {
				if x.server.notes.read("streamed "+text(x.request, "params/id")) != nil {
					swap(x.body, "result/status/state", "completed", "working")
				}
			})},
		mutant{name: "event-error-beside-result", summary: "A working update comes with an error beside its result.",
			event: w.inStream("echo", func(f *frame) {
				if f.state() == "working" {
					put(f.body, "error", map[string]any{"code": codeInternal, "message": "None"})
				}
			})},
		mutant{name: "stream-buffered", summary: "All events are released at the end of the stream.",
			event: w.inStream("", func(f *frame) { f.hold = true })},
		mutant{name: "chunks-broadcast", summary: "Every open stream receives the chunks of every task.",
			engine: func(o *engine.Options) { o.Defects.ChunksBroadcast = true }},
		mutant{name: "question-not-final", summary: "An input-required update is not flagged final.",
			event: w.inStream("ask", func(f *frame) {
				if f.state() == "input-required" {
					put(f.body, "result/final", false)
				}
			})},
		mutant{name: "cancel-unseen", summary: "A cancellation cuts the open stream without an event.",
			engine: func(o *engine.Options) { o.Defects.CancelSilent = true }},
		mutant{name: "drop-stalls", waits: true, summary: "A dropped stream leaves its task working for ever.",
			engine: func(o *engine.Options) { o.Defects.DropStalls = true }},
		mutant{name: "chunks-apart", summary: "Each chunk of an artifact is stored as an artifact of its own.",
			engine: func(o *engine.Options) { o.Defects.ChunksApart = true }},
		mutant{name: "drop-cancels", summary: "A dropped stream cancels its task.",
			engine: func(o *engine.Options) { o.Defects.DropCancels = true }},
	)
}

// a2a01StreamMutants are those that only A2A 0.1.0 has a place for.
var a2a01StreamMutants = inArea("stream",
	mutant{name: "event-task-id-renamed", summary: "A working update calls the task's id taskId.",
		event: a2a01Words.inStream("echo", func(f *frame) {
			if f.state() == "working" {
				put(f.body, "result/taskId", text(f.body, "result/id"))
				drop(f.body, "result/id")
			}
		})},
	mutant{name: "event-artifact-id", summary: "A chunk carries the id of an artifact instead of the task's.",
		event: a2a01Words.inStream("artifact", func(f *frame) {
			if has(f.body, "result/artifact") {
				put(f.body, "result/id", "artifact-0")
			}
		})},
	mutant{name: "event-after-final", summary: "An artifact is sent after the final status.",
		event: a2a01Words.inStream("echo", func(f *frame) {
			if f.state() == "completed" {
				f.after = []any{f.artifactEvent(2)}
			}
		})},
	mutant{name: "last-chunk-unmarked", summary: "No chunk is announced as the last.",
		event: a2a01Words.inStream("artifact", func(f *frame) {
			if has(f.body, "result/artifact") {
				put(f.body, "result/artifact/lastChunk", false)
			}
		})},
	mutant{name: "event-after-error", summary: "An event with an error is followed by results.",
		event: a2a01Words.inStream("fail", func(f *frame) {
			if f.state() == "working" {
				f.skip = true
				f.after = []any{map[string]any{"jsonrpc": "2.0", "id": at(f.body, "id"),
					"error": map[string]any{"code": codeInternal, "message": "The agent failed"}}}
			}
		})},
	mutant{name: "submitted-again", summary: "submitted is sent after working.",
		event: a2a01Words.inStream("echo", func(f *frame) {
			if f.state() == "working" {
				f.after = []any{f.status("submitted")}
			}
		})},
	mutant{name: "event-id-nul", summary: "An id line contains a NUL character.",
		event: a2a01Words.inStream("echo", func(f *frame) {
			if f.count == 2 {
				f.raw = "id: e\x002\ndata: " + string(encode(f.body)) + "\n\n"
			}
		})},
)
