package reports

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// ownCommand is a line as GitHub writes it: one of three commands with one property, whose
// value is escaped, and a message.
var ownCommand = regexp.MustCompile(`^::(error|warning|notice) title=((?:[^%:,\r\n]|%25|%0D|%0A|%3A|%2C)*)::((?:[^%\r\n]|%25|%0D|%0A)*)$`)

// unescapeData is what the runner does with a message.
var unescapeData = strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n")

// checkCommands reads annotations as a runner does: each line is a command of ours, no more
// are shown than GitHub takes, and whatever shows a message finds no command in it.
func checkCommands(t *testing.T, text string) {
	t.Helper()
	count := map[string]int{}
	for l := range strings.Lines(text) {
		m := ownCommand.FindStringSubmatch(strings.TrimSuffix(l, "\n"))
		if m == nil {
			t.Errorf("a line is no command of ours: %.300q", l)
			continue
		}
		count[m[1]]++
		if strings.Contains(l, "##[") || strings.Contains(l, "##vso[") {
			t.Errorf("a line has a command in brackets: %.300q", l)
		}
		for i, part := range strings.Split(unescapeData.Replace(m[3]), "\n") {
			if i > 0 && !strings.HasPrefix(part, "    ") || strings.HasPrefix(strings.TrimSpace(part), "::") {
				t.Errorf("a message begins a line with what others wrote: %.300q", part)
			}
		}
	}
	if count["error"] > maxAnnotations || count["warning"] > maxAnnotations {
		t.Errorf("%v, GitHub shows %d of each", count, maxAnnotations)
	}
}

// many is a report with more causes than GitHub shows.
func many(prefix string, musts, shoulds int) *report.Report {
	var results []report.Result
	for i := range musts + shoulds {
		r := report.Result{ID: fmt.Sprintf("%s-ERR-%03d", prefix, i+1), Level: schema.Must, Area: "errors", Verdict: report.Fail, Reason: "the server answered nothing"}
		if i >= musts {
			r.Level = schema.Should
		}
		results = append(results, r)
	}
	results = append(results, report.Result{ID: prefix + "-STR-001", Level: schema.Must, Area: "stream", Verdict: report.Inconclusive, Reason: "no stream was seen"})
	return reportstest.SampleReport(results...)
}

func TestGitHub(t *testing.T) {
	for _, c := range []struct {
		name             string
		parts            []view.Part
		errors, warnings int
		want             []string
	}{
		{"more than are shown", []view.Part{{Report: many("ZZ", 14, 12)}}, 10, 10,
			[]string{"::warning title=undecided%3A 1 requirement::", "::notice title=a2a-conform::4 errors and 3 warnings left out, since GitHub shows 10 of each: see report.html\n"}},
		{"as many as are shown", []view.Part{{Report: many("ZZ", 10, 9)}}, 10, 10, nil},
		{"several share", []view.Part{{Folder: "a", Report: many("AA", 12, 0)}, {Folder: "b", Report: many("BB", 3, 0)}}, 10, 2,
			[]string{"title=AA-ERR-007 ", "title=BB-ERR-003 ", ":5 errors left out,"}},
		{"one could not be judged", []view.Part{{Folder: "a", Title: "Made-up", Failure: "no such agent"}, {Folder: "b", Report: reportstest.Conforming()}}, 0, 0,
			[]string{"::notice title=a2a-conform%3A void::Made-up: no such agent\n", "::notice title=a2a-conform%3A conformant::"}},
		{"what follows is counted", []view.Part{{Report: reportstest.EveryVerdict()}}, 2, 2, []string{"1 more failure has the same cause: ZZ99-ERR-005"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := reportstest.Render(t, func(w io.Writer) error { return GitHub(w, c.parts) })
			checkCommands(t, text)
			if e, w := strings.Count(text, "::error title"), strings.Count(text, "::warning title"); e != c.errors || w != c.warnings {
				t.Errorf("%d errors and %d warnings, want %d and %d\n%s", e, w, c.errors, c.warnings, text)
			}
			if strings.Contains(text, "left out") != strings.Contains(strings.Join(c.want, ""), "left out") {
				t.Errorf("left out or not?\n%s", text)
			}
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing in\n%s", want, text)
				}
			}
		})
	}
}

// What a hostile server leads to is kept, so that what others made of the standards reads them too: CI
// validates the SARIF by its published schema.
func TestGoldenOfAHostileServer(t *testing.T) {
	r, _ := reportstest.Hostile(reportstest.Attacks["commands"] + reportstest.Attacks["escapes"] + reportstest.Attacks["link"] + reportstest.Attacks["bidi"] + reportstest.Attacks["terminal"] + reportstest.Attacks["invalid UTF-8"])
	for ext, render := range map[string]func(io.Writer) error{
		"github.txt": func(w io.Writer) error { return GitHub(w, hostileParts(r)) },
		"sarif":      func(w io.Writer) error { return SARIF(w, hostileParts(r), howJudged) },
	} {
		reportstest.Golden(t, "hostile."+ext, reportstest.Render(t, render))
	}
}
