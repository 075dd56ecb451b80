package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// seenTwice judges a server of A2A 0.1.0 as that and by its core structures: the
// sentences that both have about cards, or a few of them.
var seenTwice = []string{"--dialect", "a2a-0.1,core-schema", "--stimuli", "plain"}

func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Each dialect of a list is judged as a run of its own would judge it, into a folder
// of its own; a page and a summary lead to them, and the exit code is the worst.
func TestSeveralDialects(t *testing.T) {
	testamount.SkipInShort(t)
	here(t)
	broken, healthy := served(t, "final-missing"), served(t, "")
	for _, c := range []struct {
		name, url string
		args      []string
		code      int
		verdicts  []string
	}{
		{"one is broken", broken, []string{"--run", "A2A01-STR-012", "--run", "CORE-*", "--gate", "no-failures"}, 1, []string{"nonconformant", "partial"}},
		{"both are partial", healthy, []string{"--level", "SHOULD"}, 3, []string{"partial", "partial"}},
		{"both are accepted", healthy, []string{"--level", "SHOULD", "--gate", "no-failures"}, 0, []string{"partial", "partial"}},
		{"nobody is there", "http://127.0.0.1:1", nil, 4, []string{"unreachable", "unreachable"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := command(t, slices.Concat([]string{"run", c.url, "--out", "both"}, seenTwice, c.args)...)
			last := fmt.Sprintf("exit code %d: a2a-0.1 is %s, core-schema is %s; overview: both/index.html\n", c.code, c.verdicts[0], c.verdicts[1])
			if code != c.code || !strings.HasSuffix(out, last) {
				t.Errorf("exit %d\n%s%s", code, out, errs)
			}
			if !strings.HasPrefix(out, "A2A 0.1.0 (1 of 2)\n\n") || !strings.Contains(out, "\nA2A core schema (2 of 2)\n\n") || !strings.Contains(out, "reports: both/core-schema/report.html, ") {
				t.Errorf("not told apart:\n%s", out)
			}
			if got := filesIn(t, "both"); !slices.Equal(got, []string{"a2a-0.1", "badge.json", "badge.svg", "core-schema", "index.html", "summary.md"}) {
				t.Errorf("both holds %q", got)
			}
			page, err1 := os.ReadFile("both/index.html")
			summary, err2 := os.ReadFile("both/summary.md")
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			for i, name := range []string{"a2a-0.1", "core-schema"} {
				r := read(t, filepath.Join("both", name, "report.json"))
				if r.Target.Dialect != name || string(r.Verdict) != c.verdicts[i] {
					t.Errorf("%s is %s, judged as %s", name, r.Verdict, r.Target.Dialect)
				}
				if !strings.Contains(string(page), `href="`+name+`/report.html"`) || !strings.Contains(string(page), r.Reason[:20]) {
					t.Errorf("the page does not lead to %s:\n%s", name, page)
				}
				if !strings.Contains(string(summary), "(more in `"+name+"/summary.md`)") {
					t.Errorf("the summary does not lead to %s:\n%s", name, summary)
				}
			}
			if !strings.Contains(string(summary), "a2a-conform: "+c.verdicts[0]+", ") {
				t.Errorf("the summary begins with another verdict than the worst:\n%s", summary)
			}
		})
	}
}

// What lies in the folder of a dialect is what a run of that dialect alone leaves.
func TestEachAsARunOfItsOwn(t *testing.T) {
	here(t)
	broken := served(t, "final-missing")
	if code, out, errs := command(t, slices.Concat([]string{"run", broken, "--out", "both", "--area", "stream"}, seenTwice)...); code != 2 || !strings.Contains(errs, "--area stream matches no requirement of core-schema") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	one := []string{"--run", "A2A01-STR-012", "--stimuli", "plain"}
	if code, out, errs := command(t, slices.Concat([]string{"run", broken, "--out", "both"}, seenTwice, []string{"--run", "A2A01-STR-012", "--run", "CORE-*"})...); code != 1 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	if code, out, errs := command(t, slices.Concat([]string{"run", broken, "--out", "alone", "--dialect", "a2a-0.1"}, one)...); code != 1 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	if a, b := filesIn(t, "both/a2a-0.1"), filesIn(t, "alone"); !slices.Equal(a, b) {
		t.Errorf("%q, alone %q", a, b)
	}
	a, b := read(t, "both/a2a-0.1/report.json"), read(t, "alone/report.json")
	if a.Run.Selection != b.Run.Selection || len(a.Results) != len(b.Results) || a.Results[0].ID != b.Results[0].ID || a.Results[0].Verdict != b.Results[0].Verdict {
		t.Errorf("%+v, alone %+v", a.Run, b.Run)
	}
}

