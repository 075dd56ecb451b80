package mutants

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// Renamed gives tasks other ids than the engine does, chosen from the message
// that begins a task; an empty name leaves the engine's. The other doors of the
// server know them under these ids.
func Renamed(send string, choose func(*front.Reply) string) front.Mutant {
	outside := func(n *front.MutantState, v any) {
		front.Walk(v, func(m map[string]any) {
			for _, member := range []string{"id", "taskId"} {
				if alias, ok := n.Read("alias of " + front.Text(m, member)).(string); ok {
					m[member] = alias
				}
			}
		})
	}
	return front.Mutant{
		Call: func(c *front.Call) {
			for _, path := range []string{"params/id", "params/taskId", "params/message/taskId"} {
				if id, ok := c.Notes.Read("task called " + front.Text(c.Body, path)).(string); ok {
					front.Put(c.Body, path, id)
				}
			}
		},
		Reply: func(x *front.Reply) {
			notes := &x.Server.Notes
			if alias := choose(x); alias != "" && x.Method() == send && front.Text(x.Body, "result/kind") == "task" {
				notes.Write("alias of "+front.Text(x.Body, "result/id"), alias)
				notes.Write("task called "+alias, front.Text(x.Body, "result/id"))
			}
			outside(notes, front.At(x.Body, "result"))
		},
		Event: func(f *front.StreamEvent) { outside(&f.Reply.Server.Notes, front.At(f.Body, "result")) },
	}
}
