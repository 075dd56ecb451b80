package mutants

import (
	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// CommonMutants belong to every protocol whose agents make tasks and stream. stream
// is the method that does, notFound the code for a task that never was.
func CommonMutants(stream string, notFound int) []front.Mutant {
	return append(front.InArea("task",
		front.Mutant{Name: "canceled-deleted", Summary: "A canceled task is deleted.",
			Engine: func(o *engine.Options) { o.Defects.CancelDeletes = true }},
		front.Mutant{Name: "completed-forgotten", Summary: "A completed task is unknown from the third look on.",
			Reply: LookingAgain("echo", 3, func(x *front.Reply) { x.Decline(notFound) })},
		front.Mutant{Name: "clock-set-back", Summary: "The time of completion lies twenty years back.",
			Engine: func(o *engine.Options) { o.Defects.ClockSetBack = true }},
	), front.InArea("envelope",
		front.Mutant{Name: "stream-notification-answered", Summary: "A call of " + stream + " without id is answered as if its id were null.",
			Call: front.Misread(stream, func(body any) {
				if !front.Has(body, "id") {
					front.Put(body, "id", nil)
				}
			})},
		front.Mutant{Name: "stream-refused", Area: "stream", Summary: "No stream is opened for a message: " + stream + " is refused as an internal error.",
			Reply: front.Opening(stream, func(x *front.Reply) { x.Decline(front.CodeInternal) })},
		front.Mutant{Name: "id-wrong-at-times", Summary: "One result in ten and one error in three come with another id.",
			Reply: func(x *front.Reply) {
				id, kind, every, at := front.Text(x.Request, "id"), "results", 10, 3
				if front.Has(x.Body, "error") { // of which there are few, and some that nobody compares
					kind, every, at = "errors", 3, 1
				}
				if !x.Opens && id != "" && x.Server.Notes.Count(kind+" "+x.Binding())%every == at {
					front.Replace(x.Body, "id", "another "+id)
				}
			}},
	)...)
}
