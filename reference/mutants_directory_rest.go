package reference

import "net/http"

var directoryListMutants = inArea("directory",
	mutant{name: "list-missing", summary: "There is no list of agents.",
		reply: onDocument("agents", func(x *reply) { x.blank(http.StatusNotFound, "text/plain") })},
	mutant{name: "list-cut", summary: "The list ends after its first entry.",
		reply: onDocument("agents", func(x *reply) {
			if all, ok := at(x.body, "agents").([]any); ok {
				put(x.body, "agents", all[:1])
			}
		})},
	mutant{name: "list-of-names", summary: "The entries of the list hold id and name only.",
		reply: onDocument("agents", func(x *reply) {
			all, _ := at(x.body, "agents").([]any)
			for _, e := range all {
				drop(e, "capabilities")
				drop(e, "endpoint")
			}
		})},
	mutant{name: "list-numbers-stranger", summary: "The list has an entry more, whose agentId is -1.",
		reply: alsoListed(map[string]any{"agentId": num(-1), "name": "Stranger", "capabilities": []any{"strange"}, "endpoint": "http://a2a-conform.invalid/", "registeredAt": "2026-02-17T18:00:00Z"})},
	mutant{name: "list-words-stranger", summary: "The list has an entry more, whose capabilities are one text.",
		reply: alsoListed(map[string]any{"agentId": "stranger", "name": "Stranger", "capabilities": "strange, odd", "endpoint": "http://a2a-conform.invalid/", "registeredAt": "2026-02-17T18:00:00Z"})},
	mutant{name: "entry-is-list", summary: "The whole list is returned for every id.",
		reply: onDocument("agent", func(x *reply) {
			if x.status == http.StatusOK {
				x.body = map[string]any{"agents": []any{x.body}}
			}
		})},
	mutant{name: "unknown-entry-null", summary: "An id that nobody has gives HTTP 200 with null.",
		reply: func(x *reply) {
			if x.document == "agent" && x.status == http.StatusNotFound {
				x.status, x.raw = http.StatusOK, []byte("null")
			}
		}},
	mutant{name: "list-as-text", summary: "The list is sent as text/plain.",
		reply: onDocument("agents", func(x *reply) { x.header.Set("Content-Type", "text/plain") })},
)

// alsoListed adds an entry to the list of agents.
func alsoListed(entry map[string]any) func(*reply) {
	return onDocument("agents", func(x *reply) {
		if all, ok := at(x.body, "agents").([]any); ok {
			put(x.body, "agents", append(all, entry))
		}
	})
}

// directoryTasked edits the results of tasks.
func directoryTasked(edit func(*reply)) func(*reply) {
	return answering(performTask, func(x *reply) {
		if has(x.body, "result") {
			edit(x)
		}
	})
}

// performing edits the answers to one action.
func performing(action string, edit func(*reply)) func(*reply) {
	return answering(performTask, func(x *reply) {
		if text(x.request, "params/action") == action {
			edit(x)
		}
	})
}

// completes answers a call with a task that succeeded.
func completes(x *reply) {
	x.succeed(map[string]any{"taskId": at(x.request, "params/taskId"), "status": "completed", "output": map[string]any{"text": "done"}})
}

