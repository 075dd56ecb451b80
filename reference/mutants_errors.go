package reference

import (
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// errorMutants are about what is refused, and how.
func errorMutants(w wording) []mutant {
	return inArea("errors",
		mutant{name: "scalar-params-dropped", summary: "Params that are a scalar are dropped and the method runs.",
			call: misread("", func(body any) {
				if p := at(body, "params"); isText(p) || isNumber(p) {
					put(body, "params", map[string]any{"id": "dropped"})
				}
			})},
		mutant{name: "scalar-params-ignored", summary: "A call whose params are a scalar gives an empty result.",
			reply: func(x *reply) {
				if p := at(x.request, "params"); isText(p) || isNumber(p) {
					x.succeed(map[string]any{})
				}
			}},
		mutant{name: "unknown-task-created", summary: "tasks/get makes a task of an unknown id.",
			reply: func(x *reply) {
				if x.answers("tasks/get", w.notFound) {
					w.pretend(x, "submitted")
				}
			}},
		mutant{name: "unknown-task-misnamed", summary: "tasks/get reports an unknown task as invalid params.",
			reply: recode("tasks/get", w.notFound, codeInvalidParams)},
		mutant{name: "unknown-task-canceled", summary: "tasks/cancel makes a canceled task of an unknown id.",
			reply: func(x *reply) {
				if x.answers("tasks/cancel", w.notFound) && !has(x.request, "params/metadata") {
					w.pretend(x, "canceled")
				}
			}},
		mutant{name: "finished-task-canceled", summary: "tasks/cancel overwrites completed with canceled.",
			engine: func(o *engine.Options) { o.Defects.CancelFinished = true }},
		mutant{name: "any-file-type-accepted", summary: "A file of a type that is not listed is passed to the agent.",
			call: misread(w.send, func(body any) {
				walk(at(body, "params/message/parts"), func(m map[string]any) {
					if kind, _ := m["mimeType"].(string); strings.HasPrefix(kind, "application/x-") {
						delete(m, "mimeType")
					}
				})
			})},
		mutant{name: "code-outside-range", summary: "A resubscription to a finished task is refused with the code 410.",
			reply: recode("tasks/resubscribe", w.finished, 410)},
		mutant{name: "empty-body-deadly", summary: "After an empty body no message is served any more.",
			reply: func(x *reply) {
				switch {
				case x.document == "" && x.http.Method == http.MethodPost && len(x.sent) == 0:
					x.server.notes.write("dead", true)
				case x.method() == w.send && x.server.notes.read("dead") != nil:
					x.blank(http.StatusServiceUnavailable, "text/plain")
				}
			}},

		mutant{name: "no-streaming-internal", variant: "silent", summary: "The refusal of " + w.stream + " is an internal error.",
			reply: recode(w.stream, w.noStreaming, codeInternal)},
		mutant{name: "no-resubscribing-misnamed", variant: "silent", summary: "The refusal of tasks/resubscribe says that the task is unknown.",
			reply: recode("tasks/resubscribe", w.noStreaming, w.notFound)},
	)
}

// a2a01ErrorMutants are those that only A2A 0.1.0 has a place for.
var a2a01ErrorMutants = inArea("errors",
	mutant{name: "later-method-dispatched", summary: "message/send is taken for tasks/send.",
		call: misread("message/send", func(body any) { put(body, "method", "tasks/send") })},
	mutant{name: "method-case-ignored", summary: "Method names are compared without regard to case.",
		call: func(c *call) {
			if c.method != strings.ToLower(c.method) && c.method == "Tasks/Send" {
				put(c.body, "method", "tasks/send")
			}
		}},
	mutant{name: "positional-params", summary: "The first element of an array of params is taken as id.",
		call: misread("tasks/get", func(body any) {
			if at(body, "params/0") != nil {
				put(body, "params", map[string]any{"id": at(body, "params/0")})
			}
		})},
	mutant{name: "negative-history-internal", summary: "A negative historyLength is reported as an internal error.",
		reply: func(x *reply) {
			if n := at(x.request, "params/historyLength"); isNumber(n) && string(encode(n))[0] == '-' {
				x.decline(codeInternal)
			}
		}},
	mutant{name: "missing-params-internal", summary: "Missing params of tasks/send are reported as an internal error.",
		reply: func(x *reply) {
			if x.method() == "tasks/send" && !has(x.request, "params") {
				x.decline(codeInternal)
			}
		}},
	mutant{name: "file-type-internal", summary: "A file of an unsupported type is an internal error.",
		reply: recode("tasks/send", a2a01ContentType, codeInternal)},
	mutant{name: "unknown-cancel-misnamed", summary: "tasks/cancel reports an unknown task as not cancelable.",
		reply: recode("tasks/cancel", a2a01TaskNotFound, a2a01TaskNotCancelable)},
	mutant{name: "finished-cancel-misnamed", summary: "tasks/cancel of a finished task is reported as an invalid state.",
		reply: recode("tasks/cancel", a2a01TaskNotCancelable, a2a01InvalidTaskState)},
	mutant{name: "finished-send-misnamed", summary: "A message to a finished task is reported as an invalid request.",
		reply: recode("tasks/send", a2a01InvalidTaskState, codeInvalidRequest)},
	mutant{name: "push-set-pretended", variant: "silent", summary: "Without push notifications a configuration is accepted all the same.",
		reply: func(x *reply) {
			if x.answers("tasks/pushNotification/set", a2a01PushNotSupported) {
				x.succeed(at(x.request, "params"))
			}
		}},
	mutant{name: "push-set-misnamed", variant: "silent", summary: "The refusal of tasks/pushNotification/set has a code of its own.",
		reply: recode("tasks/pushNotification/set", a2a01PushNotSupported, codeInternal)},
	mutant{name: "push-get-pretended", variant: "silent", summary: "Without push notifications an empty configuration is returned.",
		reply: func(x *reply) {
			if x.answers("tasks/pushNotification/get", a2a01PushNotSupported) {
				x.succeed(map[string]any{"id": text(x.request, "params/id"), "pushNotificationConfig": nil})
			}
		}},
	mutant{name: "push-get-misnamed", variant: "silent", summary: "The refusal of tasks/pushNotification/get says that the task is unknown.",
		reply: recode("tasks/pushNotification/get", a2a01PushNotSupported, a2a01TaskNotFound)},
	mutant{name: "push-in-send-internal", variant: "silent", summary: "tasks/send with a push configuration is an internal error without push notifications.",
		reply: recode("tasks/send", a2a01PushNotSupported, codeInternal)},
)
