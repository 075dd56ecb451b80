package a2x03

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/a2a01"
	"github.com/a2a-conform/a2a-conform/reference/a2a03"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// allMutants are those that A2X has in common with other protocols, which all
// use its methods and words, and its own.
func allMutants() []front.Mutant {
	w := a2a03.Words
	return slices.Concat(
		mutants.CommonMutants(w.Stream, w.NotFound),
		mutants.CredentialMutants(w.Get, w.NotFound),
		front.Chosen(mutants.RpcMutants, "http-method-ignored", "error-id-left-out", "id-zero-lost", "forbidden-id-echoed",
			"error-null-with-result", "result-null-with-error", "notification-answered", "batch-first-only", "batch-error-mute", "empty-batch-silent",
			"word-gets-error-page", "version-not-required", "missing-method-unknown", "method-number-unknown", "null-body-crashes", "unknown-method-404", "unknown-method-in-own-words"),
		front.Chosen(mutants.MediaMutants, "result-as-text"),
		front.Chosen(a2a01.TransportMutants, "debug-line-first"),
		front.Chosen(a2a03.EnvelopeMutants, "id-garbled", "id-number-to-text", "id-null-to-zero", "error-code-text", "parse-error-page",
			"parse-error-id-left-out", "version-older-accepted", "endpoint-missing"),
		front.Chosen(mutants.ErrorMutants(w), "unknown-task-canceled", "finished-task-canceled"),
		front.Chosen(a2a03.ErrorMutants, "parse-error-deadly", "get-without-id-internal"),
		front.Chosen(mutants.SendMutants(w), "send-missing", "send-refused-as-invalid", "parts-optional", "role-defaults-to-user", "message-metadata-refused"),
		front.Chosen(mutants.PartMutants(w), "part-type-guessed"),
		front.Chosen(a2a03.SendMutants, "send-wrapped", "message-missing-internal", "context-has-one-task", "context-renewed", "answer-starts-anew"),
		front.Chosen(a2a03.ContentMutants, "message-of-other-context"),
		front.Chosen(a2a03.ShapeMutants, "timestamp-number", "task-kind-left-out", "task-status-bare"),
		front.Chosen(mutants.TaskMutants(w), "task-not-stored", "get-without-id-misnamed", "get-shows-working"),
		front.Chosen(a2a03.TaskMutants, "unknown-task-null", "get-context-changed", "cancel-returns-true"),
		front.Chosen(mutants.LifecycleMutants(w), "completed-reaped", "cancel-missing", "cancel-refused-as-invalid", "cancel-undone", "cancel-forgotten", "cancel-without-id-misnamed"),
		front.Chosen(a2a01.LifecycleMutants, "requeued", "question-completes"),
		front.Chosen(mutants.StreamMutants(w), "stream-as-ndjson", "event-without-field", "final-missing", "working-flagged-final", "stream-stays-open", "stream-falls-silent",
			"streamed-task-working", "stream-buffered", "chunks-broadcast", "cancel-unseen"),
		front.Chosen(mutants.SubscriptionMutants(w), "failed-stream-opens"),
		front.Chosen(a2a03.StreamMutants, "event-of-subtask", "final-unsent", "streamed-task-unknown"),
		front.In("lavish", front.Chosen(mutants.EventMutants, "event-ids-counted", "event-id-wrong-at-times")...),
		front.Chosen(a2a03.DiscoveryMutants, "card-as-page", "card-as-html"),
		front.Chosen(a2a03.CardMutants, "card-url-relative", "card-protocol-later"),
		mutants.AddressMutants,
		front.Chosen(a2a03.ExtensionMutants, "unknown-extension-refused"),
		discoveryMutants,
		callMutants,
		taskMutants,
		streamMutants,
		extensionMutants,
		paymentMutants,
	)
}

