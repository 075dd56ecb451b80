package serve

import (
	"cmp"
	"maps"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// protoForm is the other way in which HTTP+JSON of version 0.3 is written, by the names of a2a.proto. The text
// permits either, so a client is answered in its own.
type protoForm struct {
	parts string // the name of the parts of a message
}

// detectClientForm is the form in which a client writes HTTP+JSON of version 0.3; nil for that of the text. A call
// without a body is answered like the one before it.
func (c *call) detectClientForm() *protoForm {
	if c.inEnvelope() || c.form.dialectName() != a2a03 {
		return nil
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

// protoStates are the states by their names in that form.
var protoStates = map[state]string{submitted: "TASK_STATE_SUBMITTED", working: "TASK_STATE_WORKING", inputRequired: "TASK_STATE_INPUT_REQUIRED",
	completed: "TASK_STATE_COMPLETED", canceled: "TASK_STATE_CANCELLED", failed: "TASK_STATE_FAILED", rejected: "TASK_STATE_REJECTED"}

// wrapResult is what answers a message, and an event: an object by the name of what it is.
func (f *protoForm) wrapResult(v any) any {
	o, ok := v.(object)
	kind, is := o["kind"].(string)
	name := map[string]string{"task": "task", "message": "message", "status-update": "statusUpdate", "artifact-update": "artifactUpdate"}[kind]
	if !ok || !is || name == "" {
		return f.convertValue(v)
	}
	return object{name: f.convertValue(v)}
}

// convert is a value in that form.
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
			out["state"] = cmp.Or(protoStates[state(s)], "TASK_STATE_"+strings.ToUpper(s)) // or one that no version knows
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
