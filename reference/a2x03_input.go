package reference

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// readSend reads the params of message/send and message/stream.
func (a a2x03Server) readSend(c *call) (engine.Request, *rpcError) {
	var r reader
	var request engine.Request
	p := r.params(c)
	if m, ok := p.object("message", true); ok {
		request.Message = a.readMessage(m)
		a.place(m, &request)
	}
	if a.variant.pays && !slices.Contains(a.activated(c.http), a2x03Payments) {
		r.refuse(a2x03Unpaid, "The extension %s must be activated.", a2x03Payments)
	}
	return request, r.err
}

// smallTalk reports whether a message is answered by another, without a task.
func smallTalk(r engine.Request) bool {
	parts := r.Message.Parts
	return r.Task == "" && len(parts) > 0 && parts[0].Text != nil && strings.TrimSpace(*parts[0].Text) == "hello"
}

// readMessage reads a message, of which the samples show more or less: only its
// role and parts are always there.
func (a a2x03Server) readMessage(m members) engine.Message {
	if m.has("kind") && m.required("kind") != "message" {
		m.r.fault("%s must be message.", m.path("kind"))
	}
	w := engine.Message{Role: engine.Role(m.required("role")), Metadata: m.metadata()}
	if w.Role != "user" && w.Role != "agent" {
		m.r.fault("%s must be user or agent.", m.path("role"))
	}
	if id := m.optional("messageId"); id != nil {
		w.ID = *id
	}
	for i, v := range m.array("parts") {
		at := m.path("parts[" + strconv.Itoa(i) + "]")
		part, ok := v.(map[string]any)
		if !ok {
			m.r.fault("%s must be an object.", at)
		}
		w.Parts = append(w.Parts, readA2X03Part(members{m.r, at, part}))
	}
	return w
}

// readA2X03Part reads a part. What a file or data is made of is not said.
func readA2X03Part(m members) engine.Part {
	switch m.required("kind") {
	case "text":
		text := m.required("text")
		return engine.Part{Text: &text}
	case "file":
		return engine.Part{File: &engine.File{Name: "file"}}
	case "data":
		return engine.Part{Data: m.m["data"]}
	}
	m.r.fault("%s must be text, data or file.", m.path("kind"))
	return engine.Part{}
}
