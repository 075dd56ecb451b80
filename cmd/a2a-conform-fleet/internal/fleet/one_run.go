package fleet

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// run judges a target, and keeps what came of it. Its leases and its place in the queue are
// kept alive meanwhile; where one is lost, the run ends, and another worker begins anew.
func (d *duty) run(ctx, after context.Context, m jetstream.Msg, t Target, target conform.Target, round, run string, leases []*lease) {
	defer func() {
		for _, l := range leases {
			d.f.leave(after, l)
		}
	}()
	if err := d.f.turn(ctx, startsKey, d.Pace.RunsPerSecond); err != nil {
		m.Nak()
		return
	}
	// Who had the lease may have judged this very target, which came again meanwhile.
	if _, found, err := d.f.settle(ctx, round, t.ID); err != nil {
		return
	} else if found {
		d.f.until(after, m.DoubleAck)
		return
	}
	tries, err := d.f.begun(ctx, round, t.ID, run)
	if err != nil {
		m.Nak()
		return
	}
	at := time.Now()
	if tries > mostTries {
		why := fmt.Sprintf("given up after %d tries: each time the worker died, or lost its connection, before the run was over", mostTries)
		d.bury(after, m, round+"."+t.ID, why)
		d.store(after, m, judged{target: t, round: round, run: run, at: at, tries: mostTries, givenUp: true, why: why})
		return
	}
	d.note(run, &running{redact.StripSecrets(t.URL), round, at})
	defer d.note(run, nil)
	during, lost := context.WithCancel(after)
	defer lost()
	d.wg.Add(1)
	go func() {
		defer d.wg.Done()
		d.keepAlive(during, lost, leases)
	}()
	d.Manners(d.f, &target)
	outcome, err := d.Judge(during, Run{target, t.Text})
	if during.Err() != nil { // who has the lease by now judges it anew
		m.Nak()
		return
	}
	lost()
	j := judged{target: t, round: round, run: run, at: at, tries: tries, outcome: outcome}
	if outcome == nil {
		j.why = "the run could not be made"
	}
	if err != nil {
		j.why = err.Error()
	}
	d.f.refused(after, t.host(), refusedAll(outcome))
	d.store(after, m, j)
}

// refusedAll reports whether a server could not be reached, or answered nothing but that it
// is asked too much or not by whom it knows.
func refusedAll(o *conform.Outcome) bool {
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

// keepAlive renews leases until ctx ends, and tells where one is lost.
func (d *duty) keepAlive(ctx context.Context, lost func(), leases []*lease) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	repeat(ctx, d.Lease/3, func() {
		for _, l := range leases {
			err := within(ctx, d.Lease/3, func(ctx context.Context) error { return d.f.renew(ctx, l) })
			if ctx.Err() != nil {
				return
			}
			if outran(err) || err != nil && d.f.left(l, d.Lease) < d.Lease/6 {
				d.Say("a lease was lost, because the broker was away for too long: the run is begun anew")
				lost()
				stop()
				return
			}
		}
	})
}

// store keeps a result and takes its target out of the queue. Where the broker has no room or
// is away, it waits.
func (d *duty) store(ctx context.Context, m jetstream.Msg, j judged) {
	r, err := d.f.keep(ctx, j, d.Keep, d.Tool)
	if err != nil {
		d.Say(fmt.Sprintf("the result of %s could not be kept: %v; it is judged again", redact.StripSecrets(j.target.URL), err))
		m.NakWithDelay(time.Second)
		return
	}
	d.f.until(ctx, m.DoubleAck)
	d.mu.Lock()
	d.done++
	d.mu.Unlock()
	if d.Told != nil {
		if r.Full == nil {
			r.Full = &Full{URL: j.target.URL, Dialect: j.target.Dialect, Name: j.target.Name}
		}
		d.Told(j.target, j.round, r)
	}
}

// begun counts the conversations that were begun for a target in a round, this one included.
func (f *Fleet) begun(ctx context.Context, round, target, run string) (int, error) {
	key := round + "." + target
	for {
		b, revision, _, err := get[begun](ctx, f, f.tries, key)
		if err != nil {
			return 0, err
		}
		if b.Run == run { // it was counted, and we were not told
			return b.Tries, nil
		}
		b = begun{b.Tries + 1, run}
		err = f.until(ctx, func(ctx context.Context) (err error) {
			_, err = put(ctx, f.tries, key, encode(b), revision)
			return err
		})
		if !outran(err) {
			return b.Tries, err
		}
	}
}
