package card

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// place is a place on a card, and what is there. Whoever watches the card is
// reported of it once its value matters, not when it is merely passed.
type place struct {
	pointer string
	node    *record.Node // nil if nothing is there
	looked  func(pointer string)
}

func (p place) descendTo(pointer string, node *record.Node) place {
	p.pointer, p.node = p.pointer+pointer, node
	return p
}

func (p place) placeBelow(pointer string) place { return p.descendTo(pointer, p.node.At(pointer)) }

// reportLookupAndGetNode returns what is at the place.
func (p place) reportLookupAndGetNode() *record.Node {
	if p.looked != nil {
		p.looked(p.pointer)
	}
	return p.node
}

func (p place) hasNode() bool { return p.reportLookupAndGetNode() != nil }

func (p place) hasKind(kind record.Kind) bool {
	n := p.reportLookupAndGetNode()
	return n != nil && n.Kind == kind
}

func (p place) isTrue() bool { return p.hasKind(record.Bool) && p.node.Bool }

// readText returns what a string holds; "" if there is none.
func (p place) readText() string {
	if !p.hasKind(record.String) {
		return ""
	}
	return p.node.String
}

// readNumber returns a whole number; 0 if there is none.
func (p place) readNumber() int {
	if !p.hasKind(record.Number) {
		return 0
	}
	n, err := strconv.Atoi(p.node.Number)
	if err != nil {
		return 0
	}
	return n
}

func (p place) listElements() []place {
	if !p.hasKind(record.Array) {
		return nil
	}
	out := make([]place, len(p.node.Elems))
	for i, e := range p.node.Elems {
		out[i] = p.descendTo("/"+strconv.Itoa(i), e)
	}
	return out
}

// listTexts returns the strings of a list.
func (p place) listTexts() (out []string) {
	for _, e := range p.listElements() {
		if e.hasKind(record.String) {
			out = append(out, e.node.String)
		}
	}
	return out
}

// memberNames returns those of an object's members, each once, in alphabetical order.
func (p place) memberNames() (out []string) {
	if !p.hasKind(record.Object) {
		return nil
	}
	for _, m := range p.node.Members {
		out = append(out, m.Name)
	}
	slices.SortFunc(out, strings.Compare)
	return slices.Compact(out)
}
