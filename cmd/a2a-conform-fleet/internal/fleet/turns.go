package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// startsKey is the place where all starts of runs are paced.
const startsKey = "turn.starts"

func hostKey(host string) string { return "turn." + digest(host) }

// pacedAt is the part of a rate that is used. Turns come at equal distances; what is left
// over is for those that come a little late, so that no two seconds hold more than two
// seconds' worth.
const pacedAt = 0.9

// A turn that is missed by more than this is given up for a later one, a few times: with
// what is left over of the rate, calls from a stalled machine would crowd together.
const (
	missedBy    = 50 * time.Millisecond
	missedTurns = 5
)

// mostWaiting is how many turns may be taken before ours: each process takes one at a time.
const mostWaiting = 1000

// turn waits for the next turn at a place that all workers pace together: so many in a second,
// each at a time of its own. With a rate of 0 nobody waits.
func (f *Fleet) turn(ctx context.Context, key string, perSecond float64) error {
	if perSecond <= 0 {
		return nil
	}
	for missed := 0; ; missed++ {
		at, err := f.nextTurn(ctx, key, time.Duration(float64(time.Second)/(pacedAt*perSecond)))
		if err != nil {
			return err
		}
		timer := time.NewTimer(at.Sub(f.clock.now()))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
		if f.clock.now().Sub(at) <= missedBy || missed == missedTurns {
			return nil
		}
	}
}

// nextTurn takes the next free time of a place. Of one worker one at a time asks for it.
func (f *Fleet) nextTurn(ctx context.Context, key string, apart time.Duration) (at time.Time, err error) {
	mine, _ := f.starts.LoadOrStore(key, &sync.Mutex{})
	mine.(*sync.Mutex).Lock()
	defer mine.(*sync.Mutex).Unlock()
	for {
		err = f.until(ctx, func(ctx context.Context) error {
			at = f.clock.now()
			e, err := f.leases.Get(ctx, key)
			if errors.Is(err, jetstream.ErrKeyNotFound) {
				_, err = f.leases.Create(ctx, key, encode(at.Add(apart)))
				return err
			}
			if err != nil {
				return err
			}
			if next, ok := readEntry[nextTurn](f, f.leases.Bucket(), e); ok && next.After(at) {
				if longestTurn := max(longest, mostWaiting*apart); next.Sub(at) > longestTurn {
					f.noteUnreadable(f.leases.Bucket(), key, fmt.Errorf("the next turn is %s, and at most %v from now are believed", next.Format(time.RFC3339), longestTurn))
				} else {
					at = next.Time
				}
			}
			_, err = f.leases.Update(ctx, key, encode(at.Add(apart)), e.Revision())
			return err
		})
		if !outran(err) {
			return at, err
		}
	}
}

// away is how long a host is left alone after it refused everything.
type away struct {
	Until time.Time `json:"until"`
	Times int       `json:"times"` // in a row
}

// longest is the longest time that a host is left alone, and mostTimes how often in a row counts.
const (
	longest   = time.Minute
	mostTimes = 16
)

func awayKey(host string) string { return "away." + digest(host) }

// leftAlone is for how long a host is still left alone.
func (f *Fleet) leftAlone(ctx context.Context, host string) (time.Duration, error) {
	a, _, found, err := get[away](ctx, f, f.leases, awayKey(host))
	if err != nil || !found {
		return 0, err
	}
	return a.Until.Sub(f.clock.now()), nil
}

// refused books how a host answered a whole run: one that refuses everything is left alone
// for longer each time.
func (f *Fleet) refused(ctx context.Context, host string, everything bool) error {
	a, revision, found, err := get[away](ctx, f, f.leases, awayKey(host))
	if err != nil || !everything && !found {
		return err
	}
	err = f.until(ctx, func(ctx context.Context) (err error) {
		if !everything {
			return f.leases.Delete(ctx, awayKey(host))
		}
		a.Times = min(a.Times+1, mostTimes)
		a.Until = f.clock.now().Add(min(time.Second<<(a.Times-1), longest))
		_, err = put(ctx, f.leases, awayKey(host), encode(a), revision)
		return err
	})
	if outran(err) { // another run of the same host has just booked
		return nil
	}
	return err
}
