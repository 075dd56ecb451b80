package mutants

import (
	"net/http"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// StreamMutants are about the events of a stream that begins with a message.
func StreamMutants(w Wording) []front.Mutant {
	return front.InArea("stream",
		front.Mutant{Name: "stream-accepted", Summary: "A stream is opened with HTTP 202.",
			Reply: front.Opening(w.Stream, func(x *front.Reply) { x.Status = http.StatusAccepted })},
		front.Mutant{Name: "stream-as-ndjson", Summary: "A stream is labelled application/x-ndjson.",
			Reply: front.Opening(w.Stream, func(x *front.Reply) { x.Header.Set("Content-Type", "application/x-ndjson") })},
		front.Mutant{Name: "event-without-field", Summary: "The second event of a stream has no data field.",
			Event: w.InStream("echo", func(f *front.Frame) {
				if f.Count == 2 {
					f.Raw = string(front.Encode(f.Sent(f.Body))) + "\n\n"
				}
			})},
		front.Mutant{Name: "event-split", Summary: "The second event of a stream is split in two.",
			Event: w.InStream("echo", func(f *front.Frame) {
				if f.Count == 2 {
					b := front.Encode(f.Sent(f.Body))
					f.Raw = "data: " + string(b[:20]) + "\n\ndata: " + string(b[20:]) + "\n\n"
				}
			})},
		front.Mutant{Name: "event-id-of-task", Summary: "A numeric id is replaced by the task's id in events.",
			Event: w.InStream("", func(f *front.Frame) {
				if front.IsNumber(front.At(f.Body, "id")) {
					front.Put(f.Body, "id", f.Task())
				}
			})},
		front.Mutant{Name: "working-flagged-final", Summary: "A working update is flagged final.",
			Event: w.InStream("echo", func(f *front.Frame) {
				if f.State() == w.state("working") {
					front.Put(f.Body, "result/final", true)
				}
			})},
		front.Mutant{Name: "final-missing", Summary: "completed is sent without final.",
			Event: w.InStream("echo", func(f *front.Frame) {
				if f.State() == w.state("completed") {
					front.Drop(f.Body, "result/final")
				}
			})},
		front.Mutant{Name: "stream-stays-open", Waits: true, Summary: "The stream is kept open after the final event.",
			Event: w.InStream("echo", func(f *front.Frame) { f.Stay = true })},
		front.Mutant{Name: "stream-falls-silent", Waits: true, Summary: "A stream does not tell that its task ended, and is kept open.",
			Event: w.InStream("echo", func(f *front.Frame) {
				if f.State() == w.state("completed") {
					f.Skip, f.Stay = true, true
				}
			})},
		front.Mutant{Name: "first-chunk-appended", Summary: "The first chunk of an artifact is flagged append.",
			Event: w.InStream("artifact", func(f *front.Frame) {
				if front.Has(f.Body, "result/artifact") || front.Has(f.Body, "result/artifactUpdate") {
					front.Put(f.Body, w.Chunk+"append", true)
				}
			})},
		front.Mutant{Name: "every-chunk-last", Summary: "Every chunk is announced as the last.",
			Event: w.InStream("artifact", func(f *front.Frame) {
				if front.Has(f.Body, "result/artifact") || front.Has(f.Body, "result/artifactUpdate") {
					front.Put(f.Body, w.Chunk+"lastChunk", true)
				}
			})},
		front.Mutant{Name: "last-chunk-stored", Summary: "Only the last chunk of an artifact is stored.",
			Engine: func(o *engine.Options) { o.Defects.LastChunkOnly = true }},
		front.Mutant{Name: "streamed-task-working", Summary: "A task that was streamed to its end is shown as working.",
			Event: w.InStream("echo", func(f *front.Frame) { f.Reply.Server.Notes.Write("streamed "+f.Task(), true) }),
			Reply: LookingAgain("echo", 1, func(x *front.Reply) {
				if x.Server.Notes.Read("streamed "+front.Text(x.Request, "params/id")) != nil {
					front.Swap(x.Body, "result/status/state", w.state("completed"), w.state("working"))
				}
			})},
		front.Mutant{Name: "event-error-beside-result", Summary: "A working update comes with an error beside its result.",
			Event: w.InStream("echo", func(f *front.Frame) {
				if f.State() == w.state("working") {
					front.Put(f.Body, "error", map[string]any{"code": front.CodeInternal, "message": "None"})
				}
			})},
		front.Mutant{Name: "stream-buffered", Summary: "All events are released at the end of the stream.",
			Event: w.InStream("", func(f *front.Frame) { f.Hold = true })},
		front.Mutant{Name: "chunks-broadcast", Summary: "Every open stream receives the chunks of every task.",
			Engine: func(o *engine.Options) { o.Defects.ChunksBroadcast = true }},
		front.Mutant{Name: "question-not-final", Summary: "An input-required update is not flagged final.",
			Event: w.InStream("ask", func(f *front.Frame) {
				if f.State() == "input-required" {
					front.Put(f.Body, "result/final", false)
				}
			})},
		front.Mutant{Name: "cancel-unseen", Summary: "A cancellation cuts the open stream without an event.",
			Engine: func(o *engine.Options) { o.Defects.CancelSilent = true }},
		front.Mutant{Name: "drop-stalls", Waits: true, Summary: "A dropped stream leaves its task working for ever.",
			Engine: func(o *engine.Options) { o.Defects.DropStalls = true }},
		front.Mutant{Name: "chunks-apart", Summary: "Each chunk of an artifact is stored as an artifact of its own.",
			Engine: func(o *engine.Options) { o.Defects.ChunksApart = true }},
		front.Mutant{Name: "drop-cancels", Summary: "A dropped stream cancels its task.",
			Engine: func(o *engine.Options) { o.Defects.DropCancels = true }},
	)
}
