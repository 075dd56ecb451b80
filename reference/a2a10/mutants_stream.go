package a2a10

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// ended reports whether an event says that its task has ended.
func ended(f *front.Frame) bool {
	s := states[f.State()]
	return s.Terminal() && !f.Whole()
}

// inStream edits the events of a stream that begins with a message.
func inStream(edit func(*front.Frame)) func(*front.Frame) { return words.InStream("", edit) }

// streamMutants are about the events of a stream (section 3.1.2).
var streamMutants = front.InArea("stream",
	front.Mutant{Name: "stream-as-reply", Summary: "SendStreamingMessage is answered like SendMessage.",
		Call: front.Misread(streamMethod, func(body any) { front.Put(body, "method", sendMethod) })},
	front.Mutant{Name: "stream-as-json", Summary: "A stream is labelled application/json.",
		Reply: front.Opening(streamMethod, func(x *front.Reply) { x.Header.Set("Content-Type", "application/json") })},
	front.Mutant{Name: "stream-bare", Summary: "The events of a stream have no envelope.",
		Event: inStream(func(f *front.Frame) { f.Bare = true })},
	front.Mutant{Name: "events-renamed", Summary: "A status update stands under the name taskStatusUpdate.",
		Event: func(f *front.Frame) {
			if update := front.At(f.Body, "result/statusUpdate"); update != nil {
				front.Drop(f.Body, "result/statusUpdate")
				front.Put(f.Body, "result/taskStatusUpdate", update)
			}
		}},
	front.Mutant{Name: "events-doubled", Summary: "A status update comes with the task beside it.",
		Event: func(f *front.Frame) {
			if t, err := f.Reply.Server.Engine.Task(f.Task()); err == nil && front.Has(f.Body, "result/statusUpdate") {
				front.Put(f.Body, "result/task", front.Generic(Server{Server: f.Reply.Server}.Task(t, nil)))
			}
		}},
	front.Mutant{Name: "stream-begins-with-update", Summary: "A stream begins with a status update.",
		Event: inStream(func(f *front.Frame) { f.Skip = front.Has(f.Body, "result/task") })},
	front.Mutant{Name: "chat-in-pieces", Summary: "A direct answer is streamed as two messages.",
		Event: func(f *front.Frame) {
			if front.Has(f.Body, "result/message") {
				f.After = []any{f.Body}
			}
		}},
	front.Mutant{Name: "chat-stays-open", Waits: true, Summary: "The stream of a direct answer is kept open.",
		Event: func(f *front.Frame) { f.Stay = front.Has(f.Body, "result/message") }},
	front.Mutant{Name: "message-among-updates", Summary: "A message of the agent comes as an event of its own between the updates.",
		Event: inStream(func(f *front.Frame) {
			if m := front.At(f.Body, "result/statusUpdate/status/message"); m != nil && !ended(f) {
				f.After = []any{f.Further(map[string]any{"message": m})}
			}
		})},
	front.Mutant{Name: "stream-ends-early", Summary: "A stream ends while its task is working.",
		Event: inStream(func(f *front.Frame) { f.Cut = f.State() == stateName(engine.Working) })},
	front.Mutant{Name: "stream-final-flag", Summary: "The last update of a stream has the member final.",
		Event: inStream(func(f *front.Frame) {
			if ended(f) {
				front.Put(f.Body, "result/statusUpdate/final", true)
			}
		})},
	front.Mutant{Name: "completed-before-last-chunk", Summary: "The last piece of an artifact comes after the end of its task.",
		Event: inStream(func(f *front.Frame) {
			key := "last piece of " + f.Task()
			if front.At(f.Body, "result/artifactUpdate/lastChunk") == true {
				f.Reply.Server.Notes.Write(key, f.Body)
				f.Skip = true
			}
			if piece := f.Reply.Server.Notes.Read(key); piece != nil && ended(f) {
				f.After = []any{piece}
			}
		})},
	front.Mutant{Name: "chunks-swapped", Summary: "The last two pieces of an artifact come in each other's place.",
		Event: inStream(func(f *front.Frame) {
			const text = "result/artifactUpdate/artifact/parts/0/text"
			if front.At(f.Body, "result/artifactUpdate/append") != true {
				return
			}
			key, notes := "held piece of "+f.Task(), &f.Reply.Server.Notes
			held := notes.Read(key)
			if held == nil {
				notes.Write(key, front.Generic(f.Body))
				f.Skip = true
				return
			}
			swapped := front.Generic(held)
			front.Put(swapped, text, front.Text(f.Body, text))
			last := front.Generic(f.Body)
			front.Put(last, text, front.Text(held, text))
			f.Body, f.After = swapped, []any{last}
		})},
	front.Mutant{Name: "stream-unknown-begun", Summary: "A streamed message to an unknown task begins one.", Call: strange(streamMethod, forgetTask)},
	front.Mutant{Name: "stream-odd-part-dropped", Summary: "A part of a type that is not listed is dropped from a streamed message.", Call: without(streamMethod, oddType)},
	front.Mutant{Name: "stream-unknown-opens-empty", Summary: "A streamed message to an unknown task opens a stream without events.",
		Reply: mutants.Failing(streamMethod, TaskNotFound, (*front.Reply).EmptyStream)},
	front.Mutant{Name: "streamed-answer-begins-anew", Summary: "A streamed message to a task that waits begins another.",
		Call: front.Misread(streamMethod, forgetTask)},
	front.Mutant{Name: "streamed-answer-strays", Summary: "A streamed answer to the agent's question begins a task of its own.",
		Call: func(c *front.Call) {
			t, err := c.Server.Engine.Task(front.Text(c.Body, "params/message/taskId"))
			if c.Method == streamMethod && err == nil && t.Status.State.Paused() {
				forgetTask(c.Body)
			}
		}},
	front.Mutant{Name: "canceled-stream-stays-open", Waits: true, Summary: "The stream of a canceled task is kept open.",
		Event: func(f *front.Frame) { f.Stay = f.State() == stateName(engine.Canceled) }},
)

