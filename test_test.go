package conform

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// One defect that breaks many requirements is told once in a Go test; the others name it.
func TestCausesAreToldOnce(t *testing.T) {
	t.Parallel()
	s, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-0.3", Mutant: "methods-renamed"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	o, err := Run(t.Context(), Target{URL: s.URL(), Behaviour: Behaviour{DefaultStimuli: true}})
	if err != nil {
		t.Fatal(err)
	}
	told, follow := 0, 0
	for i := range o.Report.Results {
		r := &o.Report.Results[i]
		if r.Verdict != report.Fail {
			continue
		}
		text := failureText(o.Report, r)
		switch {
		case r.Because == "":
			told++
			if !strings.Contains(text, r.Reason) {
				t.Errorf("%s does not say why: %s", r.ID, text)
			}
		case !strings.Contains(text, r.Because) || strings.Contains(text, r.Reason):
			t.Errorf("%s follows from %s and says %s", r.ID, r.Because, text)
		default:
			follow++
		}
		if n := strings.Count(text, "\n"); n > mostPlaces {
			t.Errorf("%s has %d lines:\n%s", r.ID, n+1, text)
		}
	}
	if told == 0 || follow < 2 {
		t.Errorf("%d causes and %d that follow: this mutant shows nothing", told, follow)
	}
	text, below := causesText(o.Report), 0
	for _, m := range regexp.MustCompile(`\(\+(\d+)\)`).FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1])
		below += n
	}
	if strings.Count(text, ", ") != told || below != follow {
		t.Errorf("at the end stands %q, for %d causes and %d failures that follow", text, told, follow)
	}
	if text := causesText(&report.Report{Results: []report.Result{{ID: "A", Verdict: report.Pass}}}); text != "" {
		t.Errorf("without a failure stands %q", text)
	}
	many := &report.Result{ID: "A", Verdict: report.Fail, Reason: "one", Others: []string{"two", "three", "four", "five"}, More: 7}
	if text := failureText(&report.Report{}, many); text != "one\ntwo\nthree\nand 9 more like these (Outcome.Report has them)" {
		t.Errorf("many places are %q", text)
	}
}
