// Package compare writes pages and Markdown over several reports: a matrix of servers and areas, and what
// changed between two reports.
package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/layout"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Entry is a report of a matrix.
type Entry struct {
	Name   string // what its server is called; empty for its URL
	Page   string // the address of its report.html, as a link of the matrix needs it; empty for none
	Report *report.Report
}

// describeSelection states which part of the requirements a run judged; "" if it judged all.
func (e Entry) describeSelection() string {
	if s := e.Report.Run.Selection; s != view.FullSelection {
		return "only a part was judged (" + safetext.Line(s, safetext.MaxName) + ")"
	}
	return ""
}

// matrix compares reports: servers side by side, and each server with what it was before.
type matrix struct {
	servers  []*server
	dialects []*dialectTable
}

// server is one whose reports are compared: a name and a dialect.
type server struct {
	Number  int
	Name    string
	Dialect string
	Latest  Entry   // the last run of all requirements, or else the last of any
	Runs    []Entry // all of them, the latest last
}

// dialectTable is one dialect and the servers that were judged by it: only they have
// requirements in common.
type dialectTable struct {
	Title   string
	Servers []*server
	Areas   []string
	Differ  []difference
	Same    int // requirements that came to the same everywhere
}

// difference is a requirement that did not come to the same for every server.
type difference struct {
	ID, Statement string
	Level         schema.Level
	Cells         []view.Kind // of the servers, in their order
}

// newMatrix sorts reports by server and dialect, in the order in which they are given. The
// reports of one server are sorted by the time of their runs.
func newMatrix(entries []Entry) *matrix {
	m := &matrix{}
	for _, e := range entries {
		e.Report = view.CopyWithBoundedTexts(e.Report)
		name, dialectName := entryName(entries, e), safetext.Line(e.Report.Target.Dialect, safetext.MaxName)
		at := slices.IndexFunc(m.servers, func(s *server) bool { return s.Name == name && s.Dialect == dialectName })
		if at < 0 {
			at = len(m.servers)
			m.servers = append(m.servers, &server{Number: at + 1, Name: name, Dialect: dialectName})
		}
		// One report may be named twice, or lie about as a copy.
		same := func(o Entry) bool {
			return o.Report.Run.StartedAt.Equal(e.Report.Run.StartedAt) && o.Report.Tool == e.Report.Tool
		}
		if !slices.ContainsFunc(m.servers[at].Runs, same) {
			m.servers[at].Runs = append(m.servers[at].Runs, e)
		}
	}
	for _, s := range m.servers {
		slices.SortStableFunc(s.Runs, func(a, b Entry) int { return a.Report.Run.StartedAt.Compare(b.Report.Run.StartedAt) })
		s.Latest = s.Runs[len(s.Runs)-1]
		if i := lastFullRunIndex(s.Runs); i >= 0 {
			s.Latest = s.Runs[i]
		}
		at := slices.IndexFunc(m.dialects, func(c *dialectTable) bool { return c.Servers[0].Dialect == s.Dialect })
		if at < 0 {
			at = len(m.dialects)
			m.dialects = append(m.dialects, &dialectTable{Title: view.DialectName(s.Latest.Report.Target)})
		}
		m.dialects[at].Servers = append(m.dialects[at].Servers, s)
	}
	for _, c := range m.dialects {
		c.fillAreasAndDifferences()
	}
	return m
}

// lastFullRunIndex returns the index of the last run of all requirements, since a run of some hides nothing that
// it showed. It is -1 if there is none.
func lastFullRunIndex(runs []Entry) int {
	for i := range slices.Backward(runs) {
		if runs[i].describeSelection() == "" {
			return i
		}
	}
	return -1
}

