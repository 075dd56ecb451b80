package reference

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
)

// chosen are those mutants of a list that have one of the names.
func chosen(all []mutant, names ...string) []mutant {
	var out []mutant
	for _, name := range names {
		i := slices.IndexFunc(all, func(m mutant) bool { return m.name == name })
		if i < 0 {
			panic("there is no mutant " + name + " to choose")
		}
		out = append(out, all[i])
	}
	return out
}

// a2x03Mutants are those that A2X has in common with other protocols, which all
// use its methods and words, and its own.
func a2x03Mutants() []mutant {
	w := a2a03Words
	return slices.Concat(
		commonMutants(w.stream, w.notFound),
		chosen(rpcMutants, "http-method-ignored", "error-id-left-out", "id-zero-lost", "forbidden-id-echoed",
			"error-null-with-result", "result-null-with-error", "notification-answered", "batch-first-only", "batch-error-mute", "empty-batch-silent",
			"word-gets-error-page", "version-not-required", "missing-method-unknown", "method-number-unknown", "null-body-crashes", "unknown-method-404", "unknown-method-in-own-words"),
		chosen(mediaMutants, "result-as-text"),
		chosen(a2a01TransportMutants, "debug-line-first"),
		chosen(a2a03EnvelopeMutants, "id-garbled", "id-number-to-text", "id-null-to-zero", "error-code-text", "parse-error-page",
			"parse-error-id-left-out", "version-older-accepted", "endpoint-missing"),
		chosen(errorMutants(w), "unknown-task-canceled", "finished-task-canceled"),
		chosen(a2a03ErrorMutants, "parse-error-deadly", "get-without-id-internal"),
		chosen(sendMutants(w), "send-missing", "parts-optional", "role-defaults-to-user", "message-metadata-refused"),
		chosen(partMutants(w), "part-type-guessed"),
		chosen(a2a03SendMutants, "send-wrapped", "message-missing-internal", "context-has-one-task", "context-renewed", "answer-starts-anew"),
		chosen(a2a03ContentMutants, "message-of-other-context"),
		chosen(a2a03ShapeMutants, "timestamp-number", "task-kind-left-out", "task-status-bare"),
		chosen(taskMutants(w), "task-not-stored", "get-without-id-misnamed", "get-shows-working"),
		chosen(a2a03TaskMutants, "unknown-task-null", "get-context-changed", "cancel-returns-true"),
		chosen(lifecycleMutants(w), "completed-reaped", "cancel-missing", "cancel-undone", "cancel-forgotten", "cancel-without-id-misnamed"),
		chosen(a2a01LifecycleMutants, "requeued", "question-completes"),
		chosen(streamMutants(w), "stream-as-ndjson", "event-without-field", "final-missing", "working-flagged-final", "stream-stays-open",
			"streamed-task-working", "stream-buffered", "chunks-broadcast", "cancel-unseen"),
		chosen(subscriptionMutants(w), "failed-stream-opens"),
		chosen(a2a03StreamMutants, "event-of-subtask", "final-unsent", "streamed-task-unknown"),
		in("lavish", chosen(eventMutants, "event-ids-counted", "event-id-wrong-at-times")...),
		chosen(a2a03DiscoveryMutants, "card-as-page", "card-as-html"),
		chosen(a2a03CardMutants, "card-url-relative", "card-protocol-later"),
		chosen(a2a03ExtensionMutants, "unknown-extension-refused"),
		a2x03DiscoveryMutants,
		a2x03CallMutants,
		a2x03TaskMutants,
		a2x03StreamMutants,
		a2x03ExtensionMutants,
		a2x03PaymentMutants,
	)
}

