package directory01

import (
	"net/http"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

var directoryListMutants = front.InArea("directory",
	front.Mutant{Name: "list-missing", Summary: "There is no list of agents.",
		Reply: front.OnDocument("agents", func(x *front.Reply) { x.Blank(http.StatusNotFound, "text/plain") })},
	front.Mutant{Name: "list-cut", Summary: "The list ends after its first entry.",
		Reply: front.OnDocument("agents", func(x *front.Reply) {
			if all, ok := front.At(x.Body, "agents").([]any); ok {
				front.Put(x.Body, "agents", all[:1])
			}
		})},
	front.Mutant{Name: "list-of-names", Summary: "The entries of the list hold id and name only.",
		Reply: front.OnDocument("agents", func(x *front.Reply) {
			all, _ := front.At(x.Body, "agents").([]any)
			for _, e := range all {
				front.Drop(e, "capabilities")
				front.Drop(e, "endpoint")
			}
		})},
	front.Mutant{Name: "list-numbers-stranger", Summary: "The list has an entry more, whose agentId is -1.",
		Reply: alsoListed(map[string]any{"agentId": front.Num(-1), "name": "Stranger", "capabilities": []any{"strange"}, "endpoint": "http://a2a-conform.invalid/", "registeredAt": "2026-02-17T18:00:00Z"})},
	front.Mutant{Name: "list-words-stranger", Summary: "The list has an entry more, whose capabilities are one text.",
		Reply: alsoListed(map[string]any{"agentId": "stranger", "name": "Stranger", "capabilities": "strange, odd", "endpoint": "http://a2a-conform.invalid/", "registeredAt": "2026-02-17T18:00:00Z"})},
	front.Mutant{Name: "entry-is-list", Summary: "The whole list is returned for every id.",
		Reply: front.OnDocument("agent", func(x *front.Reply) {
			if x.Status == http.StatusOK {
				x.Body = map[string]any{"agents": []any{x.Body}}
			}
		})},
	front.Mutant{Name: "unknown-entry-null", Summary: "An id that nobody has gives HTTP 200 with null.",
		Reply: func(x *front.Reply) {
			if x.Document == "agent" && x.Status == http.StatusNotFound {
				x.Status, x.Raw = http.StatusOK, []byte("null")
			}
		}},
	front.Mutant{Name: "list-as-text", Summary: "The list is sent as text/plain.",
		Reply: front.OnDocument("agents", func(x *front.Reply) { x.Header.Set("Content-Type", "text/plain") })},
)

// alsoListed adds an entry to the list of agents.
func alsoListed(entry map[string]any) func(*front.Reply) {
	return front.OnDocument("agents", func(x *front.Reply) {
		if all, ok := front.At(x.Body, "agents").([]any); ok {
			front.Put(x.Body, "agents", append(all, entry))
		}
	})
}

// directoryTasked edits the results of tasks.
func directoryTasked(edit func(*front.Reply)) func(*front.Reply) {
	return front.Answering(performTask, func(x *front.Reply) {
		if front.Has(x.Body, "result") {
			edit(x)
		}
	})
}

// performing edits the answers to one action.
func performing(action string, edit func(*front.Reply)) func(*front.Reply) {
	return front.Answering(performTask, func(x *front.Reply) {
		if front.Text(x.Request, "params/action") == action {
			edit(x)
		}
	})
}

// completes answers a call with a task that succeeded.
func completes(x *front.Reply) {
	x.Succeed(map[string]any{"taskId": front.At(x.Request, "params/taskId"), "status": "completed", "output": map[string]any{"text": "done"}})
}

var directoryTaskMutants = front.InArea("task",
	front.Mutant{Name: "tasks-elsewhere", Area: "transport", Summary: "Tasks are taken at no place that the source names.",
		Reply: front.Answering(performTask, func(x *front.Reply) { x.Blank(http.StatusNotFound, "text/plain") })},
	front.Mutant{Name: "id-is-task-id", Area: "envelope", Summary: "The answer to a task bears the id of the task.",
		Reply: directoryTasked(func(x *front.Reply) { front.Put(x.Body, "id", front.At(x.Body, "result/taskId")) })},
	front.Mutant{Name: "task-missing", Summary: "a2a/task is not implemented.",
		Reply: front.Answering(performTask, func(x *front.Reply) { x.Decline(front.CodeMethodNotFound) })},
	front.Mutant{Name: "task-refused-as-invalid", Summary: "a2a/task refuses the first three tasks as invalid.",
		Reply: directoryTasked(func(x *front.Reply) {
			if x.Server.Notes.Count("tasked") <= 3 {
				x.Decline(front.CodeInvalidParams)
			}
		})},
	front.Mutant{Name: "task-renamed", Summary: "A task is given an id of the agent's.",
		Reply: directoryTasked(func(x *front.Reply) { front.Put(x.Body, "result/taskId", "task-17") })},
	front.Mutant{Name: "task-times-out", Summary: "A task that brought an output is reported as timed out.",
		Reply: directoryTasked(func(x *front.Reply) { front.Swap(x.Body, "result/status", "completed", "timeout") })},
	front.Mutant{Name: "output-renamed", Summary: "The output of a task is called data.",
		Reply: directoryTasked(func(x *front.Reply) {
			front.Put(x.Body, "result/data", front.At(x.Body, "result/output"))
			front.Drop(x.Body, "result/output")
		})},
	front.Mutant{Name: "failure-completes", Summary: "A task that fails is reported as completed.", Reply: performing("fail", completes)},
	front.Mutant{Name: "timeout-unanswered", Summary: "A task that takes too long gets an empty answer.",
		Reply: performing("timeout", func(x *front.Reply) { x.Blank(http.StatusOK, "application/json") })},
	front.Mutant{Name: "reason-nested", Summary: "The reason of a failure is an object.",
		Reply: performing("fail", func(x *front.Reply) {
			front.Put(x.Body, "error/data", map[string]any{"reason": map[string]any{"class": "Failure"}})
		})},
	front.Mutant{Name: "task-id-optional", Summary: "A task without taskId is performed.", Call: front.Supply(performTask, "params/taskId", "null")},
	front.Mutant{Name: "action-optional", Summary: "A task without action is performed.", Call: front.Supply(performTask, "params/action", "echo")},
	front.Mutant{Name: "task-without-params", Summary: "A task without params gives HTTP 500.",
		Reply: front.Answering(performTask, func(x *front.Reply) {
			if !front.Has(x.Request, "params") {
				x.Blank(http.StatusInternalServerError, "text/plain")
			}
		})},
	front.Mutant{Name: "any-action-completes", Summary: "Every action is reported as completed.",
		Reply: front.Answering(performTask, func(x *front.Reply) {
			if a := front.Text(x.Request, "params/action"); len(a) > len("no-such-") && a[:8] == "no-such-" {
				completes(x)
			}
		})},
	front.Mutant{Name: "sender-needed", Summary: "A task without sender gives HTTP 500.",
		Reply: front.Answering(performTask, func(x *front.Reply) {
			if front.Object(x.Request, "params") != nil && !front.Has(x.Request, "params/sender") {
				x.Blank(http.StatusInternalServerError, "text/plain")
			}
		})},
	front.Mutant{Name: "input-needed", Summary: "A task without input gives HTTP 500.",
		Reply: front.Answering(performTask, func(x *front.Reply) {
			if front.Object(x.Request, "params") != nil && !front.Has(x.Request, "params/input") {
				x.Blank(http.StatusInternalServerError, "text/plain")
			}
		})},
	front.Mutant{Name: "task-ids-shared", Summary: "An agent that performed two tasks for a sender reports all further ones of that sender under the id of the third.",
		Reply: directoryTasked(func(x *front.Reply) {
			sender := front.Text(x.Request, "params/sender")
			if x.Server.Notes.Count("tasks of "+sender) > 2 {
				front.Put(x.Body, "result/taskId", x.Server.Notes.First("third of "+sender, front.At(x.Body, "result/taskId")))
			}
		})},
)

var directoryAccessMutants = front.InArea("auth",
	front.Mutant{Name: "key-demanded", Summary: "Calls to the directory need a credential.", Reply: keyDemanded(registerAgent, discoverAgent)},
	front.Mutant{Name: "list-key-demanded", Summary: "The list of agents needs a credential.",
		Reply: front.OnDocument("agents", func(x *front.Reply) {
			if x.Http.Header.Get("Authorization") == "" {
				x.Blank(http.StatusUnauthorized, "text/plain")
			}
		})},
	front.Mutant{Name: "strangers-refused", Summary: "Senders that nobody registered are refused.",
		Reply: front.Answering(performTask, func(x *front.Reply) {
			if x.Http.Header.Get("Authorization") == "" {
				x.Decline(front.CodeInvalidRequest)
			}
		})},
	front.Mutant{Name: "credential-minded", Summary: "A credential that nobody asked for is an error.",
		Reply: front.Answering(discoverAgent, func(x *front.Reply) {
			if x.Http.Header.Get("Authorization") == "Bearer x" {
				x.Blank(http.StatusBadRequest, "text/plain")
			}
		})},
)

// keyDemanded refuses calls of some methods that show no credential.
func keyDemanded(methods ...string) func(*front.Reply) {
	return func(x *front.Reply) {
		for _, m := range methods {
			if x.Method() == m && x.Http.Header.Get("Authorization") == "" {
				x.Blank(http.StatusUnauthorized, "text/plain")
			}
		}
	}
}
