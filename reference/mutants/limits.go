package mutants

import (
	"net/http"

	"github.com/a2a-conform/a2a-conform/reference/front"
)

// Deadly makes a server that takes no message any more after a certain request.
func (w Wording) Deadly(is func(*front.Reply) bool) func(*front.Reply) {
	return func(x *front.Reply) {
		switch {
		case x.Document == "" && is(x):
			x.Server.Notes.Write("dead", true)
		case x.Method() == w.Send && x.Server.Notes.Read("dead") != nil:
			x.Blank(http.StatusServiceUnavailable, "text/plain")
		}
	}
}

// Depth returns how deep the objects and arrays of a body are nested.
func Depth(body []byte) int {
	deepest, now := 0, 0
	for _, b := range body {
		switch b {
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		}
	}
	return deepest
}
