package mutants

import (
	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// Resuming edits the events of a stream that takes up a task again.
func (w Wording) Resuming(edit func(*front.Frame)) func(*front.Frame) {
	return func(f *front.Frame) {
		if f.Method() == w.Resubscribe {
			edit(f)
		}
	}
}

// Failing edits the refusals of a method that would have opened a stream.
func Failing(method string, code int, edit func(*front.Reply)) func(*front.Reply) {
	return func(x *front.Reply) {
		if x.Answers(method, code) {
			edit(x)
		}
	}
}

// SubscriptionMutants are about streams that are refused, continued and
// taken up again.
func SubscriptionMutants(w Wording) []front.Mutant {
	return front.InArea("stream",
		front.Mutant{Name: "failed-stream-opens", Summary: w.Stream + " with invalid params opens a stream without events.",
			Reply: Failing(w.Stream, front.CodeInvalidParams, (*front.Reply).EmptyStream)},
		front.Mutant{Name: "failed-stream-misnamed", Summary: w.Stream + " with invalid params is reported as an invalid request.",
			Reply: front.Recode(w.Stream, front.CodeInvalidParams, front.CodeInvalidRequest)},
		front.Mutant{Name: "stream-served-as-send", Variant: "silent", Summary: "Without streaming " + w.Stream + " is served as " + w.Send + ".",
			Call: front.Misread(w.Stream, func(body any) { front.Put(body, "method", w.Send) })},
		front.Mutant{Name: "resubscribe-opens-empty", Variant: "silent", Summary: "Without streaming " + w.Resubscribe + " opens a stream without events.",
			Reply: Failing(w.Resubscribe, w.NoStreaming, (*front.Reply).EmptyStream)},
		front.Mutant{Name: "resubscribe-missing", Summary: w.Resubscribe + " to a running task is an unknown method.",
			Reply: front.Opening(w.Resubscribe, func(x *front.Reply) { x.Decline(front.CodeMethodNotFound) })},
		front.Mutant{Name: "resubscribe-old-id", Summary: "Events of a resubscription carry the id of the first subscription.",
			Event: func(f *front.Frame) {
				key := "subscription " + f.Task()
				if f.Method() == w.Stream {
					f.Reply.Server.Notes.Write(key, front.At(f.Body, "id"))
				} else if id := f.Reply.Server.Notes.Read(key); id != nil {
					front.Put(f.Body, "id", id)
				}
			}},
		front.Mutant{Name: "resubscribed-stays-open", Waits: true, Summary: "A resubscribed stream is kept open after its last event.",
			Event: w.Resuming(func(f *front.Frame) { f.Stay = true })},
		front.Mutant{Name: "resubscribed-steps-back", Summary: "A resubscribed stream says submitted after each update that said working.",
			Event: w.Resuming(func(f *front.Frame) {
				if f.State() == w.state("working") && !f.Whole() {
					f.After = []any{f.Status(w.state("submitted"))}
				}
			})},
		front.Mutant{Name: "resubscribed-beyond-final", Summary: "A resubscribed stream says working after its final event.",
			Event: w.Resuming(func(f *front.Frame) {
				if front.At(f.Body, "result/final") == true || f.State() == w.state("completed") {
					f.After = []any{f.Status(w.state("working"))}
				}
			})},
		front.Mutant{Name: "finished-streamed-again", Summary: w.Stream + " to a finished task runs it again.",
			Engine: func(o *engine.Options) { o.Defects.ReopenStreamed = true }},
		front.Mutant{Name: "resubscriber-unserved", Summary: "A resubscription ends after its first event.",
			Event: w.Resuming(func(f *front.Frame) { f.Cut = f.Count == 1 })},
		front.Mutant{Name: "resubscribe-unknown-opens", Summary: w.Resubscribe + " for an unknown task opens a stream without events.",
			Reply: Failing(w.Resubscribe, w.NotFound, (*front.Reply).EmptyStream)},
		front.Mutant{Name: "resubscribe-unknown-misnamed", Summary: w.Resubscribe + " reports an unknown task as invalid params.",
			Reply: front.Recode(w.Resubscribe, w.NotFound, front.CodeInvalidParams)},
		front.Mutant{Name: "resubscribe-finished-hangs", Waits: true, Summary: w.Resubscribe + " for a finished task opens a stream that stays silent.",
			Reply: Failing(w.Resubscribe, w.Finished, func(x *front.Reply) {
				x.EmptyStream()
				x.Hang = true
			})},
		front.Mutant{Name: "resubscribe-without-id-opens", Summary: w.Resubscribe + " without id opens a stream without events.",
			Reply: Failing(w.Resubscribe, front.CodeInvalidParams, (*front.Reply).EmptyStream)},
	)
}
