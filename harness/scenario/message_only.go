package scenario

import (
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
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
			o := c.NewMessage(stimulus)
			o.Hurried = true // which changes nothing of a message
			defer c.Start(Step{Name: "send", Op: "send"}, o).Wait()
		} else if _, _, ok = c.Reuse("send", wire.Main, answeredAlone); !ok {
			StopForMissing(c, stimulus)
			return
		} else {
			stimulus = "quick"
		}
		if c.Dialect.Has("stream") && c.Claimed("streaming") {
			c.Call(Step{Name: "subscribe", Op: "stream", Closes: true}, c.NewMessageOf(stimulus, true))
		}
	},
}

// outputModes accepts the first of the types that the card says the agent
// answers in, and no other.
var outputModes = Scenario{
	Name: "output-modes", Doc: "a harmless message that accepts one type of output",
	Ops: []string{"send"}, Sends: 1, After: []string{"kitchen-sink"},
	Play: func(c *Conversation) {
		modes := firstOutputMode(c)
		if len(modes) == 0 {
			c.Play.Stop = "the card lists no output modes"
			return
		}
		if _, _, ok := c.Reuse("send", wire.Main, "kitchen-sink/acceptedOutputModes"); ok {
			return
		}
		o := c.NewMessage("quick")
		o.Modes = modes
		c.Call(Step{Name: "send", Op: "send"}, o)
	},
}

// firstOutputMode is the first of the types that the card says the agent answers in, alone.
func firstOutputMode(c *Conversation) []string {
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
		play := askPlay{c}
		o := c.NewMessage("ask")
		sent := c.Call(Step{Name: "send", Op: "send"}, o)
		task := TaskID(o, sent)
		if !c.AwaitsClient(c.PollSoon("poll", task, sent.State)) {
			c.NotSent(Step{Name: "answer", Op: "send"}, "send", "the agent did not wait for an answer")
			return
		}
		lists := c.Dialect.Has("list")
		if lists {
			c.Call(Step{Name: "before", Op: "get"}, dialect.Outgoing{Task: task})
		}
		answer := play.newAnswer(o, sent)
		answer.Context = c.NewID()
		c.Call(Step{Name: "answer", Op: "send", Role: wire.Probe, Contradicts: true}, answer)
		c.Call(Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
		if lists && sent.Ctx != "" {
			play.moveToFront(task, sent.Ctx)
		}
	},
}

// moveToFront makes another task in a context, cancels the one that was there, and
// lists them.
func (c askPlay) moveToFront(task, context string) {
	o, none := c.NewMessage("quick"), 0
	o.Context, o.HistoryLength = context, &none
	beside := c.Call(Step{Name: "beside", Op: "send"}, o)
	c.PollSoon("beside-poll", TaskID(o, beside), beside.State)
	separateTimestamps(c.Conversation)
	about := dialect.Outgoing{Task: task, Metadata: map[string]any{"reason": map[string]any{"code": 1}}}
	if r := c.Call(Step{Name: "cancel", Op: "cancel"}, about); !r.OK() {
		about.Metadata = nil
		c.Call(Step{Name: "cancel-plain", Op: "cancel", Role: wire.Twin}, about)
		c.Play.Step("cancel").Twin = "cancel-plain"
	}
	NewTaskList(c.Conversation, context).FetchAll("list", dialect.Listing{})
}

// artifact sends what makes the agent produce an artifact, and looks its task
// up.
var artifact = Scenario{
	Name: "artifact", Doc: "a message that leads to an artifact, then a look at its task",
	Ops: []string{"send", "get"}, Needs: []string{"chunks"}, Sends: 1,
	Play: func(c *Conversation) {
		o := c.NewMessage("chunks")
		sent := c.Call(Step{Name: "send", Op: "send"}, o)
		task := TaskID(o, sent)
		c.PollSoon("poll", task, sent.State)
		c.Call(Step{Name: "get", Op: "get"}, dialect.Outgoing{Task: task})
		if sent.OK() && task != "" {
			c.Offer("send", o, sent)
		}
	},
}
