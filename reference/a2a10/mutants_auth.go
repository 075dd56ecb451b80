package a2a10

import (
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// shared lets every client use one method with the tasks of all.
func shared(methods ...string) func(*front.Caller) {
	return func(c *front.Caller) {
		if slices.Contains(methods, c.Method) {
			c.Owner = ""
		}
	}
}

// foreign edits the refusals of a task that is another client's.
func foreign(edit func(*front.Reply)) func(*front.Reply) {
	return func(x *front.Reply) {
		if x.Answers("", TaskNotFound) && x.Task().ID != "" && !slices.Contains(pushMethods, x.Method()) {
			edit(x)
		}
	}
}

// guardMutants are about who may do what (sections 7.4 and 13.1).
var guardMutants = map[string]front.Mutant{
	"guard-forbids-nothing": {Guard: func(c *front.Caller) {
		if c.Client == "low" && said(c.Body) == "forbidden" {
			c.Client = "first"
		}
	}},
	"guard-shares-push": {Guard: shared(pushMethods...)},
	"foreign-forbidden": {Reply: foreign(func(x *front.Reply) {
		x.Decline(Codes.Forbidden)
		x.Status = http.StatusForbidden
	})},
	"foreign-cancel-told": {Reply: foreign(func(x *front.Reply) {
		if x.Method() == cancelMethod {
			x.Decline(taskNotCancelable)
		}
	})},
	"foreign-explained": {Reply: foreign(func(x *front.Reply) { front.Put(x.Body, "error/message", "Task belongs to another user") })},
	"credentials-echoed": {Reply: func(x *front.Reply) {
		if x.Answers("", TaskNotFound) {
			front.Put(x.Body, "error/message", "Task not found for "+x.Http.Header.Get("Authorization"))
		}
	}},
}

// asks reports whether a request names an extension for which is holds.
func asks(r *http.Request, is func(uri string) bool) bool { return slices.ContainsFunc(asked(r), is) }

// another reports whether a URI names another version of the extension.
func another(uri string) bool {
	return uri != Trace && strings.HasPrefix(uri, strings.TrimSuffix(Trace, "v1"))
}

// optedIn makes a server that takes the required extension for active.
func optedIn(is func(*front.Call) bool) func(*front.Call) {
	return func(c *front.Call) {
		if is(c) {
			c.Http.Header.Add(extensionsHeader, Trace)
		}
	}
}

// extensionMutants are about extensions (section 4.6).
var extensionMutants = map[string]front.Mutant{
	"extension-not-enforced":            {Call: optedIn(func(c *front.Call) bool { return c.Method == sendMethod })},
	"extension-not-enforced-on-streams": {Call: optedIn(func(c *front.Call) bool { return c.Method == streamMethod })},
	"extensions-first-only": {Call: func(c *front.Call) {
		if list := asked(c.Http); len(list) > 1 {
			c.Http.Header.Set(extensionsHeader, list[0])
		}
	}},
	"extension-name-exact": {Bytes: blindTo(extensionsHeader)},
	"unknown-extension-refused": {Reply: func(x *front.Reply) {
		if x.Method() == sendMethod && asks(x.Http, func(uri string) bool { return !strings.HasPrefix(uri, "https://conform.example.com/") }) {
			x.Decline(front.CodeInvalidParams)
		}
	}},
	"extension-version-ignored": {Reply: func(x *front.Reply) {
		if asks(x.Http, another) {
			x.Header.Set(extensionsHeader, Trace)
		}
	}},
	"extension-older-taken": {Call: optedIn(func(c *front.Call) bool { return asks(c.Http, another) })},
}
