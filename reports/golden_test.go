package reports

import (
	"io"
	"testing"

	"github.com/a2a-conform/a2a-conform/reports/brief"
	"github.com/a2a-conform/a2a-conform/reports/html"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// formats are the renderings by the extension of their golden files.
var formats = []struct {
	ext    string
	render func(io.Writer, *report.Report) error
}{
	{"json", JSON},
	{"xml", JUnit},
	{"html", func(w io.Writer, r *report.Report) error { return html.WriteReport(w, r, reportstest.Sample()) }},
	{"md", Markdown},
	{"brief.md", func(w io.Writer, r *report.Report) error { return brief.Write(w, r, reportstest.Sample()) }},
	{"txt", func(w io.Writer, r *report.Report) error { Terminal(w, r, false); return nil }},
	{"quiet.txt", func(w io.Writer, r *report.Report) error { Quiet(w, r); return nil }},
	{"github.txt", func(w io.Writer, r *report.Report) error { return GitHub(w, []view.Part{{Report: r}}) }},
	{"sarif", func(w io.Writer, r *report.Report) error { return SARIF(w, []view.Part{{Report: r}}, howJudged) }},
	{"badge.svg", Badge},
	{"badge.json", BadgeEndpoint},
	{"ansi", func(w io.Writer, r *report.Report) error { Terminal(w, r, true); return nil }},
}

// howJudged replaces the description of a check by a catalogue.
func howJudged(dialect, id string) string { return "a check of " + dialect + " for " + id }

func TestGolden(t *testing.T) {
	for name, r := range map[string]*report.Report{"every-verdict": reportstest.EveryVerdict(), "conformant": reportstest.Conforming(), "bundled": ofBundled(), "two-bindings": inTwoBindings()} {
		for _, f := range formats {
			t.Run(name+"."+f.ext, func(t *testing.T) {
				reportstest.Golden(t, name+"."+f.ext, reportstest.Render(t, func(w io.Writer) error { return f.render(w, r) }))
			})
		}
	}
}
