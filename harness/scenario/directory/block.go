package directory

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/scenario/malformed"
	"github.com/a2a-conform/a2a-conform/schema"
)

// NewProbeScenario is a row of probes on a directory: each is about an agent, or a
// capability, of its own.
func NewProbeScenario(d *schema.Dialect, b schema.Block) conversation.Scenario {
	_, sent := malformed.Steps(d, b)
	return conversation.Scenario{
		Name: b.Name, Doc: fmt.Sprintf("%d probes on %s between two valid calls", len(b.Probes), b.Op), Base: b.Op == "discover" && !b.Alone,
		Steps: sent, Risk: b.Risk, Ops: []string{b.Op}, Probes: len(b.Probes), Class: map[bool]conversation.Class{true: conversation.Exclusive}[b.Alone],
		Play: func(c *conversation.Conversation) {
			outgoing := func() dialect.Outgoing {
				return dialect.Outgoing{Entry: newEntry(c, c.NewID()), Wanted: []string{c.NewID()}}
			}
			c.Call(conversation.Step{Name: "twin", Role: record.Twin, Op: b.Op}, outgoing())
			for _, p := range b.Probes {
				if c.Stopped() {
					return
				}
				o := outgoing()
				s := conversation.Step{Name: p.Name, Role: record.Probe, Op: b.Op, Agent: o.Entry.ID, Twin: "twin", Invalid: !p.Valid, Method: p.Method, Header: malformed.ProbeHeaders(c, p)}
				if call, ok := malformed.NewProbeEncoder(c, b.Name).Encode(&s, p, o); ok {
					c.Send(s, call)
				}
				if p.Then == "discover" {
					c.Call(conversation.Step{Name: p.Name + "-then", Role: record.Probe, Op: p.Then}, dialect.Outgoing{Wanted: o.Entry.Capabilities})
				}
			}
			c.Call(conversation.Step{Name: "alive", Role: record.Alive, Op: b.Op, Fresh: true}, outgoing())
		},
	}
}
