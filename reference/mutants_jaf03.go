package reference

import "github.com/a2a-conform/a2a-conform/reference/engine"

var jaf03DiscoveryMutants = inArea("discovery",
	mutant{name: "card-name-fixed", summary: "Every agent's card carries the first agent's name.",
		reply: func(x *reply) {
			if x.document == "agent card" {
				put(x.body, "name", jaf03Agents[0].name)
			}
		}},
)

var jaf03CallMutants = inArea("message",
	mutant{name: "context-replaced", area: "context", summary: "The completion carries a context of the server's own.",
		reply: func(x *reply) {
			if text(x.body, "result/kind") == "completion" {
				put(x.body, "result/contextId", "server-context")
			}
		}},
	mutant{name: "final-false", summary: "The completion of message/send has final false.",
		reply: func(x *reply) {
			if text(x.body, "result/kind") == "completion" {
				put(x.body, "result/final", false)
			}
		}},
	mutant{name: "unknown-agent-served", area: "errors", summary: "A call to an unknown agent is reported as an unknown method.",
		reply: func(x *reply) {
			if at(x.body, "error/code") == num(jaf03AgentNotFound) {
				put(x.body, "error/code", codeMethodNotFound)
			}
		}},
)

var jaf03TaskMutants = inArea("task",
	mutant{name: "cancel-undone", summary: "A canceled task ends as completed.",
		engine: func(o *engine.Options) { o.Defects.CancelUndone = true }},
)

var jaf03StreamMutants = inArea("stream",
	mutant{name: "event-name-fixed", summary: "Every event is named status-update.",
		event: func(f *frame) { f.name = "status-update" }},
)
