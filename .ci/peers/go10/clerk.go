package main

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// slowly is how long the agent counts.
const slowly = 800 * time.Millisecond

// clerk is the agent.
type clerk struct{}

// Execute does what the message asks for and yields what comes of it.
func (clerk) Execute(ctx context.Context, req *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		text := textOf(req.Message)
		if strings.HasPrefix(text, "hello") {
			message := a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart("Good day."))
			message.ContextID = req.ContextID
			yield(message, nil)
			return
		}
		events := work(ctx, req, text)
		if prefix := findPrefix(req); prefix != "" {
			events = followPrefix(ctx, req, prefix)
		}
		for event, err := range events {
			if !yield(event, err) {
				return
			}
		}
	}
}

// Cancel sends the event that the task is canceled; the SDK ends its execution.
func (clerk) Cancel(_ context.Context, req *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(req, a2a.TaskStateCanceled, nil), nil)
	}
}

// work yields the events of a task, up to the end of this turn.
func work(ctx context.Context, req *a2asrv.ExecutorContext, text string) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		if req.StoredTask == nil {
			task := a2a.NewSubmittedTask(req, req.Message)
			now := time.Now()
			task.Status.Timestamp = &now
			if !yield(task, nil) {
				return
			}
		}
		if strings.HasPrefix(text, "book a table") && req.StoredTask == nil {
			yield(status(req, a2a.TaskStateInputRequired, "For how many people?"), nil)
			return
		}
		if !yield(status(req, a2a.TaskStateWorking, ""), nil) {
			return
		}
		if strings.HasPrefix(text, "count slowly") {
			select {
			case <-time.After(slowly):
			case <-ctx.Done():
				yield(nil, ctx.Err())
				return
			}
		}
		if strings.HasPrefix(text, "divide by zero") {
			yield(status(req, a2a.TaskStateFailed, "Nothing can be divided by zero."), nil)
			return
		}
		for _, piece := range answer(req, text) {
			if !yield(piece, nil) {
				return
			}
		}
		yield(status(req, a2a.TaskStateCompleted, ""), nil)
	}
}

// answer is an artifact; a report comes in three pieces, and the stock is data.
func answer(req *a2asrv.ExecutorContext, text string) []*a2a.TaskArtifactUpdateEvent {
	parts := []*a2a.Part{a2a.NewTextPart("You said: " + text)}
	switch {
	case strings.HasPrefix(text, "write a report"):
		parts = []*a2a.Part{a2a.NewTextPart("Sales rose"), a2a.NewTextPart(" in spring"), a2a.NewTextPart(" and fell in autumn.")}
	case strings.HasPrefix(text, "list the stock"):
		parts = []*a2a.Part{a2a.NewDataPart(map[string]any{"pens": 12, "paper": []any{"A4", "A5"}})}
	}
	pieces := []*a2a.TaskArtifactUpdateEvent{a2a.NewArtifactEvent(req, parts[0])}
	for _, part := range parts[1:] {
		pieces = append(pieces, a2a.NewArtifactUpdateEvent(req, pieces[0].Artifact.ID, part))
	}
	pieces[len(pieces)-1].LastChunk = true
	return pieces
}

// status returns an event, with a message if there is a text for it.
func status(req *a2asrv.ExecutorContext, state a2a.TaskState, words string) *a2a.TaskStatusUpdateEvent {
	var message *a2a.Message
	if words != "" {
		message = a2a.NewMessageForTask(a2a.MessageRoleAgent, req, a2a.NewTextPart(words))
	}
	return a2a.NewStatusUpdateEvent(req, state, message)
}

// textOf joins the texts of a message.
func textOf(m *a2a.Message) string {
	var b strings.Builder
	for _, part := range m.Parts {
		b.WriteString(part.Text())
	}
	return b.String()
}
