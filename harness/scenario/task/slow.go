// Package task has the scenarios about the life of a task.
package task

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// Slow sends the message that takes time and looks the task up until it ends.
var Slow = conversation.Scenario{Name: "slow", Play: func(c *conversation.Conversation) {
	o, lasts := c.NewMessage("slow"), c.WorkTime("slow")
	sent := c.Call(conversation.Step{Name: "send", Op: "send"}, o)
	c.Poll("poll", conversation.TaskID(o, sent), sent.State, lasts/8, c.Patience())
}}
