package main

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// How long the work takes that a prefix asks for.
const (
	longWork    = 1500 * time.Millisecond
	endlessWork = time.Hour
	stepWork    = 30 * time.Millisecond
)

// findPrefix returns the prefix of ACTS (section 11.2 of the draft, and tck-auth-required) by which a task began or
// begins; "" if it has none.
func findPrefix(req *a2asrv.ExecutorContext) string {
	text := textOf(req.Message)
	if req.StoredTask != nil && len(req.StoredTask.History) > 0 {
		text = textOf(req.StoredTask.History[0])
	}
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	if !strings.HasPrefix(word, "tck-") {
		return ""
	}
	return word
}

// followPrefix yields what the prefix of a task asks for, up to the end of this turn.
func followPrefix(ctx context.Context, req *a2asrv.ExecutorContext, prefix string) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		if prefix == "tck-message-response" {
			message := a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart("A message in place of a task."))
			message.ContextID = req.ContextID
			yield(message, nil)
			return
		}
		if req.StoredTask == nil {
			task := a2a.NewSubmittedTask(req, req.Message)
			now := time.Now()
			task.Status.Timestamp = &now
			if !yield(task, nil) {
				return
			}
		}
		if !yield(status(req, a2a.TaskStateWorking, ""), nil) {
			return
		}
		pieces, pause := artifactOfPrefix(req, prefix)
		if !simulateWork(ctx, pause) {
			yield(nil, ctx.Err())
			return
		}
		for _, piece := range pieces {
			if !yield(piece, nil) {
				return
			}
			if strings.HasPrefix(prefix, "tck-stream") && !simulateWork(ctx, stepWork) {
				yield(nil, ctx.Err())
				return
			}
		}
		state, words := endOfPrefix(req, prefix)
		yield(status(req, state, words), nil)
	}
}

// artifactOfPrefix returns the pieces of the artifact that a prefix asks for, and how long the work before it takes.
func artifactOfPrefix(req *a2asrv.ExecutorContext, prefix string) (pieces []*a2a.TaskArtifactUpdateEvent, pause time.Duration) {
	var parts []*a2a.Part
	switch prefix {
	case "tck-artifact-text":
		parts = []*a2a.Part{a2a.NewTextPart("Generated text content")}
	case "tck-artifact-file":
		file := a2a.NewRawPart([]byte("File content"))
		file.Filename, file.MediaType = "output.txt", "text/plain"
		parts = []*a2a.Part{file}
	case "tck-artifact-file-url":
		file := a2a.NewFileURLPart("https://files.example.com/output.txt", "text/plain")
		file.Filename = "output.txt"
		parts = []*a2a.Part{file}
	case "tck-artifact-data":
		parts = []*a2a.Part{a2a.NewDataPart(map[string]any{"key": "value", "count": 3})}
	case "tck-long-running":
		parts, pause = []*a2a.Part{a2a.NewTextPart("The result of long work.")}, longWork
	case "tck-cancel":
		pause = endlessWork
	case "tck-stream-basic":
		parts, pause = []*a2a.Part{a2a.NewTextPart("Streamed content")}, stepWork
	case "tck-stream-chunked":
		parts, pause = []*a2a.Part{a2a.NewTextPart("One"), a2a.NewTextPart(" two"), a2a.NewTextPart(" three.")}, stepWork
	}
	for i, part := range parts {
		piece := a2a.NewArtifactEvent(req, part)
		if i > 0 {
			piece = a2a.NewArtifactUpdateEvent(req, pieces[0].Artifact.ID, part)
		}
		piece.LastChunk = i == len(parts)-1
		pieces = append(pieces, piece)
	}
	return pieces, pause
}

// endOfPrefix returns the state and the words in which a turn ends.
func endOfPrefix(req *a2asrv.ExecutorContext, prefix string) (a2a.TaskState, string) {
	answered := req.StoredTask != nil
	switch {
	case prefix == "tck-input-required" && !answered, prefix == "tck-multi-turn" && textOf(req.Message) != "done":
		return a2a.TaskStateInputRequired, "What else is there to know?"
	case prefix == "tck-auth-required" && !answered:
		return a2a.TaskStateAuthRequired, "Credentials are needed."
	case prefix == "tck-reject-task":
		return a2a.TaskStateRejected, "The task is rejected, as it was asked for."
	case prefix == "tck-task-failure":
		return a2a.TaskStateFailed, "The task fails, as it was asked for."
	}
	return a2a.TaskStateCompleted, "The task is complete."
}

// simulateWork lets time pass, and reports whether the task was not canceled meanwhile.
func simulateWork(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
