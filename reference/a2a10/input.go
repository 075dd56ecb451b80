package a2a10

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// Send is the content of a SendMessageRequest, section 3.2.1.
type Send struct {
	request   engine.Request
	history   *int // nil: as the server likes
	immediate bool // the client does not wait for the outcome
	talk      bool // small talk, which gets a message instead of a task
}

// params are the params of a call. If there are none, they count as empty. The
// tenant of every request is read here.
func (a Server) params(r *front.Reader, c *front.Call) front.Members {
	if c.Params == nil {
		c.Params = map[string]any{}
	}
	p := r.Params(c)
	tenant := optional(p, "tenant")
	if a.Variant.Tenanted && tenant == "" {
		r.Fault("%s must be a tenant of the card.", p.Path("tenant"))
	}
	return p
}

// required reads a string that must be there. An empty one counts as absent.
func required(m front.Members, name string) string {
	s := m.Required(name)
	if s == "" {
		m.R.Fault("%s must not be empty.", m.Path(name))
	}
	return s
}

// optional reads a string that may be absent. An empty one counts as absent.
func optional(m front.Members, name string) string {
	if s := m.Optional(name); s != nil {
		return *s
	}
	return ""
}

func (a Server) readSend(c *front.Call) (Send, *front.RPCError) {
	var r front.Reader
	var s Send
	p := a.params(&r, c)
	p.Metadata()
	if m, ok := p.Object("message", true); ok {
		s.request.Message = a.readMessage(m)
		a.place(c, m, &s.request)
	}
	if m, ok := p.Object("configuration", false); ok {
		a.configure(m, &s)
	}
	if a.Variant.Tenanted && !slices.Contains(tenants, tenantOf(c)) {
		r.Fault("%s must be a tenant of the card.", p.Path("tenant"))
	}
	active := a.ActivatedExtensions(c.HTTP, extensionsHeader)
	if a.Variant.Extended && !slices.Contains(active, front.Trace) {
		r.Err = &front.RPCError{Code: extensionRequired, Message: "The extension " + front.Trace + " is required: name it in " + extensionsHeader}
	}
	// What a message names as its extensions holds if it is active.
	s.request.Message.Extensions = slices.DeleteFunc(s.request.Message.Extensions, func(uri string) bool { return !slices.Contains(active, uri) })
	s.talk = a.Variant.Talks || front.IsHelloWithoutTask(s.request)
	return s, r.Err
}

// place finds the task and the context a message belongs to. A message without
// either begins a context; one to a task stays in the task's (section 3.4).
func (a Server) place(c *front.Call, m front.Members, to *engine.Request) {
	task, context := optional(m, "taskId"), optional(m, "contextId")
	to.Session = context
	if task != "" && m.R.Err == nil {
		t, err := a.find(c, task)
		switch {
		case err != nil:
			m.R.Err = Refusal(err)
		case context != "" && context != t.Session:
			m.R.Fault("%s is not the context of the task.", m.Path("contextId"))
		}
		to.Task, to.Session = task, t.Session
	}
	if to.Session == "" {
		to.Session = a.NewID()
	}
}

// configure reads a SendMessageConfiguration, section 3.2.2.
func (a Server) configure(m front.Members, s *Send) {
	s.history = m.Limit("historyLength")
	if now := m.Flag("returnImmediately"); now != nil {
		s.immediate = *now
	}
	s.request.Modes = m.Texts("acceptedOutputModes")
	if len(s.request.Modes) > 0 && !slices.ContainsFunc(s.request.Modes, a.Offers) {
		m.R.Refuse(contentType, "%s holds no type that the agent can answer with.", m.Path("acceptedOutputModes"))
	}
	if push, ok := m.Object("taskPushNotificationConfig", false); ok {
		if !a.Variant.Push {
			m.R.Refuse(pushNotSupported, "Push Notification is not supported")
		}
		s.request.Push = readPush(push)
	}
}

// readMessage reads a Message, section 4.1.4.
func (a Server) readMessage(m front.Members) engine.Message {
	role := m.Required("role")
	if roles[role] == "" {
		m.R.Fault("%s must be ROLE_USER or ROLE_AGENT.", m.Path("role"))
	}
	w := engine.Message{
		ID:         required(m, "messageId"),
		Role:       roles[role],
		Metadata:   m.Metadata(),
		References: m.Texts("referenceTaskIds"),
		Extensions: m.Texts("extensions"),
	}
	for part := range m.Objects("parts") {
		w.Parts = append(w.Parts, a.readPart(part))
	}
	return w
}

// contents are the members of which a part has exactly one (section 4.1.6).
var contents = []string{"text", "raw", "url", "data"}

func (a Server) readPart(m front.Members) engine.Part {
	p := engine.Part{Metadata: m.Metadata(), Name: optional(m, "filename"), MIME: optional(m, "mediaType")}
	has := slices.DeleteFunc(slices.Clone(contents), func(name string) bool { return !m.Has(name) })
	if _, there := m.M["data"]; there && len(has) == 0 { // null is a JSON value
		p.Data = json.RawMessage("null")
		return p
	}
	if len(has) != 1 {
		m.R.Fault("%s must have exactly one of text, raw, url and data.", m.At)
		return p
	}
	switch has[0] {
	case "text":
		p.Text = m.Optional("text")
	case "raw":
		raw := strings.NewReplacer("-", "+", "_", "/").Replace(m.Required("raw"))
		if !front.IsBase64(raw) {
			m.R.Fault("%s must be base64.", m.Path("raw"))
		}
		p.File = &engine.File{Name: p.Name, MIME: p.MIME, Bytes: raw}
	case "url":
		p.File = &engine.File{Name: p.Name, MIME: p.MIME, URI: required(m, "url")}
		if _, err := url.Parse(p.File.URI); err != nil {
			m.R.Fault("%s must be a URL.", m.Path("url"))
		}
	case "data":
		p.Data = m.M["data"]
		if p.MIME == "" {
			a.Accept(m, "application/json", contentType)
		}
	}
	if p.MIME != "" {
		a.Accept(m, p.MIME, contentType)
	}
	return p
}

// readID reads a request that names a task.
func (a Server) readID(c *front.Call) (string, *front.RPCError) {
	var r front.Reader
	p := a.params(&r, c)
	id := required(p, "id")
	p.Metadata()
	return id, r.Err
}
