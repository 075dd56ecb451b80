package scenario

import (
	"fmt"
	"net/http"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// ourPrefix is how the ids begin that we register, so that whoever keeps the
// directory can tell them from others.
const ourPrefix = "a2a-conform-"

// rpcAddress is where a call goes that is not sent elsewhere.
func (c *Setting) rpcAddress(op string) string {
	if !c.Paths || !c.Dialect.Has(op) {
		return c.RPC
	}
	return c.RPC + "/" + c.CallBinding().Title(op)
}

// newEntry is an agent to register, which nobody is to call: its endpoint is ours,
// or leads nowhere.
func newEntry(c *Conversation, capabilities ...string) *dialect.Entry {
	id := c.NewID()
	e := &dialect.Entry{ID: ourPrefix + id, Capabilities: capabilities}
	e.Name = "Test agent " + id
	e.Endpoint = unusedEndpoint(c, id)
	return e
}

// unusedEndpoint is an endpoint that takes no tasks.
func unusedEndpoint(c *Conversation, id string) string {
	if c.Receiver != nil {
		return c.Receiver.Base() + wire.GoneAgents + id
	}
	return "http://nowhere.invalid" + wire.GoneAgents + id
}

// lookup asks a directory what it must be able to say without anything having
// been registered.
var lookup = Scenario{
	Name: "lookup", Doc: "a search for a capability that nobody has, and the list of agents, with and without credentials",
	Base: true, Witness: true, Ops: []string{"discover"},
	Play: func(c *Conversation) {
		play := directoryPlay{c}
		c.Call(Step{Name: "discover", Op: "discover"}, dialect.Outgoing{Wanted: []string{c.NewID()}})
		c.Call(Step{Name: "bare-discover", Role: wire.Probe, Op: "discover", As: wire.Nobody, Twin: "discover"}, dialect.Outgoing{Wanted: []string{c.NewID()}})
		c.Get("list", "document", c.Base+c.Dialect.Directory.List)
		c.Raw(Step{Name: "bare-list", Role: wire.Probe, Op: "document", As: wire.Nobody, Method: http.MethodGet, URL: c.Base + c.Dialect.Directory.List}, nil)
		play.fetchEntry("unknown-entry", c.NewID(), wire.Probe)
	},
}

// directoryPlay is a play about the entries of a directory.
type directoryPlay struct{ *Conversation }

// fetchEntry fetches one entry of the directory.
func (c directoryPlay) fetchEntry(step, id string, role wire.Role) {
	at := c.Base + schema.Agents{}.Path(c.Dialect.Directory.Entry, id)
	c.Raw(Step{Name: step, Role: role, Op: "document", Agent: id, Method: http.MethodGet, URL: at}, nil)
}

// directory registers two agents that share a capability with nobody, looks for
// them in every way there is, and registers the first one anew.
var directory = Scenario{
	Name: "directory", Doc: "three agents of ours, registered and searched for; the first one is registered anew", Risk: schema.Residue,
	Ops: []string{"register", "discover"},
	Play: func(c *Conversation) {
		play := directoryPlay{c}
		register := func(step string, e *dialect.Entry, s Step) *Reply {
			s.Name, s.Op, s.Agent = step, "register", e.ID
			return c.Call(s, dialect.Outgoing{Entry: e})
		}
		find := func(step string, wanted ...string) {
			c.Call(Step{Name: step, Op: "discover"}, dialect.Outgoing{Wanted: wanted})
		}
		first, shared, third, other := c.NewID(), c.NewID(), c.NewID(), c.NewID()
		a, b := newEntry(c, first, shared, third), newEntry(c, other)
		if !register("a", a, Step{}).OK() {
			c.EndPlay(Step{Name: "b", Op: "register"}, "a", "no agent could be registered")
			return
		}
		register("b", b, Step{})
		for i, capability := range a.Capabilities {
			find(fmt.Sprintf("find-%d", i+1), capability)
		}
		find("find-either", first, other)
		find("find-both", first, shared)
		find("find-part", first[:len(first)-1])
		c.Get("list", "document", c.Base+c.Dialect.Directory.List)
		play.fetchEntry("entry", a.ID, wire.Main)
		register("bare", newEntry(c, c.NewID()), Step{Role: wire.Probe, As: wire.Nobody, Twin: "a"})
		again := *a
		again.Name, again.Capabilities, again.Endpoint = a.Name+", renamed", []string{shared, c.NewID()}, unusedEndpoint(c, c.NewID())
		register("again", &again, Step{Role: wire.Probe})
		find("again-shared", shared)
		find("again-given-up", first)
		c.Get("again-list", "document", c.Base+c.Dialect.Directory.List)
		play.fetchEntry("again-entry", a.ID, wire.Main)
	},
}

// newDirectoryBlock is a row of probes on a directory: each is about an agent, or a
// capability, of its own.
func newDirectoryBlock(b schema.Block) Scenario {
	return Scenario{
		Name: b.Name, Doc: fmt.Sprintf("%d probes on %s between two valid calls", len(b.Probes), b.Op), Base: b.Op == "discover" && !b.Alone,
		Risk: b.Risk, Ops: []string{b.Op}, Probes: len(b.Probes), Class: map[bool]Class{true: Exclusive}[b.Alone],
		Play: func(c *Conversation) {
			outgoing := func() dialect.Outgoing {
				return dialect.Outgoing{Entry: newEntry(c, c.NewID()), Wanted: []string{c.NewID()}}
			}
			c.Call(Step{Name: "twin", Role: wire.Twin, Op: b.Op}, outgoing())
			for _, p := range b.Probes {
				if c.Stopped() {
					return
				}
				o := outgoing()
				s := Step{Name: p.Name, Role: wire.Probe, Op: b.Op, Agent: o.Entry.ID, Twin: "twin", Invalid: !p.Valid, Method: p.Method, Header: ProbeHeaders(c, p)}
				if call, ok := NewProbeEncoder(c, b.Name).Encode(&s, p, o); ok {
					c.Send(s, call)
				}
				if p.Then == "discover" {
					c.Call(Step{Name: p.Name + "-then", Role: wire.Probe, Op: p.Then}, dialect.Outgoing{Wanted: o.Entry.Capabilities})
				}
			}
			c.Call(Step{Name: "alive", Role: wire.Alive, Op: b.Op, Fresh: true}, outgoing())
		},
	}
}
