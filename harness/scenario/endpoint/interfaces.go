package endpoint

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/dialect"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Interfaces calls every endpoint on the card that uses the binding of the run, makes
// a task through the first of them that is not the usual one, and looks at it
// from both. It also looks whether the server has REST.
var Interfaces = conversation.Scenario{Name: "interfaces", Play: func(c *conversation.Conversation) {
	if c.Dialect.Card.Interfaces.At == "" {
		c.Play.Stop = "the cards of the protocol list no endpoints"
		return
	}
	second, speaks := "", cmp.Or(c.CallBinding().Name(), c.Dialect.Card.Interfaces.Speaks)
	for i, e := range c.Card.Interfaces() {
		s := conversation.Step{Name: fmt.Sprintf("answers-%d", i+1), Op: "get", Role: record.Probe, URL: e.URL()}
		switch {
		case i == maxInterfaces:
			return
		case s.URL == c.RPC:
			continue
		case !c.Own(s.URL):
			c.NotSent(s, "", "the endpoint is not on the target's own host: %q", s.URL)
			continue
		case isBindingOfOtherSetting(c, e.Transport()): // its own conversations show it
			continue
		case e.Transport() == c.Dialect.Card.Interfaces.REST:
			c.Raw(conversation.Step{Name: s.Name, Op: "document", Role: record.Probe, Method: http.MethodGet, URL: addRESTPathIfMissing(c, s.URL) + "/tasks/" + c.NewID()}, nil)
			continue
		case e.Transport() != speaks:
			continue
		}
		c.Call(s, dialect.Outgoing{Task: c.NewID()})
		if second == "" {
			second = s.URL
		}
	}
	if second != "" && c.CanStream() {
		defer c.Start(conversation.Step{Name: "stream-there", Op: "stream", URL: second}, c.NewMessage("quick")).Wait()
	}
	o, sent := sendThereOrReuse(c, second)
	task := conversation.TaskID(o, sent)
	if !c.IsTerminalOrAwaitsClient(c.PollBrieflyUntilAtRest("poll", task, sent.State)) {
		c.NotSent(conversation.Step{Name: "here", Op: "get"}, "send", "no task ended that could be looked up at two endpoints")
		return
	}
	c.Call(conversation.Step{Name: "here", Op: "get"}, dialect.Outgoing{Task: task})
	at := c.RPC
	if c.UsesProtobuf() { // a server of HTTP/2 there owes no one an answer in HTTP/1.1
		at = c.Base
	}
	if first := c.Card.Preferred(); first.Transport() == c.Dialect.Card.Interfaces.REST && c.Own(first.URL()) {
		at = first.URL()
	}
	c.Raw(conversation.Step{Name: "rest", Op: "document", Role: record.Probe, Method: http.MethodGet, URL: addRESTPathIfMissing(c, at) + "/tasks/" + task}, nil)
	if second == "" {
		return
	}
	c.Call(conversation.Step{Name: "there", Op: "get", URL: second}, dialect.Outgoing{Task: task})
	unknown := dialect.Outgoing{Task: c.NewID()}
	c.Call(conversation.Step{Name: "unknown-here", Op: "get", Role: record.Probe}, unknown)
	c.Call(conversation.Step{Name: "unknown-there", Op: "get", Role: record.Probe, URL: second}, unknown)
	c.Call(conversation.Step{Name: "cancel-there", Op: "cancel", Role: record.Probe, URL: second}, unknown)
}}

// sendThereOrReuse makes a task at the second endpoint. If there is none, any task will do.
func sendThereOrReuse(c *conversation.Conversation, second string) (dialect.Outgoing, *conversation.Reply) {
	if second == "" {
		return c.ReuseOrSendQuickMessage("send", "quick")
	}
	o := c.NewMessage("quick")
	return o, c.Call(conversation.Step{Name: "send", Op: "send", URL: second}, o)
}

// maxInterfaces bounds how many further endpoints of a server are called.
const maxInterfaces = 4

// isBindingOfOtherSetting reports whether another binding is spoken in this run too.
func isBindingOfOtherSetting(c *conversation.Conversation, name string) bool {
	return slices.ContainsFunc(c.Others, func(o *conversation.Setting) bool { return o.Binding.Name() == name })
}

// addRESTPathIfMissing returns the URL below which an endpoint would have the paths of REST.
func addRESTPathIfMissing(c *conversation.Conversation, endpoint string) string {
	base, below := strings.TrimSuffix(endpoint, "/"), c.Dialect.Card.Interfaces.Below
	if strings.HasSuffix(base, below) {
		return base
	}
	return base + below
}
