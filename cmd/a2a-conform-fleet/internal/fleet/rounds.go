package fleet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
)

// Round is one judging of a list of agents.
type Round struct {
	ID        string    `json:"id"` // a number, with zeros before it
	Began     time.Time `json:"began"`
	Tool      string    `json:"tool"`      // the version that began it
	Catalogue string    `json:"catalogue"` // only workers of this one judge it
	Schedule  string    `json:"schedule,omitempty"`
	Due       uint64    `json:"due,omitempty"` // which of the schedule's calls began it
	Targets   int       `json:"targets"`
	// What it came to, once it is finished.
	Finished *time.Time `json:"finished,omitempty"`
	Results  int        `json:"results,omitempty"`
	Repeated int        `json:"repeated,omitempty"` // conversations that were held again
	GivenUp  int        `json:"givenUp,omitempty"`
	Tidied   bool       `json:"tidied,omitempty"` // what is kept no longer since then was removed
}

// Number returns a round as people read it.
func (r Round) Number() string { return strings.TrimLeft(r.ID, "0") }

const roundKey = "round."

// Rounds lists the rounds, the oldest first.
func (f *Fleet) Rounds(ctx context.Context) (out []Round, err error) {
	byID := map[string]Round{}
	err = broker.Scan(ctx, f.conn, f.rounds, roundKey+"*", func() { clear(byID) }, func(_ string, r Round) {
		if len(byID) < maxRounds {
			byID[r.ID] = r
		}
	})
	for _, r := range byID {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Round) int { return cmp.Compare(a.ID, b.ID) })
	counted := longestSequence(out)
	for _, r := range out {
		if !slices.ContainsFunc(counted, func(c Round) bool { return c.ID == r.ID }) {
			f.conn.RecordUnreadable(f.rounds.Bucket(), roundKey+r.ID, errors.New("its number is far away from those of the other rounds"))
		}
	}
	return counted, err
}

// maxRounds bounds how many rounds are read, and maxRoundGap by how much the number of a round is
// greater than that of the one before: each is the next number, and some are kept no longer.
const (
	maxRounds   = 20_000
	maxRoundGap = 100
)

// longestSequence returns the rounds whose numbers follow each other: of several sequences the longest, and
// of equally long ones the first. Somebody who adds a round with a number far away from them neither
// ends our counting nor becomes the latest round.
func longestSequence(rounds []Round) (longest []Round) {
	from := 0
	for i := range rounds {
		if i > 0 && roundNumberDifference(rounds[i-1].ID, rounds[i].ID) > maxRoundGap {
			from = i
		}
		if i+1-from > len(longest) {
			longest = rounds[from : i+1]
		}
	}
	return longest
}

// roundNumberDifference returns by how much the number of a round is greater than that of another.
func roundNumberDifference(from, to string) int {
	a, _ := strconv.Atoi(from) // both are six digits
	b, _ := strconv.Atoi(to)
	return b - a
}

// findOrCreateOpenRound returns the round that more targets go to: the latest, unless it is finished or of
// another catalogue.
func (f *Fleet) findOrCreateOpenRound(ctx context.Context, toolOfNewRound string) (Round, error) {
	rounds, err := f.Rounds(ctx)
	if err != nil {
		return Round{}, err
	}
	if len(rounds) > 0 {
		last := rounds[len(rounds)-1]
		done, err := f.finishIfDone(ctx, last)
		if err != nil {
			return Round{}, err
		}
		if !done && last.Catalogue == Catalogue() {
			return last, nil
		}
	}
	return f.newRound(ctx, rounds, Round{Tool: toolOfNewRound})
}

// newRound makes the next round. Of several who make one at a time, each gets its own.
func (f *Fleet) newRound(ctx context.Context, rounds []Round, r Round) (Round, error) {
	last := 0
	if len(rounds) > 0 {
		last, _ = strconv.Atoi(rounds[len(rounds)-1].ID)
	}
	r.Began, r.Catalogue = f.conn.Now().UTC().Truncate(time.Millisecond), Catalogue()
	for {
		last++
		if r.ID = fmt.Sprintf("%06d", last); r.ID > lastRound {
			return r, fmt.Errorf("no number is left for a round: the last one is %s", lastRound)
		}
		err := f.conn.Retry(ctx, func(ctx context.Context) error {
			_, err := f.rounds.Create(ctx, roundKey+r.ID, broker.Encode(r))
			return err
		})
		if !broker.IsConflict(err) {
			return r, err
		}
		if made, _, found, err := broker.Get[Round](ctx, f.conn, f.rounds, roundKey+r.ID); err == nil && found && string(broker.Encode(made)) == string(broker.Encode(r)) {
			return made, nil // it was made, and the answer got lost
		}
	}
}

