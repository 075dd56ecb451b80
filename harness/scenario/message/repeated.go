package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Repeated sends a message again that was taken before.
var Repeated = conversation.Scenario{Name: "repeated", Play: func(c *conversation.Conversation) {
	o, first, ok := c.ReuseOfferedStep("first", record.Main, "quick")
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
}}

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
