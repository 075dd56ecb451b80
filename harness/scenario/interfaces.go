package scenario

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// maxInterfaces bounds how many further endpoints of a server are called.
const maxInterfaces = 4

// interfaces calls every endpoint on the card that speaks what we speak, makes
// a task through the first of them that is not the usual one, and looks at it
// from both. It also looks whether the server speaks REST.
var interfaces = Scenario{
	Name: "interfaces", Doc: "calls of every endpoint on the card, and a task seen from two of them",
	Ops: []string{"send", "get", "cancel"}, Sends: 2, Wide: 2,
	Play: func(c *Conversation) {
		if c.Dialect.Card.Interfaces.At == "" {
			c.Play.Stop = "the cards of the protocol list no endpoints"
			return
		}
		second := ""
		for i, e := range Interfaces(c.Dialect, c.Card) {
			s := Step{Name: fmt.Sprintf("answers-%d", i+1), Op: "get", Role: wire.Probe, URL: e.URL}
			switch {
			case i == maxInterfaces:
				return
			case e.URL == c.RPC:
				continue
			case !c.Own(e.URL):
				c.NotSent(s, "", "the endpoint is no address of the target's own: %q", e.URL)
				continue
			case e.Transport == c.Dialect.Card.Interfaces.REST:
				c.Raw(Step{Name: s.Name, Op: "document", Role: wire.Probe, Method: http.MethodGet, URL: rest(e.URL) + "/tasks/" + c.NewID()}, nil)
				continue
			case e.Transport != c.Dialect.Card.Interfaces.Speaks:
				continue
			}
			c.Call(s, dialect.Outgoing{Task: c.NewID()})
			if second == "" {
				second = e.URL
			}
		}
		if second != "" && c.Dialect.Method("stream") != "" && c.Claimed("streaming") {
			defer c.Start(Step{Name: "stream-there", Op: "stream", URL: second}, c.say("quick")).Wait()
		}
		o := c.say("quick")
		sent := c.Call(Step{Name: "send", Op: "send", URL: second}, o)
		task := named(o, sent)
		if !c.settled(c.soon("poll", task, sent.State)) {
			c.NotSent(Step{Name: "here", Op: "get"}, "send", "no task came to its end that could be looked at from two sides")
			return
		}
		c.Call(Step{Name: "here", Op: "get"}, dialect.Outgoing{Task: task})
		at := c.RPC
		if first := Interfaces(c.Dialect, c.Card); len(first) > 0 && first[0].Transport == c.Dialect.Card.Interfaces.REST && c.Own(first[0].URL) {
			at = first[0].URL
		}
		c.Raw(Step{Name: "rest", Op: "document", Role: wire.Probe, Method: http.MethodGet, URL: rest(at) + "/tasks/" + task}, nil)
		if second == "" {
			return
		}
		c.Call(Step{Name: "there", Op: "get", URL: second}, dialect.Outgoing{Task: task})
		unknown := dialect.Outgoing{Task: c.NewID()}
		c.Call(Step{Name: "unknown-here", Op: "get", Role: wire.Probe}, unknown)
		c.Call(Step{Name: "unknown-there", Op: "get", Role: wire.Probe, URL: second}, unknown)
		c.Call(Step{Name: "cancel-there", Op: "cancel", Role: wire.Probe, URL: second}, unknown)
	},
}

// rest is where an endpoint would have the paths of REST.
func rest(endpoint string) string {
	base := strings.TrimSuffix(endpoint, "/")
	if strings.HasSuffix(base, "/v1") {
		return base
	}
	return base + "/v1"
}

// Interface is where an agent can be reached, and what is spoken there.
type Interface struct{ URL, Transport string }

// Interfaces are those on a card, the preferred one first.
func Interfaces(d *schema.Dialect, card *wire.Node) (out []Interface) {
	at := d.Card.Interfaces
	if card == nil || at.At == "" {
		return nil
	}
	text := func(n *wire.Node, pointer string) string {
		if v := n.At(pointer); v != nil && v.Kind == wire.String {
			return v.String
		}
		return ""
	}
	out = append(out, Interface{text(card, d.Card.Endpoint), cmp.Or(text(card, at.Preferred), at.Speaks)})
	if list := card.At(at.At); list != nil {
		for _, e := range list.Elems {
			if next := (Interface{text(e, at.URL), text(e, at.Transport)}); !slices.Contains(out, next) {
				out = append(out, next)
			}
		}
	}
	return out
}
