package summary

import (
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// compared is the comparison that the gate asks for, by the history of the
// catalogues. What was not judged this time does not count.
func compared(b *operator.Baseline, results []judge.Result, h *schema.History) *judge.Baseline {
	if b == nil {
		return nil
	}
	var old []judge.Result
	for _, r := range results {
		if v, ok := b.Verdicts[r.ID]; ok {
			old = append(old, judge.Result{ID: r.ID, Level: r.Level, Verdict: judge.Verdict(v)})
		}
	}
	changes := judge.Compare(old, results, h.Between(b.CatalogueVersion, h.Latest()))
	if changes == nil {
		changes = []judge.Change{}
	}
	return &judge.Baseline{File: b.File, Changes: changes}
}
