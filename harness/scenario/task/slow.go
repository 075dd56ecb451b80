// Package task has the scenarios about the life of a task.
package task

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// Slow sends the message that takes time and looks the task up until it ends. A task that was looked up while it was
// followed will do.
var Slow = conversation.Scenario{Name: "slow", Play: func(c *conversation.Conversation) {
	if c.ReuseOfferedTaskWithLooks("send", "poll", "followed") {
		return
	}
	o, sent, task := c.BeginTask("send", "slow")
	ended := c.PollUntilAtRest("poll", task, sent.State, c.WorkTime("slow")/8, c.PatienceForSlowMessage())
	if sent.OK() && c.IsTerminal(ended) {
		c.OfferStepUnderPlaysName("send", o, sent)
	}
}}
