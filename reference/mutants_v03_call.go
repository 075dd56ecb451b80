package reference

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// onUnknownMethod edits the error about a method that does not exist.
func onUnknownMethod(edit func(*reply)) func(*reply) {
	return func(x *reply) {
		if x.answers("", codeMethodNotFound) {
			edit(x)
		}
	}
}

// onResult edits the successful replies to one method.
func onResult(method string, edit func(*reply)) func(*reply) {
	return answering(method, func(x *reply) {
		if has(x.body, "result") {
			edit(x)
		}
	})
}

// a2a03EnvelopeMutants are about the envelope of JSON-RPC, beyond those of
// every protocol.
var a2a03EnvelopeMutants = inArea("envelope",
	mutant{name: "id-garbled", summary: "An id beyond ASCII comes back with question marks.",
		reply: func(x *reply) {
			if id := text(x.request, "id"); id != ascii(id) {
				put(x.body, "id", ascii(id))
			}
		}},
	mutant{name: "id-number-to-text", summary: "A positive number as id comes back as a string.",
		reply: func(x *reply) {
			if id := at(x.request, "id"); isNumber(id) && string(encode(id))[0] >= '1' {
				put(x.body, "id", string(encode(id)))
			}
		}},
	mutant{name: "id-null-to-zero", summary: "The id null comes back as 0.",
		reply: answering("tasks/get", idOf(nil, 0))},
	mutant{name: "error-id-null", summary: "The error about an unknown method has the id null.",
		reply: onUnknownMethod(func(x *reply) { put(x.body, "id", nil) })},
	mutant{name: "error-code-text", summary: "The code of the error about an unknown method is a string.",
		reply: onUnknownMethod(func(x *reply) { put(x.body, "error/code", "-32601") })},
	mutant{name: "error-message-empty", summary: "The error about an unknown method has an empty message.",
		reply: onUnknownMethod(func(x *reply) { put(x.body, "error/message", "") })},
	mutant{name: "unknown-method-invalid", summary: "An unknown method is reported as an invalid request.",
		reply: onUnknownMethod(func(x *reply) { put(x.body, "error/code", codeInvalidRequest) })},
	mutant{name: "parse-error-page", summary: "JSON that is cut off gets the framework's own error page.",
		reply: func(x *reply) {
			if x.answers("", codeParse) && bytes.HasPrefix(x.sent, []byte("{")) {
				x.blank(http.StatusBadRequest, "text/html")
				x.raw = []byte("<h1>Bad Request</h1>")
			}
		}},
	mutant{name: "parse-error-id-left-out", summary: "The error about unparsable JSON has no id.",
		reply: func(x *reply) {
			if x.answers("", codeParse) {
				drop(x.body, "id")
			}
		}},
	mutant{name: "version-older-accepted", summary: "A jsonrpc of 1.0 is accepted.",
		call: misread("", func(body any) { swap(body, "jsonrpc", "1.0", "2.0") })},
	mutant{name: "method-number-internal", summary: "A method that is no string is an internal error.",
		reply: func(x *reply) {
			if has(x.request, "method") && !isText(at(x.request, "method")) {
				put(x.body, "error/code", codeInternal)
			}
		}},
	mutant{name: "any-id-accepted", summary: "A call with an id of a forbidden type is carried out.",
		call: anyIDAccepted},
	mutant{name: "extra-member-crashes", summary: "An unknown member beside the method gives HTTP 500.",
		reply: func(x *reply) {
			for name := range object(x.request, "") {
				if name != "jsonrpc" && name != "id" && name != "method" && name != "params" {
					x.blank(http.StatusInternalServerError, "text/plain")
				}
			}
		}},
	mutant{name: "methods-renamed", summary: "tasks/get and tasks/cancel are only known under the names GetTask and CancelTask.",
		reply: func(x *reply) {
			if x.method() == "tasks/get" || x.method() == "tasks/cancel" {
				x.decline(codeMethodNotFound)
			}
		}},
	mutant{name: "success-accepted", summary: "The results of message/send come with HTTP 202.",
		reply: onResult("message/send", func(x *reply) { x.status = http.StatusAccepted })},
	mutant{name: "endpoint-refuses-post", area: "transport", summary: "The endpoint takes no POST.",
		reply: func(x *reply) {
			if x.document == "" {
				x.blank(http.StatusMethodNotAllowed, "text/plain")
				x.opens = false
			}
		}},
	mutant{name: "endpoint-missing", area: "transport", summary: "Nothing is served but the card.",
		reply: func(x *reply) {
			if x.document == "" {
				x.blank(http.StatusNotFound, "text/plain")
				x.opens = false
			}
		}},

	mutant{name: "text-beyond-ascii-lost", area: "message", summary: "What is beyond ASCII comes back as question marks.",
		reply: func(x *reply) {
			if raw := string(encode(x.body)); x.document == "" && x.body != nil && at(x.body, "id") == ascii(text(x.body, "id")) {
				x.raw = []byte(ascii(raw))
			}
		}},
	mutant{name: "member-in-snake-case", area: "task", summary: "tasks/get adds the context under the name context_id.",
		reply: onResult("tasks/get", func(x *reply) { put(x.body, "result/context_id", at(x.body, "result/contextId")) })},
)