// again edits the events of a subscription.
func again(edit func(*front.Frame)) func(*front.Frame) { return words.Resuming(edit) }

// subscriptionMutants are about SubscribeToTask, and several streams of one task
// (sections 3.1.6 and 3.5.2).
var subscriptionMutants = front.InArea("subscription",
	front.Mutant{Name: "subscription-without-task", Waits: true, Summary: "A subscription begins with the next update.",
		Event: again(func(f *front.Frame) { f.Skip = f.Whole() })},
	front.Mutant{Name: "subscription-stale", Waits: true, Summary: "A subscription begins with the task as it was created.",
		Event: again(func(f *front.Frame) {
			if f.Whole() {
				front.Put(f.Body, "result/task/status", map[string]any{"state": stateName(engine.Submitted)})
				front.Drop(f.Body, "result/task/artifacts")
			}
		})},
	front.Mutant{Name: "subscription-silent", Summary: "A subscription is silent between its first event and its last.",
		Event: again(func(f *front.Frame) { f.Skip = !f.Whole() && !ended(f) })},
	front.Mutant{Name: "subscription-ends-working", Summary: "A subscription ends without telling the end of the task.",
		Event: again(func(f *front.Frame) { f.Skip = ended(f) })},
	front.Mutant{Name: "subscribe-waiting-refused", Summary: "A task that waits cannot be subscribed to.",
		Reply: front.Opening(subscribeMethod, func(x *front.Reply) {
			if x.Task().Status.State.Paused() {
				x.Decline(Unsupported)
			}
		})},
	front.Mutant{Name: "subscribe-finished-replayed", Summary: "SubscribeToTask shows a task that has ended once more.",
		Reply: mutants.Failing(subscribeMethod, Unsupported, func(x *front.Reply) {
			event := map[string]any{"jsonrpc": "2.0", "id": front.At(x.Request, "id"), "result": &Payload{Task: Server{Server: x.Server}.Task(x.Task(), nil)}}
			x.EmptyStream()
			x.Raw = slices.Concat([]byte("data: "), front.Encode(x.Form(event)), []byte("\n\n"))
		})},
	front.Mutant{Name: "subscribe-streamed-only", Summary: "Only a task that was begun by a stream can be subscribed to.",
		Event: inStream(func(f *front.Frame) { f.Reply.Server.Notes.Write("streamed "+f.Task(), true) }),
		Reply: front.Opening(subscribeMethod, func(x *front.Reply) {
			if x.Server.Notes.Read("streamed "+x.TaskID()) == nil {
				x.Decline(Unsupported)
			}
		})},
	front.Mutant{Name: "newest-stream-only", Summary: "Of several streams of one task only the newest gets its updates.",
		Event: func(f *front.Frame) {
			key := "newest stream of " + f.Task()
			if f.Count == 1 {
				f.Reply.Server.Notes.Write(key, f.Reply)
			}
			f.Skip = f.Reply.Server.Notes.Read(key) != f.Reply
		}},
	front.Mutant{Name: "second-stream-lacks", Summary: "The second subscription to a task lacks the first update.",
		Event: again(func(f *front.Frame) {
			key, notes := "second stream of "+f.Task(), &f.Reply.Server.Notes
			if f.Count == 1 && notes.Count("streams of "+f.Task()) == 2 {
				notes.Write(key, f.Reply)
			}
			f.Skip = f.Count == 2 && notes.Read(key) == f.Reply
		})},
	front.Mutant{Name: "subscription-without-artifacts", Summary: "A subscription gets no updates of artifacts.",
		Event: again(func(f *front.Frame) { f.Skip = front.Has(f.Body, "result/artifactUpdate") })},
	front.Mutant{Name: "drop-ends-all", Summary: "When one reader goes away all streams of the task end.",
		Engine: func(o *engine.Options) { o.Defects.DropEndsAll = true }},
)
