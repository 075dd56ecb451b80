package card

import (
	"cmp"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// Interface is where an agent can be reached, and what is spoken there.
type Interface struct {
	url, transport place
	otherwise      string // the transport where none is named
}

// URL is the address; "" where none is given.
func (i Interface) URL() string { return i.url.text() }

// URLAt is the place of the address on the card.
func (i Interface) URLAt() string { return i.url.pointer }

// Transport is the name of what is spoken there.
func (i Interface) Transport() string { return cmp.Or(i.transport.text(), i.otherwise) }

// Preferred is the endpoint that a card names first of all, outside any list.
func (c Card) Preferred() Interface {
	at := c.dialect().Card
	return Interface{c.at(at.Endpoint), c.at(at.Interfaces.Preferred), at.Interfaces.Speaks}
}

// Listed are the entries of the list of endpoints.
func (c Card) Listed() (out []Interface) {
	at := c.dialect().Card.Interfaces
	for _, e := range c.at(at.At).elems() {
		out = append(out, Interface{url: e.at(at.URL), transport: e.at(at.Transport)})
	}
	return out
}

// Interfaces are all endpoints on a card, the preferred one first and each once;
// none where cards do not list any.
func (c Card) Interfaces() (out []Interface) {
	if !c.Exists() || c.dialect().Card.Interfaces.At == "" {
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

// answersElsewhere reports whether there is an endpoint of the dialect's transport
// at another address than calls go to.
func (c Card) answersElsewhere() bool {
	speaks := c.dialect().Card.Interfaces.Speaks
	return slices.ContainsFunc(c.Listed(), func(i Interface) bool { return i.transport.text() == speaks && i.URL() != c.rpc })
}

// Address is where the card says that calls go: to the preferred endpoint or, where
// that is for another transport, to the first of the dialect's own. ok is false if
// there is no preferred endpoint.
func (c Card) Address() (address string, ok bool) {
	preferred := c.Preferred()
	if !preferred.url.is(wire.String) {
		return "", false
	}
	for n, i := range c.Interfaces() {
		if i.Transport() == c.d.Card.Interfaces.Speaks && (n == 0 || i.URL() != "") {
			return i.URL(), true
		}
	}
	return preferred.URL(), true
}

// AgentAddress is where the card of one of several agents says that calls to it go;
// "" where it does not say.
func (c Card) AgentAddress() string { return c.at(c.dialect().Agents.URL).text() }
