package summary

import (
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// compareBaseline returns the comparison that the gate asks for, by the history of the
// catalogues. What was not judged this time does not count.
func compareBaseline(b *operator.Baseline, results []report.Result, h *schema.History) *report.Baseline {
	if b == nil {
		return nil
	}
	var old []report.Result
	for _, r := range results {
		if v, ok := b.Verdicts[r.ID]; ok {
			old = append(old, report.Result{ID: r.ID, Level: r.Level, Verdict: report.Verdict(v)})
		}
	}
	changes := report.Compare(old, results, h.Between(b.CatalogueVersion, h.Latest()))
	if changes == nil {
		changes = []report.Change{}
	}
	return &report.Baseline{File: b.File, Changes: changes}
}
