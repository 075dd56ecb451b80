package directory01

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
)

var directoryListMutants = map[string]front.Mutant{
	"list-cut": {Reply: front.OnDocument("agents", func(x *front.Reply) {
		if all, ok := front.At(x.Body, "agents").([]any); ok {
			front.Put(x.Body, "agents", all[:1])
		}
	})},
	"list-numbers-stranger": {Reply: alsoListed(map[string]any{"agentId": front.Num(-1), "name": "Stranger", "capabilities": []any{"strange"}, "endpoint": "http://a2a-conform.invalid/", "registeredAt": "2026-02-17T18:00:00Z"})},
	"list-words-stranger":   {Reply: alsoListed(map[string]any{"agentId": "stranger", "name": "Stranger", "capabilities": "strange, odd", "endpoint": "http://a2a-conform.invalid/", "registeredAt": "2026-02-17T18:00:00Z"})},
}

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

// completes answers a call with a task that succeeded.
func completes(x *front.Reply) {
	x.Succeed(map[string]any{"taskId": front.At(x.Request, "params/taskId"), "status": "completed", "output": map[string]any{"text": "done"}})
}

var directoryTaskMutants = map[string]front.Mutant{
	"task-refused-as-invalid": {Reply: directoryTasked(func(x *front.Reply) {
		if x.Server.Notes.Count("tasked") <= 3 {
			x.Decline(front.CodeInvalidParams)
		}
	})},
	"any-action-completes": {Reply: front.Answering(performTask, func(x *front.Reply) {
		if a := front.Text(x.Request, "params/action"); len(a) > len("no-such-") && a[:8] == "no-such-" {
			completes(x)
		}
	})},
	"task-ids-shared": {Reply: directoryTasked(func(x *front.Reply) {
		sender := front.Text(x.Request, "params/sender")
		if x.Server.Notes.Count("tasks of "+sender) > 2 {
			front.Put(x.Body, "result/taskId", x.Server.Notes.First("third of "+sender, front.At(x.Body, "result/taskId")))
		}
	})},
}
