package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Run is one target to judge: how it is reached, and the entry of the queue that says so.
type Run struct {
	Target conform.Target
	Entry  json.RawMessage
}

// Judge judges a target, as conform.Run does.
type Judge func(ctx context.Context, r Run) (*conform.Outcome, error)

// Here judges in this process.
func Here(ctx context.Context, r Run) (*conform.Outcome, error) { return conform.Run(ctx, r.Target) }

// Worker takes targets from the queue and judges them.
type Worker struct {
	Name     string // unique among the workers
	Tool     string // the version of this program
	Parallel int    // runs at a time
	Allow    Allowance
	Pace     Politeness
	Keep     Keeping
	Lease    time.Duration // after which a worker that is silent counts as dead
	Deadline time.Duration // of one run; 0 for one that fits the pace
	Timeout  time.Duration // of one call
	Judge    Judge
	Once     bool // end when nothing is queued
	Say      func(string)
	// Told is called for each result, with what it is about.
	Told func(t Target, round string, r Result)
}

// Politeness bounds what all workers together do to one host, and to all.
type Politeness struct {
	PerHost       int     // runs at a time on one host, whatever its ports
	PerSecond     float64 // calls to one host; 0 for no bound
	RunsPerSecond float64 // starts over all workers; 0 for no bound
}

// mostTries is how often a conversation is begun for one target and round.
const mostTries = 3

// duty is a worker at work.
type duty struct {
	Worker
	f     *Fleet
	queue jetstream.Consumer
	freed freed
	slots chan struct{} // taken by each run, and by each target that is about to be run

	mu      sync.Mutex
	waiting map[string]int       // by host: targets of ours that wait for their turn there
	turns   map[string]time.Time // by host: when one that is put back may expect its turn
	running map[string]running   // by run
	done    int
	wg      sync.WaitGroup
}

type running struct {
	URL   string    `json:"url"`
	Round string    `json:"round"`
	Since time.Time `json:"since"`
}

// Presence is what a worker tells of itself.
type Presence struct {
	Name      string    `json:"name"`
	Host      string    `json:"host"`
	PID       int       `json:"pid"`
	Tool      string    `json:"tool"`
	Catalogue string    `json:"catalogue"`
	Parallel  int       `json:"parallel"`
	Running   []running `json:"running"`
	Done      int       `json:"done"`
	At        time.Time `json:"at"`
}

