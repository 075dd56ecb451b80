package mutants

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// IdOf makes a reply edit that answers the request id from with the id to.
func IdOf(from, to any) func(*front.Reply) {
	return func(x *front.Reply) {
		if front.Has(x.Request, "id") && front.At(x.Request, "id") == from {
			front.Put(x.Body, "id", to)
		}
	}
}

// RpcMutants are about JSON-RPC itself and belong to every dialect.
var RpcMutants = slices.Concat(
	front.InArea("transport",
		front.Mutant{Name: "http-method-ignored", Summary: "A call sent by PUT is carried out.",
			Reply: func(x *front.Reply) {
				if x.Http.Method == http.MethodPut && x.Perform != nil {
					x.Perform()
				}
			}},
	),
	front.InArea("envelope",
		front.Mutant{Name: "error-id-left-out", Summary: "The error about an unknown method has no id.",
			Reply: func(x *front.Reply) {
				if x.Answers("", front.CodeMethodNotFound) {
					front.Drop(x.Body, "id")
				}
			}},
		front.Mutant{Name: "unknown-method-in-own-words", Summary: "An unknown method is refused with HTTP 400 and JSON that is no JSON-RPC response.",
			Reply: func(x *front.Reply) {
				if x.Answers("", front.CodeMethodNotFound) {
					x.Status, x.Body = http.StatusBadRequest, map[string]any{"error": "Invalid request body", "issues": []any{"method: there is no such method"}}
				}
			}},
		front.Mutant{Name: "id-zero-lost", Summary: "The id 0 is taken for no id and comes back as null.",
			Reply: IdOf(front.Num(0), nil)},
		front.Mutant{Name: "forbidden-id-echoed", Summary: "An id of a forbidden type is sent back with the error.",
			Reply: func(x *front.Reply) {
				if id := front.At(x.Request, "id"); front.Forbidden(id) {
					front.Put(x.Body, "id", id)
				}
			}},
		front.Mutant{Name: "error-null-with-result", Summary: "The result of a cancellation comes with an error of null.",
			Reply: func(x *front.Reply) {
				if (x.Method() == "tasks/cancel" || x.Method() == "CancelTask") && front.Has(x.Body, "result") {
					front.Put(x.Body, "error", nil)
				}
			}},
		front.Mutant{Name: "result-null-with-error", Summary: "The error about an unknown method comes with a result of null.",
			Reply: func(x *front.Reply) {
				if x.Answers("", front.CodeMethodNotFound) {
					front.Put(x.Body, "result", nil)
				}
			}},
		front.Mutant{Name: "error-message-trace", Summary: "The message about an unknown method is a stack trace.",
			Reply: func(x *front.Reply) {
				if x.Answers("", front.CodeMethodNotFound) {
					front.Put(x.Body, "error/message", "Method not found\n\tat dispatch (server.js:12)\n\tat handle (server.js:40)")
				}
			}},
		front.Mutant{Name: "notification-answered", Summary: "A call without id gets a response without id.",
			Reply: func(x *front.Reply) {
				if x.Call != nil && x.Call.Notification && x.Status == http.StatusNoContent {
					x.Status = http.StatusOK
					x.Body = map[string]any{"jsonrpc": "2.0", "error": map[string]any{"code": front.CodeInvalidRequest, "message": "Invalid Request"}}
				}
			}},
		front.Mutant{Name: "batch-first-only", Summary: "Only the first call of a batch is answered.",
			Reply: func(x *front.Reply) {
				if answers, ok := x.Body.([]any); ok {
					x.Body = answers[0]
				}
			}},
		front.Mutant{Name: "batch-error-mute", Summary: "The last error in the answer to a batch has no message.",
			Reply: func(x *front.Reply) {
				if answers, ok := x.Body.([]any); ok {
					front.Drop(answers[len(answers)-1], "error/message")
				}
			}},
		front.Mutant{Name: "empty-batch-silent", Summary: "An empty batch gets HTTP 200 without a body.",
			Reply: func(x *front.Reply) {
				if batch, ok := x.Request.([]any); ok && len(batch) == 0 {
					x.Blank(http.StatusOK, "application/json")
				}
			}},
	),
	front.InArea("errors",
		front.Mutant{Name: "word-gets-error-page", Summary: "A lone word gets the framework's own error page.",
			Reply: func(x *front.Reply) {
				if x.Answers("", front.CodeParse) && strings.Trim(string(x.Sent), "abcdefghijklmnopqrstuvwxyz \n") == "" && len(x.Sent) > 0 {
					x.Blank(http.StatusBadRequest, "text/html")
					x.Raw = []byte("<h1>Bad Request</h1>")
				}
			}},
		front.Mutant{Name: "empty-body-ignored", Summary: "An empty body gets HTTP 200 without a body.",
			Reply: func(x *front.Reply) {
				if x.Answers("", front.CodeParse) && len(x.Sent) == 0 {
					x.Blank(http.StatusOK, "application/json")
				}
			}},
		front.Mutant{Name: "version-not-required", Summary: "A missing jsonrpc is not noticed.",
			Call: front.Supply("", "jsonrpc", "2.0")},
		front.Mutant{Name: "version-compared-loosely", Summary: "A jsonrpc of 2 or \"2\" is taken for 2.0.",
			Call: front.Misread("", func(body any) {
				if v := front.At(body, "jsonrpc"); v == "2" || front.IsNumber(v) {
					front.Put(body, "jsonrpc", "2.0")
				}
			})},
		front.Mutant{Name: "missing-method-unknown", Summary: "A missing method is reported as an unknown one.",
			Reply: func(x *front.Reply) {
				if front.Object(x.Request, "") != nil && !front.Has(x.Request, "method") {
					front.Put(x.Body, "error/code", front.CodeMethodNotFound)
				}
			}},
		front.Mutant{Name: "method-number-unknown", Summary: "A method that is no string is reported as an unknown one.",
			Reply: func(x *front.Reply) {
				if front.Has(x.Request, "method") && !front.IsText(front.At(x.Request, "method")) {
					front.Put(x.Body, "error/code", front.CodeMethodNotFound)
				}
			}},
		front.Mutant{Name: "null-body-crashes", Summary: "A body of null gives HTTP 500.",
			Reply: func(x *front.Reply) {
				if string(bytes.TrimSpace(x.Sent)) == "null" {
					x.Blank(http.StatusInternalServerError, "text/plain")
				}
			}},
		front.Mutant{Name: "unknown-method-404", Summary: "An unknown tasks method gives a bare HTTP 404.",
			Reply: func(x *front.Reply) {
				if x.Answers("", front.CodeMethodNotFound) && strings.HasPrefix(x.Method(), "tasks/") {
					x.Blank(http.StatusNotFound, "text/plain")
				}
			}},
	),
)

// EventMutants are about the form of streamed events and belong to every
// dialect that wraps them in the envelope of JSON-RPC.
var EventMutants = front.InArea("stream",
	front.Mutant{Name: "events-unseparated", Summary: "Events are separated by one line feed only.",
		Event: func(f *front.Frame) {
			f.Raw = "event: " + f.Name + "\ndata: " + string(front.Encode(f.Sent(f.Body))) + "\n"
		}},
	front.Mutant{Name: "event-ids-counted", Summary: "The id of an event is its number.",
		Event: func(f *front.Frame) { front.Put(f.Body, "id", strconv.Itoa(f.Count)) }},
	front.Mutant{Name: "event-id-wrong-at-times", Summary: "Every second stream begins with an event that has another id than the call.",
		Event: func(f *front.Frame) {
			if id := front.Text(f.Body, "id"); f.Count == 1 && id != "" && f.Reply.Server.Notes.Count("begun")%2 == 0 {
				front.Replace(f.Body, "id", "another "+id)
			}
		}},
)
