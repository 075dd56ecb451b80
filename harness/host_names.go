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
	maxLookups    = 8               // host names of a card that are looked up
	lookupTimeout = 2 * time.Second // for all lookups together
)

// lookUpHosts finds host names on a card that do not resolve. The target's own host is not looked
// up, because it was reached.
func (r *runner) lookUpHosts(ctx context.Context, of card.Card) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	own := parseURLOrEmpty(r.target.URL).Hostname()
	var seen []string
	for _, a := range of.Addresses() {
		host, ok := card.HostOf(a.URL)
		host = strings.ToLower(host)
		if !ok || !card.NamedHost(host) || strings.EqualFold(host, own) || slices.Contains(seen, host) || len(seen) == maxLookups {
			continue
		}
		seen = append(seen, host)
		_, err := net.DefaultResolver.LookupHost(ctx, host)
		if dns := (*net.DNSError)(nil); errors.As(err, &dns) && dns.IsNotFound {
			r.unresolved = append(r.unresolved, sanitizeAndShorten(host))
		}
	}
}

// unreachableName reports whether a host has a name that other clients cannot resolve, as far as
// is known: it does not resolve here, or it is a name of an internal network and the target's is
// not.
func (r *runner) unreachableName(target, host string) bool {
	return slices.Contains(r.unresolved, sanitizeAndShorten(strings.ToLower(host))) || card.Internal(host) && !card.Internal(target)
}

// whyUnreachable describes what is wrong with such a name, as the end of a sentence.
func (r *runner) whyUnreachable(host string) string {
	if slices.Contains(r.unresolved, sanitizeAndShorten(strings.ToLower(host))) {
		return "whose name does not resolve"
	}
	return "whose name is known in some networks alone"
}