// Work judges what is queued until ctx ends, or until nothing is left where the worker works
// Once. Runs that have begun when ctx ends are finished.
func (w Worker) Work(ctx context.Context, f *Fleet) error {
	w.Parallel, w.Pace.PerHost = max(1, w.Parallel), max(1, w.Pace.PerHost)
	if w.Lease <= 0 {
		w.Lease = 30 * time.Second
	}
	d := &duty{Worker: w, f: f, slots: make(chan struct{}, w.Parallel), waiting: map[string]int{}, turns: map[string]time.Time{}, running: map[string]running{}}
	if err := f.until(ctx, func(ctx context.Context) (err error) {
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
	go d.freed.watch(after, f)
	go d.report(after)
	go f.awaitDue(ctx, w.Tool)
	d.leaveOthers(ctx)
	err := d.take(ctx, after)
	d.wg.Wait()
	d.present(after, true)
	return err
}

// Manners has a run keep to the worker's bounds: of its time, and of the calls to a host, which
// all workers make together.
func (w *Worker) Manners(f *Fleet, t *conform.Target) {
	t.Deadline, t.Timeout, t.Version = w.Deadline, w.Timeout, w.Tool
	if t.Deadline <= 0 {
		t.Deadline = 2 * time.Minute
	}
	if w.Pace.PerSecond <= 0 {
		return
	}
	if w.Deadline <= 0 {
		t.Deadline += time.Duration(callsOfARun / w.Pace.PerSecond * float64(time.Second))
	}
	t.PerSecond = w.Pace.PerSecond
	t.Turn = func(ctx context.Context, host string) error {
		return f.turn(ctx, hostKey(canonicalHost(host)), w.Pace.PerSecond)
	}
}

// callsOfARun is about how many calls a run makes in all bindings, some of them once more.
const callsOfARun = 1500

// leaveOthers tells of rounds that another version of this program began.
func (d *duty) leaveOthers(ctx context.Context) {
	rounds, err := d.f.Rounds(ctx)
	if err != nil {
		return
	}
	for _, r := range rounds {
		if r.Finished == nil && r.Catalogue != Catalogue() {
			d.Say(fmt.Sprintf("round %s was begun by a2a-conform %s, whose catalogue is another one than that of this worker (%s): it is left to workers of that version", r.Number(), r.Tool, d.Tool))
		}
	}
}

// idle is for how long the queue is asked before it counts as empty for now.
const idle = time.Second

// take hands out targets until ctx ends.
func (d *duty) take(ctx, after context.Context) error {
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
		asking, enough := context.WithTimeout(ctx, idle)
		got, err := d.queue.Fetch(free, jetstream.FetchContext(asking))
		if err == nil {
			for m := range got.Messages() {
				free--
				d.wg.Add(1)
				go func() {
					defer d.wg.Done()
					if !d.handle(ctx, after, m) {
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
			if d.tidy(ctx) && d.Once {
				return nil
			}
		}
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			d.f.held.by(err, d.f.say)
			pause(ctx, 200*time.Millisecond)
		}
	}
}

// tidy books rounds that are finished, and removes what is kept no longer. It reports whether
// nothing is left to do for workers of this version.
func (d *duty) tidy(ctx context.Context) bool {
	rounds, err := d.f.Rounds(ctx)
	if err != nil {
		return false
	}
	open := false
	for _, r := range rounds {
		if r.Finished != nil || r.Catalogue != Catalogue() {
			continue
		}
		done, err := d.f.finish(ctx, r)
		if err != nil || !done {
			open = true
			continue
		}
		if err := d.f.prune(ctx, d.Keep); err != nil && ctx.Err() == nil {
			d.Say(fmt.Sprintf("what is kept no longer could not be removed: %v", err))
		}
	}
	return !open
}

// handle brings one target of the queue to its result, or puts it back. It reports whether the
// slot that it was given is given back already.
func (d *duty) handle(ctx, after context.Context, m jetstream.Msg) (released bool) {
	if ctx.Err() != nil {
		m.Nak()
		return false
	}
	t, round, err := d.read(m)
	if err != nil { // it has no place in any round
		d.bury(after, m, "", err.Error())
		return false
	}
	if _, found, err := d.f.settle(ctx, round, t.ID); err != nil {
		return false // it comes again once the broker answers
	} else if found { // whoever judged it died before he could say so
		d.f.until(after, m.DoubleAck)
		return false
	}
	stop := d.f.inProgress(after, m, d.Lease/3)
	defer stop()
	target, hosts, err := d.Allow.Target(ctx, t.Text)
	if err != nil {
		if ctx.Err() != nil {
			m.Nak()
			return false
		}
		d.store(after, m, judged{target: t, round: round, run: newRun(), at: time.Now(), tries: 1, why: err.Error()})
		return false
	}
	host := hosts[0]
	if delay, err := d.f.leftAlone(ctx, host); err != nil {
		return false
	} else if delay > 0 {
		m.NakWithDelay(delay)
		return false
	}
	run := newRun()
	leases, err := d.leases(ctx, hosts, run)
	if errors.Is(err, errHeld) {
		if leases, err = d.await(ctx, m, hosts, run); err != nil {
			return true // it is back in the queue, and gave its slot back before it waited
		}
	}
	if err != nil {
		m.Nak()
		return false
	}
	d.run(ctx, after, m, t, target, round, run, leases)
	return false
}

// read reads a target of the queue, and makes sure that it is what its subject says.
func (d *duty) read(m jetstream.Msg) (t Target, round string, err error) {
	rest := strings.TrimPrefix(m.Subject(), workSubjects)
	parts := strings.Split(rest, ".")
	var j job
	if len(parts) != 3 || json.Unmarshal(m.Data(), &j) != nil {
		return t, "", errors.New("the message in the queue is none of this program's")
	}
	t, _, _, err = entryOf(j.Entry)
	if err == nil && (t.ID != parts[2] || j.Round != parts[1]) {
		err = errors.New("the entry is not the one that its subject names")
	}
	return t, parts[1], err
}

// bury puts what cannot be judged among the dead letters.
func (d *duty) bury(ctx context.Context, m jetstream.Msg, id, why string) {
	if id == "" {
		id = "unknown." + digest(m.Subject()+string(m.Data()))
	}
	letter := encode(map[string]any{"subject": m.Subject(), "why": why, "at": d.f.clock.now().UTC(), "entry": json.RawMessage(valid(m.Data()))})
	if err := d.f.until(ctx, func(ctx context.Context) error {
		_, err := d.f.js.Publish(ctx, deadSubjects+id, letter)
		return err
	}); err == nil {
		d.Say(fmt.Sprintf("given up: %s: %s", m.Subject(), why))
		d.f.until(ctx, func(ctx context.Context) error { return m.DoubleAck(ctx) })
	}
}

// valid is a text as JSON, whatever it is.
func valid(text []byte) []byte {
	if json.Valid(text) {
		return text
	}
	return encode(string(text))
}

// leases takes a lease of each host, or of none.
func (d *duty) leases(ctx context.Context, hosts []string, run string) (out []*lease, err error) {
	for _, host := range hosts { // in their order, so that no two wait for each other
		l, err := d.f.lease(ctx, host, run, d.Pace.PerHost, d.Lease)
		if err != nil {
			for _, l := range out {
				d.f.leave(context.WithoutCancel(ctx), l)
			}
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

// await waits for the turn of a target whose host is being called. Of each host one target
// waits here, without a slot; the others go back into the queue until about their turn.
func (d *duty) await(ctx context.Context, m jetstream.Msg, hosts []string, run string) ([]*lease, error) {
	<-d.slots // others may use it meanwhile
	host := hosts[0]
	if delay := d.outOfTurn(host); delay > 0 {
		m.NakWithDelay(delay)
		return nil, errHeld
	}
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.waiting[host]--
	}()
	for {
		news := d.freed.next()
		select {
		case d.slots <- struct{}{}:
		case <-ctx.Done():
			m.Nak()
			return nil, ctx.Err()
		}
		leases, err := d.leases(ctx, hosts, run)
		if err == nil {
			return leases, nil
		}
		<-d.slots
		if !errors.Is(err, errHeld) {
			m.Nak()
			return nil, err
		}
		select {
		case <-news:
		case <-time.After(time.Second): // a lease may have run out, which nobody tells
		case <-ctx.Done():
			m.Nak()
			return nil, ctx.Err()
		}
	}
}

// usual is about how long a run takes, and awhile the longest time that a target is put back.
const (
	usual  = 500 * time.Millisecond
	awhile = 30 * time.Second
)

// outOfTurn is for how long a target goes back into the queue because another one of ours
// waits for its host already; 0 where none does, and this one waits from now on.
func (d *duty) outOfTurn(host string) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waiting[host] < d.Pace.PerHost {
		d.waiting[host]++
		return 0
	}
	now := time.Now()
	at := d.turns[host]
	if at.Before(now) {
		at = now
	}
	if at = at.Add(usual / time.Duration(d.Pace.PerHost)); at.Sub(now) > awhile {
		at = now.Add(awhile)
	}
	d.turns[host] = at
	return at.Sub(now)
}

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
	d.note(run, &running{harness.Shown(t.URL), round, at})
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
	for _, host := range hostsOf(leases) {
		d.f.refused(after, host, refusedAll(outcome))
	}
	d.store(after, m, j)
}

// hostsOf are the hosts of leases.
func hostsOf(leases []*lease) (out []string) {
	for _, l := range leases {
		var v leaseValue
		if json.Unmarshal(l.value, &v) == nil {
			out = append(out, v.Host)
		}
	}
	return out
}

// refusedAll reports whether a server could not be reached, or answered nothing but that it
// is asked too much or not by whom it knows.
func refusedAll(o *conform.Outcome) bool {
	if o == nil {
		return false
	}
	if o.Report.Verdict == judge.Unreachable {
		return true
	}
	asked := 0
	for _, x := range o.Transcript.Exchanges {
		if x.Dir != wire.Out {
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
	tick := time.NewTicker(d.Lease / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, l := range leases {
			err := within(ctx, d.Lease/3, func(ctx context.Context) error { return d.f.renew(ctx, l) })
			if ctx.Err() != nil {
				return
			}
			if outran(err) || err != nil && d.f.left(l, d.Lease) < d.Lease/6 {
				d.Say("a lease was lost, because the broker was away for too long: the run is begun anew")
				lost()
				return
			}
		}
	}
}

// store keeps a result and takes its target out of the queue. Where the broker has no room or
// is away, it waits.
func (d *duty) store(ctx context.Context, m jetstream.Msg, j judged) {
	r, err := d.f.keep(ctx, j, d.Keep, d.Tool)
	if err != nil {
		d.Say(fmt.Sprintf("the result of %s could not be kept: %v; it is judged again", harness.Shown(j.target.URL), err))
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
	type begun struct {
		Tries int    `json:"tries"`
		Run   string `json:"run"`
	}
	key := round + "." + target
	for {
		b, revision, found, err := get[begun](ctx, f, f.tries, key)
		if err != nil {
			return 0, err
		}
		if b.Run == run { // it was counted, and we were not told
			return b.Tries, nil
		}
		b = begun{b.Tries + 1, run}
		err = f.until(ctx, func(ctx context.Context) (err error) {
			if found {
				_, err = f.tries.Update(ctx, key, encode(b), revision)
			} else {
				_, err = f.tries.Create(ctx, key, encode(b))
			}
			return err
		})
		if !outran(err) {
			return b.Tries, err
		}
	}
}

// note books which runs go on.
func (d *duty) note(run string, r *running) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r == nil {
		delete(d.running, run)
		return
	}
	d.running[run] = *r
}

// heard is how often a worker tells what it does.
const heard = 2 * time.Second

// report tells what this worker does, until ctx ends.
func (d *duty) report(ctx context.Context) {
	tick := time.NewTicker(heard)
	defer tick.Stop()
	for n := 1; ; n++ {
		d.present(ctx, false)
		if n%30 == 0 { // clocks drift
			within(ctx, oneTry, d.f.setClock)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (d *duty) present(ctx context.Context, gone bool) {
	key := digest(d.Name)
	if gone {
		if !d.f.nc.IsConnected() { // it is forgotten by itself
			return
		}
		within(ctx, oneTry, func(ctx context.Context) error { return d.f.workers.Purge(ctx, key) })
		return
	}
	host, _ := os.Hostname()
	d.mu.Lock()
	p := Presence{Name: d.Name, Host: host, PID: os.Getpid(), Tool: d.Tool, Catalogue: Catalogue(), Parallel: d.Parallel, Done: d.done, At: d.f.clock.now().UTC()}
	for _, r := range d.running {
		p.Running = append(p.Running, r)
	}
	d.mu.Unlock()
	slices.SortFunc(p.Running, func(a, b running) int { return a.Since.Compare(b.Since) })
	within(ctx, oneTry, func(ctx context.Context) error {
		_, err := d.f.workers.Put(ctx, key, encode(p))
		return err
	})
}
