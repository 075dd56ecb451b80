package fleet

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// judgeAndStoreTarget judges a target, and keeps what came of it. Its leases and its place in the queue are
// kept alive meanwhile; if one is lost, the run ends, and another worker begins anew.
func (d *activeWorker) judgeAndStoreTarget(ctx, after context.Context, m jetstream.Msg, t agentlist.Target, target conform.Target, round, run string, leases []*lease) {
	defer func() {
		for _, l := range leases {
			d.f.leases.releaseLease(after, l)
		}
	}()
	if err := d.f.leases.waitTurn(ctx, startsKey, d.Limits.RunsPerSecond); err != nil {
		m.Nak()
		return
	}
	// Who had the lease may have judged this very target, which came again meanwhile.
	if _, found, err := d.f.updateLatestAndPublish(ctx, round, t.ID); err != nil {
		return
	} else if found {
		d.f.conn.Retry(after, m.DoubleAck)
		return
	}
	tries, err := d.f.incrementTries(ctx, round, t.ID, run)
	if err != nil {
		m.Nak()
		return
	}
	at := time.Now()
	if tries > maxTries {
		why := fmt.Sprintf("given up after %d tries: each time the worker died, or lost its connection, before the run was over", maxTries)
		d.moveToDeadLetters(after, m, round+"."+t.ID, why)
		d.storeResultAndAck(after, m, finishedRun{target: t, round: round, run: run, at: at, tries: maxTries, givenUp: true, reason: why})
		return
	}
	d.setOrClearRunning(run, &runningTarget{redact.StripSecrets(t.URL), round, at})
	defer d.setOrClearRunning(run, nil)
	during, lost := context.WithCancel(after)
	defer lost()
	d.wg.Add(1)
	go func() {
		defer d.wg.Done()
		d.keepRenewingLeases(during, lost, leases)
	}()
	d.ApplyDeadlineAndCallRate(d.f, &target)
	outcome, err := d.Judge(during, Run{target, t.Text})
	if during.Err() != nil { // who has the lease by now judges it anew
		m.Nak()
		return
	}
	lost()
	j := finishedRun{target: t, round: round, run: run, at: at, tries: tries, outcome: outcome}
	if outcome == nil {
		j.reason = "the run could not be made"
	}
	if err != nil {
		j.reason = err.Error()
	}
	d.f.leases.updateBackoff(after, t.Hostname(), isUnreachableOrRefusesAll(outcome))
	d.storeResultAndAck(after, m, j)
}

// isUnreachableOrRefusesAll reports whether a server could not be reached, or answered nothing but that it
// is asked too much or not by whom it knows.
func isUnreachableOrRefusesAll(o *conform.Outcome) bool {
	if o == nil {
		return false
	}
	if o.Report.Verdict == report.Unreachable {
		return true
	}
	asked := 0
	for _, x := range o.Transcript.Exchanges {
		if x.Dir != record.Out {
			continue
		}
		if s := x.Response.Status(); s != 0 && !slices.Contains([]int{401, 403, 429, 503}, s) {
			return false
		}
		asked++
	}
	return asked > 0
}

// keepRenewingLeases renews leases until ctx ends, and calls lost when one is lost.
func (d *activeWorker) keepRenewingLeases(ctx context.Context, lost func(), leases []*lease) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	broker.Repeat(ctx, d.Lease/3, func() {
		for _, l := range leases {
			err := broker.RunWithTimeout(ctx, d.Lease/3, func(ctx context.Context) error { return d.f.leases.renewLease(ctx, l) })
			if ctx.Err() != nil {
				return
			}
			if broker.IsConflict(err) || err != nil && d.f.leases.remainingTime(l, d.Lease) < d.Lease/6 {
				d.Log("a lease was lost, because the broker was away for too long: the run is begun anew")
				lost()
				stop()
				return
			}
		}
	})
}

// storeResultAndAck keeps a result and takes its target out of the queue. If the broker has no room or
// is away, it waits.
func (d *activeWorker) storeResultAndAck(ctx context.Context, m jetstream.Msg, j finishedRun) {
	r, err := d.f.storeRun(ctx, j, d.Retention, d.Tool)
	if err != nil {
		d.Log(fmt.Sprintf("the result of %s could not be kept: %v; it is judged again", redact.StripSecrets(j.target.URL), err))
		m.NakWithDelay(time.Second)
		return
	}
	d.f.conn.Retry(ctx, m.DoubleAck)
	d.mu.Lock()
	d.done++
	d.mu.Unlock()
	if d.OnResult != nil {
		if r.Details == nil {
			r.Details = &Details{URL: j.target.URL, Dialect: j.target.Dialect, Name: j.target.Name}
		}
		d.OnResult(j.target, j.round, r)
	}
}

// incrementTries counts the conversations that were begun for a target in a round, this one included.
func (f *Fleet) incrementTries(ctx context.Context, round, target, run string) (int, error) {
	key := round + "." + target
	for {
		b, revision, _, err := broker.Get[tryCount](ctx, f.conn, f.tries, key)
		if err != nil {
			return 0, err
		}
		if b.Run == run { // it was counted, and the answer got lost
			return b.Tries, nil
		}
		b = tryCount{b.Tries + 1, run}
		err = f.conn.Retry(ctx, func(ctx context.Context) (err error) {
			_, err = broker.Put(ctx, f.tries, key, broker.Encode(b), revision)
			return err
		})
		if !broker.IsConflict(err) {
			return b.Tries, err
		}
	}
}