var directoryTaskMutants = inArea("task",
	mutant{name: "tasks-elsewhere", area: "transport", summary: "Tasks are taken at no place that the source names.",
		reply: answering(performTask, func(x *reply) { x.blank(http.StatusNotFound, "text/plain") })},
	mutant{name: "id-is-task-id", area: "envelope", summary: "The answer to a task bears the id of the task.",
		reply: directoryTasked(func(x *reply) { put(x.body, "id", at(x.body, "result/taskId")) })},
	mutant{name: "task-missing", summary: "a2a/task is not implemented.",
		reply: answering(performTask, func(x *reply) { x.decline(codeMethodNotFound) })},
	mutant{name: "task-renamed", summary: "A task is given an id of the agent's.",
		reply: directoryTasked(func(x *reply) { put(x.body, "result/taskId", "task-17") })},
	mutant{name: "task-times-out", summary: "A task that brought an output is reported as timed out.",
		reply: directoryTasked(func(x *reply) { swap(x.body, "result/status", "completed", "timeout") })},
	mutant{name: "output-renamed", summary: "The output of a task is called data.",
		reply: directoryTasked(func(x *reply) { put(x.body, "result/data", at(x.body, "result/output")); drop(x.body, "result/output") })},
	mutant{name: "failure-completes", summary: "A task that fails is reported as completed.", reply: performing("fail", completes)},
	mutant{name: "timeout-unanswered", summary: "A task that takes too long gets an empty answer.",
		reply: performing("timeout", func(x *reply) { x.blank(http.StatusOK, "application/json") })},
	mutant{name: "reason-nested", summary: "The reason of a failure is an object.",
		reply: performing("fail", func(x *reply) {
			put(x.body, "error/data", map[string]any{"reason": map[string]any{"class": "Failure"}})
		})},
	mutant{name: "task-id-optional", summary: "A task without taskId is performed.", call: supply(performTask, "params/taskId", "null")},
	mutant{name: "action-optional", summary: "A task without action is performed.", call: supply(performTask, "params/action", "echo")},
	mutant{name: "task-without-params", summary: "A task without params gives HTTP 500.",
		reply: answering(performTask, func(x *reply) {
			if !has(x.request, "params") {
				x.blank(http.StatusInternalServerError, "text/plain")
			}
		})},
	mutant{name: "any-action-completes", summary: "Every action is reported as completed.",
		reply: answering(performTask, func(x *reply) {
			if a := text(x.request, "params/action"); len(a) > len("no-such-") && a[:8] == "no-such-" {
				completes(x)
			}
		})},
	mutant{name: "sender-needed", summary: "A task without sender gives HTTP 500.",
		reply: answering(performTask, func(x *reply) {
			if object(x.request, "params") != nil && !has(x.request, "params/sender") {
				x.blank(http.StatusInternalServerError, "text/plain")
			}
		})},
	mutant{name: "input-needed", summary: "A task without input gives HTTP 500.",
		reply: answering(performTask, func(x *reply) {
			if object(x.request, "params") != nil && !has(x.request, "params/input") {
				x.blank(http.StatusInternalServerError, "text/plain")
			}
		})},
	mutant{name: "task-ids-shared", summary: "An agent that performed two tasks reports all further ones under the id of the third.",
		reply: directoryTasked(func(x *reply) {
			if x.server.notes.count("tasks") > 2 {
				put(x.body, "result/taskId", x.server.notes.first("third", at(x.body, "result/taskId")))
			}
		})},
)

var directoryAccessMutants = inArea("auth",
	mutant{name: "key-demanded", summary: "Calls to the directory need a credential.", reply: keyDemanded(registerAgent, discoverAgent)},
	mutant{name: "list-key-demanded", summary: "The list of agents needs a credential.",
		reply: onDocument("agents", func(x *reply) {
			if x.http.Header.Get("Authorization") == "" {
				x.blank(http.StatusUnauthorized, "text/plain")
			}
		})},
	mutant{name: "strangers-refused", summary: "Senders that nobody registered are refused.",
		reply: answering(performTask, func(x *reply) {
			if x.http.Header.Get("Authorization") == "" {
				x.decline(codeInvalidRequest)
			}
		})},
	mutant{name: "credential-minded", summary: "A credential that nobody asked for is an error.",
		reply: answering(discoverAgent, func(x *reply) {
			if x.http.Header.Get("Authorization") == "Bearer x" {
				x.blank(http.StatusBadRequest, "text/plain")
			}
		})},
)

// keyDemanded refuses calls of some methods that show no credential.
func keyDemanded(methods ...string) func(*reply) {
	return func(x *reply) {
		for _, m := range methods {
			if x.method() == m && x.http.Header.Get("Authorization") == "" {
				x.blank(http.StatusUnauthorized, "text/plain")
			}
		}
	}
}
