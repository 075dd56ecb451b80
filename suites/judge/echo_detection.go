package judge

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// If a server took a malformed message, it may show that message, or the task that
// it made of it, in any later reply: in a list, say. What is wrong there is what we
// sent, and whether it had to be refused is judged at the call that sent it.

// malformedMessageAndTaskIDs collects them.
func (c *Case) malformedMessageAndTaskIDs() *echoes {
	out := &echoes{dialect: c.Dialect, messages: map[string]bool{}, tasks: map[string]bool{}, made: map[string]bool{}}
	holder, _ := c.Dialect.Pointer("request", "message")
	id, named := c.Dialect.Pointer("message", "id")
	for p, s := range c.Transcript.Steps() {
		if s.Role != record.Probe || s.Exchange == nil || s.Exchange.Dir != record.Out || !c.Dialect.Operation(s.Op).Agent {
			continue
		}
		message := c.BindingOf(p, s).Sent(s.Exchange).Params.At(holder)
		if !s.Invalid && !holdsNull(message) { // null may be read as nothing
			continue
		}
		if of := message.At(id); named && of != nil && of.Kind == record.String && of.String != "" {
			out.messages[of.String] = true
		}
	}
	for _, said := range c.documents {
		if said.Kind != ReplyText && said.Kind != EventText || !c.Dialect.Operation(said.Step.Op).Agent {
			continue
		}
		s := said.Step
		made := Value{t: &T{Case: c, result: &CheckResult{}}, doc: said, node: said.Answer.Result.Node, ptr: said.Answer.Result.At}.Read("task.id")
		if !made.IsString() {
			continue
		}
		out.made[made.Text()] = true
		if s.Role == record.Probe && s.Invalid && made.Text() != s.Task {
			out.tasks[made.Text()] = true
		}
	}
	return out
}

// holdsNull reports whether a member of a message is null, or one of a part. What is
// deeper, as in metadata, may be anything.
func holdsNull(message *record.Node) bool {
	null := func(m record.Member) bool { return m.Value.Kind == record.Null }
	return message != nil && slices.ContainsFunc(message.Members, func(m record.Member) bool {
		return null(m) || slices.ContainsFunc(m.Value.Elems, func(part *record.Node) bool {
			return part.Kind == record.Null || slices.ContainsFunc(part.Members, null)
		})
	})
}

// isEchoOfMalformedMessage reports whether a place in a text is in a malformed message of ours, in a task
// that was made of one, or in the history of a listed task that the run did not make.
func (c *Case) isEchoOfMalformedMessage(s *Document, at string) bool {
	if s.Kind != ReplyText && s.Kind != EventText && s.Kind != Delivery {
		return false
	}
	if c.storedBy(s, at) != nil {
		return true
	}
	of := c.echoes()
	if !c.echoesSomething(s, of) {
		return false
	}
	n, here := s.Root, ""
	for _, token := range append([]string{""}, strings.Split(strings.TrimPrefix(at, "/"), "/")...) {
		if token != "" {
			n, here = n.At("/"+token), here+"/"+token
		}
		if n == nil {
			return false
		}
		if n.Kind != record.Object {
			continue
		}
		if of.isMalformedMessageOrItsTask(n) {
			return true
		}
		history, ok := c.Dialect.Pointer("get", "task.history")
		if named, made := of.matchID(n, "get", "task.id", of.made); ok && s.Op == "list" && named && !made && strings.HasPrefix(at, here+history+"/") {
			return true
		}
	}
	return false
}

// echoesSomething reports whether any place in a text may be such: most texts have none, which is
// found out once for each.
func (c *Case) echoesSomething(s *Document, of *echoes) bool {
	if s.Op == "list" {
		return true
	}
	some, _ := remember(&c.mu, c.hasEchoes, s, func() (bool, error) { return of.containsMalformedEcho(s.Root), nil })
	return some
}

// containsMalformedEcho reports whether a value, or one in it, repeats something of ours.
func (e *echoes) containsMalformedEcho(n *record.Node) bool {
	if n == nil {
		return false
	}
	if n.Kind == record.Object && e.isMalformedMessageOrItsTask(n) {
		return true
	}
	return slices.ContainsFunc(n.Members, func(m record.Member) bool { return e.containsMalformedEcho(m.Value) }) ||
		slices.ContainsFunc(n.Elems, func(elem *record.Node) bool { return e.containsMalformedEcho(elem) })
}

// isMalformedMessageOrItsTask reports whether an object is a malformed message of ours, or a task that was
// made of one.
func (e *echoes) isMalformedMessageOrItsTask(n *record.Node) bool {
	_, ours := e.matchID(n, "message", "id", e.messages)
	_, bent := e.matchID(n, "get", "task.id", e.tasks)
	return ours || bent
}

// matchID reports whether an object has an id of a kind, and whether it is among some.
func (e *echoes) matchID(n *record.Node, row, what string, some map[string]bool) (has, among bool) {
	p, ok := e.dialect.Pointer(row, what)
	id := n.At(p)
	has = ok && id != nil && id.Kind == record.String
	return has, has && some[id.String]
}
