package jaf03

import (
	"net/http"
	"strconv"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// callMutants are about envelopes and errors.
var callMutants = map[string]front.Mutant{
	"notification-refused-by-name": {Reply: func(x *front.Reply) {
		if x.Call != nil && x.Call.Notification && x.Status == http.StatusNoContent {
			x.Status = http.StatusOK
			x.Body = map[string]any{"jsonrpc": "2.0", "id": "notification", "error": map[string]any{"code": TaskNotFound, "message": "Task not found"}}
		}
	}},
	"method-case-ignored": {Call: front.Misread("Message/Send", func(body any) { front.Put(body, "method", "message/send") })},
	"unknown-agent-misquoted": {Reply: func(x *front.Reply) {
		if x.Answers("", agentNotFound) {
			front.Put(x.Body, "error/data/agentName", agents[0].name)
		}
	}},
	"empty-body-deadly": {Reply: func(x *front.Reply) {
		switch {
		case x.Document == "" && x.Http.Method == http.MethodPost && len(x.Sent) == 0:
			x.Server.Notes.Write("dead", true)
		case x.Method() == "message/send" && x.Server.Notes.Read("dead") != nil:
			x.Blank(http.StatusServiceUnavailable, "text/plain")
		}
	}},
	"trace-id-foreign": {Reply: func(x *front.Reply) {
		if id := front.At(x.Body, "error/data/traceId"); id != nil {
			if before := x.Server.Notes.Write("trace", id); before != nil {
				front.Put(x.Body, "error/data/traceId", before)
			}
		}
	}},
	"timeout-header-refused": {Reply: front.Answering("message/send", func(x *front.Reply) {
		if ms, err := strconv.Atoi(x.Http.Header.Get("X-A2A-Timeout")); err == nil && ms < 1000 {
			x.Decline(front.CodeInvalidRequest)
		}
	})},
	"metadata-keys-fixed": {Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool {
		for key := range front.Object(params, "message/metadata") {
			if key != "priority" && key != "tags" && key != "userId" && key != "sessionInfo" {
				return true
			}
		}
		return false
	})},
}

// jafHello is what a lenient server puts in place of a message it misses.
func jafHello() map[string]any {
	return map[string]any{
		"role": "user", "kind": "message", "messageId": "made-up", "contextId": "made-up",
		"parts": []any{map[string]any{"kind": "text", "text": "hello"}},
	}
}
