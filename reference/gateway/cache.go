package gateway

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// cache is how a gateway stores answers, and what it ignores of the rules.
type cache struct {
	noStore, private, authorization, vary, varyStar, noCache, change, posts, stale, age bool
}

// stored is an answer that was stored.
type stored struct {
	status int
	header http.Header
	text   []byte
	asked  http.Header // of the request that it answered
	at     time.Time
}

// maxAge is for how long an answer is fresh.
var maxAge = regexp.MustCompile(`max-age=([0-9]+)`)

// keyOf returns the key of what answers a request.
func keyOf(method string, r *http.Request) string { return method + " " + r.URL.RequestURI() }

// storeAnswer stores an answer if it may be stored, and forgets what a call changed.
func (g *Gateway) storeAnswer(r *http.Request, status int, h http.Header, text []byte) {
	c := g.trait.cache
	if c == nil || status != http.StatusOK {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.Method == http.MethodPost && !c.change {
		delete(g.stored, keyOf(http.MethodGet, r))
	}
	control := h.Get("Cache-Control")
	switch {
	case r.Method != http.MethodGet && !(c.posts && r.Method == http.MethodPost),
		strings.Contains(control, "no-store") && !c.noStore,
		strings.Contains(control, "private") && !c.private,
		r.Header.Get("Authorization") != "" && !c.authorization,
		h.Get("Vary") == "*" && !c.varyStar,
		!maxAge.MatchString(control):
		return
	}
	g.stored[keyOf(r.Method, r)] = &stored{status, h.Clone(), text, r.Header.Clone(), time.Now()}
}

// findStored returns what answers a request without the server; nil if nothing does.
func (g *Gateway) findStored(r *http.Request) *stored {
	c := g.trait.cache
	if c == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.stored[keyOf(r.Method, r)]
	if s == nil {
		return nil
	}
	control := s.header.Get("Cache-Control")
	fresh := 0
	if m := maxAge.FindStringSubmatch(control); m != nil {
		fresh, _ = strconv.Atoi(m[1])
	}
	if time.Since(s.at) > time.Duration(fresh)*time.Second && !c.stale || strings.Contains(control, "no-cache") && !c.noCache {
		return nil
	}
	if v := s.header.Get("Vary"); v != "" && !c.vary {
		for name := range strings.SplitSeq(v, ",") {
			if name = strings.TrimSpace(name); name != "*" && s.asked.Get(name) != r.Header.Get(name) {
				return nil
			}
		}
	}
	return s
}

// writeStored answers by what was stored.
func (s *stored) writeStored(w http.ResponseWriter, c *cache) {
	for name, values := range s.header {
		w.Header()[name] = values
	}
	if !c.age {
		w.Header().Set("Age", fmt.Sprint(int(time.Since(s.at).Seconds())))
	}
	w.WriteHeader(s.status)
	w.Write(s.text)
}
