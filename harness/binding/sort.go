package binding

import (
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Content finds of which sort the result of an operation is, or that of an event, if
// a dialect has results of several sorts. at is the place in the result at which its
// content begins: if the member that holds it is named after its sort, that is the
// member; else the result is its own content. A result that reports no sort has none.
func Content(d *schema.Dialect, op string, result *record.Node) (sort, at string) {
	if d.Sorts.By != "" {
		if n := result.At(d.Sorts.By); n != nil && n.Kind == record.String {
			return n.String, ""
		}
		return "", ""
	}
	if d.Held(op) {
		for _, name := range d.Sorts.Member {
			if n := result.Member(name); n != nil && n.Kind != record.Null {
				return name, record.Pointer(name)
			}
		}
	}
	return "", ""
}
