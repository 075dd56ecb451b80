package main

import (
	"context"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"
)

// slowly is how long the agent counts.
const slowly = 400 * time.Millisecond

// clerk is the agent.
type clerk struct{}

// Execute does what the message asks for and writes what comes of it.
func (clerk) Execute(ctx context.Context, req *a2asrv.RequestContext, q eventqueue.Queue) error {
	text := textOf(req.Message)
	if strings.HasPrefix(text, "hello") {
		message := a2a.NewMessage(a2a.MessageRoleAgent, a2a.TextPart{Text: "Good day."})
		message.ContextID = req.ContextID
		return q.Write(ctx, message)
	}
	if req.StoredTask == nil {
		if err := q.Write(ctx, a2a.NewSubmittedTask(req, req.Message)); err != nil {
			return err
		}
	}
	if strings.HasPrefix(text, "book a table") && req.StoredTask == nil {
		return end(ctx, req, q, a2a.TaskStateInputRequired, "For how many people?")
	}
	if err := q.Write(ctx, a2a.NewStatusUpdateEvent(req, a2a.TaskStateWorking, nil)); err != nil {
		return err
	}
	if strings.HasPrefix(text, "count slowly") {
		select {
		case <-time.After(slowly):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if strings.HasPrefix(text, "divide by zero") {
		return end(ctx, req, q, a2a.TaskStateFailed, "Nothing can be divided by zero.")
	}
	if err := answer(ctx, req, q, text); err != nil {
		return err
	}
	return end(ctx, req, q, a2a.TaskStateCompleted, "")
}

// Cancel sends the event that the task is canceled; the SDK ends its execution.
func (clerk) Cancel(ctx context.Context, req *a2asrv.RequestContext, q eventqueue.Queue) error {
	return end(ctx, req, q, a2a.TaskStateCanceled, "")
}

// answer writes an artifact; a report comes in three pieces.
func answer(ctx context.Context, req *a2asrv.RequestContext, q eventqueue.Queue, text string) error {
	pieces := []string{"You said: " + text}
	if strings.HasPrefix(text, "write a report") {
		pieces = []string{"Sales rose", " in spring", " and fell in autumn."}
	}
	var id a2a.ArtifactID
	for i, piece := range pieces {
		var event *a2a.TaskArtifactUpdateEvent
		if part := (a2a.TextPart{Text: piece}); i == 0 {
			event = a2a.NewArtifactEvent(req, part)
			id = event.Artifact.ID
		} else {
			event = a2a.NewArtifactUpdateEvent(req, id, part)
		}
		event.LastChunk = i == len(pieces)-1
		if err := q.Write(ctx, event); err != nil {
			return err
		}
	}
	return nil
}

// end writes the last status of this turn, with a message if there is a text for it.
func end(ctx context.Context, req *a2asrv.RequestContext, q eventqueue.Queue, state a2a.TaskState, words string) error {
	var message *a2a.Message
	if words != "" {
		message = a2a.NewMessageForTask(a2a.MessageRoleAgent, req, a2a.TextPart{Text: words})
	}
	event := a2a.NewStatusUpdateEvent(req, state, message)
	event.Final = true
	return q.Write(ctx, event)
}

// textOf joins the texts of a message.
func textOf(m *a2a.Message) string {
	var b strings.Builder
	for _, part := range m.Parts {
		switch p := part.(type) {
		case a2a.TextPart:
			b.WriteString(p.Text)
		case *a2a.TextPart:
			b.WriteString(p.Text)
		}
	}
	return b.String()
}
