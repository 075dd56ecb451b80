package a2a10

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// keptIn makes a server that adds a message it refused to the history of its task.
func keptIn(refused func(*front.Reply) bool) func(*front.Reply) {
	return func(x *front.Reply) {
		id := front.Text(x.Request, "params/message/taskId")
		if id != "" && refused(x) {
			x.Server.Notes.Write("refused "+id, front.At(x.Request, "params/message"))
			return
		}
		onResult(getMethod, func(x *front.Reply) {
			if m := x.Server.Notes.Read("refused " + front.Text(x.Request, "params/id")); m != nil {
				history, _ := front.At(x.Body, "result/history").([]any)
				front.Put(x.Body, "result/history", append(history, m))
			}
		})(x)
	}
}

// strange edits a call about a task that is not there.
func strange(method string, edit func(body any)) func(*front.Call) {
	return func(c *front.Call) {
		if id := front.Text(c.Body, "params/message/taskId"); c.Method == method && id != "" {
			if _, err := c.Server.Engine.Task(id); err != nil {
				edit(c.Body)
			}
		}
	}
}

func forgetTask(body any) { front.Drop(body, "params/message/taskId") }

// mismatched reports whether a message names another context than that of its task.
func mismatched(x *front.Reply) bool {
	context := front.Text(x.Request, "params/message/contextId")
	return x.Answers(sendMethod, front.CodeInvalidParams) && context != "" && x.Task().Session != "" && context != x.Task().Session
}

// missingInternal makes a server that fails over a message without a member.
func missingInternal(name string) front.Mutant {
	called := map[string]string{"messageId": "message-id"}[name]
	if called == "" {
		called = name
	}
	return front.Mutant{Name: "missing-" + called + "-internal", Area: "message", Summary: "A message without " + name + " is an internal error.",
		Reply: front.Answering(sendMethod, func(x *front.Reply) {
			if m := front.Object(x.Request, "params/message"); m != nil && !front.Has(m, name) {
				x.Decline(front.CodeInternal)
			}
		})}
}

// sendMutants are about the message that is sent, and what comes back for it.
var sendMutants = front.InArea("message",
	front.Mutant{Name: "task-unwrapped", Summary: "The result of SendMessage is the task itself.",
		Reply: onTask(func(x *front.Reply, t map[string]any) { front.Put(x.Body, "result", t) })},
	front.Mutant{Name: "send-hangs", Waits: true, Summary: "A message is never answered where a reply is wanted at once.",
		Reply: onTask(func(x *front.Reply, _ map[string]any) {
			if front.At(x.Request, "params/configuration/returnImmediately") == true {
				x.Body, x.Raw, x.Hang = nil, []byte{}, true
			}
		})},
	front.Mutant{Name: "canceled-task-revived", Summary: "A message to a canceled task is taken.",
		Reply: func(x *front.Reply) {
			if t := x.Task(); x.Answers(sendMethod, Unsupported) && t.Status.State == engine.Canceled {
				t.Status.State = engine.Working
				x.Succeed(map[string]any{"task": front.Generic(Server{Server: x.Server}.Task(t, nil))})
			}
		}},
	front.Mutant{Name: "refused-message-kept", Summary: "A message that is refused since its task has ended is added to the history.",
		Reply: keptIn(func(x *front.Reply) bool { return x.Answers(sendMethod, Unsupported) })},
	front.Mutant{Name: "unknown-task-begun", Summary: "A message to an unknown task begins one.",
		Call: strange(sendMethod, forgetTask)},
	front.Mutant{Name: "message-missing-internal", Summary: "SendMessage without a message is an internal error.",
		Reply: front.Answering(sendMethod, func(x *front.Reply) {
			if !front.Has(x.Request, "params/message") {
				x.Decline(front.CodeInternal)
			}
		})},
	front.Mutant{Name: "message-id-invented", Summary: "A message without messageId gets one of the server's own.",
		Call: front.Misread(sendMethod, func(body any) {
			if m := front.Object(body, "params/message"); m != nil && !front.Has(m, "messageId") {
				m["messageId"] = "made-up"
			}
		})},
	missingInternal("messageId"), missingInternal("role"), missingInternal("parts"),
	front.Mutant{Name: "role-unknown-accepted", Summary: "A role that is not known is taken for that of the user.",
		Call: front.Misread(sendMethod, func(body any) {
			if role := front.Text(body, "params/message/role"); role != "" && roles[role] == "" {
				front.Put(body, "params/message/role", "ROLE_USER")
			}
		})},
	front.Mutant{Name: "wrong-type-internal", Summary: "A message of the wrong type is an internal error.",
		Reply: front.Answering(sendMethod, func(x *front.Reply) {
			if m := front.At(x.Request, "params/message"); m != nil && front.Object(x.Request, "params/message") == nil {
				x.Decline(front.CodeInternal)
			}
		})},
	front.Mutant{Name: "output-modes-ignored", Summary: "Answers come in all types, whichever are accepted.",
		Call: unchecked(sendMethod, "configuration/acceptedOutputModes", func(v any) bool { return !strings.HasPrefix(front.Text(v, "0"), "application/x-") })},
	front.Mutant{Name: "references-refused", Summary: "A message that refers to a task is refused.",
		Reply: front.Declining(sendMethod, front.CodeInvalidParams, func(params any) bool { return front.Has(params, "message/referenceTaskIds") })},
	front.Mutant{Name: "answer-in-status-only", Area: "task", Summary: "A completed task has its output in the status only.",
		Reply: func(x *front.Reply) {
			front.Drop(x.Body, "result/artifacts")
			front.Drop(x.Body, "result/task/artifacts")
		}},
	front.Mutant{Name: "task-answered-with-message", Summary: "A message to a task that waits is answered with a message.",
		Reply: onTask(func(x *front.Reply, t map[string]any) {
			if front.Has(x.Request, "params/message/taskId") {
				front.Put(x.Body, "result", map[string]any{"message": front.At(t, "status/message")})
			}
		})},
	front.Mutant{Name: "chat-without-context", Summary: "A direct answer names no context.", Reply: onChat(func(m map[string]any) { delete(m, "contextId") })},
)

