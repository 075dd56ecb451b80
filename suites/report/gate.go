package report

import (
	"slices"
	"strings"
)

// BaselineGate begins the name of the gate that asks for no regression; the name
// of an earlier report follows.
const BaselineGate = "baseline="

// NoFailuresGate is met by a run in which nothing that was decided fails.
const NoFailuresGate = "no-failures"

// Gates lists the values of --gate.
func Gates() []string { return []string{"conformant", NoFailuresGate, BaselineGate + "OLD.json"} }

// KnownGate reports whether a gate is one of them.
func KnownGate(gate string) bool {
	file, baseline := strings.CutPrefix(gate, BaselineGate)
	return gate == "conformant" || gate == NoFailuresGate || baseline && file != ""
}

// ExitCode returns the process exit code for a run: 0 if its gate is met.
func ExitCode(r *Report) int {
	switch {
	case r.Verdict == Void:
		return 2
	case r.Verdict == Unreachable:
		return 4
	case slices.ContainsFunc(r.Waivers, func(w Waiver) bool { return w.Overdue() }):
		return 1
	case strings.HasPrefix(r.Run.Gate, BaselineGate):
		if r.Baseline == nil || len(Regressions(r.Baseline.Changes)) > 0 {
			return 1
		}
		return 0
	case r.Verdict == Nonconformant:
		return 1
	case r.Verdict == Partial && r.Run.Gate != NoFailuresGate:
		return 3
	}
	return 0
}
