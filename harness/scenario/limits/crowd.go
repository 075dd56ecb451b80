// Package limits has the scenarios with many, large or deeply nested messages.
package limits

import (
	"cmp"
	"fmt"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
)

// Crowd sends many messages at the same time, each in a context of its own,
// which the server names if contexts are its to name. Those of other plays will do if they were
// under way at the same time: what is asked is that the server does not mix them up.
var Crowd = conversation.Scenario{Name: "crowd", Play: func(c *conversation.Conversation) {
	if c.ReuseSimultaneousSteps("call", SharedCrowd) || !waitForRoom(c, chooseDialectCrowdSize(c)) {
		return
	}
	if sendCrowdAndReportServed(c, "call") || c.Stopped() {
		return
	}
	// The server may still have counted what was given up before.
	c.Pause(time.Second)
	sendCrowdAndReportServed(c, "again")
}}

// crowded is how many messages make a crowd, unless the dialect gives another number. The
// scenarios.yaml counts with it.
const crowded = 10

// SharedCrowd is how many at the same time need not be alone.
const SharedCrowd = 2

// chooseDialectCrowdSize is how many messages make a crowd here.
func chooseDialectCrowdSize(c *conversation.Conversation) int {
	return cmp.Or(c.Dialect.Crowd, crowded)
}

// sendCrowdAndReportServed sends the messages of a crowd and reports whether all were served.
func sendCrowdAndReportServed(c *conversation.Conversation, name string) bool {
	var calls []*conversation.Pending
	for i := range chooseDialectCrowdSize(c) {
		o := c.NewMessage("quick")
		if c.Writer.ServerContexts {
			o.Context, o.Bare = "", true
		}
		calls = append(calls, c.Start(conversation.Step{Name: fmt.Sprintf("%s-%d", name, i+1), Op: "send"}, o))
	}
	served := 0
	for _, call := range calls {
		if call.Wait().OK() {
			served++
		}
	}
	return served == len(calls)
}