var errNoRound = errors.New("there is no round")

// changeRound changes what is known of a round.
func (f *Fleet) changeRound(ctx context.Context, id string, change func(*Round)) (r Round, err error) {
	for {
		var revision uint64
		var found bool
		if r, revision, found, err = broker.Get[Round](ctx, f.conn, f.rounds, roundKey+id); err != nil {
			return r, err
		}
		if !found {
			return r, fmt.Errorf("%w %s", errNoRound, id)
		}
		change(&r)
		err = f.conn.Retry(ctx, func(ctx context.Context) error {
			_, err := f.rounds.Update(ctx, roundKey+id, broker.Encode(r), revision)
			return err
		})
		if !broker.IsConflict(err) {
			return r, err
		}
	}
}

// hasQueuedTargets reports whether targets of a round are queued or being judged.
func (f *Fleet) hasQueuedTargets(ctx context.Context, r Round) (left bool, err error) {
	err = f.conn.Retry(ctx, func(ctx context.Context) error {
		_, err := f.work.GetLastMsgForSubject(ctx, workSubjects+r.Catalogue+"."+r.ID+".*")
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		left = err == nil
		return err
	})
	return left, err
}

// addingKey returns the key under which a process announces that it adds targets to a round.
func addingKey(round, who string) string { return "adding." + round + "." + who }

// addingTime is for how long that is believed without being stated again.
const addingTime = 30 * time.Second

// putAddingMarker announces once that targets are being added, and keepAddingMarkerFresh repeats it until ctx ends.
func (f *Fleet) putAddingMarker(ctx context.Context, key string) error {
	return f.conn.Retry(ctx, func(ctx context.Context) error {
		_, err := f.rounds.Put(ctx, key, broker.Encode(addingUntil{f.conn.Now().Add(addingTime)}))
		return err
	})
}

func (f *Fleet) keepAddingMarkerFresh(ctx context.Context, key string) {
	broker.Repeat(ctx, addingTime/4, func() { f.putAddingMarker(ctx, key) })
}

func (f *Fleet) hasLiveAddingMarker(ctx context.Context, round string) (is bool, err error) {
	err = broker.ReadAll(ctx, f.conn, f.rounds, func(_ string, until addingUntil) {
		is = is || f.conn.Now().Before(until.Time)
	}, addingKey(round, "*"))
	return is, err
}

// finishIfDone books a round as finished if it is, and reports whether it is.
func (f *Fleet) finishIfDone(ctx context.Context, r Round) (done bool, err error) {
	if r.Finished != nil {
		return true, nil
	}
	adding, err := f.hasLiveAddingMarker(ctx, r.ID)
	if err != nil || adding {
		return false, err
	}
	left, err := f.hasQueuedTargets(ctx, r)
	if err != nil || left {
		return false, err
	}
	var results, repeated, givenUp int
	if err := broker.Scan(ctx, f.conn, f.results, r.ID+".*", func() { results, repeated, givenUp = 0, 0, 0 }, func(_ string, p Result) {
		results++
		repeated += max(0, p.Tries-1)
		if p.GivenUp {
			givenUp++
		}
	}); err != nil {
		return false, err
	}
	if results == 0 && r.Targets == 0 && f.conn.Now().Sub(r.Began) < addingTime { // it has just been made
		return false, nil
	}
	now := f.conn.Now().UTC().Truncate(time.Millisecond)
	_, err = f.changeRound(ctx, r.ID, func(r *Round) {
		if r.Finished == nil {
			r.Finished, r.Results, r.Repeated, r.GivenUp, r.Targets = &now, results, repeated, givenUp, max(r.Targets, results)
		}
	})
	return err == nil, err
}

// Added is the result of queueing a list.
type Added struct {
	Round  Round
	Queued int // targets that were not in the round before
	Known  int // targets that were
}

// queuedTarget is a message of the queue.
type queuedTarget struct {
	Round string          `json:"round"`
	Tool  string          `json:"tool"`
	Entry json.RawMessage `json:"entry"`
}

// Add queues targets for the present round, or for a new one if that is finished. What is
// queued for the round already is not queued again.
func (f *Fleet) Add(ctx context.Context, tool string, targets []agentlist.Target) (a Added, err error) {
	if a.Round, err = f.findOrCreateOpenRound(ctx, tool); err != nil {
		return a, err
	}
	return f.addToRound(ctx, a.Round, targets)
}

// queueBatch is how many targets are queued at once.
const queueBatch = 500

