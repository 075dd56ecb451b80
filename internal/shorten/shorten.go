// Package shorten bounds texts that others wrote before they are shown.
package shorten

import "unicode/utf8"

// End keeps the first characters of a text, at most so many, and puts an ellipsis
// in place of the rest. Like Middle it makes valid what it cuts.
func End(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return string([]rune(s[:i])) + "…"
		}
	}
	return s
}

// Middle keeps the first and the last characters of a text, as many as are stated,
// and puts other words in place of what was between them.
func Middle(s string, head, tail int, words string) string {
	r := []rune(s)
	if len(r) <= head+tail {
		return s
	}
	return string(r[:head]) + words + string(r[len(r)-tail:])
}

// Bytes returns the first most bytes of s or a few less, so that no character is cut.
// What is not UTF-8 has no characters and is cut anywhere.
func Bytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for i := range min(utf8.UTFMax, most+1) {
		if utf8.RuneStart(s[most-i]) {
			return s[:most-i]
		}
	}
	return s[:most]
}
