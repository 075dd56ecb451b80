package record

import (
	"bytes"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Position is a place in a text as editors count it: lines and columns from 1, columns in
// characters. A byte that is not UTF-8 is a character, and a byte order mark is none.
type Position struct{ Line, Column int }

// Lines finds positions in a text.
type Lines struct {
	text   []byte
	starts []int // the offset of each line
}

// SplitLines prepares a text for finding positions in it. A line ends with a line feed, or with a
// carriage return that no line feed follows.
func SplitLines(text []byte) *Lines {
	l := &Lines{text: text, starts: []int{0}}
	if bytes.HasPrefix(text, bom) {
		l.starts[0] = len(bom)
	}
	for i, c := range text {
		if c == '\n' || c == '\r' && (i+1 == len(text) || text[i+1] != '\n') {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// LocateOffset returns the position of a byte. An offset outside of the text means its nearest end.
func (l *Lines) LocateOffset(offset int) Position {
	offset = min(max(offset, l.starts[0]), len(l.text))
	line := sort.SearchInts(l.starts, offset+1)
	return Position{Line: line, Column: 1 + utf8.RuneCount(l.text[l.starts[line-1]:offset])}
}

// LocatePointer returns the position of the member that a pointer leads to, by its name, or of an
// element of a list. If there is nothing, it is the position of what should hold it. root is what
// ObserveJSON read in the text; without one, the position is the beginning of the text.
func (l *Lines) LocatePointer(root *Node, pointer string) Position {
	return l.LocateOffset(root.startOf(pointer))
}

// startOf returns the offset at which the value at a pointer begins, with its name if it has one; if
// there is none, that of the nearest value around it.
func (n *Node) startOf(pointer string) int {
	if n == nil {
		return 0
	}
	start := n.Start
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if !strings.HasPrefix(pointer, "/") {
			break
		}
		below, at := n.findChild(token)
		if below == nil {
			break
		}
		n, start = below, at
	}
	return start
}

// findChild returns what a token of a pointer leads to from a value, and the offset at which that begins.
func (n *Node) findChild(token string) (*Node, int) {
	switch n.Kind {
	case Object:
		name, ok := unescapePointer(token)
		for i := len(n.Members) - 1; ok && i >= 0; i-- { // of duplicates the last one counts
			if m := n.Members[i]; m.Name == name {
				return m.Value, m.NameStart
			}
		}
	case Array:
		i, err := strconv.Atoi(token)
		if err == nil && i >= 0 && i < len(n.Elems) && strconv.Itoa(i) == token {
			return n.Elems[i], n.Elems[i].Start
		}
	}
	return nil, 0
}
