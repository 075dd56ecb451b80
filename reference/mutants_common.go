package reference

import (
	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// commonMutants belong to every protocol whose agents make tasks and stream. stream
// is the method that does, notFound the code for a task that never was.
func commonMutants(stream string, notFound int) []mutant {
	return append(inArea("task",
		mutant{name: "canceled-deleted", summary: "A canceled task is deleted.",
			engine: func(o *engine.Options) { o.Defects.CancelDeletes = true }},
		mutant{name: "completed-forgotten", summary: "A completed task is unknown from the third look on.",
			reply: lookingAgain("echo", 3, func(x *reply) { x.decline(notFound) })},
		mutant{name: "clock-set-back", summary: "The time of completion lies twenty years back.",
			engine: func(o *engine.Options) { o.Defects.ClockSetBack = true }},
	), inArea("envelope",
		mutant{name: "stream-notification-answered", summary: "A call of " + stream + " without id is answered as if its id were null.",
			call: misread(stream, func(body any) {
				if !has(body, "id") {
					put(body, "id", nil)
				}
			})},
		mutant{name: "stream-refused", area: "stream", summary: "No stream is opened for a message: " + stream + " is refused as an internal error.",
			reply: opening(stream, func(x *reply) { x.decline(codeInternal) })},
		mutant{name: "id-wrong-at-times", summary: "One result and one error in ten come with another id.",
			reply: func(x *reply) {
				id, kind := text(x.request, "id"), "results"
				if has(x.body, "error") {
					kind = "errors"
				}
				if !x.opens && id != "" && x.server.notes.count(kind)%10 == 3 {
					replace(x.body, "id", "another "+id)
				}
			}},
	)...)
}
