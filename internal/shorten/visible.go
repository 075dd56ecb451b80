package shorten

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Clip keeps the beginning of a text, and no comma or space at the end of it.
func Clip(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimRight(strings.TrimSuffix(End(s, most-1), "…"), " ,;") + "…"
}

// Visible cuts a text in its middle and makes control characters visible.
func Visible(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if n := utf8.RuneCountInString(s); n > limit {
		s = Middle(s, limit*2/3, limit/4, fmt.Sprintf("… (%d characters) …", n))
	}
	return ShowControls(s)
}

// ShowControls shows control characters as what represents them.
func ShowControls(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c < 0x20:
			return c + 0x2400 // the control picture of it
		case c == 0x7f, c >= 0x80 && c < 0xa0, c >= 0x202a && c <= 0x202e, c >= 0x2066 && c <= 0x2069, c == 0x200e, c == 0x200f:
			return '\uFFFD'
		}
		return c
	}, s)
}
