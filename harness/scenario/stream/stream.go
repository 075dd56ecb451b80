// Package stream has the scenarios about streams of events.
package stream

import (
	"cmp"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// Stream sends the harmless message for streaming, reads to the end and looks
// the task up. It is the one that waits for the server to close.
var Stream = conversation.Scenario{Name: "stream", Play: func(c *conversation.Conversation) {
	o := c.NewMessage("quick")
	s := c.Call(conversation.Step{Name: "subscribe", Op: "stream", Closes: true}, o)
	task := cmp.Or(o.Task, s.Task)
	if task == "" {
		c.NotSent(conversation.Step{Name: "get", Op: "get"}, "subscribe", "no event of the stream named a task")
		return
	}
	c.Call(conversation.Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
	if hasStreamed(c, s) {
		c.OfferStepUnderPlaysName("subscribe", o, s)
	}
}}

// hasStreamed reports whether a call was answered by a stream with events.
func hasStreamed(c *conversation.Conversation, r *conversation.Reply) bool {
	return r.IsStream() && len(r.Events()) > 0 && !c.IsRefusedInStream(r)
}
