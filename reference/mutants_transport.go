package reference

import (
	"net/http"
	"strings"
)

var a2a01TransportMutants = inArea("transport",
	mutant{name: "card-url-elsewhere", summary: "The card names a path at which nothing listens.",
		reply: onCard(func(x *reply) { put(x.body, "url", x.server.url+"/elsewhere") })},
	mutant{name: "error-as-problem", summary: "An unknown method is reported as application/problem+json.",
		reply: func(x *reply) {
			if x.answers("", codeMethodNotFound) {
				x.header.Set("Content-Type", "application/problem+json")
			}
		}},
	mutant{name: "debug-line-first", summary: "A debug line stands before the refusal to cancel a finished task.",
		reply: func(x *reply) {
			if x.answers("tasks/cancel", a2a01TaskNotCancelable) {
				x.raw = append([]byte("DEBUG: not cancelable\n"), encode(x.body)...)
			}
		}},
)

// mediaMutants are about the media types of calls and replies.
var mediaMutants = inArea("transport",
	mutant{name: "result-as-text", summary: "The results of tasks/get are sent as text/plain.",
		reply: answering("tasks/get", func(x *reply) {
			if has(x.body, "result") {
				x.header.Set("Content-Type", "text/plain")
			}
		})},
	mutant{name: "charset-refused", summary: "The media type is compared as a whole, so that a charset parameter gives 415.",
		reply: func(x *reply) {
			if x.document == "" && strings.Contains(x.http.Header.Get("Content-Type"), ";") {
				x.status = http.StatusUnsupportedMediaType
				x.decline(codeInvalidRequest)
			}
		}},
	mutant{name: "odd-type-crashes", summary: "A request of another media type gives HTTP 500.",
		reply: func(x *reply) {
			if x.status == http.StatusUnsupportedMediaType {
				x.blank(http.StatusInternalServerError, "text/plain")
			}
		}},
)
