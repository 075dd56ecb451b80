package record

import "unicode/utf8"

var bom = []byte("\xEF\xBB\xBF")

// decodeUTF8 replaces invalid UTF-8 as the WHATWG Encoding standard does: one
// U+FFFD for each longest run that could have begun a character. The standard
// library replaces byte by byte, or run by run, which gives other lengths.
func decodeUTF8(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	out := make([]byte, 0, len(b)+len(b)/2)
	for len(b) > 0 {
		c, n := utf8.DecodeRune(b)
		if c == utf8.RuneError && n == 1 {
			n = leadingIncompleteRuneLen(b)
		}
		out = utf8.AppendRune(out, c)
		b = b[n:]
	}
	return out
}

// leadingIncompleteRuneLen is the length of the longest prefix of the invalid sequence b that
// more bytes could have completed; at least 1.
func leadingIncompleteRuneLen(b []byte) int {
	n := 1
	for n < min(len(b), utf8.UTFMax) && !utf8.FullRune(b[:n+1]) {
		n++
	}
	// FullRune is false for a prefix that can still become a character and
	// true for one that cannot, so b[:n] is the last that could, or one stray byte.
	return n
}

// invalidUTF8At is the offset of the first invalid byte of b, or -1.
func invalidUTF8At(b []byte) int {
	for i := 0; i < len(b); {
		c, n := utf8.DecodeRune(b[i:])
		if c == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// trimPartialRune drops the beginning of a character at the end of b.
func trimPartialRune(b []byte) []byte {
	for i := 1; i <= min(len(b), utf8.UTFMax); i++ {
		if tail := b[len(b)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// cutUTF8 returns at most n bytes of b and no half character.
func cutUTF8(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	return trimPartialRune(b[:n])
}
