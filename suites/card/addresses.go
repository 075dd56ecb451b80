package card

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// An uncallableAddress is a kind of address that works, or fails, by accident of the machine on which
// it is called.
type uncallableAddress struct {
	kind string
	why  string // to be read after the address and a colon
}

// UncallableAddress begins the findings about addresses that clients cannot call.
const UncallableAddress = "the card sends clients to "

// addUncallableAddressFindings adds a finding for each kind of address on a card that clients cannot call, or
// only some: the unspecified address, the machine of whoever calls, a name that only some
// networks have. The run itself calls the target's own host in place of the first two.
func addUncallableAddressFindings(t *judge.T) {
	for _, v := range t.Cards() {
		first, more := map[string]judge.Value{}, map[string]int{}
		var order []uncallableAddress
		for _, a := range t.Case.ReadCard(v).Addresses() {
			is, ok := classifyUncallableHost(t, v, a.URL)
			switch at := v.At(a.Pointer); {
			case !ok:
			case !first[is.kind].Exists():
				first[is.kind] = at
				order = append(order, is)
			case !strings.EqualFold(first[is.kind].Text(), a.URL):
				more[is.kind]++
			}
		}
		for _, is := range order {
			text := UncallableAddress + fmt.Sprintf("%s: %s", first[is.kind].Shown(), is.why)
			if n := more[is.kind]; n > 0 {
				text += fmt.Sprintf("; the same holds for %d more of its addresses", n)
			}
			t.Finding(first[is.kind], "%s", text)
		}
	}
}

// classifyUncallableHost returns the kind of an address on a card that clients cannot call; ok is false
// if they can.
func classifyUncallableHost(t *judge.T, v judge.Value, address string) (uncallableAddress, bool) {
	host, ok := card.HostOf(address)
	if !ok {
		return uncallableAddress{}, false
	}
	from := findCardHost(t, v)
	known := from != "" && !card.Unspecified(from)
	shown := shorten.Visible(host, 60)
	switch {
	case card.Unspecified(host) && host != "" && host != "*":
		return uncallableAddress{"unspecified", shown + " is the unspecified address, on which a server listens and which nobody can call (RFC 1122, section 3.2.1.3)"}, true
	case card.Unspecified(host):
		return uncallableAddress{"unspecified", "it names no host that anybody can call"}, true
	case known && card.Loopback(host) && !card.Loopback(from):
		return uncallableAddress{"loopback", shown + " is the machine of each client itself, and the card was read from " + shorten.Visible(from, 60)}, true
	case strings.EqualFold(host, from):
	case known && card.Internal(host) && !card.Internal(from):
		return uncallableAddress{"internal", "the name " + shown + " is known in some networks alone, and the card was read from " + shorten.Visible(from, 60)}, true
	}
	return uncallableAddress{}, false
}

// findCardHost returns the host that handed out a card, or the target's host if the card was
// given in a file. It ignores names that no host can have (RFC 6761, section 6.4).
func findCardHost(t *judge.T, v judge.Value) string {
	for _, address := range []string{v.Exchange().URL, t.Case.Transcript.Facts.Target} {
		if u, err := url.Parse(address); err == nil && u.Hostname() != "" && !strings.HasSuffix(u.Hostname(), ".invalid") {
			return u.Hostname()
		}
	}
	return ""
}
