package a2a10

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/reference/a2a03"
	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
	"github.com/a2a-conform/a2a-conform/reference/mutants"
)

// olderNames are the methods of 0.3 with their names of today.
var olderNames = map[string]string{"message/send": sendMethod, "message/stream": streamMethod, "tasks/get": getMethod, "tasks/cancel": cancelMethod,
	"tasks/resubscribe": subscribeMethod}

// onAnyError edits every error.
func onAnyError(edit func(*front.Reply)) func(*front.Reply) {
	return func(x *front.Reply) {
		if front.Object(x.Body, "error") != nil {
			edit(x)
		}
	}
}

// onDetails edits the objects in the data of errors of one type.
func onDetails(kind string, edit func(x *front.Reply, detail map[string]any)) func(*front.Reply) {
	return onAnyError(func(x *front.Reply) {
		data, _ := front.At(x.Body, "error/data").([]any)
		for _, d := range data {
			if m, ok := d.(map[string]any); ok && m["@type"] == kind {
				edit(x, m)
			}
		}
	})
}

// addLatency makes work take so long that calls meet.
func addLatency(o *engine.Options) { o.Latency += 30 * time.Millisecond }

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

// shareTasksIn lets every client use one method with the tasks of all.
func shareTasksIn(methods ...string) func(*front.Caller) {
	return func(c *front.Caller) {
		if slices.Contains(methods, c.Method) {
			c.Owner = ""
		}
	}
}

// onForeignTask edits the refusals of a task that is another client's.
func onForeignTask(edit func(*front.Reply)) func(*front.Reply) {
	return func(x *front.Reply) {
		if x.Answers("", TaskNotFound) && x.Task().ID != "" && !slices.Contains(pushMethods, x.Method()) {
			edit(x)
		}
	}
}

// requestsExtension reports whether a request names an extension for which is holds.
func requestsExtension(r *http.Request, is func(uri string) bool) bool {
	return slices.ContainsFunc(asked(r), is)
}

// isOtherTraceVersion reports whether a URI names another version of the extension.
func isOtherTraceVersion(uri string) bool {
	return uri != Trace && strings.HasPrefix(uri, strings.TrimSuffix(Trace, "v1"))
}

// optedIn makes a server that takes the required extension for active.
func optedIn(is func(*front.Call) bool) func(*front.Call) {
	return func(c *front.Call) {
		if is(c) {
			c.HTTP.Header.Add(extensionsHeader, Trace)
		}
	}
}

// callMutants are about calls, errors, versions, extensions and who may make a call.
var callMutants = map[string]front.Mutant{
	"method-older-name-only": {Call: func(c *front.Call) {
		if method := map[string]string{"message/send": sendMethod, sendMethod: "send message"}[c.Method]; method != "" {
			front.Put(c.Body, "method", method)
		}
	}},
	"methods-older-names-too": {Call: func(c *front.Call) {
		if method := olderNames[c.Method]; method != "" {
			front.Put(c.Body, "method", method)
		}
	}},
	"older-name-internal": {Reply: func(x *front.Reply) {
		if olderNames[x.Method()] != "" && x.Answers("", front.CodeMethodNotFound) {
			x.Decline(front.CodeInternal)
		}
	}},
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
	"error-data-left-out": {Reply: onDetails(errorInfo, func(x *front.Reply, _ map[string]any) { front.Drop(x.Body, "error/data") })},
	"violations-left-out": {Reply: onDetails(badRequest, func(x *front.Reply, _ map[string]any) { front.Drop(x.Body, "error/data") })},
	"violations-unnamed": {Reply: onDetails(badRequest, func(x *front.Reply, _ map[string]any) {
		front.Put(x.Body, "error/message", "Bad request")
		front.Drop(x.Body, "error/data")
	})},
	"error-reason-swapped": {Reply: onDetails(errorInfo, func(_ *front.Reply, d map[string]any) {
		front.Swap(d, "reason", faults[TaskNotFound].Reason, faults[taskNotCancelable].Reason)
	})},
	"violations-as-text":   {Reply: onDetails(badRequest, func(x *front.Reply, d map[string]any) { d["fieldViolations"] = front.Text(x.Body, "error/message") })},
	"bad-request-deadly":   {Reply: words.Deadly(func(x *front.Reply) bool { return x.Answers(sendMethod, front.CodeInvalidParams) })},
	"parse-error-deadly":   {Reply: words.Deadly(func(x *front.Reply) bool { return x.Answers("", front.CodeParse) && len(x.Sent) > 0 })},
	"large-message-deadly": {Reply: words.Deadly(func(x *front.Reply) bool { return len(x.Sent) > 1<<19 })},
	"deep-metadata-deadly": {Reply: words.Deadly(func(x *front.Reply) bool { return mutants.Depth(x.Sent) >= 150 })},
	"parallel-calls-mixed": {Engine: addLatency,
		Call: func(c *front.Call) {
			if c.Method == sendMethod {
				c.Notes.Add("under way", 1)
			}
		},
		Reply: front.Answering(sendMethod, func(x *front.Reply) {
			notes := &x.Server.Notes
			switch others := notes.Add("under way", -1); {
			case !front.Has(x.Body, "result"):
			case others >= 1:
				front.Put(x.Body, "result", notes.First("result of many", front.At(x.Body, "result")))
			case notes.Read("result of many") != nil: // the last of them
				front.Put(x.Body, "result", notes.Write("result of many", nil))
			}
		})},
	"version-shapes-older": {Reply: onTask(func(x *front.Reply, _ map[string]any) {
		front.Put(x.Body, "result", front.Generic(a2a03.Server{Server: x.Server}.Task(x.Task(), nil)))
	})},
	"version-checked-on-messages-only": {Call: replaceVersion("1.0", func(c *front.Call, _ string) bool { return c.Method != sendMethod && c.Method != streamMethod })},
	"version-major-only":               {Call: replaceVersion("1.0", func(_ *front.Call, said string) bool { return strings.HasPrefix(said, "1.") })},
	"version-patch-unknown":            {Call: replaceVersion("none", func(_ *front.Call, said string) bool { return strings.HasPrefix(said, "1.0.") })},
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
	"versions-mixed": {Reply: onResult(getMethod, func(x *front.Reply) {
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
	"guard-shares-push": {Guard: shareTasksIn(pushMethods...)},
	"foreign-forbidden": {Reply: onForeignTask(func(x *front.Reply) {
		x.Decline(Codes.Forbidden)
		x.Status = http.StatusForbidden
	})},
	"foreign-cancel-told": {Reply: onForeignTask(func(x *front.Reply) {
		if x.Method() == cancelMethod {
			x.Decline(taskNotCancelable)
		}
	})},
	"foreign-explained": {Reply: onForeignTask(func(x *front.Reply) { front.Put(x.Body, "error/message", "Task belongs to another user") })},
	"credentials-echoed": {Reply: func(x *front.Reply) {
		if x.Answers("", TaskNotFound) {
			front.Put(x.Body, "error/message", "Task not found for "+x.HTTP.Header.Get("Authorization"))
		}
	}},
	"extension-not-enforced":            {Call: optedIn(func(c *front.Call) bool { return c.Method == sendMethod })},
	"extension-not-enforced-on-streams": {Call: optedIn(func(c *front.Call) bool { return c.Method == streamMethod })},
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
			x.Header.Set(extensionsHeader, Trace)
		}
	}},
	"extension-older-taken": {Call: optedIn(func(c *front.Call) bool { return requestsExtension(c.HTTP, isOtherTraceVersion) })},
}
