package a2a01

import (
	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// The structures of section 6 as this server sends them.

type a2a01Task struct {
	ID        string          `json:"id"`
	SessionID string          `json:"sessionId,omitempty"`
	Status    a2a01Status     `json:"status"`
	Artifacts []a2a01Artifact `json:"artifacts,omitempty"`
	History   []a2a01Message  `json:"history,omitempty"`
	Metadata  map[string]any  `json:"metadata,omitempty"`
}

type a2a01Status struct {
	State     engine.State  `json:"state"`
	Message   *a2a01Message `json:"message,omitempty"`
	Timestamp string        `json:"timestamp,omitempty"`
}

type a2a01Message struct {
	Role     engine.Role    `json:"role"`
	Parts    []a2a01Part    `json:"parts"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

type a2a01Part struct {
	Type     string         `json:"type"`
	Text     *string        `json:"text,omitempty"`
	File     *a2a01File     `json:"file,omitempty"`
	Data     any            `json:"data,omitempty"`
	Content  map[string]any `json:"content,omitempty"` // of the kinds that only the core schema knows
	Metadata map[string]any `json:"metadata,omitempty"`
}

type a2a01File struct {
	Name     string `json:"name,omitempty"`
	MIMEType string `json:"mimeType,omitempty"`
	Bytes    string `json:"bytes,omitempty"`
	URI      string `json:"uri,omitempty"`
}

type a2a01Artifact struct {
	Name        string         `json:"name,omitempty"`
	Description string         `json:"description,omitempty"`
	Parts       []a2a01Part    `json:"parts"`
	Index       *int           `json:"index,omitempty"`
	Append      *bool          `json:"append,omitempty"`
	LastChunk   *bool          `json:"lastChunk,omitempty"`
	Metadata    map[string]any `json:"metadata,omitempty"`
}

// The two kinds of result in a stream, sections 7.2.2 and 7.2.3.

type statusEvent struct {
	ID       string         `json:"id"`
	Status   a2a01Status    `json:"status"`
	Final    bool           `json:"final"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

type a2a01ArtifactEvent struct {
	ID       string         `json:"id"`
	Artifact a2a01Artifact  `json:"artifact"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

// task writes a task with at most the given number of its latest messages.
func (a a2a01Server) task(t engine.Task, history int) a2a01Task {
	w := a2a01Task{ID: t.ID, SessionID: t.Session, Status: a.status(t.Status), Metadata: t.Metadata}
	for _, artifact := range t.Artifacts {
		w.Artifacts = append(w.Artifacts, a.artifact(artifact))
	}
	for _, m := range t.History[max(0, len(t.History)-history):] {
		w.History = append(w.History, *writeA2A01Message(&m))
	}
	return w
}

func (a a2a01Server) status(s engine.Status) a2a01Status {
	w := a2a01Status{State: s.State, Message: writeA2A01Message(s.Message)}
	if a.Variant.Rich {
		w.Timestamp = front.Timestamp(s.Time)
	}
	return w
}

func (a a2a01Server) artifact(e engine.Artifact) a2a01Artifact {
	w := a2a01Artifact{Name: e.Name, Description: e.Description, Parts: writeA2A01Parts(e.Parts), Metadata: e.Metadata}
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

func (a a2a01Server) event(e engine.Event) any {
	var metadata map[string]any
	if a.Variant.Rich {
		metadata = map[string]any{"source": "reference"}
	}
	if e.Artifact != nil {
		return a2a01ArtifactEvent{ID: e.Task, Artifact: a.artifact(*e.Artifact), Metadata: metadata}
	}
	return statusEvent{ID: e.Task, Status: a.status(*e.Status), Final: e.Final, Metadata: metadata}
}

func writeA2A01Message(m *engine.Message) *a2a01Message {
	if m == nil {
		return nil
	}
	return &a2a01Message{Role: m.Role, Parts: writeA2A01Parts(m.Parts), Metadata: m.Metadata}
}

func writeA2A01Parts(parts []engine.Part) []a2a01Part {
	var w []a2a01Part
	for _, p := range parts {
		part := a2a01Part{Metadata: p.Metadata}
		switch {
		case p.Text != nil:
			part.Type, part.Text = "text", p.Text
		case p.File != nil:
			f := a2a01File{p.File.Name, p.File.MIME, p.File.Bytes, p.File.URI}
			part.Type, part.File = "file", &f
		default:
			part.Type, part.Data = "data", p.Data
		}
		w = append(w, part)
	}
	return w
}
