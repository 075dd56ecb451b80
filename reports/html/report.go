// Package html writes report.html, its brief form for a site of many reports, and the page over the
// reports of several dialects.
package html

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/layout"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// WriteSizeLimitedReport writes a report as the same page as HTML, but a small one, for a site that carries
// hundreds of them: with the verdict, the causes, the failures with the bytes that prove them,
// and the verdict on every requirement.
func WriteSizeLimitedReport(w io.Writer, r *report.Report, t *record.Transcript) error {
	if t == nil {
		t = &record.Transcript{}
	}
	var page bytes.Buffer
	for _, most := range briefPages {
		page.Reset()
		p, _ := newPage(view.CopyWithBoundedTexts(r), t, most)
		if err := htmlTemplate().ExecuteTemplate(&page, wholePage, p); err != nil {
			return err
		}
		if page.Len() <= MaxBriefBytes {
			break
		}
	}
	_, err := page.WriteTo(w)
	return err
}

//go:embed report.html.tmpl report.cards.tmpl report.rows.tmpl report.lanes.tmpl index.html.tmpl
var htmlFiles embed.FS

// htmlTemplate parses the templates when the first page is made.
var htmlTemplate = sync.OnceValue(func() *template.Template {
	return layout.ParseTemplates(htmlFiles, template.FuncMap{"scrolls": needsScrolling})
})

// WriteReport writes a report as one page that needs nothing else: no picture, no font, and
// nothing of another host. Its policy lets the browser use the one style sheet and the one
// script in it and nothing more, should a text of the server ever escape its escaping.
func WriteReport(w io.Writer, r *report.Report, t *record.Transcript) error {
	if t == nil {
		t = &record.Transcript{}
	}
	p, b := newPage(view.CopyWithBoundedTexts(r), t, fullPage)
	var all, plays []*pagePart
	add := func(name string, of any) *pagePart {
		part := &pagePart{name: name, of: of}
		all = append(all, part)
		return part
	}
	add("above", p)
	add("talks above", p)
	for i := range p.Talks.Plays {
		plays = append(plays, add("play", &p.Talks.Plays[i]))
	}
	add("talks below", p)
	add("requirements above", p)
	for i := range p.Areas {
		add("area", &p.Areas[i])
	}
	add("requirements below", p)
	add("below", p)
	if err := renderParts(all); err != nil {
		return err
	}
	room := maxPageBytes(r)
	for _, part := range all {
		room -= part.text.Len()
	}
	b.fillExchangeBytes(p.Talks, room) // what of the exchanges has room is known when all else is there
	if err := renderParts(plays); err != nil {
		return err
	}
	for _, part := range all {
		if _, err := part.text.WriteTo(w); err != nil {
			return err
		}
	}
	return nil
}

// pagePart is a part of the page that is rendered concurrently with others.
type pagePart struct {
	name string // of its template
	of   any
	text bytes.Buffer
}

// renderParts makes parts of the page side by side.
func renderParts(parts []*pagePart) error {
	var all errgroup.Group
	all.SetLimit(runtime.GOMAXPROCS(0))
	for _, part := range parts {
		all.Go(func() error {
			part.text.Reset()
			return htmlTemplate().ExecuteTemplate(&part.text, part.name, part.of)
		})
	}
	return all.Wait()
}

// wholePage is the template of the page as a whole.
const wholePage = "report.html.tmpl"

// maxPageBytes is how large a page may be, about.
func maxPageBytes(r *report.Report) int {
	if len(r.Results) > 450 {
		return 1_120_000
	}
	return 840_000
}
