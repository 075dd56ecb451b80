package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
)

// A run of a section judges what stands there, and every report and a replay say so.
// The URL alone means run.
func TestRunOfASection(t *testing.T) {
	here(t)
	s, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-0.1"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	code, out, errs := command(t, s.URL(), "--dialect", "a2a-0.1", "--section", "8.1", "--section", "9.2")
	if code != 3 || !strings.Contains(out, "PARTIAL") {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	r, err := readReport(".")
	if err != nil {
		t.Fatal(err)
	}
	if r.Run.Selection != "--section 8.1 --section 9.2" {
		t.Errorf("the report says %q", r.Run.Selection)
	}
	d, err := schema.Load("a2a-0.1")
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Results) == 0 {
		t.Error("nothing was judged")
	}
	for _, res := range r.Results {
		if req := d.Requirement(res.ID); req != nil && !strings.Contains(req.Section, "8.1") && !strings.Contains(req.Section, "9.2") {
			t.Errorf("%s of %s was judged", res.ID, req.Section)
		}
	}
	if code, _, errs := command(t, "replay", "a2a-report/transcript.har"); code != 3 {
		t.Errorf("replay: exit %d\n%s", code, errs)
	}
	first, err1 := os.ReadFile("a2a-report/report.json")
	again, err2 := os.ReadFile("a2a-replay/report.json")
	if err1 != nil || err2 != nil || !bytes.Equal(replayedReport(first), again) {
		t.Errorf("the replay's report differs from the run's (%v, %v)", err1, err2)
	}
}

func TestListOfASection(t *testing.T) {
	code, out, errs := command(t, "list", "--section", "8.6")
	if code != 0 || !strings.Contains(out, "A2A10-") || strings.Contains(out, "JAF03-") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

// What no run decides is marked.
func TestListMarksWhatIsNotJudged(t *testing.T) {
	_, out, _ := command(t, "list")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	marked := map[string]bool{}
	for _, l := range lines {
		marked[strings.Fields(l)[0]] = strings.Contains(l, "(not judged: unobservable) ")
	}
	for _, name := range schema.Names() {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range d.Requirements {
			if is, want := marked[r.ID], r.Check == ""; is != want {
				t.Errorf("%s is marked as not judged: %v, want %v", r.ID, is, want)
			}
		}
	}
	for _, l := range lines {
		id := strings.Fields(l)[0]
		if got, want := strings.Contains(l, "(not in the protocol's text: added by this suite) "), strings.Contains(id, "-OWN-"); got != want {
			t.Errorf("%s is marked as our own: %v, want %v", id, got, want)
		}
		if _, r, err := schema.Find(id); err != nil || r.FindingOnly != "" != strings.Contains(l, "(a finding only) ") {
			t.Errorf("%s: %v, and the line is %s", id, err, l)
		}
	}
}
