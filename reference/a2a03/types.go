package a2a03

import (
	"strconv"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// The structures of section 6 as this server sends them.

type Task struct {
	Kind      string         `json:"kind"`
	ID        string         `json:"id"`
	ContextID string         `json:"contextId"`
	Status    Status         `json:"status"`
	Artifacts []Artifact     `json:"artifacts,omitempty"`
	History   []Message      `json:"history,omitempty"`
	Metadata  map[string]any `json:"metadata,omitempty"`
}

type Status struct {
	State     engine.State `json:"state"`
	Message   *Message     `json:"message,omitempty"`
	Timestamp string       `json:"timestamp,omitempty"`
}

type Message struct {
	Kind             string         `json:"kind"`
	MessageID        string         `json:"messageId"`
	Role             engine.Role    `json:"role"`
	Parts            []Part         `json:"parts"`
	ContextID        string         `json:"contextId,omitempty"`
	TaskID           string         `json:"taskId,omitempty"`
	ReferenceTaskIDs []string       `json:"referenceTaskIds,omitempty"`
	Extensions       []string       `json:"extensions,omitempty"`
	Metadata         map[string]any `json:"metadata,omitempty"`
}

type Part struct {
	Kind     string         `json:"kind"`
	Text     *string        `json:"text,omitempty"`
	File     *File          `json:"file,omitempty"`
	Data     map[string]any `json:"data,omitempty"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

type File struct {
	Name     string `json:"name,omitempty"`
	MIMEType string `json:"mimeType,omitempty"`
	Bytes    string `json:"bytes,omitempty"`
	URI      string `json:"uri,omitempty"`
}

type Artifact struct {
	ArtifactID  string         `json:"artifactId"`
	Name        string         `json:"name,omitempty"`
	Description string         `json:"description,omitempty"`
	Parts       []Part         `json:"parts"`
	Extensions  []string       `json:"extensions,omitempty"`
	Metadata    map[string]any `json:"metadata,omitempty"`
}

// The two kinds of update in a stream, sections 7.2.2 and 7.2.3.

type StatusEvent struct {
	Kind      string         `json:"kind"`
	TaskID    string         `json:"taskId"`
	ContextID string         `json:"contextId"`
	Status    Status         `json:"status"`
	Final     bool           `json:"final"`
	Metadata  map[string]any `json:"metadata,omitempty"`
}

type ArtifactEvent struct {
	Kind      string         `json:"kind"`
	TaskID    string         `json:"taskId"`
	ContextID string         `json:"contextId"`
	Artifact  Artifact       `json:"artifact"`
	Append    *bool          `json:"append,omitempty"`
	LastChunk *bool          `json:"lastChunk,omitempty"`
	Metadata  map[string]any `json:"metadata,omitempty"`
}

// Task writes a task with at most the given number of its latest messages. If
// the client names no number, a rich server shows them all, another one none.
func (a Server) Task(t engine.Task, history *int) *Task {
	w := &Task{Kind: "task", ID: t.ID, ContextID: t.Session, Status: a.status(t.Status, t.ID, t.Session), Metadata: t.Metadata}
	for _, artifact := range t.Artifacts {
		w.Artifacts = append(w.Artifacts, writeA2A03Artifact(artifact))
	}
	for _, m := range a.LatestHistoryOrVariantDefault(t, history) {
		w.History = append(w.History, *writeA2A03Message(&m, t.ID, t.Session))
	}
	return w
}

func (a Server) status(s engine.Status, task, context string) Status {
	w := Status{State: s.State, Message: writeA2A03Message(s.Message, task, context)}
	if a.Variant.Rich {
		w.Timestamp = front.Timestamp(s.Time)
	}
	return w
}

// Event writes a change of a task; that the work broke off is an error.
func (a Server) Event(e engine.Event) any {
	if e.Status != nil && e.Status.Broken {
		return &front.RPCError{Code: front.CodeInternal, Message: e.Status.Failure}
	}
	metadata := a.EventMetadata()
	if e.Artifact == nil {
		return &StatusEvent{"status-update", e.Task, e.Session, a.status(*e.Status, e.Task, e.Session), e.Final, metadata}
	}
	w := &ArtifactEvent{Kind: "artifact-update", TaskID: e.Task, ContextID: e.Session, Artifact: writeA2A03Artifact(*e.Artifact), Metadata: metadata}
	if e.Artifact.Chunked {
		w.Append, w.LastChunk = &e.Artifact.Append, &e.Artifact.Last
	}
	return w
}

func writeA2A03Artifact(e engine.Artifact) Artifact {
	return Artifact{
		ArtifactID:  "artifact-" + strconv.Itoa(e.Index),
		Name:        e.Name,
		Description: e.Description,
		Parts:       writeA2A03Parts(e.Parts),
		Extensions:  e.Extensions,
		Metadata:    e.Metadata,
	}
}

// writeA2A03Message writes a message of a task, or of a context alone.
func writeA2A03Message(m *engine.Message, task, context string) *Message {
	if m == nil {
		return nil
	}
	return &Message{
		Kind:             "message",
		MessageID:        m.ID,
		Role:             m.Role,
		Parts:            writeA2A03Parts(m.Parts),
		ContextID:        context,
		TaskID:           task,
		ReferenceTaskIDs: m.References,
		Extensions:       m.Extensions,
		Metadata:         m.Metadata,
	}
}

// writeA2A03Parts writes parts. The data of the protocol are objects: a list
// is put into one.
func writeA2A03Parts(parts []engine.Part) []Part {
	var w []Part
	for _, p := range parts {
		part := Part{Metadata: p.Metadata}
		switch {
		case p.Text != nil:
			part.Kind, part.Text = "text", p.Text
		case p.File != nil:
			f := File{p.File.Name, p.File.MIME, p.File.Bytes, p.File.URI}
			part.Kind, part.File = "file", &f
		default:
			part.Kind = "data"
			var is bool
			if part.Data, is = p.Data.(map[string]any); !is {
				part.Data = map[string]any{"list": p.Data}
			}
		}
		w = append(w, part)
	}
	return w
}
