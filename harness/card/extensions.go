package card

import (
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Extension is an extension of the protocol that the agent uses.
type Extension struct{ at place }

// Extensions returns those on a card.
func (c Card) Extensions() (out []Extension) {
	for _, e := range c.placeAt(c.dialectOrEmpty().Card.Extensions).listElements() {
		out = append(out, Extension{e})
	}
	return out
}

// URI returns the name of the extension; "" if it has none.
func (e Extension) URI() string { return e.at.placeBelow("/uri").readText() }

// Required states that every client must ask for the extension.
func (e Extension) Required() bool { return e.at.placeBelow("/required").isTrue() }

var version = regexp.MustCompile(`/v[0-9]+(/|$)`)

// Versioned states that the URI of the extension holds a version.
func (e Extension) Versioned() bool { return version.MatchString(e.URI()) }

// OtherVersions returns those of the URIs that hold a version, with another one.
func OtherVersions(uris []string) (out []string) {
	for _, u := range uris {
		if version.MatchString(u) {
			out = append(out, version.ReplaceAllString(u, "/v987$1"))
		}
	}
	return out
}

// Requestable returns the URIs of the extensions that a call can ask for: all, and
// those that every client must ask for. What cannot stand in a list in a header is
// left out.
func (c Card) Requestable() (all, required []string) {
	for _, e := range c.Extensions() {
		uri := e.at.placeBelow("/uri")
		if !uri.hasKind(record.String) || strings.Contains(uri.readText(), ",") || !client.FieldValue(uri.readText()) {
			continue
		}
		all = append(all, uri.readText())
		if e.Required() {
			required = append(required, uri.readText())
		}
	}
	return all, required
}

// demandsPayment reports whether every client must ask for an extension by which
// the agent is paid.
func (c Card) demandsPayment() bool {
	word := c.dialectOrEmpty().Card.Payment
	return word != "" && slices.ContainsFunc(c.Extensions(), func(e Extension) bool {
		return e.Required() && strings.Contains(e.URI(), word)
	})
}
