package config

import (
	"bytes"
	"regexp"
)

// bareVariable is a variable that is the whole value of a key.
var bareVariable = regexp.MustCompile(`^\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// blockScalar is the head of a text over several lines, which begins in the next one.
var blockScalar = regexp.MustCompile(`^[|>][-+0-9]*[ \t]*(?:#.*)?\r?$`)

// Quoted returns a text in which variables are quoted if YAML would not take them bare: between the
// braces or brackets of {bearer: ${NAME}}. Everywhere else a text stays as it is, above all if it is
// quoted: "say ${NAME}" is a text with these characters.
func Quoted(text []byte) []byte {
	var out bytes.Buffer
	q := quoter{text: text, start: true}
	for q.at < len(text) {
		from := q.at
		if q.depth > 0 && q.start {
			if v := bareVariable.Find(text[q.at:]); v != nil && q.endsValue(q.at+len(v)) {
				out.WriteString(`"` + string(v) + `"`)
				q.at, q.start = q.at+len(v), false
				continue
			}
		}
		q.skipToNext()
		out.Write(text[from:q.at])
	}
	return out.Bytes()
}

// quoter walks over the tokens of YAML, as far as quotes, comments and braces go.
type quoter struct {
	text  []byte
	at    int
	depth int  // of braces and brackets
	start bool // a value or a key may begin here
}

// skipToNext moves to the next place at which something may begin.
func (q *quoter) skipToNext() {
	switch c := q.text[q.at]; {
	case c == ' ' || c == '\t' || c == '\r':
		q.at++
	case c == '\n':
		q.at++
		q.start = true
	case c == '#' && (q.at == 0 || bytes.IndexByte([]byte(" \t\n"), q.text[q.at-1]) >= 0):
		q.toLineEnd()
	case q.start && (c == '"' || c == '\''):
		q.passQuoted(c)
		q.start = false
	case q.start && q.depth == 0 && (c == '|' || c == '>') && blockScalar.Match(q.peekRestOfLine()):
		q.passBlock()
	case q.start && (c == '{' || c == '['), q.depth > 0 && (c == '{' || c == '['):
		q.at++
		q.depth++
		q.start = true
	case q.depth > 0 && (c == '}' || c == ']'):
		q.at++
		q.depth--
		q.start = false
	case q.depth > 0 && c == ',', (c == ':' || q.start && (c == '-' || c == '?')) && q.blankAfter():
		q.at++
		q.start = true
	default:
		q.at++
		q.start = false
	}
}

// peekRestOfLine returns what is left of the line.
func (q *quoter) peekRestOfLine() []byte {
	line, _, _ := bytes.Cut(q.text[q.at:], []byte("\n"))
	return line
}

func (q *quoter) toLineEnd() { q.at += len(q.peekRestOfLine()) }

func (q *quoter) blankAfter() bool {
	return q.at+1 == len(q.text) || bytes.IndexByte([]byte(" \t\r\n"), q.text[q.at+1]) >= 0
}

// endsValue reports whether a value in braces ends at a place.
func (q *quoter) endsValue(at int) bool {
	rest := bytes.TrimLeft(q.text[at:], " \t\r\n")
	return len(rest) == 0 || bytes.IndexByte([]byte(",}]#"), rest[0]) >= 0
}

// passQuoted goes behind the end of a quoted text.
func (q *quoter) passQuoted(quote byte) {
	for q.at++; q.at < len(q.text); q.at++ {
		switch c := q.text[q.at]; {
		case c == '\\' && quote == '"':
			q.at++
		case c == quote && quote == '\'' && q.at+1 < len(q.text) && q.text[q.at+1] == quote:
			q.at++
		case c == quote:
			q.at++
			return
		}
	}
	q.at = min(q.at, len(q.text))
}

// passBlock goes behind a text over several lines: all lines that are further in than the one in
// which it begins.
func (q *quoter) passBlock() {
	head := q.text[:q.at]
	head = head[bytes.LastIndexByte(head, '\n')+1:]
	indent := len(head) - len(bytes.TrimLeft(head, " "))
	q.toLineEnd()
	for q.at < len(q.text) {
		line, _, _ := bytes.Cut(q.text[q.at+1:], []byte("\n"))
		inner := len(line) - len(bytes.TrimLeft(line, " "))
		if len(bytes.TrimSpace(line)) > 0 && inner <= indent {
			return
		}
		q.at = min(q.at+1+len(line), len(q.text))
	}
}
