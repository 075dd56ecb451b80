package brief

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/excerpt"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// writeSetup writes the calls of the conversation before the one that shows a violation: the last of them, the
// earliest first.
func (b *builder) writeSetup(out *strings.Builder, v view.Violation, s size) {
	if v.Evidence == nil || s.setup == 0 {
		return
	}
	at, ok := b.steps[v.Evidence.Exchange]
	if !ok {
		return
	}
	var before []*record.Exchange
	for i := range at.step {
		if x := at.play.Steps[i].Exchange; x != nil && x.Dir == record.Out && x.ID < v.Evidence.Exchange {
			before = append(before, x)
		}
	}
	var text strings.Builder
	if more := len(before) - s.setup; more > 0 {
		fmt.Fprintf(&text, "(%s before these)\n", safetext.CountWithNoun(more, "call"))
		before = before[more:]
	}
	for _, x := range before {
		for _, response := range []bool{false, true} {
			sign := "→"
			if response {
				sign = "←"
			}
			body, _, _ := excerpt.ReadMessage(x, response, 0)
			fmt.Fprintf(&text, "%s %s %s\n", sign, formatFirstLine(x, response), safetext.Line(joinLines(body), s.setupBody))
		}
	}
	writeFence(out, "before it, in the same conversation", text.String())
}

// writeMessages writes what was sent and what came, with the place of the violation in sight.
func (b *builder) writeMessages(out *strings.Builder, v view.Violation, s size) {
	if v.Evidence == nil {
		return
	}
	x := b.exchanges[v.Evidence.Exchange]
	if x == nil {
		return
	}
	at := findPlace(v)
	switch x.Dir {
	case record.Given:
		writeFence(out, "the document", excerptMessage(x, true, at, s))
	case record.In:
		writeFence(out, "the "+b.report.Target.Subject()+" sent", excerptMessage(x, false, at, s))
		writeFence(out, "we answered", excerptMessage(x, true, report.At{}, s))
	default:
		writeFence(out, "sent", excerptMessage(x, false, report.At{}, s))
		writeFence(out, "got", excerptMessage(x, true, at, s))
	}
	writeFence(out, "decoded from base64url at the place", decodePlace(x, x.Dir != record.In, at, s))
}

// decodePlace returns the JSON object that the text at a place encodes in base64url, such as the protected header of a
// signature, cut to a size; "" if it encodes none.
func decodePlace(x *record.Exchange, response bool, at report.At, s size) string {
	text, _, _ := excerpt.ReadMessage(x, response, at.Event)
	if mark, lacks := excerpt.LocatePointer(text, at.Pointer); lacks != "" || mark.To == 0 { // or the text is too long
		return ""
	}
	root, _ := record.ObserveJSON([]byte(text))
	plain, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(root.At(at.Pointer).String, "="))
	object, ok := view.IndentJSON(plain)
	if err != nil || !ok || object[0] != '{' {
		return ""
	}
	var out strings.Builder
	writePieces(&out, string(object), excerpt.Extent{}, s)
	return out.String()
}

// writePieces writes a text, cut to a size, with what is marked in sight.
func writePieces(out *strings.Builder, text string, mark excerpt.Extent, s size) {
	for _, piece := range excerpt.Cut(text, mark, s.body, excerpt.DescribeGap) {
		if piece.Gap != "" {
			out.WriteString("\n" + piece.Gap + "\n")
		}
		out.WriteString(piece.Text)
	}
}

// excerptMessage returns the first line of a message, the header that is meant, and its body, cut to a size.
func excerptMessage(x *record.Exchange, response bool, at report.At, s size) string {
	m := selectMessage(x, response)
	var out strings.Builder
	if first := formatFirstLine(x, response); first != "" {
		out.WriteString(first + "\n")
	}
	for _, f := range m.Fields() {
		if strings.EqualFold(f.Name, at.Header) {
			out.WriteString(safetext.Line(f.Name+": "+f.Value, safetext.MaxExcerpt) + "\n")
		}
	}
	if !response {
		out.WriteString(listHeaders(m, at.Header, s.headers))
	}
	text, _, note := excerpt.ReadMessage(x, response, at.Event)
	if note != "" {
		out.WriteString("(" + note + ")\n")
	}
	mark := excerpt.Extent{}
	if at.Header == "" {
		mark, _ = excerpt.LocatePointer(text, at.Pointer)
	}
	writePieces(&out, text, mark, s)
	return out.String()
}

// joinLines returns the beginning of a text in one line.
func joinLines(text string) string {
	const most = 4 << 10 // far more than is shown
	return strings.Join(strings.Fields(text[:min(most, len(text))]), " ")
}

// selectMessage returns the request of an exchange, or its response.
func selectMessage(x *record.Exchange, response bool) *record.Message {
	if response {
		return &x.Response
	}
	return &x.Request
}

// formatFirstLine returns the first line of a message, or why there is no answer.
func formatFirstLine(x *record.Exchange, response bool) string {
	m := selectMessage(x, response)
	first := view.FirstLine(m.Head)
	if len(m.Head) == 0 && response && x.Dir == record.Out {
		first = "no answer: " + cmp.Or(x.Trouble, excerpt.EndingWords[x.Ended])
	}
	return safetext.Line(first, safetext.MaxName)
}

// listHeaders returns the headers of a request, in so many bytes: those by which a server decides first, and
// without the one that is shown already.
func listHeaders(m *record.Message, shown string, most int) string {
	var first, rest []string
	for _, f := range m.Fields() {
		text := safetext.Line(f.Name+": "+f.Value, safetext.MaxName) + "\n"
		switch name := strings.ToLower(f.Name); {
		case strings.EqualFold(name, shown):
		case strings.HasPrefix(name, "a2a-"), slices.Contains([]string{"content-type", "accept", "authorization", "last-event-id", "x-a2a-extensions"}, name):
			first = append(first, text)
		default:
			rest = append(rest, text)
		}
	}
	var out strings.Builder
	for _, text := range append(first, rest...) {
		if out.Len()+len(text) <= most {
			out.WriteString(text)
		}
	}
	return out.String()
}

// writeFence writes a text in a fence that is longer than any row of backticks in it.
func writeFence(out *strings.Builder, title, text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(out, "\n%s:\n%s\n%s\n%s\n", title, fence, text, fence)
}
