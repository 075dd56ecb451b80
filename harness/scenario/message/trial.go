package message

import (
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Messages that carry every optional member, the same members given as null, and which output is
// wished.
var (
	KitchenSink = trial{name: "kitchen-sink", stimulus: "quick", bare: true, packs: true, on: listKitchenSink}.toScenario()
	NullMembers = trial{name: "null-members", stimulus: "quick", bare: true, on: listNullMembers}.toScenario()
	OutputHint  = trial{name: "output-hint", stimulus: "data", on: listOutputHint}.toScenario()
)

func listKitchenSink(c *conversation.Conversation, o dialect.Outgoing) ([]dialect.Optional, []omitted) {
	if first := firstOutputMode(c); len(first) > 0 {
		o.Modes = mergeTexts(first, o.Modes...)
	}
	return membersOrNil(c.Writer.Kitchen, o), nil
}

func listNullMembers(c *conversation.Conversation, o dialect.Outgoing) ([]dialect.Optional, []omitted) {
	return membersOrNil(c.Writer.Nulls, o), nil
}

func listOutputHint(c *conversation.Conversation, o dialect.Outgoing) ([]dialect.Optional, []omitted) {
	return membersOrNil(c.Writer.Hints, o), nil
}

// A trial is one message that carries many things at once. Only if it is
// refused are they sent one by one, alongside a message that carries none of
// them, so that a server that takes everything is asked once.
type trial struct {
	name, stimulus string
	bare           bool // the session is among what may be refused
	packs          bool // the message carries at first what other plays try as well
	// on lists what the message carries, and why some of it cannot be tried.
	on func(c *conversation.Conversation, o dialect.Outgoing) (members []dialect.Optional, left []omitted)
}

func (t trial) toScenario() conversation.Scenario {
	return conversation.Scenario{Name: t.name, Play: t.sendAllElseEachAlone}
}

func (t trial) sendAllElseEachAlone(c *conversation.Conversation) {
	send := func(s conversation.Step, keep func(name string) bool) (dialect.Outgoing, *conversation.Reply) {
		o := c.NewMessage(t.stimulus)
		members, _ := t.on(c, o)
		if s.Task = o.Task; t.bare {
			o.Context = ""
		}
		request := c.Request(s.Name, "send", o)
		params, _ := request.Members()
		for _, m := range members {
			if keep(m.Name) {
				m.Add(params)
			}
		}
		s.Op = "send"
		return o, c.Post(s, request)
	}
	if !t.packs && reusePacked(c, "all", record.Probe, t.name) {
		_, left := t.on(c, dialect.Outgoing{})
		recordOmitted(c, left)
		return
	}
	members, left := t.on(c, dialect.Outgoing{})
	recordOmitted(c, left)
	if t.packs {
		if t.sendPacked(c) {
			return
		}
		c.PromiseOffer(t.name)() // it offers nothing: others need not wait until each member was tried alone
	}
	if len(members) == 0 {
		c.Play.Stop = "the card offers nothing that this conversation could use"
		return
	}
	said, all := send(conversation.Step{Name: "all", Role: record.Probe}, func(string) bool { return true })
	if all.OK() {
		offerMembers(c, t.name, members, said, all)
		return
	}
	if all.Ended == record.Timeout {
		c.Play.Stop = "no answer came in time"
		return
	}
	send(conversation.Step{Name: "plain", Role: record.Twin}, func(string) bool { return false })
	if len(members) == 1 {
		return // the whole message was the one
	}
	for _, m := range members {
		if c.Stopped() {
			return
		}
		send(conversation.Step{Name: m.Name, Role: record.Probe, Twin: "plain", Bisects: "all"}, func(name string) bool { return name == m.Name })
	}
}

// recordOmitted records what is not tried.
func recordOmitted(c *conversation.Conversation, left []omitted) {
	for _, o := range left {
		c.NotSent(conversation.Step{Name: o.name, Role: record.Probe, Op: "send"}, "", "%s", o.why)
	}
}

// omitted is something that is not tried on this server.
type omitted struct{ name, why string }

func membersOrNil(members func(dialect.Outgoing) []dialect.Optional, o dialect.Outgoing) []dialect.Optional {
	if members == nil {
		return nil
	}
	return members(o)
}
