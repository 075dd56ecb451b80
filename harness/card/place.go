package card

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// place is a place on a card, and what stands there. Whoever watches the card is
// told of it once its value matters, not when it is merely passed.
type place struct {
	pointer string
	node    *record.Node // nil where nothing stands there
	looked  func(pointer string)
}

func (p place) with(pointer string, node *record.Node) place {
	p.pointer, p.node = p.pointer+pointer, node
	return p
}

func (p place) at(pointer string) place { return p.with(pointer, p.node.At(pointer)) }

// value is what stands at the place.
func (p place) value() *record.Node {
	if p.looked != nil {
		p.looked(p.pointer)
	}
	return p.node
}

func (p place) exists() bool { return p.value() != nil }

func (p place) is(kind record.Kind) bool {
	n := p.value()
	return n != nil && n.Kind == kind
}

func (p place) yes() bool { return p.is(record.Bool) && p.node.Bool }

// text is what a string holds; "" where there is none.
func (p place) text() string {
	if !p.is(record.String) {
		return ""
	}
	return p.node.String
}

// number is a whole number; 0 where there is none.
func (p place) number() int {
	if !p.is(record.Number) {
		return 0
	}
	n, err := strconv.Atoi(p.node.Number)
	if err != nil {
		return 0
	}
	return n
}

func (p place) elems() []place {
	if !p.is(record.Array) {
		return nil
	}
	out := make([]place, len(p.node.Elems))
	for i, e := range p.node.Elems {
		out[i] = p.with("/"+strconv.Itoa(i), e)
	}
	return out
}

// texts are the strings of a list.
func (p place) texts() (out []string) {
	for _, e := range p.elems() {
		if e.is(record.String) {
			out = append(out, e.node.String)
		}
	}
	return out
}

// names are those of an object's members, each once, in alphabetical order.
func (p place) names() (out []string) {
	if !p.is(record.Object) {
		return nil
	}
	for _, m := range p.node.Members {
		out = append(out, m.Name)
	}
	slices.SortFunc(out, strings.Compare)
	return slices.Compact(out)
}
