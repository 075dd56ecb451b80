package reports

import (
	stdhtml "html"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/html"
	"github.com/a2a-conform/a2a-conform/reports/layout"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// several are the parts of a run as three dialects, one of which could not be judged.
func several() []view.Part {
	return []view.Part{
		{Folder: "zz-9.9", Title: "Made-up Protocol 9.9", Report: reportstest.Conforming()},
		{Folder: "zz-8.8", Title: "Made-up Protocol 8.8", Report: reportstest.EveryVerdict()},
		{Folder: "zz-7.7", Title: "Made-up Protocol 7.7", Failure: "no agent is called \"nobody\""},
	}
}

// The page over several reports shows each verdict and leads to each report.
func TestIndex(t *testing.T) {
	for name, render := range map[string]func(io.Writer) error{
		"several.html": func(b io.Writer) error { return html.WriteIndex(b, "http://127.0.0.1:9999", several()) },
		"several.md":   func(b io.Writer) error { return writeIndexMarkdown(b, "http://127.0.0.1:9999", several()) },
	} {
		t.Run(name, func(t *testing.T) {
			reportstest.Golden(t, name, reportstest.Render(t, render))
		})
	}
	b := reportstest.Render(t, func(w io.Writer) error { return html.WriteIndex(w, "x", several()) })
	_, rest, _ := strings.Cut(b, "<style>")
	style, _, _ := strings.Cut(rest, "</style>")
	if !strings.Contains(stdhtml.UnescapeString(b), layout.CSPAllowingOnlyStyle(style)) {
		t.Error("the policy of the page does not let in its style")
	}
}

// The worst verdict is that of all parts, in whatever order they are.
func TestWorst(t *testing.T) {
	of := func(v report.RunVerdict) view.Part { return view.Part{Report: &report.Report{Verdict: v}} }
	for i, v := range view.VerdictsByGravity {
		for _, better := range view.VerdictsByGravity[i:] {
			if a, b := view.Worst([]view.Part{of(v), of(better)}), view.Worst([]view.Part{of(better), of(v)}); a != v || b != v {
				t.Errorf("of %s and %s the worst is %s, or %s", v, better, a, b)
			}
		}
	}
	if v := view.Worst([]view.Part{of(report.Unreachable), {Failure: "x"}}); v != report.Void {
		t.Errorf("with a mistake it is %s", v)
	}
}

// The folder holds the page and the summary, and what was there before.
func TestWriteIndex(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/theirs", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteOverviewFiles(dir, "x", several()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"theirs", files.IndexFile, files.MarkdownFile} {
		if _, err := os.Stat(dir + "/" + name); err != nil {
			t.Error(err)
		}
	}
	if err := os.Mkdir(dir+"/taken", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir+"/taken/"+files.IndexFile, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteOverviewFiles(dir+"/taken", "x", several()); err == nil || !strings.Contains(err.Error(), "name another directory with --out") {
		t.Errorf("%v", err)
	}
}

// What else a server offers is shown with the verdict, and with it how to judge that.
func TestOffersAreShown(t *testing.T) {
	r := reportstest.Conforming()
	r.Target.Offers = []report.Offer{{Dialect: "zz-8.8", Title: "Made-up Protocol 8.8"}}
	for ext, want := range map[string]string{
		"json": `"offers": [
      {
        "dialect": "zz-8.8",
        "title": "Made-up Protocol 8.8"
      }
    ],`,
		"html": `<p class="more">the card also offers Made-up Protocol 8.8: <code class="copy">--dialect zz-8.8</code></p>`,
		"md":   "- the card also offers Made-up Protocol 8.8: `--dialect zz-8.8`\n",
		"txt":  "\nthe card also offers Made-up Protocol 8.8: --dialect zz-8.8\nCONFORMANT ",
	} {
		for _, f := range formats {
			b := reportstest.Render(t, func(w io.Writer) error { return f.render(w, r) })
			if f.ext == ext && !strings.Contains(b, want) {
				t.Errorf("%s does not say %q:\n%s", ext, want, b)
			}
			if f.ext != "json" {
				continue
			}
			if again, err := ReadJSON(strings.NewReader(b)); err != nil || len(again.Target.Offers) != 1 {
				t.Errorf("report.json is not read again: %v", err)
			}
		}
	}
}
