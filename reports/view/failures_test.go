package view_test

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// TestCountFailures checks that the counts of all kinds add up to what is broken, by level and by cause.
func TestCountFailures(t *testing.T) {
	broken := func(id string, level schema.Level, because string) report.Result {
		return report.Result{ID: id, Level: level, Verdict: report.Fail, Because: because}
	}
	for _, c := range []struct {
		name                         string
		results                      []report.Result
		fail, warning, note, allOfIt string
	}{
		{"none", nil, "", "", "", ""},
		{"one of each", []report.Result{broken("A", schema.Must, ""), broken("B", schema.Should, ""), broken("C", schema.May, "")}, "1 MUST", "1 SHOULD", "1 MAY", "1 MUST, 1 SHOULD, 1 MAY"},
		{"two of one cause", []report.Result{broken("A", schema.Must, ""), broken("B", schema.Must, "A")}, "2 MUST, 1 cause", "", "", "2 MUST"},
		{"a SHOULD of the same cause", []report.Result{broken("A", schema.Must, ""), broken("B", schema.Should, "A"), broken("C", schema.Should, "")},
			"1 MUST (+1 SHOULD with the same cause), 1 cause", "1 SHOULD (1 more with the failures that have the same cause)", "", "1 MUST, 2 SHOULD"},
		{"several causes", []report.Result{broken("A", schema.Must, ""), broken("B", schema.Should, "A"), broken("C", schema.Must, ""), broken("D", schema.May, "C")},
			"2 MUST (+1 SHOULD, 1 MAY with the same causes), 2 causes", "", "", "2 MUST, 1 SHOULD, 1 MAY"},
		{"a MUST because of a SHOULD", []report.Result{broken("A", schema.Must, "B"), broken("B", schema.Should, "")}, "", "1 SHOULD (+1 MUST with the same cause), 1 cause", "", "1 MUST, 1 SHOULD"},
	} {
		r := &report.Report{Results: c.results}
		for kind, want := range map[view.Kind]string{view.Fail: c.fail, view.Warning: c.warning, view.Note: c.note} {
			if got := view.CountFailures(r, kind); got != want {
				t.Errorf("%s, %s: got %q, want %q", c.name, kind, got, want)
			}
		}
		if got := view.CountBroken(r); got != c.allOfIt {
			t.Errorf("%s: got %q, want %q", c.name, got, c.allOfIt)
		}
	}
}

func TestMetOfApplying(t *testing.T) {
	for want, c := range map[string]report.Count{
		"":    {NotApplicable: 3, Vacuous: 1},
		"2/2": {Pass: 2, NotApplicable: 7},
		"1/5": {Pass: 1, Fail: 1, Inconclusive: 1, Waived: 1, SuiteError: 1, Vacuous: 4},
		"0/1": {Fail: 1},
	} {
		if got := view.MetOfApplying(c); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
