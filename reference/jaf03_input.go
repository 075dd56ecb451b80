package reference

import (
	"strconv"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// The sections "Message Limits" and "Request Timeouts".
const (
	jaf03MaxMessage     = 1 << 20
	jaf03MaxParts       = 100
	jaf03MaxText        = 100 << 10
	jaf03DefaultTimeout = 30 * time.Second
	jaf03MaxTimeout     = 300 * time.Second
	jaf03StreamLimit    = 600 * time.Second
)

// readSend reads the params of message/send and message/stream.
func (j jaf03Server) readSend(c *call) (engine.Request, time.Duration, *rpcError) {
	var r reader
	var request engine.Request
	timeout := j.headerTimeout(c)
	p := r.params(c)
	if m, ok := p.object("message", true); ok {
		request.Message, request.Session = readJAF03Message(m)
	}
	if m, ok := p.object("configuration", false); ok {
		m.count("maxTurns")
		m.optional("priority")
		if ms, ok := m.number("timeout"); ok {
			timeout = time.Duration(ms * float64(time.Millisecond))
			if ms <= 0 || timeout > jaf03MaxTimeout {
				r.fault("%s must be more than 0 and at most %d milliseconds.", m.path("timeout"), jaf03MaxTimeout.Milliseconds())
			}
		}
	}
	return request, timeout, r.err
}

// headerTimeout returns the time the X-A2A-Timeout header grants a call. A
// value that makes no sense is ignored.
func (j jaf03Server) headerTimeout(c *call) time.Duration {
	ms, err := strconv.Atoi(c.http.Header.Get("X-A2A-Timeout"))
	if err != nil || ms <= 0 {
		return j.bounds.timeout
	}
	return min(time.Duration(ms)*time.Millisecond, jaf03MaxTimeout)
}

// readJAF03Message reads an A2AMessage and returns its context apart.
func readJAF03Message(m members) (engine.Message, string) {
	role := m.required("role")
	if role != "user" && role != "agent" && role != "system" {
		m.r.fault("%s must be user, agent or system.", m.path("role"))
	}
	id, context := m.required("messageId"), m.required("contextId")
	if m.required("kind") != "message" {
		m.r.fault("%s must be message.", m.path("kind"))
	}
	if t := m.optional("timestamp"); t != nil {
		if _, err := time.Parse(time.RFC3339, *t); err != nil {
			m.r.fault("%s must be an ISO 8601 date-time.", m.path("timestamp"))
		}
	}
	w := engine.Message{ID: id, Role: engine.Role(role), Metadata: m.metadata()}
	parts := m.array("parts")
	if len(parts) == 0 || len(parts) > jaf03MaxParts {
		m.r.fault("%s must have 1 to %d elements.", m.path("parts"), jaf03MaxParts)
	}
	if len(encode(m.m)) > jaf03MaxMessage {
		m.r.fault("%s must not exceed 1 MB.", m.at)
	}
	for i, v := range parts {
		at := m.path("parts[" + strconv.Itoa(i) + "]")
		part, ok := v.(map[string]any)
		if !ok {
			m.r.fault("%s must be an object.", at)
		}
		w.Parts = append(w.Parts, readJAF03Part(members{m.r, at, part}))
	}
	return w, context
}

// readJAF03Part reads an A2APart. A part of a kind that is not known is
// passed over, as the section "Interoperability" asks.
func readJAF03Part(m members) engine.Part {
	p := engine.Part{Metadata: m.metadata()}
	switch m.required("kind") {
	case "text":
		text := m.required("text")
		if len(text) > jaf03MaxText {
			m.r.fault("%s must not exceed 100 KB.", m.path("text"))
		}
		p.Text = &text
	case "data":
		p.Data = m.m["data"]
	}
	return p
}
