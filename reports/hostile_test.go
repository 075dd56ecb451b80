package reports

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/compare"
	"github.com/a2a-conform/a2a-conform/reports/html"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// seedLength bounds the attacks that FuzzHostile begins with, and tries in each test.
const seedLength = 1 << 12

func TestHostile(t *testing.T) {
	for name, evil := range reportstest.Attacks {
		if len(evil) < seedLength {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, tr := reportstest.Hostile(evil)
			wellFormed(t, r, tr)
		})
	}
}

func FuzzHostile(f *testing.F) {
	for _, evil := range reportstest.Attacks {
		if len(evil) < seedLength {
			f.Add(evil)
		}
	}
	f.Fuzz(func(t *testing.T, evil string) {
		r, tr := reportstest.Hostile(evil)
		wellFormed(t, r, tr)
	})
}

// wellFormed renders a report in every format and checks what must hold whatever a server sends.
func wellFormed(t *testing.T, r *report.Report, tr *record.Transcript) {
	t.Helper()
	outputs := map[string]*bytes.Buffer{}
	for name, render := range map[string]func(io.Writer) error{
		"json":     func(w io.Writer) error { return JSON(w, r) },
		"junit":    func(w io.Writer) error { return JUnit(w, r) },
		"html":     func(w io.Writer) error { return html.WriteReport(w, r, tr) },
		"brief":    func(w io.Writer) error { return html.WriteSizeLimitedReport(w, r, tr) },
		"markdown": func(w io.Writer) error { return Markdown(w, r) },
		"terminal": func(w io.Writer) error { Terminal(w, r, false); return nil },
		"quiet":    func(w io.Writer) error { Quiet(w, r); return nil },
		"index":    func(w io.Writer) error { return html.WriteIndex(w, r.Target.URL, hostileParts(r)) },
		"overview": func(w io.Writer) error { return writeIndexMarkdown(w, r.Target.URL, hostileParts(r)) },
		"github":   func(w io.Writer) error { return GitHub(w, hostileParts(r)) },
		"sarif": func(w io.Writer) error {
			return SARIF(w, hostileParts(r), func(string, string) string { return r.Reason })
		},
		"colors":       func(w io.Writer) error { Terminal(w, r, true); return nil },
		"badge":        func(w io.Writer) error { return Badge(w, r) },
		"badge of all": func(w io.Writer) error { return overAll(r.Target.URL, hostileParts(r)).writeSVG(w) },
		"endpoint":     func(w io.Writer) error { return BadgeEndpoint(w, r) },
		"matrix":       func(w io.Writer) error { return compare.WriteMatrixPage(w, hostileEntries(r), &schema.History{}) },
		"matrix.md":    func(w io.Writer) error { return compare.WriteMatrixMarkdown(w, hostileEntries(r), &schema.History{}) },
		"diff page": func(w io.Writer) error {
			return compare.WriteDiffPage(w, reportstest.Conforming(), r, hostileChanges(r))
		},
	} {
		var b bytes.Buffer
		if err := render(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		outputs[name] = &b
		// Fourteen results with some ten texts each, in which escapes take up to
		// six times the room of what they stand for.
		if limit := 8 << 20; b.Len() > limit {
			t.Errorf("%s has %d bytes, want at most %d", name, b.Len(), limit)
		}
		text := b.String()
		if name == "colors" {
			text = regexp.MustCompile(`\x1b\[[0-9;]+m`).ReplaceAllString(text, "")
		}
		if !utf8.ValidString(text) {
			t.Errorf("%s is not UTF-8", name)
		}
		if plain := safetext.Visible(text); plain != text {
			t.Errorf("%s holds a character that acts or hides, at byte %d", name, reportstest.FirstDifference(plain, text))
		}
	}
	if outputs["markdown"].Len() > 1<<20 {
		t.Errorf("the summary has %d bytes, GitHub takes 1 MiB", outputs["markdown"].Len())
	}
	if _, err := ReadJSON(bytes.NewReader(outputs["json"].Bytes())); err != nil {
		t.Errorf("report.json: %v", err)
	}
	checkXML(t, outputs["junit"].Bytes())
	ingest(t, r)
	reportstest.CheckOnlyKnownHTML(t, outputs["html"].Bytes())
	reportstest.CheckOnlyKnownHTML(t, outputs["brief"].Bytes())
	reportstest.CheckIDsAndLinks(t, outputs["brief"].String())
	if n := outputs["brief"].Len(); n > html.MaxBriefBytes {
		t.Errorf("the brief page has %d bytes", n)
	}
	reportstest.CheckOnlyOwnMarkdown(t, outputs["markdown"].String())
	reportstest.CheckOnlyKnownHTML(t, outputs["index"].Bytes())
	reportstest.CheckOnlyOwnMarkdown(t, outputs["overview"].String())
	checkLines(t, outputs["terminal"].String())
	checkCommands(t, outputs["github"].String())
	checkSARIF(t, outputs["sarif"].Bytes())
	reportstest.CheckOnlyKnownHTML(t, outputs["matrix"].Bytes())
	reportstest.CheckOnlyOwnMarkdown(t, outputs["matrix.md"].String())
	reportstest.CheckOnlyKnownHTML(t, outputs["diff page"].Bytes())
	checkSVG(t, outputs["badge"].Bytes())
	checkSVG(t, outputs["badge of all"].Bytes())
	if !json.Valid(outputs["endpoint"].Bytes()) {
		t.Error("badge.json is no JSON")
	}
}

// hostileParts are the parts of a run as several dialects, of which one was judged
// and one ended with an error that quotes the server.
func hostileParts(r *report.Report) []view.Part {
	return []view.Part{{Folder: "zz-9.9", Title: r.Target.Title, Report: r}, {Folder: "zz-8.8", Title: r.Target.Title, Failure: r.Reason}}
}

// hostileEntries are reports of a matrix: of one server at two times, of one whose name the
// card chose, and of one by another dialect.
func hostileEntries(r *report.Report) []compare.Entry {
	earlier, named, other := *r, *reportstest.Conforming(), *r
	earlier.Results = earlier.Results[1:]
	named.Target.Agent = r.Reason
	other.Target.Dialect = r.Reason
	return []compare.Entry{{Report: r, Page: "zz-9.9/report.html"}, {Report: &earlier}, {Report: &named}, {Report: reportstest.Conforming()}, {Name: "another", Report: &other}}
}

func hostileChanges(r *report.Report) []report.Change {
	return report.CompareReports(reportstest.Conforming(), r, &schema.History{})
}

// checkLines makes sure that a line which begins like one of the summary's own
// was not chosen by the server.
func checkLines(t *testing.T, text string) {
	t.Helper()
	verdicts := 0
	for l := range strings.Lines(text) {
		// The verdict of the hostile report is void.
		if strings.HasPrefix(l, "CONFORMANT") {
			verdicts++
		}
	}
	if verdicts > 0 {
		t.Errorf("the terminal shows %d verdicts of the server's own", verdicts)
	}
}
