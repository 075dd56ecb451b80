package e2e

import (
	"bytes"
	"net/http"
)

// statuses puts an HTTP status beside each error that has a code.
func statuses(of map[string]int) func(c call, r *reply) {
	return func(_ call, r *reply) {
		for code, status := range of {
			if bytes.Contains(r.body, []byte(`"code":`+code)) {
				r.status = status
			}
		}
	}
}

// instead puts one text in place of another in the answers to one method.
func instead(method, of, text string) func(c call, r *reply) {
	return func(c call, r *reply) {
		if c.method == method {
			r.body = bytes.ReplaceAll(r.body, []byte(of), []byte(text))
		}
	}
}

const invalidRequest = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`

// envelopeNotes are about JSON-RPC, errors and versions.
var envelopeNotes = []note{
	{"N02 the number of an error decides, not the status of HTTP", []reading{
		{is: "the statuses of today", change: statuses(map[string]int{"-32002": 400, "-32005": 400, "-32003": 400, "-32004": 400, "-32009": 400}),
			want: map[string]string{"ERR-008": "pass", "CANCEL-004": "pass", "SEND-004": "pass", "SEND-005": "pass", "VER-002": "pass"}},
		{is: "those of 1.0.0", change: statuses(map[string]int{"-32002": 409, "-32005": 415, "-32003": 501, "-32004": 501, "-32009": 501}),
			want: map[string]string{"ERR-008": "pass", "CANCEL-004": "pass", "SEND-004": "pass", "SEND-005": "pass", "VER-002": "pass"}},
		{is: "another number", mutant: "not-cancelable-internal", want: map[string]string{"ERR-008": "fail"}},
		{is: "another number, without a reason", mutant: "not-cancelable-internal+error-data-left-out", want: map[string]string{"ERR-008": "fail"}},
		{is: "another number, with the status of the right one", mutant: "not-cancelable-internal", change: statuses(map[string]int{"-32603": 409}),
			want: map[string]string{"CANCEL-004": "fail: -32603"}},
	}},
	{"N03 ErrorInfo in the data of an error", []reading{
		{is: "there", want: map[string]string{"ENV-028": "pass", "ENV-029": "pass", "ENV-030": "pass", "ENV-031": "pass"}},
		{is: "left out", mutant: "error-data-left-out", want: map[string]string{"ENV-029": "finding"}},
		{is: "no list", mutant: "error-data-object", want: map[string]string{"ENV-028": "fail", "ENV-029": "finding"}},
		{is: "untyped", mutant: "error-details-untyped", want: map[string]string{"ENV-028": "fail", "ENV-029": "finding"}},
	}},
	{"N11 patch numbers", []reading{
		{is: "taken", want: map[string]string{"VER-006": "pass", "CARD-015": "pass"}},
		{is: "refused", mutant: "version-patch-unknown", want: map[string]string{"VER-006": "finding"}},
		{is: "fatal", mutant: "version-patch-internal", want: map[string]string{"VER-006": "fail"}},
		{is: "on the card", mutant: "card-version-patched", want: map[string]string{"CARD-015": "finding", "CARD-016": "pass", "VER-001": "pass", "VER-002": "pass", "SEND-002": "pass"}},
	}},
	{"N12 a call that names no version", []reading{
		{is: "refused", want: map[string]string{"VER-007": "pass"}},
		{is: "unknown as a method", change: refusing(-32601, "version/none"), want: map[string]string{"VER-007": "pass"}},
		{is: "read as one of 0.3", variant: "two-versions", want: map[string]string{"VER-007": "pass", "ENV-028": "pass"}},
		{is: "served", mutant: "version-missing-is-latest", want: map[string]string{"VER-007": "finding"}},
		{is: "fatal", mutant: "version-missing-crashes", want: map[string]string{"VER-007": "fail"}},
	}},
	{"N13 notifications, batches and params without structure", []reading{
		{is: "as JSON-RPC has it", want: map[string]string{"ENV-020": "pass", "ENV-025": "pass", "ENV-026": "pass", "OWN-002": "pass"}},
		{is: "a batch is refused", change: func(_ call, r *reply) {
			if bytes.HasPrefix(bytes.TrimSpace(r.body), []byte("[")) {
				r.json(http.StatusOK, invalidRequest)
			}
		}, want: map[string]string{"ENV-025": "pass"}},
		{is: "a batch is answered in part", mutant: "batch-first-only", want: map[string]string{"ENV-025": "pass", "OWN-002": "fail"}},
		{is: "a notification is refused", change: func(c call, r *reply) {
			if c.method == "GetTask" && c.id == nil {
				r.json(http.StatusOK, invalidRequest)
			}
		}, want: map[string]string{"ENV-026": "finding"}},
		{is: "a notification is answered", change: func(c call, r *reply) {
			if c.method == "GetTask" && c.id == nil {
				r.json(http.StatusOK, `{"jsonrpc":"2.0","id":null,"result":{}}`)
			}
		}, want: map[string]string{"ENV-026": "fail"}},
		{is: "params are refused as such", change: instead("GetTask", `-32600`, `-32602`), want: map[string]string{"ENV-020": "pass"}},
		{is: "params are served", mutant: "scalar-params-ignored", want: map[string]string{"ENV-020": "fail"}},
	}},
	{"N33 methods by their older names", []reading{
		{is: "unknown", want: map[string]string{"ENV-023": "pass"}},
		{is: "served", mutant: "methods-older-names-too", want: map[string]string{"ENV-023": "finding"}},
		{is: "fatal", mutant: "older-name-internal", want: map[string]string{"ENV-023": "fail"}},
	}},
	{"N36 messages that lack what they must have", []reading{
		{is: "refused", want: map[string]string{"SEND-010": "pass", "SEND-011": "pass", "SEND-012": "pass", "ERR-005": "pass"}},
		{is: "an id is made up", mutant: "message-id-invented", want: map[string]string{"SEND-010": "finding: the server accepts the call"}},
		{is: "a role is made up", mutant: "role-defaults-to-user", want: map[string]string{"SEND-011": "finding: the server accepts the call"}},
		{is: "parts are made up", mutant: "parts-optional", want: map[string]string{"SEND-012": "finding: the server accepts the call", "ERR-005": "pass"}},
		{is: "an internal error over the id", mutant: "missing-message-id-internal", want: map[string]string{"SEND-010": "fail"}},
		{is: "an internal error over the role", mutant: "missing-role-internal", want: map[string]string{"SEND-011": "fail"}},
		{is: "an internal error over the parts", mutant: "missing-parts-internal", want: map[string]string{"SEND-012": "fail"}},
		{is: "an internal error over any params", mutant: "invalid-params-internal", want: map[string]string{"ERR-005": "fail"}},
	}},
	{"N43 calls without an id", []reading{
		{is: "invalid", want: map[string]string{"GET-007": "pass", "CANCEL-008": "pass", "SUB-010": "pass"}},
		{is: "not found", change: refusing(-32001, "envelope/get-no-id", "cancel-params/no-id", "resubscribe-params/no-id"),
			want: map[string]string{"GET-007": "pass", "CANCEL-008": "pass", "SUB-010": "pass"}},
		{is: "an internal error", change: refusing(-32603, "envelope/get-no-id", "cancel-params/no-id", "resubscribe-params/no-id"),
			want: map[string]string{"GET-007": "fail", "CANCEL-008": "fail", "SUB-010": "fail"}},
		{is: "some task is shown", mutant: "get-without-id-served", want: map[string]string{"GET-007": "fail"}},
		{is: "some task is canceled", mutant: "cancel-without-id-pretended", want: map[string]string{"CANCEL-008": "fail"}},
		{is: "a stream opens", mutant: "resubscribe-without-id-opens", want: map[string]string{"SUB-010": "fail"}},
	}},
}
