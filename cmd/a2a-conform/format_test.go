package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/reports/brief"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// annotated counts the lines of an output that are annotations, and the others.
func annotated(text string) (annotations, others int) {
	for l := range strings.Lines(text) {
		if strings.HasPrefix(l, "::error title=") || strings.HasPrefix(l, "::warning title=") || strings.HasPrefix(l, "::notice title=") {
			annotations++
		} else {
			others++
		}
	}
	return annotations, others
}

// logOf is what a test reads of SARIF.
type logOf struct {
	Version string
	Runs    []struct {
		Tool struct {
			Driver struct {
				Rules []struct {
					ID   string
					Help struct{ Text string }
				}
			}
		}
		Results []struct {
			RuleID, Kind, Level string
			PartialFingerprints map[string]string
			Locations           []struct {
				PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
			}
		}
	}
}

func readSARIF(t *testing.T, text string) (l logOf) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &l); err != nil || l.Version != "2.1.0" {
		t.Fatalf("no SARIF: %v\n%s", err, text)
	}
	return l
}

// Each form is the only thing on the standard output, of a run and of its replay; the files
// and the exit code are those of any run.
func TestFormats(t *testing.T) {
	here(t)
	t.Setenv("GITHUB_ACTIONS", "")
	url := served(t, "card-skill-ids-equal")
	few := []string{"--dialect", "a2a-0.1", "--stimuli", "plain", "--run", "A2A01-CARD-*"}
	run := func(args ...string) string {
		t.Helper()
		code, out, errs := command(t, append(append([]string{"run", url, "--out", "made"}, few...), args...)...)
		if code != 1 || len(filesIn(t, "made")) < 5 {
			t.Fatalf("%q: exit %d\n%s%s", args, code, out, errs)
		}
		return out
	}
	again := func(args ...string) string {
		t.Helper()
		code, out, errs := command(t, append([]string{"replay", "made/transcript.har", "--out", "again"}, args...)...)
		if code != 1 {
			t.Fatalf("%q: exit %d\n%s%s", args, code, out, errs)
		}
		return out
	}
	file := func(name string) string {
		t.Helper()
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, args := range [][]string{{"--format", "json"}, {"--json"}, {"--json", "--format", "json"}, {"--format", "json", "--quiet"}} {
		if out := run(args...); out != file("made/report.json") {
			t.Errorf("%q prints other bytes than lie in report.json:\n%s", args, out)
		}
	}
	if out := again("--format", "json"); out != file("again/report.json") {
		t.Errorf("replay prints other bytes than lie in report.json:\n%s", out)
	}

	annotations := run("--format", "github")
	if n, others := annotated(annotations); n < 2 || others > 0 || !strings.Contains(annotations, "::error title=A2A01-CARD-026 MUST ") || !strings.Contains(annotations, "::notice title=a2a-conform%3A nonconformant::") {
		t.Errorf("--format github prints\n%s", annotations)
	}
	want := strings.Replace(annotations, "::http://", "::an unsigned transcript that names http://", 1)
	want = strings.ReplaceAll(want, "sh made/reproduce/", "sh again/reproduce/")
	if out := again("--format", "github"); out != want {
		t.Errorf("replay prints\n%s\ndue is\n%s", out, want)
	}

	first, second, replayed := readSARIF(t, run("--format", "sarif")), readSARIF(t, run("--format", "sarif")), readSARIF(t, again("--format", "sarif"))
	failed := 0
	for i, r := range first.Runs[0].Results {
		for _, other := range []logOf{second, replayed} {
			if o := other.Runs[0].Results[i]; o.RuleID != r.RuleID || o.PartialFingerprints["requirementAndPlace/v1"] != r.PartialFingerprints["requirementAndPlace/v1"] {
				t.Errorf("in another run %s is %v, was %v", o.RuleID, o.PartialFingerprints, r.PartialFingerprints)
			}
		}
		if r.Kind == "fail" && r.Level == "error" {
			failed++
		}
		if r.Locations[0].PhysicalLocation.ArtifactLocation.URI != "transcript.har" {
			t.Errorf("%s lies in %+v", r.RuleID, r.Locations)
		}
		if help := first.Runs[0].Tool.Driver.Rules[i].Help.Text; !strings.Contains(help, "It is judged by ") || !strings.Contains(help, "§") {
			t.Errorf("the help of %s is %q", r.RuleID, help)
		}
	}
	if r := read(t, "made/report.json"); failed == 0 || failed != r.Summary["MUST"].Fail {
		t.Errorf("%d errors of %d", failed, r.Summary["MUST"].Fail)
	}

	if text, quiet := run("--format", "text"), run("--format", "text", "--quiet"); !strings.Contains(text, "\nNONCONFORMANT ") || strings.Count(quiet, "\n") != 1 {
		t.Errorf("text:\n%s\nquiet:\n%s", text, quiet)
	}
}

// In GitHub Actions annotations follow the text, unless a form is asked for; the one line
// of --quiet stays one line.
func TestAnnotationsInGitHubActions(t *testing.T) {
	here(t)
	t.Setenv("GITHUB_ACTIONS", "true")
	url := served(t, "card-skill-ids-equal")
	for _, c := range []struct {
		name       string
		args       []string
		out, errs  bool // annotations there
		least, top int  // other lines of the standard output
	}{
		{"nothing is said", nil, true, false, 5, 1000},
		{"quiet", []string{"--quiet"}, false, true, 1, 1},
		{"text", []string{"--format", "text"}, false, false, 5, 1000},
		{"text and quiet", []string{"--format", "text", "--quiet"}, false, false, 1, 1},
		{"json", []string{"--json"}, false, false, 5, 1 << 20},
		{"github", []string{"--format", "github"}, true, false, 0, 0},
		{"github and quiet", []string{"--format", "github", "--quiet"}, true, false, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := command(t, append([]string{"run", url, "--dialect", "a2a-0.1", "--stimuli", "plain", "--run", "A2A01-CARD-026"}, c.args...)...)
			there, others := annotated(out)
			beside, _ := annotated(errs)
			if code != 1 || (there > 0) != c.out || (beside > 0) != c.errs || others < c.least || others > c.top {
				t.Errorf("exit %d\n%s\n--\n%s", code, out, errs)
			}
			if c.out && c.least > 0 && !strings.HasPrefix(out[strings.LastIndex(out[:len(out)-1], "\n")+1:], "::notice title=a2a-conform%3A nonconformant::") {
				t.Errorf("the annotations do not come last:\n%s", out)
			}
		})
	}
}

