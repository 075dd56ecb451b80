package conversation

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// parseReply reads what a scenario needs of an answer.
func (c *Conversation) parseReply(op string, r *Reply) {
	if r.IsStream() || !r.Answered() {
		return
	}
	r.Root = r.Exchange.Reply().Root
	r.Answer = c.CallBinding().Decode(op, r.Exchange).AsResponse() // a status may say something without a body
	if r.Root == nil {
		return
	}
	if res := r.Answer.Result.Node; r.Answer.Result.Present() {
		r.Result = res
		r.State = c.ReadText(op, "task.state", res)
		r.TaskStatus = c.FindPart(op, "task.status", res)
		r.Task = c.ReadText(op, "task.id", res)
		r.Ctx = c.ReadText(op, "task.context", res)
	}
}

func (c *Conversation) ReadText(op, what string, result *record.Node) string {
	return c.TextOrNoteOversized(c.FindPart(op, what, result))
}

// TextOrNoteOversized returns a text that the server chose and that later calls repeat, such as the
// id of a task; "" if it is no text, or longer than calls may repeat. The conversation then
// remembers why, for the steps that cannot be made without it.
func (c *Conversation) TextOrNoteOversized(n *record.Node) string {
	switch {
	case n == nil || n.Kind != record.String:
		return ""
	case len(n.String) > record.MaxID:
		c.oversized = fmt.Sprintf("the server sent an id of %d bytes, and calls repeat none of more than %d", len(n.String), record.MaxID)
		return ""
	}
	return n.String
}

// readEvent reads what a scenario needs of one event.
func (c *Conversation) readEvent(r *Reply, root *record.Node) {
	result := c.CallBinding().Event("stream", root).Result.Node
	if result == nil {
		return
	}
	if r.Task == "" {
		r.Task = c.ReadText("event", "task.id", result)
	}
	if r.Ctx == "" {
		r.Ctx = c.ReadText("event", "task.context", result)
	}
	if state := c.ReadText("event", "task.state", result); state != "" {
		r.moved = r.moved || r.State != ""
		r.State = state
	}
	if c.FindPart("event", "event.artifact", result) != nil {
		return // an artifact shows nothing of the end
	}
	if n := c.FindPart("event", "event.final", result); n != nil && n.Kind == record.Bool && n.Bool {
		r.Final = true
	}
	if c.IsTerminal(r.State) && !c.marksFinalEvents() {
		r.Final = true
	}
}

// ReadWebhookConfigText is a text such as the id or the url of the webhook in a result, or in an
// element of a list; "" if it has none.
func (c *Conversation) ReadWebhookConfigText(op, what string, result *record.Node) string {
	holder, _ := c.Dialect.Pointer(op, "webhook")
	at, _ := c.Dialect.Pointer("webhook", what)
	if result == nil {
		return ""
	}
	return c.TextOrNoteOversized(result.At(holder + at))
}
