package fleet

import (
	"context"
	"time"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Await waits until a round is finished, and reports how far it is.
func (f *Fleet) Await(ctx context.Context, id string, told func(RoundStatus)) (RoundStatus, error) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		r, _, _, err := broker.Get[Round](ctx, f.conn, f.rounds, roundKey+id)
		if err != nil {
			return RoundStatus{}, err
		}
		if _, err := f.finishIfDone(ctx, r); err != nil {
			return RoundStatus{}, err
		}
		if r, _, _, err = broker.Get[Round](ctx, f.conn, f.rounds, roundKey+id); err != nil {
			return RoundStatus{}, err
		}
		s, err := f.countResultsAndQueued(ctx, r)
		if err != nil || s.Finished != nil {
			return s, err
		}
		told(s)
		select {
		case <-ctx.Done():
			return s, ctx.Err()
		case <-tick.C:
		}
	}
}

// Outcome is the result of one target in a round.
type Outcome struct {
	Target agentlist.Target
	Result
	Missing bool // there is none, which must not be
	// Unreadable is why the one that is there cannot be read, if so: Missing is set then, too.
	Unreadable string
}

// Outcomes returns the results of targets in a round, each with what is known of it.
func (f *Fleet) Outcomes(ctx context.Context, round string, targets []agentlist.Target) (out []Outcome, err error) {
	results := map[string]Result{}
	asked := map[string]bool{}
	for _, t := range targets {
		asked[t.ID] = true
	}
	held := 0
	if err := broker.Scan(ctx, f.conn, f.results, round+".*", func() {
		clear(results)
		held = 0
	}, func(key string, r Result) {
		_, target := splitKey(key)
		if !asked[target] {
			return
		}
		if r.Details != nil {
			if held += r.Details.memorySize(); held > maxDetailBytes {
				r.Details.truncateForDisplay()
				r.Details.Changes = nil
			}
		}
		results[target] = r
	}); err != nil {
		return nil, err
	}
	unreadable := map[string]string{}
	for _, u := range f.conn.Unreadable() {
		if u.Place == f.results.Bucket() {
			unreadable[u.Key] = u.Why
		}
	}
	for _, t := range targets {
		r, found := results[t.ID]
		if found && r.Details == nil {
			l, _, known, err := broker.Get[Latest](ctx, f.conn, f.latest, t.ID)
			if err != nil {
				return nil, err
			}
			if known {
				r.Details = l.Details
			}
		}
		out = append(out, Outcome{Target: t, Result: r, Missing: !found, Unreadable: unreadable[round+"."+t.ID]})
	}
	return out, nil
}

// Worse reports whether an agent is worse off: a run that states nothing about requirements, after
// one that did; otherwise a worse verdict, or a MUST that is worse off, than in the last round that
// stated anything about them. An agent that could not be judged before, and cannot be now, is not.
func (o *Outcome) Worse() bool {
	if !o.Changed || o.Details == nil || o.Details.Before == nil {
		return false
	}
	if !o.judgesRequirements() {
		return o.Details.Before.Verdict.Speaks()
	}
	if o.Details.Since == nil {
		return false
	}
	for i := range o.Details.Changes {
		if o.Details.Changes[i].Regression() {
			return true
		}
	}
	return verdictSeverity(o.Verdict) > verdictSeverity(o.Details.Since.Verdict)
}

// verdictSeverity orders verdicts, the worst last.
func verdictSeverity(v report.RunVerdict) int {
	for i, o := range []report.RunVerdict{report.Conformant, report.Partial, report.Nonconformant, report.NeedsCredentials, report.Unreachable} {
		if v == o {
			return i
		}
	}
	return 5
}
