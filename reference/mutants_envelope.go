package reference

import (
	"encoding/json"
	"net/http"
)

// idOf makes a reply edit that answers the request id from with the id to.
func idOf(from, to any) func(*reply) {
	return func(x *reply) {
		if has(x.request, "id") && at(x.request, "id") == from {
			put(x.body, "id", to)
		}
	}
}

// forbidden reports whether v is no id.
func forbidden(v any) bool {
	return v != nil && !isText(v) && !isNumber(v)
}

var a2a01EnvelopeMutants = inArea("envelope",
	mutant{name: "error-version-left-out", summary: "The error about an unknown method has no jsonrpc.",
		reply: func(x *reply) {
			if x.answers("", codeMethodNotFound) {
				drop(x.body, "jsonrpc")
			}
		}},
	mutant{name: "error-id-left-out", summary: "The error about an unknown method has no id.",
		reply: func(x *reply) {
			if x.answers("", codeMethodNotFound) {
				drop(x.body, "id")
			}
		}},
	mutant{name: "id-text-to-number", summary: "The id \"1\" comes back as the number 1.",
		reply: idOf("1", 1)},
	mutant{name: "id-zero-lost", summary: "The id 0 is taken for no id and comes back as null.",
		reply: idOf(num(0), nil)},
	mutant{name: "id-number-to-text", summary: "A negative id comes back as a string.",
		reply: idOf(num(-7), "-7")},
	mutant{name: "id-fraction-cut", summary: "The id 1.5 comes back as 1.",
		reply: idOf(json.Number("1.5"), 1)},
	mutant{name: "id-null-to-text", summary: "The id null comes back as the string null.",
		reply: answering("tasks/get", idOf(nil, "null"))},
	mutant{name: "error-id-scraped", summary: "An id is scraped from unparsable JSON.",
		reply: func(x *reply) {
			if x.answers("", codeParse) {
				put(x.body, "id", "p1")
			}
		}},
	mutant{name: "forbidden-id-echoed", summary: "An id of a forbidden type is sent back with the error.",
		reply: func(x *reply) {
			if id := at(x.request, "id"); forbidden(id) {
				put(x.body, "id", id)
			}
		}},
	mutant{name: "invalid-request-id-zero", summary: "The error about a call without method has the id 0.",
		reply: func(x *reply) {
			if x.answers("", codeInvalidRequest) && object(x.request, "") != nil && !has(x.request, "method") {
				put(x.body, "id", 0)
			}
		}},
	mutant{name: "any-id-accepted", summary: "A call with an id of a forbidden type is carried out.",
		call: misread("", func(body any) {
			if forbidden(at(body, "id")) {
				put(body, "id", nil)
			}
		})},
	mutant{name: "set-without-result", summary: "The reply to tasks/pushNotification/set has no result.",
		reply: answering("tasks/pushNotification/set", func(x *reply) { drop(x.body, "result") })},
	mutant{name: "error-null-with-result", summary: "The result of tasks/cancel comes with an error of null.",
		reply: answering("tasks/cancel", func(x *reply) {
			if has(x.body, "result") {
				put(x.body, "error", nil)
			}
		})},
	mutant{name: "result-null-with-error", summary: "The error about an unknown method comes with a result of null.",
		reply: func(x *reply) {
			if x.answers("", codeMethodNotFound) {
				put(x.body, "result", nil)
			}
		}},
	mutant{name: "error-message-trace", summary: "The message about an unknown method is a stack trace.",
		reply: func(x *reply) {
			if x.answers("", codeMethodNotFound) {
				put(x.body, "error/message", "Method not found\n\tat dispatch (server.js:12)\n\tat handle (server.js:40)")
			}
		}},
	mutant{name: "error-data-nan", summary: "The data of the error about an unknown method is NaN.",
		reply: func(x *reply) {
			if x.answers("", codeMethodNotFound) {
				x.raw = []byte(`{"jsonrpc":"2.0","id":` + string(encode(at(x.body, "id"))) + `,"error":{"code":-32601,"message":"Method not found","data":NaN}}`)
			}
		}},
	mutant{name: "notification-answered", summary: "A call without id gets a response without id.",
		reply: func(x *reply) {
			if x.call != nil && x.call.notification && x.status == http.StatusNoContent {
				x.status = http.StatusOK
				x.body = map[string]any{"jsonrpc": "2.0", "result": map[string]any{
					"id": text(x.request, "params/id"), "status": map[string]any{"state": "submitted"}}}
			}
		}},
	mutant{name: "batch-first-only", summary: "Only the first call of a batch is answered.",
		reply: func(x *reply) {
			if answers, ok := x.body.([]any); ok {
				x.body = answers[0]
			}
		}},
	mutant{name: "empty-batch-silent", summary: "An empty batch gets HTTP 200 without a body.",
		reply: func(x *reply) {
			if batch, ok := x.request.([]any); ok && len(batch) == 0 {
				x.blank(http.StatusOK, "application/json")
			}
		}},
)
