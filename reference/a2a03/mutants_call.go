package a2a03

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// onUnknownMethod edits the error about a method that does not exist.
func onUnknownMethod(edit func(*front.Reply)) func(*front.Reply) {
	return func(x *front.Reply) {
		if x.Answers("", front.CodeMethodNotFound) {
			edit(x)
		}
	}
}

// onResult edits the successful replies to one method.
func onResult(method string, edit func(*front.Reply)) func(*front.Reply) {
	return front.Answering(method, func(x *front.Reply) {
		if front.Has(x.Body, "result") {
			edit(x)
		}
	})
}

// EnvelopeMutants are about the envelope of JSON-RPC, beyond those of
// every protocol.
var EnvelopeMutants = front.InArea("envelope",
	front.Mutant{Name: "id-garbled", Summary: "An id beyond ASCII comes back with question marks.",
		Reply: func(x *front.Reply) {
			if id := front.Text(x.Request, "id"); id != ascii(id) {
				front.Put(x.Body, "id", ascii(id))
			}
		}},
	front.Mutant{Name: "id-number-to-text", Summary: "A positive number as id comes back as a string.",
		Reply: func(x *front.Reply) {
			if id := front.At(x.Request, "id"); front.IsNumber(id) && string(front.Encode(id))[0] >= '1' {
				front.Put(x.Body, "id", string(front.Encode(id)))
			}
		}},
	front.Mutant{Name: "id-null-to-zero", Summary: "The id null comes back as 0.",
		Reply: front.Answering("tasks/get", mutants.IdOf(nil, 0))},
	front.Mutant{Name: "error-id-null", Summary: "The error about an unknown method has the id null.",
		Reply: onUnknownMethod(func(x *front.Reply) { front.Put(x.Body, "id", nil) })},
	front.Mutant{Name: "error-code-text", Summary: "The code of the error about an unknown method is a string.",
		Reply: onUnknownMethod(func(x *front.Reply) { front.Put(x.Body, "error/code", "-32601") })},
	front.Mutant{Name: "error-message-empty", Summary: "The error about an unknown method has an empty message.",
		Reply: onUnknownMethod(func(x *front.Reply) { front.Put(x.Body, "error/message", "") })},
	front.Mutant{Name: "unknown-method-invalid", Summary: "An unknown method is reported as an invalid request.",
		Reply: onUnknownMethod(func(x *front.Reply) { front.Put(x.Body, "error/code", front.CodeInvalidRequest) })},
	front.Mutant{Name: "parse-error-page", Summary: "JSON that is cut off gets the framework's own error page.",
		Reply: func(x *front.Reply) {
			if x.Answers("", front.CodeParse) && bytes.HasPrefix(x.Sent, []byte("{")) {
				x.Blank(http.StatusBadRequest, "text/html")
				x.Raw = []byte("<h1>Bad Request</h1>")
			}
		}},
	front.Mutant{Name: "parse-error-id-left-out", Summary: "The error about unparsable JSON has no id.",
		Reply: func(x *front.Reply) {
			if x.Answers("", front.CodeParse) {
				front.Drop(x.Body, "id")
			}
		}},
	front.Mutant{Name: "version-older-accepted", Summary: "A jsonrpc of 1.0 is accepted.",
		Call: front.Misread("", func(body any) { front.Swap(body, "jsonrpc", "1.0", "2.0") })},
	front.Mutant{Name: "method-number-internal", Summary: "A method that is no string is an internal error.",
		Reply: func(x *front.Reply) {
			if front.Has(x.Request, "method") && !front.IsText(front.At(x.Request, "method")) {
				front.Put(x.Body, "error/code", front.CodeInternal)
			}
		}},
	front.Mutant{Name: "any-id-accepted", Summary: "A call with an id of a forbidden type is carried out.",
		Call: mutants.AnyIDAccepted},
	front.Mutant{Name: "extra-member-crashes", Summary: "An unknown member beside the method gives HTTP 500.",
		Reply: func(x *front.Reply) {
			for name := range front.Object(x.Request, "") {
				if name != "jsonrpc" && name != "id" && name != "method" && name != "params" {
					x.Blank(http.StatusInternalServerError, "text/plain")
				}
			}
		}},
	front.Mutant{Name: "methods-renamed", Summary: "tasks/get and tasks/cancel are only known under the names GetTask and CancelTask.",
		Reply: func(x *front.Reply) {
			if x.Method() == "tasks/get" || x.Method() == "tasks/cancel" {
				x.Decline(front.CodeMethodNotFound)
			}
		}},
	front.Mutant{Name: "success-accepted", Summary: "The results of message/send come with HTTP 202.",
		Reply: onResult("message/send", func(x *front.Reply) { x.Status = http.StatusAccepted })},
	front.Mutant{Name: "endpoint-refuses-post", Area: "transport", Summary: "The endpoint takes no POST.",
		Reply: func(x *front.Reply) {
			if x.Document == "" {
				x.Blank(http.StatusMethodNotAllowed, "text/plain")
				x.Opens = false
			}
		}},
	front.Mutant{Name: "endpoint-missing", Area: "transport", Summary: "Nothing is served but the card.",
		Reply: func(x *front.Reply) {
			if x.Document == "" {
				x.Blank(http.StatusNotFound, "text/plain")
				x.Opens = false
			}
		},
		Procedure: mutants.Recalled(func(string) string { return mutants.Nowhere })},

	front.Mutant{Name: "text-beyond-ascii-lost", Area: "message", Summary: "What is beyond ASCII comes back as question marks.",
		Reply: func(x *front.Reply) {
			if raw := string(front.Encode(x.Form(x.Body))); x.Document == "" && x.Body != nil && (x.Binding() != front.JSONRPC || front.At(x.Body, "id") == ascii(front.Text(x.Body, "id"))) {
				x.Raw = []byte(ascii(raw))
			}
		}},
	front.Mutant{Name: "member-in-snake-case", Area: "task", Summary: "tasks/get adds the context under the name context_id.",
		Reply: onResult("tasks/get", func(x *front.Reply) { front.Put(x.Body, "result/context_id", front.At(x.Body, "result/contextId")) })},
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

var ErrorMutants = front.InArea("errors",
	front.Mutant{Name: "unknown-task-other-code", Summary: "tasks/get reports an unknown task as -32000.",
		Reply: front.Recode("tasks/get", TaskNotFound, -32000)},
	front.Mutant{Name: "get-without-id-internal", Summary: "tasks/get without id is an internal error.",
		Reply: front.LookedFor("tasks/get", false, front.CodeInternal)},
	front.Mutant{Name: "parse-error-deadly", Summary: "After unparsable JSON no message is served any more.",
		Reply: Words.Deadly(func(x *front.Reply) bool { return x.Answers("", front.CodeParse) && len(x.Sent) > 0 })},
	front.Mutant{Name: "unknown-cancel-misnamed", Summary: "tasks/cancel reports an unknown task as not cancelable.",
		Reply: front.Recode("tasks/cancel", TaskNotFound, taskNotCancelable)},
	front.Mutant{Name: "finished-cancel-misnamed", Summary: "tasks/cancel of a finished task is reported as an unsupported operation.",
		Reply: front.Recode("tasks/cancel", taskNotCancelable, Unsupported)},

	front.Mutant{Name: "large-message-deadly", Area: "limits", Summary: "After a message of half a megabyte none is served any more.",
		Reply: Words.Deadly(func(x *front.Reply) bool { return len(x.Sent) > 1<<19 })},
	front.Mutant{Name: "deep-metadata-deadly", Area: "limits", Summary: "After a message nested 150 levels deep none is served any more.",
		Reply: Words.Deadly(func(x *front.Reply) bool { return mutants.Depth(x.Sent) >= 150 })},
	front.Mutant{Name: "malformed-id-traced", Area: "limits", Summary: "A task id that is no string reaches the database, whose trace is returned.",
		Reply: func(x *front.Reply) {
			if front.Has(x.Request, "params/id") && x.Answers("tasks/get", front.CodeInvalidParams) && !front.IsText(front.At(x.Request, "params/id")) {
				x.Decline(front.CodeInternal)
				front.Put(x.Body, "error/message", "ERROR: operator does not exist: text = integer\n\tat query (db.js:12)")
			}
		}},
	front.Mutant{Name: "parallel-calls-mixed", Area: "limits", Summary: "Of many messages at the same time several get the task of another.",
		Engine: func(o *engine.Options) { o.Latency += 30 * time.Millisecond },
		Call: func(c *front.Call) {
			if c.Method == "message/send" {
				c.Notes.Add("under way", 1)
			}
		},
		Reply: front.Answering("message/send", func(x *front.Reply) {
			notes := &x.Server.Notes
			switch others := notes.Add("under way", -1); {
			case !front.Has(x.Body, "result"):
			case others >= 1:
				front.Put(x.Body, "result", notes.First("result of many", front.At(x.Body, "result")))
			case notes.Read("result of many") != nil: // the last of them
				front.Put(x.Body, "result", notes.Write("result of many", nil))
			}
		})},
)

// atSecond edits the replies of the second interface.
func atSecond(edit func(*front.Reply)) func(*front.Reply) {
	return func(x *front.Reply) {
		if x.Http.URL.Path == Second {
			edit(x)
		}
	}
}

// interfaceMutants are about what two interfaces must have in common.
var interfaceMutants = front.InArea("transport",
	front.Mutant{Name: "second-interface-without-cancel", Summary: "The second interface does not know tasks/cancel.",
		Reply: atSecond(front.Answering("tasks/cancel", func(x *front.Reply) { x.Decline(front.CodeMethodNotFound) }))},
	front.Mutant{Name: "second-interface-without-stream", Summary: "The second interface does not stream.",
		Reply: atSecond(front.Opening("message/stream", func(x *front.Reply) { x.Decline(Unsupported) }))},
	front.Mutant{Name: "second-interface-own-tasks", Summary: "The second interface knows no task of the first.",
		Reply: func(x *front.Reply) {
			key := "home of " + x.TaskID()
			switch path := x.Http.URL.Path; {
			case x.Method() == "message/send" && front.Has(x.Body, "result"):
				x.Server.Notes.Write(key, path)
			case x.Method() == "tasks/get" && front.Has(x.Body, "result") && x.Server.Notes.Read(key) != path:
				x.Decline(TaskNotFound)
			}
		}},
	front.Mutant{Name: "second-interface-drops-metadata", Summary: "The second interface shows artifacts without their metadata.",
		Reply: atSecond(onResult("tasks/get", func(x *front.Reply) { front.Drop(x.Body, "result/artifacts/0/metadata") }))},
	front.Mutant{Name: "second-interface-misnames", Summary: "The second interface reports an unknown task as an internal error.",
		Reply: atSecond(front.Recode("tasks/get", TaskNotFound, front.CodeInternal))},
)

var ExtensionMutants = front.InArea("extension",
	front.Mutant{Name: "extension-not-enforced", Variant: "extended", Summary: "A message that does not activate the required extension is served.",
		Call: func(c *front.Call) {
			if c.Method == "message/send" {
				c.Http.Header.Add(front.ExtensionsHeader, Trace)
			}
		}},
	front.Mutant{Name: "extension-never-seen", Variant: "extended", Summary: "The extensions of a message are not read, and every message is refused.",
		Call: func(c *front.Call) { c.Http.Header.Del(front.ExtensionsHeader) }},
	front.Mutant{Name: "extensions-unannounced", Summary: "No response says which extensions are active.",
		Reply: func(x *front.Reply) { x.Header.Del(front.ExtensionsHeader) }},
	front.Mutant{Name: "unknown-extension-refused", Summary: "A message that asks for an unknown extension is refused.",
		Reply: func(x *front.Reply) {
			if x.Method() == "message/send" && x.Asked(func(uri string) bool { return uri != "" && !strings.HasPrefix(uri, "https://conform.example.com/") }) {
				x.Decline(front.CodeInvalidParams)
			}
		}},
	front.Mutant{Name: "extensions-always-listed", Summary: "Every response lists an extension, whether it was asked for or not.",
		Reply: func(x *front.Reply) {
			if x.Document == "" {
				x.Header.Set(front.ExtensionsHeader, Trace)
			}
		}},
	front.Mutant{Name: "extension-version-ignored", Summary: "An extension is active when another version of it was asked for.",
		Reply: func(x *front.Reply) {
			if x.Asked(func(uri string) bool {
				return uri != Trace && strings.HasPrefix(uri, strings.TrimSuffix(Trace, "v1"))
			}) {
				x.Header.Set(front.ExtensionsHeader, Trace)
			}
		}},
	front.Mutant{Name: "extensions-one-only", Summary: "A list of several extensions is read as one.",
		Reply: func(x *front.Reply) {
			if strings.Contains(x.Http.Header.Get(front.ExtensionsHeader), ",") {
				x.Header.Del(front.ExtensionsHeader)
			}
		}},
)
