package reports

import (
	"bufio"
	"fmt"
	"io"

	"github.com/a2a-conform/a2a-conform/suites/report"
)

// FleetMarkdown writes what a fleet came to for a job summary: how many targets have which
// verdict, what changed since the round before, and what is not conformant.
func FleetMarkdown(w io.Writer, f Fleet) error {
	m := newFleet(f)
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "## %s a2a-conform fleet: %s\n\n", sign(m.worst()), m.headline())
	if len(m.Targets) > 0 {
		fmt.Fprintf(b, "**%s**\n\n", m.tally())
	}
	if len(m.Rounds) > 0 {
		r := m.newest()
		fmt.Fprintf(b, "Round %s: %s.\n\n", code(r.name(), maxReason), r.says())
	}
	if m.waiting > 0 {
		fmt.Fprintf(b, "- %s still to come in this round; what is said of them is older\n", are2(m.waiting, "target is", "targets are"))
	}
	if f.Unshown != "" {
		fmt.Fprintf(b, "- %s\n", code(f.Unshown, maxReason))
	}
	for i, note := range f.Unreadable {
		if i == maxListed {
			fmt.Fprintf(b, "- and %s more values of the broker that are unreadable\n", thousands(len(f.Unreadable)-i))
			break
		}
		fmt.Fprintf(b, "- %s\n", code(note, maxReason))
	}
	if m.waiting > 0 || f.Unshown != "" || len(f.Unreadable) > 0 {
		b.WriteString("\n")
	}
	mdChanged(b, m)
	for _, v := range gravest {
		if v != report.Conformant {
			mdTargets(b, m, v)
		}
	}
	return b.Flush()
}

// worst is the worst verdict among the targets: partial where there is none yet.
func (m *fleet) worst() report.RunVerdict {
	for _, v := range gravest {
		if m.verdicts[v] > 0 {
			return v
		}
	}
	return report.Partial
}

func mdChanged(b *bufio.Writer, m *fleet) {
	if len(m.Rounds) == 0 {
		return
	}
	fmt.Fprintf(b, "### What changed since the previous round: %s\n\n", m.changed())
	for i, c := range m.changes {
		if i == maxListed {
			fmt.Fprintf(b, "- and %s more, in %s\n", thousands(len(m.changes)-i), FleetFile)
			break
		}
		fmt.Fprintf(b, "- %s %s %s: ", sign(c.is), code(c.target.called(), maxName), escape(c.target.dialect()))
		if c.was != c.is {
			fmt.Fprintf(b, "was %s, ", c.was)
		}
		fmt.Fprintf(b, "is %s", c.is)
		if says := c.Says(); says != "" {
			fmt.Fprintf(b, ": %s", code(says, maxReason))
		}
		b.WriteString("\n")
	}
	if len(m.changes) > 0 {
		b.WriteString("\n")
	}
}

// mdTargets lists the targets of one verdict.
func mdTargets(b *bufio.Writer, m *fleet, v report.RunVerdict) {
	if m.verdicts[v] == 0 {
		return
	}
	fmt.Fprintf(b, "### %s (%s)\n\n", v, thousands(m.verdicts[v]))
	listed := 0
	for i := range m.Targets {
		t := &m.Targets[i]
		if !t.judged() || t.Latest.verdict() != v {
			continue
		}
		if listed == maxListed {
			fmt.Fprintf(b, "- and %s more, in %s\n", thousands(m.verdicts[v]-listed), FleetFile)
			break
		}
		listed++
		fmt.Fprintf(b, "- **%s** %s, since %s", escape(t.called()), escape(t.dialect()), t.since())
		for i, s := range t.musts() {
			sep := ", "
			if i == 0 {
				sep = ": "
			}
			fmt.Fprintf(b, "%s%s %s", sep, thousands(s.N), s.Name)
		}
		if t.Reason != "" {
			fmt.Fprintf(b, "; %s", code(t.Reason, maxExcerpt))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}
