package judge

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Where a server took a malformed message, it may show that message, or the task that
// it made of it, in any later reply: in a list, say. What is wrong there is what we
// sent, and whether it had to be refused is judged where it was sent.

// echoes are the ids of malformed messages of ours, and of the tasks that were made
// of them; and of all tasks that were made in the run, since what others sent, or an
// earlier run, may be malformed too.
type echoes struct {
	messages, tasks, made map[string]bool
}

// echoed collects them, once.
func (c *Case) echoed() *echoes {
	c.mu.Lock()
	known := c.ours
	c.mu.Unlock()
	if known != nil {
		return known
	}
	out := &echoes{messages: map[string]bool{}, tasks: map[string]bool{}, made: map[string]bool{}}
	holder, _ := c.Dialect.Pointer("request", "message")
	id, named := c.Dialect.Pointer("message", "id")
	for i := range c.Transcript.Plays {
		p := &c.Transcript.Plays[i]
		for j := range p.Steps {
			s := &p.Steps[j]
			if s.Role != record.Probe || s.Exchange == nil || s.Exchange.Dir != record.Out || !c.Dialect.Operation(s.Op).Agent {
				continue
			}
			message := c.by(p, s).Sent(s.Exchange).Params.At(holder)
			if !s.Invalid && !holdsNull(message) { // null may be read as nothing
				continue
			}
			if of := message.At(id); named && of != nil && of.Kind == record.String && of.String != "" {
				out.messages[of.String] = true
			}
		}
	}
	for _, said := range c.said {
		if said.Kind != ReplyText && said.Kind != EventText || !c.Dialect.Operation(said.Step.Op).Agent {
			continue
		}
		s := said.Step
		made := Value{t: &T{Case: c, result: &Result{}}, said: said, node: said.Answer.Result.Node, ptr: said.Answer.Result.At}.Read("task.id")
		if !made.IsString() {
			continue
		}
		out.made[made.Text()] = true
		if s.Role == record.Probe && s.Invalid && made.Text() != s.Task {
			out.tasks[made.Text()] = true
		}
	}
	c.mu.Lock()
	c.ours = out
	c.mu.Unlock()
	return out
}

// holdsNull reports whether a member of a message is null, or one of a part. What stands
// deeper, as in metadata, may be anything.
func holdsNull(message *record.Node) bool {
	null := func(m record.Member) bool { return m.Value.Kind == record.Null }
	return message != nil && slices.ContainsFunc(message.Members, func(m record.Member) bool {
		return null(m) || slices.ContainsFunc(m.Value.Elems, func(part *record.Node) bool {
			return part.Kind == record.Null || slices.ContainsFunc(part.Members, null)
		})
	})
}

// echo reports whether a place in a text is in a malformed message of ours, in a task
// that was made of one, or in the history of a listed task that the run did not make.
func (c *Case) echo(s *Said, at string) bool {
	if s.Kind != ReplyText && s.Kind != EventText && s.Kind != Delivery {
		return false
	}
	if c.storedBy(s, at) != nil {
		return true
	}
	of := c.echoed()
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
		if c.repeats(n, of) {
			return true
		}
		history, ok := c.Dialect.Pointer("get", "task.history")
		if named, made := c.idAmong(n, "get", "task.id", of.made); ok && s.Op == "list" && named && !made && strings.HasPrefix(at, here+history+"/") {
			return true
		}
	}
	return false
}

// echoesSomething reports whether any place in a text may be such: most texts have none, which is
// found out once for each.
func (c *Case) echoesSomething(s *Said, of *echoes) bool {
	if s.Op == "list" {
		return true
	}
	c.mu.Lock()
	some, known := c.echoing[s]
	c.mu.Unlock()
	if known {
		return some
	}
	some = c.repeatsWithin(s.Root, of)
	c.mu.Lock()
	c.echoing[s] = some
	c.mu.Unlock()
	return some
}

// repeatsWithin reports whether a value, or one in it, repeats something of ours.
func (c *Case) repeatsWithin(n *record.Node, of *echoes) bool {
	if n == nil {
		return false
	}
	if n.Kind == record.Object && c.repeats(n, of) {
		return true
	}
	return slices.ContainsFunc(n.Members, func(m record.Member) bool { return c.repeatsWithin(m.Value, of) }) ||
		slices.ContainsFunc(n.Elems, func(e *record.Node) bool { return c.repeatsWithin(e, of) })
}

// repeats reports whether an object is a malformed message of ours, or a task that was
// made of one.
func (c *Case) repeats(n *record.Node, of *echoes) bool {
	_, ours := c.idAmong(n, "message", "id", of.messages)
	_, bent := c.idAmong(n, "get", "task.id", of.tasks)
	return ours || bent
}

// idAmong tells whether an object has an id of a kind, and whether it is among some.
func (c *Case) idAmong(n *record.Node, row, what string, some map[string]bool) (has, among bool) {
	p, ok := c.Dialect.Pointer(row, what)
	id := n.At(p)
	has = ok && id != nil && id.Kind == record.String
	return has, has && some[id.String]
}
