package reports

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reports/compare"
	"github.com/a2a-conform/a2a-conform/reports/html"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// newWords are what people read in their place.
var newWords = []string{"undecided", "not exercised", "not applicable", "suite error"}

func TestScreenWords(t *testing.T) {
	r, tr := everythingOnTheScreen(t), reportstest.Sample()
	parts := []view.Part{{Title: "Made-up", Folder: "zz", Report: r}}
	written := func(render func(w io.Writer) error) string {
		t.Helper()
		return reportstest.Render(t, render)
	}
	text := func(render func(w io.Writer)) string {
		return written(func(w io.Writer) error { render(w); return nil })
	}
	changes := r.Baseline.Changes
	two := []compare.Entry{{Name: "one", Report: r}, {Name: "another", Report: reportstest.Conforming()}}
	for name, screen := range map[string]string{
		"the terminal":           text(func(w io.Writer) { Terminal(w, r, true) }),
		"one line":               text(func(w io.Writer) { Quiet(w, r) }),
		"summary.md":             written(func(w io.Writer) error { return Markdown(w, r) }),
		"the page":               reportstest.TextAndLabelsOutsidePre(t, written(func(w io.Writer) error { return html.WriteReport(w, r, tr) })),
		"the page over several":  reportstest.TextAndLabelsOutsidePre(t, written(func(w io.Writer) error { return html.WriteIndex(w, "http://127.0.0.1:9999", parts) })),
		"the summary of several": written(func(w io.Writer) error { return writeIndexMarkdown(w, "http://127.0.0.1:9999", parts) }),
		"junit.xml":              junitText(t, written(func(w io.Writer) error { return JUnit(w, r) })),
		"a matrix":               reportstest.TextAndLabelsOutsidePre(t, written(func(w io.Writer) error { return compare.WriteMatrixPage(w, two, &schema.History{}) })),
		"a matrix as Markdown":   written(func(w io.Writer) error { return compare.WriteMatrixMarkdown(w, two, &schema.History{}) }),
		"the brief page":         reportstest.TextAndLabelsOutsidePre(t, written(func(w io.Writer) error { return html.WriteSizeLimitedReport(w, r, tr) })),
		"a page of what changed": reportstest.TextAndLabelsOutsidePre(t, written(func(w io.Writer) error {
			return compare.WriteDiffPage(w, reportstest.Conforming(), r, report.CompareReports(reportstest.Conforming(), r, &schema.History{}))
		})),
		"a comparison":            written(func(w io.Writer) error { return compare.WriteDiffText(w, r, r, changes) }),
		"a comparison for a page": written(func(w io.Writer) error { return compare.WriteDiffMarkdown(w, r, r, changes) }),
	} {
		reportstest.CheckNoInternalWords(t, name, screen)
		if name != "the summary of several" && !strings.Contains(strings.ToLower(screen), "undecided") {
			t.Errorf("%s does not say undecided:\n%s", name, screen)
		}
	}
}

// What programs read keeps its names.
func TestReportKeepsItsNames(t *testing.T) {
	b := reportstest.Render(t, func(w io.Writer) error { return JSON(w, everythingOnTheScreen(t)) })
	var got struct {
		Results []struct {
			Verdict string
			Vacuous bool
		}
		Waivers []struct{ State string }
	}
	if err := json.Unmarshal([]byte(b), &got); err != nil {
		t.Fatal(err)
	}
	seen, vacuous := map[string]bool{}, false
	for _, r := range got.Results {
		seen[r.Verdict], vacuous = true, vacuous || r.Vacuous
	}
	for _, v := range []string{"pass", "fail", "inconclusive", "not-applicable", "waived", "suite-error"} {
		if !seen[v] {
			t.Errorf("no result of report.json is %s: %v", v, seen)
		}
	}
	for _, v := range newWords {
		if seen[v] {
			t.Errorf("a result of report.json is %q", v)
		}
	}
	if !vacuous {
		t.Error("no result of report.json is vacuous")
	}
	states := map[string]bool{}
	for _, w := range got.Waivers {
		states[w.State] = true
	}
	for _, s := range []string{"in-force", "stale", "expired", "undecided", "reworded"} {
		if !states[s] {
			t.Errorf("no waiver of report.json is %s: %v", s, states)
		}
	}
}

// junitText is what a dashboard shows of junit.xml: messages and bodies. Types and
// properties are for programs.
func junitText(t *testing.T, doc string) string {
	t.Helper()
	var out strings.Builder
	for d := xml.NewDecoder(strings.NewReader(doc)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return out.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.CharData:
			out.Write(x)
		case xml.StartElement:
			for _, a := range x.Attr {
				if a.Name.Local == "message" {
					out.WriteString(a.Value + "\n")
				}
			}
		}
	}
}
