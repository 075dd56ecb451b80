package compare

import (
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/layout"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// WriteMatrix writes the page and the Markdown of a matrix into dir, which is made if need be.
func WriteMatrix(dir string, entries []Entry, h *schema.History) error {
	if err := files.MakeDir(dir); err != nil {
		return err
	}
	return files.WriteEachJoiningErrors(dir,
		files.File{Name: files.MatrixFile, Render: func(w io.Writer) error { return WriteMatrixPage(w, entries, h) }},
		files.File{Name: files.MatrixMarkdownFile, Render: func(w io.Writer) error { return WriteMatrixMarkdown(w, entries, h) }},
	)
}

// matrixView is what the template shows; every text in it is bounded and visible.
type matrixView struct {
	CSS       template.CSS
	Script    template.JS
	Policy    string
	Title     string
	Degrees   []degree
	Chips     layout.Chips
	Dialects  []dialectView
	Histories []historyView // of the servers with several runs
}

type dialectView struct {
	ID, Title string
	Tally     string
	Areas     []string
	Servers   []serverView
	Same      int
	All       int // requirements that differ
	Unshown   int // of them
	Differ    []differView
	Grid      bool // a column for each server
	Levels    []layout.Chip
	Results   []layout.Chip
}

type serverView struct {
	ID, Name, Short, Page string
	Number                int
	Dialect               string
	Verdict, Class        string
	When, Part            string
	Must                  layout.Bar
	Met                   string // of the MUSTs that apply
	Broken, Open          int
	Cells                 []areaCell
}

type areaCell struct {
	Met   string
	Words string
	Class string
	Heat  layout.Bar
}

type differView struct {
	ID, Level, Statement string
	Kinds                string // for the filter
	Cells                []differCell
	Groups               []group
}

type differCell struct {
	Word, Class, Link string
}

type historyView struct {
	Name, Title string
	Turns       []turnView
}

type turnView struct {
	When, Verdict, Class, Says, Page string
	Worse                            bool
	Bar                              layout.Bar
}

// The bounds of what is drawn: beyond them there are words alone, so that a thousand servers
// stay readable.
const (
	maxGrid    = 12  // servers that have a column each in the list of differences
	maxHeat    = 100 // servers whose areas have bars
	maxDiffers = 600 // requirements that differ
)

// WriteMatrixPage writes a page over several reports: servers and areas, the requirements in which
// servers differ, and what became of a server over time. Like a report it needs nothing else.
func WriteMatrixPage(w io.Writer, entries []Entry, h *schema.History) error {
	m := newMatrix(entries)
	p := matrixView{CSS: template.CSS(layout.CSS), Script: template.JS(layout.Script), Policy: layout.StyleAndScriptCSP(layout.CSS, layout.Script), Title: m.describeServersAndVerdicts(), Degrees: m.describeDegrees(), Chips: m.verdictAndDialectChips()}
	for i, c := range m.dialects {
		p.Dialects = append(p.Dialects, m.viewDialect(i, c))
	}
	for _, s := range m.servers {
		if len(s.Runs) > 1 {
			p.Histories = append(p.Histories, s.viewHistory(h))
		}
	}
	return compareTemplate().ExecuteTemplate(w, "matrix.html.tmpl", p)
}

// verdictAndDialectChips returns the chips by which servers are filtered: their verdicts, and dialects if there are
// several.
func (m *matrix) verdictAndDialectChips() (out layout.Chips) {
	n := map[report.RunVerdict]int{}
	for _, s := range m.servers {
		n[s.Latest.Report.Verdict]++
	}
	for _, v := range view.VerdictsByGravity {
		if n[v] > 0 {
			out.Kinds = append(out.Kinds, layout.Chip{Name: string(v), Value: string(v), Class: view.KindOfRun(v).Class(), N: n[v]})
		}
	}
	for _, c := range m.dialects {
		if len(m.dialects) > 1 {
			out.Levels = append(out.Levels, layout.Chip{Name: c.Title, Value: c.Servers[0].Dialect, N: len(c.Servers)})
		}
	}
	return out
}

func (m *matrix) viewDialect(i int, c *dialectTable) dialectView {
	v := dialectView{ID: fmt.Sprintf("d%d", i+1), Title: c.Title, Tally: tallyServers(c.Servers), Same: c.Same, All: len(c.Differ), Unshown: max(0, len(c.Differ)-maxDiffers), Grid: len(c.Servers) <= maxGrid}
	for _, a := range c.Areas {
		v.Areas = append(v.Areas, safetext.Line(a, safetext.MaxName))
	}
	for _, s := range c.Servers {
		row := s.viewServer()
		for _, a := range c.Areas {
			met, words, k, heat := s.areaOutcome(a)
			if k == view.Pass { // the fraction is enough
				words = ""
			}
			if len(m.servers) > maxHeat {
				heat = layout.Bar{}
			}
			row.Cells = append(row.Cells, areaCell{met, words, k.Class(), heat})
		}
		v.Servers = append(v.Servers, row)
	}
	if len(c.Servers) < 2 {
		return v
	}
	shown := c.Differ[:min(maxDiffers, len(c.Differ))]
	v.Levels, v.Results = chipsOfDifferences(shown)
	for _, d := range shown {
		row := differView{ID: d.ID, Level: string(d.Level), Statement: d.Statement, Kinds: d.listKinds()}
		if !v.Grid {
			row.Groups = d.groupByResult(c.Servers)
		} else {
			for j, k := range d.Cells {
				cell := differCell{Word: k.Word(), Class: k.Class()}
				if page := c.Servers[j].Latest.Page; page != "" && k != view.NotJudged {
					cell.Link = page + "#r-" + d.ID
				}
				row.Cells = append(row.Cells, cell)
			}
		}
		v.Differ = append(v.Differ, row)
	}
	return v
}

// chipsOfDifferences are the levels and the results by which the requirements that differ are filtered.
func chipsOfDifferences(shown []difference) (levels, results []layout.Chip) {
	for _, l := range view.Levels {
		n := 0
		for _, d := range shown {
			if d.Level == l {
				n++
			}
		}
		if n > 0 {
			levels = append(levels, layout.Chip{Name: string(l), Value: string(l), N: n})
		}
	}
	for _, k := range append(slices.Clone(view.KindsByGravity), view.NotJudged) {
		n := 0
		for _, d := range shown {
			if slices.Contains(d.Cells, k) {
				n++
			}
		}
		if n > 0 {
			results = append(results, layout.Chip{Name: k.Word(), Value: k.Class(), Class: k.Class(), N: n})
		}
	}
	return levels, results
}

func (s *server) viewServer() serverView {
	r := s.Latest.Report
	must := s.mustCounts()
	return serverView{
		ID: fmt.Sprintf("s%d", s.Number), Number: s.Number, Name: s.Name, Short: safetext.Abbreviate(s.Name, 24), Page: s.Latest.Page, Dialect: s.Dialect,
		Verdict: safetext.Line(string(r.Verdict), safetext.MaxName), Class: view.KindOfRun(r.Verdict).Class(), When: formatStartTime(r), Part: s.Latest.describeSelection(),
		Must: layout.NewBar("MUST", must), Met: view.MetOfApplying(must), Broken: must.Fail, Open: must.Inconclusive,
	}
}

func (s *server) viewHistory(h *schema.History) historyView {
	v := historyView{Name: s.Name, Title: view.DialectName(s.Latest.Report.Target)}
	for _, t := range s.listRunsWithChanges(h) {
		r := t.Entry.Report
		v.Turns = append(v.Turns, turnView{
			When: formatStartTime(r), Verdict: safetext.Line(string(r.Verdict), safetext.MaxName), Class: view.KindOfRun(r.Verdict).Class(), Says: t.describeChanges(), Page: t.Entry.Page,
			Worse: len(report.Regressions(t.Changes)) > 0, Bar: layout.NewBar("MUST", r.Summary[string(schema.Must)]),
		})
	}
	return v
}