var discoveryMutants = slices.Concat(
	front.InArea("discovery",
		front.Mutant{Name: "card-at-later-path", Summary: "The card is served at the path of the later protocol only.",
			Reply: func(x *front.Reply) {
				switch x.Document {
				case "card":
					x.Blank(http.StatusNotFound, "text/plain")
				case "later card":
					x.Status, x.Body = http.StatusOK, front.Generic(Server{a2a03.Server{Server: x.Server}}.card())
				}
			}},
		front.Mutant{Name: "card-guarded", Variant: "guarded", Summary: "The card is for callers with credentials.",
			Reply: mutants.OnCard(func(x *front.Reply) {
				if !a2a03.ShowsCredential(x.Http) {
					x.Blank(http.StatusUnauthorized, "text/plain")
				}
			})},
	),
	front.InArea("card",
		front.Mutant{Name: "card-skill-input-short", Summary: "A skill's input modes hold a word that is no MIME type.", Reply: mutants.CardHas("skills/0/inputModes", []any{"text/plain", "text"})},
		front.Mutant{Name: "card-skill-output-short", Summary: "A skill's output modes hold a word that is no MIME type.", Reply: mutants.CardHas("skills/0/outputModes", []any{"text/plain", "png"})},
		front.Mutant{Name: "card-extension-short", Summary: "An extension is named by a word in place of a URI.", Reply: mutants.CardHas("capabilities/extensions/0/uri", "trace")},
	),
	front.InArea("auth",
		front.Mutant{Name: "guard-knows-nobody", Variant: "guarded", Summary: "The credentials of the card are not those that messages are taken with.",
			Guard: func(c *front.Caller) {
				if c.Method == "message/send" {
					c.Client = ""
				}
			}},
		front.Mutant{Name: "guard-hidden", Locked: true, Summary: "A credential is demanded that the card does not mention."},
		front.Mutant{Name: "guard-open-send", Variant: "guarded", Summary: "A message without credentials is served.", Guard: front.AnonymousTo("message/send")},
	),
)

var callMutants = slices.Concat(
	front.InArea("errors",
		front.Mutant{Name: "method-case-ignored", Summary: "Method names are compared without regard to case.",
			Call: func(c *front.Call) {
				if c.Method == "Message/Send" {
					front.Put(c.Body, "method", "message/send")
				}
			}},
		front.Mutant{Name: "positional-params-internal", Summary: "Params in an array are an internal error.",
			Reply: func(x *front.Reply) {
				if _, is := front.At(x.Request, "params").([]any); is {
					x.Decline(front.CodeInternal)
				}
			}},
		front.Mutant{Name: "array-taken-for-message", Summary: "The first element of an array of params is taken as the text of a message.",
			Call: front.Misread("message/send", func(body any) {
				if front.At(body, "params/0") != nil {
					front.Put(body, "params", map[string]any{"message": a2a03.V03Hello()})
				}
			})},
	),
	front.InArea("message",
		front.Mutant{Name: "message-id-demanded", Summary: "A message without messageId is refused.",
			Reply: front.Declining("message/send", front.CodeInvalidParams, func(params any) bool { return !front.Has(params, "message/messageId") })},
		front.Mutant{Name: "parts-as-text", Summary: "A string in place of the parts is taken as a text.",
			Call: front.Misread("message/send", func(body any) {
				if front.IsText(front.At(body, "params/message/parts")) {
					front.Put(body, "params/message/parts", a2a03.V03Hello()["parts"])
				}
			})},
		front.Mutant{Name: "unknown-part-internal", Summary: "A part of an unknown kind is an internal error.",
			Reply: func(x *front.Reply) {
				if front.AnyPart(func(p map[string]any) bool { return p["kind"] == "hologram" })(front.At(x.Request, "params")) {
					x.Decline(front.CodeInternal)
				}
			}},
		front.Mutant{Name: "message-ids-equal", Summary: "All messages of the agent have one id.",
			Reply: a2a03.OnTask("message/send", "echo", func(x *front.Reply) { front.Put(x.Body, "result/status/message/messageId", "message-1") })},
		a2a03.Looking("message-data-encoded", "The data of a part are a string of JSON.", "echo", func(t any) {
			front.Put(t, "status/message/parts/1/data", string(front.Encode(front.At(t, "status/message/parts/1/data"))))
		}),
		a2a03.Looking("message-file-untyped", "A file in a message states no type.", "echo", a2a03.Lacking("status/message/parts/2/file/mimeType")),
	),
	front.InArea("context",
		front.Mutant{Name: "context-empty", Summary: "A task whose message names no context gets an empty one.",
			Reply: a2a03.OnTask("message/send", "echo", func(x *front.Reply) {
				if !front.Has(x.Request, "params/message/contextId") {
					front.Put(x.Body, "result/contextId", "")
				}
			})},
	),
)

