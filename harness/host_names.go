package harness

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/card"
)

const (
	mostLookups = 8               // names on a card that are looked up
	lookupTime  = 2 * time.Second // for all of them
)

// lookUpHosts finds out which hosts of a card's addresses have names that nobody knows. The
// target's own host was reached, and needs no look.
func (r *runner) lookUpHosts(ctx context.Context, of card.Card) {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	own := parse(r.target.URL).Hostname()
	var seen []string
	for _, a := range of.Addresses() {
		host, ok := card.HostOf(a.URL)
		host = strings.ToLower(host)
		if !ok || !card.NamedHost(host) || strings.EqualFold(host, own) || slices.Contains(seen, host) || len(seen) == mostLookups {
			continue
		}
		seen = append(seen, host)
		_, err := net.DefaultResolver.LookupHost(ctx, host)
		if dns := (*net.DNSError)(nil); errors.As(err, &dns) && dns.IsNotFound {
			r.unresolved = append(r.unresolved, printable(host))
		}
	}
}

// unreachableName reports whether a host has a name that clients elsewhere do not know, as far
// as it shows: it does not resolve here, or it is one that only some networks have, and the
// target was not reached by such a name.
func (r *runner) unreachableName(target, host string) bool {
	return slices.Contains(r.unresolved, printable(strings.ToLower(host))) || card.Internal(host) && !card.Internal(target)
}

// whyUnreachable is what is wrong with such a name, to be read after it.
func (r *runner) whyUnreachable(host string) string {
	if slices.Contains(r.unresolved, printable(strings.ToLower(host))) {
		return "whose name does not resolve"
	}
	return "whose name is known in some networks alone"
}