// onChat edits the messages that SendMessage returns in place of a task.
func onChat(edit func(message map[string]any)) func(*front.Reply) {
	return onResult(sendMethod, func(x *front.Reply) {
		if m := front.Object(x.Body, "result/message"); m != nil {
			edit(m)
		}
	})
}

const immediately = "params/configuration/returnImmediately"

// executionMutants are about how long SendMessage waits (section 3.2.2).
var executionMutants = front.InArea("execution",
	front.Mutant{Name: "send-never-waits", Summary: "SendMessage does not wait for a task unless the client says so.",
		Call: front.Misread(sendMethod, func(body any) {
			if front.At(body, immediately) == nil && front.Object(body, "params/message") != nil {
				if front.Object(body, "params/configuration") == nil {
					front.Put(body, "params/configuration", map[string]any{})
				}
				front.Put(body, immediately, true)
			}
		})},
	front.Mutant{Name: "false-read-as-true", Summary: "A returnImmediately of false is read as true.",
		Call: front.Misread(sendMethod, func(body any) {
			if front.At(body, immediately) == false {
				front.Put(body, immediately, true)
			}
		})},
	front.Mutant{Name: "reply-lacks-artifacts", Summary: "The reply of SendMessage has no artifacts.",
		Reply: onTask(func(_ *front.Reply, t map[string]any) { delete(t, "artifacts") })},
	front.Mutant{Name: "immediate-ignored", Summary: "SendMessage waits although the client wants to return immediately.",
		Call: ignored(sendMethod, "configuration/returnImmediately")},
	front.Mutant{Name: "question-hangs", Waits: true, Summary: "SendMessage goes on waiting while the task waits for input.",
		Reply: onTask(func(x *front.Reply, t map[string]any) {
			if front.Text(t, "status/state") == stateName(engine.InputRequired) {
				x.Body, x.Raw, x.Hang = nil, []byte{}, true
			}
		})},
	front.Mutant{Name: "immediate-cuts-stream", Summary: "A stream of a client that wants to return immediately ends after its first event.",
		Event: func(f *front.Frame) {
			f.Cut = f.Method() == streamMethod && front.At(f.Reply.Request, immediately) == true
		}},
	front.Mutant{Name: "immediate-empties-chat", Summary: "A direct answer to a client that wants to return immediately is an empty task.",
		Reply: onResult(sendMethod, func(x *front.Reply) {
			if front.At(x.Request, immediately) == true && front.Has(x.Body, "result/message") {
				front.Put(x.Body, "result", map[string]any{"task": map[string]any{}})
			}
		})},
	front.Mutant{Name: "immediate-without-push", Area: "push", Summary: "A push configuration of a client that wants to return immediately is ignored.",
		Call: front.Misread(sendMethod, func(body any) {
			if front.At(body, immediately) == true {
				front.Drop(body, "params/configuration/taskPushNotificationConfig")
			}
		})},
)

