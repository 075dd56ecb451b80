// Package excerpt cuts what was recorded to what a reader needs: of a message the text for people, of a
// text its beginning, its end and what surrounds the place that is pointed to.
package excerpt

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Piece is a part of a recorded text on the page: as it is, marked, or in place of what is
// left out.
type Piece struct {
	Text string
	Mark bool
	Gap  string
}

// Extent is a range of bytes of a text; To is 0 if there is none.
type Extent struct{ From, To int }

// Window bounds what is shown of a text: its beginning, its end, and as much on either side
// of what is marked.
type Window struct{ Head, Tail, Around int }

// Cut cuts a text to a window. The function gap describes each part that is left out.
func Cut(text string, mark Extent, w Window, gap func(n int) string) []Piece {
	if mark.To <= mark.From || mark.To > len(text) {
		mark = Extent{}
	}
	mark = Extent{runeBoundary(text, mark.From), runeBoundary(text, mark.To)}
	if len(text) <= w.Head+w.Tail+w.Around {
		w = Window{Head: len(text)}
	}
	// What is marked may be long itself: its own end can be left out.
	until := min(mark.To, mark.From+2*w.Around)
	keep := []Extent{{0, w.Head}, {len(text) - w.Tail, len(text)}}
	if mark.To > 0 {
		keep = []Extent{keep[0], {mark.From - w.Around, until + w.Around}, keep[1]}
	}
	var out []Piece
	add := func(from, to int, marked bool) {
		if from < to {
			out = append(out, Piece{Text: safetext.Visible(text[from:to]), Mark: marked})
		}
	}
	at := 0
	for _, k := range keep {
		from, to := max(k.From, at), lineBefore(text, min(k.To, len(text)))
		if from > at {
			from = lineAfter(text, from, mark)
		}
		if mark.From < k.To && to < mark.To {
			to = min(k.To, mark.To, len(text))
		}
		if to <= from {
			continue
		}
		if from > at {
			out = append(out, Piece{Gap: gap(from - at)})
		}
		a, b := min(max(mark.From, from), to), min(max(mark.To, from), to)
		add(from, a, false)
		add(a, b, true)
		add(b, to, false)
		at = to
	}
	if at < len(text) {
		out = append(out, Piece{Gap: gap(len(text) - at)})
	}
	return out
}

// DescribeGap states how much of a text is left out.
func DescribeGap(n int) string {
	return fmt.Sprintf("… %s left out …", safetext.CountWithNoun(n, "byte"))
}

// DescribeGapsWithDigest describes gaps of a text with the digest of what was recorded.
func DescribeGapsWithDigest(text string, recorded []byte) func(int) string {
	return func(n int) string {
		what := safetext.CountWithNoun(n, "byte")
		if len(text) != len(recorded) {
			what += " of the layout"
		}
		return fmt.Sprintf("… %s left out of a text of %s, sha256 %x …", what, safetext.CountWithNoun(len(recorded), "byte"), sha256.Sum256(recorded))
	}
}

// nearby is the distance from a cut within which the end of a line is searched.
const nearby = 120

// lineBefore returns the start of a line shortly before n, or else the start of a character.
func lineBefore(text string, n int) int {
	if n > 0 && n < len(text) {
		low := max(0, n-nearby)
		if i := strings.LastIndexByte(text[low:n], '\n'); i >= 0 {
			return low + i + 1
		}
	}
	return runeBoundary(text, n)
}

// lineAfter returns the start of a line shortly after n, but not within the marked part, or else the start of
// a character.
func lineAfter(text string, n int, mark Extent) int {
	high := min(len(text), n+nearby)
	if mark.To > 0 && n <= mark.From {
		high = min(high, mark.From)
	}
	if i := strings.IndexByte(text[n:max(n, high)], '\n'); i >= 0 {
		return n + i + 1
	}
	return runeBoundary(text, n)
}

// runeBoundary returns the start of the character at or before n. Bytes that are not UTF-8 have none.
func runeBoundary(text string, n int) int {
	for i := n; i >= 0 && i > n-utf8.UTFMax && i < len(text); i-- {
		if utf8.RuneStart(text[i]) {
			return i
		}
	}
	return max(0, n)
}

// indentText is a text for reading: JSON with a line for each member, all else as it is.
func indentText(b []byte) string {
	if p, ok := view.IndentJSON(b); ok {
		return string(p)
	}
	return strings.TrimRight(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n")
}

// LocatePointer finds the value of a pointer in a JSON text, with its name if it is a member. If it is
// missing, at is the beginning of the closest parent, and lacks is the rest of the pointer.
func LocatePointer(text, pointer string) (at Extent, lacks string) {
	if !strings.HasPrefix(pointer, "/") || len(text) > maxMarked {
		return Extent{}, ""
	}
	root, _ := record.ObserveJSON([]byte(text))
	if root == nil {
		return Extent{}, ""
	}
	n, start, lacks := root.Nearest(pointer)
	if lacks != "" {
		return Extent{n.Start, min(n.Start+1, n.End)}, lacks
	}
	return Extent{start, n.End}, ""
}

// maxMarked bounds the texts in which a place is looked for.
const maxMarked = 1 << 20

// LocateHeader finds a header field in the head of a message, or its status line.
func LocateHeader(head, name string) Extent {
	at := 0
	for l := range strings.Lines(head) {
		is := at == 0 && name == report.StatusLine
		if n, _, ok := strings.Cut(l, ":"); at > 0 && ok && strings.EqualFold(strings.TrimSpace(n), name) {
			is = true
		}
		if is {
			return Extent{at, at + len(strings.TrimRight(l, "\n"))}
		}
		at += len(l)
	}
	return Extent{}
}
