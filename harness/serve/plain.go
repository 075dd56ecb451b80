package serve

import "cmp"

// plain are the scenarios in which everything is right.
var plain = []Script{
	{Name: "hello", Doc: "A message makes a task that is completed at once, with one artifact. The agent does not stream.",
		set: func(s *stage) { s.addMarker("artifact") }},
	{Name: "hello-message", Twin: "hello", Asks: []string{answersByMessages}, Doc: "A message is answered by a message.",
		set: func(s *stage) {
			s.addMarker("message")
			s.on[sendingMessages] = func(c *call) { c.sendResult(c.form.wrapNamed("message", c.buildMessage())) }
		}},
	{Name: "turns", Twin: "hello", Doc: "The client is given a second text for the same conversation. Each message makes a task that is completed at once.", Turns: true,
		set: func(s *stage) { s.addMarker("artifact") }},
	{Name: "only-rpc", Twin: "hello", Asks: []string{hasInterfaces}, Doc: "The card has one interface, of JSON-RPC.",
		set: func(s *stage) {
			s.addMarker("artifact")
			s.faces = []face{s.newRPCFace()}
		}},
	{Name: "only-rest", Twin: "hello", Asks: []string{httpJSON}, Doc: "The card has one interface, of HTTP+JSON.",
		set: func(s *stage) {
			s.addMarker("artifact")
			s.faces = []face{s.newRESTFace()}
		}},
}

// buildMessage returns a message of the agent, in the context of the one that it answers.
func (c *call) buildMessage() object {
	context := cmp.Or(readParam(c.sent, c.form.contextAt()), c.ids.New())
	return c.form.writeMessage(c.ids.New(), context, "", c.formatAnswer("message"))
}