var a2x03DiscoveryMutants = slices.Concat(
	inArea("discovery",
		mutant{name: "card-at-later-path", summary: "The card is served at the path of the later protocol only.",
			reply: func(x *reply) {
				switch x.document {
				case "card":
					x.blank(http.StatusNotFound, "text/plain")
				case "later card":
					x.status, x.body = http.StatusOK, generic(a2x03Server{a2a03Server{x.server}}.card())
				}
			}},
		mutant{name: "card-guarded", variant: "guarded", summary: "The card is for callers with credentials.",
			reply: onCard(func(x *reply) {
				if !showsCredential(x.http) {
					x.blank(http.StatusUnauthorized, "text/plain")
				}
			})},
	),
	inArea("card",
		mutant{name: "card-skill-input-short", summary: "A skill's input modes hold a word that is no MIME type.", reply: cardHas("skills/0/inputModes", []any{"text/plain", "text"})},
		mutant{name: "card-skill-output-short", summary: "A skill's output modes hold a word that is no MIME type.", reply: cardHas("skills/0/outputModes", []any{"text/plain", "png"})},
		mutant{name: "card-extension-short", summary: "An extension is named by a word in place of a URI.", reply: cardHas("capabilities/extensions/0/uri", "trace")},
	),
	inArea("auth",
		mutant{name: "guard-knows-nobody", variant: "guarded", summary: "The credentials of the card are not those that messages are taken with.",
			guard: func(c *caller) {
				if c.method == "message/send" {
					c.client = ""
				}
			}},
		mutant{name: "guard-open-send", variant: "guarded", summary: "A message without credentials is served.", guard: anonymousTo("message/send")},
	),
)

var a2x03CallMutants = slices.Concat(
	inArea("errors",
		mutant{name: "method-case-ignored", summary: "Method names are compared without regard to case.",
			call: func(c *call) {
				if c.method == "Message/Send" {
					put(c.body, "method", "message/send")
				}
			}},
		mutant{name: "positional-params-internal", summary: "Params in an array are an internal error.",
			reply: func(x *reply) {
				if _, is := at(x.request, "params").([]any); is {
					x.decline(codeInternal)
				}
			}},
		mutant{name: "array-taken-for-message", summary: "The first element of an array of params is taken as the text of a message.",
			call: misread("message/send", func(body any) {
				if at(body, "params/0") != nil {
					put(body, "params", map[string]any{"message": v03Hello()})
				}
			})},
	),
	inArea("message",
		mutant{name: "message-id-demanded", summary: "A message without messageId is refused.",
			reply: declining("message/send", codeInvalidParams, func(params any) bool { return !has(params, "message/messageId") })},
		mutant{name: "parts-as-text", summary: "A string in place of the parts is taken as a text.",
			call: misread("message/send", func(body any) {
				if isText(at(body, "params/message/parts")) {
					put(body, "params/message/parts", v03Hello()["parts"])
				}
			})},
		mutant{name: "unknown-part-internal", summary: "A part of an unknown kind is an internal error.",
			reply: func(x *reply) {
				if anyPart(func(p map[string]any) bool { return p["kind"] == "hologram" })(at(x.request, "params")) {
					x.decline(codeInternal)
				}
			}},
		mutant{name: "message-ids-equal", summary: "All messages of the agent have one id.",
			reply: onTask("message/send", "echo", func(x *reply) { put(x.body, "result/status/message/messageId", "message-1") })},
		looking("message-data-encoded", "The data of a part are a string of JSON.", "echo", func(t any) {
			put(t, "status/message/parts/1/data", string(encode(at(t, "status/message/parts/1/data"))))
		}),
		looking("message-file-untyped", "A file in a message states no type.", "echo", lacking("status/message/parts/2/file/mimeType")),
	),
	inArea("context",
		mutant{name: "context-empty", summary: "A task whose message names no context gets an empty one.",
			reply: onTask("message/send", "echo", func(x *reply) {
				if !has(x.request, "params/message/contextId") {
					put(x.body, "result/contextId", "")
				}
			})},
	),
)

var a2x03TaskMutants = inArea("task",
	mutant{name: "get-latest-of-context", summary: "tasks/get returns the latest task of the context.",
		reply: func(x *reply) {
			switch {
			case x.method() == "message/send" && has(x.body, "result"):
				x.server.notes.write("latest of "+text(x.body, "result/contextId"), at(x.body, "result"))
			case x.method() == "tasks/get" && has(x.body, "result"):
				if latest := x.server.notes.read("latest of " + text(x.body, "result/contextId")); latest != nil {
					put(x.body, "result", latest)
				}
			}
		}},
	mutant{name: "get-number-found", summary: "tasks/get with a number as id finds a task.",
		reply: func(x *reply) {
			if isNumber(at(x.request, "params/id")) && x.method() == "tasks/get" {
				x.succeed(map[string]any{"kind": "task", "id": "5", "contextId": "some-context", "status": map[string]any{"state": "completed"}})
			}
		}},
	looking("status-message-unsound", "The message of a status is not of the kind message.", "echo", setting("status/message/kind", "msg")),
	looking("status-message-of-call", "The message of a status names the JSON-RPC id as its task.", "echo", setting("status/message/taskId", "r")),
	mutant{name: "never-begun", summary: "A task in a context is returned as submitted, and never shown otherwise.",
		reply: func(x *reply) {
			if x.method() != "message/send" && x.method() != "tasks/get" || x.script() != "echo" || !has(x.body, "result/status") {
				return
			}
			put(x.body, "result/status", map[string]any{"state": "submitted"})
		}},
)

