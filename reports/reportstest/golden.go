package reportstest

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// styleAndScript are what all pages share, word for word: report.css, fleet.css and page.js.
var styleAndScript = regexp.MustCompile(`(?s)<(style|script)>.*?</(?:style|script)>`)

// Golden compares a rendering with a file in testdata. Of a page the style sheet and the script
// are left out: the policy in its head has the digest of both.
func Golden(t *testing.T, name, rendered string) {
	t.Helper()
	got := []byte(rendered)
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
			t.Fatalf("%s differs in line %d; if that is meant, run go test -update in this folder and review it\n got: %s\nwant: %s", path, i+1, safetext.Visible(string(a)), safetext.Visible(string(b)))
		}
	}
}

// Render returns what a function writes.
func Render(t *testing.T, render func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := render(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
