package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
)

// hostLeases is who calls which host, and when the next call may come, for all workers together.
type hostLeases struct {
	conn      *broker.Conn
	bucket    jetstream.KeyValue
	turnLocks sync.Map // for each key, the lock of this process
}

// lease is a host that one worker calls, and no more workers than are allowed at a time. It
// ends by itself if the worker dies.
type lease struct {
	key   string
	value []byte

	mu       sync.Mutex // of a renewal
	revision uint64
	renewed  time.Time // when the latest renewal was asked for, by the broker's clock
}

type leaseRecord struct {
	Run  string        `json:"run"`
	Host string        `json:"host"`
	For  time.Duration `json:"for"`
}

// LongestLease is how long a lease may be, so that no one keeps a host for ever.
const LongestLease = time.Hour

// errAllLeased is that others have all leases of a host.
var errAllLeased = errors.New("the host is being called")

// tryAcquireLease takes one of the leases of a host, or returns errAllLeased.
func (h *hostLeases) tryAcquireLease(ctx context.Context, host, run string, most int, length time.Duration) (*lease, error) {
	value := broker.Encode(leaseRecord{run, host, length})
	for i := range most {
		l := &lease{key: fmt.Sprintf("host.%s.%d", broker.Digest(host), i), value: value}
		switch err := h.takeLease(ctx, l, run); {
		case err == nil:
			return l, nil
		case !broker.IsConflict(err) && !errors.Is(err, errAllLeased):
			return nil, err
		}
	}
	return nil, errAllLeased
}

// takeLease makes a lease ours if it is free, or its holder let it run out.
func (h *hostLeases) takeLease(ctx context.Context, l *lease, run string) error {
	return h.conn.Retry(ctx, func(ctx context.Context) (err error) {
		l.renewed = h.conn.Now()
		e, err := h.bucket.Get(ctx, l.key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			l.revision, err = h.bucket.Create(ctx, l.key, l.value)
			return err
		}
		if err != nil {
			return err
		}
		by, ok := broker.DecodeOrNoteUnreadable[leaseRecord](h.conn, h.bucket.Bucket(), e)
		if ok && by.Run == run { // we took it, and the answer got lost
			l.revision = e.Revision()
			return nil
		}
		if ok && h.conn.Now().Before(e.Created().Add(by.For+clockSlack)) {
			return errAllLeased
		}
		l.revision, err = h.bucket.Update(ctx, l.key, l.value, e.Revision())
		return err
	})
}

// clockSlack is by how much the clocks of two workers may differ.
const clockSlack = 500 * time.Millisecond

// renewLease prolongs a lease. It is lost if somebody else has it by now.
func (h *hostLeases) renewLease(ctx context.Context, l *lease) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := h.conn.Now()
	revision, err := h.bucket.Update(ctx, l.key, l.value, l.revision)
	if broker.IsConflict(err) {
		if e, again := h.bucket.Get(ctx, l.key); again == nil && string(e.Value()) == string(l.value) { // an answer got lost
			l.revision = e.Revision()
			return nil
		}
	}
	if err == nil {
		l.revision, l.renewed = revision, at
	}
	return err
}

// remainingTime returns for how long a lease certainly is still ours.
func (h *hostLeases) remainingTime(l *lease, length time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.renewed.Add(length).Sub(h.conn.Now())
}

// releaseLease gives a lease back. If that fails it runs out by itself.
func (h *hostLeases) releaseLease(ctx context.Context, l *lease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h.conn.Retry(ctx, func(ctx context.Context) error {
		err := h.bucket.Delete(ctx, l.key, jetstream.LastRevision(l.revision))
		if broker.IsConflict(err) {
			return nil
		}
		return err
	})
}

// leaseNotifier reports leases that are given back, until ctx ends.
type leaseNotifier struct {
	mu   sync.Mutex
	news chan struct{}
}

// nextRelease is closed at the next lease that is given back.
func (n *leaseNotifier) nextRelease() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.news == nil {
		n.news = make(chan struct{})
	}
	return n.news
}

func (n *leaseNotifier) notifyAll() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.news != nil {
		close(n.news)
		n.news = nil
	}
}

// watchReleases reports every lease that is given back anywhere.
func (n *leaseNotifier) watchReleases(ctx context.Context, h *hostLeases) {
	for ctx.Err() == nil {
		w, err := h.bucket.Watch(ctx, "host.>", jetstream.UpdatesOnly(), jetstream.MetaOnly())
		if err != nil {
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
			continue
		}
		for e := range w.Updates() {
			if e != nil && e.Operation() != jetstream.KeyValuePut {
				n.notifyAll()
			}
		}
		w.Stop()
	}
}
