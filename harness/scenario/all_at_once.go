package scenario

import (
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// A trial is one message that carries many things at once. Only if it is
// refused are they sent one by one, beside a message that carries none of
// them, so that a server that takes everything is asked once.
type trial struct {
	name, doc, stimulus string
	needs               []string
	bare                bool // the session is among what may be refused
	// on lists what the message carries, and why some of it cannot be tried.
	on func(c *Conversation, o dialect.Outgoing) (members []dialect.Optional, left []omitted)
}

// omitted is something that is not tried on this server.
type omitted struct{ name, why string }

func (t trial) toScenario() Scenario {
	return Scenario{Name: t.name, Doc: t.doc, Ops: []string{"send"}, Needs: t.needs, Sends: 1, Play: t.sendAllThenEach}
}

var kitchenSink = trial{name: "kitchen-sink", doc: "one message with every optional member", stimulus: "quick", bare: true,
	on: func(c *Conversation, o dialect.Outgoing) ([]dialect.Optional, []omitted) {
		o.Modes = firstOutputMode(c)
		return optionalMembers(c.Writer.Kitchen, o), nil
	}}.toScenario()

var nullMembers = trial{name: "null-members", doc: "one message with every optional member given as null", stimulus: "quick", bare: true,
	on: func(c *Conversation, o dialect.Outgoing) ([]dialect.Optional, []omitted) {
		return optionalMembers(c.Writer.Nulls, o), nil
	}}.toScenario()

var outputHint = trial{name: "output-hint", doc: "a message with a hint about the wanted output", stimulus: "data", needs: []string{"data"},
	on: func(c *Conversation, o dialect.Outgoing) ([]dialect.Optional, []omitted) {
		return optionalMembers(c.Writer.Hints, o), nil
	}}.toScenario()

// partKinds sends data and files, each only where the card says that the agent
// takes them.
var partKinds = trial{name: "part-kinds", doc: "one message with every kind of part the card allows", stimulus: "quick",
	on: func(c *Conversation, o dialect.Outgoing) (members []dialect.Optional, left []omitted) {
		file, data := c.Card.FileMode(), c.Card.Takes(c.Writer.DataMode)
		for _, m := range optionalMembers(c.Writer.Data, o) {
			if data {
				members = append(members, m)
			} else {
				left = append(left, omitted{m.Name, "the card does not list " + c.Writer.DataMode + " among the input modes"})
			}
		}
		if c.Writer.Files == nil {
			return members, left
		}
		for _, m := range c.Writer.Files(file) {
			if file != "" {
				members = append(members, m)
			} else {
				left = append(left, omitted{m.Name, "the card lists no type of files among the input modes"})
			}
		}
		return members, left
	}}.toScenario()

func optionalMembers(members func(dialect.Outgoing) []dialect.Optional, o dialect.Outgoing) []dialect.Optional {
	if members == nil {
		return nil
	}
	return members(o)
}

func (t trial) sendAllThenEach(c *Conversation) {
	send := func(s Step, keep func(name string) bool) (dialect.Outgoing, *Reply) {
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
	members, left := t.on(c, dialect.Outgoing{})
	for _, o := range left {
		c.NotSent(Step{Name: o.name, Role: wire.Probe, Op: "send"}, "", "%s", o.why)
	}
	if len(members) == 0 {
		c.Play.Stop = "the card offers nothing that this conversation could use"
		return
	}
	said, all := send(Step{Name: "all", Role: wire.Probe}, func(string) bool { return true })
	if all.OK() {
		for _, m := range members { // of what it carried
			c.OfferAs(t.name+"/"+m.Name, "all", said, all)
		}
		return
	}
	if all.Ended == wire.Timeout {
		c.Play.Stop = "no answer came in time"
		return
	}
	send(Step{Name: "plain", Role: wire.Twin}, func(string) bool { return false })
	if len(members) == 1 {
		return // the whole message was the one
	}
	for _, m := range members {
		if c.Stopped() {
			return
		}
		send(Step{Name: m.Name, Role: wire.Probe, Twin: "plain", Bisects: "all"}, func(name string) bool { return name == m.Name })
	}
}
