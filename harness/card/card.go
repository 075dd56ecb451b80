// Package card is the one reading of an agent card: what it claims, which
// credentials it demands, if the agent is reached, what it takes and gives.
// The harness decides by it what to say to a server, and the judge which sentences
// concern the server, so that the two never see different things on one card.
//
// If a card describes what is data of the dialect. Whatever else is there is
// read as what it is: a card comes from the server under test, and may hold
// anything. How good a card is, the requirements on its shape say.
package card

import (
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Card is an agent card as one dialect reads it. The zero Card is one that could
// not be read; it states nothing.
type Card struct {
	d      *schema.Dialect
	root   *record.Node
	rpc    string
	by     string // the transport that is spoken there; "" for the dialect's own
	looked func(pointer string)
}

// Of returns the card with that root; without a root, none could be read.
func Of(d *schema.Dialect, root *record.Node) Card { return Card{d: d, root: root} }

// CalledAt returns the card of an agent whose calls go to that address.
func (c Card) CalledAt(rpc string) Card {
	c.rpc = rpc
	return c
}

// SpokenBy returns the card of an agent that is spoken to by that transport; "" for the one
// that the dialect is about.
func (c Card) SpokenBy(transport string) Card {
	c.by = transport
	return c
}

// Watched returns the card if looked is reported of every place that an answer rests
// on, by its pointer.
func (c Card) Watched(looked func(pointer string)) Card {
	c.looked = looked
	return c
}

// Exists reports whether a card could be read.
func (c Card) Exists() bool { return c.root != nil }

// Name returns what the agent calls itself; "" if it states nothing of the kind.
func (c Card) Name() string { return c.placeAt(c.dialectOrEmpty().Card.Name).readText() }

// Examples returns the texts that the card gives for the agent's skills, each once. An example that is an object has its text
// in the member input.
func (c Card) Examples() (out []string) {
	for _, skill := range c.listSkills() {
		examples := skill.placeBelow("/examples")
		out = append(out, examples.listTexts()...)
		for _, e := range examples.listElements() {
			if in := e.placeBelow("/input"); in.hasKind(record.String) {
				out = append(out, in.readText())
			}
		}
	}
	return uniqueTexts(out)
}

func (c Card) listSkills() []place { return c.placeAt(c.dialectOrEmpty().Card.Skills).listElements() }

func (c Card) dialectOrEmpty() *schema.Dialect {
	if c.d == nil {
		return &schema.Dialect{}
	}
	return c.d
}

// placeAt returns a place that the dialect names; one that it does not name is on no card.
func (c Card) placeAt(pointer string) place {
	if pointer == "" {
		return place{}
	}
	return place{looked: c.looked}.descendTo(pointer, c.root.At(pointer))
}

// uniqueTexts returns the texts of a list, each at its first place only. A list on a card may
// be as long as a server likes.
func uniqueTexts(texts []string) (out []string) {
	seen := make(map[string]bool, len(texts))
	for _, text := range texts {
		if !seen[text] {
			seen[text] = true
			out = append(out, text)
		}
	}
	return out
}

// Root returns the document, nil if none could be read. It is for tests that others wrote, whose places are their
// own; what the catalogue asks of a card has methods here.
func (c Card) Root() *record.Node { return c.root }