// A quiet run prints a line for each and one last line, and a run with --json one
// array of reports and nothing else.
func TestSeveralInOtherWords(t *testing.T) {
	here(t)
	args := []string{"run", "--self", "--dialect", "a2a-0.1, a2a-0.3", "--level", "MAY", "--out", "both"}
	code, out, errs := command(t, append(args, "--quiet")...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 3 || len(lines) != 3 || !strings.HasPrefix(lines[0], "a2a-0.1: partial: bundled a2a-0.1 reference server: ") ||
		!strings.HasPrefix(lines[1], "a2a-0.3: partial: bundled a2a-0.3 reference server: ") || lines[2] != "exit code 3: a2a-0.1 is partial, a2a-0.3 is partial; overview: both/index.html" {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	code, out, errs = command(t, append(args, "--json")...)
	var all []report.Report
	if err := json.Unmarshal([]byte(out), &all); code != 3 || err != nil || len(all) != 2 || all[1].Target.Dialect != "a2a-0.3" {
		t.Errorf("exit %d, %v\n%s%s", code, err, out, errs)
	}
	code, out, errs = command(t, append(args, "--plan")...)
	if code != 0 || !strings.HasPrefix(out, "A2A 0.1.0\n") || !strings.Contains(out, "\n\nA2A 0.3.0\n") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	if err := os.WriteFile("c.yaml", []byte("target: "+served(t, "")+"\ndialect: a2a-0.1,core-schema\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := command(t, "run", "--config", "c.yaml", "--level", "SHOULD", "--quiet"); code != 3 || !strings.Contains(out, "core-schema is partial") {
		t.Errorf("in a file: exit %d\n%s%s", code, out, errs)
	}
}

// Waivers count where their ids are known, and what is new in a dialect is new.
func TestSeveralWithWaivers(t *testing.T) {
	here(t)
	broken := served(t, "final-missing")
	if err := os.WriteFile("w.yaml", []byte("waivers:\n  - {id: A2A01-STR-012, why: x, until: 2999-12-31}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := command(t, slices.Concat([]string{"run", broken, "--quiet", "--waivers", "w.yaml", "--gate", "no-failures", "--run", "A2A01-STR-012", "--run", "CORE-*"}, seenTwice)...)
	if code != 0 || !strings.Contains(out, "core-schema: notice: --waivers has ids of A2A 0.1.0 and none of A2A core schema, but the server is judged as A2A core schema: nothing is waived\n") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

// Mistakes in a list are found before anything is sent.
func TestMistakesInSeveral(t *testing.T) {
	here(t)
	if code, out, errs := command(t, "run", "--self", "--dialect", "a2a-0.1", "--level", "MAY", "--quiet"); code != 3 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	for name, text := range map[string]string{"c.yaml": "target: http://127.0.0.1:1\ndialect: a2a-0.1,a2a-9\n", "a2a.json": "{}"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := filesIn(t, ".")
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer s.Close()
	names := strings.Join(schema.Names(), ", ")
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"an unknown name", []string{"--dialect", "a2a-0.3,a2a-9"}, `--dialect "a2a-0.3,a2a-9": "a2a-9" is not one of ` + names},
		{"in a file", []string{"--config", "c.yaml"}, `c.yaml: dialect "a2a-0.1,a2a-9": "a2a-9" is not one of ` + names},
		{"a name given twice", []string{"--dialect", "a2a-0.3,a2a-0.1,a2a-0.3"}, `a2a-0.3 is named twice`},
		{"an empty name", []string{"--dialect", "a2a-0.3,"}, `--dialect "a2a-0.3,": there is no name before or after a comma`},
		{"auto", []string{"--dialect", "auto,a2a-0.3"}, "auto cannot be in a list; name the dialects: " + names},
		{"a schema", []string{"--dialect", "a2a-0.1,a2a-0.3", "--schema", "a2a.json"}, "--schema: a2a.json describes one dialect"},
		{"a baseline", []string{"--dialect", "a2a-0.1,a2a-0.3", "--gate", "baseline=a2a-report/report.json"},
			"--gate: a2a-report/report.json is a report on a2a-0.1, but this run judges a2a-0.1 and a2a-0.3; use it in a run with --dialect a2a-0.1 only"},
		{"a baseline that is none", []string{"--dialect", "a2a-0.1,a2a-0.3", "--gate", "baseline=a2a.json"}, "--gate baseline=…: a2a.json: "},
		{"a report to run again", []string{"--dialect", "a2a-0.1,a2a-0.3", "--rerun-failed", "a2a-report/report.json"}, "--rerun-failed: "},
		{"a pattern that fits one", []string{"--dialect", "a2a-0.1,a2a-0.3", "--run", "A2A01-*"}, "--run A2A01-* matches no requirement of a2a-0.3; leave that dialect out, or add"},
		{"a pattern that fits none", []string{"--dialect", "a2a-0.1,a2a-0.3", "--run", "A2A01-*", "--run", "A2A03-*", "--skip", "X"}, `the pattern "X" matches no requirement`},
		{"a header that is none", []string{"--dialect", "a2a-0.1,a2a-0.3", "--header", "no"}, "--header: "},
		{"an unknown gate", []string{"--dialect", "a2a-0.1,a2a-0.3", "--gate", "open"}, `--gate "open" is not one of`},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := command(t, append([]string{"run", s.URL, "--out", "both"}, c.args...)...)
			if code != 2 || out != "" || !strings.Contains(errs, c.want) {
				t.Errorf("exit %d\n%s%s\nwant %s", code, out, errs, c.want)
			}
			if got := filesIn(t, "."); asked > 0 || !slices.Equal(got, before) {
				t.Errorf("the server was asked %d times, and the folder holds %q", asked, got)
			}
		})
	}
	if code, _, errs := command(t, "probe", s.URL, "--dialect", "a2a-0.1,a2a-0.3"); code != 2 || !strings.Contains(errs, "probe uses one dialect") {
		t.Errorf("probe: exit %d, %s", code, errs)
	}
}

// A run that is interrupted judges no further dialect, and says so of each.
func TestSeveralInterrupted(t *testing.T) {
	here(t)
	ctx, stop := context.WithCancel(t.Context())
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { stop() }))
	defer s.Close()
	var out, errs strings.Builder
	code := execute(ctx, []string{"run", s.URL, "--dialect", "a2a-0.1,a2a-0.3", "--quiet"}, &out, &errs)
	if code != 2 || !strings.HasSuffix(out.String(), "exit code 2: a2a-0.1 is void, a2a-0.3 is void; overview: a2a-report/index.html\n") {
		t.Errorf("exit %d\n%s%s", code, &out, &errs)
	}
	page, err := os.ReadFile("a2a-report/index.html")
	if err != nil || !strings.Contains(string(page), "interrupted before this dialect was judged") || strings.Contains(string(page), `href="a2a-0.3/`) {
		t.Errorf("%v\n%s", err, page)
	}
}

// Of a mistake that a later dialect's run alone shows, the others are judged all the same.
func TestSeveralWithOneMistake(t *testing.T) {
	here(t)
	code, out, errs := command(t, "run", served(t, ""), "--dialect", "directory-0.1,a2a-0.1", "--agent", "nobody", "--level", "SHOULD", "--quiet")
	if code != 2 || !strings.HasPrefix(errs, "a2a-conform: a2a-0.1: --agent nobody: in A2A 0.1.0, a server has one agent") || !strings.HasPrefix(out, "directory-0.1: ") || !strings.Contains(out, "exit code 2: ") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	page, err := os.ReadFile("a2a-report/index.html")
	if err != nil || !strings.Contains(string(page), "a server has one agent") || !strings.Contains(string(page), `href="directory-0.1/report.html"`) {
		t.Errorf("%v\n%s", err, page)
	}
}

// The bundled server can speak every protocol: it speaks the one that the files of
// an earlier run are about.
func TestSelfFollowsTheFiles(t *testing.T) {
	here(t)
	if err := os.WriteFile("w.yaml", []byte("waivers:\n  - {id: A2A03-CARD-001, why: x, until: 2999-12-31}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := command(t, "run", "--self", "--waivers", "w.yaml", "--level", "MAY", "--quiet")
	if code != 3 || !strings.Contains(out, "bundled a2a-0.3 reference server") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}
