package fleet

import (
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
)

// Hosts are the names under which the site is asked for. A page of somebody else, whose name was made
// to lead to this machine, could read the site otherwise: the browser names that host then.
type Hosts struct {
	names map[string]bool
	// any is set if it listens at every address of this machine: all its addresses are its names then.
	any bool
}

// NewHosts returns the names of a server that listens at an address, and those that the operator adds, as
// the name by which a proxy is reached.
func NewHosts(listen string, extraNames []string) *Hosts {
	h := &Hosts{names: map[string]bool{}}
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		host = listen
	}
	ip, err := netip.ParseAddr(host)
	switch {
	case host == "" || err == nil && ip.IsUnspecified():
		h.any = true
		h.addNames("localhost", "127.0.0.1", "::1")
		if name, err := os.Hostname(); err == nil {
			h.addNames(name)
		}
	case host == "localhost" || err == nil && ip.IsLoopback():
		h.addNames(host, "localhost", "127.0.0.1", "::1")
	default:
		h.addNames(host)
	}
	h.addNames(extraNames...)
	return h
}

func (h *Hosts) addNames(names ...string) {
	for _, name := range names {
		ip, err := netip.ParseAddr(hostName(name))
		if name = hostName(name); name != "" && !(err == nil && ip.IsUnspecified()) {
			h.names[name] = true
		}
	}
}

// hostName is one spelling of a host, without its port.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().WithZone("").String()
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// isOwnHost reports whether a request names one of our hosts. Its port may be another one, as behind a
// proxy. An address that the request came to is ours as well: no name leads there.
func (h *Hosts) isOwnHost(r *http.Request) bool {
	host := hostName(r.Host)
	if h.names[host] {
		return true
	}
	if !h.any {
		return false
	}
	came, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && hostName(came.String()) == host
}

// refuseOthers answers requests for our own hosts, and refuses all others before anything is looked up.
func (h *Hosts) refuseOthers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !h.isOwnHost(r) {
			http.Error(w, "this server does not answer for that host; fleet serve --host NAME adds a name", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
