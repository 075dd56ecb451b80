package report

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/schema"
)

func TestCompare(t *testing.T) {
	is := func(level schema.Level, v Verdict, reason string) *Result {
		return &Result{ID: "X-1", Level: level, Verdict: v, Reason: reason}
	}
	for _, c := range []struct {
		name       string
		was, now   *Result
		kind       ChangeKind
		regression bool
	}{
		{"nothing", is("MUST", Pass, ""), is("MUST", Pass, ""), "", false},
		{"broken", is("MUST", Pass, ""), is("MUST", Fail, "x"), Broken, true},
		{"broken, undecided before", is("MUST", Inconclusive, ""), is("MUST", Fail, "x"), Broken, true},
		{"broken, not applicable before", is("MUST", NotApplicable, ""), is("MUST", Fail, "x"), Broken, true},
		{"a SHOULD broken", is("SHOULD", Pass, ""), is("SHOULD", Fail, "x"), Broken, false},
		{"broken and waived", is("MUST", Pass, ""), is("MUST", Waived, "x"), Broken, false},
		{"a waiver gone", is("MUST", Waived, ""), is("MUST", Fail, "x"), Otherwise, false},
		{"lost", is("MUST", Pass, ""), is("MUST", Inconclusive, "x"), Lost, true},
		{"a SHOULD lost", is("SHOULD", Pass, ""), is("SHOULD", Inconclusive, "x"), Lost, false},
		{"fixed", is("MUST", Fail, "x"), is("MUST", Pass, ""), Fixed, false},
		{"fixed while waived", is("MUST", Waived, "x"), is("MUST", Pass, ""), Fixed, false},
		{"decided", is("MUST", Inconclusive, "x"), is("MUST", Pass, ""), Otherwise, false},
		{"dropped", is("MUST", Pass, ""), is("MUST", NotApplicable, "x"), Otherwise, false},
		{"new", nil, is("MUST", Fail, "x"), New, false},
		{"gone", is("MUST", Pass, ""), nil, Gone, false},
		{"another reason", is("MUST", Fail, "code 1 (exchange 4)"), is("MUST", Fail, "code 2 (exchange 4)"), ReasonChanged, false},
		{"the same reason elsewhere", is("MUST", Fail, "code 1 (exchange 4, event 2) of 723c2f51-cdd0-4095-98e8-6b017be11ec5 after 2.1 s"),
			is("MUST", Fail, "code 1 (exchange 14, event 3) of 00000000-cdd0-4095-98e8-6b017be11ec5 after 2.4 s"), "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := func(r *Result) []Result {
				if r == nil {
					return nil
				}
				return []Result{*r}
			}
			changes := Compare(list(c.was), list(c.now), nil)
			if c.kind == "" {
				if len(changes) != 0 {
					t.Errorf("got %+v, want no change", changes)
				}
				return
			}
			if len(changes) != 1 || changes[0].Kind != c.kind || changes[0].Regression() != c.regression {
				t.Fatalf("got %+v, want %s, regression %v", changes, c.kind, c.regression)
			}
			compared := &Report{Verdict: Nonconformant, Run: Run{Gate: "baseline=old.json"}, Baseline: &Baseline{Changes: changes}}
			if got := ExitCode(compared); (got == 1) != c.regression || got > 1 {
				t.Errorf("exit code %d", got)
			}
		})
	}
}

// A gate on a baseline that nobody compared with is not met.
func TestBaselineWithoutComparison(t *testing.T) {
	if ExitCode(&Report{Verdict: Conformant, Run: Run{Gate: "baseline=old.json"}}) != 1 {
		t.Error("the gate is met without a comparison")
	}
}

// What the catalogue judges differently is a change of its own kind, whichever
// it would be otherwise; what it does not name stays what it is.
func TestJudgedDifferently(t *testing.T) {
	h := &schema.History{Versions: []schema.Version{
		{Version: 2, Changes: []schema.Change{{ID: "X-1", Why: "asks for more", Since: 2}}},
		{Version: 3, Changes: []schema.Change{{ID: "X-2", Why: "a SHOULD now", Since: 3}}},
	}}
	by := func(version string, results ...Result) *Report {
		return &Report{Tool: Tool{CatalogueVersion: version}, Results: results}
	}
	is := func(id string, level schema.Level, v Verdict, reason string) Result {
		return Result{ID: id, Level: level, Verdict: v, Reason: reason}
	}
	for _, c := range []struct {
		name       string
		old, now   *Report
		kind       ChangeKind // empty for no change
		since      string
		regression bool
	}{
		{"broken", by("", is("X-1", "MUST", Pass, "")), by("2", is("X-1", "MUST", Fail, "x")), Rejudged, "2", false},
		{"lost", by("1", is("X-1", "MUST", Pass, "")), by("3", is("X-1", "MUST", Inconclusive, "x")), Rejudged, "2", false},
		{"fixed", by("1", is("X-1", "MUST", Fail, "x")), by("2", is("X-1", "MUST", Pass, "")), Rejudged, "2", false},
		{"another reason", by("1", is("X-1", "MUST", Fail, "x")), by("2", is("X-1", "MUST", Fail, "y")), Rejudged, "2", false},
		{"another level", by("2", is("X-2", "MUST", Fail, "x")), by("3", is("X-2", "SHOULD", Fail, "x")), Rejudged, "3", false},
		{"lost with what it rests on", by("1", is("X-3", "MUST", Pass, "")), by("2", Result{ID: "X-3", Level: "MUST", Verdict: Inconclusive, Because: "X-1"}), Rejudged, "2", false},
		{"lost with something else", by("1", is("X-3", "MUST", Pass, "")), by("2", Result{ID: "X-3", Level: "MUST", Verdict: Inconclusive, Because: "X-2"}), Lost, "", true},
		{"nothing", by("1", is("X-1", "MUST", Pass, "")), by("2", is("X-1", "MUST", Pass, "")), "", "", false},
		{"changed before", by("2", is("X-1", "MUST", Pass, "")), by("3", is("X-1", "MUST", Fail, "x")), Broken, "", true},
		{"changes later", by("1", is("X-2", "MUST", Pass, "")), by("2", is("X-2", "MUST", Fail, "x")), Broken, "", true},
		{"another requirement", by("1", is("X-3", "MUST", Pass, "")), by("3", is("X-3", "MUST", Fail, "x")), Broken, "", true},
		{"both of one version", by("3", is("X-2", "MUST", Pass, "")), by("3", is("X-2", "MUST", Fail, "x")), Broken, "", true},
		{"new", by("1"), by("3", is("X-1", "MUST", Fail, "x")), New, "", false},
		{"gone", by("1", is("X-1", "MUST", Pass, "")), by("2"), Gone, "2", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			changes := CompareReports(c.old, c.now, h)
			if c.kind == "" {
				if len(changes) != 0 {
					t.Errorf("got %+v", changes)
				}
				return
			}
			if len(changes) != 1 || changes[0].Kind != c.kind || changes[0].Since != c.since || (changes[0].Why == "") != (c.since == "") || changes[0].Regression() != c.regression {
				t.Errorf("got %+v", changes)
			}
			if level := changes[0].WasLevel; (level == "MUST") != (c.name == "another level") {
				t.Errorf("the level was %q", level)
			}
		})
	}
}