func TestFormatsOfSeveral(t *testing.T) {
	here(t)
	t.Setenv("GITHUB_ACTIONS", "")
	args := append([]string{"run", served(t, "card-skill-ids-equal"), "--run", "A2A01-CARD-026", "--run", "CORE-CARD-*"}, seenTwice...)
	form := func(name string) string {
		t.Helper()
		code, out, errs := command(t, append(args, "--format", name)...)
		if code != 1 {
			t.Fatalf("%s: exit %d\n%s%s", name, code, out, errs)
		}
		return out
	}
	var all []report.Report
	if err := json.Unmarshal([]byte(form("json")), &all); err != nil || len(all) != 2 {
		t.Errorf("%v, %d reports", err, len(all))
	}
	out := form("github")
	if n, others := annotated(out); n < 3 || others > 0 || strings.Count(out, "::notice title=") != 2 {
		t.Errorf("--format github prints\n%s", out)
	}
	l := readSARIF(t, form("sarif"))
	if len(l.Runs) != 2 || l.Runs[0].Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI != "a2a-0.1/transcript.har" {
		t.Errorf("%+v", l)
	}
	t.Setenv("GITHUB_ACTIONS", "true")
	code, out, errs := command(t, append(args, "--quiet")...)
	if n, _ := annotated(errs); code != 1 || n < 3 || strings.Count(out, "\n") != 3 {
		t.Errorf("exit %d\n%s\n--\n%s", code, out, errs)
	}
}

// The brief of a run, and of its transcript, shows each failure with what to change.
func TestBriefFormat(t *testing.T) {
	here(t)
	server, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-1.0", Mutant: "error-code-text"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	code, out, errs := command(t, "run", server.URL(), "--stimuli", "plain", "--format", "brief")
	if code != 1 || !strings.HasPrefix(out, "# a2a-conform: nonconformant: ") || !strings.Contains(out, "\n- fix: ") || !strings.Contains(out, "\ngot:\n```\nHTTP/1.1 ") || len(out) > brief.MaxBytes {
		t.Errorf("exit %d\n%s\n%s", code, out, errs)
	}
	code, again, errs := command(t, "replay", "a2a-report/transcript.har", "--out", "again", "--format", "brief")
	if code != 1 || !strings.Contains(again, "\n- fix: ") || strings.Contains(again, "- check: ") {
		t.Errorf("exit %d\n%s\n%s", code, again, errs)
	}
}

func TestUnknownFormat(t *testing.T) {
	here(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "http://127.0.0.1:1", "--format", "acts", "--dialect", "a2a-0.3"}, "--format acts: the tests of ACTS are about a2a-1.0, and --dialect names a2a-0.3; leave one of the two flags out"},
		{[]string{"run", "--self", "--format", "sariff"}, `--format "sariff" is not one of text, json, github, sarif, brief, acts: unknown format sariff; did you mean sarif?`},
		{[]string{"replay", "none.har", "--format", "gihtub"}, "did you mean github?"},
		{[]string{"run", "--self", "--format", "xml-of-junit"}, `is not one of text, json, github, sarif, brief`},
		{[]string{"run", "--self", "--format", ""}, "--format is empty"},
		{[]string{"run", "--self", "--json", "--format", "sarif"}, "leave one of them out"},
	} {
		code, out, errs := command(t, c.args...)
		if code != 2 || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit %d\n%s%s", c.args, code, out, errs)
		}
	}
	if len(filesIn(t, ".")) > 0 {
		t.Errorf("the folder holds %q", filesIn(t, "."))
	}
}
