package fleet

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reports/fleetpage"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// The site shows every agent, and the pages of those that are not conformant or have changed;
// the live one those of all.
func TestSites(t *testing.T) {
	t.Parallel()
	f := connected(t, aBroker(t, broker.Server{}), "test")
	ctx := t.Context()
	var targets []agentlist.Target
	for _, o := range []reference.Options{{Dialect: "core-schema", Addr: "127.0.8.1:0"}, {Dialect: "core-schema", Addr: "127.0.8.2:0", Mutant: reference.Mutants("core-schema")[0].Name}} {
		s, err := reference.Start(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		one, _, _, err := agentlist.ParseEntry([]byte(`{"target":"` + s.URL() + `","dialect":"core-schema","stimuli":"plain"}`))
		if err != nil {
			t.Fatal(err)
		}
		targets = append(targets, one)
	}
	if _, err := f.Add(ctx, "v1", targets); err != nil {
		t.Fatal(err)
	}
	if err := worker("w", JudgeInProcess, t).Work(ctx, f); err != nil {
		t.Fatal(err)
	}
	outcomes, err := f.Outcomes(ctx, "000001", targets)
	if err != nil || outcomes[0].Verdict != report.Conformant || outcomes[1].Verdict == report.Conformant {
		t.Fatal(outcomes, err)
	}
	dir := t.TempDir()
	stale := filepath.Join(dir, pagesFolder, "0123456789abcdef.html")
	if err := os.MkdirAll(filepath.Dir(stale), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stale, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (Site{Dir: dir}).Write(ctx, f); err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(filepath.Join(dir, fleetpage.PageFile))
	if err != nil {
		t.Fatal(err)
	}
	for i, one := range targets {
		page, err := os.ReadFile(filepath.Join(dir, pagesFolder, one.ID+".html"))
		if is := err == nil; is != (i == 1) || is != strings.Contains(string(index), one.ID+".html") || is && !strings.Contains(string(page), one.URL) {
			t.Errorf("%s: %v", one.URL, err)
		}
		if !strings.Contains(string(index), one.URL) {
			t.Errorf("%s is not on the page", one.URL)
		}
	}
	if _, err := os.Stat(stale); err == nil {
		t.Error("a page of an earlier site is still there")
	}

	live := httptest.NewServer(f.Handler())
	defer live.Close()
	ask := func(method, path string) (int, string, http.Header) {
		r, err := http.NewRequestWithContext(ctx, method, live.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text), answer.Header
	}
	id := targets[0].ID
	for _, c := range []struct {
		method, path string
		status       int
		has          string
	}{
		{"GET", "/", 200, pagesFolder + "/" + id + ".html"},
		{"HEAD", "/", 200, ""},
		{"GET", "/" + pagesFolder + "/" + id + ".html", 200, targets[0].URL},
		{"GET", "/" + pagesFolder + "/" + id + ".html?round=1", 200, targets[0].URL},
		{"GET", "/" + pagesFolder + "/" + id + "/report.json", 200, `"conformant"`},
		{"GET", "/" + pagesFolder + "/" + id + "/transcript.har", 200, `"_raw"`},
		{"GET", "/" + pagesFolder + "/" + id + ".html?round=9", 404, ""},
		{"GET", "/" + pagesFolder + "/" + id + ".html?round=*", 404, ""},
		{"GET", "/" + pagesFolder + "/0123456789abcdef.html", 404, ""},
		{"GET", "/" + pagesFolder + "/" + id + "/secrets.yaml", 404, ""},
		{"GET", "/" + pagesFolder + "/%3e/report.json", 404, ""},
		{"GET", "/else", 404, ""},
		{"POST", "/", 405, ""},
		{"DELETE", "/" + pagesFolder + "/" + id + ".html", 405, ""},
	} {
		status, text, head := ask(c.method, c.path)
		if status != c.status || !strings.Contains(text, c.has) {
			t.Errorf("%s %s: %d, %.200q", c.method, c.path, status, text)
		}
		if head.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %s: %v", c.method, c.path, head)
		}
	}
}
