package a2x03

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// readSend reads the params of message/send and message/stream.
func (a Server) readSend(c *front.Call) (engine.Request, *front.RPCError) {
	var r front.Reader
	var request engine.Request
	p := r.Params(c)
	if m, ok := p.Object("message", true); ok {
		request.Message = a.readMessage(m)
		a.Place(m, &request)
	}
	if a.Variant.Pays && !slices.Contains(a.activated(c.HTTP), front.PaymentsExtension) {
		r.Refuse(unpaid, "The extension %s must be activated.", front.PaymentsExtension)
	}
	return request, r.Err
}

// readMessage reads a message, of which the samples show more or less: only its
// role and parts are always there.
func (a Server) readMessage(m front.Members) engine.Message {
	if m.Has("kind") && m.Required("kind") != "message" {
		m.R.Fault("%s must be message.", m.Path("kind"))
	}
	w := engine.Message{Role: engine.Role(m.Required("role")), Metadata: m.Metadata()}
	if w.Role != "user" && w.Role != "agent" {
		m.R.Fault("%s must be user or agent.", m.Path("role"))
	}
	if id := m.Optional("messageId"); id != nil {
		w.ID = *id
	}
	for part := range m.ObjectsOfRequiredArray("parts") {
		w.Parts = append(w.Parts, readA2X03Part(part))
	}
	return w
}

// readA2X03Part reads a part. What a file or data is made of is left open.
func readA2X03Part(m front.Members) engine.Part {
	switch m.Required("kind") {
	case "text":
		text := m.Required("text")
		return engine.Part{Text: &text}
	case "file":
		return engine.Part{File: &engine.File{Name: "file"}}
	case "data":
		return engine.Part{Data: m.M["data"]}
	}
	m.R.Fault("%s must be text, data or file.", m.Path("kind"))
	return engine.Part{}
}
