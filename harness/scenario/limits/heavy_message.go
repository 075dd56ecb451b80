package limits

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// A filler is what makes a message heavy: a text repeated, or nested in itself.
type filler struct {
	open, core, close string
	times             int
}

// fillIn is a text with the load in the place of the mark.
func (l filler) fillIn(text []byte, mark string) []byte {
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

// A heavyMessage is a heavy message, ready to be sent.
type heavyMessage struct {
	name   string
	about  dialect.Outgoing
	call   client.Call
	recipe *record.Recipe
}

// newStep is the call with a heavy message.
func (p *heavyMessage) newStep() conversation.Step {
	return conversation.Step{Name: p.name, Role: record.Probe, Op: "send", Task: p.about.Task, Ctx: p.about.Context, Fresh: true, Recipe: p.recipe}
}

// newHeavyMessage writes a heavy message; nil if the binding has no words for it. Protobuf states
// the length of everything, so that a load is there from the beginning, and its readers
// have bounds of their own on what is nested.
func newHeavyMessage(c *conversation.Conversation, name, what string, o dialect.Outgoing, mark string, weight filler) *heavyMessage {
	switch {
	case c.UsesProtobuf() && weight.close != "":
		for _, name := range []string{name, name + "-alive"} {
			c.RecordInexpressibleStep(conversation.Step{Name: name, Op: "send"}, "protobuf itself limits how deep messages may be nested")
		}
		return nil
	case c.UsesProtobuf():
		o.Text = string(weight.fillIn([]byte(o.Text), mark))
	}
	call := c.MustEncode(conversation.Step{Op: "send"}, c.Request(name, "send", o))
	if !c.UsesProtobuf() {
		call.Body = weight.fillIn(call.Body, mark)
	}
	return &heavyMessage{name: name, about: o, call: call, recipe: newRecipe(what, call.Body)}
}

// sendHeavyThenLivenessCall sends a heavy message and sees whether the server is alive.
func sendHeavyThenLivenessCall(c *conversation.Conversation, p *heavyMessage) {
	if p != nil {
		sendLivenessCall(c, p, c.Send(p.newStep(), p.call))
	}
}

// sendLivenessCall sees whether the server is alive after a heavy message. One that was
// refused in words never reached the agent, and one with a result was answered by
// it, so that any answer of the server will do; after any other outcome the agent
// itself has to answer. If a message can be about a task that never was, that is
// what the server is asked, since it may be messages that it takes no more.
func sendLivenessCall(c *conversation.Conversation, p *heavyMessage, r *conversation.Reply) {
	alive := conversation.Step{Name: p.name + "-alive", Role: record.Alive, Op: "send", Fresh: true}
	refused := r.Answered() && !r.IsStream() && (r.Status()/100 == 4 || r.Answer.Failure.Exists() && !r.OK())
	unknown := dialect.Outgoing{Task: c.NewID()}
	switch {
	case !refused && !r.OK():
		c.Call(alive, c.NewMessage("quick"))
	case r.OK() && c.Writer.Continues && !c.Writer.ClientTasks:
		unknown.Text = c.Text("quick")
		alive.Role = record.Probe // it may well be refused
		c.Call(alive, unknown)
	default:
		alive.Op = "get"
		c.Call(alive, unknown)
	}
}

// newRecipe takes the place in the transcript of a body of ours that is too large for it.
func newRecipe(what string, body []byte) *record.Recipe {
	sum := sha256.Sum256(body)
	return &record.Recipe{Generator: what, Size: len(body), SHA256: hex.EncodeToString(sum[:])}
}
