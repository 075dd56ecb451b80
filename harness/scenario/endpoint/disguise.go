package endpoint

import (
	"math/bits"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Disguise makes calls that reach no agent as the suite makes them and as another
// client does, each on a connection of its own. If the two are answered differently, or
// only the other client is limited, three more pairs of calls follow. Which client comes first
// follows the sequence of Thue and Morse: a server that alternates between several others
// behind it, or begins to fail, is then not taken for one that distinguishes clients.
var Disguise = conversation.Scenario{Name: binding.DisguisePlay, Play: func(c *conversation.Conversation) {
	op := firstLookupOperation(c)
	if op == "" {
		c.Play.Stop = "the protocol has no call that reaches no agent"
		return
	}
	if err := c.Client.Pace().AwaitRoom(c.Context, disguisedCalls); err != nil {
		c.Play.Stop = err.Error()
		return
	}
	for _, kind := range []string{"unknown-task", "unknown-method", "broken-json"} {
		if kind == "broken-json" && (c.UsesProtobuf() || len(newCallAgentNeverSees(c, kind, conversation.Step{Name: kind}, op).Body) == 0) {
			continue // such a call has none
		}
		other := otherClients[c.Naming.Choose(len(otherClients), "client", kind)]
		ask := func(disguised bool, ending string) *conversation.Reply {
			line := c.Client.Line(false)
			defer line.Close()
			s := conversation.Step{Name: kind + ending, Role: record.Probe, Op: op, Invalid: kind != "unknown-task", Line: line}
			if disguised {
				s.Name, s.Header = kind+binding.Disguised+ending, other
			}
			return c.Send(s, newCallAgentNeverSees(c, kind, s, op))
		}
		for i, ending := range binding.PairEndings {
			if c.Stopped() || i == 1 && c.Client.Pace().AwaitRoom(c.Context, disguisedCalls) != nil {
				return
			}
			otherFirst := bits.OnesCount(uint(i))%2 == 1
			first := ask(otherFirst, ending)
			second := ask(!otherFirst, ending)
			own, others := first, second
			if otherFirst {
				own, others = second, first
			}
			if !own.IsNotAbortedOrLimited() || i == 0 && !isAnsweredOtherwise(c, own, others) {
				break
			}
		}
	}
}}

// otherClients are how clients that many agents use show themselves: those of Go's standard
// library, of httpx, on which the SDK for Python is built, and of fetch in Node.js. Each
// asks for gzip alone, which is the coding that the recorder can take off.
var otherClients = []http.Header{
	{"User-Agent": {"Go-http-client/1.1"}, "Accept-Encoding": {"gzip"}},
	{"User-Agent": {"python-httpx/0.28.1"}, "Accept": {"*/*"}, "Accept-Encoding": {"gzip"}, "Connection": {"keep-alive"}},
	{"User-Agent": {"node"}, "Accept": {"*/*"}, "Accept-Language": {"*"}, "Sec-Fetch-Mode": {"cors"}, "Accept-Encoding": {"gzip"}},
}

// disguisedCalls is how many calls the play makes if nothing differs.
const disguisedCalls = 6

// isAnsweredOtherwise reports whether another client was answered otherwise than the suite, or
// was the only one that the rate limit refused.
func isAnsweredOtherwise(c *conversation.Conversation, own, others *conversation.Reply) bool {
	if others.GaveUp != "" {
		return true
	}
	return others.IsNotAbortedOrLimited() && binding.FingerprintOf(c.CallBinding(), own.Exchange).Differs(binding.FingerprintOf(c.CallBinding(), others.Exchange)) != ""
}

// newCallAgentNeverSees is a call of a kind that no server takes to its agent.
func newCallAgentNeverSees(c *conversation.Conversation, kind string, s conversation.Step, op string) client.Call {
	id := c.NewID()
	request := c.Request(s.Name, op, dialect.Outgoing{Task: id, Wanted: []string{id}})
	if kind == "unknown-method" {
		name := id[:8]
		if space, _, ok := strings.Cut(c.CallBinding().Title(op), "/"); ok {
			name = space + "/" + name
		}
		if request.Op = name; c.UsesProtobuf() {
			request.Params = nil // of which no one knows the type
		}
	}
	call := c.MustEncode(s, request)
	if kind == "broken-json" {
		call.Body = call.Body[:len(call.Body)-len(`"}`)] // within a text: the id of the call comes last
	}
	return call
}

// firstLookupOperation is an operation that only looks something up; "" if there is none.
func firstLookupOperation(c *conversation.Conversation) string {
	i := slices.IndexFunc([]string{"get", "discover"}, func(op string) bool { return c.Dialect.Has(op) })
	if i < 0 {
		return ""
	}
	return []string{"get", "discover"}[i]
}