var taskMutants = front.InArea("task",
	front.Mutant{Name: "get-latest-of-context", Summary: "tasks/get returns the latest task of the context.",
		Reply: func(x *front.Reply) {
			switch {
			case x.Method() == "message/send" && front.Has(x.Body, "result"):
				x.Server.Notes.Write("latest of "+front.Text(x.Body, "result/contextId"), front.At(x.Body, "result"))
			case x.Method() == "tasks/get" && front.Has(x.Body, "result"):
				if latest := x.Server.Notes.Read("latest of " + front.Text(x.Body, "result/contextId")); latest != nil {
					front.Put(x.Body, "result", latest)
				}
			}
		}},
	front.Mutant{Name: "get-number-found", Summary: "tasks/get with a number as id finds a task.",
		Reply: func(x *front.Reply) {
			if front.IsNumber(front.At(x.Request, "params/id")) && x.Method() == "tasks/get" {
				x.Succeed(map[string]any{"kind": "task", "id": "5", "contextId": "some-context", "status": map[string]any{"state": "completed"}})
			}
		}},
	a2a03.Looking("status-message-unsound", "The message of a status is not of the kind message.", "echo", a2a03.Setting("status/message/kind", "msg")),
	a2a03.Looking("status-message-of-call", "The message of a status names the JSON-RPC id as its task.", "echo", a2a03.Setting("status/message/taskId", "r")),
	front.Mutant{Name: "never-begun", Summary: "A task in a context is returned as submitted, and never shown otherwise.",
		Reply: func(x *front.Reply) {
			if x.Method() != "message/send" && x.Method() != "tasks/get" || x.Script() != "echo" || !front.Has(x.Body, "result/status") {
				return
			}
			front.Put(x.Body, "result/status", map[string]any{"state": "submitted"})
		}},
)

var streamMutants = front.InArea("stream",
	front.Mutant{Name: "stream-done-marker", Summary: "A stream ends with the text [DONE].",
		Event: a2a03.Words.InStream("echo", func(f *front.Frame) {
			if f.State() == "completed" {
				f.Raw = "data: " + string(front.Encode(f.Sent(f.Body))) + "\n\ndata: [DONE]\n\n"
			}
		})},
	front.Mutant{Name: "first-event-wrapped", Summary: "The first event comes in an envelope, the others do not.",
		Event: a2a03.Words.InStream("echo", func(f *front.Frame) { f.Bare = f.Count > 1 })},
	front.Mutant{Name: "message-event-of-assistant", Summary: "A message event has the role assistant.", Event: a2a03.InUpdate("message", a2a03.Setting("role", "assistant"))},
	front.Mutant{Name: "submitted-again", Summary: "submitted is sent after working.",
		Event: a2a03.Words.InStream("echo", func(f *front.Frame) {
			if f.State() == "working" {
				f.After = []any{f.Status("submitted")}
			}
		})},
	front.Mutant{Name: "stream-unclaimed", Variant: "minimal", Summary: "message/stream is never answered where the card has no streaming.", Waits: true,
		Reply: mutants.Failing("message/stream", a2a03.Unsupported, func(x *front.Reply) {
			x.Blank(http.StatusOK, "text/event-stream")
			x.Hang = true
		})},
)

var extensionMutants = front.InArea("extension",
	front.Mutant{Name: "extension-header-renamed", Variant: "paid", Summary: "The extensions of a message are looked for in the header A2A-Extensions.",
		Call: func(c *front.Call) { c.Http.Header.Del(front.ExtensionsHeader) }},
	front.Mutant{Name: "optional-extension-demanded", Summary: "A message that does not activate the optional extension is refused.",
		Reply: func(x *front.Reply) {
			if x.Method() == "message/send" && !x.Asked(func(uri string) bool { return uri == a2a03.Trace }) {
				x.Decline(unpaid)
				front.Put(x.Body, "error/message", "The extension "+a2a03.Trace+" must be activated.")
			}
		}},
	front.Mutant{Name: "missing-extension-crashes", Variant: "paid", Summary: "A message that activates no extension is an internal error.",
		Reply: func(x *front.Reply) {
			if x.Without() {
				x.Decline(front.CodeInternal)
			}
		}},
	front.Mutant{Name: "extension-header-exact", Variant: "paid", Summary: "The header is only known in the protocol's own spelling.",
		Bytes: func(b []byte) {
			name := []byte("\nx-a2a-extensions:")
			if i := bytes.Index(b, name); i >= 0 {
				copy(b[i:], "\nz")
			}
		}},
)

var paymentMutants = front.In("paid", front.InArea("extension",
	front.Mutant{Name: "payment-as-error", Summary: "A payment is demanded by an error.",
		Reply: func(x *front.Reply) {
			if x.Method() == "message/send" && strings.HasPrefix(front.Text(x.Request, "params/message/parts/0/text"), "pay") {
				x.Decline(unpaid)
				front.Put(x.Body, "error/message", "Payment required")
			}
		}},
	front.Mutant{Name: "payment-in-words", Summary: "What has to be paid is only said in a text.",
		Reply: func(x *front.Reply) {
			if front.Text(x.Body, "result/status/state") == "input-required" {
				front.Drop(x.Body, "result/status/message/metadata")
			}
		}},
	front.Mutant{Name: "payment-ignored", Summary: "A task waits on after it was paid for.",
		Call: front.Misread("message/send", func(body any) { front.Drop(body, "params/message/metadata") })},
)...)
