package brief

import (
	"cmp"
	"fmt"
	"slices"
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
	steps      map[int]placeInPlay // of the exchanges, by their number
}

// placeInPlay is a step of a conversation.
type placeInPlay struct {
	play *record.Play
	step int
}

func newBuilder(r *report.Report, t *record.Transcript) *builder {
	b := &builder{report: r, exchanges: map[int]*record.Exchange{}, dependents: view.DependentFailures(r), steps: map[int]placeInPlay{}}
	if t != nil {
		for i := range t.Plays {
			for j, step := range t.Plays[i].Steps {
				if step.Exchange != nil {
					b.steps[step.Exchange.ID] = placeInPlay{&t.Plays[i], j}
				}
			}
		}
		for _, x := range t.Exchanges {
			b.exchanges[x.ID] = x
		}
	}
	return b
}

// listCausesByImportance lists the causes: broken MUSTs before SHOULDs, what is the server's own before the known
// faults of its SDK, and causes from which many failures follow before others.
func (b *builder) listCausesByImportance() []*report.Result {
	var out []*report.Result
	for _, k := range []view.Kind{view.Fail, view.Warning} {
		roots := view.RootFailures(b.report, k)
		slices.SortStableFunc(roots, func(x, y *report.Result) int {
			if (x.Known == nil) != (y.Known == nil) {
				if x.Known == nil {
					return -1
				}
				return 1
			}
			return len(b.dependents[y.ID]) - len(b.dependents[x.ID])
		})
		out = append(out, roots...)
	}
	return out
}

// describeCauses returns the sections of as many causes as have room, with as much of each as there is room for:
// all get the least before one gets more, the first cause first.
func (b *builder) describeCauses(roots []*report.Result, room int) (texts []string) {
	for i, root := range roots {
		text := b.formatSection(i+1, root, sizes[0])
		if len(text) > room {
			break
		}
		texts = append(texts, text)
		room -= len(text)
	}
	for _, s := range sizes[1:] {
		for i := range texts {
			if text := b.formatSection(i+1, roots[i], s); len(text)-len(texts[i]) <= room {
				room -= len(text) - len(texts[i])
				texts[i] = text
			}
		}
	}
	return texts
}

// formatSection returns what the brief has on one cause.
func (b *builder) formatSection(number int, r *report.Result, s size) string {
	var out strings.Builder
	part := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&out, "- %s: %s\n", name, text)
		}
	}
	fmt.Fprintf(&out, "\n## %d. %s (%s)\n\n", number, safetext.Line(r.ID, safetext.MaxName), safetext.Line(string(r.Level), safetext.MaxName))
	part("rule", safetext.Line(r.Statement, safetext.MaxExcerpt))
	part("text", b.citeSections(r))
	part("in general", quoteCode(r.Cause))
	part("fix", safetext.Line(r.Fix, safetext.MaxExcerpt))
	all, more := view.Violations(r)
	first := all[0]
	part("binding", b.nameBinding(r, first))
	if w := first.Why; w != nil {
		part("sent", quoteCode(w.Sent))
		part("got", quoteCode(w.Came()))
		part("expected", quoteCode(w.Due))
		part("where", quoteCode(w.At.String()))
	} else {
		part("got", quoteCode(first.Text))
	}
	part("also", nameFurtherPlaces(all[1:], more))
	writeSameCause(&out, b.dependents[r.ID], s.same)
	part("check", quoteCode(view.CheckCommand(b.report.Target, r.ID)))
	if r.Reproduce != "" {
		part("reproduce", quoteCode("sh "+r.Reproduce))
	}
	if s.body != (excerpt.Window{}) {
		b.writeSetup(&out, first, s)
		b.writeMessages(&out, first, s)
	}
	return out.String()
}

// findPlace returns the place that shows a violation.
func findPlace(v view.Violation) report.At {
	switch {
	case v.Why != nil:
		return v.Why.At
	case v.Evidence != nil:
		return report.At{Exchange: v.Evidence.Exchange, Event: v.Evidence.Event, Pointer: v.Evidence.Pointer}
	}
	return report.At{}
}

// maxFurtherPlaces is how many places of a rule are named besides the first.
const maxFurtherPlaces = 4

// nameFurtherPlaces counts the other violations of a rule and names the places of the first; more counts those that
// are not kept.
func nameFurtherPlaces(violations []view.Violation, more int) string {
	n := len(violations) + more
	if n == 0 {
		return ""
	}
	var names []string
	for _, v := range violations[:min(maxFurtherPlaces, len(violations))] {
		if name := findPlace(v).String(); name != "" {
			names = append(names, name)
		}
	}
	text := safetext.CountWithNoun(n, "more place") + " of the same rule"
	switch {
	case len(names) == n:
		return text + ": " + quoteCode(strings.Join(names, "; "))
	case len(names) > 0:
		return text + ", such as " + quoteCode(strings.Join(names, "; "))
	}
	return text
}

// writeSameCause lists what fails for the same reason: the first with their statements.
func writeSameCause(out *strings.Builder, same []*report.Result, stated int) {
	if len(same) == 0 {
		return
	}
	if stated == 0 {
		fmt.Fprintf(out, "- same cause: %s\n", view.JoinFirstIDs(same, 8))
		return
	}
	out.WriteString("- same cause:\n")
	for _, r := range same[:min(stated, len(same))] {
		fmt.Fprintf(out, "  - %s: %s\n", safetext.Line(r.ID, safetext.MaxName), safetext.Line(r.Statement, safetext.MaxExcerpt))
	}
	if rest := same[min(stated, len(same)):]; len(rest) > 0 {
		fmt.Fprintf(out, "  - %s\n", view.JoinFirstIDs(rest, 8))
	}
}

// nameBinding names the bindings in which a requirement fails; of one without a verdict for each, the binding of
// the exchange that shows it. What calls no operation, such as the GET of a card, has none, though its verdict is
// among those of the first binding.
func (b *builder) nameBinding(r *report.Result, v view.Violation) string {
	shown := ""
	if v.Evidence != nil {
		if at, ok := b.steps[v.Evidence.Exchange]; ok {
			step := at.play.Steps[at.step]
			if step.Op == "card" || step.Op == "document" {
				return ""
			}
			shown = cmp.Or(step.Binding, at.play.Subject.Binding)
		}
	}
	var out []string
	for _, s := range r.Subjects {
		if s.Verdict == report.Fail && s.Binding != "" && !slices.Contains(out, s.Binding) {
			out = append(out, s.Binding)
		}
	}
	if len(out) == 0 && shown != "" {
		out = []string{shown}
	}
	if len(out) == 0 && len(b.report.Target.Bindings) == 1 {
		out = b.report.Target.Bindings
	}
	return safetext.Line(strings.Join(out, ", "), safetext.MaxName)
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

// quoteCode returns a text as a code span, and nothing for "".
func quoteCode(text string) string {
	if text == "" {
		return ""
	}
	return safetext.MarkdownCode(text, safetext.MaxExcerpt)
}
