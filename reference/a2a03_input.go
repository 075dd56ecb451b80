package reference

import (
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// a2a03Send is the content of MessageSendParams, section 7.1.1.
type a2a03Send struct {
	request  engine.Request
	history  *int  // nil: as the server likes
	blocking *bool // nil: as the server likes
	talk     bool  // small talk, which gets a message instead of a task
}

func (a a2a03Server) readSend(c *call) (a2a03Send, *rpcError) {
	var r reader
	var s a2a03Send
	p := r.params(c)
	p.metadata()
	if m, ok := p.object("message", true); ok {
		s.request.Message = a.readMessage(m)
		a.place(m, &s.request)
	}
	if m, ok := p.object("configuration", false); ok {
		a.configure(m, &s)
	}
	active := a.activated(c.http)
	if a.variant.extended && !slices.Contains(active, a2a03Trace) {
		r.refuse(codeInvalidRequest, "The extension %s must be activated.", a2a03Trace)
	}
	// What a message names as its extensions holds if it is active.
	s.request.Message.Extensions = slices.DeleteFunc(s.request.Message.Extensions, func(uri string) bool { return !slices.Contains(active, uri) })
	s.talk = s.request.Task == "" && len(s.request.Message.Parts) > 0 && s.request.Message.Parts[0].Text != nil &&
		strings.TrimSpace(*s.request.Message.Parts[0].Text) == "hello"
	return s, r.err
}

// place finds the task and the context a message belongs to. A message without
// either begins a context; one to a task stays in the task's.
func (a a2a03Server) place(m members, to *engine.Request) {
	task, context := m.optional("taskId"), m.optional("contextId")
	if context != nil {
		to.Session = *context
	}
	if task != nil && m.r.err == nil {
		t, err := a.engine.Task(*task)
		switch {
		case err != nil:
			m.r.refuse(a2a03TaskNotFound, "Task not found")
		case context != nil && *context != t.Session:
			m.r.fault("%s is not the context of the task.", m.path("contextId"))
		}
		to.Task, to.Session = *task, t.Session
	}
	if to.Session == "" {
		to.Session = a.newID()
	}
}

// configure reads a MessageSendConfiguration.
func (a a2a03Server) configure(m members, s *a2a03Send) {
	s.history, s.blocking = readA2A03History(m), m.flag("blocking")
	s.request.Modes = m.texts("acceptedOutputModes")
	if len(s.request.Modes) > 0 && !slices.ContainsFunc(s.request.Modes, a.offers) {
		m.r.refuse(a2a03ContentType, "%s holds no type that the agent can answer with.", m.path("acceptedOutputModes"))
	}
	if push, ok := m.object("pushNotificationConfig", false); ok {
		if !a.variant.push {
			m.r.refuse(a2a03PushNotSupported, "Push Notification is not supported")
		}
		s.request.Push = readA2A03Push(push)
	}
}

// offers reports whether the agent answers in a mode that a client accepts.
func (a a2a03Server) offers(mode string) bool {
	return slices.ContainsFunc(a.outputModes(), func(own string) bool { return engine.Accepts(mode, own) })
}

// readA2A03History reads a historyLength; nil if there is none.
func readA2A03History(m members) *int {
	if !m.has("historyLength") {
		return nil
	}
	n := m.count("historyLength")
	return &n
}

// readMessage reads a Message, section 6.4. The examples of chapter 9 leave its
// kind out, and so may clients of a rich server.
func (a a2a03Server) readMessage(m members) engine.Message {
	if m.has("kind") || !a.variant.rich {
		if kind := m.required("kind"); kind != "message" {
			m.r.fault("%s must be message.", m.path("kind"))
		}
	}
	role := m.required("role")
	if role != "user" && role != "agent" {
		m.r.fault("%s must be user or agent.", m.path("role"))
	}
	w := engine.Message{
		ID:         m.required("messageId"),
		Role:       engine.Role(role),
		Metadata:   m.metadata(),
		References: m.texts("referenceTaskIds"),
		Extensions: m.texts("extensions"),
	}
	parts := m.array("parts")
	if len(parts) == 0 {
		m.r.fault("%s must have at least one element.", m.path("parts"))
	}
	for i, v := range parts {
		at := m.path("parts[" + strconv.Itoa(i) + "]")
		part, ok := v.(map[string]any)
		if !ok {
			m.r.fault("%s must be an object.", at)
		}
		w.Parts = append(w.Parts, a.readPart(members{m.r, at, part}))
	}
	return w
}

// readPart reads a Part, section 6.5.
func (a a2a03Server) readPart(m members) engine.Part {
	p := engine.Part{Metadata: m.metadata()}
	switch m.required("kind") {
	case "text":
		text := m.required("text")
		p.Text = &text
	case "file":
		if file, ok := m.object("file", true); ok {
			p.File = a.readFile(file)
		}
	case "data":
		data, _ := m.object("data", true)
		p.Data = data.m
		a.accept(m, "application/json")
	default:
		m.r.fault("%s must be text, file or data.", m.path("kind"))
	}
	return p
}

// readFile reads a FileWithBytes or a FileWithUri, section 6.6.
func (a a2a03Server) readFile(m members) *engine.File {
	var f engine.File
	for name, to := range map[string]*string{"name": &f.Name, "mimeType": &f.MIME, "bytes": &f.Bytes, "uri": &f.URI} {
		if s := m.optional(name); s != nil {
			*to = *s
		}
	}
	if m.has("bytes") == m.has("uri") {
		m.r.fault("%s must have either bytes or uri.", m.at)
	}
	if !isBase64(f.Bytes) {
		m.r.fault("%s must be base64.", m.path("bytes"))
	}
	if _, err := url.Parse(f.URI); err != nil || m.has("uri") && f.URI == "" {
		m.r.fault("%s must be a URI.", m.path("uri"))
	}
	if f.MIME != "" {
		a.accept(m, f.MIME)
	}
	return &f
}

// accept refuses content of a type that the card does not list.
func (a a2a03Server) accept(m members, mimeType string) {
	media, _, err := mime.ParseMediaType(mimeType)
	if err != nil || !slices.Contains(a.variant.inputModes, media) {
		m.r.refuse(a2a03ContentType, "%s is of the unsupported type %q.", m.at, mimeType)
	}
}

// readA2A03ID reads TaskIdParams, section 7.4.1.
func readA2A03ID(c *call) (string, *rpcError) {
	var r reader
	p := r.params(c)
	id := p.required("id")
	p.metadata()
	return id, r.err
}
