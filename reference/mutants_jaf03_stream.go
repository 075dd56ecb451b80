package reference

import (
	"net/http"
	"strconv"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// ofKind edits the events of one kind; an empty kind stands for any.
func ofKind(kind string, edit func(*frame)) func(*frame) {
	return func(f *frame) {
		if kind == "" || text(f.body, "result/kind") == kind {
			edit(f)
		}
	}
}

// whenWorking edits the first working update of a stream.
func whenWorking(edit func(*frame)) func(*frame) {
	return func(f *frame) {
		if f.count == 2 && f.state() == "working" {
			edit(f)
		}
	}
}

// opened edits the heads of streams.
func opened(edit func(http.Header)) func(*reply) {
	return opening("message/stream", func(x *reply) { edit(x.header) })
}

var jaf03StreamMutants = inArea("stream",
	mutant{name: "stream-as-completion", summary: "message/stream returns one plain completion.",
		reply: opening("message/stream", func(x *reply) {
			x.header.Set("Content-Type", "application/json")
			x.succeed(map[string]any{"kind": "completion", "taskId": "t", "contextId": at(x.request, "params/message/contextId"), "message": jafHello(), "final": true})
		})},
	mutant{name: "stream-as-json", summary: "A stream is labelled application/json.",
		reply: opened(func(h http.Header) { h.Set("Content-Type", "application/json") })},
	mutant{name: "stream-cached", summary: "A stream may be cached.",
		reply: opened(func(h http.Header) { h.Set("Cache-Control", "public, max-age=60") })},
	mutant{name: "stream-closes-connection", summary: "A stream asks for the connection to be closed.",
		reply: opened(func(h http.Header) { h.Set("Connection", "close") })},
	mutant{name: "stream-same-origin", summary: "A stream does not allow other origins.",
		reply: opened(func(h http.Header) { h.Del("Access-Control-Allow-Origin") })},
	mutant{name: "event-unwrapped", summary: "The first event holds the bare result.",
		event: func(f *frame) {
			if f.count == 1 {
				f.body = at(f.body, "result")
			}
		}},
	mutant{name: "partial-task-renewed", summary: "Each partial answer gets a new task id.",
		event: ofKind("partial-completion", func(f *frame) { put(f.body, "result/taskId", "task-"+strconv.Itoa(f.count)) })},
	mutant{name: "stream-timestamp-left-out", summary: "A streamed status has no timestamp.",
		event: whenWorking(func(f *frame) { drop(f.body, "result/status/timestamp") })},
	mutant{name: "streamed-completion-not-final", summary: "A streamed completion has final false.",
		event: ofKind("completion", func(f *frame) { put(f.body, "result/final", false) })},
	mutant{name: "working-flagged-final", summary: "A working update is flagged final.",
		event: whenWorking(func(f *frame) { put(f.body, "result/final", true) })},
	mutant{name: "completion-missing", summary: "A stream ends without its completion.",
		event: ofKind("completion", func(f *frame) { f.skip = true })},
	mutant{name: "event-after-final", summary: "A status update follows the completion.",
		event: ofKind("completion", func(f *frame) {
			f.after = []any{map[string]any{"jsonrpc": "2.0", "id": at(f.body, "id"), "result": map[string]any{
				"kind": "status-update", "taskId": at(f.body, "result/taskId"), "final": true,
				"status": map[string]any{"state": "completed", "timestamp": "2024-03-15T14:30:01Z"}}}}
		})},
	mutant{name: "stream-stays-open", waits: true, summary: "The stream is kept open after the completion.",
		event: ofKind("completion", func(f *frame) { f.stay = true })},
	mutant{name: "partial-message-renamed", summary: "Each partial answer has a messageId of its own.",
		event: ofKind("partial-completion", func(f *frame) { put(f.body, "result/message/messageId", "resp-"+strconv.Itoa(f.count)) })},
	mutant{name: "event-name-fixed", summary: "Every event is named status-update.",
		event: func(f *frame) { f.name = "status-update" }},
	mutant{name: "event-name-left-out", summary: "Events have no name.",
		event: func(f *frame) { f.name = "" }},
	mutant{name: "working-unsaid", summary: "A stream does not say that work has started.",
		event: ofKind("status-update", func(f *frame) { f.skip = f.state() == "working" || f.state() == "submitted" })},
	mutant{name: "submitted-again", summary: "submitted is sent after working.",
		event: whenWorking(func(f *frame) { f.after = []any{f.status("submitted")} })},
	mutant{name: "streamed-task-unknown", summary: "A streamed task is not stored when it ends at once.",
		event: func(f *frame) { f.reply.server.notes.write("streamed "+text(f.body, "result/taskId"), true) },
		reply: looked("echo", func(x *reply) {
			if x.server.notes.read("streamed "+text(x.request, "params/id")) != nil {
				x.decline(jaf03TaskNotFound)
			}
		})},
	mutant{name: "stream-buffered", summary: "All events are released at the end of the stream.",
		event: func(f *frame) { f.hold = true }},
	mutant{name: "failure-as-text", summary: "A failure ends the stream with a word.",
		event: func(f *frame) {
			if f.state() == "failed" {
				f.raw = "data: ERROR\n\n"
			}
		}},
	mutant{name: "failed-stream-opens", summary: "message/stream with invalid params opens a stream without events.",
		reply: failing("message/stream", codeInvalidParams, (*reply).emptyStream)},
	mutant{name: "no-streaming-hangs", variant: "minimal", summary: "Without streaming message/stream is never answered.",
		reply: failing("message/stream", codeMethodNotFound, func(x *reply) {
			x.emptyStream()
			x.raw = []byte{}
			x.hang = true
		})},
	mutant{name: "chunks-broadcast", summary: "Every open stream receives the partial answers of every task.",
		engine: func(o *engine.Options) { o.Defects.ChunksBroadcast = true }},
	mutant{name: "streamed-context-replaced", summary: "Streamed messages carry a context of the server's own.",
		event: ofKind("completion", func(f *frame) { put(f.body, "result/message/contextId", "server-context") })},
	mutant{name: "cancelled-stream-completes", summary: "The stream of a cancelled task delivers a completion.",
		event: func(f *frame) {
			if f.state() == "cancelled" {
				f.name = "completion"
				put(f.body, "result", map[string]any{"kind": "completion", "taskId": at(f.body, "result/taskId"), "message": jafHello(), "final": true})
			}
		}},
	mutant{name: "cancel-unseen", summary: "A cancellation cuts the open stream without an event.",
		engine: func(o *engine.Options) { o.Defects.CancelSilent = true }},
	mutant{name: "lost-reader-deadly", summary: "After a client has dropped its stream no slow task can be looked up.",
		reply: func(x *reply) {
			if x.method() == "tasks/get" && x.server.lostReaders.Load() > 0 && x.script() == "slow" {
				x.blank(http.StatusServiceUnavailable, "text/plain")
			}
		}},
)
