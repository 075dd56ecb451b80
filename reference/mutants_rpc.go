package reference

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"
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

// rpcMutants are about JSON-RPC itself and belong to every dialect.
var rpcMutants = slices.Concat(
	inArea("transport",
		mutant{name: "http-method-ignored", summary: "A call sent by PUT is carried out.",
			reply: func(x *reply) {
				if x.http.Method == http.MethodPut && x.perform != nil {
					x.perform()
				}
			}},
	),
	inArea("envelope",
		mutant{name: "error-id-left-out", summary: "The error about an unknown method has no id.",
			reply: func(x *reply) {
				if x.answers("", codeMethodNotFound) {
					drop(x.body, "id")
				}
			}},
		mutant{name: "unknown-method-in-own-words", summary: "An unknown method is refused with HTTP 400 and JSON that is no JSON-RPC response.",
			reply: func(x *reply) {
				if x.answers("", codeMethodNotFound) {
					x.status, x.body = http.StatusBadRequest, map[string]any{"error": "Invalid request body", "issues": []any{"method: there is no such method"}}
				}
			}},
		mutant{name: "id-zero-lost", summary: "The id 0 is taken for no id and comes back as null.",
			reply: idOf(num(0), nil)},
		mutant{name: "forbidden-id-echoed", summary: "An id of a forbidden type is sent back with the error.",
			reply: func(x *reply) {
				if id := at(x.request, "id"); forbidden(id) {
					put(x.body, "id", id)
				}
			}},
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
		mutant{name: "notification-answered", summary: "A call without id gets a response without id.",
			reply: func(x *reply) {
				if x.call != nil && x.call.notification && x.status == http.StatusNoContent {
					x.status = http.StatusOK
					x.body = map[string]any{"jsonrpc": "2.0", "error": map[string]any{"code": codeInvalidRequest, "message": "Invalid Request"}}
				}
			}},
		mutant{name: "batch-first-only", summary: "Only the first call of a batch is answered.",
			reply: func(x *reply) {
				if answers, ok := x.body.([]any); ok {
					x.body = answers[0]
				}
			}},
		mutant{name: "batch-error-mute", summary: "The last error in the answer to a batch has no message.",
			reply: func(x *reply) {
				if answers, ok := x.body.([]any); ok {
					drop(answers[len(answers)-1], "error/message")
				}
			}},
		mutant{name: "empty-batch-silent", summary: "An empty batch gets HTTP 200 without a body.",
			reply: func(x *reply) {
				if batch, ok := x.request.([]any); ok && len(batch) == 0 {
					x.blank(http.StatusOK, "application/json")
				}
			}},
	),
	inArea("errors",
		mutant{name: "word-gets-error-page", summary: "A lone word gets the framework's own error page.",
			reply: func(x *reply) {
				if x.answers("", codeParse) && strings.Trim(string(x.sent), "abcdefghijklmnopqrstuvwxyz \n") == "" && len(x.sent) > 0 {
					x.blank(http.StatusBadRequest, "text/html")
					x.raw = []byte("<h1>Bad Request</h1>")
				}
			}},
		mutant{name: "empty-body-ignored", summary: "An empty body gets HTTP 200 without a body.",
			reply: func(x *reply) {
				if x.answers("", codeParse) && len(x.sent) == 0 {
					x.blank(http.StatusOK, "application/json")
				}
			}},
		mutant{name: "version-not-required", summary: "A missing jsonrpc is not noticed.",
			call: supply("", "jsonrpc", "2.0")},
		mutant{name: "version-compared-loosely", summary: "A jsonrpc of 2 or \"2\" is taken for 2.0.",
			call: misread("", func(body any) {
				if v := at(body, "jsonrpc"); v == "2" || isNumber(v) {
					put(body, "jsonrpc", "2.0")
				}
			})},
		mutant{name: "missing-method-unknown", summary: "A missing method is reported as an unknown one.",
			reply: func(x *reply) {
				if object(x.request, "") != nil && !has(x.request, "method") {
					put(x.body, "error/code", codeMethodNotFound)
				}
			}},
		mutant{name: "method-number-unknown", summary: "A method that is no string is reported as an unknown one.",
			reply: func(x *reply) {
				if has(x.request, "method") && !isText(at(x.request, "method")) {
					put(x.body, "error/code", codeMethodNotFound)
				}
			}},
		mutant{name: "null-body-crashes", summary: "A body of null gives HTTP 500.",
			reply: func(x *reply) {
				if string(bytes.TrimSpace(x.sent)) == "null" {
					x.blank(http.StatusInternalServerError, "text/plain")
				}
			}},
		mutant{name: "unknown-method-404", summary: "An unknown tasks method gives a bare HTTP 404.",
			reply: func(x *reply) {
				if x.answers("", codeMethodNotFound) && strings.HasPrefix(x.method(), "tasks/") {
					x.blank(http.StatusNotFound, "text/plain")
				}
			}},
	),
)

// eventMutants are about the form of streamed events and belong to every
// dialect that wraps them in the envelope of JSON-RPC.
var eventMutants = inArea("stream",
	mutant{name: "events-unseparated", summary: "Events are separated by one line feed only.",
		event: func(f *frame) {
			f.raw = "event: " + f.name + "\ndata: " + string(encode(f.body)) + "\n"
		}},
	mutant{name: "event-ids-counted", summary: "The id of an event is its number.",
		event: func(f *frame) { put(f.body, "id", strconv.Itoa(f.count)) }},
	mutant{name: "event-id-wrong-at-times", summary: "Every second stream begins with an event that has another id than the call.",
		event: func(f *frame) {
			if id := text(f.body, "id"); f.count == 1 && id != "" && f.reply.server.notes.count("begun")%2 == 0 {
				replace(f.body, "id", "another "+id)
			}
		}},
)
