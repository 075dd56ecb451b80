package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/allowance"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
)

// Run is one target to judge: how it is reached, and the entry of the queue.
type Run struct {
	Target conform.Target
	Entry  json.RawMessage
}

// Judge judges a target, as conform.Run does.
type Judge func(ctx context.Context, r Run) (*conform.Outcome, error)

// JudgeInProcess judges in this process.
func JudgeInProcess(ctx context.Context, r Run) (*conform.Outcome, error) {
	return conform.Run(ctx, r.Target)
}

// Worker takes targets from the queue and judges them.
type Worker struct {
	Name         string // unique among the workers
	Tool         string // the version of this program
	Parallel     int    // runs at a time
	Allowance    allowance.Allowance
	Limits       RateLimits
	Retention    Retention
	Lease        time.Duration // after which a worker that is silent counts as dead
	Deadline     time.Duration // of one run; 0 for one that fits the pace
	Timeout      time.Duration // of one call
	Judge        Judge
	StopWhenIdle bool // end when nothing is queued
	Log          func(string)
	// OnResult is called for each result, with what it is about.
	OnResult func(t agentlist.Target, round string, r Result)
}

// RateLimits bounds what all workers together do to one host, and to all.
type RateLimits struct {
	PerHost       int     // runs at a time on one host, whatever its ports
	PerSecond     float64 // calls to one host; 0 for no bound
	RunsPerSecond float64 // starts over all workers; 0 for no bound
}

// maxTries is how often a conversation is begun for one target and round.
const maxTries = 3

// activeWorker is a worker at work.
type activeWorker struct {
	Worker
	f        *Fleet
	queue    jetstream.Consumer
	releases leaseNotifier
	slots    chan struct{} // taken by each run, and by each target that is about to be run

	mu            sync.Mutex
	waiting       map[string]int           // by host: targets of ours that wait for their turn there
	expectedTurns map[string]time.Time     // by host: when one that is put back may expect its turn
	running       map[string]runningTarget // by run
	rounds        map[string]bool          // that there are, of our catalogue
	done          int
	wg            sync.WaitGroup
}

// Work judges what is queued until ctx ends, or until nothing is left if the worker works
// Once. Runs that have begun when ctx ends are finished.
func (w Worker) Work(ctx context.Context, f *Fleet) error {
	f.conn.EnableUnreadableLog()
	w.Parallel, w.Limits.PerHost = max(1, w.Parallel), max(1, w.Limits.PerHost)
	if w.Lease <= 0 {
		w.Lease = 30 * time.Second
	}
	d := &activeWorker{Worker: w, f: f, slots: make(chan struct{}, w.Parallel), waiting: map[string]int{}, expectedTurns: map[string]time.Time{}, running: map[string]runningTarget{}, rounds: map[string]bool{}}
	if err := f.conn.Retry(ctx, func(ctx context.Context) (err error) {
		d.queue, err = f.work.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: "work-" + Catalogue(), FilterSubject: workSubjects + Catalogue() + ".>", AckPolicy: jetstream.AckExplicitPolicy,
			AckWait: w.Lease, MaxAckPending: -1, MaxDeliver: -1, MaxWaiting: 4096,
		})
		return err
	}); err != nil {
		return fmt.Errorf("the queue: %w", err)
	}
	// What began is brought to its end though ctx ends.
	after, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	go d.releases.watchReleases(after, f.leases)
	go d.keepPresenceAndClockFresh(after)
	go f.runSchedules(ctx, w.Tool)
	d.logRoundsOfOtherCatalogues(ctx)
	err := d.dispatchTargets(ctx, after)
	d.wg.Wait()
	d.publishPresence(after, true)
	return err
}

// ApplyDeadlineAndCallRate has a run keep to the worker's bounds: of its time, and of the calls to a host, which
// all workers make together.
func (w *Worker) ApplyDeadlineAndCallRate(f *Fleet, t *conform.Target) {
	t.Deadline, t.Timeout, t.Version = w.Deadline, w.Timeout, w.Tool
	if t.Deadline <= 0 {
		t.Deadline = 2 * time.Minute
	}
	if w.Limits.PerSecond <= 0 {
		return
	}
	if w.Deadline <= 0 {
		t.Deadline += time.Duration(callsPerRun / w.Limits.PerSecond * float64(time.Second))
	}
	t.PerSecond = w.Limits.PerSecond
	guard := t.BeforeCall
	t.BeforeCall = func(ctx context.Context, at *url.URL) error {
		if guard != nil {
			if err := guard(ctx, at); err != nil {
				return err
			}
		}
		return f.leases.waitTurn(ctx, turnKey(agentlist.CanonicalHostUnifyingLoopback(at.Hostname())), w.Limits.PerSecond)
	}
}

// callsPerRun is about how many calls a run makes in all bindings, some of them once more.
const callsPerRun = 1500

// logRoundsOfOtherCatalogues reports rounds that another version of this program began.
func (d *activeWorker) logRoundsOfOtherCatalogues(ctx context.Context) {
	rounds, err := d.f.Rounds(ctx)
	if err != nil {
		return
	}
	for _, r := range rounds {
		if r.Finished == nil && r.Catalogue != Catalogue() {
			d.Log(fmt.Sprintf("round %s was begun by a2a-conform %s, whose catalogue is another one than that of this worker (%s): it is left to workers of that version", r.Number(), r.Tool, d.Tool))
		}
	}
}

// fetchTimeout is for how long the queue is asked before it counts as empty for now.
const fetchTimeout = time.Second

// dispatchTargets hands out targets until ctx ends.
func (d *activeWorker) dispatchTargets(ctx, detachedCtx context.Context) error {
	for {
		select {
		case d.slots <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		free := 1
	more:
		for free < d.Parallel {
			select {
			case d.slots <- struct{}{}:
				free++
			default:
				break more
			}
		}
		asking, enough := context.WithTimeout(ctx, fetchTimeout)
		got, err := d.queue.Fetch(free, jetstream.FetchContext(asking))
		if err == nil {
			for m := range got.Messages() {
				free--
				d.wg.Add(1)
				go func() {
					defer d.wg.Done()
					if !d.processTargetMessage(ctx, detachedCtx, m) {
						<-d.slots
					}
				}()
			}
			err = got.Error()
		}
		enough()
		none := free > 0
		for ; free > 0; free-- {
			<-d.slots
		}
		if ctx.Err() != nil {
			return nil
		}
		if none {
			if d.finishRoundsTidyReportIdle(ctx) && d.StopWhenIdle {
				return nil
			}
		}
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			d.f.conn.ReportLastingFailure(err)
			broker.Pause(ctx, 200*time.Millisecond)
		}
	}
}

// finishRoundsTidyReportIdle books rounds that are finished, and removes what is kept no longer. It reports whether
// nothing is left to do for workers of this version.
func (d *activeWorker) finishRoundsTidyReportIdle(ctx context.Context) bool {
	rounds, err := d.f.Rounds(ctx)
	if err != nil {
		return false
	}
	open := false
	for _, r := range rounds {
		if r.Catalogue != Catalogue() {
			continue
		}
		if done, err := d.f.finishIfDone(ctx, r); err != nil || !done {
			open = true
		}
	}
	if err := d.f.Tidy(ctx, d.Retention); err != nil && ctx.Err() == nil {
		d.Log(fmt.Sprintf("what is kept no longer could not be removed: %v", err))
	}
	return !open
}
