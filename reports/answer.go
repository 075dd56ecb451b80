package reports

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
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
	fmt.Fprintf(b, "%s\n", strings.TrimRight(shown(strings.ReplaceAll(string(m.Head), "\r\n", "\n"), maxAnswerHead), "\n"))
	for _, f := range m.Framing.Faults {
		fmt.Fprintf(b, "framing: %s\n", line(f, maxExcerpt))
	}
	if len(m.Body) > 0 {
		b.WriteString("\n")
	}
	if x.IsStream() {
		answerEvents(b, x)
	} else {
		body := m.Body
		if text := x.ReplyText(); x.GRPC() != nil && len(text) > 0 { // the message, as JSON
			body = text
		}
		if laid, ok := prettyJSON(body); ok {
			body = laid
		}
		if text := shown(string(body), maxAnswer); text != "" {
			fmt.Fprintf(b, "%s\n", strings.TrimRight(text, "\n"))
		}
	}
	if m.Framing.Cut != "" {
		fmt.Fprintf(b, "\nonly %s of %s were kept\n", plural(len(m.Body), "byte"), plural(int(m.Framing.Received), "byte"))
	}
	if len(m.Trailer) > 0 {
		fmt.Fprintf(b, "\nafter the body\n%s\n", strings.TrimRight(shown(strings.ReplaceAll(string(m.Trailer), "\r\n", "\n"), maxAnswerHead), "\n"))
	}
	return b.Flush()
}

// answerEvents prints the events of a stream, and what is left of one that did not end.
func answerEvents(b *bufio.Writer, x *record.Exchange) {
	budget, body := maxAnswer, x.Response.Body
	for i, e := range x.Events() {
		if budget <= 0 {
			fmt.Fprintf(b, "… %s left out\n", plural(len(x.Events())-i, "event"))
			break
		}
		raw := body[min(e.Start, len(body)):min(e.End, len(body))]
		text := eventText(raw, &e)
		budget -= len(text)
		fmt.Fprintf(b, "event %d %s\n%s\n\n", i+1, after(e.At-x.Start), indent(text))
	}
	if rest := x.Rest(); rest != nil {
		fmt.Fprintf(b, "incomplete event, which clients drop\n%s\n", indent(strings.TrimSpace(shown(string(body[min(rest.Start, len(body)):]), maxEvent))))
	}
}

// indent sets a text off: no line of it begins where a line of ours does.
func indent(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") }
