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

// startsKey is the key by which all starts of runs are paced.
const startsKey = "turn.starts"

func turnKey(host string) string { return "turn." + broker.Digest(host) }

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
// each at a time of its own. With a rate of 0 no one waits.
func (h *hostLeases) waitTurn(ctx context.Context, key string, perSecond float64) error {
	if perSecond <= 0 {
		return nil
	}
	for missed := 0; ; missed++ {
		at, err := h.reserveTurn(ctx, key, time.Duration(float64(time.Second)/(rateShare*perSecond)))
		if err != nil {
			return err
		}
		timer := time.NewTimer(at.Sub(h.conn.Now()))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
		if h.conn.Now().Sub(at) <= maxLateness || missed == maxMissedTurns {
			return nil
		}
	}
}

// reserveTurn takes the next free time of a place. Of one worker one at a time asks for it.
func (h *hostLeases) reserveTurn(ctx context.Context, key string, apart time.Duration) (at time.Time, err error) {
	mine, _ := h.turnLocks.LoadOrStore(key, &sync.Mutex{})
	mine.(*sync.Mutex).Lock()
	defer mine.(*sync.Mutex).Unlock()
	for {
		err = h.conn.Retry(ctx, func(ctx context.Context) error {
			at = h.conn.Now()
			e, err := h.bucket.Get(ctx, key)
			if errors.Is(err, jetstream.ErrKeyNotFound) {
				_, err = h.bucket.Create(ctx, key, broker.Encode(at.Add(apart)))
				return err
			}
			if err != nil {
				return err
			}
			if next, ok := broker.DecodeOrNoteUnreadable[turnTime](h.conn, h.bucket.Bucket(), e); ok && next.After(at) {
				if longestTurn := max(maxBackoff, maxTurnsAhead*apart); next.Sub(at) > longestTurn {
					h.conn.RecordUnreadable(h.bucket.Bucket(), key, fmt.Errorf("the next turn is %s, and at most %v from now are believed", next.Format(time.RFC3339), longestTurn))
				} else {
					at = next.Time
				}
			}
			_, err = h.bucket.Update(ctx, key, broker.Encode(at.Add(apart)), e.Revision())
			return err
		})
		if !broker.IsConflict(err) {
			return at, err
		}
	}
}

// hostBackoff is how long a host is left alone after it refused everything.
type hostBackoff struct {
	Until time.Time `json:"until"`
	Times int       `json:"times"` // in a row
}

// maxBackoff is the longest time that a host is left alone, and maxRefusals how often in a row counts.
const (
	maxBackoff  = time.Minute
	maxRefusals = 16
)

func backoffKey(host string) string { return "away." + broker.Digest(host) }

// remainingBackoff returns for how long a host is still left alone.
func (h *hostLeases) remainingBackoff(ctx context.Context, host string) (time.Duration, error) {
	a, _, found, err := broker.Get[hostBackoff](ctx, h.conn, h.bucket, backoffKey(host))
	if err != nil || !found {
		return 0, err
	}
	return a.Until.Sub(h.conn.Now()), nil
}

// updateBackoff books how a host answered a whole run: one that refuses everything is left alone
// for longer each time.
func (h *hostLeases) updateBackoff(ctx context.Context, host string, refusedAll bool) error {
	a, revision, found, err := broker.Get[hostBackoff](ctx, h.conn, h.bucket, backoffKey(host))
	if err != nil || !refusedAll && !found {
		return err
	}
	err = h.conn.Retry(ctx, func(ctx context.Context) (err error) {
		if !refusedAll {
			return h.bucket.Delete(ctx, backoffKey(host))
		}
		a.Times = min(a.Times+1, maxRefusals)
		a.Until = h.conn.Now().Add(min(time.Second<<(a.Times-1), maxBackoff))
		_, err = broker.Put(ctx, h.bucket, backoffKey(host), broker.Encode(a), revision)
		return err
	})
	if broker.IsConflict(err) { // another run of the same host has just booked
		return nil
	}
	return err
}
