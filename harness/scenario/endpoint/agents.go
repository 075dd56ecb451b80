// Package endpoint has the scenarios about the addresses of a server: its agents, interfaces,
// tenants, paths and earlier protocol version.
package endpoint

import (
	"fmt"
	"net/http"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Agents reads what a server states about itself and its agents, and sends each
// agent the harmless message: where the protocol states that calls go, and where
// the agent's card states it, if that is another place. If no agent is listed, the name on
// the card may be that of one.
var Agents = conversation.Scenario{Name: "agents", Play: func(c *conversation.Conversation) {
	at := c.Dialect.Agents
	list := c.Get("list", "document", c.Base+at.List)
	called := map[string]bool{c.RPC: true}
	names := card.ListedAgents(list.Exchange.Reply().Root)
	if name := c.Card.Name(); len(names) == 0 && name != "" {
		names = []card.Names{{name}}
	}
	met, control := 0, ""
	for _, keys := range names {
		if c.Stopped() || met == maxAgents {
			break
		}
		met++
		if sent := fetchAgentDocumentsAndSend(c, met, keys, called); sent.OK() && control == "" {
			control = fmt.Sprintf("send-%d", met)
		}
	}
	sendToCardURL(c, "url", "", c.Card, called)
	if control == "" { // the plain endpoint will do
		control = "plain"
		c.ReuseOrSendQuickMessage(control, "quick")
	}
	callUnknownAgent(c, control)
	c.Get("health", "document", c.Base+at.Health)
}}

// maxAgents bounds how many of a server's agents are visited: each costs a
// message.
const maxAgents = 5

// fetchAgentDocumentsAndSend reads the documents about one agent and sends it a message. Which of
// its names counts is shown by the first document that exists.
func fetchAgentDocumentsAndSend(c *conversation.Conversation, i int, keys card.Names, calledURLs map[string]bool) (sent *conversation.Reply) {
	at, name := c.Dialect.Agents, keys[0]
	step := func(what string) string { return fmt.Sprintf("%s-%d", what, i) }
	first := len(c.Play.Steps)
	for j, key := range keys {
		s := conversation.Step{Name: step("info"), Op: "document", Agent: key, Method: http.MethodGet, URL: c.Base + at.Path(at.Info, key)}
		if j > 0 {
			s.Name, s.Role = step("info-other"), record.Probe
		}
		if c.Raw(s, nil).Status() != http.StatusOK {
			continue
		}
		if j > 0 {
			name = key
			c.Play.Steps[first].Name, c.Play.Steps[len(c.Play.Steps)-1].Name = step("info-other"), step("info")
			c.Play.Steps[first].Role, c.Play.Steps[len(c.Play.Steps)-1].Role = record.Probe, record.Main
		}
		break
	}
	shown := c.Raw(conversation.Step{Name: step("card"), Op: "card", Agent: name, Method: http.MethodGet, URL: c.Base + at.Path(at.Card, name)}, nil)
	address := c.Base + at.Path(at.RPC, name)
	calledURLs[address] = true
	sent = c.Call(conversation.Step{Name: step("send"), Op: "send", Agent: name, URL: address}, c.NewMessage("quick"))
	if shown.Status() == http.StatusOK {
		sendToCardURL(c, step("url"), name, card.Of(c.Dialect, shown.Exchange.Reply().Root), calledURLs)
	}
	return sent
}

// sendToCardURL sends a message to where a card states that calls go, unless one was
// sent there already.
func sendToCardURL(c *conversation.Conversation, step, agent string, of card.Card, called map[string]bool) {
	s := conversation.Step{Name: step, Op: "send", Agent: agent, URL: of.AgentAddress()}
	if s.URL == "" || called[s.URL] {
		return
	}
	if !c.Own(s.URL) {
		c.NotSent(s, "", "the url of the card is not on the target's own host: %q", s.URL)
		return
	}
	called[s.URL] = true
	c.Call(s, c.NewMessage("quick"))
}

// callUnknownAgent asks for an agent that never was. The control is the step of a message that was
// taken, if one was.
func callUnknownAgent(c *conversation.Conversation, twinStep string) {
	at, name := c.Dialect.Agents, c.NewID()
	get := func(step, pattern string) {
		c.Raw(conversation.Step{Name: step, Role: record.Probe, Op: "document", Agent: name, Method: http.MethodGet, URL: c.Base + at.Path(pattern, name)}, nil)
	}
	get("unknown-info", at.Info)
	get("unknown-card", at.Card)
	s := conversation.Step{Name: "unknown-send", Role: record.Probe, Op: "send", Agent: name, URL: c.Base + at.Path(at.RPC, name), Twin: twinStep}
	c.Call(s, dialect.Outgoing{Text: c.Text("quick"), Context: c.NewContext()})
}
