package card

import (
	"cmp"
	"net"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Interface is an address of an agent, with the protocol that it uses.
type Interface struct {
	url, transport, version, tenant place
	otherwise                       string // the transport if none is named
}

// URL returns the address; "" if none is given.
func (i Interface) URL() string { return i.url.readText() }

// leadsTo reports whether an address is that of the interface. Cards have those of gRPC
// without a scheme.
func (i Interface) leadsTo(address string) bool {
	url := i.URL()
	_, rest, _ := strings.Cut(address, "://")
	return url == address || url != "" && !strings.Contains(url, "://") && url == rest
}

// Serves reports whether a call to an address went to the host and port of the interface.
// One whose host is left open (0.0.0.0) is at any.
func (i Interface) Serves(address string) bool {
	listed := i.URL()
	to, err := url.Parse(address)
	if err != nil || listed == "" {
		return false
	}
	if !strings.Contains(listed, "://") && !strings.HasPrefix(listed, "/") { // as cards have those of gRPC
		listed = to.Scheme + "://" + listed
	}
	at, err := to.Parse(listed)
	if err != nil {
		return false
	}
	ip := net.ParseIP(at.Hostname())
	return PortOf(at) == PortOf(to) && (strings.EqualFold(at.Hostname(), to.Hostname()) || ip != nil && ip.IsUnspecified())
}

// Covers reports whether an address is that of the interface, or below it.
func (i Interface) Covers(address string) bool {
	to, err := url.Parse(address)
	if err != nil || !i.Serves(address) {
		return false
	}
	at, err := url.Parse(i.URL())
	if err != nil {
		return true
	}
	base := strings.TrimSuffix(at.EscapedPath(), "/")
	return strings.TrimSuffix(to.EscapedPath(), "/") == base || strings.HasPrefix(to.EscapedPath(), base+"/")
}

// PortOf returns the port of a URL, or the usual one of its scheme.
func PortOf(u *url.URL) string {
	return cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
}

// URLAt returns the place of the address on the card.
func (i Interface) URLAt() string { return i.url.pointer }

// Transport returns the name of what is spoken there.
func (i Interface) Transport() string { return cmp.Or(i.transport.readText(), i.otherwise) }

// Version returns the version of the protocol that is spoken there; "" if the entry
// names none.
func (i Interface) Version() string { return i.version.readText() }

// Tenant returns what calls have to name there; "" for nothing.
func (i Interface) Tenant() string { return i.tenant.readText() }

// Preferred returns the endpoint that a card names first of all: outside the list or, if
// there is no such place, as the first entry in which this dialect is spoken.
func (c Card) Preferred() Interface {
	at := c.dialectOrEmpty().Card
	if at.Endpoint == "" && at.Interfaces.At != "" {
		if listed := c.Listed(); len(listed) > 0 {
			return listed[0]
		}
	}
	return Interface{url: c.placeAt(at.Endpoint), transport: c.placeAt(at.Interfaces.Preferred), otherwise: at.Interfaces.Speaks}
}

// Listed returns the entries of the list of endpoints that are about this dialect. If
// entries name no version, all are.
func (c Card) Listed() (out []Interface) {
	for _, i := range c.Entries() {
		if c.isForDialect(i) {
			out = append(out, i)
		}
	}
	return out
}

// Entries returns the entries of the list of endpoints, whatever version is spoken there.
func (c Card) Entries() (out []Interface) {
	at := c.dialectOrEmpty().Card.Interfaces
	optional := func(e place, pointer string) place {
		if pointer == "" {
			return place{}
		}
		return e.placeBelow(pointer)
	}
	for _, e := range c.placeAt(at.At).listElements() {
		out = append(out, Interface{url: e.placeBelow(at.URL), transport: e.placeBelow(at.Transport), version: optional(e, at.Version), tenant: optional(e, at.Tenant)})
	}
	return out
}

// isForDialect reports whether an entry of the list is about this dialect.
func (c Card) isForDialect(i Interface) bool {
	d := c.dialectOrEmpty()
	return d.Card.Interfaces.Version == "" || i.version.hasKind(record.String) && d.Detect.Fits(i.version.readText())
}

// chosenOrDefaultTransport returns the transport by which calls go.
func (c Card) chosenOrDefaultTransport() string {
	return cmp.Or(c.by, c.dialectOrEmpty().Card.Interfaces.Speaks)
}

// isKnownTransport reports whether the dialect describes how calls travel by a transport.
func (c Card) isKnownTransport(transport string) bool {
	_, carried := c.dialectOrEmpty().Bindings[transport]
	return carried || transport == c.dialectOrEmpty().Card.Interfaces.Speaks
}

// Tenant returns what calls to an address have to name; "" for nothing.
func (c Card) Tenant(address string) string {
	for _, i := range c.Listed() {
		if i.Transport() == c.chosenOrDefaultTransport() && i.leadsTo(address) {
			return i.Tenant()
		}
	}
	return ""
}

// Tenants returns the tenants for which there are endpoints of the transport by which calls
// go, each once.
func (c Card) Tenants() (out []string) {
	seen := map[string]bool{"": true}
	for _, i := range c.Listed() {
		if t := i.Tenant(); !seen[t] && i.Transport() == c.chosenOrDefaultTransport() {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}

// Older returns the addresses of interfaces of an older version whose calls the dialect's writer
// can make, in the dialect's transport.
func (c Card) Older() (out []string) {
	for _, i := range c.listOlder() {
		out = append(out, i.URL())
	}
	return out
}

// listOlder returns the entries of those addresses.
func (c Card) listOlder() (out []Interface) {
	at := c.dialectOrEmpty().Card.Interfaces
	for _, i := range c.Entries() {
		if slices.ContainsFunc(at.Older, func(is string) bool { ok, err := path.Match(is, i.Version()); return ok && err == nil }) && i.Transport() == at.Speaks && i.URL() != "" {
			out = append(out, i)
		}
	}
	return out
}

// OlderVersion returns the version that is spoken at the first of those addresses, by its major and minor number, as calls name
// it; "" if there is none.
func (c Card) OlderVersion() string {
	for _, i := range c.listOlder() {
		parts := strings.SplitN(i.Version(), ".", 3)
		return strings.Join(parts[:min(len(parts), 2)], ".")
	}
	return ""
}

// OlderVersionOnlyURL returns the first of those addresses if nothing else is spoken; "" if there
// is none.
func (c Card) OlderVersionOnlyURL() string {
	listed := map[string]bool{}
	for _, i := range c.Listed() {
		listed[i.URL()] = true
	}
	for _, url := range c.Older() {
		if !listed[url] {
			return url
		}
	}
	return ""
}

// Interfaces returns all endpoints on a card, the preferred one first and each once;
// none if cards do not list any.
func (c Card) Interfaces() (out []Interface) {
	if !c.Exists() || c.dialectOrEmpty().Card.Interfaces.At == "" {
		return nil
	}
	seen := map[[2]string]bool{}
	for _, i := range append([]Interface{c.Preferred()}, c.Listed()...) {
		if is := [2]string{i.URL(), i.Transport()}; !seen[is] {
			seen[is] = true
			out = append(out, i)
		}
	}
	return out
}

// answersElsewhere reports whether there is an endpoint of the transport by which calls
// go at another address than they go to.
func (c Card) answersElsewhere() bool {
	speaks := c.chosenOrDefaultTransport()
	return slices.ContainsFunc(c.Listed(), func(i Interface) bool { return i.transport.readText() == speaks && !i.leadsTo(c.rpc) })
}

// Address returns the URL to which calls go by the card. ok is false if there is no preferred
// endpoint.
func (c Card) Address() (address string, ok bool) {
	usual, ok := c.Usual()
	return usual.URL(), ok
}

// Usual returns the endpoint to which calls go if no one states otherwise: the preferred one
// or, if that is for another transport, the first of the dialect's own, or else the
// first of one by which its calls travel too. ok is false if there is no preferred
// endpoint.
func (c Card) Usual() (i Interface, ok bool) {
	preferred := c.Preferred()
	if !preferred.url.hasKind(record.String) {
		return Interface{}, false
	}
	for n, i := range c.Interfaces() {
		if i.Transport() == c.d.Card.Interfaces.Speaks && (n == 0 || i.URL() != "") {
			return i, true
		}
	}
	for _, i := range c.Interfaces() {
		if c.isKnownTransport(i.Transport()) && i.URL() != "" {
			return i, true
		}
	}
	return preferred, true
}

// AgentAddress returns the address of calls that the card of one of several agents states, "" if
// it states none.
func (c Card) AgentAddress() string { return c.placeAt(c.dialectOrEmpty().Agents.URL).readText() }