// entryName returns the name that was given, or the URL. Servers that were judged one after the other at one
// address, as in the jobs of a pipeline, are distinguished by the names on their cards.
func entryName(entries []Entry, e Entry) string {
	if e.Name != "" {
		return safetext.Line(e.Name, safetext.MaxName)
	}
	name := view.DescribeTargetByKind(e.Report.Target)
	for _, o := range entries {
		if o.Name == "" && view.DescribeTargetByKind(o.Report.Target) == name && o.Report.Target.Agent != e.Report.Target.Agent {
			return cmp.Or(safetext.Line(e.Report.Target.Agent, safetext.MaxName), "no name") + ", " + name
		}
	}
	return name
}

// fillAreasAndDifferences finds the areas of a dialect, and the requirements that differ.
func (c *dialectTable) fillAreasAndDifferences() {
	all := map[string]*difference{}
	var order []string
	for i, s := range c.Servers {
		for j := range s.Latest.Report.Results {
			r := &s.Latest.Report.Results[j]
			if !slices.Contains(c.Areas, r.Area) {
				c.Areas = append(c.Areas, r.Area)
			}
			d := all[r.ID]
			if d == nil {
				d = &difference{ID: safetext.Line(r.ID, safetext.MaxName), Statement: safetext.Line(r.Statement, safetext.MaxReason), Level: r.Level, Cells: make([]view.Kind, len(c.Servers))}
				for k := range d.Cells {
					d.Cells[k] = view.NotJudged
				}
				all[r.ID] = d
				order = append(order, r.ID)
			}
			d.Cells[i] = view.KindOf(r)
		}
	}
	for _, id := range order {
		if d := all[id]; slices.ContainsFunc(d.Cells, func(k view.Kind) bool { return k != d.Cells[0] }) {
			c.Differ = append(c.Differ, *d)
		} else {
			c.Same++
		}
	}
	slices.SortStableFunc(c.Differ, func(a, b difference) int { return a.worstRank() - b.worstRank() })
}

// worstRank is the place among rowKinds of the worst result for any of the servers.
func (d *difference) worstRank() int {
	worst := len(view.KindsByGravity)
	for _, k := range d.Cells {
		if i := slices.Index(view.KindsByGravity, k); i >= 0 {
			worst = min(worst, i)
		}
	}
	return worst
}

// areaOutcome describes the results of a server in an area: what is broken, or else what is undecided, or
// else what is met. The first count that is not 0 decides the colour. met is the fraction of those that apply.
func (s *server) areaOutcome(area string) (met, words string, k view.Kind, bar layout.Bar) {
	var of []report.Result
	n := map[view.Kind]int{}
	for _, r := range s.Latest.Report.Results {
		if r.Area == area {
			of = append(of, r)
			n[view.KindOf(&r)]++
		}
	}
	if len(of) == 0 {
		return "", view.NotJudged.Word(), view.NotJudged, layout.Bar{}
	}
	summary := report.Summarize(of)
	met, bar = view.MetOfApplying(sumCounts(summary)), layout.NewTotalAndLevelBars(&report.Report{Summary: summary})[0]
	for _, k := range view.KindsByGravity {
		if n[k] == 0 {
			continue
		}
		switch k {
		case view.Fail:
			return met, fmt.Sprintf("%d broken", n[k]), k, bar
		case view.Pass:
			return met, fmt.Sprintf("%d met", n[k]), k, bar
		case view.Vacuous, view.NotApplicable:
			return met, "does not apply", view.NotApplicable, bar
		case view.Warning, view.Note:
			return met, safetext.CountWithNoun(n[k], string(k)), k, bar
		}
		return met, fmt.Sprintf("%d %s", n[k], k.Word()), k, bar
	}
	return met, "", view.Pass, bar
}

// sumCounts adds the counts of all levels.
func sumCounts(summary map[string]report.Count) (all report.Count) {
	for _, c := range summary {
		all.Pass, all.Fail, all.SuiteError, all.Waived = all.Pass+c.Pass, all.Fail+c.Fail, all.SuiteError+c.SuiteError, all.Waived+c.Waived
		all.Inconclusive, all.NotApplicable, all.Vacuous = all.Inconclusive+c.Inconclusive, all.NotApplicable+c.NotApplicable, all.Vacuous+c.Vacuous
	}
	return all
}

