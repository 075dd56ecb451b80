package e2e

import (
	"slices"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A defect of an operation shows in every binding, and the report counts as many causes if
// one binding is judged as if all are. The failures may be more: a binding has requirements
// of its own.
func TestCausesOfOneBindingAndOfEach(t *testing.T) {
	defects := map[string][]string{
		"a2a-1.0": {"finished-task-reopened", "version-ignored", "unknown-task-internal", "history-reversed", "canceled-task-revived", "error-details-untyped"},
		"a2a-0.3": {"finished-task-reopened", "history-earliest", "unknown-task-misnamed", "message-optional"},
	}
	for dialect, mutants := range defects {
		if testamount.LeavesOut(dialect == "a2a-0.3") {
			continue
		}
		if !testamount.All() {
			mutants = mutants[:1]
		}
		for _, mutant := range mutants {
			t.Run(dialect+" "+mutant, func(t *testing.T) {
				t.Parallel()
				url := bundled(t, reference.Options{Dialect: dialect, Mutant: mutant, GRPCAddr: "127.0.0.1:0"}).URL()
				run := func(binding string) *report.Report {
					o, err := conform.Run(t.Context(), conform.Target{URL: url, Dialect: dialect, Behaviour: conform.Behaviour{DefaultStimuli: true, Stimuli: slowForSure, Allow: []schema.Risk{schema.Heavy}}, Endpoint: conform.Endpoint{Binding: binding}})
					if err != nil {
						t.Fatal(err)
					}
					return o.Report
				}
				one, each := run("JSONRPC"), run("each")
				if len(one.Target.Bindings) != 1 || len(each.Target.Bindings) < 2 {
					t.Fatalf("judged by %v, and by %v", one.Target.Bindings, each.Target.Bindings)
				}
				if one.Causes == 0 || one.Causes != each.Causes {
					t.Errorf("%d causes by one binding, %d by each: %v and %v", one.Causes, each.Causes, rootsOf(one), rootsOf(each))
				}
			})
		}
	}
}

// rootsOf are the failures of a report that follow from no other.
func rootsOf(r *report.Report) (ids []string) {
	for _, res := range r.Results {
		if res.Verdict == report.Fail && res.Because == "" {
			ids = append(ids, res.ID)
		}
	}
	return slices.Sorted(slices.Values(ids))
}
