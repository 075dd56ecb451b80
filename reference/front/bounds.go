package front

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// Bounds are the limits on what a client may ask for at the same time, or for
// how long. A zero is no limit.
type Bounds struct {
	Calls   int           // of one client at the same time
	Tasks   int           // in one session at the same time
	Timeout time.Duration // of a call that allows itself no time
	Stream  time.Duration // that a stream may stay open
	Granted float64       // the share of the rate limit that is granted; 1 is all of it
}

// boundsOf are the limits of a server.
func boundsOf(d Dialect, v Variant, m Mutant) Bounds {
	b := d.Bounds
	b.Granted = 1
	if v.Hasty {
		b.Timeout, b.Stream = Hasty.Call, Hasty.Stream
	}
	if m.Bounds != nil {
		m.Bounds(&b)
	}
	return b
}

// Hasty are the time limits of the variant hasty, which need no long wait.
var Hasty = struct{ Call, Stream time.Duration }{1500 * time.Millisecond, 2 * time.Second}

type crowdedKey struct{}

// Crowded reports whether a call is one too many of its client.
func Crowded(r *http.Request) bool { return r.Context().Value(crowdedKey{}) != nil }

// together marks the calls of a client that are too many at the same time. How
// they are refused is for the dialect.
func (s *Server) together(next http.Handler) http.Handler {
	if s.Bounds.Calls == 0 {
		return next
	}
	var mu sync.Mutex
	under := map[string]int{}
	add := func(client string, n int) int {
		mu.Lock()
		defer mu.Unlock()
		under[client] += n
		return under[client]
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client := clientOf(r)
		if add(client, 1) > s.Bounds.Calls {
			r = r.WithContext(context.WithValue(r.Context(), crowdedKey{}, true))
		}
		defer add(client, -1)
		next.ServeHTTP(w, r)
	})
}
