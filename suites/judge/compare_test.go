package judge

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
			changes := Compare(list(c.was), list(c.now))
			if c.kind == "" {
				if len(changes) != 0 {
					t.Errorf("got %+v, want no change", changes)
				}
				return
			}
			if len(changes) != 1 || changes[0].Kind != c.kind || changes[0].Regression() != c.regression {
				t.Fatalf("got %+v, want %s, regression %v", changes, c.kind, c.regression)
			}
			report := &Report{Verdict: Nonconformant, Run: Run{Gate: "baseline=old.json"}, Baseline: &Baseline{Changes: changes}}
			if got := ExitCode(report); (got == 1) != c.regression || got > 1 {
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
