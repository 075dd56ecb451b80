package reports

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
)

// How much of one answer is printed.
const (
	maxAnswer     = 64 << 10
	maxAnswerHead = 8 << 10
)

// Answer prints what a server answered: the status with the header fields, then the body
// or, of a stream, each event with the time after which it came, and the fields that
// follow a body of HTTP/2. It is bounded, and
// nothing in it acts on who reads it.
func Answer(w io.Writer, x *record.Exchange) error {
	b := bufio.NewWriter(w)
	m := &x.Response
	fmt.Fprintf(b, "%s\n", strings.TrimRight(safetext.Text(strings.ReplaceAll(string(m.Head), "\r\n", "\n"), maxAnswerHead), "\n"))
	for _, f := range m.Framing.Faults {
		fmt.Fprintf(b, "framing: %s\n", safetext.Line(f, safetext.MaxExcerpt))
	}
	if len(m.Body) > 0 {
		b.WriteString("\n")
	}
	if x.IsStream() {
		printEvents(b, x)
	} else {
		body := m.Body
		if text := x.ReplyText(); x.GRPC() != nil && len(text) > 0 { // the message, as JSON
			body = text
		}
		if laid, ok := view.IndentJSON(body); ok {
			body = laid
		}
		if text := safetext.Text(string(body), maxAnswer); text != "" {
			fmt.Fprintf(b, "%s\n", strings.TrimRight(text, "\n"))
		}
	}
	if m.Framing.Cut != "" {
		fmt.Fprintf(b, "\nonly %s of %s were kept\n", safetext.CountWithNoun(len(m.Body), "byte"), safetext.CountWithNoun(int(m.Framing.Received), "byte"))
	}
	if len(m.Trailer) > 0 {
		fmt.Fprintf(b, "\nafter the body\n%s\n", strings.TrimRight(safetext.Text(strings.ReplaceAll(string(m.Trailer), "\r\n", "\n"), maxAnswerHead), "\n"))
	}
	return b.Flush()
}

// printEvents prints the events of a stream, and what is left of one that did not end.
func printEvents(b *bufio.Writer, x *record.Exchange) {
	budget, body := maxAnswer, x.Response.Body
	for i, e := range x.Events() {
		if budget <= 0 {
			fmt.Fprintf(b, "… %s left out\n", safetext.CountWithNoun(len(x.Events())-i, "event"))
			break
		}
		raw := body[min(e.Start, len(body)):min(e.End, len(body))]
		text := view.IndentEventData(raw, &e)
		budget -= len(text)
		fmt.Fprintf(b, "event %d %s\n%s\n\n", i+1, view.FormatDelay(e.At-x.Start), indentBlock(text))
	}
	if rest := x.Rest(); rest != nil {
		fmt.Fprintf(b, "incomplete event, which clients drop\n%s\n", indentBlock(strings.TrimSpace(safetext.Text(string(body[min(rest.Start, len(body)):]), view.MaxEvent))))
	}
}

// indentBlock indents every line of a text, so that none begins like a line of this program.
func indentBlock(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") }
