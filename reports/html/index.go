package html

import (
	"html/template"
	"io"
	"net/url"

	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/layout"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
)

// indexPage is what the template shows; every text in it is bounded and visible.
type indexPage struct {
	CSS              template.CSS
	Policy           string
	Verdict, Subject string
	Columns          []view.Kind
	Parts            []partView
}

type partView struct {
	Title, Verdict, Reason string
	Class                  string // of the verdict's badge
	Folder                 string // as a link needs it
	Files                  []string
	Musts                  []layout.Cell
	Gate                   []string
}

// WriteIndex writes the page over the reports of several dialects: each one's verdict, its
// MUSTs in numbers, and links to its reports. Like a report it needs nothing else.
func WriteIndex(w io.Writer, server string, parts []view.Part) error {
	p := indexPage{CSS: template.CSS(layout.CSS), Policy: layout.CSPAllowingOnlyStyle(layout.CSS), Verdict: string(view.Worst(parts)),
		Subject: safetext.Line(server, safetext.MaxName) + ", judged as " + view.JoinTitles(parts)}
	for _, c := range view.Columns {
		p.Columns = append(p.Columns, c.Kind)
	}
	for _, part := range parts {
		v := partView{Title: safetext.Line(part.Title, safetext.MaxName), Verdict: string(part.Verdict()), Reason: part.ExplainVerdict(), Class: view.KindOfRun(part.Verdict()).Class()}
		if r := part.Report; r != nil {
			r = view.CopyWithBoundedTexts(r)
			v.Folder, v.Files = url.PathEscape(part.Folder), []string{files.HTMLFile, files.JSONFile, files.JUnitFile, files.MarkdownFile, files.TranscriptFile}
			v.Gate = view.ExplainGateOutcome(r)
			for _, c := range view.Columns {
				v.Musts = append(v.Musts, layout.Cell{Kind: c.Kind, N: c.Of(r.Summary["MUST"])})
			}
		}
		p.Parts = append(p.Parts, v)
	}
	return htmlTemplate().ExecuteTemplate(w, "index.html.tmpl", p)
}
