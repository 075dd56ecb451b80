package card

import (
	"maps"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// MayBe reports whether a document may be a card at all: it is an object, and no
// JSON-RPC response. A server that answers every request with an error has no card.
func (c Card) MayBe() bool {
	root := place{node: c.root, looked: c.looked}
	return root.hasKind(record.Object) && !root.placeBelow(binding.Version).hasNode()
}

// IsOfDialect reports whether a card is one of the dialect. A document with nothing
// of a card in it is none, whatever else it lacks.
func (c Card) IsOfDialect() bool {
	d := c.dialectOrEmpty()
	usual := slices.AppendSeq([]string{d.Card.Endpoint, d.Card.Name, d.Card.Skills, d.Card.Interfaces.At}, maps.Values(d.Card.Claims))
	if !slices.ContainsFunc(usual, func(p string) bool { return c.placeAt(p).hasNode() }) {
		return false
	}
	if slices.ContainsFunc(d.Detect.Without, func(m string) bool { return c.root.Member(m) != nil }) {
		return false
	}
	if at := d.Card.Interfaces; at.Version != "" { // of an interface that is not spoken, nothing follows
		return slices.ContainsFunc(c.Listed(), func(i Interface) bool { return c.isKnownTransport(i.Transport()) })
	}
	v := c.placeAt(d.Detect.Version)
	if !v.hasNode() {
		return slices.Contains(d.Detect.Is, "absent")
	}
	return v.hasKind(record.String) && d.Detect.Fits(v.readText())
}
