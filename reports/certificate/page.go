package certificate

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"strings"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/reports/layout"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

//go:embed certificate.html.tmpl
var pageFiles embed.FS

// pageCSS is what this page has besides the style sheet of all pages.
//
//go:embed page.css
var pageCSS string

var pageTemplate = sync.OnceValue(func() *template.Template { return layout.ParseTemplates(pageFiles, nil) })

// pageFact is a line of a list on the page.
type pageFact struct{ Name, Value string }

// pageLevel has the counts of a level.
type pageLevel struct {
	Level                                 string
	Met, Broken, Undecided, Waived, Other int
}

// describeVerdict returns the verdict of a certificate for its first line.
func describeVerdict(v report.RunVerdict) string {
	switch v {
	case report.Conformant:
		return "CONFORMANT"
	case report.Partial:
		return "PARTIAL"
	case report.Nonconformant:
		return "NOT CONFORMANT"
	}
	return strings.ToUpper(safetext.Line(string(v), safetext.MaxName))
}

// renderPage makes the page that describes a certificate, of nothing but what is signed besides it.
func renderPage(r *report.Report, sums contents, tool Tool, key string, at time.Time) ([]byte, error) {
	line := func(text string) string { return safetext.Line(text, safetext.MaxName) }
	css := layout.CSS + pageCSS
	page := struct {
		CSS                                   template.CSS
		Policy, Verdict, Class, Name, Meaning string
		Key, Command, Broken                  string
		Judged, Signed, Files                 []pageFact
		Levels                                []pageLevel
	}{CSS: template.CSS(css), Policy: layout.CSPAllowingOnlyStyle(css), Verdict: describeVerdict(r.Verdict), Key: line(key), Meaning: explainVerdict(r)}
	page.Class = map[report.RunVerdict]string{report.Conformant: "conformant", report.Partial: "partial"}[r.Verdict]
	page.Name = line(cmp.Or(r.Target.Agent, r.Target.URL))
	page.Command = "a2a-conform verify certificate.zip --key SIGNER.pub --target " + quoteArgument(line(r.Target.URL))
	selection := r.Run.Selection
	if selection == "full" {
		selection = "all requirements"
	}
	page.Judged = []pageFact{{"server", line(r.Target.URL)}, {"agent", line(r.Target.Agent)}, {"protocol", line(cmp.Or(r.Target.Title, r.Target.Dialect))}, {"bindings", line(strings.Join(r.Target.Bindings, ", "))},
		{"selection", line(selection)}, {"begun", formatMoment(r.Run.StartedAt)}, {"calls", safetext.Thousands(r.Run.Exchanges)}, {"digest of the agent card", line(r.Target.Card)}}
	if r.Target.Kind == report.BundledTarget {
		page.Judged = append(page.Judged, pageFact{"target", "the bundled server of a2a-conform, which proves nothing about another"})
	}
	page.Signed = []pageFact{{"key", line(key)}, {"signed, by the signer’s clock", formatMoment(at)}, {"version of a2a-conform", line(tool.Version)}, {"catalogue", line(r.Tool.CatalogueVersion)}}
	for _, list := range []*[]pageFact{&page.Judged, &page.Signed} {
		kept := (*list)[:0]
		for _, f := range *list {
			if f.Value != "" {
				kept = append(kept, f)
			}
		}
		*list = kept
	}
	for _, level := range []schema.Level{schema.Must, schema.Should, schema.May} {
		c := r.Summary[string(level)]
		page.Levels = append(page.Levels, pageLevel{string(level), c.Pass, c.Fail, c.Inconclusive, c.Waived, c.NotApplicable + c.Vacuous})
	}
	page.Broken = listBrokenMustIDs(r)
	for _, name := range []string{ReportFile, TranscriptFile, PageFile} {
		page.Files = append(page.Files, pageFact{name, line(sums[name])})
	}
	var b bytes.Buffer
	if err := pageTemplate().ExecuteTemplate(&b, "certificate.html.tmpl", page); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// explainVerdict describes in a sentence what the verdict means.
func explainVerdict(r *report.Report) string {
	must := r.Summary[string(schema.Must)]
	switch r.Verdict {
	case report.Conformant:
		return fmt.Sprintf("In this run the server met all %s that apply to it.", safetext.CountWithNoun(must.Pass, "MUST requirement"))
	case report.Nonconformant:
		return fmt.Sprintf("In this run the server broke %s.", safetext.CountWithNoun(must.Fail, "MUST requirement"))
	}
	if r.Run.Selection != "full" {
		return "No MUST requirement was broken, but only a part of them was judged."
	}
	return fmt.Sprintf("No MUST requirement was broken. Undecided: %s; waived: %s.", safetext.Thousands(must.Inconclusive), safetext.Thousands(must.Waived))
}

// listBrokenMustIDs lists the first of the MUST requirements that are broken.
func listBrokenMustIDs(r *report.Report) string {
	const most = 20
	var ids []string
	n := 0
	for i := range r.Results {
		if res := &r.Results[i]; res.Verdict == report.Fail && res.Level == schema.Must {
			if n++; n <= most {
				ids = append(ids, safetext.Line(res.ID, safetext.MaxName))
			}
		}
	}
	out := strings.Join(ids, ", ")
	if n > most {
		out += fmt.Sprintf(", and %d more", n-most)
	}
	return out
}

func formatMoment(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format("2006-01-02 15:04 UTC")
}

// quoteArgument returns a text as an argument for a shell.
func quoteArgument(text string) string {
	if strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:/._-") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
