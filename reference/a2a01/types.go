package a2a01

import (
	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// The structures of section 6 as this server sends them.

type Task struct {
	ID        string         `json:"id"`
	SessionID string         `json:"sessionId,omitempty"`
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
	Role     engine.Role    `json:"role"`
	Parts    []Part         `json:"parts"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

type Part struct {
	Type     string         `json:"type"`
	Text     *string        `json:"text,omitempty"`
	File     *File          `json:"file,omitempty"`
	Data     any            `json:"data,omitempty"`
	Content  map[string]any `json:"content,omitempty"` // of the kinds that only the core schema knows
	Metadata map[string]any `json:"metadata,omitempty"`
}

type File struct {
	Name     string `json:"name,omitempty"`
	MIMEType string `json:"mimeType,omitempty"`
	Bytes    string `json:"bytes,omitempty"`
	URI      string `json:"uri,omitempty"`
}

type Artifact struct {
	Name        string         `json:"name,omitempty"`
	Description string         `json:"description,omitempty"`
	Parts       []Part         `json:"parts"`
	Index       *int           `json:"index,omitempty"`
	Append      *bool          `json:"append,omitempty"`
	LastChunk   *bool          `json:"lastChunk,omitempty"`
	Metadata    map[string]any `json:"metadata,omitempty"`
}

// The two kinds of result in a stream, sections 7.2.2 and 7.2.3.

type statusEvent struct {
	ID       string         `json:"id"`
	Status   Status         `json:"status"`
	Final    bool           `json:"final"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

type ArtifactEvent struct {
	ID       string         `json:"id"`
	Artifact Artifact       `json:"artifact"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

// task writes a task with at most the given number of its latest messages.
func (a Server) task(t engine.Task, history int) Task {
	w := Task{ID: t.ID, SessionID: t.Session, Status: a.status(t.Status), Metadata: t.Metadata}
	for _, artifact := range t.Artifacts {
		w.Artifacts = append(w.Artifacts, a.artifact(artifact))
	}
	for _, m := range t.History[max(0, len(t.History)-history):] {
		w.History = append(w.History, *writeA2A01Message(&m))
	}
	return w
}

func (a Server) status(s engine.Status) Status {
	w := Status{State: s.State, Message: writeA2A01Message(s.Message)}
	if a.Variant.Rich {
		w.Timestamp = front.Timestamp(s.Time)
	}
	return w
}

func (a Server) artifact(e engine.Artifact) Artifact {
	w := Artifact{Name: e.Name, Description: e.Description, Parts: writeA2A01Parts(e.Parts), Metadata: e.Metadata}
	if a.Variant.Typed && e.Index > 0 {
		w.Parts = coreParts
	}
	if a.Variant.Rich || a.Variant.Indexed || e.Index != 0 {
		w.Index = &e.Index
	}
	if e.Chunked {
		w.Append, w.LastChunk = &e.Append, &e.Last
	}
	return w
}

func (a Server) event(e engine.Event) any {
	if e.Artifact != nil {
		return ArtifactEvent{ID: e.Task, Artifact: a.artifact(*e.Artifact), Metadata: a.EventMetadata()}
	}
	return statusEvent{ID: e.Task, Status: a.status(*e.Status), Final: e.Final, Metadata: a.EventMetadata()}
}

func writeA2A01Message(m *engine.Message) *Message {
	if m == nil {
		return nil
	}
	return &Message{Role: m.Role, Parts: writeA2A01Parts(m.Parts), Metadata: m.Metadata}
}

func writeA2A01Parts(parts []engine.Part) []Part {
	var w []Part
	for _, p := range parts {
		part := Part{Metadata: p.Metadata}
		switch {
		case p.Text != nil:
			part.Type, part.Text = "text", p.Text
		case p.File != nil:
			f := File{p.File.Name, p.File.MIME, p.File.Bytes, p.File.URI}
			part.Type, part.File = "file", &f
		default:
			part.Type, part.Data = "data", p.Data
		}
		w = append(w, part)
	}
	return w
}
