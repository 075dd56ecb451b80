package binding

import (
	"net/http"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// AllNotFound reports whether the server found nothing, whatever it was asked
// for, and more than once.
func AllNotFound(b Binding, t *record.Transcript) bool {
	asked := 0
	for _, x := range t.Exchanges {
		if x.Dir != record.Out {
			continue
		}
		if x.Status() != http.StatusNotFound || b.Decode("", x).Marked {
			return false
		}
		asked++
	}
	return asked > 1
}
