package brief

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/excerpt"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// builder writes the causes of a report's failures.
type builder struct {
	report     *report.Report
	exchanges  map[int]*record.Exchange
	dependents map[string][]*report.Result
}

func newBuilder(r *report.Report, t *record.Transcript) *builder {
	b := &builder{report: r, exchanges: map[int]*record.Exchange{}, dependents: view.DependentFailures(r)}
	if t != nil {
		for _, x := range t.Exchanges {
			b.exchanges[x.ID] = x
		}
	}
	return b
}

// describeCause writes the section of a failure: with the largest excerpts that fit into the bytes, and if
// none does without excerpts. The number is 0 for a section without others.
func (b *builder) describeCause(number int, r *report.Result, most int) (text string) {
	for _, size := range excerptSizes {
		if text = b.writeSection(number, r, size); len(text) <= most {
			break
		}
	}
	return text
}

func (b *builder) writeSection(number int, r *report.Result, size excerpt.Window) string {
	var out strings.Builder
	part := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&out, "- %s: %s\n", name, text)
		}
	}
	title := fmt.Sprintf("%s (%s)", safetext.Line(r.ID, safetext.MaxName), safetext.Line(string(r.Level), safetext.MaxName))
	if number > 0 {
		title = fmt.Sprintf("%d. %s", number, title)
	}
	fmt.Fprintf(&out, "\n## %s\n\n", title)
	part("rule", safetext.Line(r.Statement, safetext.MaxExcerpt))
	part("text", b.citeSections(r))
	part("in general", quoteCode(r.Cause))
	part("fix", safetext.Line(r.Fix, safetext.MaxExcerpt))
	all, more := view.Violations(r)
	first := all[0]
	if w := first.Why; w != nil {
		part("sent", quoteCode(w.Sent))
		part("got", quoteCode(w.Came()))
		part("expected", quoteCode(w.Due))
		part("where", quoteCode(w.At.String()))
	} else {
		part("got", quoteCode(first.Text))
	}
	if n := len(all) - 1 + more; n > 0 {
		part("also", safetext.CountWithNoun(n, "more place")+" of the same rule")
	}
	if same := b.dependents[r.ID]; len(same) > 0 {
		part("same cause", view.JoinFirstIDs(same, 8))
	}
	part("check", quoteCode(b.runCommand(r.ID)))
	if r.Reproduce != "" {
		part("reproduce", quoteCode("sh "+r.Reproduce))
	}
	if size != (excerpt.Window{}) {
		b.writeMessages(&out, first, size)
	}
	return out.String()
}

// citeSections returns the sections of a requirement, with the address of the first that is published.
func (b *builder) citeSections(r *report.Result) string {
	text := view.CiteSection(r.Section)
	for _, ref := range view.References(b.report.Target.Dialect, r.Section) {
		if ref.URL != "" {
			return text + ", " + ref.URL
		}
	}
	return text
}

// runCommand returns the command that judges one requirement, or all if the id is "". It is "" for a
// transcript, whose server may not be there.
func (b *builder) runCommand(id string) string {
	t := b.report.Target
	if t.Kind == view.Replayed {
		return ""
	}
	command := view.RunCommand(t)
	if t.Kind != view.Bundled { // its command has the flag
		command += view.DialectFlag(t)
	}
	if id != "" {
		command += " --run " + safetext.ShellWord(safetext.Line(id, safetext.MaxName))
	}
	return command
}

// writeMessages writes what was sent and what came, with the place of the violation in sight.
func (b *builder) writeMessages(out *strings.Builder, v view.Violation, size excerpt.Window) {
	if v.Evidence == nil {
		return
	}
	x := b.exchanges[v.Evidence.Exchange]
	if x == nil {
		return
	}
	at := report.At{Event: v.Evidence.Event, Pointer: v.Evidence.Pointer}
	if v.Why != nil {
		at.Header = v.Why.At.Header
	}
	switch x.Dir {
	case record.Given:
		writeFence(out, "the document", excerptMessage(x, true, at, size))
	case record.In:
		writeFence(out, "the server sent", excerptMessage(x, false, at, size))
		writeFence(out, "we answered", excerptMessage(x, true, report.At{}, size))
	default:
		writeFence(out, "sent", excerptMessage(x, false, report.At{}, size))
		writeFence(out, "got", excerptMessage(x, true, at, size))
	}
}

// excerptMessage returns the first line of a message, the header that is meant, and its body, cut to a size.
func excerptMessage(x *record.Exchange, response bool, at report.At, size excerpt.Window) string {
	m := &x.Request
	if response {
		m = &x.Response
	}
	var out strings.Builder
	first := view.FirstLine(m.Head)
	if len(m.Head) == 0 && response && x.Dir == record.Out {
		first = "no answer: " + cmp.Or(x.Trouble, excerpt.EndingWords[x.Ended])
	}
	if first != "" {
		out.WriteString(safetext.Line(first, safetext.MaxName) + "\n")
	}
	for l := range strings.Lines(string(m.Head)) {
		if name, _, ok := strings.Cut(l, ":"); ok && at.Header != "" && strings.EqualFold(name, at.Header) {
			out.WriteString(safetext.Line(strings.TrimSpace(l), safetext.MaxExcerpt) + "\n")
		}
	}
	text, _, note := excerpt.ReadMessage(x, response, at.Event)
	if note != "" {
		out.WriteString("(" + note + ")\n")
	}
	mark := excerpt.Extent{}
	if at.Header == "" {
		mark, _ = excerpt.LocatePointer(text, at.Pointer)
	}
	for _, piece := range excerpt.Cut(text, mark, size, excerpt.DescribeGap) {
		if piece.Gap != "" {
			out.WriteString("\n" + piece.Gap + "\n")
		}
		out.WriteString(piece.Text)
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

// quoteCode returns a text as a code span, and nothing for "".
func quoteCode(text string) string {
	if text == "" {
		return ""
	}
	return safetext.MarkdownCode(text, safetext.MaxExcerpt)
}
