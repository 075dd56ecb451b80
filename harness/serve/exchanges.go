package serve

import (
	"net/http"
	"strconv"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// exchanges are the scenarios about HTTP.
var exchanges = []Script{
	redirect(http.StatusTemporaryRedirect), redirect(http.StatusPermanentRedirect), redirect(http.StatusFound),
	{Name: "busy", Twin: "hello", Doc: "The first call is refused by HTTP 429 and the second by 503, both with Retry-After: 2; the others are answered.",
		set: func(s *stage) {
			s.addMarker("artifact")
			calls := 0
			s.before = func(c *call) bool {
				c.mu.Lock()
				calls++
				n := calls
				c.mu.Unlock()
				if n > 2 {
					return false
				}
				status := http.StatusTooManyRequests
				if n == 2 {
					status = http.StatusServiceUnavailable
				}
				c.a.Whole(status, append(textFields("text/plain"), record.Field{Name: "Retry-After", Value: "2"}), []byte("busy\n"))
				return true
			}
		}},
}

// moved is what the paths begin with to which calls are redirected.
const moved = "/moved"

// redirect is a scenario in which calls are redirected to another path of the same origin.
func redirect(status int) Script {
	return Script{Name: "redirect-" + strconv.Itoa(status), Twin: "hello", Doc: "Calls are redirected by " + strconv.Itoa(status) + " to another path of the same origin, and answered there.",
		set: func(s *stage) {
			s.addMarker("artifact")
			for _, f := range []face{s.rpcFace(), s.restFace()} {
				f.path, f.hidden = moved+f.path, true
				s.faces = append(s.faces, f)
			}
			s.before = func(c *call) bool {
				if c.face.hidden {
					return false
				}
				c.a.Whole(status, []record.Field{{Name: "Location", Value: moved + c.q.Target}}, nil)
				return true
			}
		}}
}
