package main

import (
	"iter"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// follow reads a stream about one task to its end. seen, unless nil, is called with
// each event. It returns the last status, which must be one that ends a task, and
// the text of the artifacts by id.
func follow(events iter.Seq2[a2a.Event, error], doing string, seen func(n int, e a2a.Event)) (last *a2a.TaskStatusUpdateEvent, artifacts map[a2a.ArtifactID]string) {
	artifacts = map[a2a.ArtifactID]string{}
	n := 0
	for event, err := range events {
		must(err, doing)
		if last != nil && last.Status.State.Terminal() {
			fail("%s: a %T comes after the task has ended", doing, event)
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
	if last == nil || !last.Status.State.Terminal() {
		fail("%s: the stream ended before the task: %+v", doing, last)
	}
	return last, artifacts
}

// stream follows a task from its message to its end.
func (u *user) stream() {
	var task *a2a.Task
	worked := false
	last, artifacts := follow(u.SendStreamingMessage(u, &a2a.SendMessageRequest{Message: texts("echo good night")}), "streaming", func(n int, e a2a.Event) {
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
	for event, err := range u.SendStreamingMessage(u, &a2a.SendMessageRequest{Message: texts("hello")}) {
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
	last, artifacts := follow(u.SendStreamingMessage(u, &a2a.SendMessageRequest{Message: texts("artifact")}), "streaming an artifact", nil)
	got, err := u.GetTask(u, &a2a.GetTaskRequest{ID: last.TaskID})
	must(err, "looking the streamed task up")
	check(got.Status.State, last.Status.State, "the state of the streamed task")
	stored := textIn(got.Artifacts[0].Parts)
	check(artifacts[got.Artifacts[0].ID], stored, "the artifact put together from its pieces")
	did("stream of pieces: %q", stored)
}

// broken follows a stream whose work breaks off in the middle: the task fails.
func (u *user) broken() {
	last, _ := follow(u.SendStreamingMessage(u, &a2a.SendMessageRequest{Message: texts("crash")}), "streaming a crash", nil)
	got, err := u.GetTask(u, &a2a.GetTaskRequest{ID: last.TaskID})
	must(err, "looking the crashed task up")
	check(got.Status.State, last.Status.State, "its state")
	did("stream of a crash: %s", got.Status.State)
}

// dropped opens a stream and leaves it after the first event.
func (u *user) dropped() *a2a.Task {
	for event, err := range u.SendStreamingMessage(u, &a2a.SendMessageRequest{Message: texts("slow 8")}) {
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

// subscribe leaves a stream, subscribes to its task, cancels it at the first event,
// which shows the task, and sees its end.
func (u *user) subscribe() {
	task := u.dropped()
	last, _ := follow(u.SubscribeToTask(u, &a2a.SubscribeToTaskRequest{ID: task.ID}), "subscribing", func(n int, e a2a.Event) {
		check(e.TaskInfo().TaskID, task.ID, "the task of an event")
		if n == 0 {
			if _, ok := e.(*a2a.Task); !ok {
				fail("a subscription begins with a %T, not a task", e)
			}
			_, err := u.CancelTask(u, &a2a.CancelTaskRequest{ID: task.ID})
			must(err, "canceling what was subscribed to")
		}
	})
	check(last.Status.State, a2a.TaskStateCanceled, "the last state of a subscription")
	did("subscribe: %s", last.Status.State)
}

// streamWithout asks for a stream although the card has none: the SDK sends the message by
// itself.
func (u *user) streamWithout() {
	n := 0
	for event, err := range u.SendStreamingMessage(u, &a2a.SendMessageRequest{Message: texts("echo good night")}) {
		must(err, "streaming to an agent without streams")
		task, ok := event.(*a2a.Task)
		if n++; !ok || n > 1 {
			fail("in place of a stream comes a %T as event %d", event, n)
		}
		check(task.Status.State, a2a.TaskStateCompleted, "the state of the task in place of a stream")
		did("no stream: %s, %q", task.Status.State, said(task.Status.Message))
	}
}
