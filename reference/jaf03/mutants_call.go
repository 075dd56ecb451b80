package jaf03

import (
	"net/http"
	"strconv"

	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// callMutants are about envelopes and errors.
var callMutants = front.InArea("errors",
	front.Mutant{Name: "id-text-to-number", Area: "envelope", Summary: "The id \"007\" comes back as the number 7.",
		Reply: mutants.IdOf("007", 7)},
	front.Mutant{Name: "id-number-to-text", Area: "envelope", Summary: "A negative id comes back as a string.",
		Reply: mutants.IdOf(front.Num(-5), "-5")},
	front.Mutant{Name: "id-null-named", Area: "envelope", Summary: "A call with the id null is answered with an id of the server's own.",
		Reply: front.Answering("tasks/get", mutants.IdOf(nil, "unknown"))},
	front.Mutant{Name: "parse-error-id-left-out", Area: "envelope", Summary: "The error about unparsable JSON has no id.",
		Reply: func(x *front.Reply) {
			if x.Answers("", front.CodeParse) {
				front.Drop(x.Body, "id")
			}
		}},
	front.Mutant{Name: "notification-refused-by-name", Area: "envelope", Summary: "A call without id is refused with an id of the server's own.",
		Reply: func(x *front.Reply) {
			if x.Call != nil && x.Call.Notification && x.Status == http.StatusNoContent {
				x.Status = http.StatusOK
				x.Body = map[string]any{"jsonrpc": "2.0", "id": "notification", "error": map[string]any{"code": TaskNotFound, "message": "Task not found"}}
			}
		}},
	front.Mutant{Name: "reply-in-array", Area: "envelope", Summary: "The error about an unknown method is wrapped in an array.",
		Reply: func(x *front.Reply) {
			if x.Answers("", front.CodeMethodNotFound) {
				x.Body = []any{x.Body}
			}
		}},

	front.Mutant{Name: "method-case-ignored", Summary: "Method names are compared without regard to case.",
		Call: front.Misread("Message/Send", func(body any) { front.Put(body, "method", "message/send") })},
	front.Mutant{Name: "positional-params", Summary: "The first element of an array of params is taken as text.",
		Call: front.Misread("message/send", func(body any) {
			if front.IsText(front.At(body, "params/0")) {
				front.Put(body, "params", map[string]any{"message": jafHello()})
			}
		})},
	front.Mutant{Name: "get-without-params-internal", Summary: "tasks/get without params is reported as an internal error.",
		Reply: front.Answering("tasks/get", func(x *front.Reply) {
			if !front.Has(x.Request, "params") {
				x.Decline(front.CodeInternal)
			}
		})},
	front.Mutant{Name: "max-turns-internal", Summary: "A maxTurns that is no number is reported as an internal error.",
		Reply: func(x *front.Reply) {
			if front.IsText(front.At(x.Request, "params/configuration/maxTurns")) {
				front.Put(x.Body, "error/code", front.CodeInternal)
			}
		}},
	front.Mutant{Name: "unknown-agent-404", Summary: "A call to an unknown agent gets the router's own page.",
		Reply: func(x *front.Reply) {
			if x.Answers("", agentNotFound) {
				x.Blank(http.StatusNotFound, "text/html")
			}
		}},
	front.Mutant{Name: "unknown-agent-misquoted", Summary: "The error about an unknown agent names the default agent.",
		Reply: func(x *front.Reply) {
			if x.Answers("", agentNotFound) {
				front.Put(x.Body, "error/data/agentName", agents[0].name)
			}
		}},
	front.Mutant{Name: "available-agents-invented", Summary: "The error about an unknown agent lists agents that do not exist.",
		Reply: func(x *front.Reply) {
			if x.Answers("", agentNotFound) {
				front.Put(x.Body, "error/data/availableAgents", []any{"SomeoneElse"})
			}
		}},
	front.Mutant{Name: "unknown-task-null", Summary: "tasks/get for an unknown task gives a result of null.",
		Reply: func(x *front.Reply) {
			if x.Answers("tasks/get", TaskNotFound) {
				x.Succeed(nil)
			}
		}},
	front.Mutant{Name: "unknown-task-cancelled", Summary: "Cancelling an unknown task is confirmed.",
		Reply: func(x *front.Reply) {
			if x.Answers("tasks/cancel", TaskNotFound) {
				x.Succeed(map[string]any{"id": front.Text(x.Request, "params/id"), "cancelled": true, "timestamp": "2024-03-15T14:30:02Z"})
			}
		}},
	front.Mutant{Name: "error-timestamp-number", Summary: "The timestamp in the data of an error is a Unix number.",
		Reply: func(x *front.Reply) { front.Replace(x.Body, "error/data/timestamp", 1710513000) }},
	front.Mutant{Name: "error-request-counted", Summary: "The requestId in the data of an error is a counter of the server's own.",
		Reply: func(x *front.Reply) { front.Replace(x.Body, "error/data/requestId", "request-4711") }},
	front.Mutant{Name: "empty-body-deadly", Summary: "After an empty body no message is served any more.",
		Reply: func(x *front.Reply) {
			switch {
			case x.Document == "" && x.Http.Method == http.MethodPost && len(x.Sent) == 0:
				x.Server.Notes.Write("dead", true)
			case x.Method() == "message/send" && x.Server.Notes.Read("dead") != nil:
				x.Blank(http.StatusServiceUnavailable, "text/plain")
			}
		}},

	front.Mutant{Name: "custom-headers-refused", Area: "extension", Summary: "A call with one of the protocol's own headers is refused.",
		Reply: func(x *front.Reply) {
			if x.Document == "" && x.Http.Header.Get("X-A2A-Client") != "" {
				x.Blank(http.StatusBadRequest, "text/plain")
			}
		}},
	front.Mutant{Name: "version-header-other", Area: "extension", Summary: "The X-A2A-Version of a reply is another one.",
		Reply: func(x *front.Reply) { x.Header.Set("X-A2A-Version", "1.0") }},
	front.Mutant{Name: "trace-id-foreign", Area: "extension", Summary: "The trace id of another client's request is returned.",
		Reply: func(x *front.Reply) {
			if id := front.At(x.Body, "error/data/traceId"); id != nil {
				if before := x.Server.Notes.Write("trace", id); before != nil {
					front.Put(x.Body, "error/data/traceId", before)
				}
			}
		}},
	front.Mutant{Name: "timeout-header-refused", Area: "extension", Summary: "A short X-A2A-Timeout is refused.",
		Reply: front.Answering("message/send", func(x *front.Reply) {
			if ms, err := strconv.Atoi(x.Http.Header.Get("X-A2A-Timeout")); err == nil && ms < 1000 {
				x.Decline(front.CodeInvalidRequest)
			}
		})},
	front.Mutant{Name: "metadata-refused", Area: "extension", Summary: "A message with metadata is refused.",
		Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool { return front.Has(params, "message/metadata/priority") })},
	front.Mutant{Name: "metadata-keys-fixed", Area: "extension", Summary: "A message with unknown keys in its metadata is refused.",
		Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool {
			for key := range front.Object(params, "message/metadata") {
				if key != "priority" && key != "tags" && key != "userId" && key != "sessionInfo" {
					return true
				}
			}
			return false
		})},
)

// jafHello is what a lenient server puts in place of a message it misses.
func jafHello() map[string]any {
	return map[string]any{
		"role": "user", "kind": "message", "messageId": "made-up", "contextId": "made-up",
		"parts": []any{map[string]any{"kind": "text", "text": "hello"}},
	}
}
