package fleet

import (
	"context"
	"errors"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// compareWithEarlier lists the requirements that came to something else than before. What was sent of
// them then is in the report of that time.
func (f *Fleet) compareWithEarlier(ctx context.Context, before *ComparisonBase, now *conform.Outcome) ([]report.Change, error) {
	if now == nil {
		return nil, nil
	}
	was, err := f.readVector(ctx, before.Vector)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var old []report.Result
	if before.Dialect != now.Report.Target.Dialect {
		return nil, nil // it uses another protocol now: they have no requirement in common
	}
	for _, r := range now.Report.Results {
		if v, ok := was[r.ID]; ok {
			reason := ""
			if v == r.Verdict {
				reason = r.Reason
			}
			old = append(old, report.Result{ID: r.ID, Level: r.Level, Verdict: v, Reason: reason})
		}
	}
	out := report.Compare(old, now.Report.Results, schema.Changes().Between(before.CatalogueVersion, now.Report.Tool.CatalogueVersion))
	slices.SortStableFunc(out, func(a, b report.Change) int { return regressionFirstRank(a) - regressionFirstRank(b) })
	out = out[:min(len(out), maxChanges)]
	for i := range out {
		out[i].Before, out[i].After = "", safetext.OneLine(out[i].After)
	}
	return out, nil
}

// regressionFirstRank puts the changes for the worse first.
func regressionFirstRank(c report.Change) int {
	if c.Regression() {
		return 0
	}
	return 1
}
