package serve

import (
	"maps"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// protoForm is the other way in which HTTP+JSON of version 0.3 is written, by the names of a2a.proto. The text
// permits either, so a client is answered in its own.
type protoForm struct {
	parts string // the name of the parts of a message
}

// detectClientForm returns the form in which a client writes HTTP+JSON of version 0.3; nil for that of the text. A
// call without a body is answered like the one before it.
func (c *call) detectClientForm() *protoForm {
	if c.inEnvelope() || c.form.dialectName() != a2a03 {
		return nil
	}
	if c.inGRPC() {
		return &protoForm{"parts"}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.sent.Call.At("/message")
	if m == nil {
		m = c.sent.Call.At("/request")
	}
	switch role := m.Member("role"); {
	case m == nil:
	case m.Member("content") != nil:
		c.writes = &protoForm{"content"}
	case role != nil && role.Kind == record.String && strings.HasPrefix(role.String, "ROLE_"):
		c.writes = &protoForm{"parts"}
	default:
		c.writes = nil
	}
	return c.writes
}

// stateName returns the name of a state in that form: that of version 1.0, but for one with other letters.
func (f *protoForm) stateName(s state) string {
	if s == canceled {
		return "TASK_STATE_CANCELLED"
	}
	return form10{}.stateName(s)
}

// wrapResult makes the answer to a message, or an event, of an object by the name of what it is.
func (f *protoForm) wrapResult(v any) any {
	o, ok := v.(object)
	kind, is := o["kind"].(string)
	name := map[string]string{"task": "task", "message": "message", "status-update": "statusUpdate", "artifact-update": "artifactUpdate"}[kind]
	if !ok || !is || name == "" {
		return f.convertValue(v)
	}
	return object{name: f.convertValue(v)}
}

// convertValue returns a value in that form.
func (f *protoForm) convertValue(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = f.convertValue(v[i])
		}
		return out
	case object:
		out := maps.Clone(v)
		for name, in := range out {
			out[name] = f.convertValue(in)
		}
		if s, ok := out["state"].(string); ok {
			out["state"] = f.stateName(state(s))
		}
		if v["role"] == "agent" {
			out["role"] = "ROLE_AGENT"
			if f.parts != "parts" {
				out[f.parts] = out["parts"]
				delete(out, "parts")
			}
		}
		delete(out, "kind")
		return out
	}
	return v
}
