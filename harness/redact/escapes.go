package redact

import (
	"bytes"
	"html"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A reading returns what the beginning of a text means in some notation, and
// how many bytes say it.
type reading func(b []byte) (meaning string, n int)

// readings are tried one after the other.
var readings = []reading{readPlain, readPercent, readQuery, readJSON, readHTML, readName}

// escapeReadings are those that read a byte as anything but itself, for each of
// the bytes in escapes.
var escapeReadings = [256][]reading{
	'%':  {readPercent, readQuery},
	'+':  {readQuery},
	'\\': {readJSON, readName},
	'&':  {readHTML},
}

// hexByte reads two digits of hex; it is -1 if there are none.
func hexByte(b []byte) int {
	high, low := hexDigit(b[0]), hexDigit(b[1])
	if high < 0 || low < 0 {
		return -1
	}
	return high<<4 | low
}

func hexDigit(c byte) int {
	switch c = lowerCase[c]; {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}

// usualEntities are read without a look at all the others.
var usualEntities = map[string]string{"amp": "&", "lt": "<", "gt": ">", "quot": `"`, "apos": "'"}

func readPlain(b []byte) (string, int) { return byteString(b[0]), 1 }

// byteString is a byte as a text, without taking memory for it.
func byteString(c byte) string { return bytesInOrder[c : int(c)+1] }

var bytesInOrder = func() string {
	b := make([]byte, 256)
	for i := range b {
		b[i] = byte(i)
	}
	return string(b)
}()

func readPercent(b []byte) (string, int) {
	if b[0] == '%' && len(b) >= 3 {
		if c := hexByte(b[1:]); c >= 0 {
			return byteString(byte(c)), 3
		}
	}
	return readPlain(b)
}

func readQuery(b []byte) (string, int) {
	if b[0] == '+' {
		return " ", 1
	}
	return readPercent(b)
}

func readJSON(b []byte) (string, int) {
	if b[0] != '\\' || len(b) < 2 {
		return readPlain(b)
	}
	if i := strings.IndexByte(`"\/bfnrt`, b[1]); i >= 0 {
		return "\"\\/\b\f\n\r\t"[i : i+1], 2
	}
	if b[1] == 'x' && len(b) >= 4 { // not JSON, but what other languages write
		if c := hexByte(b[2:]); c >= 0 {
			return byteString(byte(c)), 4
		}
	}
	unit := func(b []byte) rune {
		if len(b) >= 6 && b[0] == '\\' && b[1] == 'u' {
			if high, low := hexByte(b[2:]), hexByte(b[4:]); high >= 0 && low >= 0 {
				return rune(high<<8 | low)
			}
		}
		return -1
	}
	c := unit(b)
	if c < 0 {
		return readPlain(b)
	}
	if c < utf8.RuneSelf {
		return byteString(byte(c)), 6
	}
	if utf16.IsSurrogate(c) {
		if c = utf16.DecodeRune(c, unit(b[6:])); c != utf8.RuneError {
			return string(c), 12
		}
	}
	return string(c), 6
}

// readHTML reads an entity by name, or by number with any zeros before it and with
// or without the semicolon.
func readHTML(b []byte) (string, int) {
	if b[0] != '&' || len(b) < 3 {
		return readPlain(b)
	}
	if b[1] == '#' {
		if c, n := entityNumber(b[2:]); n > 0 && c < utf8.RuneSelf {
			return byteString(byte(c)), 2 + n
		} else if n > 0 {
			return string(c), 2 + n
		}
		return readPlain(b)
	}
	const longest = 33 // of the names
	if i := bytes.IndexByte(b[:min(longest, len(b))], ';'); i > 0 {
		if c, ok := usualEntities[string(b[1:i])]; ok {
			return c, i + 1
		}
		if text := string(b[:i+1]); html.UnescapeString(text) != text {
			return html.UnescapeString(text), i + 1
		}
	}
	return readPlain(b)
}

// entityNumber reads what follows &#: a character, and how many bytes say it; 0
// for none.
func entityNumber(b []byte) (c rune, n int) {
	base := rune(10)
	if b[0] == 'x' || b[0] == 'X' {
		base, n = 16, 1
	}
	digits := n
	for ; n < len(b); n++ {
		d := hexDigit(b[n])
		if d < 0 || rune(d) >= base {
			break
		}
		if c = c*base + rune(d); c > utf8.MaxRune {
			return 0, 0
		}
	}
	if n == digits || c == 0 {
		return 0, 0
	}
	if n < len(b) && b[n] == ';' {
		n++
	}
	return c, n
}

// readName reads what distinguished names, and many a language, make of a
// backslash: two digits of hex, or the character that follows it.
func readName(b []byte) (string, int) {
	if b[0] != '\\' || len(b) < 2 {
		return readPlain(b)
	}
	if len(b) >= 3 {
		if c := hexByte(b[1:]); c >= 0 {
			return byteString(byte(c)), 3
		}
	}
	return byteString(b[1]), 2
}

// lowerCase maps each byte to itself, and capital ASCII letters to small ones.
var lowerCase = func() (t [256]byte) {
	for i := range t {
		t[i] = byte(i)
		if i >= 'A' && i <= 'Z' {
			t[i] += 'a' - 'A'
		}
	}
	return t
}()
