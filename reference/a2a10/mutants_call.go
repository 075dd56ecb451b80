package a2a10

import (
	"net/http"
	"slices"
	"time"

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

// envelopeMutants are about the envelope of JSON-RPC, beyond those of every protocol.
var envelopeMutants = front.InArea("envelope",
	front.Mutant{Name: "error-jsonrpc-left-out", Summary: "Errors have no jsonrpc member.",
		Reply: onAnyError(func(x *front.Reply) { front.Drop(x.Body, "jsonrpc") })},
	front.Mutant{Name: "error-message-left-out", Summary: "The error about an unknown task has no message.",
		Reply: func(x *front.Reply) {
			if x.Answers("", TaskNotFound) {
				front.Drop(x.Body, "error/message")
			}
		}},
	front.Mutant{Name: "error-as-text", Summary: "The error about an unknown task is a string.",
		Reply: func(x *front.Reply) {
			if x.Answers("", TaskNotFound) {
				front.Put(x.Body, "error", "Task not found")
			}
		}},
	front.Mutant{Name: "results-as-a2a-json", Summary: "Results are labelled application/a2a+json.",
		Reply: func(x *front.Reply) {
			if front.Has(x.Body, "result") {
				x.Header.Set("Content-Type", "application/a2a+json")
			}
		}},
	front.Mutant{Name: "method-older-name-only", Summary: "SendMessage is only known as message/send.",
		Call: func(c *front.Call) {
			if method := map[string]string{"message/send": sendMethod, sendMethod: "send message"}[c.Method]; method != "" {
				front.Put(c.Body, "method", method)
			}
		}},
	front.Mutant{Name: "methods-older-names-too", Summary: "The methods are served under their names of 0.3 too.",
		Call: func(c *front.Call) {
			if method := olderNames[c.Method]; method != "" {
				front.Put(c.Body, "method", method)
			}
		}},
	front.Mutant{Name: "older-name-internal", Summary: "A method by its name of 0.3 is an internal error.",
		Reply: func(x *front.Reply) {
			if olderNames[x.Method()] != "" && x.Answers("", front.CodeMethodNotFound) {
				x.Decline(front.CodeInternal)
			}
		}},
	front.Mutant{Name: "empty-batch-as-list", Summary: "An empty batch is answered with an empty list.",
		Reply: func(x *front.Reply) {
			if batch, ok := x.Request.([]any); ok && len(batch) == 0 {
				x.Body = []any{}
			}
		}},
	front.Mutant{Name: "batch-error-uncoded", Summary: "The last error in the answer to a batch has no code.",
		Reply: func(x *front.Reply) {
			if answers, ok := x.Body.([]any); ok {
				front.Drop(answers[len(answers)-1], "error/code")
			}
		}},
	front.Mutant{Name: "unknown-members-refused", Area: "message", Summary: "A message with a member that is not known is refused.",
		Reply: front.Declining(sendMethod, front.CodeInvalidParams, func(params any) bool {
			known := []string{"messageId", "contextId", "taskId", "role", "parts", "metadata", "extensions", "referenceTaskIds"}
			for name := range front.Object(params, "message") {
				if !slices.Contains(known, name) {
					return true
				}
			}
			return false
		})},
	front.Mutant{Name: "state-name-refused", Area: "list", Summary: "The name of a state is refused as a filter.",
		Reply: front.Declining(listMethod, front.CodeInvalidParams, func(params any) bool { return front.Has(params, "status") })},
)

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

// internal makes a mutant that sends an error of the protocol as an internal one.
func internal(name, variant, called string, code int) front.Mutant {
	return front.Mutant{Name: name, Variant: variant, Summary: called + " is sent as an internal error.", Reply: front.Recode("", code, front.CodeInternal)}
}

// errorMutants are about the form of errors and their codes.
var errorMutants = front.InArea("errors",
	internal("unknown-task-internal", "", "TaskNotFoundError", TaskNotFound),
	internal("not-cancelable-internal", "", "TaskNotCancelableError", taskNotCancelable),
	internal("no-push-internal", "silent", "PushNotificationNotSupportedError", pushNotSupported),
	internal("unsupported-internal", "", "UnsupportedOperationError", Unsupported),
	internal("content-type-internal", "", "ContentTypeNotSupportedError", contentType),
	internal("extended-card-unconfigured-internal", "lavish", "ExtendedAgentCardNotConfiguredError", noExtendedCard),
	internal("extension-required-internal", "extended", "ExtensionSupportRequiredError", extensionRequired),
	internal("version-error-internal", "", "VersionNotSupportedError", versionUnknown),
	front.Mutant{Name: "unknown-task-as-http", Summary: "GetTask reports an unknown task with the code 404.",
		Reply: front.Recode(getMethod, TaskNotFound, http.StatusNotFound)},
	front.Mutant{Name: "no-push-other-code", Variant: "silent", Summary: "ListTaskPushNotificationConfigs reports missing support with the code -32000.",
		Reply: front.Recode(listPushMethod, pushNotSupported, -32000)},
	front.Mutant{Name: "error-data-object", Summary: "The data of an error is an object with the id of the task.",
		Reply: func(x *front.Reply) {
			if x.Answers("", TaskNotFound) {
				front.Put(x.Body, "error/data", map[string]any{"taskId": front.At(x.Request, "params/id")})
			}
		}},
	front.Mutant{Name: "error-data-left-out", Summary: "No error of the protocol has data.",
		Reply: onDetails(errorInfo, func(x *front.Reply, _ map[string]any) { front.Drop(x.Body, "error/data") })},
	front.Mutant{Name: "error-domain-own", Summary: "The domain of an ErrorInfo is the host of the server.",
		Reply: onDetails(errorInfo, func(x *front.Reply, d map[string]any) { d["domain"] = "conform.example.com" })},
	front.Mutant{Name: "error-reason-vague", Summary: "The reason of every ErrorInfo is NotFound.",
		Reply: onDetails(errorInfo, func(_ *front.Reply, d map[string]any) { d["reason"] = "NotFound" })},
	front.Mutant{Name: "error-reason-swapped", Summary: "The ErrorInfo about an unknown task says that it is not cancelable.",
		Reply: onDetails(errorInfo, func(_ *front.Reply, d map[string]any) {
			front.Swap(d, "reason", faults[TaskNotFound].Reason, faults[taskNotCancelable].Reason)
		})},
	front.Mutant{Name: "error-metadata-numbers", Summary: "The metadata of an ErrorInfo hold a number.",
		Reply: onDetails(errorInfo, func(_ *front.Reply, d map[string]any) { d["metadata"] = map[string]any{"attempt": 1} })},
	front.Mutant{Name: "error-details-untyped", Summary: "The objects in the data of an error do not say of what type they are.",
		Reply: onDetails(errorInfo, func(_ *front.Reply, d map[string]any) { delete(d, "@type") })},
	front.Mutant{Name: "violations-left-out", Summary: "The error about a wrong member has no data.",
		Reply: onDetails(badRequest, func(x *front.Reply, _ map[string]any) { front.Drop(x.Body, "error/data") })},
	front.Mutant{Name: "violations-unnamed", Summary: "The error about a wrong member does not say which.",
		Reply: onDetails(badRequest, func(x *front.Reply, _ map[string]any) {
			front.Put(x.Body, "error/message", "Bad request")
			front.Drop(x.Body, "error/data")
		})},
	front.Mutant{Name: "violations-as-text", Summary: "What is wrong with the params is told in one text in place of a list.",
		Reply: onDetails(badRequest, func(x *front.Reply, d map[string]any) { d["fieldViolations"] = front.Text(x.Body, "error/message") })},
	front.Mutant{Name: "invalid-params-internal", Summary: "What is wrong with a message is an internal error.",
		Reply: front.Recode(sendMethod, front.CodeInvalidParams, front.CodeInternal)},
	front.Mutant{Name: "bad-request-deadly", Summary: "After a message that is wrong none is served any more.",
		Reply: words.Deadly(func(x *front.Reply) bool { return x.Answers(sendMethod, front.CodeInvalidParams) })},
	front.Mutant{Name: "parse-error-deadly", Summary: "After unparsable JSON no message is served any more.",
		Reply: words.Deadly(func(x *front.Reply) bool { return x.Answers("", front.CodeParse) && len(x.Sent) > 0 })},
)

// limitMutants are about what a server must bear (section 13.4).
var limitMutants = slices.Concat(front.InArea("limits",
	front.Mutant{Name: "large-message-deadly", Summary: "After a message of half a megabyte none is served any more.",
		Reply: words.Deadly(func(x *front.Reply) bool { return len(x.Sent) > 1<<19 })},
	front.Mutant{Name: "deep-metadata-deadly", Summary: "After a message nested 150 levels deep none is served any more.",
		Reply: words.Deadly(func(x *front.Reply) bool { return mutants.Depth(x.Sent) >= 150 })},
	front.Mutant{Name: "malformed-id-traced", Summary: "A task id that is no string reaches the database, whose trace is returned.",
		Reply: func(x *front.Reply) {
			if front.Has(x.Request, "params/id") && x.Answers(getMethod, front.CodeInvalidParams) && !front.IsText(front.At(x.Request, "params/id")) {
				x.Decline(front.CodeInternal)
				front.Put(x.Body, "error/message", "ERROR: operator does not exist: text = integer\n\tat query (db.js:12)")
			}
		}},
	front.Mutant{Name: "parallel-calls-mixed", Summary: "Of many messages at the same time several get the task of another.",
		Engine: slowly,
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
), front.In("limited", front.InArea("ratelimit",
	front.Mutant{Name: "limit-as-page", Summary: "A call beyond the rate limit gets the framework's own error page.", Rate: fewCalls,
		Reply: beyondLimit(func(x *front.Reply) {
			x.Blank(http.StatusTooManyRequests, "text/html")
			x.Raw = []byte("<h1>Too Many Requests</h1>")
		})},
	front.Mutant{Name: "limit-retry-soon", Summary: "Retry-After says soon.", Rate: fewCalls,
		Reply: beyondLimit(func(x *front.Reply) { x.Header.Set("Retry-After", "soon") })},
)...))

// fewCalls is a rate that a client soon comes to.
var fewCalls = front.Rate{Requests: 5, Window: 500 * time.Millisecond}

// slowly makes work take so long that calls meet.
func slowly(o *engine.Options) { o.Latency += 30 * time.Millisecond }

// beyondLimit edits the refusals of calls beyond the rate limit.
func beyondLimit(edit func(*front.Reply)) func(*front.Reply) {
	return func(x *front.Reply) {
		if x.Status == http.StatusTooManyRequests {
			edit(x)
		}
	}
}
