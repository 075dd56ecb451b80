package compare

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
)

// WriteMatrixMarkdown writes a matrix for a job summary or a comment: a table of servers and
// areas for each dialect, what differs, and what changed over time.
func WriteMatrixMarkdown(w io.Writer, entries []Entry, h *schema.History) error {
	b := bufio.NewWriter(w)
	m := newMatrix(entries)
	fmt.Fprintf(b, "## a2a-conform: %s\n\n", m.describeServersAndVerdicts())
	for _, c := range m.dialects {
		fmt.Fprintf(b, "### %s\n\n| server | verdict | MUST met | MUST broken | MUST undecided |", safetext.MarkdownCode(c.Title, safetext.MaxName))
		for _, a := range c.Areas {
			fmt.Fprintf(b, " %s |", safetext.EscapeMarkdown(safetext.Line(a, safetext.MaxName)))
		}
		b.WriteString("\n|:--|:--|--:|--:|--:|" + strings.Repeat("--:|", len(c.Areas)) + "\n")
		for i, s := range c.Servers {
			if i == maxServers {
				fmt.Fprintf(b, "\n%s more, in %s.\n", safetext.CountWithNoun(len(c.Servers)-i, "server"), files.MatrixFile)
				break
			}
			must := s.mustCounts()
			verdict := s.Latest.Report.Verdict
			name := s.Name
			if part := s.Latest.describeSelection(); part != "" {
				name += ", " + part
			}
			fmt.Fprintf(b, "| %s | %s %s | %s | %d | %d |", safetext.EscapeMarkdown(name), view.VerdictSymbol(verdict), safetext.EscapeMarkdown(safetext.Line(string(verdict), safetext.MaxName)), view.MetOfApplying(must), must.Fail, must.Inconclusive)
			for _, a := range c.Areas {
				met, words, k, _ := s.areaOutcome(a)
				if k == view.Pass {
					words = ""
				}
				fmt.Fprintf(b, " %s |", strings.TrimSpace(met+" "+words))
			}
			b.WriteString("\n")
		}
		b.WriteString("\n")
		writeDifferences(b, c)
	}
	writeServerRunHistories(b, m, h)
	return b.Flush()
}

// maxServers bounds the rows of a table for people in a hurry.
const maxServers = 200

func writeDifferences(b *bufio.Writer, c *dialectTable) {
	if len(c.Servers) < 2 {
		return
	}
	if len(c.Differ) == 0 {
		fmt.Fprintf(b, "They have the same result for each of %s.\n\n", safetext.CountWithNoun(c.Same, "requirement"))
		return
	}
	fmt.Fprintf(b, "#### Where they differ (%d of %d)\n\n", len(c.Differ), len(c.Differ)+c.Same)
	for i, d := range c.Differ {
		if i == view.MaxListed {
			fmt.Fprintf(b, "- and %d more, in %s\n", len(c.Differ)-i, files.MatrixFile)
			break
		}
		fmt.Fprintf(b, "- **%s** %s: ", safetext.EscapeMarkdown(d.ID), d.Level)
		for j, g := range d.groupByResult(c.Servers) {
			if j > 0 {
				b.WriteString("; ")
			}
			fmt.Fprintf(b, "%s: %s", g.Kind.Word(), safetext.EscapeMarkdown(g.Names()))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

func writeServerRunHistories(b *bufio.Writer, m *matrix, h *schema.History) {
	head := false
	for i, s := range m.servers {
		if len(s.Runs) < 2 || i >= maxServers {
			continue
		}
		if !head {
			b.WriteString("### Over time\n\n")
			head = true
		}
		fmt.Fprintf(b, "- **%s**\n", safetext.EscapeMarkdown(s.Name))
		for _, t := range s.listRunsWithChanges(h) {
			r := t.Entry.Report
			fmt.Fprintf(b, "  - %s: %s, %s\n", r.Run.StartedAt.UTC().Format(time.DateTime), safetext.EscapeMarkdown(safetext.Line(string(r.Verdict), safetext.MaxName)), safetext.EscapeMarkdown(t.describeChanges()))
		}
	}
	if head {
		b.WriteString("\n")
	}
}
