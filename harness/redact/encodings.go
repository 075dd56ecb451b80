package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"strings"
)

// form is a shape in which a secret travels. Letters are compared without regard
// to case: what is in one case is often written in the other on its way.
type form struct {
	value string // in small letters, as far as they are ASCII
	gaps  string // characters that may stand between its own and mean nothing there
	mark  []byte
}

// Gaps are what may break up an encoded text: line ends with what indents the
// next line, and between the digits of hex also the usual separators.
const (
	base64Gaps = "\r\n\t "
	hexGaps    = "\r\n\t :-"
	longestGap = 16 // characters
)

// formsOf are the forms of a secret that do not depend on the text around: the
// secret itself, and in base64 and hex the secret as it is and as it is usually
// escaped.
func formsOf(secret string) []form {
	var out []form
	for _, v := range []string{secret, strings.ToLower(secret), strings.ToUpper(secret)} {
		out = append(out, form{value: lowerASCII(v)})
		quoted, _ := json.Marshal(v)
		for _, v := range []string{v, url.QueryEscape(v), url.PathEscape(v), string(quoted[1 : len(quoted)-1]), html.EscapeString(v)} {
			out = append(out, form{value: hex.EncodeToString([]byte(v)), gaps: hexGaps})
			for _, text := range base64Of(v) {
				out = append(out, form{value: lowerASCII(text), gaps: base64Gaps})
			}
		}
	}
	return out
}

// base64Of are the shapes of a text in base64: by itself with padding and
// without, and inside a longer text in one of three, according to its position;
// there the ends depend on its neighbours.
func base64Of(v string) (out []string) {
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		bare := e.WithPadding(base64.NoPadding)
		out = append(out, e.EncodeToString([]byte(v)), bare.EncodeToString([]byte(v)))
		for shift, from := range []int{0, 2, 3} {
			text := bare.EncodeToString(append(make([]byte, shift), v...))
			to := len(text)
			if (shift+len(v))%3 != 0 {
				to--
			}
			out = append(out, text[from:to])
		}
	}
	return out
}

// lowerASCII writes the ASCII letters of a text small.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = lowerCase[c]
	}
	return string(b)
}

func upperASCIIByte(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// escapes are the bytes at which the readings differ.
var escapes = [256]bool{'%': true, '+': true, '\\': true, '&': true}

// matchSecretAtStart returns how many bytes at the beginning of b are a secret, and what is written
// in their place.
func (r *Redactor) matchSecretAtStart(b []byte) (n int, mark []byte) {
	if len(b) < 2 || !r.begins[b[0]][b[1]] {
		return 0, nil
	}
	by := readings
	if len(r.forms[lowerCase[b[0]]]) == 0 {
		by = escapeReadings[b[0]]
	}
	for _, read := range by {
		first, size := read(b)
		escaped := escapes[b[0]] || size < len(b) && escapes[b[size]]
		if r.mayBeginSecret(first, b[size:], read) {
			for i := range r.forms[lowerCase[first[0]]] {
				f := &r.forms[lowerCase[first[0]]][i]
				k, met := f.matchLen(b, read)
				escaped = escaped || met
				if k > n {
					n, mark = k, f.mark
				}
			}
		}
		if !escaped {
			break // every reading reads the same
		}
	}
	return n, mark
}

// mayBeginSecret reports whether a form may begin with what was read first and what comes
// behind it: a look at two characters spares most texts the match with every form.
func (r *Redactor) mayBeginSecret(first string, rest []byte, read reading) bool {
	if len(first) > 1 || len(rest) == 0 {
		return true
	}
	next := &r.opening[lowerCase[first[0]]]
	if c := rest[0]; !escapes[c] {
		return next[lowerCase[c]]
	}
	second, _ := read(rest)
	return next[lowerCase[second[0]]]
}

// matchLen is the length of the text at the beginning of b that reads as the form,
// and whether an escape was read on the way.
func (f *form) matchLen(b []byte, read reading) (n int, escaped bool) {
	gap := 0
	for i := 0; i < len(f.value); {
		if n == len(b) {
			return 0, escaped
		}
		c := b[n]
		if !escapes[c] && lowerCase[c] == f.value[i] {
			i, n, gap = i+1, n+1, 0
			continue
		}
		escaped = escaped || escapes[c]
		meaning, k := read(b[n:])
		switch {
		case hasPrefixFold(f.value[i:], meaning):
			i, n, gap = i+len(meaning), n+k, 0
		case i > 0 && gap < longestGap && len(meaning) == 1 && strings.Contains(f.gaps, meaning):
			n, gap = n+k, gap+1
		default:
			return 0, escaped
		}
	}
	return n, escaped
}

// hasPrefixFold reports whether a text in small letters begins with a meaning in any.
func hasPrefixFold(text, meaning string) bool {
	if len(text) < len(meaning) {
		return false
	}
	for i := range len(meaning) {
		if text[i] != lowerCase[meaning[i]] {
			return false
		}
	}
	return true
}