// maxDegrees bounds the servers that the heading of a matrix names with what they meet.
const maxDegrees = 12

// describeDegrees returns for each server how many of the MUSTs that apply to it are met.
func (m *matrix) describeDegrees() (out []degree) {
	for _, s := range m.servers[:min(len(m.servers), maxDegrees)] {
		if met := view.MetOfApplying(s.mustCounts()); met != "" {
			out = append(out, degree{fmt.Sprintf("s%d", s.Number), s.Name, met})
		}
	}
	return out
}

// degree is how many of the MUSTs that apply to a server are met.
type degree struct{ ID, Name, Met string }

// listKinds are the results that a requirement has, as the filter of a page compares them.
func (d *difference) listKinds() string {
	var out []string
	for _, k := range d.Cells {
		if !slices.Contains(out, k.Class()) {
			out = append(out, k.Class())
		}
	}
	return strings.Join(out, " ")
}

// mustCounts are the counts of the MUSTs of the latest run.
func (s *server) mustCounts() report.Count { return s.Latest.Report.Summary[string(schema.Must)] }

// groupByResult sorts the servers of a row by what the requirement came to, worst first.
func (d *difference) groupByResult(servers []*server) (out []group) {
	for _, k := range append(slices.Clone(view.KindsByGravity), view.NotJudged) {
		g := group{Kind: k}
		for i, cell := range d.Cells {
			if cell == k {
				g.Servers = append(g.Servers, servers[i])
			}
		}
		if len(g.Servers) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// group is the servers for which a requirement came to the same.
type group struct {
	Kind    view.Kind
	Servers []*server
}

// Names lists the servers of a group; of many the first.
func (g group) Names() string {
	var names []string
	for _, s := range g.Servers {
		names = append(names, s.Name)
	}
	return view.JoinFirstNames(names, view.MaxNamed)
}

// serverRun is what changed from one run of a server to the next.
type serverRun struct {
	Entry   Entry
	Changes []report.Change // since the run before; none of the first
	First   bool
}

// listRunsWithChanges are the runs of a server, the latest first.
func (s *server) listRunsWithChanges(h *schema.History) (out []serverRun) {
	for i, e := range s.Runs {
		t := serverRun{Entry: e, First: i == 0}
		if i > 0 {
			t.Changes = report.CompareReports(s.Runs[i-1].Report, e.Report, h)
			if s.Runs[i-1].describeSelection() != "" || e.describeSelection() != "" { // what was not selected is not gone
				t.Changes = slices.DeleteFunc(t.Changes, func(c report.Change) bool { return c.Kind == report.New || c.Kind == report.Gone })
			}
		}
		out = append([]serverRun{t}, out...)
	}
	return out
}

// describeChanges summarizes the changes since the run before.
func (t serverRun) describeChanges() string {
	var parts []string
	if part := t.Entry.describeSelection(); part != "" {
		parts = append(parts, part)
	}
	if t.First {
		parts = append(parts, "the first run")
	} else if len(t.Changes) == 0 {
		parts = append(parts, "no changes")
	}
	return strings.Join(append(parts, view.ListChangedIDsByKind(t.Changes)...), "; ")
}

// tallyServers counts the verdicts of some servers in words: "3 conformant, 1 partial".
func tallyServers(servers []*server) string {
	n := map[report.RunVerdict]int{}
	for _, s := range servers {
		n[s.Latest.Report.Verdict]++
	}
	return view.TallyVerdictsBestFirst(n)
}

// describeServersAndVerdicts counts the servers and their verdicts, for the title.
func (m *matrix) describeServersAndVerdicts() string {
	names := map[string]bool{}
	for _, s := range m.servers {
		names[s.Name] = true
	}
	s := safetext.CountWithNoun(len(names), "server")
	if len(m.servers) > len(names) {
		s += fmt.Sprintf(", %d verdicts", len(m.servers))
	}
	return s + ": " + tallyServers(m.servers)
}
