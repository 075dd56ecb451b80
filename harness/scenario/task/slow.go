// Package task has the scenarios about the life of a task.
package task

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// Slow sends the message that takes time and looks the task up until it ends.
var Slow = conversation.Scenario{Name: "slow", Play: func(c *conversation.Conversation) {
	_, sent, task := c.BeginTask("send", "slow")
	c.PollUntilAtRest("poll", task, sent.State, c.WorkTime("slow")/8, c.PatienceForSlowMessage())
}}
