package mutants

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// RpcMutants are about JSON-RPC itself and belong to every dialect.
var RpcMutants = map[string]front.Mutant{
	"http-method-ignored": {Reply: func(x *front.Reply) {
		if x.Http.Method == http.MethodPut && x.Perform != nil {
			x.Perform()
		}
	}},
	"notification-answered": {Reply: func(x *front.Reply) {
		if x.Call != nil && x.Call.Notification && x.Status == http.StatusNoContent {
			x.Status = http.StatusOK
			x.Body = map[string]any{"jsonrpc": "2.0", "error": map[string]any{"code": front.CodeInvalidRequest, "message": "Invalid Request"}}
		}
	}},
	"batch-error-mute": {Reply: func(x *front.Reply) {
		if answers, ok := x.Body.([]any); ok {
			front.Drop(answers[len(answers)-1], "error/message")
		}
	}},
	"word-gets-error-page": {Reply: func(x *front.Reply) {
		if x.Answers("", front.CodeParse) && strings.Trim(string(x.Sent), "abcdefghijklmnopqrstuvwxyz \n") == "" && len(x.Sent) > 0 {
			x.Blank(http.StatusBadRequest, "text/html")
			x.Raw = []byte("<h1>Bad Request</h1>")
		}
	}},
	"empty-body-ignored": {Reply: func(x *front.Reply) {
		if x.Answers("", front.CodeParse) && len(x.Sent) == 0 {
			x.Blank(http.StatusOK, "application/json")
		}
	}},
	"null-body-crashes": {Reply: func(x *front.Reply) {
		if string(bytes.TrimSpace(x.Sent)) == "null" {
			x.Blank(http.StatusInternalServerError, "text/plain")
		}
	}},
	"unknown-method-404": {Reply: func(x *front.Reply) {
		if x.Answers("", front.CodeMethodNotFound) && strings.HasPrefix(x.Method(), "tasks/") {
			x.Blank(http.StatusNotFound, "text/plain")
		}
	}},
}

// EventMutants are about the form of streamed events and belong to every
// dialect that wraps them in the envelope of JSON-RPC.
var EventMutants = map[string]front.Mutant{
	"events-unseparated": {Event: func(f *front.Frame) {
		f.Raw = "event: " + f.Name + "\ndata: " + string(front.Encode(f.Sent(f.Body))) + "\n"
	}},
	"event-ids-counted": {Event: func(f *front.Frame) { front.Put(f.Body, "id", strconv.Itoa(f.Count)) }},
	"event-id-wrong-at-times": {Event: func(f *front.Frame) {
		if id := front.Text(f.Body, "id"); f.Count == 1 && id != "" && f.Reply.Server.Notes.Count("begun")%2 == 0 {
			front.Replace(f.Body, "id", "another "+id)
		}
	}},
}
