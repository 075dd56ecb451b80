package reference

import (
	"mime"
	"net/url"
	"slices"
	"strconv"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// a2a01Send is the content of TaskSendParams, section 7.1.1.
type a2a01Send struct {
	request engine.Request
	history int
}

func (a a2a01Server) readSend(c *call) (a2a01Send, *rpcError) {
	var r reader
	p := r.params(c)
	s := a2a01Send{history: p.count("historyLength")}
	s.request.Task = p.required("id")
	if session := p.optional("sessionId"); session != nil {
		s.request.Session = *session
	}
	p.metadata()
	if m, ok := p.object("message", true); ok {
		s.request.Message = a.readMessage(m)
	}
	if push, ok := p.object("pushNotification", false); ok {
		if !a.variant.push {
			r.refuse(a2a01PushNotSupported, "Push Notification is not supported")
		}
		s.request.Push = readA2A01Push(push)
	}
	return s, r.err
}

// readMessage reads a Message, section 6.4.
func (a a2a01Server) readMessage(m members) engine.Message {
	role := m.required("role")
	if role != "user" && role != "agent" {
		m.r.fault("%s must be user or agent.", m.path("role"))
	}
	w := engine.Message{Role: engine.Role(role), Metadata: m.metadata()}
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
func (a a2a01Server) readPart(m members) engine.Part {
	p := engine.Part{Metadata: m.metadata()}
	switch kind := m.required("type"); kind {
	case "text":
		text := m.required("text")
		p.Text = &text
	case "file":
		if file, ok := m.object("file", true); ok {
			p.File = a.readFile(file)
		}
	case "data":
		switch m.m["data"].(type) {
		case map[string]any, []any:
			p.Data = m.m["data"]
			a.accept(m, "application/json")
		default:
			m.r.fault("%s must be an object or an array.", m.path("data"))
		}
	default:
		m.r.fault("%s must be text, file or data.", m.path("type"))
	}
	return p
}

// readFile reads a FileContent, section 6.6. Without bytes and uri it is a bare
// reference to a file.
func (a a2a01Server) readFile(m members) *engine.File {
	var f engine.File
	for name, to := range map[string]*string{"name": &f.Name, "mimeType": &f.MIME, "bytes": &f.Bytes, "uri": &f.URI} {
		if s := m.optional(name); s != nil {
			*to = *s
		}
	}
	if m.has("bytes") && m.has("uri") {
		m.r.fault("%s must not have both bytes and uri.", m.at)
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
func (a a2a01Server) accept(m members, mimeType string) {
	media, _, err := mime.ParseMediaType(mimeType)
	if err != nil || !slices.Contains(a.variant.inputModes, media) {
		m.r.refuse(a2a01ContentType, "%s is of the unsupported type %q.", m.at, mimeType)
	}
}

// readA2A01Query reads TaskQueryParams, section 7.3.1.
func readA2A01Query(c *call) (id string, history int, refused *rpcError) {
	var r reader
	p := r.params(c)
	id, history = p.required("id"), p.count("historyLength")
	p.metadata()
	return id, history, r.err
}

// readA2A01ID reads TaskIdParams, section 7.4.1.
func readA2A01ID(c *call) (string, *rpcError) {
	var r reader
	p := r.params(c)
	id := p.required("id")
	p.metadata()
	return id, r.err
}
