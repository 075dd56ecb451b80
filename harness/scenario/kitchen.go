package scenario

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// A tray is one message that carries many things at once. Only if it is
// refused are they sent one by one, beside a message that carries none of
// them, so that a server that takes everything is asked once.
type tray struct {
	name, doc, stimulus string
	needs               []string
	bare                bool // the session is among what may be refused
	// on lists what the message carries, and why some of it cannot be tried.
	on func(c *Conversation, o dialect.Outgoing) (members []dialect.Optional, left []omitted)
}

// omitted is something that is not tried on this server.
type omitted struct{ name, why string }

func (t tray) scenario() Scenario {
	return Scenario{Name: t.name, Doc: t.doc, Ops: []string{"send"}, Needs: t.needs, Sends: 1, Play: t.play}
}

var kitchenSink = tray{name: "kitchen-sink", doc: "one message with every optional member", stimulus: "quick", bare: true,
	on: func(c *Conversation, o dialect.Outgoing) ([]dialect.Optional, []omitted) {
		o.Modes = listed(c.Card, c.Dialect.Card.Outputs)
		return written(c.Writer.Kitchen, o), nil
	}}.scenario()

var nullMembers = tray{name: "null-members", doc: "one message with every optional member given as null", stimulus: "quick", bare: true,
	on: func(c *Conversation, o dialect.Outgoing) ([]dialect.Optional, []omitted) {
		return written(c.Writer.Nulls, o), nil
	}}.scenario()

var outputHint = tray{name: "output-hint", doc: "a message that hints at the wished output", stimulus: "data", needs: []string{"data"},
	on: func(c *Conversation, o dialect.Outgoing) ([]dialect.Optional, []omitted) {
		return written(c.Writer.Hints, o), nil
	}}.scenario()

// partKinds sends data and files, each only where the card says that the agent
// takes them.
var partKinds = tray{name: "part-kinds", doc: "one message with every kind of part the card allows", stimulus: "quick",
	on: func(c *Conversation, o dialect.Outgoing) (members []dialect.Optional, left []omitted) {
		file, data := c.fileType()
		for _, m := range written(c.Writer.Data, o) {
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
	}}.scenario()

// listed are the strings of a list on the card; none where there is no list.
func listed(card *wire.Node, at string) (out []string) {
	if card == nil || at == "" || card.At(at) == nil {
		return nil
	}
	for _, e := range card.At(at).Elems {
		if e.Kind == wire.String {
			out = append(out, e.String)
		}
	}
	return out
}

func written(members func(dialect.Outgoing) []dialect.Optional, o dialect.Outgoing) []dialect.Optional {
	if members == nil {
		return nil
	}
	return members(o)
}

func (t tray) play(c *Conversation) {
	send := func(s Step, keep func(name string) bool) *Reply {
		o := c.say(t.stimulus)
		members, _ := t.on(c, o)
		if s.Task = o.Task; t.bare {
			o.Context = ""
		}
		request := c.Request(s.Name, "send", o)
		for _, m := range members {
			if keep(m.Name) {
				m.Add(request["params"].(map[string]any))
			}
		}
		s.Op = "send"
		return c.Post(s, request)
	}
	members, left := t.on(c, dialect.Outgoing{})
	for _, o := range left {
		c.NotSent(Step{Name: o.name, Role: wire.Probe, Op: "send"}, "", "%s", o.why)
	}
	if len(members) == 0 {
		c.Play.Stop = "there is nothing of the kind to send to this server"
		return
	}
	all := send(Step{Name: "all", Role: wire.Probe}, func(string) bool { return true })
	if all.OK() {
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

// fileType is the first concrete type of files among the card's input modes,
// those of its skills included, and whether JSON is among them.
func (c *Conversation) fileType() (file string, data bool) {
	for _, m := range c.inputModes() {
		kind, _, ok := strings.Cut(m, "/")
		wild := strings.Contains(m, "*")
		data = data || wild || m == c.Writer.DataMode
		if file == "" && ok && !wild && kind != "text" && m != "application/json" {
			file = m
		}
	}
	return file, data
}

func (c *Conversation) inputModes() (out []string) {
	at := c.Dialect.Card
	if at.Modes == "" || c.Card == nil {
		return nil
	}
	lists := []*wire.Node{c.Card.At(at.Modes)}
	if skills := c.Card.At(at.Skills); skills != nil {
		for _, s := range skills.Elems {
			lists = append(lists, s.Member("inputModes"))
		}
	}
	for _, l := range lists {
		if l == nil {
			continue
		}
		for _, e := range l.Elems {
			m, _, _ := strings.Cut(strings.ToLower(e.String), ";")
			out = append(out, strings.TrimSpace(m))
		}
	}
	return out
}
