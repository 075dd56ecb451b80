package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Repeated sends a message again that was taken before.
var Repeated = conversation.Scenario{
	Name: "repeated", Doc: "a harmless message, sent again with the id that it had",
	Ops: []string{"send"}, Sends: 1, After: []string{"quick"},
	Steps: map[string]string{
		"first": "Calls {send} with the stimulus quick, or reuses the message of the scenario quick.",
		"again": "Calls {send} with the same message and the same message id.",
	},
	Play: func(c *conversation.Conversation) {
		o, first, ok := c.Reuse("first", record.Main, "quick")
		if !ok {
			o = c.NewMessage("quick")
			first = c.Call(conversation.Step{Name: "first", Op: "send"}, o)
		}
		o.Message = sentMessageID(c, first)
		if o.Message == "" {
			c.Play.Stop = "the first message had no id"
			return
		}
		c.Call(conversation.Step{Name: "again", Op: "send", Role: record.Probe}, o)
	},
}

// sentMessageID is the id of the message that a call of ours sent.
func sentMessageID(c *conversation.Conversation, r *conversation.Reply) string {
	message, _ := c.Dialect.Pointer("request", "message")
	id, _ := c.Dialect.Pointer("message", "id")
	params := c.CallBinding().Sent(r.Exchange).Params
	if params == nil {
		return ""
	}
	if n := params.At(message + id); n != nil && n.Kind == record.String {
		return n.String
	}
	return ""
}
