package scenario

import (
	"cmp"
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// crosswise goes to and fro between the interfaces of an agent. Its own task is made at
// the first of them, followed and looked at from each and, once it has ended, asked at
// each for what an ended task does not allow any more. Those of the others' plays are
// looked at from both sides. What is done at the first interface has a plain name, and
// the same at another has its number behind it.
var crosswise = Scenario{
	Name: "crosswise", Doc: "one task looked up, followed and continued at each interface, and tasks of the other interfaces looked up at the first",
	Several: true, Ops: []string{"send", "get", "cancel"}, Instead: []string{"slow"}, Sends: 3, Chain: 1, Wide: 4, After: []string{"quick", "stream"},
	Play: func(c *Conversation) {
		all := []*Conversation{c}
		for _, other := range c.Others {
			all = append(all, c.at(other))
		}
		x := crossing{Conversation: c, all: all}
		o, sent := x.begin()
		x.strangers()
		task := named(o, sent)
		state := sent.State
		if x.followed && !c.settled(state) { // it has ended, as far as the streams told
			state = c.Call(Step{Name: "look", Op: "get"}, dialect.Outgoing{Task: task}).State
		}
		state = c.follow("poll", task, state, c.lasts("slow")/8, c.patience())
		if s := c.Dialect.State(state); task == "" || s == nil || !s.Terminal {
			x.each(func(_ *Conversation, name func(string) string) {
				c.NotSent(Step{Name: name("get"), Op: "get"}, "send", "no task ended that could be looked up at several interfaces: its state is %q", state)
			})
		} else {
			x.ended(further(o.Text+" again", o, sent))
			x.webhooks(task)
		}
		x.theirs()
		x.questions()
	},
}

// crossing is a play at several interfaces: the first, and all with it.
type crossing struct {
	*Conversation
	all      []*Conversation
	followed bool // its task, until each of its streams was over
}

// each does something at each interface, with the name that steps have there.
func (x crossing) each(do func(c *Conversation, name func(string) string)) {
	for n, c := range x.all {
		do(c, func(step string) string {
			if n == 0 {
				return step
			}
			return fmt.Sprintf("%s-%d", step, n+1)
		})
	}
}

// begin makes the task of the play. Where it takes its time and can be followed, that
// is done at each interface; each stream has begun before the next is opened.
func (x *crossing) begin() (dialect.Outgoing, *Reply) {
	follow := x.Dialect.Has("resubscribe") && x.Claimed("streaming")
	_, slow := x.Stimulus("slow")
	if !follow || !slow {
		o := x.say("quick")
		return o, x.Call(Step{Name: "send", Op: "send"}, o)
	}
	o, lasts, began := x.say("slow"), x.lasts("slow"), x.Client.Now()
	sent := x.Start(Step{Name: "send", Op: "send"}, o)
	if !sent.Ended(lasts/2) && o.Task == "" {
		x.each(func(c *Conversation, name func(string) string) {
			c.NotSent(Step{Name: name("follow"), Op: "resubscribe"}, "send", "the run did not know the task's id while the task ran: the server sends its reply only at the end")
		})
		r := sent.Wait()
		if r.OK() && !x.settled(r.State) { // it only came late
			x.Play.Step("follow").Late = "the reply with the task's id came too late"
		}
		return o, r
	}
	task := o.Task
	if task == "" {
		task = named(o, sent.Wait())
	}
	var streams []*Pending
	x.each(func(c *Conversation, name func(string) string) {
		streams = append(streams, c.join(name("follow"), task, true))
	})
	for _, s := range streams {
		x.followed = s.Wait().IsStream() || x.followed
	}
	x.each(func(c *Conversation, name func(string) string) { c.tooLate(name("follow"), began, lasts) })
	return o, sent.Wait()
}

// strangers asks each interface about a task that never was.
func (x crossing) strangers() {
	none := dialect.Outgoing{Task: x.NewID()}
	x.each(func(c *Conversation, name func(string) string) {
		c.Call(Step{Name: name("unknown"), Op: "get", Role: record.Probe}, none)
		c.Call(Step{Name: name("cancel-unknown"), Op: "cancel", Role: record.Probe}, none)
	})
}

// atMost is how many messages of a history are asked for, so that no interface has to
// choose.
const atMost = 50

// ended looks at a task that has ended from each side, at the first twice, and asks at
// each for what such a task does not allow.
func (x crossing) ended(again dialect.Outgoing) {
	x.each(func(c *Conversation, name func(string) string) { c.look(name("get"), again.Task, atMost) })
	x.look("get-again", again.Task, atMost)
	x.each(func(c *Conversation, name func(string) string) {
		about := dialect.Outgoing{Task: again.Task}
		c.Call(Step{Name: name("cancel-finished"), Op: "cancel", Role: record.Probe}, about)
		if c.Writer.Continues {
			c.Call(Step{Name: name("send-finished"), Op: "send", Role: record.Probe}, again)
		}
		if c.Dialect.Has("resubscribe") {
			c.Call(Step{Name: name("resubscribe-finished"), Op: "resubscribe", Role: record.Probe}, about)
		}
	})
}

// webhooks gives the task a webhook at each interface, asks each for all of them and
// for its own, and takes them back.
func (x crossing) webhooks(task string) {
	if !x.Dialect.Has("push-set") {
		return
	}
	ids := map[*Conversation]string{}
	x.each(func(c *Conversation, name func(string) string) {
		config := x.config(x.hook(name("push-set")))
		if c.Writer.NamedWebhooks {
			config.ID = c.NewID()
		}
		r := c.Call(Step{Name: name("push-set"), Op: "push-set", Role: record.Probe}, dialect.Outgoing{Task: task, Push: c.Writer.Push(config)})
		ids[c] = cmp.Or(c.configured("push-set", "id", r.Result), config.ID, c.NewID())
	})
	for _, op := range []string{"push-list", "push-get", "push-delete"} {
		x.each(func(c *Conversation, name func(string) string) {
			if !c.Dialect.Has(op) {
				return
			}
			about := dialect.Outgoing{Task: task}
			if op != "push-list" {
				about.Config = ids[c]
			}
			c.Call(Step{Name: name(op), Op: op, Role: record.Probe}, about)
		})
	}
}

// theirs looks at the tasks that the plays at the other interfaces made, there and at
// the first.
func (x crossing) theirs() {
	x.each(func(c *Conversation, name func(string) string) {
		if c == x.Conversation {
			return
		}
		o, made := c.greeting(name("own"), "quick")
		task := named(o, made)
		state := c.soon(name("own-poll"), task, made.State)
		if s := c.Dialect.State(state); task == "" || s == nil || !s.Terminal {
			c.NotSent(Step{Name: name("own-here"), Op: "get"}, name("own"), "the task had not ended: its state is %q", state)
			return
		}
		c.look(name("own-here"), task, atMost)
		x.look(name("own-there"), task, atMost)
	})
}

// questions asks each interface for what is about no single task.
func (x crossing) questions() {
	x.each(func(c *Conversation, name func(string) string) {
		if c.Dialect.Has("stream") && c.Claimed("streaming") {
			if _, _, ok := c.rest(name("stream"), record.Main, "stream"); !ok {
				c.Call(Step{Name: name("stream"), Op: "stream"}, c.say("quick"))
			}
		}
		if c.Dialect.Has("list") {
			c.Call(Step{Name: name("list"), Op: "list", Role: record.Probe}, dialect.Outgoing{Listing: &dialect.Listing{Size: 1}})
		}
		if c.Dialect.Has("extended-card") {
			c.Call(Step{Name: name("extended-card"), Op: "extended-card", Role: record.Probe}, dialect.Outgoing{})
		}
	})
}
