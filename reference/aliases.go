package reference

// renamed gives tasks other ids than the engine does, chosen from the message
// that begins a task; an empty name leaves the engine's. The other doors of the
// server know them under these ids.
func renamed(name, summary, send string, choose func(*reply) string) mutant {
	outside := func(n *notebook, v any) {
		walk(v, func(m map[string]any) {
			for _, member := range []string{"id", "taskId"} {
				if alias, ok := n.read("alias of " + text(m, member)).(string); ok {
					m[member] = alias
				}
			}
		})
	}
	return mutant{name: name, summary: summary,
		call: func(c *call) {
			for _, path := range []string{"params/id", "params/taskId", "params/message/taskId"} {
				if id, ok := c.notes.read("task called " + text(c.body, path)).(string); ok {
					put(c.body, path, id)
				}
			}
		},
		reply: func(x *reply) {
			notes := &x.server.notes
			if alias := choose(x); alias != "" && x.method() == send && text(x.body, "result/kind") == "task" {
				notes.write("alias of "+text(x.body, "result/id"), alias)
				notes.write("task called "+alias, text(x.body, "result/id"))
			}
			outside(notes, at(x.body, "result"))
		},
		event: func(f *frame) { outside(&f.reply.server.notes, at(f.body, "result")) },
	}
}
