package catalogue

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/a2a-conform/a2a-conform/reports/layout"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
)

// indexPage is what the template of the index shows.
type indexPage struct {
	Policy   string
	Total    string
	Gateways bool // some are about gateways
	Dialects []dialectRow
}

type dialectRow struct {
	Name, Title, Page, Source string
	Counts                    []int // by level
	Total                     int
}

// dialectPage is what the template of a dialect shows.
type dialectPage struct {
	Policy                string
	Title, Source, Digest string
	Command               string // part of the command that judges by them; "" if each command does
	Total                 string
	Chips                 layout.Chips
	Areas                 []areaView
}

type areaView struct {
	Name, ID     string
	Requirements []rowView
}

type rowView struct {
	link
	Statement []layout.Span
	Sections  []view.Reference
}

// viewIndex returns what the index shows.
func (s *site) viewIndex() indexPage {
	p := indexPage{Policy: policy, Total: safetext.CountWithNoun(len(s.byID), "requirement"), Gateways: s.source.Gateways != nil}
	for _, g := range s.groups {
		row := dialectRow{Name: g.name, Title: g.title, Page: g.name + ".html", Source: g.source, Total: len(g.entries)}
		for _, level := range view.Levels {
			row.Counts = append(row.Counts, g.countLevel(level))
		}
		p.Dialects = append(p.Dialects, row)
	}
	return p
}

// countLevel returns how many requirements of a dialect have a level.
func (g group) countLevel(level schema.Level) (n int) {
	for _, e := range g.entries {
		if e.Level == level {
			n++
		}
	}
	return n
}

// viewDialect returns what the page of a dialect shows: its requirements in the order of the catalogue,
// those of an area together.
func viewDialect(g group) dialectPage {
	p := dialectPage{Policy: policy, Title: g.title, Source: g.source, Digest: g.digest, Command: g.command, Total: safetext.CountWithNoun(len(g.entries), "requirement")}
	for _, level := range view.Levels {
		if n := g.countLevel(level); n > 0 {
			p.Chips.Levels = append(p.Chips.Levels, layout.Chip{Name: string(level), Value: string(level), N: n})
		}
	}
	places := map[string]int{}
	for _, e := range g.entries {
		at, known := places[e.Area]
		if !known {
			at = len(p.Areas)
			places[e.Area] = at
			p.Areas = append(p.Areas, areaView{Name: e.Area, ID: "area-" + anchorOf(e.Area)})
		}
		p.Areas[at].Requirements = append(p.Areas[at].Requirements, rowView{link{ID: e.ID, Level: string(e.Level), Page: e.pageName()}, layout.SplitCode(e.Statement), citedSections(e)})
	}
	return p
}

// writeSearchDataAsScript writes the script that the search reads: a browser refuses to fetch JSON for a page
// that it opened from a file, but runs a script next to it.
func (s *site) writeSearchDataAsScript(w io.Writer) error {
	if _, err := io.WriteString(w, "var requirements = [\n"); err != nil {
		return err
	}
	for i, g := range s.groups {
		for j, e := range g.entries {
			row, err := json.Marshal([]string{e.ID, string(e.Level), e.Area, g.title, e.Statement})
			if err != nil {
				return err
			}
			separator := ","
			if i == len(s.groups)-1 && j == len(g.entries)-1 {
				separator = ""
			}
			if _, err := fmt.Fprintf(w, "%s%s\n", row, separator); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(w, "];\n")
	return err
}
