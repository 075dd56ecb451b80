package cardtext

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// calledMembers hold addresses that clients call to get a credential.
var calledMembers = strings.Fields("authorizationUrl tokenUrl refreshUrl openIdConnectUrl oauth2MetadataUrl deviceAuthorizationUrl")

// shownMembers hold addresses that people open.
var shownMembers = strings.Fields("documentationUrl iconUrl url")

// noteEndpointPointers notes at which places of a card the agent is called.
func (f *finder) noteEndpointPointers(d *schema.Dialect, root *record.Node, from string) {
	f.from, f.endpoints, f.grpc = from, map[string]bool{}, map[string]bool{}
	read := card.Of(d, root)
	for _, a := range read.Addresses() {
		f.endpoints[a.Pointer] = true
	}
	for _, i := range append(read.Entries(), read.Preferred()) {
		if strings.EqualFold(i.Transport(), "GRPC") {
			f.grpc[i.URLAt()] = true
		}
	}
}

var (
	userInURL  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://([^/?#\s@]*:[^/?#\s@]+)@`) })
	keyInQuery = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)://[^\s]*[?&](?:api[-_]?key|key|access[-_]?token|token|secret|client[-_]?secret|password|passwd|sig)=([^&#\s]{8,})`)
	})
	templated = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*[<>{}$]`) })
)

// checkAddress looks at an address that clients call, or that people open.
func (f *finder) checkAddress(at, name, text string) {
	called := f.endpoints[at] || slices.Contains(calledMembers, name)
	if !called && !slices.Contains(shownMembers, name) || text == "" {
		return
	}
	if called && templated().MatchString(text) && !(f.from != "" && card.Loopback(f.from)) {
		f.addFindingWithinRuleLimit(f.describeUnreachable("address-placeholder", at, text))
		return
	}
	host, ok := card.HostOf(text)
	switch {
	case !ok:
		if f.endpoints[at] && !strings.Contains(text, "://") {
			f.addFindingWithinRuleLimit(Finding{Rule: "address-no-scheme", Pointer: at, Got: text, Want: "an absolute URL, such as https://agent.your-company.com/a2a", Fix: "Write the scheme and the host that clients call in front of it."})
		}
		return
	case f.endpoints[at] && !strings.Contains(text, "://") && !f.grpc[at]:
		f.addFindingWithinRuleLimit(Finding{Rule: "address-no-scheme", Pointer: at, Got: text, Want: "an absolute URL, which begins with https://", Fix: "Write the scheme in front of it: https://" + text})
	}
	if rule := f.classifyHost(host, called); rule != "" {
		f.addFindingWithinRuleLimit(f.describeUnreachable(rule, at, text))
	}
}

// classifyHost returns the rule that a host breaks for its clients; "" if they can call it. Whoever read the card
// from a network may be there to call it, and a card that was read from the same machine is not published.
func (f *finder) classifyHost(host string, called bool) string {
	switch {
	case card.Unspecified(host):
		return "address-unspecified"
	case f.from != "" && card.Loopback(f.from):
	case card.Loopback(host):
		return "address-loopback"
	case called && card.Placeholder(host):
		return "address-placeholder"
	case f.from != "" && (card.PrivateNonLoopbackIP(f.from) || card.Internal(f.from) || card.Unspecified(f.from)):
	case card.PrivateNonLoopbackIP(host):
		return "address-private"
	case card.Internal(host) && !card.Placeholder(host):
		return "address-internal"
	}
	return ""
}

func (f *finder) describeUnreachable(rule, at, text string) Finding {
	return Finding{Rule: rule, Pointer: at, Got: withoutUser(text), Want: "an address that clients on other machines can call", Fix: fixes[rule]}
}

var fixes = map[string]string{
	"address-loopback":    "Publish the card with the public address of the agent. If the card is for tests on one machine, leave it.",
	"address-private":     "Publish the card with an address that clients outside of your network can call. If all of them are inside, leave it.",
	"address-internal":    "Publish the card with a name that clients outside of your network can resolve. If all of them are inside, leave it.",
	"address-unspecified": "Write the host that clients call; 0.0.0.0 and :: are for the server to listen on.",
	"address-placeholder": "Write the host that clients are to call in its place.",
}

// withoutUser returns an address without a user name and password.
func withoutUser(text string) string {
	if m := userInURL().FindStringSubmatchIndex(text); m != nil {
		return text[:m[2]] + "…" + text[m[3]:]
	}
	return text
}

// secretInAddress returns what is secret in an address; "" if nothing is.
func secretInAddress(text string) string {
	if !strings.Contains(text, "://") {
		return ""
	}
	if m := userInURL().FindStringSubmatch(text); m != nil {
		return m[1]
	}
	if m := keyInQuery().FindStringSubmatch(text); m != nil {
		if value, err := url.QueryUnescape(m[1]); err == nil && !strings.ContainsAny(value, "<>{}$") {
			return m[1]
		}
	}
	return ""
}
