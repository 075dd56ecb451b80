package record

import (
	"bytes"
	"sort"
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
	_, start, _ := root.Nearest(pointer)
	return l.LocateOffset(start)
}
