package safetext

import (
	"bytes"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Writer escapes output so that it cannot act as a CI command or a terminal control. A CI runner executes
// commands that it finds in a log: anywhere in a line (##[error], ##vso[…], ##teamcity[…]), or at its
// beginning after blanks (::error::). A terminal obeys control characters, and invisible characters mislead a
// reader. Each is replaced by an escape in the form of JSON, such as \u0023, so that a report on the standard
// output remains JSON.
type Writer struct {
	w             io.Writer
	allowControls bool   // control characters are ours: the output is a terminal
	lineBegun     bool   // the present line has more than blanks
	held          []byte // the end of the input, if only what follows decides
}

// NewWriter returns a writer in front of w. Flush it at the end. If w is a terminal, control characters of
// this program pass; those of others are made visible before.
func NewWriter(w io.Writer, allowControls bool) *Writer {
	return &Writer{w: w, allowControls: allowControls}
}

// Write writes p, but for an end that may be the beginning of a command.
func (i *Writer) Write(p []byte) (int, error) {
	text := p
	if len(i.held) > 0 {
		text = append(i.held, p...)
		i.held = nil
	}
	return len(p), i.writeSanitized(text, false)
}

// Flush writes what was held back.
func (i *Writer) Flush() error {
	text := i.held
	i.held = nil
	return i.writeSanitized(text, true)
}

func (i *Writer) writeSanitized(text []byte, last bool) error {
	var out bytes.Buffer
	out.Grow(len(text))
	for len(text) > 0 {
		if n := plainPrefixLength(text); n > 0 {
			out.Write(text[:n])
			i.lineBegun = i.lineBegun || len(bytes.TrimLeft(text[:n], " ")) > 0
			text = text[n:]
			continue
		}
		if !last && (!utf8.FullRune(text) || i.isUndecidedWorkflowCommand(text)) {
			i.held = bytes.Clone(text)
			break
		}
		r, n := utf8.DecodeRune(text)
		switch {
		case r == '#' && bracketCommandPrefixLength(text) > 0, r == ':' && !i.lineBegun && bytes.HasPrefix(text, []byte("::")):
			fmt.Fprintf(&out, `\u%04x`, r)
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&out, `\x%02x`, text[0])
		case r == '\n' || r == '\t':
			out.WriteRune(r)
		case (r < 0x20 || r == 0x7f) && i.allowControls:
			out.WriteRune(r)
		case r < 0x20:
			out.WriteRune('␀' + r)
		case r == 0x7f:
			out.WriteRune('␡')
		case IsHidden(r) && r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		case IsHidden(r):
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
		switch {
		case r == '\n' || r == '\r' && i.allowControls:
			i.lineBegun = false
		case !unicode.IsSpace(r):
			i.lineBegun = true
		}
		text = text[n:]
	}
	if out.Len() == 0 {
		return nil
	}
	_, err := i.w.Write(out.Bytes())
	return err
}

// plainPrefixLength is how many bytes stand at the beginning of a text that mean nothing to anybody,
// wherever they are: most of what is printed.
func plainPrefixLength(text []byte) int {
	for n, c := range text {
		if c < ' ' || c > '~' || c == '#' || c == ':' {
			return n
		}
	}
	return len(text)
}

// isUndecidedWorkflowCommand reports whether only the following bytes decide if a command begins here.
func (i *Writer) isUndecidedWorkflowCommand(text []byte) bool {
	switch text[0] {
	case '#':
		return bracketCommandPrefixLength(text) < 0
	case ':':
		return !i.lineBegun && len(text) == 1
	}
	return false
}

// maxCommandName bounds the name between ## and the bracket.
const maxCommandName = 40

// bracketCommandPrefixLength returns the length of the beginning of a command in brackets: 0 if the text
// begins with none, -1 if it is too short to decide.
func bracketCommandPrefixLength(text []byte) int {
	for n, c := range text {
		switch {
		case n < 2 && c == '#':
		case n >= 2 && c == '[':
			return n + 1
		case n < 2 || n > maxCommandName || !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_'):
			return 0
		}
	}
	return -1
}