// knownContext reports whether a context has a task.
func knownContext(c *front.Call) bool {
	context := front.Text(c.Body, "params/message/contextId")
	return slices.ContainsFunc(c.Server.Engine.Tasks(), func(t engine.Listed) bool { return t.Session == context })
}

// contextDropped makes a server that puts a message into a context of its own.
func contextDropped(known bool) func(*front.Call) {
	return func(c *front.Call) {
		if c.Method == sendMethod && front.Has(c.Body, "params/message/contextId") && !front.Has(c.Body, "params/message/taskId") && knownContext(c) == known {
			front.Drop(c.Body, "params/message/contextId")
		}
	}
}

// contextMutants are about what belongs together (section 3.4).
var contextMutants = front.InArea("context",
	front.Mutant{Name: "context-hidden", Summary: "The reply of SendMessage does not name the context that the server made.",
		Reply: onTask(func(x *front.Reply, t map[string]any) {
			if !front.Has(x.Request, "params/message/contextId") {
				delete(t, "contextId")
			}
		})},
	front.Mutant{Name: "contexts-expire", Summary: "A context is over when its first message was answered: a further message in it is refused.",
		Reply: front.Declining(sendMethod, front.CodeInvalidParams, func(params any) bool {
			return front.Has(params, "message/contextId") && !front.Has(params, "message/taskId")
		})},
	front.Mutant{Name: "repeated-message-joined", Summary: "A message whose id was seen before gets the answer that it got then.",
		Reply: onResult(sendMethod, func(x *front.Reply) {
			front.Put(x.Body, "result", x.Server.Notes.First("message "+front.Text(x.Request, "params/message/messageId"), front.At(x.Body, "result")))
		})},
	front.Mutant{Name: "context-replaced", Summary: "A context that the client made is replaced by one of the server's own.", Call: contextDropped(false)},
	front.Mutant{Name: "context-not-continued", Summary: "A message in a context that is there begins another.", Call: contextDropped(true)},
	front.Mutant{Name: "context-reassigned", Summary: "The answer to a task without a context is told under another context.",
		Reply: onTask(func(x *front.Reply, t map[string]any) {
			if front.Has(x.Request, "params/message/taskId") && !front.Has(x.Request, "params/message/contextId") {
				t["contextId"] = "another-context"
			}
		})},
	front.Mutant{Name: "context-mismatch-accepted", Summary: "A message to a task is taken, whichever context it names.",
		Call: front.Misread(sendMethod, func(body any) {
			if front.Has(body, "params/message/taskId") {
				front.Drop(body, "params/message/contextId")
			}
		})},
	front.Mutant{Name: "context-mismatch-kept", Summary: "A message that is refused for its context is added to the history of the task.", Reply: keptIn(mismatched)},
	front.Mutant{Name: "task-ids-repeat", Summary: "All new tasks are told under the id of the first.",
		Reply: onTask(func(x *front.Reply, t map[string]any) {
			if !front.Has(x.Request, "params/message/taskId") {
				t["id"] = x.Server.Notes.First("first task", t["id"])
			}
		})},
	front.Mutant{Name: "task-id-made-up", Summary: "A task is returned under an id that no method knows.",
		Reply: onTask(func(_ *front.Reply, t map[string]any) { t["id"] = fmt.Sprint("other-", t["id"]) })},
	front.Mutant{Name: "context-one-task", Summary: "A new task in a context replaces the one before.",
		Engine: func(o *engine.Options) { o.Defects.OneTaskPerSession = true }},
	front.Mutant{Name: "answer-begins-anew", Summary: "A message to a task that waits begins another.",
		Call: front.Misread(sendMethod, func(body any) { forgetTask(body) })},
	front.Mutant{Name: "memory-lost", Summary: "The agent forgets what was said in a context.",
		Engine: func(o *engine.Options) { o.Defects.Forgets = true }},
)
