package fleet

import (
	"context"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// A round that says nothing about requirements is worse once, if the one before did; what comes
// later is compared with the last that did, and no requirement regresses in between.
func TestWorse(t *testing.T) {
	t.Parallel()
	type night struct {
		verdict judge.RunVerdict
		refused bool          // the server let no call in
		one     judge.Verdict // of the one requirement
		worse   bool
		says    judge.RunVerdict // of the result
	}
	pass, fail, open := judge.Pass, judge.Fail, judge.Inconclusive
	for name, nights := range map[string][]night{
		"void for ever": {
			{judge.Void, false, open, false, judge.Void}, {judge.Void, false, open, false, judge.Void}},
		"unreachable for ever, and other requirements are decided each time": {
			{judge.Unreachable, false, pass, false, judge.Unreachable}, {judge.Unreachable, false, open, false, judge.Unreachable}, {judge.Unreachable, false, fail, false, judge.Unreachable}},
		"void once": {
			{judge.Conformant, false, pass, false, judge.Conformant}, {judge.Void, false, open, true, judge.Void}, {judge.Void, false, open, false, judge.Void}, {judge.Conformant, false, pass, false, judge.Conformant}},
		"unreachable once": {
			{judge.Conformant, false, pass, false, judge.Conformant}, {judge.Unreachable, false, open, true, judge.Unreachable}, {judge.Unreachable, false, fail, false, judge.Unreachable}, {judge.Conformant, false, pass, false, judge.Conformant}},
		"refused once": {
			{judge.Conformant, false, pass, false, judge.Conformant}, {judge.Void, true, open, true, judge.NeedsCredentials}, {judge.Void, true, open, false, judge.NeedsCredentials}, {judge.Conformant, false, pass, false, judge.Conformant}},
		"from one silence to another": {
			{judge.Conformant, false, pass, false, judge.Conformant}, {judge.Void, false, open, true, judge.Void}, {judge.Unreachable, false, open, false, judge.Unreachable}, {judge.Void, true, open, false, judge.NeedsCredentials}},
		"a regression behind a silence": {
			{judge.Conformant, false, pass, false, judge.Conformant}, {judge.Unreachable, false, open, true, judge.Unreachable}, {judge.Nonconformant, false, fail, true, judge.Nonconformant}, {judge.Nonconformant, false, fail, false, judge.Nonconformant}},
		"a decision that is lost": {
			{judge.Conformant, false, pass, false, judge.Conformant}, {judge.Partial, false, open, true, judge.Partial}},
		"broken before and after": {
			{judge.Nonconformant, false, fail, false, judge.Nonconformant}, {judge.Unreachable, false, open, true, judge.Unreachable}, {judge.Nonconformant, false, fail, false, judge.Nonconformant}},
		"never judged, and then broken": {
			{judge.Unreachable, false, open, false, judge.Unreachable}, {judge.Nonconformant, false, fail, false, judge.Nonconformant}},
		"refused, and a MUST fails": {
			{judge.Partial, false, open, false, judge.Partial}, {judge.Nonconformant, true, fail, true, judge.Nonconformant}, {judge.Partial, false, open, false, judge.Partial}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := connected(t, aBroker(t, Broker{}), "test")
			targets, s := some(t, 1), &stub{verdict: map[string]judge.Verdict{}}
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
					t.Errorf("night %d: worse %v, want %v; %s", i+1, o.Worse(), n.worse, encode(o))
				}
				if !o.speaks() && o.Full != nil && len(o.Full.Changes) > 0 {
					t.Errorf("night %d: requirements changed: %s", i+1, encode(o.Full.Changes))
				}
			}
			status, err := f.Status(t.Context(), 1)
			if last := nights[len(nights)-1]; err != nil || status.Rounds[0].Verdicts[last.says] != 1 {
				t.Errorf("%v %v", status.Rounds, err)
			}
		})
	}
}
