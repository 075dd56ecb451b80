package task

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// Deadline sends the slow message and allows it a quarter of its time, by a
// header and then by a member of the call.
var Deadline = conversation.Scenario{Name: "deadline", Play: func(c *conversation.Conversation) {
	if c.Writer.Allow == nil {
		c.Play.Stop = "the protocol has no header for the time that a call may take"
		return
	}
	c.Call(conversation.Step{Name: "send", Op: "send", Header: c.Writer.Allow(c.WorkTime("slow") / 4)}, c.NewMessage("slow"))
	if c.Writer.Within == nil {
		return
	}
	o := c.NewMessage("slow")
	request := c.Request("configured", "send", o)
	params, _ := request.Members()
	c.Writer.Within(params, c.WorkTime("slow")/4)
	c.Post(conversation.Step{Name: "configured", Op: "send", Task: o.Task, Ctx: o.Context}, request)
}}
