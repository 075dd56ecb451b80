package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// served starts the bundled server with a defect, or healthy.
func served(t *testing.T, mutant string) string {
	t.Helper()
	s, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-0.1", Mutant: mutant})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s.URL()
}

// What judges as little as shows a defect.
var (
	skillIDsEqual = []string{"--stimuli", "plain", "--run", "A2A01-CARD-026", "--dialect", "a2a-0.1"}
	finalMissing  = []string{"--stimuli", "plain", "--run", "A2A01-STR-012", "--dialect", "a2a-0.1"}
)

func read(t *testing.T, path string) *report.Report {
	t.Helper()
	r, err := conform.ReadReport(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func find(r *report.Report, id string) report.Result {
	for _, res := range r.Results {
		if res.ID == id {
			return res
		}
	}
	return report.Result{}
}

// A first file of waivers is refused until it says why; then the failure is
// waived in every report, and a replay waives it again.
func TestFirstWaivers(t *testing.T) {
	dir := here(t)
	broken := served(t, "card-skill-ids-equal")
	if code, out, errs := command(t, "run", broken, "--stimuli", "plain", "--area", "card"); code != 1 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	save := func(args ...string) {
		code, out, errs := command(t, append([]string{"waivers", "--from", "a2a-report/report.json"}, args...)...)
		if code != 0 {
			t.Fatal(errs)
		}
		if err := os.WriteFile("waivers.yaml", []byte(out), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	save()
	if code, _, errs := command(t, "run", broken, "--waivers", "waivers.yaml"); code != 2 || !strings.Contains(errs, "waivers.yaml:8: the waiver of A2A01-CARD-026 has no why") {
		t.Errorf("exit %d, %s", code, errs)
	}
	save("--why", "ticket 4711")
	if text, err := os.ReadFile("waivers.yaml"); err != nil || !strings.Contains(string(text), "\n    at: \"card") {
		t.Errorf("the file names no place (%v)\n%s", err, text)
	}
	code, out, errs := command(t, "run", broken, "--stimuli", "plain", "--area", "card", "--waivers", "waivers.yaml")
	if code != 3 || !strings.Contains(out, "WAIVED A2A01-CARD-026") || !strings.Contains(out, "PARTIAL") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	for _, f := range []string{"report.json", "report.html", "junit.xml", "summary.md", "transcript.har"} {
		text, err := os.ReadFile(filepath.Join(dir, "a2a-report", f))
		if err != nil || !strings.Contains(string(text), "ticket 4711") {
			t.Errorf("%s does not say why (%v)", f, err)
		}
	}
	r := read(t, "a2a-report/report.json")
	if find(r, "A2A01-CARD-026").Verdict != report.Waived || r.Summary["MUST"].Waived != 1 || len(r.Waivers) != 1 || r.Waivers[0].State != report.InForce {
		t.Errorf("%+v, %+v", r.Summary["MUST"], r.Waivers)
	}
	if code, out, errs := command(t, "replay", "a2a-report/transcript.har"); code != 3 {
		t.Errorf("the replay: exit %d\n%s%s", code, out, errs)
	}
	first, err1 := os.ReadFile("a2a-report/report.json")
	again, err2 := os.ReadFile("a2a-replay/report.json")
	if err1 != nil || err2 != nil || !bytes.Equal(replayedReport(first), again) {
		t.Errorf("the replay's report differs from the run's (%v, %v)", err1, err2)
	}
	if code, out, errs := command(t, "run", broken, "--stimuli", "plain", "--area", "card", "--waivers", "waivers.yaml", "--gate", "no-failures"); code != 0 {
		t.Errorf("the lenient gate: exit %d\n%s%s", code, out, errs)
	}
}

// A first file of waivers holds on the next run also if the failure has another place in each binding.
func TestFirstWaiversOfSeveralBindings(t *testing.T) {
	for _, mutant := range []string{"context-mismatch-accepted", "push-first-returned", "cancel-forgotten", "kinds-added", "list-since-ignored"} {
		t.Run(mutant, func(t *testing.T) {
			here(t)
			server, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-1.0", Mutant: mutant})
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close()
			if code, out, errs := command(t, "run", server.URL(), "--stimuli", "plain", "--quiet"); code != 1 {
				t.Fatalf("exit %d\n%s%s", code, out, errs)
			}
			_, text, _ := command(t, "waivers", "--from", "a2a-report/report.json", "--why", "ticket 4711")
			if err := os.WriteFile("waivers.yaml", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if code, out, errs := command(t, "run", server.URL(), "--stimuli", "plain", "--quiet", "--waivers", "waivers.yaml", "--gate", "no-failures"); code != 0 {
				t.Errorf("exit %d\n%s%s\n%s", code, out, errs, text)
			}
		})
	}
}

// A waiver that is of no use any more shuts every gate.
func TestOverdueWaivers(t *testing.T) {
	here(t)
	broken, healthy := served(t, "card-skill-ids-equal"), served(t, "")
	for _, c := range []struct {
		name, url, waiver string
		code              int
		want              []string
	}{
		{"in force", broken, "{id: A2A01-CARD-026, why: x, until: 2999-12-31}", 0, []string{"partial:"}},
		{"of another protocol", broken, "{id: JAF03-ENV-001, why: x, until: 2999-12-31}", 1, []string{"nonconformant:"}},
		{"expired", broken, "{id: A2A01-CARD-026, why: x, until: 2020-12-31}", 1, []string{"waivers.yaml:2", "ended on 2020-12-31", "nonconformant:"}},
		{"stale", healthy, "{id: A2A01-CARD-026, why: x, until: 2999-12-31}", 1, []string{"A2A01-CARD-026 passes: delete its waiver, waivers.yaml:2", "the gate is not met", "partial:"}},
		{"not judged", healthy, "{id: A2A01-CARD-001, why: x, until: 2020-12-31}", 0, []string{"partial:"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.Contains(c.waiver, "JAF03") {
				c.waiver = strings.Replace(c.waiver, "JAF03-ENV-001", jafRequirement(t), 1)
			}
			if err := os.WriteFile("waivers.yaml", []byte("waivers:\n  - "+c.waiver+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			code, out, errs := command(t, append([]string{"run", c.url, "--quiet", "--gate", "no-failures", "--waivers", "waivers.yaml"}, skillIDsEqual...)...)
			if code != c.code {
				t.Errorf("exit %d, want %d\n%s%s", code, c.code, out, errs)
			}
			for _, w := range c.want {
				if !strings.Contains(out, w) {
					t.Errorf("%q does not say %q", out, w)
				}
			}
		})
	}
}

func jafRequirement(t *testing.T) string {
	t.Helper()
	code, out, errs := command(t, "list", "--dialect", "jaf-0.3")
	if code != 0 {
		t.Fatal(errs)
	}
	return strings.Fields(out)[0]
}

var writeInstead = regexp.MustCompile(`Write instead, in waivers\.yaml:2: (where: ".*")`)

// A waiver outlives another wording of the failure where it names the place: it
// holds, shuts no gate, and the run prints the line to write. Without the place
// it is stale, and the run prints both lines.
func TestRewordedWaivers(t *testing.T) {
	here(t)
	broken := served(t, "final-missing")
	judged := func(waiver string) (code int, out string, w report.Waiver) {
		t.Helper()
		if err := os.WriteFile("waivers.yaml", []byte("waivers:\n  - id: A2A01-STR-012\n    why: ticket 4711\n    until: 2999-12-31\n"+waiver), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := command(t, append([]string{"run", broken, "--quiet", "--gate", "no-failures", "--waivers", "waivers.yaml"}, finalMissing...)...)
		if code > 1 {
			t.Fatalf("exit %d\n%s", code, errs)
		}
		r := read(t, "a2a-report/report.json")
		if again, said, errs := command(t, "replay", "a2a-report/transcript.har", "--quiet"); again != code || strings.Replace(said, ": an unsigned transcript that names ", ": ", 1) != out {
			t.Errorf("the replay: exit %d\n%s%s", again, said, errs)
		}
		return code, out, r.Waivers[0]
	}
	const old = "    where: the last event was not final\n"
	code, out, w := judged(old)
	at, where := regexp.MustCompile(`at: ".*?"`).FindString(w.Advice), regexp.MustCompile(`where: "[^"]*"$`).FindString(w.Advice)
	if code != 1 || w.State != report.Stale || at == "" || where == "" || !strings.Contains(out, at+" and "+where) {
		t.Fatalf("without a place: exit %d, %+v\n%s", code, w, out)
	}
	if code, out, w := judged("    " + at + "\n    " + where + "\n"); code != 0 || w.State != report.InForce {
		t.Errorf("both lines as printed: exit %d, %+v\n%s", code, w, out)
	}
	code, out, w = judged("    " + at + "\n" + old)
	line := writeInstead.FindStringSubmatch(out)
	if code != 0 || w.State != report.Reworded || line == nil {
		t.Fatalf("another wording: exit %d, %+v\n%s", code, w, out)
	}
	if code, out, w := judged("    " + at + "\n    " + line[1] + "\n"); code != 0 || w.State != report.InForce || w.Advice != "" {
		t.Errorf("the line as printed: exit %d, %+v\n%s", code, w, out)
	}
	if code, out, w := judged("    at: /error\n" + old); code != 1 || w.State != report.Stale {
		t.Errorf("another place: exit %d, %+v\n%s", code, w, out)
	}
}

// Mistakes in a file of waivers name the file, the line and the remedy.
func TestMistakesInWaivers(t *testing.T) {
	here(t)
	good := "{id: A2A01-STR-012, why: x, until: 2999-12-31}"
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "waivers.yaml:1: the file is empty"},
		{"a list", "- x\n", "waivers.yaml:1: the file is a list, but must be a map of waivers"},
		{"a map where a list is due", "waivers:\n  id: x\n", "waivers.yaml:2: waivers is a map, but must be a list"},
		{"a text where a map is due", "waivers:\n  - A2A01-STR-012\n", "waivers.yaml:2: waivers[0] is the text \"A2A01-STR-012\", but must be a map of id, why, until, at, where, sometimes"},
		{"an unknown key", "waivers:\n  - " + good + "\n  - id: x\n    reason: y\n", "waivers.yaml:4: unknown key \"reason\" in waivers[1]"},
		{"an unknown requirement", "waivers:\n  - " + good + "\n  - id: A2A01-NO-001\n    why: x\n    until: 2999-12-31\n", "waivers.yaml:3: no requirement is called \"A2A01-NO-001\""},
		{"no requirement", "waivers:\n  - why: x\n    until: 2999-12-31\n", "waivers.yaml:2: the waiver has no id"},
		{"no why", "waivers:\n  - id: A2A01-STR-012\n    until: 2999-12-31\n    why: ' '\n", "waivers.yaml:4: the waiver of A2A01-STR-012 has no why"},
		{"no until", "waivers:\n  - id: A2A01-STR-012\n    why: x\n", "waivers.yaml:2: the waiver of A2A01-STR-012 has no until; write the last day"},
		{"no day", "waivers:\n  - id: A2A01-STR-012\n    why: x\n    until: tomorrow\n", "waivers.yaml:4: until is \"tomorrow\""},
		{"at an exchange", "waivers:\n  - id: A2A01-STR-012\n    why: x\n    until: 2999-12-31\n    at: exchange 14, /result\n", "waivers.yaml:5: at is \"exchange 14, /result\": the numbers of exchanges change from run to run; write a JSON pointer (/error/code), a step"},
		{"at no place", "waivers:\n  - id: A2A01-STR-012\n    why: x\n    until: 2999-12-31\n    at: the stream\n", "waivers.yaml:5: at is \"the stream\": it is neither a JSON pointer nor a step"},
		{"at a broken pointer", "waivers:\n  - id: A2A01-STR-012\n    why: x\n    until: 2999-12-31\n    at: /a~b\n", "waivers.yaml:5: at is \"/a~b\": in a JSON pointer ~ is written ~0"},
		{"at an empty place", "waivers:\n  - id: A2A01-STR-012\n    why: x\n    until: 2999-12-31\n    at: ''\n", "waivers.yaml:5: at is empty: write a place, or a list of places"},
		{"at nothing", "waivers:\n  - id: A2A01-STR-012\n    why: x\n    until: 2999-12-31\n    at:\n", "waivers.yaml:5: at is empty"},
		{"at an empty list", "waivers:\n  - id: A2A01-STR-012\n    why: x\n    until: 2999-12-31\n    at: []\n", "waivers.yaml:5: at is empty"},
		{"at a list with a mistake", "waivers:\n  - id: A2A01-STR-012\n    why: x\n    until: 2999-12-31\n    at: [quick, 5]\n", "waivers.yaml:5: at is \"5\": it is neither"},
		{"an empty where", "waivers:\n  - id: A2A01-STR-012\n    why: x\n    until: 2999-12-31\n    where: ''\n", "waivers.yaml:5: where is empty"},
		{"waived twice", "waivers:\n  - " + good + "\n  - " + good + "\n", "waivers.yaml:3: A2A01-STR-012 has two waivers; the first is in line 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile("waivers.yaml", []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			code, out, errs := command(t, "run", "--self", "--waivers", "waivers.yaml")
			if code != 2 || !strings.Contains(errs, c.want) {
				t.Errorf("exit %d\n%s%s\nwant %s", code, out, errs, c.want)
			}
		})
	}
}

// The help names both commands that read the file.
func TestHelpOfWaiversNamesItsReaders(t *testing.T) {
	code, out, errs := command(t, "waivers", "--help")
	if code != 0 || !strings.Contains(out, "run --waivers") || !strings.Contains(out, "client --waivers") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}
