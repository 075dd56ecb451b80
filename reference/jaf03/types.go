package jaf03

import (
	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// The structures of the section "Core Message Types" as this server sends them.

type Message struct {
	Role      engine.Role    `json:"role"`
	Parts     []Part         `json:"parts"`
	MessageID string         `json:"messageId"`
	ContextID string         `json:"contextId"`
	Kind      string         `json:"kind"`
	Timestamp string         `json:"timestamp,omitempty"`
	Metadata  map[string]any `json:"metadata,omitempty"`
}

type Part struct {
	Kind     string         `json:"kind"`
	Text     *string        `json:"text,omitempty"`
	Data     any            `json:"data,omitempty"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

type Task struct {
	ID        string `json:"id"`
	ContextID string `json:"contextId"`
	Kind      string `json:"kind"`
	Status    Status `json:"status"`
}

type Status struct {
	State     string          `json:"state"`
	Message   *Message        `json:"message,omitempty"`
	Timestamp string          `json:"timestamp"`
	Error     *front.RPCError `json:"error,omitempty"`
}

// update is a result of message/send and message/stream, of every kind.
type update struct {
	Kind      string   `json:"kind"`
	TaskID    string   `json:"taskId"`
	ContextID string   `json:"contextId,omitempty"`
	Status    *Status  `json:"status,omitempty"`
	Message   *Message `json:"message,omitempty"`
	Final     bool     `json:"final"`
}

type Cancel struct {
	ID        string `json:"id"`
	Cancelled bool   `json:"cancelled"`
	Timestamp string `json:"timestamp"`
}

func (j Server) task(t engine.Task) Task {
	return Task{ID: t.ID, ContextID: t.Session, Kind: "task", Status: j.status(t.Status, t.Session)}
}

func (j Server) status(s engine.Status, context string) Status {
	w := Status{State: state(s.State), Timestamp: front.Timestamp(s.Time)}
	if s.Message != nil {
		w.Message = j.message(*s.Message, context)
	}
	if s.State == engine.Failed {
		w.Error = &front.RPCError{Code: front.CodeInternal, Message: s.Failure}
		if j.Variant.Rich {
			w.Error.Data = map[string]any{"errorType": "AgentFailed", "timestamp": w.Timestamp}
		}
	}
	return w
}

// state spells a state in the way of the dialect, which has no state for
// a task that waits for input.
func state(s engine.State) string {
	if s == engine.Canceled {
		return "cancelled"
	}
	return string(s)
}

func (j Server) message(m engine.Message, context string) *Message {
	w := &Message{
		Role:      m.Role,
		Parts:     writeJAF03Parts(m.Parts),
		MessageID: m.ID,
		ContextID: context,
		Kind:      "message",
		Metadata:  m.Metadata,
	}
	if j.Variant.Rich {
		w.Timestamp = front.Timestamp(m.Time)
	}
	return w
}

func writeJAF03Parts(parts []engine.Part) []Part {
	var w []Part
	for _, p := range parts {
		if p.Text != nil {
			w = append(w, Part{Kind: "text", Text: p.Text, Metadata: p.Metadata})
		} else if p.Data != nil {
			w = append(w, Part{Kind: "data", Data: p.Data, Metadata: p.Metadata})
		}
	}
	return w
}

// completion is the result of a task that succeeded.
func (j Server) completion(t engine.Task) update {
	return update{
		Kind:      "completion",
		TaskID:    t.ID,
		ContextID: t.Session,
		Message:   j.message(*t.Status.Message, t.Session),
		Final:     true,
	}
}

// event returns the kind and the content of a streamed result. Artifacts are
// no part of the dialect: only the pieces of a chunked one are shown, as the
// growing answer. The kind is empty for what is not shown.
func (j Server) event(e engine.Event) (kind string, result any) {
	switch {
	case e.Artifact != nil && !e.Artifact.Chunked:
		return "", nil
	case e.Artifact != nil:
		m := engine.Message{ID: e.Reply, Role: engine.Agent, Parts: e.Artifact.Parts, Time: e.Time}
		return "partial-completion", update{Kind: "partial-completion", TaskID: e.Task, Message: j.message(m, e.Session)}
	case e.Status.State == engine.Completed:
		return "completion", j.completion(engine.Task{ID: e.Task, Session: e.Session, Status: *e.Status})
	default:
		s := j.status(*e.Status, e.Session)
		return "status-update", update{Kind: "status-update", TaskID: e.Task, Status: &s, Final: e.Final}
	}
}
