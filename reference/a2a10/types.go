package a2a10

import (
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// The structures of section 4.1 as this server sends them.

type Task struct {
	ID        string         `json:"id"`
	ContextID string         `json:"contextId,omitempty"`
	Status    Status         `json:"status"`
	Artifacts []Artifact     `json:"artifacts,omitzero"`
	History   []Message      `json:"history,omitempty"`
	Metadata  map[string]any `json:"metadata,omitempty"`
}

type Status struct {
	State     string   `json:"state"`
	Message   *Message `json:"message,omitempty"`
	Timestamp string   `json:"timestamp,omitempty"`
}

type Message struct {
	MessageID        string         `json:"messageId"`
	ContextID        string         `json:"contextId,omitempty"`
	TaskID           string         `json:"taskId,omitempty"`
	Role             string         `json:"role"`
	Parts            []Part         `json:"parts"`
	Metadata         map[string]any `json:"metadata,omitempty"`
	Extensions       []string       `json:"extensions,omitempty"`
	ReferenceTaskIDs []string       `json:"referenceTaskIds,omitempty"`
}

// Part has exactly one of Text, Raw, URL and Data.
type Part struct {
	Text      *string        `json:"text,omitempty"`
	Raw       *string        `json:"raw,omitempty"`
	URL       *string        `json:"url,omitempty"`
	Data      any            `json:"data,omitzero"`
	Metadata  map[string]any `json:"metadata,omitempty"`
	Filename  string         `json:"filename,omitempty"`
	MediaType string         `json:"mediaType,omitempty"`
}

type Artifact struct {
	ArtifactID  string         `json:"artifactId"`
	Name        string         `json:"name,omitempty"`
	Description string         `json:"description,omitempty"`
	Parts       []Part         `json:"parts"`
	Metadata    map[string]any `json:"metadata,omitempty"`
	Extensions  []string       `json:"extensions,omitempty"`
}

// Payload is what SendMessage returns and what a stream and a push notification
// carry: exactly one of its members (sections 3.1.1 and 3.2.3).
type Payload struct {
	Task           *Task          `json:"task,omitempty"`
	Message        *Message       `json:"message,omitempty"`
	StatusUpdate   *StatusEvent   `json:"statusUpdate,omitempty"`
	ArtifactUpdate *ArtifactEvent `json:"artifactUpdate,omitempty"`
}

// The two kinds of update, section 4.2.

type StatusEvent struct {
	TaskID    string         `json:"taskId"`
	ContextID string         `json:"contextId"`
	Status    Status         `json:"status"`
	Metadata  map[string]any `json:"metadata,omitempty"`
}

type ArtifactEvent struct {
	TaskID    string         `json:"taskId"`
	ContextID string         `json:"contextId"`
	Artifact  Artifact       `json:"artifact"`
	Append    bool           `json:"append,omitempty"`
	LastChunk bool           `json:"lastChunk,omitempty"`
	Metadata  map[string]any `json:"metadata,omitempty"`
}

// stateName is the name of a state in JSON (section 4.1.3).
func stateName(s engine.State) string {
	return "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(string(s), "-", "_"))
}

// states are all states of a task by their names.
var states = func() map[string]engine.State {
	m := make(map[string]engine.State)
	for _, s := range []engine.State{engine.Submitted, engine.Working, engine.Completed, engine.Failed, engine.Canceled,
		engine.InputRequired, engine.Rejected, engine.AuthRequired} {
		m[stateName(s)] = s
	}
	return m
}()

// roles are the two sides of a conversation by their names (section 4.1.5).
var roles = map[string]engine.Role{"ROLE_USER": engine.User, "ROLE_AGENT": engine.Agent}

// Task writes a task with at most the given number of its latest messages. If the
// client names no number, a rich server shows them all, another one none.
func (a Server) Task(t engine.Task, history *int) *Task {
	w := &Task{ID: t.ID, ContextID: t.Session, Status: a.status(t.Status, t.ID, t.Session), Metadata: t.Metadata}
	for _, artifact := range t.Artifacts {
		w.Artifacts = append(w.Artifacts, writeArtifact(artifact))
	}
	for _, m := range a.LatestHistoryOrVariantDefault(t, history) {
		w.History = append(w.History, *writeMessage(&m, t.ID, t.Session))
	}
	return w
}

func (a Server) status(s engine.Status, task, context string) Status {
	w := Status{State: stateName(s.State), Message: writeMessage(s.Message, task, context)}
	if a.Variant.Rich {
		w.Timestamp = front.Timestamp(s.Time)
	}
	return w
}

// event writes a change of a task.
func (a Server) event(e engine.Event) any {
	metadata := a.EventMetadata()
	if e.Artifact == nil {
		return &Payload{StatusUpdate: &StatusEvent{e.Task, e.Session, a.status(*e.Status, e.Task, e.Session), metadata}}
	}
	w := &ArtifactEvent{TaskID: e.Task, ContextID: e.Session, Artifact: writeArtifact(*e.Artifact), Metadata: metadata}
	if e.Artifact.Chunked {
		w.Append, w.LastChunk = e.Artifact.Append, e.Artifact.Last
	}
	return &Payload{ArtifactUpdate: w}
}

func writeArtifact(e engine.Artifact) Artifact {
	return Artifact{
		ArtifactID:  "artifact-" + strconv.Itoa(e.Index),
		Name:        e.Name,
		Description: e.Description,
		Parts:       writeParts(e.Parts),
		Extensions:  e.Extensions,
		Metadata:    e.Metadata,
	}
}

// writeMessage writes a message of a task, or of a context alone.
func writeMessage(m *engine.Message, task, context string) *Message {
	if m == nil {
		return nil
	}
	return &Message{
		MessageID:        m.ID,
		ContextID:        context,
		TaskID:           task,
		Role:             "ROLE_" + strings.ToUpper(string(m.Role)),
		Parts:            writeParts(m.Parts),
		Metadata:         m.Metadata,
		Extensions:       m.Extensions,
		ReferenceTaskIDs: m.References,
	}
}

func writeParts(parts []engine.Part) []Part {
	var w []Part
	for _, p := range parts {
		part := Part{Metadata: p.Metadata, Filename: p.Name, MediaType: p.MIME}
		switch {
		case p.Text != nil:
			part.Text = p.Text
		case p.File != nil:
			part.Filename, part.MediaType = p.File.Name, p.File.MIME
			if part.Raw = &p.File.Bytes; p.File.URI != "" {
				part.Raw, part.URL = nil, &p.File.URI
			}
		default:
			part.Data = p.Data
		}
		w = append(w, part)
	}
	return w
}
