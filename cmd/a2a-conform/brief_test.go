package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reports"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/html"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// briefOf is the brief page of a run on a server with a defect.
func briefOf(t *testing.T, dialect, mutant string) []byte {
	t.Helper()
	s, err := reference.Start(t.Context(), reference.Options{Dialect: dialect, Mutant: mutant})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := newChild(t, "run", s.URL(), "--dialect", dialect, "--quiet")
	c.Run()
	dir := filepath.Join(c.Dir, "a2a-report")
	opened := func(name string) *os.File {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatalf("%v: %s", err, c.Errors.String())
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	r, err := reports.ReadJSON(opened(files.JSONFile))
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != report.Nonconformant {
		t.Fatalf("the run is %s", r.Verdict)
	}
	transcript, err := record.ReadHAR(opened(files.TranscriptFile))
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := html.WriteSizeLimitedReport(&page, r, transcript); err != nil {
		t.Fatal(err)
	}
	return page.Bytes()
}

// The site of a fleet carries hundreds of brief pages: they are small for every protocol, and
// show the bytes that prove what is broken.
func TestBriefPagesAreSmall(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	broken := map[string]string{
		"a2a-0.1": "push-url-cut", "a2a-0.3": "message-of-other-context", "a2a-1.0": "message-of-other-context", "a2x-0.3": "batch-error-mute",
		"core-schema": "card-in-array", "directory-0.1": "register-renames", "jaf-0.3": "role-unchecked",
	}
	sizes := map[string]int{}
	for _, dialect := range reference.Dialects() {
		if testamount.Few() && slices.Contains([]string{"a2a-0.3", "a2a-1.0", "jaf-0.3"}, dialect) {
			continue // a run of these takes long; where they are tried, all are: the average is of all
		}
		t.Run(dialect, func(t *testing.T) {
			page := briefOf(t, dialect, broken[dialect])
			if !bytes.Contains(page, []byte(`<pre class="body"`)) {
				t.Error("no bytes prove the failure")
			}
			sizes[dialect] = len(page)
		})
	}
	sum := 0
	for dialect, n := range sizes {
		if sum += n; n > 400_000 {
			t.Errorf("the page of %s has %d bytes", dialect, n)
		}
	}
	if t.Failed() {
		return
	}
	t.Logf("the pages have %v bytes, %d on average", sizes, sum/len(sizes))
	if sum/len(sizes) > 200_000 {
		t.Errorf("the pages have %d bytes on average", sum/len(sizes))
	}
}
