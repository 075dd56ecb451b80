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
	return root.is(record.Object) && !root.at(binding.Version).exists()
}

// IsOfDialect reports whether a card is one of the dialect. A document with nothing
// of a card in it is none, whatever else it lacks.
func (c Card) IsOfDialect() bool {
	d := c.dialect()
	usual := slices.AppendSeq([]string{d.Card.Endpoint, d.Card.Name, d.Card.Skills, d.Card.Interfaces.At}, maps.Values(d.Card.Claims))
	if !slices.ContainsFunc(usual, func(p string) bool { return c.at(p).exists() }) {
		return false
	}
	if slices.ContainsFunc(d.Detect.Without, func(m string) bool { return c.root.Member(m) != nil }) {
		return false
	}
	if at := d.Card.Interfaces; at.Version != "" { // of an interface that is not spoken, nothing follows
		return slices.ContainsFunc(c.Listed(), func(i Interface) bool { return c.known(i.Transport()) })
	}
	v := c.at(d.Detect.Version)
	if !v.exists() {
		return slices.Contains(d.Detect.Is, "absent")
	}
	return v.is(record.String) && d.Detect.Fits(v.text())
}
