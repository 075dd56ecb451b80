package a2a03

import (
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// V03Hello is what a lenient server puts in place of a message it misses.
func V03Hello() map[string]any {
	return map[string]any{"kind": "message", "role": "user", "messageId": "made-up", "parts": []any{map[string]any{"kind": "text", "text": "echo hello"}}}
}

// toTask edits the calls of a method about a task for which is holds.
func toTask(method string, is func(engine.Task) bool, edit func(body any)) func(*front.Call) {
	return func(c *front.Call) {
		if c.Method == method && front.Text(c.Body, "params/message/taskId") != "" {
			if t, _ := c.Server.Engine.Task(front.Text(c.Body, "params/message/taskId")); is(t) {
				edit(c.Body)
			}
		}
	}
}

func isUnknown(t engine.Task) bool { return t.ID == "" }

// onConfiguration edits the configuration of message/send if it has a member.
func onConfiguration(member string, edit func(configuration map[string]any)) func(*front.Call) {
	return front.Misread("message/send", func(body any) {
		if c := front.Object(body, "params/configuration"); c[member] != nil {
			edit(c)
		}
	})
}

// unsupported refuses messages with parts to which objectionable applies as
// being of an unsupported type.
func unsupported(objectionable func(part map[string]any) bool) func(*front.Reply) {
	return front.Declining("message/send", contentType, front.AnyPart(objectionable))
}

// knownFile reports whether a part is a file of a type that the server takes.
func knownFile(p map[string]any) bool {
	return front.Object(p, "file") != nil && !strings.HasPrefix(front.Text(p, "file/mimeType"), "application/x-")
}

// OnTask edits the tasks that one method returns, for tasks of one script; an
// empty script means any.
func OnTask(method, script string, edit func(*front.Reply)) func(*front.Reply) {
	return front.OnResult(method, func(x *front.Reply) {
		if front.Text(x.Body, "result/kind") == "task" && (script == "" || x.Script() == script) {
			edit(x)
		}
	})
}

// updates edits the results of one kind in streams that begin with a message.
func updates(kind string, edit func(*front.StreamEvent)) func(*front.StreamEvent) {
	return Words.InStream("", front.OfKind(kind, edit))
}

// taskMutants are about messages, tasks and streams.
var taskMutants = map[string]front.Mutant{
	"task-id-of-message": mutants.Renamed("message/send",
		func(x *front.Reply) string {
			if front.Has(x.Request, "params/message/taskId") {
				return ""
			}
			return front.Text(x.Request, "params/message/messageId")
		}),
	"task-id-of-text": mutants.Renamed("message/send",
		func(x *front.Reply) string {
			said := front.Text(x.Request, "params/message/parts/0/text")
			if front.Has(x.Request, "params/message/taskId") || !strings.HasPrefix(said, "echo") {
				return ""
			}
			return "task-" + strconv.Itoa(len(said))
		}),
	"context-has-one-task": mutants.Renamed("message/send",
		func(x *front.Reply) string {
			if context := front.Text(x.Body, "result/contextId"); context != "" && !front.Has(x.Request, "params/message/taskId") {
				return "task-of-" + context
			}
			return ""
		}),
	"answer-starts-anew": {Call: toTask("message/send", func(t engine.Task) bool { return t.Status.State.Paused() },
		func(body any) { front.Drop(body, "params/message/taskId") })},
	"unknown-task-renewed": {Call: toTask("message/send", isUnknown, func(body any) { front.Drop(body, "params/message/taskId") })},
	"refused-message-kept": {Reply: func(x *front.Reply) {
		key := "refused by " + x.TaskID()
		if x.Answers("message/send", Unsupported) {
			x.Server.Notes.Write(key, front.At(x.Request, "params/message"))
		} else if m := x.Server.Notes.Read(key); m != nil && x.Method() == "tasks/get" {
			history, _ := front.At(x.Body, "result/history").([]any)
			front.Put(x.Body, "result/history", append(history, m))
		}
	}},
	"task-changes-context": {Call: toTask("message/send", func(t engine.Task) bool { return t.Status.State.Paused() }, func(body any) {
		front.Put(body, "params/message/moved", front.At(body, "params/message/contextId"))
		front.Drop(body, "params/message/contextId")
	}),
		Reply: front.OnResult("message/send", func(x *front.Reply) {
			if to := front.At(x.Request, "params/message/moved"); to != nil {
				front.Put(x.Body, "result/contextId", to)
			}
		})},
	"inline-file-refused": {Reply: unsupported(func(p map[string]any) bool { return knownFile(p) && front.Has(p, "file/bytes") })},
	"linked-file-refused": {Reply: unsupported(func(p map[string]any) bool { return knownFile(p) && front.Has(p, "file/uri") })},
	"mixed-parts-refused": {Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool {
		list := front.Parts(params)
		return len(list) > 1 && front.Text(list[0], "kind") != front.Text(list[1], "kind")
	})},
	"output-modes-ignored": {Call: onConfiguration("acceptedOutputModes", func(c map[string]any) {
		if !strings.HasPrefix(front.Text(c, "acceptedOutputModes/0"), "application/x-") {
			delete(c, "acceptedOutputModes")
		}
	})},
	"send-history-unlimited": {Reply: OnTask("message/send", "", func(x *front.Reply) {
		if front.At(x.Request, "params/configuration/historyLength") == front.Num(1) {
			front.Put(x.Body, "result/history", Words.WholeHistory(x))
		}
	})},
	"send-history-earliest": {Reply: OnTask("message/send", "", func(x *front.Reply) {
		if front.At(x.Request, "params/configuration/historyLength") == front.Num(1) {
			front.Put(x.Body, "result/history", Words.WholeHistory(x)[:1])
		}
	})},
	"history-surplus-refused": {Reply: front.Declining("tasks/get", front.CodeInvalidParams, func(params any) bool {
		n := front.At(params, "historyLength")
		return front.IsNumber(n) && len(front.Encode(n)) > 2 && front.Encode(n)[0] != '-'
	})},
	"get-noted-in-history": {Reply: OnTask("tasks/get", "ask", func(x *front.Reply) {
		history, ok := front.At(x.Body, "result/history").([]any)
		if !ok || front.Text(x.Body, "result/status/state") != "input-required" {
			return
		}
		for range x.Server.Notes.Count("looks at " + x.TaskID()) {
			history = append(history, history[len(history)-1])
		}
		front.Put(x.Body, "result/history", history)
	})},
	"chat-in-pieces": {Event: updates("message", func(f *front.StreamEvent) {
		m := front.Generic(f.Body)
		front.Put(m, "result/messageId", "second-piece")
		f.After = []any{m}
	})},
	"event-of-subtask": {Event: Words.InStream("echo", func(f *front.StreamEvent) {
		if f.State() == "working" && front.Text(f.Body, "result/kind") == "status-update" {
			e := front.Generic(f.Body)
			front.Put(e, "result/taskId", "a-part-of-the-task")
			f.After = []any{e}
		}
	})},
	"event-after-final": {Event: Words.InStream("echo", func(f *front.StreamEvent) {
		if f.State() == "completed" {
			f.After = []any{f.Further(map[string]any{"kind": "artifact-update", "taskId": f.Task(), "contextId": front.At(f.Body, "result/contextId"),
				"artifact": map[string]any{"artifactId": "artifact-2", "parts": V03Hello()["parts"]}})}
		}
	})},
	"streamed-task-unknown": {Event: Words.InStream("echo", func(f *front.StreamEvent) { f.Reply.Server.Notes.Write("streamed "+f.Task(), true) }),
		Reply: func(x *front.Reply) {
			if x.Method() == "tasks/get" && x.Server.Notes.Read("streamed "+x.TaskID()) != nil {
				x.Decline(TaskNotFound)
			}
		}},
	"stream-unknown-task-renewed": {Call: toTask("message/stream", isUnknown, func(body any) { front.Drop(body, "params/message/taskId") })},
	"crash-as-text": {Event: func(f *front.StreamEvent) {
		if front.Has(f.Body, "error") {
			f.Raw = "data: Internal Server Error\n\n"
		}
	}},
	"stream-unclaimed": {Reply: mutants.Failing("message/stream", Unsupported, func(x *front.Reply) {
		x.EmptyStream()
		hello := Server{x.Server}.Chat(engine.Request{Session: "some-context"})
		x.Raw = []byte("data: " + string(front.Encode(front.Response{JSONRPC: "2.0", ID: front.At(x.Request, "id"), Result: hello})) + "\n\n")
	})},
}
