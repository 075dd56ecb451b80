package reference

import "github.com/a2a-conform/a2a-conform/reference/engine"

// resuming edits the events of tasks/resubscribe.
func resuming(edit func(*frame)) func(*frame) {
	return func(f *frame) {
		if f.method() == "tasks/resubscribe" {
			edit(f)
		}
	}
}

// failing edits the refusals of a method that would have opened a stream.
func failing(method string, code int, edit func(*reply)) func(*reply) {
	return func(x *reply) {
		if x.answers(method, code) {
			edit(x)
		}
	}
}

// subscriptionMutants are about streams that are refused, continued and
// taken up again.
func subscriptionMutants(w wording) []mutant {
	return inArea("stream",
		mutant{name: "failed-stream-opens", summary: w.stream + " with invalid params opens a stream without events.",
			reply: failing(w.stream, codeInvalidParams, (*reply).emptyStream)},
		mutant{name: "failed-stream-misnamed", summary: w.stream + " with invalid params is reported as an invalid request.",
			reply: recode(w.stream, codeInvalidParams, codeInvalidRequest)},
		mutant{name: "stream-served-as-send", variant: "silent", summary: "Without streaming " + w.stream + " is served as " + w.send + ".",
			call: misread(w.stream, func(body any) { put(body, "method", w.send) })},
		mutant{name: "resubscribe-opens-empty", variant: "silent", summary: "Without streaming tasks/resubscribe opens a stream without events.",
			reply: failing("tasks/resubscribe", w.noStreaming, (*reply).emptyStream)},
		mutant{name: "resubscribe-missing", summary: "tasks/resubscribe to a running task is an unknown method.",
			reply: opening("tasks/resubscribe", func(x *reply) { x.decline(codeMethodNotFound) })},
		mutant{name: "resubscribe-old-id", summary: "Events of a resubscription carry the id of the first subscription.",
			event: func(f *frame) {
				key := "subscription " + f.task()
				if f.method() == w.stream {
					f.reply.server.notes.write(key, at(f.body, "id"))
				} else if id := f.reply.server.notes.read(key); id != nil {
					put(f.body, "id", id)
				}
			}},
		mutant{name: "resubscribed-stays-open", waits: true, summary: "A resubscribed stream is kept open after its last event.",
			event: resuming(func(f *frame) { f.stay = true })},
		mutant{name: "resubscribed-steps-back", summary: "A resubscribed stream says submitted after each update that said working.",
			event: resuming(func(f *frame) {
				if f.state() == "working" && text(f.body, "result/kind") != "task" {
					f.after = []any{f.status("submitted")}
				}
			})},
		mutant{name: "resubscribed-beyond-final", summary: "A resubscribed stream says working after its final event.",
			event: resuming(func(f *frame) {
				if at(f.body, "result/final") == true {
					f.after = []any{f.status("working")}
				}
			})},
		mutant{name: "finished-streamed-again", summary: w.stream + " to a finished task runs it again.",
			engine: func(o *engine.Options) { o.Defects.ReopenStreamed = true }},
		mutant{name: "resubscriber-unserved", summary: "A resubscription ends after its first event.",
			event: resuming(func(f *frame) { f.cut = f.count == 1 })},
		mutant{name: "resubscribe-unknown-opens", summary: "tasks/resubscribe for an unknown task opens a stream without events.",
			reply: failing("tasks/resubscribe", w.notFound, (*reply).emptyStream)},
		mutant{name: "resubscribe-unknown-misnamed", summary: "tasks/resubscribe reports an unknown task as invalid params.",
			reply: recode("tasks/resubscribe", w.notFound, codeInvalidParams)},
		mutant{name: "resubscribe-finished-hangs", waits: true, summary: "tasks/resubscribe for a finished task opens a stream that stays silent.",
			reply: failing("tasks/resubscribe", w.finished, func(x *reply) {
				x.emptyStream()
				x.hang = true
			})},
		mutant{name: "resubscribe-without-id-opens", summary: "tasks/resubscribe without id opens a stream without events.",
			reply: failing("tasks/resubscribe", codeInvalidParams, (*reply).emptyStream)},
	)
}

// a2a01SubscriptionMutants are those that only A2A 0.1.0 has a place for.
var a2a01SubscriptionMutants = inArea("stream",
	mutant{name: "failed-stream-detail", summary: "The body of a failed subscription is the web framework's own.",
		reply: failing("tasks/sendSubscribe", codeInvalidParams, func(x *reply) {
			x.body = map[string]any{"detail": "field required"}
		})},
	mutant{name: "answer-by-stream-refused", summary: "tasks/sendSubscribe to a waiting task is refused as a duplicate id.",
		reply: opening("tasks/sendSubscribe", func(x *reply) {
			if x.script() == "ask" && text(x.request, "params/message/parts/0/text") != "ask" {
				x.decline(codeInvalidParams)
			}
		})},
	mutant{name: "resubscribe-as-json", summary: "tasks/resubscribe returns the current task as JSON.",
		reply: opening("tasks/resubscribe", func(x *reply) {
			x.header.Set("Content-Type", "application/json")
			x.succeed(generic(a2a01Server{x.server}.task(x.task(), 0)))
		})},
	mutant{name: "resubscribe-snapshot", summary: "The first event of a resubscription is a task.",
		event: resuming(func(f *frame) {
			if f.count == 1 {
				task := generic(a2a01Server{f.reply.server}.task(f.reply.task(), 0))
				put(f.body, "result", map[string]any{"task": task})
			}
		})},
	mutant{name: "resubscribe-members-refused", summary: "tasks/resubscribe with historyLength and metadata is refused.",
		reply: opening("tasks/resubscribe", func(x *reply) {
			if has(x.request, "params/historyLength") || has(x.request, "params/metadata") {
				x.decline(codeInvalidParams)
			}
		})},
)
