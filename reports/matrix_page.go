package reports

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// The files of a matrix.
const (
	MatrixFile         = "matrix.html"
	MatrixMarkdownFile = "matrix.md"
)

// WriteMatrix writes the page and the Markdown of a matrix into dir, which is made if need be.
func WriteMatrix(dir string, entries []Entry, h *schema.History) error {
	if err := makeDir(dir); err != nil {
		return err
	}
	return writeFiles(dir,
		file{MatrixFile, func(w io.Writer) error { return Matrix(w, entries, h) }},
		file{MatrixMarkdownFile, func(w io.Writer) error { return MatrixMarkdown(w, entries, h) }},
	)
}

//go:embed matrix.html.tmpl diff.html.tmpl
var compareFiles embed.FS

// compareTemplate parses the templates when the first page is made.
var compareTemplate = sync.OnceValue(func() *template.Template { return ParseTemplates(compareFiles, nil) })

// matrixPage is what the template shows; every text in it is bounded and visible.
type matrixPage struct {
	CSS       template.CSS
	Script    template.JS
	Policy    string
	Title     string
	Chips     chips
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
}

type serverView struct {
	ID, Name, Short, Page string
	Number                int
	Dialect               string
	Verdict, Class        string
	When, Part            string
	Must                  stack
	Broken, Open          int
	Cells                 []areaCell
}

type areaCell struct {
	Words string
	Class string
	Heat  stack
}

type differView struct {
	ID, Level, Statement string
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
	Bar                              stack
}

// The bounds of what is drawn: beyond them there are words alone, so that a thousand servers
// stay readable.
const (
	maxGrid    = 12  // servers that have a column each where they differ
	maxHeat    = 100 // servers whose areas have bars
	maxDiffers = 600 // requirements that differ
)

// Matrix writes a page over several reports: servers and areas, the requirements in which
// servers differ, and what became of a server over time. Like a report it needs nothing else.
func Matrix(w io.Writer, entries []Entry, h *schema.History) error {
	m := newMatrix(entries)
	p := matrixPage{CSS: template.CSS(css), Script: template.JS(pageScript), Policy: policyWith(css, pageScript), Title: m.title(), Chips: m.chips()}
	for i, c := range m.dialects {
		p.Dialects = append(p.Dialects, m.view(i, c))
	}
	for _, s := range m.servers {
		if len(s.Runs) > 1 {
			p.Histories = append(p.Histories, s.history(h))
		}
	}
	return compareTemplate().ExecuteTemplate(w, "matrix.html.tmpl", p)
}

// chips are what the servers can be narrowed by: their verdicts, and dialects where there are
// several.
func (m *matrix) chips() (out chips) {
	n := map[report.RunVerdict]int{}
	for _, s := range m.servers {
		n[s.Latest.Report.Verdict]++
	}
	for _, v := range gravest {
		if n[v] > 0 {
			out.Kinds = append(out.Kinds, chip{string(v), string(v), verdictKind(v).Class(), n[v]})
		}
	}
	for _, c := range m.dialects {
		if len(m.dialects) > 1 {
			out.Levels = append(out.Levels, chip{c.Title, c.Servers[0].Dialect, "", len(c.Servers)})
		}
	}
	return out
}

func (m *matrix) view(i int, c *compared) dialectView {
	v := dialectView{ID: fmt.Sprintf("d%d", i+1), Title: c.Title, Tally: tally(c.Servers), Same: c.Same, All: len(c.Differ), Unshown: max(0, len(c.Differ)-maxDiffers), Grid: len(c.Servers) <= maxGrid}
	for _, a := range c.Areas {
		v.Areas = append(v.Areas, line(a, maxName))
	}
	for _, s := range c.Servers {
		row := s.view()
		for _, a := range c.Areas {
			words, k, heat := s.outcomeOf(a)
			if len(m.servers) > maxHeat {
				heat = stack{}
			}
			row.Cells = append(row.Cells, areaCell{words, k.Class(), heat})
		}
		v.Servers = append(v.Servers, row)
	}
	if len(c.Servers) < 2 {
		return v
	}
	for _, d := range c.Differ[:min(maxDiffers, len(c.Differ))] {
		row := differView{ID: d.ID, Level: string(d.Level), Statement: d.Statement}
		if !v.Grid {
			row.Groups = d.groups(c.Servers)
		} else {
			for j, k := range d.Cells {
				cell := differCell{Word: k.Word(), Class: k.Class()}
				if page := c.Servers[j].Latest.Page; page != "" && k != notJudged {
					cell.Link = page + "#r-" + d.ID
				}
				row.Cells = append(row.Cells, cell)
			}
		}
		v.Differ = append(v.Differ, row)
	}
	return v
}

func (s *server) view() serverView {
	r := s.Latest.Report
	must := s.musts()
	return serverView{
		ID: fmt.Sprintf("s%d", s.Number), Number: s.Number, Name: s.Name, Short: short(s.Name, 24), Page: s.Latest.Page, Dialect: s.Dialect,
		Verdict: line(string(r.Verdict), maxName), Class: verdictKind(r.Verdict).Class(), When: when(r), Part: s.Latest.part(),
		Must: newStack("MUST", must), Broken: must.Fail, Open: must.Inconclusive,
	}
}

func (s *server) history(h *schema.History) historyView {
	v := historyView{Name: s.Name, Title: dialect(s.Latest.Report.Target)}
	for _, t := range s.turns(h) {
		r := t.Entry.Report
		v.Turns = append(v.Turns, turnView{
			When: when(r), Verdict: line(string(r.Verdict), maxName), Class: verdictKind(r.Verdict).Class(), Says: t.Says(), Page: t.Entry.Page,
			Worse: len(report.Regressions(t.Changes)) > 0, Bar: newStack("MUST", r.Summary[string(schema.Must)]),
		})
	}
	return v
}

// when is the time at which a run began.
func when(r *report.Report) string { return r.Run.StartedAt.UTC().Format(time.DateTime) }
