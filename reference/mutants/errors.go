package mutants

import (
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// ErrorMutants are about what is refused, and how.
func ErrorMutants(w Wording) []front.Mutant {
	return front.InArea("errors",
		front.Mutant{Name: "scalar-params-dropped", Summary: "Params that are a scalar are dropped and the method runs.",
			Call: front.Misread("", func(body any) {
				if p := front.At(body, "params"); front.IsText(p) || front.IsNumber(p) {
					front.Put(body, "params", map[string]any{"id": "dropped"})
				}
			})},
		front.Mutant{Name: "scalar-params-ignored", Summary: "A call whose params are a scalar gives an empty result.",
			Reply: func(x *front.Reply) {
				if p := front.At(x.Request, "params"); front.IsText(p) || front.IsNumber(p) {
					x.Succeed(map[string]any{})
				}
			}},
		front.Mutant{Name: "unknown-task-created", Summary: w.Get + " makes a task of an unknown id.",
			Reply: func(x *front.Reply) {
				if x.Answers(w.Get, w.NotFound) {
					w.pretend(x, "submitted")
				}
			}},
		front.Mutant{Name: "unknown-task-misnamed", Summary: w.Get + " reports an unknown task as invalid params.",
			Reply: front.Recode(w.Get, w.NotFound, front.CodeInvalidParams)},
		front.Mutant{Name: "unknown-task-canceled", Summary: w.Cancel + " makes a canceled task of an unknown id.",
			Reply: func(x *front.Reply) {
				if x.Answers(w.Cancel, w.NotFound) && !front.Has(x.Request, "params/metadata") {
					w.pretend(x, "canceled")
				}
			}},
		front.Mutant{Name: "finished-task-canceled", Summary: w.Cancel + " overwrites completed with canceled.",
			Engine: func(o *engine.Options) { o.Defects.CancelFinished = true }},
		front.Mutant{Name: "any-file-type-accepted", Summary: "A file of a type that is not listed is passed to the agent.",
			Call: front.Misread(w.Send, func(body any) {
				front.Walk(front.At(body, "params/message/parts"), func(m map[string]any) {
					if kind, _ := m["mimeType"].(string); strings.HasPrefix(kind, "application/x-") {
						delete(m, "mimeType")
					}
				})
			})},
		front.Mutant{Name: "code-outside-range", Summary: "A resubscription to a finished task is refused with the code 410.",
			Reply: front.Recode(w.Resubscribe, w.Finished, 410)},
		front.Mutant{Name: "empty-body-deadly", Summary: "After an empty body no message is served any more.",
			Reply: func(x *front.Reply) {
				switch {
				case x.Document == "" && x.Http.Method == http.MethodPost && len(x.Sent) == 0:
					x.Server.Notes.Write("dead", true)
				case x.Method() == w.Send && x.Server.Notes.Read("dead") != nil:
					x.Blank(http.StatusServiceUnavailable, "text/plain")
				}
			}},

		front.Mutant{Name: "no-streaming-internal", Variant: "silent", Summary: "The refusal of " + w.Stream + " is an internal error.",
			Reply: front.Recode(w.Stream, w.NoStreaming, front.CodeInternal)},
		front.Mutant{Name: "no-resubscribing-misnamed", Variant: "silent", Summary: "The refusal of " + w.Resubscribe + " says that the task is unknown.",
			Reply: front.Recode(w.Resubscribe, w.NoStreaming, w.NotFound)},
	)
}
