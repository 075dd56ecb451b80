package mutants

import (
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// CommonMutants belong to every protocol whose agents make tasks and stream. stream
// is the method that does, notFound the code for a task that never was.
func CommonMutants(stream string, notFound int) map[string]front.Mutant {
	return map[string]front.Mutant{
		"id-wrong-at-times": {Reply: func(x *front.Reply) {
			id, kind, every, at := front.Text(x.Request, "id"), "results", 10, 3
			if front.Has(x.Body, "error") { // of which there are few, and some that nobody compares
				kind, every, at = "errors", 3, 1
			}
			if !x.Opens && id != "" && x.Server.Notes.Count(kind+" "+x.Binding())%every == at {
				front.Replace(x.Body, "id", "another "+id)
			}
		}},
	}
}
