package scenario

import (
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// another is how the client of Go's standard library, which many agents use, shows
// itself.
var another = http.Header{"User-Agent": {"Go-http-client/1.1"}, "Accept-Encoding": {"gzip"}}

// disguisedCalls is how many calls the play makes where nothing differs.
const disguisedCalls = 6

// Disguise makes calls that reach no agent as the suite makes them and as another
// client does, each on a connection of its own. Where the two are answered
// differently both are made again, the other way round: a server that alternates, or
// begins to fail, is then not taken for one that tells clients apart.
var Disguise = Scenario{
	Name: binding.DisguisePlay, Doc: "calls that reach no agent, as a2a-conform makes them and as another client makes them",
	Class: Last,
	Play: func(c *Conversation) {
		op := c.lookup()
		if op == "" {
			c.Play.Stop = "the protocol has no call that reaches no agent"
			return
		}
		if err := c.Client.Pace().Room(c.Context, disguisedCalls); err != nil {
			c.Play.Stop = err.Error()
			return
		}
		for _, kind := range []string{"unknown-task", "unknown-method", "broken-json"} {
			if kind == "broken-json" && (c.inProtobuf() || len(c.harmless(kind, Step{Name: kind}, op).Body) == 0) {
				continue // such a call has none
			}
			ask := func(disguised bool, ending string) *Reply {
				line := c.Client.Line(false)
				defer line.Close()
				s := Step{Name: kind + ending, Role: wire.Probe, Op: op, Invalid: kind != "unknown-task", Line: line}
				if disguised {
					s.Name, s.Header = kind+binding.Disguised+ending, another
				}
				return c.Send(s, c.harmless(kind, s, op))
			}
			if c.Stopped() {
				return
			}
			a, b := ask(false, ""), ask(true, "")
			if !a.comparable() || !b.comparable() || binding.FaceOf(c.binding(), a.Exchange).Differs(binding.FaceOf(c.binding(), b.Exchange)) == "" || c.Stopped() {
				continue
			}
			ask(true, binding.Again)
			ask(false, binding.Again)
		}
	},
}

// comparable reports whether a call was made to its end, and not refused for the
// rate limit.
func (r *Reply) comparable() bool {
	return r.notSent == "" && r.gaveUp == "" && r.Ended != wire.Aborted
}

// lookup is an operation that only looks something up; "" where there is none.
func (c *Conversation) lookup() string {
	i := slices.IndexFunc([]string{"get", "discover"}, func(op string) bool { return c.Dialect.Has(op) })
	if i < 0 {
		return ""
	}
	return []string{"get", "discover"}[i]
}

// harmless is a call of a kind that no server takes to its agent.
func (c *Conversation) harmless(kind string, s Step, op string) wire.Call {
	id := c.NewID()
	request := c.Request(s.Name, op, dialect.Outgoing{Task: id, Wanted: []string{id}})
	if kind == "unknown-method" {
		name := id[:8]
		if space, _, ok := strings.Cut(c.binding().Title(op), "/"); ok {
			name = space + "/" + name
		}
		if request.Op = name; c.inProtobuf() {
			request.Params = nil // of which nobody knows the type
		}
	}
	call := c.write(s, request)
	if kind == "broken-json" {
		call.Body = call.Body[:len(call.Body)*2/3]
	}
	return call
}
