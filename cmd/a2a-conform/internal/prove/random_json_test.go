package prove

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// place is where a value stands in a JSON text.
type place struct {
	holder  *record.Node // nil for the whole text
	index   int          // among the members or elements of the holder
	node    *record.Node
	pointer string
}

// places lists every value of a text.
func places(root *record.Node) []place {
	var out []place
	var visit func(p place)
	visit = func(p place) {
		out = append(out, p)
		for i, e := range p.node.Elems {
			visit(place{p.node, i, e, p.pointer + "/" + strconv.Itoa(i)})
		}
		for i, m := range p.node.Members {
			visit(place{p.node, i, m.Value, p.pointer + record.Pointer(m.Name)})
		}
	}
	if root != nil {
		visit(place{node: root})
	}
	return out
}

var index = regexp.MustCompile(`/[0-9]+(/|$)`)

// pattern is the pointer of a place without the positions in arrays.
func (p place) pattern() string {
	return index.ReplaceAllString(index.ReplaceAllString(p.pointer, "/*$1"), "/*$1")
}

// name is that of the member, "" where it is none.
func (p place) name() string {
	if p.holder == nil || p.holder.Kind != record.Object {
		return ""
	}
	return p.holder.Members[p.index].Name
}

// replaced is the text with another value at the place.
func (p place) replaced(text []byte, with string) []byte {
	return slices.Concat(text[:p.node.Start], []byte(with), text[p.node.End:])
}

// span is the place with the member's name, if it has one.
func (p place) span() (start, end int) {
	if p.name() != "" {
		return p.holder.Members[p.index].NameStart, p.node.End
	}
	return p.node.Start, p.node.End
}

// without is the text without the value.
func (p place) without(text []byte) []byte {
	if p.holder == nil {
		return nil
	}
	start, end := p.span()
	n := max(len(p.holder.Members), len(p.holder.Elems))
	at := func(i int) place {
		if p.holder.Kind == record.Object {
			return place{p.holder, i, p.holder.Members[i].Value, ""}
		}
		return place{p.holder, i, p.holder.Elems[i], ""}
	}
	switch {
	case p.index+1 < n:
		end, _ = at(p.index + 1).span()
	case p.index > 0:
		_, start = at(p.index - 1).span()
	}
	return slices.Concat(text[:start], text[end:])
}

// twice is the text with the value, and its name, a second time.
func (p place) twice(text []byte, with string) []byte {
	if p.holder == nil {
		return slices.Concat(text, []byte(with))
	}
	name := ""
	if p.name() != "" {
		name = strconv.Quote(p.name()) + ":"
	}
	return slices.Concat(text[:p.node.End], []byte(","+name+with), text[p.node.End:])
}

// somewhere chooses a place, one near the root more likely than one far from it.
func somewhere(r *rand.Rand, root *record.Node) place {
	p := place{node: root}
	for {
		n := len(p.node.Elems) + len(p.node.Members)
		if n == 0 || p.holder != nil && r.IntN(3) == 0 {
			return p
		}
		i := r.IntN(n)
		if p.node.Kind == record.Array {
			p = place{p.node, i, p.node.Elems[i], p.pointer + "/" + strconv.Itoa(i)}
		} else {
			m := p.node.Members[i]
			p = place{p.node, i, m.Value, p.pointer + record.Pointer(m.Name)}
		}
	}
}

// vocabulary are the words that a server of the dialect uses where others would
// mean something else.
func vocabulary(d *schema.Dialect) []string {
	out := []string{"task", "message", "status-update", "artifact-update", "text", "file", "data", "agent", "user", "2.0", "1.0", ""}
	for _, s := range d.States {
		out = append(out, s.Name)
	}
	return out
}

// odd are values of every type.
var odd = []string{`null`, `null`, `""`, `"a2a-conform-odd"`, `0`, `-1`, `1.5`, `1e400`, `true`, `false`, `[]`, `{}`, `[null]`, `{"kind":"odd"}`, `"\ud800"`, `[[]]`, "\"\xff\x00\"", `"\u0000\u202e"`}

// A garbling does the same to a text each time it is asked; what says in words
// what that is.
type garbling struct {
	what string
	do   func(p place, text []byte) []byte
}

// garblings of a value in a text.
func someGarbling(r *rand.Rand, words []string) garbling {
	value := odd[r.IntN(len(odd))]
	word := strconv.Quote(words[r.IntN(len(words))])
	switch r.IntN(9) {
	case 0, 1, 2:
		return garbling{"taken out", place.without}
	case 3:
		return garbling{"made null", func(p place, text []byte) []byte { return p.replaced(text, "null") }}
	case 4, 5:
		return garbling{"made " + value, func(p place, text []byte) []byte { return p.replaced(text, value) }}
	case 6:
		return garbling{"made " + word, func(p place, text []byte) []byte { return p.replaced(text, word) }}
	case 7:
		return garbling{"written twice, the second time as " + value, func(p place, text []byte) []byte { return p.twice(text, value) }}
	}
	return garbling{"written twice", func(p place, text []byte) []byte {
		return p.twice(text, string(text[p.node.Start:p.node.End]))
	}}
}

// garbled is a JSON text with something wrong at one place of it, or as a whole.
func garbled(r *rand.Rand, words []string, text []byte) ([]byte, string) {
	root, _ := record.ObserveJSON(text)
	if root == nil || r.IntN(12) == 0 {
		return garbledWhole(r, text)
	}
	p, g := somewhere(r, root), someGarbling(r, words)
	return g.do(p, text), fmt.Sprintf("%q %s", p.pointer, g.what)
}

func garbledWhole(r *rand.Rand, text []byte) ([]byte, string) {
	switch r.IntN(5) {
	case 0:
		return nil, "the whole text taken out"
	case 1:
		n := r.IntN(len(text) + 1)
		return text[:n:n], fmt.Sprintf("the text cut after %d bytes", n)
	case 2:
		return slices.Concat([]byte("["), text, []byte("]")), "the text put in an array"
	case 3:
		return []byte("Internal Server Error"), "the text made words"
	}
	value := odd[r.IntN(len(odd))]
	return []byte(value), "the text made " + value
}

// everywhere garbles the same members of a text; inside one that was garbled no
// other is.
func everywhere(text []byte, chosen func(place) bool, do func(place, []byte) []byte) []byte {
	root, _ := record.ObserveJSON(text)
	var of []place
	for _, p := range places(root) {
		if chosen(p) && !slices.ContainsFunc(of, func(o place) bool { return isWithin(p.pointer, o.pointer) }) {
			of = append(of, p)
		}
	}
	for _, p := range slices.Backward(of) {
		again, _ := record.ObserveJSON(text) // its neighbours may have gone
		now := places(again)
		if i := slices.IndexFunc(now, func(o place) bool { return o.pointer == p.pointer }); i >= 0 {
			text = do(now[i], text)
		}
	}
	return text
}

// inLine is a JSON text on one line, as the data of an event has to be.
func inLine(text []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r"), []byte(" ")), []byte("\n"), []byte(" "))
}
