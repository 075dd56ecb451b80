package scenario

import (
	"bytes"
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
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
	// To write and to sum up the text takes its time, too.
	Prepare: func(c *Conversation) { c.heavy = c.largest() },
	Play: func(c *Conversation) {
		large := c.heavy
		if large == nil {
			large = c.largest()
		}
		c.heavy = nil
		c.weigh(large)
		if c.Writer.DataPart == nil {
			c.NotSent(Step{Name: "deep", Op: "send"}, "", "messages of this protocol have no part for data")
			return
		}
		o := c.say("quick")
		o.Parts = []map[string]any{c.Writer.DataPart(weighty)}
		c.weigh(c.pack("deep", fmt.Sprintf("a data part of %d nested arrays", deepData), o, `"`+weighty+`"`, load{open: "[", close: "]", times: deepData}))
	},
}

// largest is the message with a very large text.
func (c *Conversation) largest() *parcel {
	o := c.say("quick")
	o.Text = weighty
	return c.pack("large", fmt.Sprintf("a text part of %d bytes", largeText), o, weighty, load{open: "Ave. ", times: largeText / 5})
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

// weighty holds the place of what makes a message heavy: the load costs less
// memory so, and the standard encoder does not go as deep as some loads.
const weighty = "weighty-part"

// A parcel is a heavy message, ready to be sent.
type parcel struct {
	name   string
	about  dialect.Outgoing
	call   client.Call
	recipe *record.Recipe
	sent   *Pending // nil where it is not under way
}

// pack writes a heavy message; nil where the binding has no words for it. Protobuf tells
// the length of everything, so that a load is there from the beginning, and its readers
// have bounds of their own on what is nested.
func (c *Conversation) pack(name, what string, o dialect.Outgoing, mark string, weight load) *parcel {
	switch {
	case c.inProtobuf() && weight.close != "":
		for _, name := range []string{name, name + "-alive"} {
			c.speechless(Step{Name: name, Op: "send"}, "protobuf itself limits how deep messages may be nested")
		}
		return nil
	case c.inProtobuf():
		o.Text = string(weight.in([]byte(o.Text), mark))
	}
	call := c.write(Step{Op: "send"}, c.Request(name, "send", o))
	if c.inProtobuf() {
		return &parcel{name: name, about: o, call: call, recipe: recipe(what, call.Body)}
	}
	call.Body = weight.in(call.Body, mark)
	return &parcel{name: name, about: o, call: call, recipe: recipe(what, call.Body)}
}

// weigh sends a heavy message and sees whether the server is alive.
func (c *Conversation) weigh(p *parcel) {
	if p != nil {
		c.outlive(p, c.Send(p.step(), p.call))
	}
}

// step is the call with a heavy message.
func (p *parcel) step() Step {
	return Step{Name: p.name, Role: record.Probe, Op: "send", Task: p.about.Task, Ctx: p.about.Context, Fresh: true, Recipe: p.recipe}
}

// outlive sees whether the server is alive after a heavy message. One that was
// refused in words never reached the agent, and one with a result was answered by
// it, so that any answer of the server will do; after any other outcome the agent
// itself has to answer. Where a message can be about a task that never was, that is
// what the server is asked, since it may be messages that it takes no more.
func (c *Conversation) outlive(p *parcel, r *Reply) {
	alive := Step{Name: p.name + "-alive", Role: record.Alive, Op: "send", Fresh: true}
	refused := r.Answered() && !r.IsStream() && (r.Status()/100 == 4 || r.Answer.Failure.Exists() && !r.OK())
	unknown := dialect.Outgoing{Task: c.NewID()}
	switch {
	case !refused && !r.OK():
		c.Call(alive, c.say("quick"))
	case r.OK() && c.Writer.Continues && !c.Writer.ClientTasks:
		unknown.Text = c.Stimuli[c.spoken("quick")].Text
		alive.Role = record.Probe // it may well be refused
		c.Call(alive, unknown)
	default:
		alive.Op = "get"
		c.Call(alive, unknown)
	}
}
