package html

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// needsScrolling reports whether a text may be too long to be seen at once: it scrolls then, and
// must be reached by the keyboard.
func needsScrolling(text []piece) bool {
	n, lines := 0, 0
	for _, p := range text {
		n += len(p.Text)
		lines += strings.Count(p.Text, "\n")
	}
	return n > 1500 || lines > 16
}

// piece is a part of a recorded text on the page: as it is, marked, or in place of what is
// left out.
type piece struct {
	Text string
	Mark bool
	Gap  string
}

// extent is a range of bytes of a text; To is 0 if there is none.
type extent struct{ From, To int }

// window bounds what is shown of a text: its beginning, its end, and as much on either side
// of what is marked.
type window struct{ head, tail, around int }

// cutExcerpts cuts a text to a window. The function gap describes each part that is left out.
func cutExcerpts(text string, mark extent, w window, gap func(n int) string) []piece {
	if mark.To <= mark.From || mark.To > len(text) {
		mark = extent{}
	}
	mark = extent{runeStartAtOrBefore(text, mark.From), runeStartAtOrBefore(text, mark.To)}
	if len(text) <= w.head+w.tail+w.around {
		w = window{head: len(text)}
	}
	// What is marked may be long itself: its own end can be left out.
	until := min(mark.To, mark.From+2*w.around)
	keep := []extent{{0, w.head}, {len(text) - w.tail, len(text)}}
	if mark.To > 0 {
		keep = []extent{keep[0], {mark.From - w.around, until + w.around}, keep[1]}
	}
	var out []piece
	add := func(from, to int, marked bool) {
		if from < to {
			out = append(out, piece{Text: safetext.Visible(text[from:to]), Mark: marked})
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
			out = append(out, piece{Gap: gap(from - at)})
		}
		a, b := min(max(mark.From, from), to), min(max(mark.To, from), to)
		add(from, a, false)
		add(a, b, true)
		add(b, to, false)
		at = to
	}
	if at < len(text) {
		out = append(out, piece{Gap: gap(len(text) - at)})
	}
	return out
}

// describeGap states how much of a text is left out.
func describeGap(n int) string {
	return fmt.Sprintf("… %s left out …", safetext.CountWithNoun(n, "byte"))
}

// newGapDescriber describes gaps of a text with the digest of what was recorded.
func newGapDescriber(text string, recorded []byte) func(int) string {
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
	return runeStartAtOrBefore(text, n)
}

// lineAfter returns the start of a line shortly after n, but not within the marked part, or else the start of
// a character.
func lineAfter(text string, n int, mark extent) int {
	high := min(len(text), n+nearby)
	if mark.To > 0 && n <= mark.From {
		high = min(high, mark.From)
	}
	if i := strings.IndexByte(text[n:max(n, high)], '\n'); i >= 0 {
		return n + i + 1
	}
	return runeStartAtOrBefore(text, n)
}

// runeStartAtOrBefore returns the start of the character at or before n. Bytes that are not UTF-8 have none.
func runeStartAtOrBefore(text string, n int) int {
	for i := n; i >= 0 && i > n-utf8.UTFMax && i < len(text); i-- {
		if utf8.RuneStart(text[i]) {
			return i
		}
	}
	return max(0, n)
}

// indentIfJSON is a text for reading: JSON with a line for each member, all else as it is.
func indentIfJSON(b []byte) string {
	if p, ok := view.IndentJSON(b); ok {
		return string(p)
	}
	return strings.TrimRight(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n")
}

// locatePointer finds the value of a pointer in a JSON text, with its name if it is a member. If it is
// missing, at is the beginning of the closest parent, and lacks is the rest of the pointer.
func locatePointer(text, pointer string) (at extent, lacks string) {
	if pointer == "" || len(text) > maxMarked {
		return extent{}, ""
	}
	root, _ := record.ObserveJSON([]byte(text))
	if root == nil {
		return extent{}, ""
	}
	if n := root.At(pointer); n != nil {
		return extent{cmp.Or(memberNameStart(root, pointer, n), n.Start), n.End}, ""
	}
	for p := pointer; strings.HasPrefix(p, "/"); {
		p = p[:strings.LastIndexByte(p, '/')]
		if n := root.At(p); n != nil {
			return extent{n.Start, min(n.Start+1, n.End)}, pointer[len(p):]
		}
	}
	return extent{}, ""
}

// maxMarked bounds the texts in which a place is looked for.
const maxMarked = 1 << 20

// memberNameStart returns the start of the name of a member, or 0 for a value that is not one.
func memberNameStart(root *record.Node, pointer string, n *record.Node) int {
	parent := root.At(pointer[:strings.LastIndexByte(pointer, '/')])
	if parent == nil {
		return 0
	}
	for _, m := range parent.Members {
		if m.Value == n {
			return m.NameStart
		}
	}
	return 0
}

// locateHeader finds a header field in the head of a message, or its status line.
func locateHeader(head, name string) extent {
	at := 0
	for l := range strings.Lines(head) {
		is := at == 0 && name == report.StatusLine
		if n, _, ok := strings.Cut(l, ":"); at > 0 && ok && strings.EqualFold(strings.TrimSpace(n), name) {
			is = true
		}
		if is {
			return extent{at, at + len(strings.TrimRight(l, "\n"))}
		}
		at += len(l)
	}
	return extent{}
}
