package serve

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// envelope is a response of JSON-RPC 2.0 (section 5).
type envelope struct {
	Version string          `json:"jsonrpc,omitempty"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *fault          `json:"error,omitempty"`
}

// fault is an error of JSON-RPC.
type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// inEnvelope reports whether the binding of the call has one.
func (c *call) inEnvelope() bool { return c.face.binding == jsonRPC }

// ownID is the id that answers to the call have: its own, or null.
func (c *call) ownID() json.RawMessage {
	if len(c.id) == 0 {
		return json.RawMessage("null")
	}
	return c.id
}

// media is the media type of answers.
func (c *call) media() string {
	if !c.inEnvelope() && c.form.dialect() == a2a10 {
		return "application/a2a+json"
	}
	return "application/json"
}

// result answers by a result.
func (c *call) result(v any) { c.write(http.StatusOK, c.resultText(v)) }

// resultText is the answer with a result, as the binding has it.
func (c *call) resultText(v any) []byte {
	if c.inEnvelope() {
		v = envelope{Version: "2.0", ID: c.ownID(), Result: v}
	}
	return encode(v)
}

// write answers by a text in JSON.
func (c *call) write(status int, text []byte) {
	c.a.Whole(status, jsonFields(c.media()), text)
}

// fail answers by an error of the dialect, with a text; "" for one of its own.
func (c *call) fail(name, text string) {
	status, body := c.failure(name, text)
	c.write(status, body)
}

// failure is the answer by which a call is refused, and its HTTP status.
func (c *call) failure(name, text string) (int, []byte) {
	sign := c.sign(name)
	text = cmp.Or(text, "the agent refuses the call: "+name)
	if c.inEnvelope() {
		return http.StatusOK, encode(envelope{Version: "2.0", ID: c.ownID(), Error: &fault{sign.Code, text, c.form.details(sign)}})
	}
	return statusOf(sign), encode(c.restError(sign, text))
}

// sign is how the dialect of the call reports an error.
func (c *call) sign(name string) schema.ErrorSign {
	return c.others[c.form.dialect()].Errors[name]
}

func statusOf(sign schema.ErrorSign) int {
	if len(sign.HTTP) > 0 {
		return sign.HTTP[0]
	}
	return http.StatusInternalServerError
}

// restError is an error of HTTP+JSON.
func (c *call) restError(sign schema.ErrorSign, text string) any {
	if c.form.dialect() == a2a03 {
		return fault{sign.Code, text, nil}
	}
	status := "INTERNAL"
	if len(sign.GRPC) > 0 {
		status = string(sign.GRPC[0])
	}
	e := object{"code": statusOf(sign), "status": status, "message": text}
	if d := c.form.details(sign); d != nil {
		e["details"] = d
	}
	return object{"error": e}
}

// The head of an event stream.
var streamFields = []record.Field{{Name: "Content-Type", Value: "text/event-stream"}, {Name: "Cache-Control", Value: "no-cache"}}

// stream answers by events, in the way of the play.
func (c *call) stream(events ...object) {
	var texts [][]byte
	for _, e := range events {
		texts = append(texts, c.resultText(e))
	}
	if c.spread != nil {
		c.spread(c, texts)
		return
	}
	c.a.Begin(http.StatusOK, streamFields)
	for _, t := range texts {
		if !c.a.Piece(plainEvent(t)) {
			return
		}
	}
	c.a.End()
}

// plainEvent is an event of one line of data.
func plainEvent(data []byte) []byte { return []byte("data: " + string(data) + "\n\n") }

// plainEvents are those of a task that brings one artifact after the other: the first in the task
// itself.
func (c *call) plainEvents() []object {
	t := c.newTask(working)
	t.artifacts = []artifact{{c.ids.New(), []string{c.text("event-1")}}}
	events := []object{c.form.named("task", c.form.task(t))}
	for _, in := range c.eventMarkers()[1:] {
		id := c.ids.New()
		events = append(events, c.form.chunk(t, id, c.text(in), false, true))
		t.artifacts = append(t.artifacts, artifact{id, []string{c.text(in)}})
	}
	return append(events, c.finish(t, completed))
}

// finish ends a task, and is the event of that.
func (c *call) finish(t *task, s state) object {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.state, t.at = s, now()
	return c.form.status(t, true)
}

// eventMarkers are the names of the markers that events carry, event-1 first.
func (s *stage) eventMarkers() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.markers {
		if strings.HasPrefix(m.In, "event-") {
			out = append(out, m.In)
		}
	}
	if len(out) == 0 {
		out = []string{"event-1"}
	}
	return out
}
