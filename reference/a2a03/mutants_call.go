package a2a03

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// replaceNonASCII replaces what is beyond ASCII by question marks.
func replaceNonASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r > 126 {
			return '?'
		}
		return r
	}, s)
}

// What is wrong in one binding may be right in the others: these are defects of the one
// that is given.

// ownTasks makes a mutant that does not know the tasks of other bindings.
func ownTasks(binding string) front.Mutant {
	key := func(task string) string { return "task over " + binding + " " + task }
	return front.Mutant{
		Call: func(c *front.Call) {
			for _, path := range []string{"params/id", "params/taskId", "params/message/taskId"} {
				if task := front.Text(c.Body, path); task != "" && c.Binding == binding && c.Notes.Read(key(task)) == nil {
					front.Put(c.Body, path, "another than "+task)
				}
			}
		},
		Reply: front.Answering(sendMethod, func(x *front.Reply) {
			if x.Binding() == binding {
				x.Server.Notes.Write(key(front.Text(x.Body, "result/id")), true)
			}
		}),
		Event: func(f *front.StreamEvent) {
			if f.Reply.Binding() == binding && f.Method() == streamMethod {
				f.Reply.Server.Notes.Write(key(f.Task()), true)
			}
		}}
}

// onErrorOver confines an edit to the replies in one binding that are errors of a method.
func onErrorOver(binding, method string, code int, edit func(*front.Reply)) func(*front.Reply) {
	return func(x *front.Reply) {
		if x.Binding() == binding && x.Answers(method, code) {
			edit(x)
		}
	}
}

// succeedWithTaskInState is a reply with the task of the call in another state.
func succeedWithTaskInState(state string) func(*front.Reply) {
	return func(x *front.Reply) {
		t := front.Generic(Server{x.Server}.Task(x.Task(), nil))
		front.Put(t, "status", map[string]any{"state": state})
		x.Succeed(t)
	}
}

// Looking makes a mutant that edits the tasks tasks/get returns for one script.
func Looking(script string, edit func(task any)) front.Mutant {
	return front.Mutant{Reply: OnTask("tasks/get", script, func(x *front.Reply) { edit(front.At(x.Body, "result")) })}
}

// The parts of the second artifact of an echo: a file by value, one by
// reference, and data.
const (
	inlineFile = "artifacts/1/parts/0"
	linkedFile = "artifacts/1/parts/1"
	someData   = "artifacts/1/parts/2"
)

// callMutants are about calls, errors, bindings and who may make a call.
var callMutants = map[string]front.Mutant{
	"guard-reads-query": {Guard: func(c *front.Caller) {
		if c.HTTP.Header.Get("Authorization") == "" {
			c.Client = front.Tokens[c.HTTP.URL.Query().Get("key")]
		}
	}},
	"id-garbled": {Reply: func(x *front.Reply) {
		if id := front.Text(x.Request, "id"); id != replaceNonASCII(id) {
			front.Put(x.Body, "id", replaceNonASCII(id))
		}
	}},
	"id-number-to-text": {Reply: func(x *front.Reply) {
		if id := front.At(x.Request, "id"); front.IsNumber(id) && string(front.Encode(id))[0] >= '1' {
			front.Put(x.Body, "id", string(front.Encode(id)))
		}
	}},
	"parse-error-page": {Reply: func(x *front.Reply) {
		if x.Answers("", front.CodeParse) && bytes.HasPrefix(x.Sent, []byte("{")) {
			x.Blank(http.StatusBadRequest, "text/html")
			x.Raw = []byte("<h1>Bad Request</h1>")
		}
	}},
	"extra-member-crashes": {Reply: func(x *front.Reply) {
		for name := range front.Object(x.Request, "") {
			if name != "jsonrpc" && name != "id" && name != "method" && name != "params" {
				x.Blank(http.StatusInternalServerError, "text/plain")
			}
		}
	}},
	"endpoint-missing": {Reply: func(x *front.Reply) {
		if x.Document == "" {
			x.Blank(http.StatusNotFound, "text/plain")
			x.Opens = false
		}
	},
		Procedure: mutants.Recalled(func(string) string { return mutants.Nowhere })},
	"text-beyond-ascii-lost": {Reply: func(x *front.Reply) {
		if raw := string(front.Encode(x.Form(x.Body))); x.Document == "" && x.Body != nil && (x.Binding() != front.JSONRPC || front.At(x.Body, "id") == replaceNonASCII(front.Text(x.Body, "id"))) {
			x.Raw = []byte(replaceNonASCII(raw))
		}
	}},
	"second-interface-own-tasks": {Reply: func(x *front.Reply) {
		key := "home of " + x.TaskID()
		switch path := x.HTTP.URL.Path; {
		case x.Method() == "message/send" && front.Has(x.Body, "result"):
			x.Server.Notes.Write(key, path)
		case x.Method() == "tasks/get" && front.Has(x.Body, "result") && x.Server.Notes.Read(key) != path:
			x.Decline(TaskNotFound)
		}
	}},
	"unknown-extension-refused": {Reply: func(x *front.Reply) {
		if x.Method() == "message/send" && x.Asked(func(uri string) bool { return uri != "" && !strings.HasPrefix(uri, "https://conform.example.com/") }) {
			x.Decline(front.CodeInvalidParams)
		}
	}},
	"extension-version-ignored": {Reply: func(x *front.Reply) {
		if x.Asked(func(uri string) bool {
			return uri != front.Trace && strings.HasPrefix(uri, strings.TrimSuffix(front.Trace, "v1"))
		}) {
			x.Header.Set(front.ExtensionsHeader, front.Trace)
		}
	}},
	"extensions-one-only": {Reply: func(x *front.Reply) {
		if strings.Contains(x.HTTP.Header.Get(front.ExtensionsHeader), ",") {
			x.Header.Del(front.ExtensionsHeader)
		}
	}},
	"part-file-flat": Looking("echo", func(t any) {
		for name, value := range front.Object(t, inlineFile+"/file") {
			front.Put(t, inlineFile+"/"+name, value)
		}
		front.Drop(t, inlineFile+"/file")
	}),
	"part-data-encoded": Looking("echo", func(t any) {
		front.Put(t, someData+"/data", string(front.Encode(front.At(t, someData+"/data"))))
	}),
}
