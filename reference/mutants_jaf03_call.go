package reference

import (
	"net/http"
	"strconv"
)

// jaf03CallMutants are about envelopes and errors.
var jaf03CallMutants = inArea("errors",
	mutant{name: "id-text-to-number", area: "envelope", summary: "The id \"007\" comes back as the number 7.",
		reply: idOf("007", 7)},
	mutant{name: "id-number-to-text", area: "envelope", summary: "A negative id comes back as a string.",
		reply: idOf(num(-5), "-5")},
	mutant{name: "id-null-named", area: "envelope", summary: "A call with the id null is answered with an id of the server's own.",
		reply: answering("tasks/get", idOf(nil, "unknown"))},
	mutant{name: "parse-error-id-left-out", area: "envelope", summary: "The error about unparsable JSON has no id.",
		reply: func(x *reply) {
			if x.answers("", codeParse) {
				drop(x.body, "id")
			}
		}},
	mutant{name: "notification-refused-by-name", area: "envelope", summary: "A call without id is refused with an id of the server's own.",
		reply: func(x *reply) {
			if x.call != nil && x.call.notification && x.status == http.StatusNoContent {
				x.status = http.StatusOK
				x.body = map[string]any{"jsonrpc": "2.0", "id": "notification", "error": map[string]any{"code": jaf03TaskNotFound, "message": "Task not found"}}
			}
		}},
	mutant{name: "reply-in-array", area: "envelope", summary: "The error about an unknown method is wrapped in an array.",
		reply: func(x *reply) {
			if x.answers("", codeMethodNotFound) {
				x.body = []any{x.body}
			}
		}},

	mutant{name: "method-case-ignored", summary: "Method names are compared without regard to case.",
		call: misread("Message/Send", func(body any) { put(body, "method", "message/send") })},
	mutant{name: "positional-params", summary: "The first element of an array of params is taken as text.",
		call: misread("message/send", func(body any) {
			if isText(at(body, "params/0")) {
				put(body, "params", map[string]any{"message": jafHello()})
			}
		})},
	mutant{name: "max-turns-internal", summary: "A maxTurns that is no number is reported as an internal error.",
		reply: func(x *reply) {
			if isText(at(x.request, "params/configuration/maxTurns")) {
				put(x.body, "error/code", codeInternal)
			}
		}},
	mutant{name: "unknown-agent-404", summary: "A call to an unknown agent gets the router's own page.",
		reply: func(x *reply) {
			if x.answers("", jaf03AgentNotFound) {
				x.blank(http.StatusNotFound, "text/html")
			}
		}},
	mutant{name: "unknown-agent-misquoted", summary: "The error about an unknown agent names the default agent.",
		reply: func(x *reply) {
			if x.answers("", jaf03AgentNotFound) {
				put(x.body, "error/data/agentName", jaf03Agents[0].name)
			}
		}},
	mutant{name: "available-agents-invented", summary: "The error about an unknown agent lists agents that do not exist.",
		reply: func(x *reply) {
			if x.answers("", jaf03AgentNotFound) {
				put(x.body, "error/data/availableAgents", []any{"SomeoneElse"})
			}
		}},
	mutant{name: "unknown-task-null", summary: "tasks/get for an unknown task gives a result of null.",
		reply: func(x *reply) {
			if x.answers("tasks/get", jaf03TaskNotFound) {
				x.succeed(nil)
			}
		}},
	mutant{name: "unknown-task-cancelled", summary: "Cancelling an unknown task is confirmed.",
		reply: func(x *reply) {
			if x.answers("tasks/cancel", jaf03TaskNotFound) {
				x.succeed(map[string]any{"id": text(x.request, "params/id"), "cancelled": true, "timestamp": "2024-03-15T14:30:02Z"})
			}
		}},
	mutant{name: "error-timestamp-number", summary: "The timestamp in the data of an error is a Unix number.",
		reply: func(x *reply) { replace(x.body, "error/data/timestamp", 1710513000) }},
	mutant{name: "error-request-counted", summary: "The requestId in the data of an error is a counter of the server's own.",
		reply: func(x *reply) { replace(x.body, "error/data/requestId", "request-4711") }},
	mutant{name: "empty-body-deadly", summary: "After an empty body no message is served any more.",
		reply: func(x *reply) {
			switch {
			case x.document == "" && x.http.Method == http.MethodPost && len(x.sent) == 0:
				x.server.notes.write("dead", true)
			case x.method() == "message/send" && x.server.notes.read("dead") != nil:
				x.blank(http.StatusServiceUnavailable, "text/plain")
			}
		}},

	mutant{name: "custom-headers-refused", area: "extension", summary: "A call with one of the protocol's own headers is refused.",
		reply: func(x *reply) {
			if x.document == "" && x.http.Header.Get("X-A2A-Client") != "" {
				x.blank(http.StatusBadRequest, "text/plain")
			}
		}},
	mutant{name: "version-header-other", area: "extension", summary: "The X-A2A-Version of a reply is another one.",
		reply: func(x *reply) { x.header.Set("X-A2A-Version", "1.0") }},
	mutant{name: "trace-id-foreign", area: "extension", summary: "The trace id of another client's request is returned.",
		reply: func(x *reply) {
			if id := at(x.body, "error/data/traceId"); id != nil {
				if before := x.server.notes.write("trace", id); before != nil {
					put(x.body, "error/data/traceId", before)
				}
			}
		}},
	mutant{name: "timeout-header-refused", area: "extension", summary: "A short X-A2A-Timeout is refused.",
		reply: answering("message/send", func(x *reply) {
			if ms, err := strconv.Atoi(x.http.Header.Get("X-A2A-Timeout")); err == nil && ms < 1000 {
				x.decline(codeInvalidRequest)
			}
		})},
	mutant{name: "metadata-refused", area: "extension", summary: "A message with metadata is refused.",
		reply: declining("message/send", codeInvalidParams, func(params any) bool { return has(params, "message/metadata/priority") })},
	mutant{name: "metadata-keys-fixed", area: "extension", summary: "A message with unknown keys in its metadata is refused.",
		reply: declining("message/send", codeInvalidParams, func(params any) bool {
			for key := range object(params, "message/metadata") {
				if key != "priority" && key != "tags" && key != "userId" && key != "sessionInfo" {
					return true
				}
			}
			return false
		})},
)

// replace sets a member that is there already.
func replace(v any, path string, x any) {
	if at(v, path) != nil {
		put(v, path, x)
	}
}

// jafHello is what a lenient server puts in place of a message it misses.
func jafHello() map[string]any {
	return map[string]any{
		"role": "user", "kind": "message", "messageId": "made-up", "contextId": "made-up",
		"parts": []any{map[string]any{"kind": "text", "text": "hello"}},
	}
}
