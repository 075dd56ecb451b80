package endpoint

import (
	"cmp"
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Crosswise goes to and fro between the interfaces of an agent. Its own task is made at
// the first of them, followed and looked at from each and, once it has ended, asked at
// each for what an ended task does not allow any more. Those of the others' plays are
// looked at from both sides. What is done at the first interface has a plain name, and
// the same at another has its number behind it.
var Crosswise = conversation.Scenario{Name: "crosswise", Play: func(c *conversation.Conversation) {
	all := []*conversation.Conversation{c}
	for _, other := range c.Others {
		all = append(all, conversation.AtInterface(c, other))
	}
	x := crossPlay{Conversation: c, all: all}
	o, sent := x.makeTaskAndFollowEverywhere()
	x.probeUnknownTaskPerInterface()
	task := conversation.TaskID(o, sent)
	state := sent.State
	if x.followed && !c.IsTerminalOrAwaitsClient(state) { // it has ended, as far as the streams showed
		state = c.Call(conversation.Step{Name: "look", Op: "get"}, dialect.Outgoing{Task: task}).State
	}
	state = c.PollUntilAtRest("poll", task, state, c.WorkTime("slow")/8, c.PatienceForSlowMessage())
	if task == "" || !c.IsTerminal(state) {
		x.forEachInterface(func(_ *conversation.Conversation, name func(string) string) {
			c.NotSent(conversation.Step{Name: name("get"), Op: "get"}, "send", "no task ended that could be looked up at several interfaces: its state is %q", state)
		})
	} else {
		x.probeEndedTaskOnInterfaces(conversation.NewFollowUpMessage(o.Text+" again", o, sent))
		x.useWebhooksAtEachInterface(task)
	}
	x.lookUpOtherInterfacesTasks()
	x.callTasklessOperations()
}}

// crossPlay is a play at several interfaces: the first, and all with it.
type crossPlay struct {
	*conversation.Conversation
	all      []*conversation.Conversation
	followed bool // its task, until each of its streams was over
}

// forEachInterface does something at each interface, with the name that steps have there.
func (x crossPlay) forEachInterface(do func(c *conversation.Conversation, name func(string) string)) {
	for n, c := range x.all {
		do(c, func(step string) string {
			if n == 0 {
				return step
			}
			return fmt.Sprintf("%s-%d", step, n+1)
		})
	}
}

// makeTaskAndFollowEverywhere makes the task of the play. If it takes its time and can be followed, that
// is done at each interface; each stream has begun before the next is opened.
func (x *crossPlay) makeTaskAndFollowEverywhere() (dialect.Outgoing, *conversation.Reply) {
	follow := x.CanSubscribe()
	_, slow := x.Stimulus("slow")
	if !follow || !slow {
		o := x.NewMessage("quick")
		return o, x.Call(conversation.Step{Name: "send", Op: "send"}, o)
	}
	o, lasts, began := x.NewMessage("slow"), x.WorkTime("slow"), x.Client.Now()
	sent := x.Start(conversation.Step{Name: "send", Op: "send"}, o)
	if !sent.Ended(lasts/2) && o.Task == "" {
		x.forEachInterface(func(c *conversation.Conversation, name func(string) string) {
			c.NotSent(conversation.Step{Name: name("follow"), Op: "resubscribe"}, "send", "the run did not know the task's id while the task ran: the server sends its reply only at the end")
		})
		r := sent.Wait()
		if r.OK() && !x.IsTerminalOrAwaitsClient(r.State) { // it only came late
			x.Play.Step("follow").Late = "the reply with the task's id came too late"
		}
		return o, r
	}
	task := o.Task
	if task == "" {
		task = conversation.TaskID(o, sent.Wait())
	}
	var streams []*conversation.Pending
	x.forEachInterface(func(c *conversation.Conversation, name func(string) string) {
		streams = append(streams, c.Subscribe(name("follow"), task, true))
	})
	for _, s := range streams {
		x.followed = s.Wait().IsStream() || x.followed
	}
	x.forEachInterface(func(c *conversation.Conversation, name func(string) string) {
		c.NewAgentWork(began, lasts).MarkLateIfNearWorkEnd(name("follow"))
	})
	return o, sent.Wait()
}

// probeUnknownTaskPerInterface asks each interface about a task that never was.
func (x crossPlay) probeUnknownTaskPerInterface() {
	none := dialect.Outgoing{Task: x.NewID()}
	x.forEachInterface(func(c *conversation.Conversation, name func(string) string) {
		c.Call(conversation.Step{Name: name("unknown"), Op: "get", Role: record.Probe}, none)
		c.Call(conversation.Step{Name: name("cancel-unknown"), Op: "cancel", Role: record.Probe}, none)
	})
}

// probeEndedTaskOnInterfaces looks at a task that has ended from each side, at the first twice, and asks at
// each for what such a task does not allow.
func (x crossPlay) probeEndedTaskOnInterfaces(toEndedTask dialect.Outgoing) {
	x.forEachInterface(func(c *conversation.Conversation, name func(string) string) {
		c.LookUpTask(name("get"), toEndedTask.Task, atMost)
	})
	x.LookUpTask("get-again", toEndedTask.Task, atMost)
	x.forEachInterface(func(c *conversation.Conversation, name func(string) string) {
		about := dialect.Outgoing{Task: toEndedTask.Task}
		c.Call(conversation.Step{Name: name("cancel-finished"), Op: "cancel", Role: record.Probe}, about)
		if c.Writer.Continues {
			c.Call(conversation.Step{Name: name("send-finished"), Op: "send", Role: record.Probe}, toEndedTask)
		}
		if c.Dialect.Has("resubscribe") {
			c.Call(conversation.Step{Name: name("resubscribe-finished"), Op: "resubscribe", Role: record.Probe}, about)
		}
	})
}

// useWebhooksAtEachInterface gives the task a webhook at each interface, asks each for all of them and
// for its own, and takes them back.
func (x crossPlay) useWebhooksAtEachInterface(task string) {
	if !x.Dialect.Has("push-set") {
		return
	}
	ids := map[*conversation.Conversation]string{}
	x.forEachInterface(func(c *conversation.Conversation, name func(string) string) {
		config := conversation.NewPushConfig(x.Conversation, conversation.NewHook(x.Conversation, name("push-set")))
		if c.Writer.NamedWebhooks {
			config.ID = c.NewID()
		}
		r := c.Call(conversation.Step{Name: name("push-set"), Op: "push-set", Role: record.Probe}, dialect.Outgoing{Task: task, Push: c.Writer.Push(config)})
		ids[c] = cmp.Or(c.ReadWebhookConfigText("push-set", "id", r.Result), config.ID, c.NewID())
	})
	for _, op := range []string{"push-list", "push-get", "push-delete"} {
		x.forEachInterface(func(c *conversation.Conversation, name func(string) string) {
			if !c.Dialect.Has(op) {
				return
			}
			about := dialect.Outgoing{Task: task}
			if op != "push-list" {
				about.Config = ids[c]
			}
			c.Call(conversation.Step{Name: name(op), Op: op, Role: record.Probe}, about)
		})
	}
}

// lookUpOtherInterfacesTasks looks at the tasks that the plays at the other interfaces made, there and at
// the first.
func (x crossPlay) lookUpOtherInterfacesTasks() {
	x.forEachInterface(func(c *conversation.Conversation, name func(string) string) {
		if c == x.Conversation {
			return
		}
		o, made := c.ReuseOrSendQuickMessage(name("own"), "quick")
		task := conversation.TaskID(o, made)
		state := c.PollBrieflyUntilAtRest(name("own-poll"), task, made.State)
		if task == "" || !c.IsTerminal(state) {
			c.NotSent(conversation.Step{Name: name("own-here"), Op: "get"}, name("own"), "the task had not ended: its state is %q", state)
			return
		}
		c.LookUpTask(name("own-here"), task, atMost)
		x.LookUpTask(name("own-there"), task, atMost)
	})
}

// callTasklessOperations asks each interface for what is about no single task.
func (x crossPlay) callTasklessOperations() {
	x.forEachInterface(func(c *conversation.Conversation, name func(string) string) {
		if c.CanStream() {
			c.AwaitPromise("stream")
			if _, _, ok := c.ReuseOfferedStep(name("stream"), record.Main, "stream"); !ok {
				c.Call(conversation.Step{Name: name("stream"), Op: "stream"}, c.NewMessage("quick"))
			}
		}
		if c.Dialect.Has("list") {
			c.Call(conversation.Step{Name: name("list"), Op: "list", Role: record.Probe}, dialect.Outgoing{Listing: &dialect.Listing{Size: 1}})
		}
		if c.Dialect.Has("extended-card") {
			c.Call(conversation.Step{Name: name("extended-card"), Op: "extended-card", Role: record.Probe}, dialect.Outgoing{})
		}
	})
}

// atMost is how many messages of a history are asked for, so that no interface has to
// choose.
const atMost = 50
