package scenario

import (
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// answeredAlone is the name under which the harmless message is offered where it is
// answered by a message.
const answeredAlone = "answered by a message"

// talk sends what an agent answers without making a task of it, and has it
// streamed too. Where no such message is known, the harmless one may have shown to
// be one.
var talk = Scenario{
	Name: "talk", Doc: "a message that is answered by a message, and the same streamed",
	Ops: []string{"send"}, Sends: 2, Wide: 2, Instead: []string{"message"},
	Play: func(c *Conversation) {
		stimulus := "message"
		if _, ok := c.Stimulus(stimulus); ok {
			o := c.say(stimulus)
			o.Hurried = true // which changes nothing of a message
			defer c.Start(Step{Name: "send", Op: "send"}, o).Wait()
		} else if _, _, ok = c.rest("send", record.Main, answeredAlone); !ok {
			c.endForLackOf(stimulus)
			return
		} else {
			stimulus = "quick"
		}
		if c.Dialect.Has("stream") && c.Claimed("streaming") {
			c.Call(Step{Name: "subscribe", Op: "stream", Closes: true}, c.word(stimulus, true))
		}
	},
}

// outputModes accepts the first of the types that the card says the agent
// answers in, and no other.
var outputModes = Scenario{
	Name: "output-modes", Doc: "a harmless message that accepts one type of output",
	Ops: []string{"send"}, Sends: 1, After: []string{"kitchen-sink"},
	Play: func(c *Conversation) {
		modes := c.oneMode()
		if len(modes) == 0 {
			c.Play.Stop = "the card lists no output modes"
			return
		}
		if _, _, ok := c.rest("send", record.Main, "kitchen-sink/acceptedOutputModes"); ok {
			return
		}
		o := c.say("quick")
		o.Modes = modes
		c.Call(Step{Name: "send", Op: "send"}, o)
	},
}

// oneMode is the first of the types that the card says the agent answers in, alone.
func (c *Conversation) oneMode() []string {
	modes := c.Card.OutputModes()
	return modes[:min(1, len(modes))]
}

// foreignContext answers the agent's question from another context. Where tasks can
// be listed, a second task is made in the context of the first, which is canceled
// then, so that it is the latest to change.
var foreignContext = Scenario{
	Name: "foreign-context", Doc: "a message that makes the agent ask, answered from another context",
	Ops: []string{"send", "get"}, Needs: []string{"ask"}, Sends: 2,
	Play: func(c *Conversation) {
		o := c.say("ask")
		sent := c.Call(Step{Name: "send", Op: "send"}, o)
		task := named(o, sent)
		if !c.waiting(c.soon("poll", task, sent.State)) {
			c.NotSent(Step{Name: "answer", Op: "send"}, "send", "the agent did not wait for an answer")
			return
		}
		lists := c.Dialect.Has("list")
		if lists {
			c.Call(Step{Name: "before", Op: "get"}, dialect.Outgoing{Task: task})
		}
		answer := c.answer(o, sent)
		answer.Context = c.NewID()
		c.Call(Step{Name: "answer", Op: "send", Role: record.Probe, Contradicts: true}, answer)
		c.Call(Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
		if lists && sent.Ctx != "" {
			c.moveToFront(task, sent.Ctx)
		}
	},
}

// moveToFront makes another task in a context, cancels the one that was there, and
// lists them.
func (c *Conversation) moveToFront(task, context string) {
	o, none := c.say("quick"), 0
	o.Context, o.HistoryLength = context, &none
	beside := c.Call(Step{Name: "beside", Op: "send"}, o)
	c.soon("beside-poll", named(o, beside), beside.State)
	c.apartInTime()
	about := dialect.Outgoing{Task: task, Metadata: map[string]any{"reason": map[string]any{"code": 1}}}
	if r := c.Call(Step{Name: "cancel", Op: "cancel"}, about); !r.OK() {
		about.Metadata = nil
		c.Call(Step{Name: "cancel-plain", Op: "cancel", Role: record.Twin}, about)
		c.Play.Step("cancel").Twin = "cancel-plain"
	}
	c.listWhole("list", context, dialect.Listing{})
}

// artifact sends what makes the agent produce an artifact, and looks its task
// up.
var artifact = Scenario{
	Name: "artifact", Doc: "a message that leads to an artifact, then a look at its task",
	Ops: []string{"send", "get"}, Needs: []string{"chunks"}, Sends: 1,
	Play: func(c *Conversation) {
		o := c.say("chunks")
		sent := c.Call(Step{Name: "send", Op: "send"}, o)
		task := named(o, sent)
		c.soon("poll", task, sent.State)
		c.Call(Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
		if sent.OK() && task != "" {
			c.offer("send", o, sent)
		}
	},
}
