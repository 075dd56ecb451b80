package fleetpage

import (
	"bufio"
	"fmt"
	"io"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// WriteMarkdown writes what a fleet came to for a job summary: how many targets have which
// verdict, what changed since the round before, and what is not conformant.
func WriteMarkdown(w io.Writer, f Fleet) error {
	m := newOverview(f)
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "## %s a2a-conform fleet: %s\n\n", view.VerdictSymbol(m.worstVerdict()), m.describeConformant())
	if len(m.Targets) > 0 {
		fmt.Fprintf(b, "**%s**\n\n", m.describeVerdicts())
	}
	if len(m.Rounds) > 0 {
		r := m.newestRound()
		fmt.Fprintf(b, "Round %s: %s.\n\n", safetext.MarkdownCode(r.describeIDAndStart(), safetext.MaxReason), r.describeRoundProgress())
	}
	if m.waiting > 0 {
		fmt.Fprintf(b, "- %s still to come in this round; their results are older\n", view.CountPhrase(m.waiting, "target is", "targets are"))
	}
	if f.Unshown != "" {
		fmt.Fprintf(b, "- %s\n", safetext.MarkdownCode(f.Unshown, safetext.MaxReason))
	}
	for i, note := range f.Unreadable {
		if i == view.MaxListed {
			fmt.Fprintf(b, "- and %s more values of the broker that are unreadable\n", safetext.Thousands(len(f.Unreadable)-i))
			break
		}
		fmt.Fprintf(b, "- %s\n", safetext.MarkdownCode(note, safetext.MaxReason))
	}
	if m.waiting > 0 || f.Unshown != "" || len(f.Unreadable) > 0 {
		b.WriteString("\n")
	}
	writeChanges(b, m)
	for _, v := range view.VerdictsByGravity {
		if v != report.Conformant {
			writeTargets(b, m, v)
		}
	}
	return b.Flush()
}

func writeChanges(b *bufio.Writer, m *overview) {
	if len(m.Rounds) == 0 {
		return
	}
	fmt.Fprintf(b, "### What changed since the previous round: %s\n\n", m.describeChangeCounts())
	for i, c := range m.changes {
		if i == view.MaxListed {
			fmt.Fprintf(b, "- and %s more, in %s\n", safetext.Thousands(len(m.changes)-i), PageFile)
			break
		}
		fmt.Fprintf(b, "- %s %s %s: ", view.VerdictSymbol(c.is), safetext.MarkdownCode(c.target.displayName(), safetext.MaxName), safetext.EscapeMarkdown(c.target.dialectName()))
		if c.was != c.is {
			fmt.Fprintf(b, "was %s, ", c.was)
		}
		fmt.Fprintf(b, "is %s", c.is)
		if says := c.summarizeChangesOrReason(); says != "" {
			fmt.Fprintf(b, ": %s", safetext.MarkdownCode(says, safetext.MaxReason))
		}
		b.WriteString("\n")
	}
	if len(m.changes) > 0 {
		b.WriteString("\n")
	}
}

// writeTargets lists the targets of one verdict.
func writeTargets(b *bufio.Writer, m *overview, v report.RunVerdict) {
	if m.verdicts[v] == 0 {
		return
	}
	fmt.Fprintf(b, "### %s (%s)\n\n", v, safetext.Thousands(m.verdicts[v]))
	listed := 0
	for i := range m.Targets {
		t := &m.Targets[i]
		if !t.isJudged() || t.Latest.verdictOrVoid() != v {
			continue
		}
		if listed == view.MaxListed {
			fmt.Fprintf(b, "- and %s more, in %s\n", safetext.Thousands(m.verdicts[v]-listed), PageFile)
			break
		}
		listed++
		fmt.Fprintf(b, "- **%s** %s, since %s", safetext.EscapeMarkdown(t.displayName()), safetext.EscapeMarkdown(t.dialectName()), t.streakStartDate())
		for i, s := range t.mustParts() {
			sep := ", "
			if i == 0 {
				sep = ": "
			}
			fmt.Fprintf(b, "%s%s %s", sep, safetext.Thousands(s.N), s.Name)
		}
		if t.Reason != "" {
			fmt.Fprintf(b, "; %s", safetext.MarkdownCode(t.Reason, safetext.MaxExcerpt))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}
