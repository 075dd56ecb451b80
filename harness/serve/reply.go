package serve

import (
	"cmp"
	"encoding/json"
	"fmt"
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

// chooseID returns the id of answers to the call: its own, or null.
func (c *call) chooseID() json.RawMessage {
	if len(c.id) == 0 {
		return json.RawMessage("null")
	}
	return c.id
}

// chooseMediaType returns the media type of answers.
func (c *call) chooseMediaType() string {
	if c.inGRPC() {
		return grpcMedia
	}
	if !c.inEnvelope() && c.form.dialectName() == a2a10 {
		return "application/a2a+json"
	}
	return "application/json"
}

// sendResult answers by a result.
func (c *call) sendResult(v any) {
	if c.inGRPC() {
		c.sendMessages(c.encodeResult(v))
		return
	}
	c.sendText(http.StatusOK, c.encodeResult(v))
}

// encodeResult returns the answer with a result, as the binding has it.
func (c *call) encodeResult(v any) []byte {
	if c.editResult != nil {
		v = c.editResult(c, v)
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
	if c.inGRPC() {
		return c.encodeMessage(v)
	}
	return encodeJSON(v)
}

// encodeEnvelope returns a response object, changed as the script has it.
func (c *call) encodeEnvelope(e envelope) []byte {
	text := encodeJSON(e)
	if c.stage.editEnvelope == nil {
		return text
	}
	changed := object{}
	if err := json.Unmarshal(text, &changed); err != nil {
		panic(err) // it was just encoded
	}
	c.stage.editEnvelope(changed)
	return encodeJSON(changed)
}

// sendText answers by a text in JSON.
func (c *call) sendText(status int, text []byte) {
	c.a.writeWhole(status, listTypeFields(c.chooseMediaType()), text)
}

// sendError answers by an error of the dialect, with a text; "" for one of its own.
func (c *call) sendError(name, text string) {
	if c.inGRPC() {
		sign := c.findErrorSign(name)
		c.sendStatus(chooseGRPCStatus(sign), cmp.Or(text, "the agent refuses the call: "+name), c.form.errorDetails(sign))
		return
	}
	status, body := c.encodeError(name, text)
	c.sendText(status, body)
}

// encodeError returns the answer by which a call is refused, and its HTTP status.
func (c *call) encodeError(name, text string) (int, []byte) {
	sign := c.findErrorSign(name)
	if sign.Code == 0 {
		sign = c.findErrorSign(cmp.Or(generalErrors[name], "InvalidRequest"))
	}
	text = cmp.Or(text, "the agent refuses the call: "+name)
	if c.inEnvelope() {
		return http.StatusOK, c.encodeEnvelope(envelope{Version: "2.0", ID: c.chooseID(), Error: &fault{sign.Code, text, c.form.errorDetails(sign)}})
	}
	return chooseStatus(sign), encodeJSON(c.buildRESTError(sign, text))
}

// generalErrors are what takes the place of errors that a dialect does not have.
var generalErrors = map[string]string{"TaskNotFound": "InvalidParams", "OperationNotSupported": "MethodNotFound", "PushNotificationNotSupported": "MethodNotFound"}

// findErrorSign returns how the dialect of the call reports an error.
func (c *call) findErrorSign(name string) schema.ErrorSign {
	return c.dialects[c.form.dialectName()].Errors[name]
}

// chooseStatus returns the HTTP status of an error.
func chooseStatus(sign schema.ErrorSign) int {
	if len(sign.HTTP) > 0 {
		return sign.HTTP[0]
	}
	return http.StatusInternalServerError
}

// buildRESTError returns an error of HTTP+JSON.
func (c *call) buildRESTError(sign schema.ErrorSign, text string) any {
	if c.form.dialectName() == a2a03 {
		return fault{sign.Code, text, nil}
	}
	status := "INTERNAL"
	if len(sign.GRPC) > 0 {
		status = string(sign.GRPC[0])
	}
	e := object{"code": chooseStatus(sign), "status": status, "message": text}
	if d := c.form.errorDetails(sign); d != nil {
		e["details"] = d
	}
	return object{"error": e}
}

// The head of an event stream.
var streamFields = []record.Field{{Name: "Content-Type", Value: "text/event-stream"}, {Name: "Cache-Control", Value: "no-cache"}}

// beginStream begins an answer by events.
func (c *call) beginStream() { c.a.beginPieces(http.StatusOK, streamFields) }

// writeEvent writes an event by itself, as most servers do. It reports whether there is a client to write
// another one for.
func (c *call) writeEvent(event object) bool {
	return c.a.writePiece(formatEvent(c.encodeResult(event)))
}

// sendStream answers by events, in the way of the play.
func (c *call) sendStream(events ...object) {
	if c.writeEvents != nil {
		c.writeEvents(c, c.encodeEvents(events))
		return
	}
	c.sendPlainStream(events...)
}

// sendPlainStream answers by events, as most servers do.
func (c *call) sendPlainStream(events ...object) {
	if c.inGRPC() {
		c.sendMessages(c.encodeEvents(events)...)
		return
	}
	writeEachEvent(formatAnyEvent)(c, c.encodeEvents(events))
}

// encodeEvents returns the data of events, as the binding has them.
func (c *call) encodeEvents(events []object) (texts [][]byte) {
	for _, e := range events {
		texts = append(texts, c.encodeResult(e))
	}
	return texts
}

// formatEvent returns an event of one line of data.
func formatEvent(data []byte) []byte { return fmt.Appendf(nil, "data: %s\n\n", data) }

// formatAnyEvent returns formatEvent for the event of any position.
func formatAnyEvent(_ int, data []byte) []byte { return formatEvent(data) }

// buildPlainEvents returns those of a task that brings one artifact after the other: the first in the task
// itself.
func (c *call) buildPlainEvents() []object {
	t := c.newWorkingTask()
	events := []object{c.startStream(t)}
	for _, m := range c.markers {
		if strings.HasPrefix(m.In, "event-") && m.In != numberMarker("event", 0) {
			id := c.ids.New()
			events = append(events, c.form.writeArtifactEvent(t, id, c.formatAnswer(m.In), false, true))
			c.addArtifacts(t, artifact{id, []string{c.formatAnswer(m.In)}})
		}
	}
	return append(events, c.finishTask(t, completed))
}

// finishTask gives a task its last state, or one in which it waits, and returns the event of that.
func (c *call) finishTask(t *task, s state) (event object) {
	c.editTasks(func() {
		t.state, t.at = s, formatNow()
		if s.isTerminal() && t.over != nil {
			close(t.over)
			t.over = nil
		}
		event = c.form.writeStatusEvent(t, true)
	})
	return event
}
