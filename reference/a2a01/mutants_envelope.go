package a2a01

import (
	"encoding/json"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

var EnvelopeMutants = front.InArea("envelope",
	front.Mutant{Name: "id-text-to-number", Summary: "The id \"1\" comes back as the number 1.",
		Reply: mutants.IdOf("1", 1)},
	front.Mutant{Name: "id-number-to-text", Summary: "A negative id comes back as a string.",
		Reply: mutants.IdOf(front.Num(-7), "-7")},
	front.Mutant{Name: "id-fraction-cut", Summary: "The id 1.5 comes back as 1.",
		Reply: mutants.IdOf(json.Number("1.5"), 1)},
	front.Mutant{Name: "id-null-to-text", Summary: "The id null comes back as the string null.",
		Reply: front.Answering("tasks/get", mutants.IdOf(nil, "null"))},
	front.Mutant{Name: "error-id-scraped", Summary: "An id is scraped from unparsable JSON.",
		Reply: func(x *front.Reply) {
			if x.Answers("", front.CodeParse) {
				front.Put(x.Body, "id", "p1")
			}
		}},
	front.Mutant{Name: "invalid-request-id-zero", Summary: "The error about a call without method has the id 0.",
		Reply: func(x *front.Reply) {
			if x.Answers("", front.CodeInvalidRequest) && front.Object(x.Request, "") != nil && !front.Has(x.Request, "method") {
				front.Put(x.Body, "id", 0)
			}
		}},
	front.Mutant{Name: "any-id-accepted", Summary: "A call with an id of a forbidden type is carried out.",
		Call: mutants.AnyIDAccepted},
	front.Mutant{Name: "set-without-result", Summary: "The reply to tasks/pushNotification/set has no result.",
		Reply: front.Answering("tasks/pushNotification/set", func(x *front.Reply) { front.Drop(x.Body, "result") })},
	front.Mutant{Name: "error-data-nan", Summary: "The data of the error about an unknown method is NaN.",
		Reply: func(x *front.Reply) {
			if x.Answers("", front.CodeMethodNotFound) {
				x.Raw = []byte(`{"jsonrpc":"2.0","id":` + string(front.Encode(front.At(x.Body, "id"))) + `,"error":{"code":-32601,"message":"Method not found","data":NaN}}`)
			}
		}},
)

// errorMutants are those that only A2A 0.1.0 has a place for.
var errorMutants = front.InArea("errors",
	front.Mutant{Name: "later-method-dispatched", Summary: "message/send is taken for tasks/send.",
		Call: front.Misread("message/send", func(body any) { front.Put(body, "method", "tasks/send") })},
	front.Mutant{Name: "method-case-ignored", Summary: "Method names are compared without regard to case.",
		Call: func(c *front.Call) {
			if c.Method != strings.ToLower(c.Method) && c.Method == "Tasks/Send" {
				front.Put(c.Body, "method", "tasks/send")
			}
		}},
	front.Mutant{Name: "positional-params", Summary: "The first element of an array of params is taken as id.",
		Call: front.Misread("tasks/get", func(body any) {
			if front.At(body, "params/0") != nil {
				front.Put(body, "params", map[string]any{"id": front.At(body, "params/0")})
			}
		})},
	front.Mutant{Name: "negative-history-internal", Summary: "A negative historyLength is reported as an internal error.",
		Reply: func(x *front.Reply) {
			if n := front.At(x.Request, "params/historyLength"); front.IsNumber(n) && string(front.Encode(n))[0] == '-' {
				x.Decline(front.CodeInternal)
			}
		}},
	front.Mutant{Name: "missing-params-internal", Summary: "Missing params of tasks/send are reported as an internal error.",
		Reply: func(x *front.Reply) {
			if x.Method() == "tasks/send" && !front.Has(x.Request, "params") {
				x.Decline(front.CodeInternal)
			}
		}},
	front.Mutant{Name: "file-type-internal", Summary: "A file of an unsupported type is an internal error.",
		Reply: front.Recode("tasks/send", ContentType, front.CodeInternal)},
	front.Mutant{Name: "unknown-cancel-misnamed", Summary: "tasks/cancel reports an unknown task as not cancelable.",
		Reply: front.Recode("tasks/cancel", taskNotFound, taskNotCancelable)},
	front.Mutant{Name: "finished-cancel-misnamed", Summary: "tasks/cancel of a finished task is reported as an invalid state.",
		Reply: front.Recode("tasks/cancel", taskNotCancelable, invalidTaskState)},
	front.Mutant{Name: "finished-send-misnamed", Summary: "A message to a finished task is reported as an invalid request.",
		Reply: front.Recode("tasks/send", invalidTaskState, front.CodeInvalidRequest)},
	front.Mutant{Name: "push-set-pretended", Variant: "silent", Summary: "Without push notifications a configuration is accepted all the same.",
		Reply: func(x *front.Reply) {
			if x.Answers("tasks/pushNotification/set", pushNotSupported) {
				x.Succeed(front.At(x.Request, "params"))
			}
		}},
	front.Mutant{Name: "push-set-misnamed", Variant: "silent", Summary: "The refusal of tasks/pushNotification/set has a code of its own.",
		Reply: front.Recode("tasks/pushNotification/set", pushNotSupported, front.CodeInternal)},
	front.Mutant{Name: "push-get-pretended", Variant: "silent", Summary: "Without push notifications an empty configuration is returned.",
		Reply: func(x *front.Reply) {
			if x.Answers("tasks/pushNotification/get", pushNotSupported) {
				x.Succeed(map[string]any{"id": front.Text(x.Request, "params/id"), "pushNotificationConfig": nil})
			}
		}},
	front.Mutant{Name: "push-get-misnamed", Variant: "silent", Summary: "The refusal of tasks/pushNotification/get says that the task is unknown.",
		Reply: front.Recode("tasks/pushNotification/get", pushNotSupported, taskNotFound)},
	front.Mutant{Name: "push-in-send-internal", Variant: "silent", Summary: "tasks/send with a push configuration is an internal error without push notifications.",
		Reply: front.Recode("tasks/send", pushNotSupported, front.CodeInternal)},
)
