package main

import (
	"errors"
	"iter"

	"github.com/a2aproject/a2a-go/a2a"
)

// follow reads a stream about one task to its end. seen, unless nil, is called with
// each event. It returns the state and the words of the last one, which must be
// final, and the text of the artifacts by id.
func follow(events iter.Seq2[a2a.Event, error], doing string, seen func(n int, e a2a.Event)) (last *a2a.TaskStatusUpdateEvent, artifacts map[a2a.ArtifactID]string) {
	artifacts = map[a2a.ArtifactID]string{}
	n := 0
	for event, err := range events {
		must(err, doing)
		if last != nil && last.Final {
			fail("%s: a %T comes after the final event", doing, event)
		}
		switch e := event.(type) {
		case *a2a.TaskStatusUpdateEvent:
			last = e
		case *a2a.TaskArtifactUpdateEvent:
			if !e.Append {
				artifacts[e.Artifact.ID] = ""
			}
			artifacts[e.Artifact.ID] += textIn(e.Artifact.Parts)
		}
		if seen != nil {
			seen(n, event)
		}
		n++
	}
	if last == nil || !last.Final {
		fail("%s: the stream ended without a final event: %+v", doing, last)
	}
	return last, artifacts
}

// stream follows a task from its message to its end.
func (u *user) stream() {
	var task *a2a.Task
	worked := false
	last, artifacts := follow(u.SendStreamingMessage(u, &a2a.MessageSendParams{Message: texts("echo good night")}), "streaming", func(n int, e a2a.Event) {
		if n == 0 {
			task, _ = e.(*a2a.Task)
			if task == nil {
				fail("a stream begins with a %T, not a task", e)
			}
			check(task.Status.State, a2a.TaskStateSubmitted, "the state at the beginning of a stream")
			return
		}
		check(e.TaskInfo().TaskID, task.ID, "the task of an event")
		check(e.TaskInfo().ContextID, task.ContextID, "the context of an event")
		if update, ok := e.(*a2a.TaskStatusUpdateEvent); ok {
			u.recent(update.Status.Timestamp)
			worked = worked || update.Status.State == a2a.TaskStateWorking
		}
	})
	check(worked, true, "that the stream tells of work")
	check(last.Status.State, a2a.TaskStateCompleted, "the last state of a stream")
	check(artifacts["artifact-0"], "good night", "the streamed artifact")
	did("stream: %s, %q", last.Status.State, said(last.Status.Message))

	n := 0
	for event, err := range u.SendStreamingMessage(u, &a2a.MessageSendParams{Message: texts("hello")}) {
		must(err, "streaming hello")
		m, ok := event.(*a2a.Message)
		if n++; !ok || n > 1 {
			fail("the stream of a message has a %T as event %d", event, n)
		}
		did("stream of a message: %q", said(m))
	}
}

// streamChunks puts an artifact together and compares it with the stored one.
func (u *user) streamChunks() {
	last, artifacts := follow(u.SendStreamingMessage(u, &a2a.MessageSendParams{Message: texts("artifact")}), "streaming an artifact", nil)
	got, err := u.GetTask(u, &a2a.TaskQueryParams{ID: last.TaskID})
	must(err, "looking the streamed task up")
	check(got.Status.State, last.Status.State, "the state of the streamed task")
	stored := ""
	for _, part := range got.Artifacts[0].Parts {
		stored += textIn(a2a.ContentParts{part})
	}
	check(artifacts[got.Artifacts[0].ID], stored, "the artifact put together from its pieces")
	did("stream of pieces: %q", stored)
}

// broken follows a stream that breaks off in the middle of the work.
func (u *user) broken() {
	var task a2a.TaskID
	for event, err := range u.SendStreamingMessage(u, &a2a.MessageSendParams{Message: texts("crash")}) {
		if err == nil {
			task = event.TaskInfo().TaskID
			continue
		}
		if !errors.Is(err, a2a.ErrInternalError) {
			fail("the stream of a crash ends with %q, not with an internal error", err)
		}
		got, fault := u.GetTask(u, &a2a.TaskQueryParams{ID: task})
		must(fault, "looking the crashed task up")
		check(got.Status.State, a2a.TaskStateFailed, "its state")
		did("stream of a crash: -32603, then %s", got.Status.State)
		return
	}
	fail("the stream of a crash ends without an error")
}

// dropped opens a stream and leaves it after the first event.
func (u *user) dropped() *a2a.Task {
	for event, err := range u.SendStreamingMessage(u, &a2a.MessageSendParams{Message: texts("slow 8")}) {
		must(err, "streaming what is slow")
		task, ok := event.(*a2a.Task)
		if !ok {
			fail("a stream begins with a %T, not a task", event)
		}
		return task
	}
	fail("a stream has no event")
	return nil
}

// resubscribe leaves a stream, takes it up again, cancels the task at the first event,
// and sees its end.
func (u *user) resubscribe() {
	task := u.dropped()
	last, _ := follow(u.ResubscribeToTask(u, &a2a.TaskIDParams{ID: task.ID}), "resubscribing", func(n int, e a2a.Event) {
		check(e.TaskInfo().TaskID, task.ID, "the task of a resubscribed event")
		if n == 0 {
			_, err := u.CancelTask(u, &a2a.TaskIDParams{ID: task.ID})
			must(err, "canceling what was resubscribed to")
		}
	})
	check(last.Status.State, a2a.TaskStateCanceled, "the last state of a resubscribed stream")
	did("resubscribe: %s", last.Status.State)
	if u.shows {
		for event, err := range u.ResubscribeToTask(u, &a2a.TaskIDParams{ID: task.ID}) {
			must(err, "resubscribing to a task that has ended")
			shown, ok := event.(*a2a.Task)
			if !ok {
				fail("a task that has ended is shown as a %T", event)
			}
			check(shown.ID, task.ID, "the task that has ended")
			check(shown.Status.State, a2a.TaskStateCanceled, "its state")
			did("resubscribe afterwards: %s", shown.Status.State)
		}
	}
}

// streamWithout asks for a stream although the card has none: the SDK sends the message by
// itself.
func (u *user) streamWithout() {
	n := 0
	for event, err := range u.SendStreamingMessage(u, &a2a.MessageSendParams{Message: texts("echo good night")}) {
		must(err, "streaming to an agent without streams")
		task, ok := event.(*a2a.Task)
		if n++; !ok || n > 1 {
			fail("in place of a stream comes a %T as event %d", event, n)
		}
		check(task.Status.State, a2a.TaskStateCompleted, "the state of the task in place of a stream")
		did("no stream: %s, %q", task.Status.State, said(task.Status.Message))
	}
}
