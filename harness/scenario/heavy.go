package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/google/uuid"
)

const (
	largeText = 10 << 20 // bytes of text in one part
	deepData  = 20_000   // arrays, one inside the other
)

// heavy sends a very large message and a very deep one, and looks after each
// whether the server still serves.
var heavy = Scenario{
	Name: "heavy", Doc: "a text of 10 MB and data 20,000 levels deep",
	Class: Exclusive, Risk: schema.Heavy, Ops: []string{"send", "get"}, Sends: 4,
	Play: func(c *Conversation) {
		// A mark holds the place of what makes a message heavy: the text costs less
		// memory so, and the standard encoder does not go as deep as the data.
		const mark = "heavy-part"
		o := c.say("quick")
		o.Text = mark
		c.weigh("large", fmt.Sprintf("a text part of %d bytes", largeText), o, mark, load{open: "Ave. ", times: largeText / 5})
		if c.Writer.DataPart == nil {
			c.NotSent(Step{Name: "deep", Op: "send"}, "", "messages of this protocol have no part for data")
			return
		}
		o = c.say("quick")
		o.Parts = []map[string]any{c.Writer.DataPart(mark)}
		c.weigh("deep", fmt.Sprintf("a data part of %d nested arrays", deepData), o, `"`+mark+`"`, load{open: "[", close: "]", times: deepData})
	},
}

// A load is what makes a message heavy: a text repeated, or nested in itself.
type load struct {
	open, core, close string
	times             int
}

// in is a text with the load in the place of the mark.
func (l load) in(text []byte, mark string) []byte {
	before, after, _ := bytes.Cut(text, []byte(mark))
	out := make([]byte, 0, len(text)+l.times*(len(l.open)+len(l.close))+len(l.core))
	out = append(out, before...)
	for range l.times {
		out = append(out, l.open...)
	}
	out = append(out, l.core...)
	for range l.times {
		out = append(out, l.close...)
	}
	return append(out, after...)
}

// weigh sends a heavy message and sees whether the server is alive. One that
// was refused in words never reached the agent, so that any answer of the
// server will do; after any other outcome the agent itself has to answer.
func (c *Conversation) weigh(name, what string, o dialect.Outgoing, mark string, weight load) {
	body, err := json.Marshal(c.Request(name, "send", o))
	if err != nil {
		panic(fmt.Sprintf("a request of ours cannot be written: %v", err))
	}
	body = weight.in(body, mark)
	r := c.Raw(Step{Name: name, Role: wire.Probe, Op: "send", Task: o.Task, Ctx: o.Context, Fresh: true, Recipe: recipe(what, body)}, body)
	alive := Step{Name: name + "-alive", Role: wire.Alive, Op: "send", Fresh: true}
	refused := r.Answered() && !r.IsStream() && (r.Status()/100 == 4 || r.Root != nil && r.Root.At("/error") != nil && !r.OK())
	if refused {
		alive.Op = "get"
		c.Call(alive, dialect.Outgoing{Task: uuid.NewString()})
		return
	}
	c.Call(alive, c.say("quick"))
}
