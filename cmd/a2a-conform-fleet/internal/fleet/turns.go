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

func turnKey(host string) string { return "turn." + Digest(host) }

// rateShare is the part of a rate that is used. Turns come at equal distances; what is left
// over is for those that come a little late, so that no two seconds hold more than two
// seconds' worth.
const rateShare = 0.9

// A turn that is missed by more than this is given up for a later one, a few times: with
// what is left over of the rate, calls from a stalled machine would crowd together.
const (
	maxLateness    = 50 * time.Millisecond
	maxMissedTurns = 5
)

// maxTurnsAhead is how many turns may be taken before ours: each process takes one at a time.
const maxTurnsAhead = 1000

// waitTurn waits for the next turn at a place that all workers pace together: so many in a second,
// each at a time of its own. With a rate of 0 nobody waits.
func (f *Fleet) waitTurn(ctx context.Context, key string, perSecond float64) error {
	if perSecond <= 0 {
		return nil
	}
	for missed := 0; ; missed++ {
		at, err := f.reserveTurn(ctx, key, time.Duration(float64(time.Second)/(rateShare*perSecond)))
		if err != nil {
			return err
		}
		timer := time.NewTimer(at.Sub(f.clock.Now()))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
		if f.clock.Now().Sub(at) <= maxLateness || missed == maxMissedTurns {
			return nil
		}
	}
}

// reserveTurn takes the next free time of a place. Of one worker one at a time asks for it.
func (f *Fleet) reserveTurn(ctx context.Context, key string, apart time.Duration) (at time.Time, err error) {
	mine, _ := f.turnLocks.LoadOrStore(key, &sync.Mutex{})
	mine.(*sync.Mutex).Lock()
	defer mine.(*sync.Mutex).Unlock()
	for {
		err = f.Retry(ctx, func(ctx context.Context) error {
			at = f.clock.Now()
			e, err := f.leases.Get(ctx, key)
			if errors.Is(err, jetstream.ErrKeyNotFound) {
				_, err = f.leases.Create(ctx, key, Encode(at.Add(apart)))
				return err
			}
			if err != nil {
				return err
			}
			if next, ok := ReadEntry[turnTime](f, f.leases.Bucket(), e); ok && next.After(at) {
				if longestTurn := max(maxBackoff, maxTurnsAhead*apart); next.Sub(at) > longestTurn {
					f.NoteUnreadable(f.leases.Bucket(), key, fmt.Errorf("the next turn is %s, and at most %v from now are believed", next.Format(time.RFC3339), longestTurn))
				} else {
					at = next.Time
				}
			}
			_, err = f.leases.Update(ctx, key, Encode(at.Add(apart)), e.Revision())
			return err
		})
		if !IsConflict(err) {
			return at, err
		}
	}
}

// hostBackoff is how long a host is left alone after it refused everything.
type hostBackoff struct {
	Until time.Time `json:"until"`
	Times int       `json:"times"` // in a row
}

// maxBackoff is the longest time that a host is left alone, and mostTimes how often in a row counts.
const (
	maxBackoff  = time.Minute
	maxRefusals = 16
)

func backoffKey(host string) string { return "away." + Digest(host) }

// backoffDelay is for how long a host is still left alone.
func (f *Fleet) backoffDelay(ctx context.Context, host string) (time.Duration, error) {
	a, _, found, err := Get[hostBackoff](ctx, f, f.leases, backoffKey(host))
	if err != nil || !found {
		return 0, err
	}
	return a.Until.Sub(f.clock.Now()), nil
}

// noteRefusal books how a host answered a whole run: one that refuses everything is left alone
// for longer each time.
func (f *Fleet) noteRefusal(ctx context.Context, host string, everything bool) error {
	a, revision, found, err := Get[hostBackoff](ctx, f, f.leases, backoffKey(host))
	if err != nil || !everything && !found {
		return err
	}
	err = f.Retry(ctx, func(ctx context.Context) (err error) {
		if !everything {
			return f.leases.Delete(ctx, backoffKey(host))
		}
		a.Times = min(a.Times+1, maxRefusals)
		a.Until = f.clock.Now().Add(min(time.Second<<(a.Times-1), maxBackoff))
		_, err = Put(ctx, f.leases, backoffKey(host), Encode(a), revision)
		return err
	})
	if IsConflict(err) { // another run of the same host has just booked
		return nil
	}
	return err
}
