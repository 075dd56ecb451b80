package jaf03

import (
	"net/http"
	"strconv"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// whenWorking edits the first working update of a stream.
func whenWorking(edit func(*front.Frame)) func(*front.Frame) {
	return func(f *front.Frame) {
		if f.Count == 2 && f.State() == "working" {
			edit(f)
		}
	}
}

// opened edits the heads of streams.
func opened(edit func(http.Header)) func(*front.Reply) {
	return front.Opening("message/stream", func(x *front.Reply) { edit(x.Header) })
}

var streamMutants = front.InArea("stream",
	front.Mutant{Name: "stream-as-completion", Summary: "message/stream returns one plain completion.",
		Reply: front.Opening("message/stream", func(x *front.Reply) {
			x.Header.Set("Content-Type", "application/json")
			x.Succeed(map[string]any{"kind": "completion", "taskId": "t", "contextId": front.At(x.Request, "params/message/contextId"), "message": jafHello(), "final": true})
		})},
	front.Mutant{Name: "stream-as-json", Summary: "A stream is labelled application/json.",
		Reply: opened(func(h http.Header) { h.Set("Content-Type", "application/json") })},
	front.Mutant{Name: "stream-cached", Summary: "A stream may be cached.",
		Reply: opened(func(h http.Header) { h.Set("Cache-Control", "public, max-age=60") })},
	front.Mutant{Name: "stream-closes-connection", Summary: "A stream asks for the connection to be closed.",
		Reply: opened(func(h http.Header) { h.Set("Connection", "close") })},
	front.Mutant{Name: "stream-same-origin", Summary: "A stream does not allow other origins.",
		Reply: opened(func(h http.Header) { h.Del("Access-Control-Allow-Origin") })},
	front.Mutant{Name: "event-unwrapped", Summary: "The first event holds the bare result.",
		Event: func(f *front.Frame) {
			if f.Count == 1 {
				f.Body = front.At(f.Body, "result")
			}
		}},
	front.Mutant{Name: "partial-task-renewed", Summary: "Each partial answer gets a new task id.",
		Event: front.OfKind("partial-completion", func(f *front.Frame) { front.Put(f.Body, "result/taskId", "task-"+strconv.Itoa(f.Count)) })},
	front.Mutant{Name: "stream-timestamp-left-out", Summary: "A streamed status has no timestamp.",
		Event: whenWorking(func(f *front.Frame) { front.Drop(f.Body, "result/status/timestamp") })},
	front.Mutant{Name: "streamed-completion-not-final", Summary: "A streamed completion has final false.",
		Event: front.OfKind("completion", func(f *front.Frame) { front.Put(f.Body, "result/final", false) })},
	front.Mutant{Name: "working-flagged-final", Summary: "A working update is flagged final.",
		Event: whenWorking(func(f *front.Frame) { front.Put(f.Body, "result/final", true) })},
	front.Mutant{Name: "completion-missing", Summary: "A stream ends without its completion.",
		Event: front.OfKind("completion", func(f *front.Frame) { f.Skip = true })},
	front.Mutant{Name: "event-after-final", Summary: "A status update follows the completion.",
		Event: front.OfKind("completion", func(f *front.Frame) {
			f.After = []any{map[string]any{"jsonrpc": "2.0", "id": front.At(f.Body, "id"), "result": map[string]any{
				"kind": "status-update", "taskId": front.At(f.Body, "result/taskId"), "final": true,
				"status": map[string]any{"state": "completed", "timestamp": "2024-03-15T14:30:01Z"}}}}
		})},
	front.Mutant{Name: "stream-stays-open", Waits: true, Summary: "The stream is kept open after the completion.",
		Event: front.OfKind("completion", func(f *front.Frame) { f.Stay = true })},
	front.Mutant{Name: "stream-falls-silent", Waits: true, Summary: "A stream does not bring its completion, and is kept open.",
		Event: front.OfKind("completion", func(f *front.Frame) { f.Skip, f.Stay = true, true })},
	front.Mutant{Name: "partial-message-renamed", Summary: "Each partial answer has a messageId of its own.",
		Event: front.OfKind("partial-completion", func(f *front.Frame) { front.Put(f.Body, "result/message/messageId", "resp-"+strconv.Itoa(f.Count)) })},
	front.Mutant{Name: "event-name-fixed", Summary: "Every event is named status-update.",
		Event: func(f *front.Frame) { f.Name = "status-update" }},
	front.Mutant{Name: "event-name-left-out", Summary: "Events have no name.",
		Event: func(f *front.Frame) { f.Name = "" }},
	front.Mutant{Name: "working-unsaid", Summary: "A stream does not say that work has started.",
		Event: front.OfKind("status-update", func(f *front.Frame) { f.Skip = f.State() == "working" || f.State() == "submitted" })},
	front.Mutant{Name: "submitted-again", Summary: "submitted is sent after working.",
		Event: whenWorking(func(f *front.Frame) { f.After = []any{f.Status("submitted")} })},
	front.Mutant{Name: "streamed-task-unknown", Summary: "A streamed task is not stored when it ends at once.",
		Event: func(f *front.Frame) {
			f.Reply.Server.Notes.Write("streamed "+front.Text(f.Body, "result/taskId"), true)
		},
		Reply: looked("echo", func(x *front.Reply) {
			if x.Server.Notes.Read("streamed "+front.Text(x.Request, "params/id")) != nil {
				x.Decline(TaskNotFound)
			}
		})},
	front.Mutant{Name: "stream-buffered", Summary: "All events are released at the end of the stream.",
		Event: func(f *front.Frame) { f.Hold = true }},
	front.Mutant{Name: "failure-as-text", Summary: "A failure ends the stream with a word.",
		Event: func(f *front.Frame) {
			if f.State() == "failed" {
				f.Raw = "data: ERROR\n\n"
			}
		}},
	front.Mutant{Name: "failed-stream-opens", Summary: "message/stream with invalid params opens a stream without events.",
		Reply: mutants.Failing("message/stream", front.CodeInvalidParams, (*front.Reply).EmptyStream)},
	front.Mutant{Name: "no-streaming-hangs", Variant: "minimal", Summary: "Without streaming message/stream is never answered.",
		Reply: mutants.Failing("message/stream", front.CodeMethodNotFound, func(x *front.Reply) {
			x.EmptyStream()
			x.Raw = []byte{}
			x.Hang = true
		})},
	front.Mutant{Name: "chunks-broadcast", Summary: "Every open stream receives the partial answers of every task.",
		Engine: func(o *engine.Options) { o.Defects.ChunksBroadcast = true }},
	front.Mutant{Name: "streamed-context-replaced", Summary: "Streamed messages carry a context of the server's own.",
		Event: front.OfKind("completion", func(f *front.Frame) { front.Put(f.Body, "result/message/contextId", "server-context") })},
	front.Mutant{Name: "cancelled-stream-completes", Summary: "The stream of a cancelled task delivers a completion.",
		Event: func(f *front.Frame) {
			if f.State() == "cancelled" {
				f.Name = "completion"
				front.Put(f.Body, "result", map[string]any{"kind": "completion", "taskId": front.At(f.Body, "result/taskId"), "message": jafHello(), "final": true})
			}
		}},
	front.Mutant{Name: "cancel-unseen", Summary: "A cancellation cuts the open stream without an event.",
		Engine: func(o *engine.Options) { o.Defects.CancelSilent = true }},
	front.Mutant{Name: "lost-reader-deadly", Summary: "After a client has dropped its stream no slow task can be looked up.",
		Reply: func(x *front.Reply) {
			if x.Method() == "tasks/get" && x.Server.LostReaders.Load() > 0 && x.Script() == "slow" {
				x.Blank(http.StatusServiceUnavailable, "text/plain")
			}
		}},
)