var a2x03StreamMutants = inArea("stream",
	mutant{name: "stream-done-marker", summary: "A stream ends with the text [DONE].",
		event: a2a03Words.inStream("echo", func(f *frame) {
			if f.state() == "completed" {
				f.raw = "data: " + string(encode(f.sent(f.body))) + "\n\ndata: [DONE]\n\n"
			}
		})},
	mutant{name: "first-event-wrapped", summary: "The first event comes in an envelope, the others do not.",
		event: a2a03Words.inStream("echo", func(f *frame) { f.bare = f.count > 1 })},
	mutant{name: "message-event-of-assistant", summary: "A message event has the role assistant.", event: inUpdate("message", setting("role", "assistant"))},
	mutant{name: "submitted-again", summary: "submitted is sent after working.",
		event: a2a03Words.inStream("echo", func(f *frame) {
			if f.state() == "working" {
				f.after = []any{f.status("submitted")}
			}
		})},
	mutant{name: "stream-unclaimed", variant: "minimal", summary: "message/stream is never answered where the card has no streaming.", waits: true,
		reply: failing("message/stream", a2a03Unsupported, func(x *reply) {
			x.blank(http.StatusOK, "text/event-stream")
			x.hang = true
		})},
)

// without reports whether a message does not ask for the extension for payments.
func (x *reply) without() bool {
	return x.method() == "message/send" && !x.asked(func(uri string) bool { return uri == a2x03Payments })
}

var a2x03ExtensionMutants = inArea("extension",
	mutant{name: "extension-header-renamed", variant: "paid", summary: "The extensions of a message are looked for in the header A2A-Extensions.",
		call: func(c *call) { c.http.Header.Del(extensionsHeader) }},
	mutant{name: "optional-extension-demanded", summary: "A message that does not activate the optional extension is refused.",
		reply: func(x *reply) {
			if x.method() == "message/send" && !x.asked(func(uri string) bool { return uri == a2a03Trace }) {
				x.decline(a2x03Unpaid)
				put(x.body, "error/message", "The extension "+a2a03Trace+" must be activated.")
			}
		}},
	mutant{name: "missing-extension-crashes", variant: "paid", summary: "A message that activates no extension is an internal error.",
		reply: func(x *reply) {
			if x.without() {
				x.decline(codeInternal)
			}
		}},
	mutant{name: "extension-header-exact", variant: "paid", summary: "The header is only known in the protocol's own spelling.",
		bytes: func(b []byte) {
			name := []byte("\nx-a2a-extensions:")
			if i := bytes.Index(b, name); i >= 0 {
				copy(b[i:], "\nz")
			}
		}},
)

var a2x03PaymentMutants = in("paid", inArea("extension",
	mutant{name: "payment-as-error", summary: "A payment is demanded by an error.",
		reply: func(x *reply) {
			if x.method() == "message/send" && strings.HasPrefix(text(x.request, "params/message/parts/0/text"), "pay") {
				x.decline(a2x03Unpaid)
				put(x.body, "error/message", "Payment required")
			}
		}},
	mutant{name: "payment-in-words", summary: "What has to be paid is only said in a text.",
		reply: func(x *reply) {
			if text(x.body, "result/status/state") == "input-required" {
				drop(x.body, "result/status/message/metadata")
			}
		}},
	mutant{name: "payment-ignored", summary: "A task waits on after it was paid for.",
		call: misread("message/send", func(body any) { drop(body, "params/message/metadata") })},
)...)
