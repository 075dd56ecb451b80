package a2a10

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/a2a03"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// replaceVersion makes a server that reads another version than a call names, if the
// condition holds.
func replaceVersion(version string, is func(c *front.Call, said string) bool) func(*front.Call) {
	return func(c *front.Call) {
		if is(c, c.HTTP.Header.Get(versionHeader)) {
			c.HTTP.Header.Set(versionHeader, version)
		}
	}
}

// blindTo makes a server that does not find a header in spellings of its name other
// than the usual two.
func blindTo(name string) func([]byte) {
	usual := []string{name, http.CanonicalHeaderKey(name)}
	return func(b []byte) {
		lower := bytes.ToLower(b)
		line := []byte("\n" + strings.ToLower(name) + ":")
		for from := 0; ; {
			i := bytes.Index(lower[from:], line)
			if i < 0 {
				return
			}
			at := from + i + 1
			if !slices.Contains(usual, string(b[at:at+len(name)])) {
				b[at] = 'x'
			}
			from = at
		}
	}
}

// requestsExtension reports whether a request names an extension for which is holds.
func requestsExtension(r *http.Request, is func(uri string) bool) bool {
	return slices.ContainsFunc(asked(r), is)
}

// isOtherTraceVersion reports whether a URI names another version of the extension.
func isOtherTraceVersion(uri string) bool {
	return uri != front.Trace && strings.HasPrefix(uri, strings.TrimSuffix(front.Trace, "v1"))
}

// callMutants are about calls, errors, versions, extensions and who may make a call.
var callMutants = map[string]front.Mutant{
	"batch-error-uncoded": {Reply: func(x *front.Reply) {
		if answers, ok := x.Body.([]any); ok {
			front.Drop(answers[len(answers)-1], "error/code")
		}
	}},
	"unknown-members-refused": {Reply: front.Declining(sendMethod, front.CodeInvalidParams, func(params any) bool {
		known := []string{"messageId", "contextId", "taskId", "role", "parts", "metadata", "extensions", "referenceTaskIds"}
		for name := range front.Object(params, "message") {
			if !slices.Contains(known, name) {
				return true
			}
		}
		return false
	})},
	"bad-request-deadly": {Reply: words.Deadly(func(x *front.Reply) bool { return x.Answers(sendMethod, front.CodeInvalidParams) })},
	"version-shapes-older": {Reply: onTask(func(x *front.Reply, _ map[string]any) {
		front.Put(x.Body, "result", front.Generic(a2a03.Server{Server: x.Server}.Task(x.Task(), nil)))
	})},
	"version-major-only":    {Call: replaceVersion("1.0", func(_ *front.Call, said string) bool { return strings.HasPrefix(said, "1.") })},
	"version-patch-unknown": {Call: replaceVersion("none", func(_ *front.Call, said string) bool { return strings.HasPrefix(said, "1.0.") })},
	"version-patch-internal": {Reply: func(x *front.Reply) {
		if strings.HasPrefix(x.HTTP.Header.Get(versionHeader), "1.0.") {
			x.Decline(front.CodeInternal)
		}
	}},
	"version-empty-crashes": {Reply: func(x *front.Reply) {
		if x.Document == "" && len(x.HTTP.Header.Values(versionHeader)) > 0 && x.HTTP.Header.Get(versionHeader) == "" {
			x.Blank(http.StatusInternalServerError, "text/plain")
			x.Opens = false
		}
	}},
	"version-older-unserved": {Reply: func(x *front.Reply) {
		if x.Document == "" && versionOf(x.HTTP) == "0.3" {
			x.Decline(versionUnknown)
		}
	}},
	"versions-mixed": {Reply: front.OnResult(getMethod, func(x *front.Reply) {
		front.Put(x.Body, "result/kind", "task")
		front.Put(x.Body, "result/status/state", string(x.Task().Status.State))
	})},
	"older-endpoint-mixed": {Reply: func(x *front.Reply) {
		if x.HTTP.URL.Path == older && x.Method() == "tasks/get" && x.Answers("", versionUnknown) {
			x.Succeed(map[string]any{"kind": "task", "id": x.TaskID(), "contextId": "made-up", "status": map[string]any{"state": "TASK_STATE_COMPLETED"}})
		}
	}},
	"version-name-exact":          {Bytes: blindTo(versionHeader)},
	"version-unreadable-accepted": {Call: replaceVersion("1.0", func(_ *front.Call, said string) bool { return said != "" && !aVersion.MatchString(said) })},
	"version-in-params":           {Call: func(c *front.Call) { c.HTTP.Header.Set(versionHeader, front.Text(c.Body, "params/"+versionHeader)) }},
	"version-of-params": {Call: func(c *front.Call) {
		if said := front.Text(c.Body, "params/"+versionHeader); said != "" {
			c.HTTP.Header.Set(versionHeader, said)
		}
	}},
	"guard-forbids-nothing": {Guard: func(c *front.Caller) {
		if c.Client == "low" && firstText(c.Body) == "forbidden" {
			c.Client = "first"
		}
	}},
	"credentials-echoed": {Reply: func(x *front.Reply) {
		if x.Answers("", TaskNotFound) {
			front.Put(x.Body, "error/message", "Task not found for "+x.HTTP.Header.Get("Authorization"))
		}
	}},
	"extensions-first-only": {Call: func(c *front.Call) {
		if list := asked(c.HTTP); len(list) > 1 {
			c.HTTP.Header.Set(extensionsHeader, list[0])
		}
	}},
	"extension-name-exact": {Bytes: blindTo(extensionsHeader)},
	"unknown-extension-refused": {Reply: func(x *front.Reply) {
		if x.Method() == sendMethod && requestsExtension(x.HTTP, func(uri string) bool { return !strings.HasPrefix(uri, "https://conform.example.com/") }) {
			x.Decline(front.CodeInvalidParams)
		}
	}},
	"extension-version-ignored": {Reply: func(x *front.Reply) {
		if requestsExtension(x.HTTP, isOtherTraceVersion) {
			x.Header.Set(extensionsHeader, front.Trace)
		}
	}},
	"extension-older-taken": {Call: func(c *front.Call) {
		if requestsExtension(c.HTTP, isOtherTraceVersion) {
			c.HTTP.Header.Set(extensionsHeader, front.Trace)
		}
	}},
}
