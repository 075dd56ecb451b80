package a2a10

import (
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
var envelopeMutants = map[string]front.Mutant{
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

// errorMutants are about the form of errors and their codes.
var errorMutants = map[string]front.Mutant{
	"error-reason-swapped": {Reply: onDetails(errorInfo, func(_ *front.Reply, d map[string]any) {
		front.Swap(d, "reason", faults[TaskNotFound].Reason, faults[taskNotCancelable].Reason)
	})},
	"violations-as-text": {Reply: onDetails(badRequest, func(x *front.Reply, d map[string]any) { d["fieldViolations"] = front.Text(x.Body, "error/message") })},
	"bad-request-deadly": {Reply: words.Deadly(func(x *front.Reply) bool { return x.Answers(sendMethod, front.CodeInvalidParams) })},
	"parse-error-deadly": {Reply: words.Deadly(func(x *front.Reply) bool { return x.Answers("", front.CodeParse) && len(x.Sent) > 0 })},
}

// limitMutants are about what a server must bear (section 13.4).
var limitMutants = map[string]front.Mutant{
	"large-message-deadly": {Reply: words.Deadly(func(x *front.Reply) bool { return len(x.Sent) > 1<<19 })},
	"deep-metadata-deadly": {Reply: words.Deadly(func(x *front.Reply) bool { return mutants.Depth(x.Sent) >= 150 })},
	"parallel-calls-mixed": {Engine: slowly,
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
}

// slowly makes work take so long that calls meet.
func slowly(o *engine.Options) { o.Latency += 30 * time.Millisecond }
