package mutants

import (
	_ "embed"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

//go:embed mutants.yaml
var sharedText []byte

var shared = NewTable("reference/mutants/mutants.yaml", sharedText)

// SharedSource is the table of the mutants that several protocols have, in the words of
// one of them. restBase is the path of its HTTP+JSON.
func SharedSource(w Wording, restBase string) Source {
	return Source{Table: shared, Code: []map[string]front.Mutant{sharedMutantsInGo(w, restBase)}}
}
