package reports

import (
	"bytes"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Inert is the last thing that every line of ours passes on its way out. What
// others wrote and we print obeys nobody there: a CI runner takes commands out of
// the log, wherever they stand (##[error], ##vso[…], ##teamcity[…]) or where a line
// begins with them after blanks (::error::), a terminal obeys control characters,
// and an eye misses what shows nothing. Each is broken by an escape in the form of
// JSON, \u0023, so that a report on the standard output stays JSON.
type Inert struct {
	w        io.Writer
	controls bool   // control characters are ours: the output is a terminal
	begun    bool   // the present line has more than blanks
	held     []byte // the end of what was written, where what follows it decides
}

// NewInert returns a writer in front of w. Flush it at the end. Where w is a
// terminal, our own control characters pass: those of others were made visible
// before.
func NewInert(w io.Writer, terminal bool) *Inert { return &Inert{w: w, controls: terminal} }

// Write writes p, but for an end that may be the beginning of a command.
func (i *Inert) Write(p []byte) (int, error) {
	text := p
	if len(i.held) > 0 {
		text = append(i.held, p...)
		i.held = nil
	}
	return len(p), i.write(text, false)
}

// Flush writes what was held back.
func (i *Inert) Flush() error {
	text := i.held
	i.held = nil
	return i.write(text, true)
}

func (i *Inert) write(text []byte, last bool) error {
	var out bytes.Buffer
	out.Grow(len(text))
	for len(text) > 0 {
		if n := ordinary(text); n > 0 {
			out.Write(text[:n])
			i.begun = i.begun || len(bytes.TrimLeft(text[:n], " ")) > 0
			text = text[n:]
			continue
		}
		if !last && (!utf8.FullRune(text) || i.undecided(text)) {
			i.held = bytes.Clone(text)
			break
		}
		r, n := utf8.DecodeRune(text)
		switch {
		case r == '#' && command(text) > 0, r == ':' && !i.begun && bytes.HasPrefix(text, []byte("::")):
			fmt.Fprintf(&out, `\u%04x`, r)
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&out, `\x%02x`, text[0])
		case r == '\n' || r == '\t':
			out.WriteRune(r)
		case (r < 0x20 || r == 0x7f) && i.controls:
			out.WriteRune(r)
		case r < 0x20:
			out.WriteRune('␀' + r)
		case r == 0x7f:
			out.WriteRune('␡')
		case hidden(r) && r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		case hidden(r):
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
		switch {
		case r == '\n' || r == '\r' && i.controls:
			i.begun = false
		case !unicode.IsSpace(r):
			i.begun = true
		}
		text = text[n:]
	}
	if out.Len() == 0 {
		return nil
	}
	_, err := i.w.Write(out.Bytes())
	return err
}

// ordinary is how many bytes stand at the beginning of a text that mean nothing to anybody,
// wherever they are: most of what is printed.
func ordinary(text []byte) int {
	for n, c := range text {
		if c < ' ' || c > '~' || c == '#' || c == ':' {
			return n
		}
	}
	return len(text)
}

// undecided reports whether only what follows tells if a command begins here.
func (i *Inert) undecided(text []byte) bool {
	switch text[0] {
	case '#':
		return command(text) < 0
	case ':':
		return !i.begun && len(text) == 1
	}
	return false
}

// longestCommand bounds the name between ## and the bracket.
const longestCommand = 40

// command is the length of the beginning of a command in brackets: 0 if the text
// begins with none, -1 if it is too short to tell.
func command(text []byte) int {
	for n, c := range text {
		switch {
		case n < 2 && c == '#':
		case n >= 2 && c == '[':
			return n + 1
		case n < 2 || n > longestCommand || !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_'):
			return 0
		}
	}
	return -1
}

// Visible is a text of any number of lines in which nothing acts on a terminal
// and nothing is unseen.
func Visible(s string) string { return visible(s) }
