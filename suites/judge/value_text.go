package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Shown returns the value as a failure text shows it: short, and safe to print.
func (v Value) Shown() string {
	if v.node == nil {
		return "nothing"
	}
	raw := v.rawText()
	if v.node.Kind == record.String && strings.Contains(raw, "://") { // the end of an address distinguishes it from others
		raw = shorten.Middle(raw, mostShown/3, mostShown/3, "…")
	}
	if len(v.comparedWith) > 0 && v.comparedWith[0].node != nil {
		raw = showDifference(raw, v.comparedWith[0].rawText())
	}
	return shorten.Visible(shorten.Clip(raw, mostShown), mostShown)
}

// showDifference returns a text from shortly before its first difference from another, if that
// is so far behind that the beginnings of the two look alike.
func showDifference(text, other string) string {
	const before = 30
	runes, beside := []rune(text), []rune(other)
	at := 0
	for at < len(runes) && at < len(beside) && runes[at] == beside[at] {
		at++
	}
	if at < mostShown-before || text == other {
		return text
	}
	from := at - before
	if rest := len(runes) - from; rest < mostShown-1 { // the end of the text is the better window
		from = max(0, len(runes)-mostShown+1)
	}
	if from == 0 {
		return text
	}
	return "…" + string(runes[from:])
}

// mostShown bounds what a text quotes of the server, in characters.
const mostShown = 90

// rawText returns the value as the server wrote it, without white space around its members.
func (v Value) rawText() string {
	var b bytes.Buffer
	if text := v.doc.Bytes(); v.node.End <= len(text) && json.Compact(&b, text[v.node.Start:v.node.End]) == nil {
		return b.String()
	}
	if text, err := json.Marshal(v.node.Interface()); err == nil {
		return string(text)
	}
	return "?"
}

// mostEvident bounds the excerpt of a value in evidence, in characters.
const mostEvident = 240

// makeExcerpt returns the value as evidence shows it. A text of megabytes is not copied for
// its ends.
func (v Value) makeExcerpt() string {
	const long = 4 << 10
	text := v.doc.Bytes()
	if v.node.End > len(text) || v.node.End-v.node.Start <= long {
		return shorten.Visible(v.rawText(), mostEvident)
	}
	if known, ok := v.doc.excerpts.Load(v.ptr); ok {
		return known.(string)
	}
	out := v.showBothEnds(text[v.node.Start:v.node.End])
	v.doc.excerpts.Store(v.ptr, out)
	return out
}

// showBothEnds returns the excerpt of a long text.
func (v Value) showBothEnds(text []byte) string {
	var head, tail []rune
	n, quoted, escaped, broken := 0, false, false, false
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		text = text[size:]
		invalid := c == utf8.RuneError && size == 1
		if invalid && broken || !quoted && (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
			continue // as Shorten and compact JSON have it
		}
		broken = invalid
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = quoted
		case c == '"':
			quoted = !quoted
		}
		if n++; len(head) < mostEvident*2/3 {
			head = append(head, c)
		}
		if tail = append(tail, c); len(tail) >= 4*mostEvident {
			tail = append(tail[:0], tail[len(tail)-mostEvident/4:]...)
		}
	}
	if n <= mostEvident { // it was mostly blanks
		return shorten.Visible(v.rawText(), mostEvident)
	}
	return shorten.ShowControls(string(head) + fmt.Sprintf("… (%d characters) …", n) + string(tail[len(tail)-mostEvident/4:]))
}

// Named returns the value with the name of its member.
func (v Value) Named() string {
	if v.ptr == "" {
		return v.Shown()
	}
	return v.memberName() + " " + v.Shown()
}

// Missing returns in words why there is no value.
func (v Value) Missing() string {
	if v.why != "" {
		return v.why
	}
	return "sent no " + v.memberName()
}

func (v Value) memberName() string {
	at := v.ptr
	if place := v.Place(); place != "" { // by the name that is there
		at = place
	}
	i := strings.LastIndexByte(at, '/')
	switch {
	case i < 0:
		return "JSON body"
	case strings.Trim(at[i:], "/0123456789") == "": // the place in a list means nothing without its name
		i = max(0, strings.LastIndexByte(at[:i], '/'))
	}
	return shorten.Visible(at[i+1:], 60)
}

// givenFile names the document that the operator gave; "" for an exchange.
func givenFile(x *record.Exchange) string {
	if x.Dir != record.Given {
		return ""
	}
	return shorten.Visible(strings.TrimPrefix(x.URL, "file:"), 80)
}

// FaultText describes a fault of the JSON text that the value is from: what is
// there, at which byte, and what a reader of JSON makes of it.
func (v Value) FaultText(f record.JSONFault) string {
	text := v.doc.Exchange.ReplyText()
	if v.doc.Event > 0 {
		text = []byte(v.doc.Exchange.Events()[v.doc.Event-1].Data)
	}
	from := f.Offset
	if from < 10 {
		from = 0 // what is so near is shown from its beginning
	}
	if from >= len(text) {
		return fmt.Sprintf("a fault at its end: %s", shorten.Visible(f.Detail, 80))
	}
	return fmt.Sprintf("%s (at byte %d, %s)", shorten.ShowControls(shorten.Clip(string(text[from:min(len(text), from+200)]), 30)), f.Offset, shorten.Visible(f.Detail, 60))
}

// Evidence points at the value.
func (v Value) Evidence() report.Evidence {
	e := report.Evidence{Pointer: v.Place()}
	if v.doc != nil && v.doc.Exchange != nil {
		e.Exchange, e.Event = v.doc.Exchange.ID, v.doc.Event
		e.File = givenFile(v.doc.Exchange)
	}
	if v.doc != nil && v.doc.Line != nil {
		e.Said = v.doc.Line.Line
	}
	if v.node != nil && (v.t == nil || !v.t.Case.Track) {
		e.Excerpt = v.makeExcerpt()
	}
	return e
}
