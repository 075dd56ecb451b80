package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// lease is a host that one worker calls, and no more workers than are allowed at a time. It
// ends by itself if the worker dies.
type lease struct {
	key   string
	value []byte

	mu       sync.Mutex // of a renewal
	revision uint64
	renewed  time.Time // when the latest renewal was asked for, by the broker's clock
}

type leaseValue struct {
	Run  string        `json:"run"`
	Host string        `json:"host"`
	For  time.Duration `json:"for"`
}

// LongestLease is how long a lease may be, so that nobody keeps a host for ever.
const LongestLease = time.Hour

// errHeld is that others have all leases of a host.
var errHeld = errors.New("the host is being called")

// lease takes one of the leases of a host, or says errHeld.
func (f *Fleet) lease(ctx context.Context, host, run string, most int, length time.Duration) (*lease, error) {
	value := encode(leaseValue{run, host, length})
	for i := range most {
		l := &lease{key: fmt.Sprintf("host.%s.%d", digest(host), i), value: value}
		switch err := f.take(ctx, l, run); {
		case err == nil:
			return l, nil
		case !outran(err) && !errors.Is(err, errHeld):
			return nil, err
		}
	}
	return nil, errHeld
}

// take makes a lease ours if it is free, or its holder let it run out.
func (f *Fleet) take(ctx context.Context, l *lease, run string) error {
	return f.until(ctx, func(ctx context.Context) (err error) {
		l.renewed = f.clock.now()
		e, err := f.leases.Get(ctx, l.key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			l.revision, err = f.leases.Create(ctx, l.key, l.value)
			return err
		}
		if err != nil {
			return err
		}
		by, ok := readEntry[leaseValue](f, f.leases.Bucket(), e)
		if ok && by.Run == run { // we took it, and were not told
			l.revision = e.Revision()
			return nil
		}
		if ok && f.clock.now().Before(e.Created().Add(by.For+slack)) {
			return errHeld
		}
		l.revision, err = f.leases.Update(ctx, l.key, l.value, e.Revision())
		return err
	})
}

// slack is by how much the clocks of two workers may differ.
const slack = 500 * time.Millisecond

// renew prolongs a lease. It is lost where somebody else has it by now.
func (f *Fleet) renew(ctx context.Context, l *lease) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := f.clock.now()
	revision, err := f.leases.Update(ctx, l.key, l.value, l.revision)
	if outran(err) {
		if e, again := f.leases.Get(ctx, l.key); again == nil && string(e.Value()) == string(l.value) { // an answer got lost
			l.revision = e.Revision()
			return nil
		}
	}
	if err == nil {
		l.revision, l.renewed = revision, at
	}
	return err
}

// left is for how long a lease certainly is still ours.
func (f *Fleet) left(l *lease, length time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.renewed.Add(length).Sub(f.clock.now())
}

// leave gives a lease back. If that fails it runs out by itself.
func (f *Fleet) leave(ctx context.Context, l *lease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f.until(ctx, func(ctx context.Context) error {
		err := f.leases.Delete(ctx, l.key, jetstream.LastRevision(l.revision))
		if outran(err) {
			return nil
		}
		return err
	})
}

// freed tells of leases that are given back, until ctx ends.
type freed struct {
	mu   sync.Mutex
	news chan struct{}
}

// next is closed at the next lease that is given back.
func (n *freed) next() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.news == nil {
		n.news = make(chan struct{})
	}
	return n.news
}

func (n *freed) tell() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.news != nil {
		close(n.news)
		n.news = nil
	}
}

// watch tells of every lease that is given back anywhere.
func (n *freed) watch(ctx context.Context, f *Fleet) {
	for ctx.Err() == nil {
		w, err := f.leases.Watch(ctx, "host.>", jetstream.UpdatesOnly(), jetstream.MetaOnly())
		if err != nil {
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
			continue
		}
		for e := range w.Updates() {
			if e != nil && e.Operation() != jetstream.KeyValuePut {
				n.tell()
			}
		}
		w.Stop()
	}
}
