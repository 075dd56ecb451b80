package reports

import (
	"io"
	"strings"
	"testing"

	gojunit "github.com/joshdk/go-junit"

	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Every format names what was judged at its beginning, so that a verdict on the bundled server is not taken
// for one on another.
func TestEveryFormatNamesWhatWasJudged(t *testing.T) {
	for name, r := range map[string]*report.Report{"bundled a2a-0.3 reference server": ofBundled(), "http://127.0.0.1:9999": reportstest.Conforming()} {
		t.Run(name, func(t *testing.T) {
			texts := map[string]string{}
			for _, f := range formats {
				b := reportstest.Render(t, func(w io.Writer) error { return f.render(w, r) })
				texts[f.ext] = b
			}
			lines := func(ext string) []string { return strings.Split(strings.TrimSpace(texts[ext]), "\n") }
			if got := lines("quiet.txt"); len(got) != 1 || !strings.HasPrefix(got[0], "conformant: "+name+": ") {
				t.Errorf("a quiet run prints %q", got)
			}
			if got := lines("txt"); len(got) < 3 || !strings.HasPrefix(got[len(got)-3], "judged ") || !strings.Contains(got[len(got)-3], name) || !strings.HasPrefix(got[len(got)-1], "next: ") {
				t.Errorf("the terminal ends with %q, want what was judged, the verdict and the next step", got)
			}
			if got := lines("md")[0]; !strings.HasPrefix(got, "## ") || !strings.Contains(got, name) {
				t.Errorf("the summary begins with %q", got)
			}
			_, title, _ := strings.Cut(texts["html"], "<title>")
			title, page, _ := strings.Cut(title, "</title>")
			_, head, _ := strings.Cut(page, "<h1>")
			head, _, _ = strings.Cut(head, "<p class=\"meaning\">")
			if !strings.Contains(title, name) || !strings.Contains(head, name) {
				t.Errorf("the title of the page is %q, its head %q", title, head)
			}
			suites, err := gojunit.Ingest([]byte(texts["xml"]))
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range suites {
				if !strings.Contains(s.Properties["judged"], name) {
					t.Errorf("the suite %s has the properties %v", s.Name, s.Properties)
				}
				if r.Target.Kind == view.Bundled && s.Name != "verdict" && !strings.HasPrefix(s.Name, name+".") {
					t.Errorf("a suite is called %s", s.Name)
				}
			}
			if verdict := suites[len(suites)-1].Tests[0].SystemOut; !strings.HasPrefix(verdict, "conformant: "+name+": ") {
				t.Errorf("the testcase verdict says %q", verdict)
			}
			if want := `"kind": "` + r.Target.Kind + `"`; !strings.Contains(texts["json"], want) {
				t.Errorf("report.json lacks %s", want)
			}
		})
	}
}

// A notice precedes the verdict and everything else that was found.
func TestNoticesComeFirst(t *testing.T) {
	const notice = "the path /elsewhere was not used"
	for name, r := range map[string]*report.Report{"conforming": reportstest.Conforming(), "every verdict": reportstest.EveryVerdict()} {
		r.Notices = []string{notice}
		for _, f := range formats {
			text := reportstest.Render(t, func(w io.Writer) error { return f.render(w, r) })
			switch f.ext {
			case "txt", "quiet.txt", "md":
			case "html":
				_, head, _ := strings.Cut(text, "<header")
				_, text, _ = strings.Cut(head, "\n")
			default:
				continue
			}
			if first, _, _ := strings.Cut(text, "\n"); !strings.Contains(first, notice) {
				t.Errorf("%s: %s begins with %q", name, f.ext, first)
			}
		}
	}
}

// A notice is shown wherever a verdict is.
func TestNoticesAreShown(t *testing.T) {
	const notice = "the path /elsewhere was not used"
	r := reportstest.Conforming()
	r.Notices = []string{notice}
	for _, f := range formats {
		if f.ext == "badge.json" { // the schema has no room for more than a word
			continue
		}
		b := reportstest.Render(t, func(w io.Writer) error { return f.render(w, r) })
		if !strings.Contains(b, notice) {
			t.Errorf("%s does not show it:\n%s", f.ext, b)
		}
	}
}
