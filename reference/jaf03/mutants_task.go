package jaf03

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// onSendResultKindCompletion edits the results of message/send.
func onSendResultKindCompletion(edit func(*front.Reply)) func(*front.Reply) {
	return front.Answering("message/send", func(x *front.Reply) {
		if front.Text(x.Body, "result/kind") == "completion" {
			edit(x)
		}
	})
}

// textPart edits the first part of an incoming message.
func textPart(edit func(part map[string]any)) func(*front.Call) {
	return front.Misread("message/send", func(body any) {
		if p := front.Object(body, "params/message/parts/0"); p != nil {
			edit(p)
		}
	})
}

// onGetTaskOfScript edits the results of tasks/get for tasks of one script.
func onGetTaskOfScript(script string, edit func(*front.Reply)) func(*front.Reply) {
	return front.OnResult("tasks/get", func(x *front.Reply) {
		if script == "" || x.Script() == script {
			edit(x)
		}
	})
}

// taskMutants are about agents, messages, tasks and streams.
var taskMutants = map[string]front.Mutant{
	"agent-endpoint-missing": {Reply: func(x *front.Reply) {
		if x.Document == "" && x.HTTP.PathValue("name") == agents[1].name {
			x.Blank(http.StatusMethodNotAllowed, "text/plain")
		}
	}},
	"reply-in-latin1": {Reply: func(x *front.Reply) {
		if raw := string(front.Encode(x.Body)); x.Document == "" && strings.Contains(raw, "ü") {
			x.Raw = []byte(strings.ReplaceAll(raw, "ü", "\xfc"))
		}
	}},
	"request-misdecoded": {Call: front.Misread("message/send", func(body any) {
		if s := front.Text(body, "params/message/contextId"); strings.Contains(s, "é") {
			front.Put(body, "params/message/contextId", strings.ReplaceAll(s, "é", "Ã©"))
		}
	})},
	"card-at-other-path": {Reply: mutants.MoveCardTo("stray card", func(s *front.Server) any { return Server{s}.card(agents[0], "/a2a") })},
	"unknown-agent-described": {Reply: front.OnDocument("agent", func(x *front.Reply) {
		if x.Status == http.StatusNotFound {
			x.Status, x.Body = http.StatusOK, map[string]any{"name": x.HTTP.PathValue("name"), "description": "An agent."}
		}
	})},
	"unknown-agent-card": {Reply: front.OnDocument("agent card", func(x *front.Reply) {
		if x.Status == http.StatusNotFound {
			x.Status, x.Body = http.StatusOK, front.Generic(Server{Server: x.Server}.card(agents[0], "/a2a"))
		}
	})},
	"agent-card-url-elsewhere": {Reply: front.OnDocument("agent card", func(x *front.Reply) { front.Replace(x.Body, "url", x.Server.Url+"/elsewhere") })},
	"timestamp-unchecked": {Call: front.Misread("message/send", func(body any) {
		if s := front.Text(body, "params/message/timestamp"); s != "" {
			if _, err := time.Parse(time.RFC3339, s); err != nil {
				front.Drop(body, "params/message/timestamp")
			}
		}
	})},
	"partial-task-renewed": {Event: front.OfKind("partial-completion", func(f *front.StreamEvent) { front.Put(f.Body, "result/taskId", "task-"+strconv.Itoa(f.Count)) })},
	"event-after-final": {Event: front.OfKind("completion", func(f *front.StreamEvent) {
		f.After = []any{map[string]any{"jsonrpc": "2.0", "id": front.At(f.Body, "id"), "result": map[string]any{
			"kind": "status-update", "taskId": front.At(f.Body, "result/taskId"), "final": true,
			"status": map[string]any{"state": "completed", "timestamp": "2024-03-15T14:30:01Z"}}}}
	})},
	"partial-message-renamed": {Event: front.OfKind("partial-completion", func(f *front.StreamEvent) {
		front.Put(f.Body, "result/message/messageId", "resp-"+strconv.Itoa(f.Count))
	})},
	"event-name-fixed":    {Event: func(f *front.StreamEvent) { f.Name = "status-update" }},
	"event-name-left-out": {Event: func(f *front.StreamEvent) { f.Name = "" }},
	"streamed-task-unknown": {Event: func(f *front.StreamEvent) {
		f.Reply.Server.Notes.Write("streamed "+front.Text(f.Body, "result/taskId"), true)
	},
		Reply: onGetTaskOfScript("echo", func(x *front.Reply) {
			if x.Server.Notes.Read("streamed "+front.Text(x.Request, "params/id")) != nil {
				x.Decline(TaskNotFound)
			}
		})},
	"failure-as-text": {Event: func(f *front.StreamEvent) {
		if f.State() == "failed" {
			f.Raw = "data: ERROR\n\n"
		}
	}},
	"cancelled-stream-completes": {Event: func(f *front.StreamEvent) {
		if f.State() == "cancelled" {
			f.Name = "completion"
			front.Put(f.Body, "result", map[string]any{"kind": "completion", "taskId": front.At(f.Body, "result/taskId"), "message": jafHello(), "final": true})
		}
	}},
	"lost-reader-deadly": {Reply: func(x *front.Reply) {
		if x.Method() == "tasks/get" && x.Server.LostReaders.Load() > 0 && x.Script() == "slow" {
			x.Blank(http.StatusServiceUnavailable, "text/plain")
		}
	}},
	"question-kept": {Reply: onGetTaskOfScript("echo", func(x *front.Reply) {
		front.Put(x.Body, "result/status/message/role", "user")
		front.Put(x.Body, "result/status/message/parts", front.Generic(writeJAF03Parts(x.Task().History[0].Parts)))
	})},
	"task-id-of-context": {Reply: onSendResultKindCompletion(func(x *front.Reply) {
		key := "task of " + front.Text(x.Body, "result/contextId")
		if id := x.Server.Notes.Read(key); id != nil {
			front.Put(x.Body, "result/taskId", id)
			return
		}
		x.Server.Notes.Write(key, front.At(x.Body, "result/taskId"))
	})},
	"cancel-returns-task": {Reply: front.Answering("tasks/cancel", func(x *front.Reply) {
		if front.At(x.Body, "result/cancelled") == true {
			x.Succeed(front.Generic(Server{Server: x.Server}.task(x.Task())))
		}
	})},
	"cancel-of-nothing": {Reply: func(x *front.Reply) {
		if x.Answers("tasks/cancel", front.CodeInvalidParams) && !front.Has(x.Request, "params/id") {
			x.Succeed(map[string]any{"id": "", "cancelled": true, "timestamp": front.Timestamp(time.Now())})
		}
	}},
	"third-message-refused": {Reply: onSendResultKindCompletion(func(x *front.Reply) {
		if x.Server.Notes.Count("context "+front.Text(x.Body, "result/contextId")) == 3 {
			x.Decline(front.CodeInvalidRequest)
		}
	})},
	"contexts-mixed-up": {Engine: func(o *engine.Options) { o.Latency += 20 * time.Millisecond },
		Call: func(c *front.Call) {
			if c.Method == "message/send" {
				c.Notes.Add("under way", 1)
				c.Notes.Write("context", front.At(c.Body, "params/message/contextId"))
			}
		},
		Reply: front.Answering("message/send", func(x *front.Reply) {
			if x.Server.Notes.Add("under way", -1) >= 5 {
				front.Replace(x.Body, "result/contextId", x.Server.Notes.Read("context"))
			}
		})},
}
