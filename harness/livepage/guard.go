package livepage

import (
	"net"
	"net/http"
	"slices"
	"strings"
)

// HostsOf returns the values of the field Host by which a page is served: its address, and on this machine the name of
// that.
func HostsOf(address string) []string {
	hosts := []string{address}
	if host, port, err := net.SplitHostPort(address); err == nil && net.ParseIP(host).IsLoopback() {
		hosts = append(hosts, "localhost:"+port)
	}
	return hosts
}

// Guard serves a page by some hosts alone, to its own origin alone, and never from a cache: a name of somebody else's may lead
// to this machine, and a page of somebody else's may ask for ours.
func Guard(hosts []string, page http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin") // none at all would take the origin from our own forms
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		if !slices.Contains(hosts, strings.ToLower(r.Host)) {
			http.Error(w, "this page is not served by that name", http.StatusMisdirectedRequest)
			return
		}
		page.ServeHTTP(w, r)
	})
}
