package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
)

// processTargetMessage brings one target of the queue to its result, or puts it back. It reports whether the
// slot that it was given is given back already.
func (d *activeWorker) processTargetMessage(ctx, after context.Context, m jetstream.Msg) (slotReleased bool) {
	if ctx.Err() != nil {
		m.Nak()
		return false
	}
	t, round, err := d.parseTargetMessage(ctx, m)
	if ctx.Err() != nil {
		m.Nak()
		return false
	}
	if err != nil { // it has no place in any round
		d.moveToDeadLetters(after, m, "", err.Error())
		return false
	}
	if _, found, err := d.f.updateLatestAndPublish(ctx, round, t.ID); err != nil {
		return false // it comes again once the broker answers
	} else if found { // whoever judged it died before he could say so
		d.f.conn.Retry(after, m.DoubleAck)
		return false
	}
	stop := d.f.conn.KeepInProgress(after, m, d.Lease/3)
	defer stop()
	target, hosts, err := d.Allowance.NewTarget(ctx, t.Text)
	if err != nil {
		if ctx.Err() != nil {
			m.Nak()
			return false
		}
		d.storeResultAndAck(after, m, finishedRun{target: t, round: round, run: newRunID(), at: time.Now(), tries: 1, reason: err.Error()})
		return false
	}
	if delay, err := d.f.leases.remainingBackoff(ctx, t.Hostname()); err != nil {
		return false
	} else if delay > 0 {
		m.NakWithDelay(delay)
		return false
	}
	run := newRunID()
	leases, err := d.acquireLeases(ctx, hosts, run)
	if errors.Is(err, errAllLeased) {
		if leases, err = d.awaitSlotlessLeasesOrRequeue(ctx, m, hosts, run); err != nil {
			return true // it is back in the queue, and gave its slot back before it waited
		}
	}
	if err != nil {
		m.Nak()
		return false
	}
	d.judgeAndStoreTarget(ctx, after, m, t, target, round, run, leases)
	return false
}

// parseTargetMessage reads a target of the queue, and makes sure that it is what its subject states.
func (d *activeWorker) parseTargetMessage(ctx context.Context, m jetstream.Msg) (t agentlist.Target, round string, err error) {
	rest := strings.TrimPrefix(m.Subject(), workSubjects)
	j, err := broker.Decode[queuedTarget](rest, m.Data(), d.f.conn.Now())
	if err != nil {
		return t, "", fmt.Errorf("the message in the queue is none of this program's: %w", err)
	}
	t, _, _, err = agentlist.ParseEntry(j.Entry)
	if err == nil && !strings.HasSuffix(rest, "."+t.ID) {
		err = errors.New("the entry is not the one that its subject names")
	}
	if err == nil && !d.isKnownRound(ctx, j.Round) {
		err = fmt.Errorf("there is no round %.20q of this catalogue", j.Round)
	}
	return t, j.Round, err
}

// isKnownRound reports whether there is a round of our catalogue.
func (d *activeWorker) isKnownRound(ctx context.Context, id string) bool {
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

// moveToDeadLetters puts what cannot be judged among the dead letters.
func (d *activeWorker) moveToDeadLetters(ctx context.Context, m jetstream.Msg, id, why string) {
	if id == "" {
		id = "unknown." + broker.Digest(m.Subject()+string(m.Data()))
	}
	text := strings.ToValidUTF8(string(m.Data()[:min(len(m.Data()), maxLetterBytes)]), "�")
	buried := broker.Encode(deadLetterRecord{m.Subject(), why, d.f.conn.Now().UTC(), text, len(m.Data())})
	err := d.f.conn.Retry(ctx, func(ctx context.Context) error {
		_, err := d.f.conn.JetStream.Publish(ctx, deadSubjects+id, buried)
		return err
	})
	if ctx.Err() != nil {
		return
	}
	if err != nil { // it would come again for ever
		why += fmt.Sprintf(" (and it could not be kept: %v)", err)
	}
	d.Log(fmt.Sprintf("given up: %s: %s", m.Subject(), why))
	d.f.conn.Retry(ctx, m.DoubleAck)
}

// maxLetterBytes is how much of a message is kept with its dead letter, in bytes.
const maxLetterBytes = 4 << 10

// acquireLeases takes a lease of each host, or of none.
func (d *activeWorker) acquireLeases(ctx context.Context, hosts []string, run string) (out []*lease, err error) {
	for _, host := range hosts { // in their order, so that no two wait for each other
		l, err := d.f.leases.tryAcquireLease(ctx, host, run, d.Limits.PerHost, d.Lease)
		if err != nil {
			for _, l := range out {
				d.f.leases.releaseLease(context.WithoutCancel(ctx), l)
			}
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

// awaitSlotlessLeasesOrRequeue waits for the turn of a target whose host is being called. Of each host one target
// waits here, without a slot; the others go back into the queue until about their turn.
func (d *activeWorker) awaitSlotlessLeasesOrRequeue(ctx context.Context, m jetstream.Msg, hosts []string, run string) ([]*lease, error) {
	<-d.slots // others may use it meanwhile
	host := hosts[0]
	if delay := d.registerWaiterOrDelay(host); delay > 0 {
		m.NakWithDelay(delay)
		return nil, errAllLeased
	}
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.waiting[host]--
	}()
	for {
		news := d.releases.nextRelease()
		select {
		case d.slots <- struct{}{}:
		case <-ctx.Done():
			m.Nak()
			return nil, ctx.Err()
		}
		leases, err := d.acquireLeases(ctx, hosts, run)
		if err == nil {
			return leases, nil
		}
		<-d.slots
		if !errors.Is(err, errAllLeased) {
			m.Nak()
			return nil, err
		}
		select {
		case <-news:
		case <-time.After(time.Second): // a lease may have run out, which no one reports
		case <-ctx.Done():
			m.Nak()
			return nil, ctx.Err()
		}
	}
}

// typicalRun is about how long a run takes, and maxRequeueDelay the longest time that a target is put back.
const (
	typicalRun      = 500 * time.Millisecond
	maxRequeueDelay = 30 * time.Second
)

// registerWaiterOrDelay returns for how long a target goes back into the queue because another one of ours
// waits for its host already; 0 if none does, and this one waits from now on.
func (d *activeWorker) registerWaiterOrDelay(host string) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.waiting[host] < d.Limits.PerHost {
		d.waiting[host]++
		return 0
	}
	now := time.Now()
	at := d.expectedTurns[host]
	if at.Before(now) {
		at = now
	}
	if at = at.Add(typicalRun / time.Duration(d.Limits.PerHost)); at.Sub(now) > maxRequeueDelay {
		at = now.Add(maxRequeueDelay)
	}
	d.expectedTurns[host] = at
	return at.Sub(now)
}
