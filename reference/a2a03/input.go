package a2a03

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// Send is the content of MessageSendParams, section 7.1.1.
type Send struct {
	request  engine.Request
	history  *int  // nil: as the server likes
	blocking *bool // nil: as the server likes
	talk     bool  // small talk, which gets a message instead of a task
}

func (a Server) readSend(c *front.Call) (Send, *front.RPCError) {
	var r front.Reader
	var s Send
	p := r.Params(c)
	p.Metadata()
	if m, ok := p.Object("message", true); ok {
		s.request.Message = a.readMessage(m)
		a.Place(m, &s.request)
	}
	if m, ok := p.Object("configuration", false); ok {
		a.configure(m, &s)
	}
	active := a.ActivatedExtensions(c.HTTP, front.ExtensionsHeader)
	if a.Variant.Extended && !slices.Contains(active, front.Trace) {
		r.Refuse(front.CodeInvalidRequest, "The extension %s must be activated.", front.Trace)
	}
	// What a message names as its extensions holds if it is active.
	s.request.Message.Extensions = slices.DeleteFunc(s.request.Message.Extensions, func(uri string) bool { return !slices.Contains(active, uri) })
	s.talk = front.IsHelloWithoutTask(s.request)
	return s, r.Err
}

// Place finds the task and the context a message belongs to. A message without
// either begins a context; one to a task stays in the task's.
func (a Server) Place(m front.Members, to *engine.Request) {
	task, context := m.Optional("taskId"), m.Optional("contextId")
	if context != nil {
		to.Session = *context
	}
	if task != nil && m.R.Err == nil {
		t, err := a.Engine.Task(*task)
		switch {
		case err != nil:
			m.R.Refuse(TaskNotFound, "Task not found")
		case context != nil && *context != t.Session:
			m.R.Fault("%s is not the context of the task.", m.Path("contextId"))
		}
		to.Task, to.Session = *task, t.Session
	}
	if to.Session == "" {
		to.Session = a.NewID()
	}
}

// configure reads a MessageSendConfiguration.
func (a Server) configure(m front.Members, s *Send) {
	s.history, s.blocking = m.Limit("historyLength"), m.Flag("blocking")
	s.request.Modes = m.Texts("acceptedOutputModes")
	if len(s.request.Modes) > 0 && !slices.ContainsFunc(s.request.Modes, a.Offers) {
		m.R.Refuse(contentType, "%s holds no type that the agent can answer with.", m.Path("acceptedOutputModes"))
	}
	if push, ok := m.Object("pushNotificationConfig", false); ok {
		if !a.Variant.Push {
			m.R.Refuse(pushNotSupported, "Push Notification is not supported")
		}
		s.request.Push = front.ReadPush(push, true)
	}
}

// readMessage reads a Message, section 6.4. The examples of chapter 9 leave its
// kind out, and so may clients of a rich server.
func (a Server) readMessage(m front.Members) engine.Message {
	if m.Has("kind") || !a.Variant.Rich {
		if kind := m.Required("kind"); kind != "message" {
			m.R.Fault("%s must be message.", m.Path("kind"))
		}
	}
	role := m.Required("role")
	if role != "user" && role != "agent" {
		m.R.Fault("%s must be user or agent.", m.Path("role"))
	}
	w := engine.Message{
		ID:         m.Required("messageId"),
		Role:       engine.Role(role),
		Metadata:   m.Metadata(),
		References: m.Texts("referenceTaskIds"),
		Extensions: m.Texts("extensions"),
	}
	for part := range m.Objects("parts") {
		w.Parts = append(w.Parts, a.readPart(part))
	}
	return w
}

// readPart reads a Part, section 6.5.
func (a Server) readPart(m front.Members) engine.Part {
	p := engine.Part{Metadata: m.Metadata()}
	switch m.Required("kind") {
	case "text":
		text := m.Required("text")
		p.Text = &text
	case "file":
		if file, ok := m.Object("file", true); ok {
			p.File = a.readFile(file)
		}
	case "data":
		data, _ := m.Object("data", true)
		p.Data = data.M
		a.Accept(m, "application/json", contentType)
	default:
		m.R.Fault("%s must be text, file or data.", m.Path("kind"))
	}
	return p
}

// readFile reads a FileWithBytes or a FileWithUri, section 6.6.
func (a Server) readFile(m front.Members) *engine.File {
	f := m.File()
	if m.Has("bytes") == m.Has("uri") {
		m.R.Fault("%s must have either bytes or uri.", m.At)
	}
	if f.MIME != "" {
		a.Accept(m, f.MIME, contentType)
	}
	return &f
}
