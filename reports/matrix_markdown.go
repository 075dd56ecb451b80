package reports

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/schema"
)

// MatrixMarkdown writes a matrix for a job summary or a comment: a table of servers and
// areas for each dialect, what differs, and what changed over time.
func MatrixMarkdown(w io.Writer, entries []Entry, h *schema.History) error {
	b := bufio.NewWriter(w)
	m := newMatrix(entries)
	fmt.Fprintf(b, "## a2a-conform: %s\n\n", m.title())
	for _, c := range m.dialects {
		fmt.Fprintf(b, "### %s\n\n| server | verdict | MUST broken | MUST undecided |", code(c.Title, maxName))
		for _, a := range c.Areas {
			fmt.Fprintf(b, " %s |", escape(line(a, maxName)))
		}
		b.WriteString("\n|:--|:--|--:|--:|" + strings.Repeat("--:|", len(c.Areas)) + "\n")
		for i, s := range c.Servers {
			if i == maxServers {
				fmt.Fprintf(b, "\n%s more, in %s.\n", plural(len(c.Servers)-i, "server"), MatrixFile)
				break
			}
			must := s.musts()
			verdict := s.Latest.Report.Verdict
			name := s.Name
			if part := s.Latest.part(); part != "" {
				name += ", " + part
			}
			fmt.Fprintf(b, "| %s | %s %s | %d | %d |", escape(name), sign(verdict), escape(line(string(verdict), maxName)), must.Fail, must.Inconclusive)
			for _, a := range c.Areas {
				words, _, _ := s.outcomeOf(a)
				fmt.Fprintf(b, " %s |", words)
			}
			b.WriteString("\n")
		}
		b.WriteString("\n")
		mdDiffer(b, c)
	}
	mdTurns(b, m, h)
	return b.Flush()
}

// maxServers bounds the rows of a table for people in a hurry.
const maxServers = 200

func mdDiffer(b *bufio.Writer, c *compared) {
	if len(c.Servers) < 2 {
		return
	}
	if len(c.Differ) == 0 {
		fmt.Fprintf(b, "They have the same result for each of %s.\n\n", plural(c.Same, "requirement"))
		return
	}
	fmt.Fprintf(b, "#### Where they differ (%d of %d)\n\n", len(c.Differ), len(c.Differ)+c.Same)
	for i, d := range c.Differ {
		if i == maxListed {
			fmt.Fprintf(b, "- and %d more, in %s\n", len(c.Differ)-i, MatrixFile)
			break
		}
		fmt.Fprintf(b, "- **%s** %s: ", escape(d.ID), d.Level)
		for j, g := range d.groups(c.Servers) {
			if j > 0 {
				b.WriteString("; ")
			}
			fmt.Fprintf(b, "%s: %s", g.Kind.Word(), escape(g.Names()))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

func mdTurns(b *bufio.Writer, m *matrix, h *schema.History) {
	head := false
	for i, s := range m.servers {
		if len(s.Runs) < 2 || i >= maxServers {
			continue
		}
		if !head {
			b.WriteString("### Over time\n\n")
			head = true
		}
		fmt.Fprintf(b, "- **%s**\n", escape(s.Name))
		for _, t := range s.turns(h) {
			r := t.Entry.Report
			fmt.Fprintf(b, "  - %s: %s, %s\n", r.Run.StartedAt.UTC().Format(time.DateTime), escape(line(string(r.Verdict), maxName)), escape(t.Says()))
		}
	}
	if head {
		b.WriteString("\n")
	}
}
