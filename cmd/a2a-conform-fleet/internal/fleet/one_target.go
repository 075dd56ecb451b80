package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// handle brings one target of the queue to its result, or puts it back. It reports whether the
// slot that it was given is given back already.
func (d *duty) handle(ctx, after context.Context, m jetstream.Msg) (released bool) {
	if ctx.Err() != nil {
		m.Nak()
		return false
	}
	t, round, err := d.read(ctx, m)
	if ctx.Err() != nil {
		m.Nak()
		return false
	}
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
	if delay, err := d.f.leftAlone(ctx, t.host()); err != nil {
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
func (d *duty) read(ctx context.Context, m jetstream.Msg) (t Target, round string, err error) {
	rest := strings.TrimPrefix(m.Subject(), workSubjects)
	j, err := decodeStored[job](rest, m.Data(), d.f.clock.now())
	if err != nil {
		return t, "", fmt.Errorf("the message in the queue is none of this program's: %w", err)
	}
	t, _, _, err = entryOf(j.Entry)
	if err == nil && !strings.HasSuffix(rest, "."+t.ID) {
		err = errors.New("the entry is not the one that its subject names")
	}
	if err == nil && !d.knows(ctx, j.Round) {
		err = fmt.Errorf("there is no round %.20q of this catalogue", j.Round)
	}
	return t, j.Round, err
}

// knows reports whether there is a round of our catalogue.
func (d *duty) knows(ctx context.Context, id string) bool {
	d.mu.Lock()
	known := d.rounds[id]
	d.mu.Unlock()
	if known || !roundID.MatchString(id) {
		return known
	}
	rounds, err := d.f.Rounds(ctx)
	if err != nil || !slices.ContainsFunc(rounds, func(r Round) bool { return r.ID == id && r.Catalogue == Catalogue() }) {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rounds[id] = true
	return true
}

// bury puts what cannot be judged among the dead letters.
func (d *duty) bury(ctx context.Context, m jetstream.Msg, id, why string) {
	if id == "" {
		id = "unknown." + digest(m.Subject()+string(m.Data()))
	}
	text := strings.ToValidUTF8(string(m.Data()[:min(len(m.Data()), mostOfLetter)]), "�")
	buried := encode(letter{m.Subject(), why, d.f.clock.now().UTC(), text, len(m.Data())})
	err := d.f.until(ctx, func(ctx context.Context) error {
		_, err := d.f.js.Publish(ctx, deadSubjects+id, buried)
		return err
	})
	if ctx.Err() != nil {
		return
	}
	if err != nil { // it would come again for ever
		why += fmt.Sprintf(" (and it could not be kept: %v)", err)
	}
	d.Say(fmt.Sprintf("given up: %s: %s", m.Subject(), why))
	d.f.until(ctx, m.DoubleAck)
}

// mostOfLetter is how much of a message is kept with its dead letter, in bytes.
const mostOfLetter = 4 << 10

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
