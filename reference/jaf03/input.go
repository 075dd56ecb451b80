package jaf03

import (
	"strconv"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// The sections "Message Limits" and "Request Timeouts".
const (
	maxMessage     = 1 << 20
	maxParts       = 100
	maxText        = 100 << 10
	defaultTimeout = 30 * time.Second
	maxTimeout     = 300 * time.Second
	streamLimit    = 600 * time.Second
)

// readSend reads the params of message/send and message/stream.
func (j Server) readSend(c *front.Call) (engine.Request, time.Duration, *front.RPCError) {
	var r front.Reader
	var request engine.Request
	timeout := j.headerTimeout(c)
	p := r.Params(c)
	if m, ok := p.Object("message", true); ok {
		request.Message, request.Session = readJAF03Message(m)
	}
	if m, ok := p.Object("configuration", false); ok {
		m.Count("maxTurns")
		m.Optional("priority")
		if ms, ok := m.Number("timeout"); ok {
			timeout = time.Duration(ms * float64(time.Millisecond))
			if ms <= 0 || timeout > maxTimeout {
				r.Fault("%s must be more than 0 and at most %d milliseconds.", m.Path("timeout"), maxTimeout.Milliseconds())
			}
		}
	}
	return request, timeout, r.Err
}

// headerTimeout returns the time the X-A2A-Timeout header grants a call. A
// value that makes no sense is ignored.
func (j Server) headerTimeout(c *front.Call) time.Duration {
	ms, err := strconv.Atoi(c.HTTP.Header.Get("X-A2A-Timeout"))
	if err != nil || ms <= 0 {
		return j.Bounds.Timeout
	}
	return min(time.Duration(ms)*time.Millisecond, maxTimeout)
}

// readJAF03Message reads an A2AMessage and returns its context apart.
func readJAF03Message(m front.Members) (engine.Message, string) {
	role := m.Required("role")
	if role != "user" && role != "agent" && role != "system" {
		m.R.Fault("%s must be user, agent or system.", m.Path("role"))
	}
	id, context := m.Required("messageId"), m.Required("contextId")
	if m.Required("kind") != "message" {
		m.R.Fault("%s must be message.", m.Path("kind"))
	}
	if t := m.Optional("timestamp"); t != nil {
		if _, err := time.Parse(time.RFC3339, *t); err != nil {
			m.R.Fault("%s must be an ISO 8601 date-time.", m.Path("timestamp"))
		}
	}
	w := engine.Message{ID: id, Role: engine.Role(role), Metadata: m.Metadata()}
	if n := len(m.Array("parts")); n == 0 || n > maxParts {
		m.R.Fault("%s must have 1 to %d elements.", m.Path("parts"), maxParts)
	}
	if len(front.Encode(m.M)) > maxMessage {
		m.R.Fault("%s must not exceed 1 MB.", m.At)
	}
	for part := range m.ObjectsOfRequiredArray("parts") {
		w.Parts = append(w.Parts, readJAF03Part(part))
	}
	return w, context
}

// readJAF03Part reads an A2APart. A part of a kind that is not known is
// passed over, as the section "Interoperability" asks.
func readJAF03Part(m front.Members) engine.Part {
	p := engine.Part{Metadata: m.Metadata()}
	switch m.Required("kind") {
	case "text":
		text := m.Required("text")
		if len(text) > maxText {
			m.R.Fault("%s must not exceed 100 KB.", m.Path("text"))
		}
		p.Text = &text
	case "data":
		p.Data = m.M["data"]
	}
	return p
}
