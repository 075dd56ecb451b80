// Package safetext prints text that somebody else chose, such as a server under test: shortened, with
// control and invisible characters shown rather than obeyed, escaped for Markdown, and without commands
// that a CI runner would execute.
package safetext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
)

// Abbreviate is a text of at most so many characters.
func Abbreviate(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// How much of one text a reader is shown.
const (
	MaxName    = 200
	MaxReason  = 2000
	MaxExcerpt = 600
)

// TruncateStatingRest shortens s to about limit bytes and states how much is left out. It cuts between characters.
func TruncateStatingRest(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head := shorten.Bytes(s, limit)
	return fmt.Sprintf("%s … (%s left out)", head, CountWithNoun(len(s)-len(head), "byte"))
}

// Visible shows what would otherwise act on a terminal or mislead the eye:
// control characters as their pictures, directional and invisible characters by
// their code points, and bytes that are no UTF-8 in hex. Line feeds and tabs
// stay. The result is valid UTF-8 without a character that XML forbids.
func Visible(s string) string {
	from := 0 // most texts are plain
	for from < len(s) && s[from] >= ' ' && s[from] <= '~' {
		from++
	}
	if from == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:from])
	for i := from; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r < 0x20:
			b.WriteRune('␀' + r)
		case r == 0x7f:
			b.WriteRune('␡')
		case IsHidden(r) && r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		case IsHidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// IsHidden reports whether a character above the ASCII range has no picture of
// its own: the C1 controls, format characters such as the bidi overrides, letters
// and selectors that show nothing, the Unicode line ends, and noncharacters.
func IsHidden(r rune) bool {
	if r < 0xa0 {
		return r >= 0x80
	}
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) ||
		r == 0x2800 || r == 0x1d159 || r&0xfffe == 0xfffe
}

// Text is a text of several lines, shortened and visible.
func Text(s string, limit int) string { return Visible(TruncateStatingRest(s, limit)) }

var lineBreaks = strings.NewReplacer("\n", "␊", "\t", "␉")

// Line is a text on one line, shortened and visible.
func Line(s string, limit int) string { return lineBreaks.Replace(Text(s, limit)) }

// CountWithNoun counts things: "1 byte", "12,000 bytes".
func CountWithNoun(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return Thousands(n) + " " + noun + "s"
}

func Thousands(n int) string {
	if n < 0 {
		return "-" + Thousands(-n)
	}
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", Thousands(n/1000), n%1000)
}

// OneLine makes any text safe to print as one line: shortened, and with the
// characters shown that would act on a terminal.
func OneLine(s string) string { return Line(s, MaxReason) }
