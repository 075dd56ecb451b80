package fleet

import (
	"context"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A round that says nothing about requirements is worse once, if the one before did; what comes
// later is compared with the last that did, and no requirement regresses in between.
func TestWorse(t *testing.T) {
	t.Parallel()
	type night struct {
		verdict report.RunVerdict
		refused bool           // the server let no call in
		one     report.Verdict // of the one requirement
		worse   bool
		says    report.RunVerdict // of the result
	}
	pass, fail, open := report.Pass, report.Fail, report.Inconclusive
	for name, nights := range map[string][]night{
		"void for ever": {
			{report.Void, false, open, false, report.Void}, {report.Void, false, open, false, report.Void}},
		"unreachable for ever, and other requirements are decided each time": {
			{report.Unreachable, false, pass, false, report.Unreachable}, {report.Unreachable, false, open, false, report.Unreachable}, {report.Unreachable, false, fail, false, report.Unreachable}},
		"void once": {
			{report.Conformant, false, pass, false, report.Conformant}, {report.Void, false, open, true, report.Void}, {report.Void, false, open, false, report.Void}, {report.Conformant, false, pass, false, report.Conformant}},
		"unreachable once": {
			{report.Conformant, false, pass, false, report.Conformant}, {report.Unreachable, false, open, true, report.Unreachable}, {report.Unreachable, false, fail, false, report.Unreachable}, {report.Conformant, false, pass, false, report.Conformant}},
		"refused once": {
			{report.Conformant, false, pass, false, report.Conformant}, {report.Void, true, open, true, report.NeedsCredentials}, {report.Void, true, open, false, report.NeedsCredentials}, {report.Conformant, false, pass, false, report.Conformant}},
		"from one silence to another": {
			{report.Conformant, false, pass, false, report.Conformant}, {report.Void, false, open, true, report.Void}, {report.Unreachable, false, open, false, report.Unreachable}, {report.Void, true, open, false, report.NeedsCredentials}},
		"a regression behind a silence": {
			{report.Conformant, false, pass, false, report.Conformant}, {report.Unreachable, false, open, true, report.Unreachable}, {report.Nonconformant, false, fail, true, report.Nonconformant}, {report.Nonconformant, false, fail, false, report.Nonconformant}},
		"a decision that is lost": {
			{report.Conformant, false, pass, false, report.Conformant}, {report.Partial, false, open, true, report.Partial}},
		"broken before and after": {
			{report.Nonconformant, false, fail, false, report.Nonconformant}, {report.Unreachable, false, open, true, report.Unreachable}, {report.Nonconformant, false, fail, false, report.Nonconformant}},
		"never judged, and then broken": {
			{report.Unreachable, false, open, false, report.Unreachable}, {report.Nonconformant, false, fail, false, report.Nonconformant}},
		"refused, and a MUST fails": {
			{report.Partial, false, open, false, report.Partial}, {report.Nonconformant, true, fail, true, report.Nonconformant}, {report.Partial, false, open, false, report.Partial}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := connected(t, aBroker(t, broker.Server{}), "test")
			targets, s := some(t, 1), &stub{verdict: map[string]report.Verdict{}}
			for i, n := range nights {
				s.verdict[targets[0].URL] = n.one
				a, err := f.Add(t.Context(), "v1", targets)
				if err != nil {
					t.Fatal(err)
				}
				w := worker("w", func(ctx context.Context, r Run) (*conform.Outcome, error) {
					o, err := s.judge(ctx, r)
					o.Report.Verdict, o.Report.NeedsCredentials = n.verdict, n.refused
					return o, err
				}, t)
				if err := w.Work(t.Context(), f); err != nil {
					t.Fatal(err)
				}
				outcomes, err := f.Outcomes(t.Context(), a.Round.ID, targets)
				if err != nil {
					t.Fatal(err)
				}
				o := outcomes[0]
				if o.Worse() != n.worse || o.Verdict != n.says {
					t.Errorf("night %d: worse %v, want %v; %s", i+1, o.Worse(), n.worse, broker.Encode(o))
				}
				if !o.judgesRequirements() && o.Details != nil && len(o.Details.Changes) > 0 {
					t.Errorf("night %d: requirements changed: %s", i+1, broker.Encode(o.Details.Changes))
				}
			}
			status, err := f.Status(t.Context(), 1)
			if last := nights[len(nights)-1]; err != nil || status.Rounds[0].Verdicts[last.says] != 1 {
				t.Errorf("%v %v", status.Rounds, err)
			}
		})
	}
}
