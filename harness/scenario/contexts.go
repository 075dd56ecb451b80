package scenario

import (
	"cmp"
	"fmt"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
)

// turns sends three messages in one context, one after the other.
var turns = Scenario{
	Name: "turns", Doc: "three harmless messages in one context",
	Ops: []string{"send"}, Sends: 3, Chain: 2,
	Play: func(c *Conversation) {
		context := c.NewContext()
		for _, name := range []string{"first", "second", "third"} {
			o := c.NewMessage("quick")
			o.Context = context
			if r := c.Call(Step{Name: name, Op: "send"}, o); context == "" {
				context = r.Ctx
			}
		}
	},
}

// crowded is how many messages make a crowd, unless the dialect says so.
const crowded = 10

// company is how many at the same time need not be alone.
const company = 2

// crowd sends many messages at the same time, each in a context of its own,
// which the server names where contexts are its to name.
var crowd = Scenario{
	Name: "crowd", Doc: "many harmless messages at the same time, each in its own context",
	Class: Exclusive, Ops: []string{"send"}, Sends: 2 * crowded,
	Play: func(c *Conversation) {
		if !waitForRoom(c, crowdSize(c)) {
			return
		}
		if sendCrowd(c, "call") || c.Stopped() {
			return
		}
		// The server may still have counted what was given up before.
		c.Pause(time.Second)
		sendCrowd(c, "again")
	},
}

// crowdSize is how many messages make a crowd here.
func crowdSize(c *Conversation) int { return cmp.Or(c.Dialect.Crowd, crowded) }

// sendCrowd sends the messages of a crowd and reports whether all were served.
func sendCrowd(c *Conversation, name string) bool {
	var calls []*Pending
	for i := range crowdSize(c) {
		o := c.NewMessage("quick")
		if c.Writer.ServerContexts {
			o.Context, o.Bare = "", true
		}
		calls = append(calls, c.Start(Step{Name: fmt.Sprintf("%s-%d", name, i+1), Op: "send"}, o))
	}
	served := 0
	for _, call := range calls {
		if call.Wait().OK() {
			served++
		}
	}
	return served == len(calls)
}

// cancelReason cancels a streamed task and says why.
var cancelReason = Scenario{
	Name: "cancel-reason", Doc: "a streamed task canceled with a reason", Wide: 2,
	Ops: []string{"stream", "cancel"}, Needs: []string{"slow"}, Claims: []string{"streaming"}, Sends: 1,
	Play: func(c *Conversation) {
		began, lasts := c.Client.Now(), c.WorkTime("slow")
		s, task, _ := OpenSlowStream(c, "subscribe")
		defer s.Wait()
		if task == "" {
			c.NotSent(Step{Name: "cancel", Op: "cancel"}, "subscribe", "no reply named a running task in time: make stimuli.slow take longer")
			return
		}
		c.Call(Step{Name: "cancel", Op: "cancel"}, dialect.Outgoing{Task: task, Reason: "The suite has seen enough."})
		c.WorkSince(began, lasts).MarkLate("cancel")
	},
}

// deadline sends the slow message and allows it a quarter of its time, by a
// header and then by a member of the call.
var deadline = Scenario{
	Name: "deadline", Doc: "a message that takes longer than its header allows, and one that takes longer than a call may",
	Ops: []string{"send"}, Needs: []string{"slow"}, Sends: 2, Chain: 1,
	Play: func(c *Conversation) {
		if c.Writer.Allow == nil {
			c.Play.Stop = "the protocol has no header for the time that a call may take"
			return
		}
		c.Call(Step{Name: "send", Op: "send", Header: c.Writer.Allow(c.WorkTime("slow") / 4)}, c.NewMessage("slow"))
		if c.Writer.Within == nil {
			return
		}
		o := c.NewMessage("slow")
		request := c.Request("configured", "send", o)
		params, _ := request.Members()
		c.Writer.Within(params, c.WorkTime("slow")/4)
		c.Post(Step{Name: "configured", Op: "send", Task: o.Task, Ctx: o.Context}, request)
	},
}