// ascii replaces what is beyond ASCII by question marks.
func ascii(s string) string {
	return strings.Map(func(r rune) rune {
		if r > 126 {
			return '?'
		}
		return r
	}, s)
}

// deadly makes a server that takes no message any more after a certain
// request.
func deadly(is func(*reply) bool) func(*reply) {
	return func(x *reply) {
		switch {
		case x.document == "" && is(x):
			x.server.notes.write("dead", true)
		case x.method() == "message/send" && x.server.notes.read("dead") != nil:
			x.blank(http.StatusServiceUnavailable, "text/plain")
		}
	}
}

// depth returns how deep the objects and arrays of a body are nested.
func depth(body []byte) int {
	deepest, now := 0, 0
	for _, b := range body {
		switch b {
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		}
	}
	return deepest
}

var a2a03ErrorMutants = inArea("errors",
	mutant{name: "unknown-task-other-code", summary: "tasks/get reports an unknown task as -32000.",
		reply: recode("tasks/get", a2a03TaskNotFound, -32000)},
	mutant{name: "get-without-id-internal", summary: "tasks/get without id is an internal error.",
		reply: lookedFor("tasks/get", false, codeInternal)},
	mutant{name: "parse-error-deadly", summary: "After unparsable JSON no message is served any more.",
		reply: deadly(func(x *reply) bool { return x.answers("", codeParse) && len(x.sent) > 0 })},
	mutant{name: "unknown-cancel-misnamed", summary: "tasks/cancel reports an unknown task as not cancelable.",
		reply: recode("tasks/cancel", a2a03TaskNotFound, a2a03TaskNotCancelable)},
	mutant{name: "finished-cancel-misnamed", summary: "tasks/cancel of a finished task is reported as an unsupported operation.",
		reply: recode("tasks/cancel", a2a03TaskNotCancelable, a2a03Unsupported)},

	mutant{name: "large-message-deadly", area: "limits", summary: "After a message of half a megabyte none is served any more.",
		reply: deadly(func(x *reply) bool { return len(x.sent) > 1<<19 })},
	mutant{name: "deep-metadata-deadly", area: "limits", summary: "After a message nested 150 levels deep none is served any more.",
		reply: deadly(func(x *reply) bool { return depth(x.sent) >= 150 })},
	mutant{name: "malformed-id-traced", area: "limits", summary: "A task id that is no string reaches the database, whose trace is returned.",
		reply: func(x *reply) {
			if has(x.request, "params/id") && x.answers("tasks/get", codeInvalidParams) && !isText(at(x.request, "params/id")) {
				x.decline(codeInternal)
				put(x.body, "error/message", "ERROR: operator does not exist: text = integer\n\tat query (db.js:12)")
			}
		}},
	mutant{name: "parallel-calls-mixed", area: "limits", summary: "Of many messages at the same time several get the task of another.",
		engine: func(o *engine.Options) { o.Latency += 30 * time.Millisecond },
		call: func(c *call) {
			if c.method == "message/send" {
				c.notes.add("under way", 1)
			}
		},
		reply: answering("message/send", func(x *reply) {
			notes := &x.server.notes
			switch others := notes.add("under way", -1); {
			case !has(x.body, "result"):
			case others >= 1:
				put(x.body, "result", notes.first("result of many", at(x.body, "result")))
			case notes.read("result of many") != nil: // the last of them
				put(x.body, "result", notes.write("result of many", nil))
			}
		})},
)

