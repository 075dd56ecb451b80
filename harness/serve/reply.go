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

// chooseID is the id that answers to the call have: its own, or null.
func (c *call) chooseID() json.RawMessage {
	if len(c.id) == 0 {
		return json.RawMessage("null")
	}
	return c.id
}

// chooseMediaType is the media type of answers.
func (c *call) chooseMediaType() string {
	if !c.inEnvelope() && c.form.dialectName() == a2a10 {
		return "application/a2a+json"
	}
	return "application/json"
}

// sendResult answers by a result.
func (c *call) sendResult(v any) { c.sendText(http.StatusOK, c.encodeResult(v)) }

// encodeResult is the answer with a result, as the binding has it.
func (c *call) encodeResult(v any) []byte {
	if c.edit != nil {
		v = c.edit(c, v)
	}
	if c.inEnvelope() {
		return c.encodeEnvelope(envelope{Version: "2.0", ID: c.chooseID(), Result: v})
	}
	switch f := c.detectClientForm(); {
	case f != nil && (c.op == "send" || c.op == "stream" || c.op == "resubscribe"):
		v = f.wrapResult(v)
	case f != nil:
		v = f.convertValue(v)
	}
	return encodeJSON(v)
}

// encodeEnvelope is a response object, changed as the script has it.
func (c *call) encodeEnvelope(e envelope) []byte {
	text := encodeJSON(e)
	if c.stage.envelope == nil {
		return text
	}
	changed := object{}
	if err := json.Unmarshal(text, &changed); err != nil {
		panic(err) // it was just encoded
	}
	c.stage.envelope(changed)
	return encodeJSON(changed)
}

// sendText answers by a text in JSON.
func (c *call) sendText(status int, text []byte) {
	c.a.writeWhole(status, listTypeFields(c.chooseMediaType()), text)
}

// sendError answers by an error of the dialect, with a text; "" for one of its own.
func (c *call) sendError(name, text string) {
	status, body := c.encodeError(name, text)
	c.sendText(status, body)
}

// encodeError is the answer by which a call is refused, and its HTTP status.
func (c *call) encodeError(name, text string) (int, []byte) {
	sign := c.findErrorSign(name)
	text = cmp.Or(text, "the agent refuses the call: "+name)
	if c.inEnvelope() {
		return http.StatusOK, c.encodeEnvelope(envelope{Version: "2.0", ID: c.chooseID(), Error: &fault{sign.Code, text, c.form.errorDetails(sign)}})
	}
	return statusOf(sign), encodeJSON(c.buildRESTError(sign, text))
}

// findErrorSign is how the dialect of the call reports an error.
func (c *call) findErrorSign(name string) schema.ErrorSign {
	return c.others[c.form.dialectName()].Errors[name]
}

func statusOf(sign schema.ErrorSign) int {
	if len(sign.HTTP) > 0 {
		return sign.HTTP[0]
	}
	return http.StatusInternalServerError
}

// buildRESTError is an error of HTTP+JSON.
func (c *call) buildRESTError(sign schema.ErrorSign, text string) any {
	if c.form.dialectName() == a2a03 {
		return fault{sign.Code, text, nil}
	}
	status := "INTERNAL"
	if len(sign.GRPC) > 0 {
		status = string(sign.GRPC[0])
	}
	e := object{"code": statusOf(sign), "status": status, "message": text}
	if d := c.form.errorDetails(sign); d != nil {
		e["details"] = d
	}
	return object{"error": e}
}

// The head of an event stream.
var streamFields = []record.Field{{Name: "Content-Type", Value: "text/event-stream"}, {Name: "Cache-Control", Value: "no-cache"}}

// sendStream answers by events, in the way of the play.
func (c *call) sendStream(events ...object) {
	if c.spread != nil {
		c.spread(c, c.encodeEvents(events))
		return
	}
	c.sendPlainStream(events...)
}

// sendPlainStream answers by events, as most servers do.
func (c *call) sendPlainStream(events ...object) {
	c.a.beginPieces(http.StatusOK, streamFields)
	for _, t := range c.encodeEvents(events) {
		if !c.a.writePiece(formatEvent(t)) {
			return
		}
	}
	c.a.endPieces()
}

// encodeEvents are the data of events, as the binding has them.
func (c *call) encodeEvents(events []object) (texts [][]byte) {
	for _, e := range events {
		texts = append(texts, c.encodeResult(e))
	}
	return texts
}

// formatEvent is an event of one line of data.
func formatEvent(data []byte) []byte { return []byte("data: " + string(data) + "\n\n") }

// buildPlainEvents are those of a task that brings one artifact after the other: the first in the task
// itself.
func (c *call) buildPlainEvents() []object {
	t := c.newTask(working)
	c.addArtifacts(t, artifact{c.ids.New(), []string{c.formatAnswer("event-1")}})
	events := []object{c.form.wrapNamed("task", c.buildTask(t))}
	for _, in := range c.listEventMarkers()[1:] {
		id := c.ids.New()
		events = append(events, c.form.writeArtifactEvent(t, id, c.formatAnswer(in), false, true))
		c.addArtifacts(t, artifact{id, []string{c.formatAnswer(in)}})
	}
	return append(events, c.finishTask(t, completed))
}

// finishTask ends a task, and is the event of that.
func (c *call) finishTask(t *task, s state) object {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.state, t.at = s, formatNow()
	if s.isTerminal() && t.over != nil {
		close(t.over)
		t.over = nil
	}
	return c.form.writeStatusEvent(t, true)
}

// listEventMarkers are the names of the markers that events carry, event-1 first.
func (s *stage) listEventMarkers() (out []string) {
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
