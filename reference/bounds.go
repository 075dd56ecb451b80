package reference

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// bounds are the limits on what a client may ask for at the same time, or for
// how long. A zero is no limit.
type bounds struct {
	calls   int           // of one client at the same time
	tasks   int           // in one session at the same time
	timeout time.Duration // of a call that allows itself no time
	stream  time.Duration // that a stream may stay open
	granted float64       // the share of the rate limit that is granted; 1 is all of it
}

// boundsOf are the limits of a server.
func boundsOf(d dialect, v variant, m mutant) bounds {
	b := d.bounds
	b.granted = 1
	if v.hasty {
		b.timeout, b.stream = Hasty.Call, Hasty.Stream
	}
	if m.bounds != nil {
		m.bounds(&b)
	}
	return b
}

// Hasty are the time limits of the variant hasty, which need no long wait.
var Hasty = struct{ Call, Stream time.Duration }{1500 * time.Millisecond, 2 * time.Second}

type crowdedKey struct{}

// crowded reports whether a call is one too many of its client.
func crowded(r *http.Request) bool { return r.Context().Value(crowdedKey{}) != nil }

// together marks the calls of a client that are too many at the same time. How
// they are refused is for the dialect.
func (s *Server) together(next http.Handler) http.Handler {
	if s.bounds.calls == 0 {
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
		if add(client, 1) > s.bounds.calls {
			r = r.WithContext(context.WithValue(r.Context(), crowdedKey{}, true))
		}
		defer add(client, -1)
		next.ServeHTTP(w, r)
	})
}
