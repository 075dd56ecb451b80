package card

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// HostOf returns the host of an address on a card: of a URL, or of host:port, as addresses of gRPC are
// written. ok is false if it names none at all, such as a path.
func HostOf(address string) (host string, ok bool) {
	if !strings.Contains(address, "://") {
		if host, _, err := net.SplitHostPort(address); err == nil && !strings.ContainsAny(address, "/?#@") {
			return host, true
		}
		if !strings.HasPrefix(address, "//") {
			return "", false
		}
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", false
	}
	return u.Hostname(), true
}

// Unspecified reports whether a host is the unspecified address in any spelling, or no host at
// all: a server listens on it, and no one can call it.
func Unspecified(host string) bool {
	ip, ok := addressOf(host)
	return host == "" || host == "*" || ok && ip.IsUnspecified()
}

// Loopback reports whether a host is the machine of whoever calls it, in any spelling.
func Loopback(host string) bool {
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if name == "localhost" || strings.HasSuffix(name, ".localhost") || name == "localhost.localdomain" || name == "ip6-localhost" {
		return true
	}
	ip, ok := addressOf(host)
	return ok && ip.IsLoopback()
}

// Internal reports whether a host has a name that only some networks know: one without a dot, or
// below a domain that is reserved for them (RFC 6762, 8375, 9476 and the names of clusters).
func Internal(host string) bool {
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if _, ok := addressOf(name); ok || Unspecified(name) || Loopback(name) {
		return false
	}
	if !strings.Contains(name, ".") {
		return true
	}
	for _, domain := range []string{".local", ".internal", ".localdomain", ".lan", ".home", ".corp", ".intranet", ".private", ".home.arpa", ".svc", ".alt"} {
		if strings.HasSuffix(name, domain) {
			return true
		}
	}
	return false
}

// addressOf reads an IP address in any form that resolvers take: IPv6, one of IPv4 inside it, and
// IPv4 of one to four numbers, which may be octal or hexadecimal.
func addressOf(host string) (netip.Addr, bool) {
	host = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.WithZone("").Unmap(), true
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, p := range parts {
		n, err := strconv.ParseUint(collapseAllZeroNumber(p), 0, 32)
		rest := 4 - i // the last number fills what is left
		last := i == len(parts)-1
		if err != nil || strings.ContainsAny(p, "_+") || !last && n > 255 || last && n >= 1<<(8*rest) {
			return netip.Addr{}, false
		}
		if last {
			sum = sum<<(8*rest) | n
		} else {
			sum = sum<<8 | n
		}
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), true
}

// collapseAllZeroNumber returns a number as Go reads octal ones: with zeros alone it stays 0.
func collapseAllZeroNumber(number string) string {
	if trimmed := strings.TrimLeft(number, "0"); len(number) > 1 && trimmed == "" {
		return "0"
	}
	return number
}

// NamedHost reports whether a host is a name, and no address.
func NamedHost(host string) bool {
	_, ok := addressOf(host)
	return !ok && !Unspecified(host) && !Loopback(host)
}

// Addresses returns the places on a card that hold an address of the agent, with what they hold: of
// its preferred endpoint, of all interfaces, whatever version is spoken there, and of one of
// several agents.
func (c Card) Addresses() (out []Address) {
	d := c.dialectOrEmpty()
	places := []place{c.placeAt(d.Card.Endpoint), c.placeAt(d.Agents.URL)}
	for _, i := range c.Entries() {
		places = append(places, i.url)
	}
	seen := map[string]bool{}
	for _, p := range places {
		if p.pointer == "" || seen[p.pointer] || !p.hasKind(record.String) {
			continue
		}
		seen[p.pointer] = true
		out = append(out, Address{p.pointer, p.node.String})
	}
	return out
}

// An Address is one of an agent's addresses, and its place on the card.
type Address struct{ Pointer, URL string }

// unroutable are the networks that are no one's on the internet, apart from those of loopback.
var unroutable = prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10", "198.18.0.0/15", "fc00::/7", "fe80::/10", "fec0::/10")

// documented are the networks that examples are written with (RFC 5737, RFC 3849, RFC 9637).
var documented = prefixes("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20")

func prefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// PrivateNonLoopbackIP reports whether a host is an address that only machines of one network can reach
// (RFC 1918, 3927, 4193, 4291, 6598).
func PrivateNonLoopbackIP(host string) bool {
	ip, ok := addressOf(host)
	return ok && slices.ContainsFunc(unroutable, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// Placeholder reports whether a host is in the place of one that was to be filled in: it is reserved for
// examples and tests (RFC 2606, 5737, 6761), or its name is a word for that.
func Placeholder(host string) bool {
	if ip, ok := addressOf(host); ok {
		return slices.ContainsFunc(documented, func(p netip.Prefix) bool { return p.Contains(ip) })
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if strings.ContainsAny(name, "<>{}$") {
		return true
	}
	for label := range strings.SplitSeq(name, ".") {
		switch label {
		case "yourdomain", "your-domain", "yourcompany", "your-company", "your-server", "yourserver", "your-host", "your-agent", "youragent", "mydomain", "changeme", "placeholder", "todo":
			return true
		}
	}
	for _, domain := range []string{"example.com", "example.net", "example.org", "example", "test", "invalid"} {
		if name == domain || strings.HasSuffix(name, "."+domain) {
			return true
		}
	}
	return false
}
