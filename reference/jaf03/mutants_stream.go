package jaf03

import (
	"net/http"
	"strconv"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

var streamMutants = map[string]front.Mutant{
	"partial-task-renewed": {Event: front.OfKind("partial-completion", func(f *front.Frame) { front.Put(f.Body, "result/taskId", "task-"+strconv.Itoa(f.Count)) })},
	"event-after-final": {Event: front.OfKind("completion", func(f *front.Frame) {
		f.After = []any{map[string]any{"jsonrpc": "2.0", "id": front.At(f.Body, "id"), "result": map[string]any{
			"kind": "status-update", "taskId": front.At(f.Body, "result/taskId"), "final": true,
			"status": map[string]any{"state": "completed", "timestamp": "2024-03-15T14:30:01Z"}}}}
	})},
	"partial-message-renamed": {Event: front.OfKind("partial-completion", func(f *front.Frame) { front.Put(f.Body, "result/message/messageId", "resp-"+strconv.Itoa(f.Count)) })},
	"event-name-fixed":        {Event: func(f *front.Frame) { f.Name = "status-update" }},
	"event-name-left-out":     {Event: func(f *front.Frame) { f.Name = "" }},
	"streamed-task-unknown": {Event: func(f *front.Frame) {
		f.Reply.Server.Notes.Write("streamed "+front.Text(f.Body, "result/taskId"), true)
	},
		Reply: looked("echo", func(x *front.Reply) {
			if x.Server.Notes.Read("streamed "+front.Text(x.Request, "params/id")) != nil {
				x.Decline(TaskNotFound)
			}
		})},
	"failure-as-text": {Event: func(f *front.Frame) {
		if f.State() == "failed" {
			f.Raw = "data: ERROR\n\n"
		}
	}},
	"cancelled-stream-completes": {Event: func(f *front.Frame) {
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
}
