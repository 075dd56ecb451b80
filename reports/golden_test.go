package reports

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/suites/report"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// formats are the renderings by the extension of their golden files.
var formats = []struct {
	ext    string
	render func(io.Writer, *report.Report) error
}{
	{"json", JSON},
	{"xml", JUnit},
	{"html", func(w io.Writer, r *report.Report) error { return HTML(w, r, sample()) }},
	{"md", Markdown},
	{"txt", func(w io.Writer, r *report.Report) error { Terminal(w, r, false); return nil }},
	{"quiet.txt", func(w io.Writer, r *report.Report) error { Quiet(w, r); return nil }},
	{"github.txt", func(w io.Writer, r *report.Report) error { return GitHub(w, []Part{{Report: r}}) }},
	{"sarif", func(w io.Writer, r *report.Report) error { return SARIF(w, []Part{{Report: r}}, howJudged) }},
	{"badge.svg", Badge},
	{"badge.json", BadgeEndpoint},
	{"ansi", func(w io.Writer, r *report.Report) error { Terminal(w, r, true); return nil }},
}

// howJudged stands for what a catalogue says of its checks.
func howJudged(dialect, id string) string { return "a check of " + dialect + " for " + id }

func TestGolden(t *testing.T) {
	for name, r := range map[string]*report.Report{"every-verdict": everyVerdict(), "conformant": conforming(), "bundled": ofBundled(), "two-bindings": inTwoBindings()} {
		for _, f := range formats {
			t.Run(name+"."+f.ext, func(t *testing.T) {
				var got bytes.Buffer
				if err := f.render(&got, r); err != nil {
					t.Fatal(err)
				}
				golden(t, name+"."+f.ext, got.Bytes())
			})
		}
	}
}

// styleAndScript are what all pages share, word for word: report.css, fleet.css and page.js.
var styleAndScript = regexp.MustCompile(`(?s)<(style|script)>.*?</(?:style|script)>`)

// golden compares a rendering with a file in testdata. Of a page the style sheet and the script
// are left out: the policy in its head has the digest of both.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if strings.HasSuffix(name, ".html") {
		got = styleAndScript.ReplaceAll(got, []byte("<$1></$1>"))
	}
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run go test -update in this folder", err)
	}
	if bytes.Equal(got, want) {
		return
	}
	g, w := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range max(len(g), len(w)) {
		var a, b []byte
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if !bytes.Equal(a, b) {
			t.Fatalf("%s differs in line %d; if that is meant, run go test -update in this folder and review it\n got: %s\nwant: %s", path, i+1, visible(string(a)), visible(string(b)))
		}
	}
}
