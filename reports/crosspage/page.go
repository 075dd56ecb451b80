package crosspage

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-conform/a2a-conform/reports/layout"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

// styleSheet adds to the style of all pages.
//
//go:embed cross.css
var styleSheet string

//go:embed cross.html.tmpl
var pageFiles embed.FS

// pageTemplate parses the template when the first page is made.
var pageTemplate = sync.OnceValue(func() *template.Template { return layout.ParseTemplates(pageFiles, nil) })

// pageView is what the template shows; every text in it is bounded and visible.
type pageView struct {
	CSS            template.CSS
	Policy         string
	Title, Intro   string
	SameSDK        string // what it means that pairs work on one SDK
	Servers        []sideView
	Rows           []rowView
	Groups         []groupView
	Notes          []string // of the servers
	Unlisted       int
	UnshownServers int
	HasSides       bool
}

type sideView struct {
	Name, SDK, Alone, Page, Detail string
}

type rowView struct {
	sideView
	Cells []cellView
}

type cellView struct {
	Class, Word, Link string
}

type groupView struct {
	Title string
	Cells []detailView
}

type detailView struct {
	ID, Client, Server, Class, Word, Dialect, Sentence string
	Faults                                             []faultView
	More                                               int
	Readings, Notes                                    []string
	Records                                            []linkView
}

type faultView struct {
	ID, Level, Side, Section, Statement, Reason, Known, At string
}

type linkView struct{ Text, Link string }

// WritePage writes the page of a table. It needs no other file, and has no script.
func WritePage(w io.Writer, t *Table) error {
	css := layout.CSS + styleSheet
	p := pageView{CSS: template.CSS(css), Policy: layout.CSPAllowingOnlyStyle(css), Title: t.formatTitle(), UnshownServers: max(0, len(t.Servers)-maxColumns), SameSDK: t.explainSameSDK(),
		Intro: fmt.Sprintf("Each client was started to send “%s” to each server.", safetext.Line(t.Text, safetext.MaxName))}
	shown := t.Servers[:min(maxColumns, len(t.Servers))]
	for _, s := range shown {
		for _, n := range s.Notes {
			p.Notes = append(p.Notes, safetext.OneLine(s.Name+": "+n))
		}
		p.Servers = append(p.Servers, viewSide(s.Name, s.SDK, s.Alone, s.Dialects, s.Trouble))
	}
	listed := t.ListByGravity()
	p.Unlisted = max(0, len(listed)-maxListed)
	listed = listed[:min(maxListed, len(listed))]
	ids, cells := map[*Cell]string{}, t.indexCells() // only what is described has an id, to which its cell is a link
	for i := range t.Clients {
		c := &t.Clients[i]
		row := rowView{sideView: viewSide(c.Name, c.SDK, c.Alone, c.Dialects, "")}
		for j, s := range shown {
			cell := cells[pair{c.Name, s.Name}]
			if cell == nil {
				row.Cells = append(row.Cells, cellView{Class: "missing", Word: "not finished"})
				continue
			}
			if slices.Contains(listed, cell) {
				ids[cell] = fmt.Sprintf("c%d-s%d", i+1, j+1)
			}
			p.HasSides = p.HasSides || cell.Outcome == Fails
			row.Cells = append(row.Cells, cellView{cell.chooseClass(), cell.Word(), ids[cell]})
		}
		p.Rows = append(p.Rows, row)
	}
	for _, c := range listed {
		if n := len(p.Groups); n == 0 || p.Groups[n-1].Title != c.chooseHeading() {
			p.Groups = append(p.Groups, groupView{Title: c.chooseHeading()})
		}
		g := &p.Groups[len(p.Groups)-1]
		g.Cells = append(g.Cells, viewCell(c, ids[c]))
	}
	return pageTemplate().ExecuteTemplate(w, "cross.html.tmpl", p)
}

// viewSide shows a client or a server.
func viewSide(name, sdk string, alone *Alone, dialects []string, trouble string) sideView {
	v := sideView{Name: safetext.Line(name, safetext.MaxName), SDK: safetext.Line(sdk, safetext.MaxName), Detail: safetext.Line(strings.Join(dialects, ", "), safetext.MaxName)}
	if trouble != "" {
		v.Detail = safetext.OneLine(trouble)
	}
	if alone != nil {
		v.Alone, v.Page = "alone: "+safetext.Line(alone.Verdict, safetext.MaxName), alone.Page
	}
	return v
}

// viewCell shows a cell in full.
func viewCell(c *Cell, id string) detailView {
	v := detailView{ID: id, Client: safetext.Line(c.Client, safetext.MaxName), Server: safetext.Line(c.Server, safetext.MaxName), Class: c.chooseClass(), Word: c.Word(), Dialect: safetext.Line(c.Dialect, safetext.MaxName), Sentence: c.Sentence(), More: c.More}
	for _, f := range c.Faults {
		at := safetext.Line(f.Step, safetext.MaxName)
		if f.Exchange > 0 {
			at = fmt.Sprintf("%s, exchange %d", at, f.Exchange)
		}
		v.Faults = append(v.Faults, faultView{f.ID, string(f.Level), string(f.Side), safetext.Line(f.Section, safetext.MaxName), f.Statement, safetext.OneLine(f.Reason), safetext.OneLine(f.Known), at})
	}
	for i := range c.Readings {
		v.Readings = append(v.Readings, c.Readings[i].describeReading())
	}
	for _, n := range c.Notes {
		v.Notes = append(v.Notes, safetext.OneLine(n))
	}
	for _, r := range []linkView{{"the client's record", c.ClientRecord}, {"the server's record", c.ServerRecord}} {
		if r.Link != "" {
			v.Records = append(v.Records, linkView{r.Text, (&url.URL{Path: r.Link}).String()})
		}
	}
	return v
}