func (f *Fleet) addToRound(ctx context.Context, r Round, targets []agentlist.Target) (a Added, err error) {
	a.Round = r
	// The broker remembers what was queued, but not what has left the queue, once it was started
	// anew.
	judged := map[string]bool{}
	if err := broker.Scan(ctx, f.conn, f.results, r.ID+".*", func() { clear(judged) }, func(key string, _ Result) {
		_, target := splitKey(key)
		judged[target] = true
	}); err != nil {
		return a, err
	}
	fresh := slices.DeleteFunc(slices.Clone(targets), func(t agentlist.Target) bool { return judged[t.ID] })
	a.Known = len(targets) - len(fresh)
	key := addingKey(r.ID, broker.Digest(f.conn.Name()))
	if err := f.putAddingMarker(ctx, key); err != nil {
		return a, err
	}
	fresh, replaced, err := f.dequeueChangedTargets(ctx, r, fresh)
	if err != nil {
		return a, err
	}
	a.Known = len(targets) - len(fresh)
	saying, stop := context.WithCancel(ctx)
	said := make(chan struct{})
	go func() {
		defer close(said)
		f.keepAddingMarkerFresh(saying, key)
	}()
	defer func() { // if ctx has ended too, so that no process waits for this one
		stop()
		<-said
		broker.RunWithTimeout(context.WithoutCancel(ctx), broker.RequestTimeout, func(ctx context.Context) error { return f.rounds.Purge(ctx, key) })
	}()
	for part := range slices.Chunk(fresh, queueBatch) {
		queued, err := f.queueTargets(ctx, r, part)
		a.Queued += queued
		a.Known += len(part) - queued
		if err != nil {
			return a, err
		}
	}
	a.Round, err = f.changeRound(ctx, r.ID, func(r *Round) { r.Targets += a.Queued - replaced })
	return a, err
}

// dequeueChangedTargets takes those targets out of the queue whose entries have changed since, so that the
// new ones take their places, and leaves out those that are queued as they are.
func (f *Fleet) dequeueChangedTargets(ctx context.Context, r Round, targets []agentlist.Target) (fresh []agentlist.Target, replaced int, err error) {
	if more, err := f.hasQueuedTargets(ctx, r); err != nil || !more {
		return targets, 0, err
	}
	for _, t := range targets {
		var queued *jetstream.RawStreamMsg
		err := f.conn.Retry(ctx, func(ctx context.Context) (err error) {
			if queued, err = f.work.GetLastMsgForSubject(ctx, r.queueSubject(t)); errors.Is(err, jetstream.ErrMsgNotFound) {
				queued, err = nil, nil
			}
			return err
		})
		if err != nil {
			return nil, 0, err
		}
		if queued == nil {
			fresh = append(fresh, t)
			continue
		}
		if bytes.Equal(queued.Data, broker.Encode(queuedTarget{r.ID, r.Tool, t.Text})) {
			continue
		}
		err = f.conn.Retry(ctx, func(ctx context.Context) error {
			if err := f.work.DeleteMsg(ctx, queued.Sequence); !errors.Is(err, jetstream.ErrMsgNotFound) && !errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) {
				return err
			}
			return nil // it has just been judged
		})
		if err != nil {
			return nil, 0, err
		}
		fresh = append(fresh, t)
		replaced++
	}
	return fresh, replaced, nil
}

// queueSubject returns the subject of a target in the queue.
func (r Round) queueSubject(t agentlist.Target) string {
	return workSubjects + r.Catalogue + "." + r.ID + "." + t.ID
}

// queueTargets puts targets into the queue, and counts those that were not there.
func (f *Fleet) queueTargets(ctx context.Context, r Round, targets []agentlist.Target) (queued int, err error) {
	acks := make([]jetstream.PubAckFuture, len(targets))
	publish := func(i int) (string, []byte, jetstream.PublishOpt) {
		t := targets[i]
		text := broker.Encode(queuedTarget{r.ID, r.Tool, t.Text})
		return r.queueSubject(t), text, jetstream.WithMsgID(r.ID + "." + t.ID + "." + broker.Digest(string(text)))
	}
	for i := range targets {
		subject, text, id := publish(i)
		acks[i], _ = f.conn.JetStream.PublishAsync(subject, text, id) // one that fails is published again below
	}
	limit := time.After(broker.RequestTimeout)
	for i, a := range acks {
		if a != nil {
			select {
			case ok := <-a.Ok():
				if !ok.Duplicate {
					queued++
				}
				continue
			case <-a.Err():
			case <-limit:
			case <-ctx.Done():
				return queued, ctx.Err()
			}
		}
		subject, text, id := publish(i)
		if err := f.conn.Retry(ctx, func(ctx context.Context) error {
			ok, err := f.conn.JetStream.Publish(ctx, subject, text, id)
			if err == nil && !ok.Duplicate {
				queued++
			}
			return err
		}); err != nil {
			return queued, err
		}
	}
	return queued, nil
}
