package a2a01

import (
	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// Send is the content of TaskSendParams, section 7.1.1.
type Send struct {
	request engine.Request
	history int
}

func (a Server) readSend(c *front.Call) (Send, *front.RPCError) {
	var r front.Reader
	p := r.Params(c)
	s := Send{history: p.Count("historyLength")}
	s.request.Task = p.Required("id")
	if session := p.Optional("sessionId"); session != nil {
		s.request.Session = *session
	}
	p.Metadata()
	if m, ok := p.Object("message", true); ok {
		s.request.Message = a.readMessage(m)
	}
	if push, ok := p.Object("pushNotification", false); ok {
		if !a.Variant.Push {
			r.Refuse(pushNotSupported, "Push Notification is not supported")
		}
		s.request.Push = front.ReadPush(push, false)
	}
	return s, r.Err
}

// readMessage reads a Message, section 6.4.
func (a Server) readMessage(m front.Members) engine.Message {
	role := m.Required("role")
	if role != "user" && role != "agent" {
		m.R.Fault("%s must be user or agent.", m.Path("role"))
	}
	w := engine.Message{Role: engine.Role(role), Metadata: m.Metadata()}
	for part := range m.Objects("parts") {
		w.Parts = append(w.Parts, a.readPart(part))
	}
	return w
}

// readPart reads a Part, section 6.5.
func (a Server) readPart(m front.Members) engine.Part {
	p := engine.Part{Metadata: m.Metadata()}
	switch kind := m.Required("type"); kind {
	case "text":
		text := m.Required("text")
		p.Text = &text
	case "file":
		if file, ok := m.Object("file", true); ok {
			p.File = a.readFile(file)
		}
	case "data":
		switch m.M["data"].(type) {
		case map[string]any, []any:
			p.Data = m.M["data"]
			a.Accept(m, "application/json", ContentType)
		default:
			m.R.Fault("%s must be an object or an array.", m.Path("data"))
		}
	default:
		m.R.Fault("%s must be text, file or data.", m.Path("type"))
	}
	return p
}

// readFile reads a FileContent, section 6.6. Without bytes and uri it is a bare
// reference to a file.
func (a Server) readFile(m front.Members) *engine.File {
	f := m.File()
	if m.Has("bytes") && m.Has("uri") {
		m.R.Fault("%s must not have both bytes and uri.", m.At)
	}
	if f.MIME != "" {
		a.Accept(m, f.MIME, ContentType)
	}
	return &f
}

// readA2A01Query reads TaskQueryParams, section 7.3.1.
func readA2A01Query(c *front.Call) (id string, history int, refused *front.RPCError) {
	var r front.Reader
	p := r.Params(c)
	id, history = p.Required("id"), p.Count("historyLength")
	p.Metadata()
	return id, history, r.Err
}
