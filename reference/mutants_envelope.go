package reference

import (
	"encoding/json"
)

// anyIDAccepted takes an id of a forbidden type for null.
var anyIDAccepted = misread("", func(body any) {
	if forbidden(at(body, "id")) {
		put(body, "id", nil)
	}
})

var a2a01EnvelopeMutants = inArea("envelope",
	mutant{name: "id-text-to-number", summary: "The id \"1\" comes back as the number 1.",
		reply: idOf("1", 1)},
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
	mutant{name: "invalid-request-id-zero", summary: "The error about a call without method has the id 0.",
		reply: func(x *reply) {
			if x.answers("", codeInvalidRequest) && object(x.request, "") != nil && !has(x.request, "method") {
				put(x.body, "id", 0)
			}
		}},
	mutant{name: "any-id-accepted", summary: "A call with an id of a forbidden type is carried out.",
		call: anyIDAccepted},
	mutant{name: "set-without-result", summary: "The reply to tasks/pushNotification/set has no result.",
		reply: answering("tasks/pushNotification/set", func(x *reply) { drop(x.body, "result") })},
	mutant{name: "error-data-nan", summary: "The data of the error about an unknown method is NaN.",
		reply: func(x *reply) {
			if x.answers("", codeMethodNotFound) {
				x.raw = []byte(`{"jsonrpc":"2.0","id":` + string(encode(at(x.body, "id"))) + `,"error":{"code":-32601,"message":"Method not found","data":NaN}}`)
			}
		}},
)