// atSecond edits the replies of the second interface.
func atSecond(edit func(*reply)) func(*reply) {
	return func(x *reply) {
		if x.http.URL.Path == a2a03Second {
			edit(x)
		}
	}
}

// a2a03InterfaceMutants are about what two interfaces must have in common.
var a2a03InterfaceMutants = inArea("transport",
	mutant{name: "second-interface-without-cancel", summary: "The second interface does not know tasks/cancel.",
		reply: atSecond(answering("tasks/cancel", func(x *reply) { x.decline(codeMethodNotFound) }))},
	mutant{name: "second-interface-without-stream", summary: "The second interface does not stream.",
		reply: atSecond(opening("message/stream", func(x *reply) { x.decline(a2a03Unsupported) }))},
	mutant{name: "second-interface-own-tasks", summary: "The second interface knows no task of the first.",
		reply: func(x *reply) {
			key := "home of " + x.taskID()
			switch path := x.http.URL.Path; {
			case x.method() == "message/send" && has(x.body, "result"):
				x.server.notes.write(key, path)
			case x.method() == "tasks/get" && has(x.body, "result") && x.server.notes.read(key) != path:
				x.decline(a2a03TaskNotFound)
			}
		}},
	mutant{name: "second-interface-drops-metadata", summary: "The second interface shows artifacts without their metadata.",
		reply: atSecond(onResult("tasks/get", func(x *reply) { drop(x.body, "result/artifacts/0/metadata") }))},
	mutant{name: "second-interface-misnames", summary: "The second interface reports an unknown task as an internal error.",
		reply: atSecond(recode("tasks/get", a2a03TaskNotFound, codeInternal))},
)

// asked reports whether the request asks for an extension for which is holds.
func (x *reply) asked(is func(uri string) bool) bool {
	for _, header := range x.http.Header.Values(extensionsHeader) {
		for uri := range strings.SplitSeq(header, ",") {
			if is(strings.TrimSpace(uri)) {
				return true
			}
		}
	}
	return false
}

var a2a03ExtensionMutants = inArea("extension",
	mutant{name: "extension-not-enforced", variant: "extended", summary: "A message that does not activate the required extension is served.",
		call: func(c *call) {
			if c.method == "message/send" {
				c.http.Header.Add(extensionsHeader, a2a03Trace)
			}
		}},
	mutant{name: "extension-never-seen", variant: "extended", summary: "The extensions of a message are not read, and every message is refused.",
		call: func(c *call) { c.http.Header.Del(extensionsHeader) }},
	mutant{name: "extensions-unannounced", summary: "No response says which extensions are active.",
		reply: func(x *reply) { x.header.Del(extensionsHeader) }},
	mutant{name: "unknown-extension-refused", summary: "A message that asks for an unknown extension is refused.",
		reply: func(x *reply) {
			if x.method() == "message/send" && x.asked(func(uri string) bool { return uri != "" && !strings.HasPrefix(uri, "https://conform.example.com/") }) {
				x.decline(codeInvalidParams)
			}
		}},
	mutant{name: "extensions-always-listed", summary: "Every response lists an extension, whether it was asked for or not.",
		reply: func(x *reply) {
			if x.document == "" {
				x.header.Set(extensionsHeader, a2a03Trace)
			}
		}},
	mutant{name: "extension-version-ignored", summary: "An extension is active when another version of it was asked for.",
		reply: func(x *reply) {
			if x.asked(func(uri string) bool {
				return uri != a2a03Trace && strings.HasPrefix(uri, strings.TrimSuffix(a2a03Trace, "v1"))
			}) {
				x.header.Set(extensionsHeader, a2a03Trace)
			}
		}},
	mutant{name: "extensions-one-only", summary: "A list of several extensions is read as one.",
		reply: func(x *reply) {
			if strings.Contains(x.http.Header.Get(extensionsHeader), ",") {
				x.header.Del(extensionsHeader)
			}
		}},
)
