package a2a10

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// ended reports whether an event says that its task has ended.
func ended(f *front.StreamEvent) bool {
	s := states[f.State()]
	return s.Terminal() && !f.Whole()
}

// inStream edits the events of a stream that begins with a message.
func inStream(edit func(*front.StreamEvent)) func(*front.StreamEvent) {
	return words.InStream("", edit)
}

// onSubscriptionEvent edits the events of a subscription.
func onSubscriptionEvent(edit func(*front.StreamEvent)) func(*front.StreamEvent) {
	return words.Resuming(edit)
}

// streamMutants are about streams.
var streamMutants = map[string]front.Mutant{
	"stream-bare": {Event: inStream(func(f *front.StreamEvent) { f.Bare = true })},
	"events-doubled": {Event: func(f *front.StreamEvent) {
		if t, err := f.Reply.Server.Engine.Task(f.Task()); err == nil && front.Has(f.Body, "result/statusUpdate") {
			front.Put(f.Body, "result/task", front.Generic(Server{Server: f.Reply.Server}.Task(t, nil)))
		}
	}},
	"chat-in-pieces": {Event: func(f *front.StreamEvent) {
		if front.Has(f.Body, "result/message") {
			f.After = []any{f.Body}
		}
	}},
	"message-among-updates": {Event: inStream(func(f *front.StreamEvent) {
		if m := front.At(f.Body, "result/statusUpdate/status/message"); m != nil && !ended(f) {
			f.After = []any{f.Further(map[string]any{"message": m})}
		}
	})},
	"completed-before-last-chunk": {Event: inStream(func(f *front.StreamEvent) {
		key := "last piece of " + f.Task()
		if front.At(f.Body, "result/artifactUpdate/lastChunk") == true {
			f.Reply.Server.Notes.Write(key, f.Body)
			f.Skip = true
		}
		if piece := f.Reply.Server.Notes.Read(key); piece != nil && ended(f) {
			f.After = []any{piece}
		}
	})},
	"chunks-swapped": {Event: inStream(func(f *front.StreamEvent) {
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
	"stream-unknown-begun":    {Call: onUnknownTask(streamMethod, forgetTask)},
	"stream-odd-part-dropped": {Call: removeParts(streamMethod, oddType)},
	"streamed-answer-strays": {Call: func(c *front.Call) {
		t, err := c.Server.Engine.Task(front.Text(c.Body, "params/message/taskId"))
		if c.Method == streamMethod && err == nil && t.Status.State.Paused() {
			forgetTask(c.Body)
		}
	}},
	"subscribe-finished-replayed": {Reply: mutants.Failing(subscribeMethod, Unsupported, func(x *front.Reply) {
		event := map[string]any{"jsonrpc": "2.0", "id": front.At(x.Request, "id"), "result": &Payload{Task: Server{Server: x.Server}.Task(x.Task(), nil)}}
		x.EmptyStream()
		x.Raw = slices.Concat([]byte("data: "), front.Encode(x.Form(event)), []byte("\n\n"))
	})},
	"subscribe-streamed-only": {Event: inStream(func(f *front.StreamEvent) { f.Reply.Server.Notes.Write("streamed "+f.Task(), true) }),
		Reply: front.Opening(subscribeMethod, func(x *front.Reply) {
			if x.Server.Notes.Read("streamed "+x.TaskID()) == nil {
				x.Decline(Unsupported)
			}
		})},
	"newest-stream-only": {Event: func(f *front.StreamEvent) {
		key := "newest stream of " + f.Task()
		if f.Count == 1 {
			f.Reply.Server.Notes.Write(key, f.Reply)
		}
		f.Skip = f.Reply.Server.Notes.Read(key) != f.Reply
	}},
	"second-stream-lacks": {Event: onSubscriptionEvent(func(f *front.StreamEvent) {
		key, notes := "second stream of "+f.Task(), &f.Reply.Server.Notes
		if f.Count == 1 && notes.Count("streams of "+f.Task()) == 2 {
			notes.Write(key, f.Reply)
		}
		f.Skip = f.Count == 2 && notes.Read(key) == f.Reply
	})},
}
