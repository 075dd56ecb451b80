package fleet

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Status is what a fleet is doing.
type Status struct {
	Rounds    []RoundStatus `json:"rounds"` // the latest last
	Workers   []Presence    `json:"workers"`
	Schedules []Schedule    `json:"schedules,omitempty"`
	Dead      []DeadLetter  `json:"dead,omitempty"`    // targets that were given up
	Changed   []Change      `json:"changed,omitempty"` // in the last round that has any
	Notes     []string      `json:"notes,omitempty"`
	Stored    int64         `json:"stored"` // bytes that the broker keeps for the fleet
}

// RoundStatus is how far a round is.
type RoundStatus struct {
	Round
	Waiting  int                       `json:"waiting"` // queued or being judged
	Verdicts map[report.RunVerdict]int `json:"verdicts"`
}

// The bounds of what a status lists.
const (
	maxWorkers     = 1000
	maxDeadLetters = 1000
)

// DeadLetter is a target that was given up.
type DeadLetter struct {
	Subject string `json:"subject"`
	Why     string `json:"why"`
}

// Status looks at everything; of the rounds at the latest ones.
func (f *Fleet) Status(ctx context.Context, latest int) (s Status, err error) {
	rounds, err := f.Rounds(ctx)
	if err != nil {
		return s, err
	}
	rounds = rounds[max(0, len(rounds)-latest):]
	for _, r := range rounds {
		one, err := f.countResultsAndQueued(ctx, r)
		if err != nil {
			return s, err
		}
		s.Rounds = append(s.Rounds, one)
	}
	if err := broker.Scan(ctx, f.conn, f.workers, ">", func() { s.Workers = nil }, func(_ string, p Presence) {
		if len(s.Workers) < maxWorkers {
			s.Workers = append(s.Workers, p)
		}
	}); err != nil {
		return s, err
	}
	slices.SortFunc(s.Workers, func(a, b Presence) int { return cmp.Compare(a.Name, b.Name) })
	if s.Schedules, err = f.Schedules(ctx); err != nil {
		return s, err
	}
	if s.Dead, err = f.deadLetters(ctx); err != nil {
		return s, err
	}
	if len(rounds) > 0 {
		if s.Changed, err = f.listChangesByURL(ctx, rounds[len(rounds)-1].ID); err != nil {
			return s, err
		}
	}
	s.Notes = describeRoundsWithoutWorker(s)
	for _, u := range f.conn.Unreadable() {
		s.Notes = append(s.Notes, u.String())
	}
	s.Stored, err = f.countStoredBytes(ctx)
	return s, err
}

// countResultsAndQueued counts what a round came to so far.
func (f *Fleet) countResultsAndQueued(ctx context.Context, r Round) (s RoundStatus, err error) {
	s = RoundStatus{Round: r, Verdicts: map[report.RunVerdict]int{}}
	results, repeated, givenUp := 0, 0, 0
	if err := broker.Scan(ctx, f.conn, f.results, r.ID+".*", func() {
		clear(s.Verdicts)
		results, repeated, givenUp = 0, 0, 0
	}, func(_ string, p Result) {
		s.Verdicts[p.Verdict]++
		results++
		repeated += max(0, p.Tries-1)
		if p.GivenUp {
			givenUp++
		}
	}); err != nil {
		return s, err
	}
	s.Results, s.Repeated, s.GivenUp = results, repeated, givenUp
	if r.Finished == nil {
		s.Waiting, err = f.countQueuedTargets(ctx, r)
	}
	return s, err
}

// countQueuedTargets counts the targets of a round that are queued or being judged.
func (f *Fleet) countQueuedTargets(ctx context.Context, r Round) (int, error) {
	subjects, err := f.queuedSubjects(ctx, r)
	return len(subjects), err
}

// queuedSubjects returns the subjects of the targets of a round that are queued or being judged.
func (f *Fleet) queuedSubjects(ctx context.Context, r Round) (subjects map[string]uint64, err error) {
	err = f.conn.RetryEachWithin(ctx, broker.LongRequestTimeout, func(ctx context.Context) error {
		info, err := f.work.Info(ctx, jetstream.WithSubjectFilter(workSubjects+r.Catalogue+"."+r.ID+".*"))
		if err == nil {
			subjects = info.State.Subjects
		}
		return err
	})
	return subjects, err
}

// deadLetters lists what was given up, as far as it is kept.
func (f *Fleet) deadLetters(ctx context.Context) (out []DeadLetter, err error) {
	err = f.conn.RetryEachWithin(ctx, broker.LongRequestTimeout, func(ctx context.Context) error {
		out = nil
		info, err := f.dead.Info(ctx, jetstream.WithSubjectFilter(deadSubjects+">"))
		if err != nil {
			return err
		}
		for subject := range info.State.Subjects {
			if len(out) == maxDeadLetters {
				break
			}
			m, err := f.dead.GetLastMsgForSubject(ctx, subject)
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			name := strings.TrimPrefix(subject, deadSubjects)
			l, err := broker.Decode[deadLetterRecord](name, m.Data, f.conn.Now())
			if err != nil {
				f.conn.RecordUnreadable(deadStream, name, err)
				continue
			}
			out = append(out, DeadLetter{name, l.Why})
		}
		slices.SortFunc(out, func(a, b DeadLetter) int { return cmp.Compare(a.Subject, b.Subject) })
		return nil
	})
	return out, err
}

// listChangesByURL lists the agents whose results in a round are others than in the one before.
func (f *Fleet) listChangesByURL(ctx context.Context, round string) (out []Change, err error) {
	held := 0
	err = broker.Scan(ctx, f.conn, f.results, round+".*", func() { out, held = nil, 0 }, func(key string, r Result) {
		if !r.Changed || r.Details == nil {
			return
		}
		if held += r.Details.memorySize(); held > maxDetailBytes {
			r.Details.Changes = nil
		}
		_, target := splitKey(key)
		out = append(out, Change{target, round, r.Details.Name, r.Details.URL, r.Details.Dialect, r.Details.Before, r.Verdict, r.Details.Changes, r.Details.Reason})
	})
	slices.SortFunc(out, func(a, b Change) int { return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Dialect, b.Dialect)) })
	return out, err
}

// describeRoundsWithoutWorker describes what an operator should look after.
func describeRoundsWithoutWorker(s Status) (notes []string) {
	for _, r := range s.Rounds {
		if r.Finished != nil || r.Waiting == 0 {
			continue
		}
		if !slices.ContainsFunc(s.Workers, func(p Presence) bool { return p.Catalogue == r.Catalogue }) {
			notes = append(notes, "round "+r.Number()+" waits for a worker of a2a-conform "+r.Tool+": none is at work")
		}
	}
	return notes
}

// countStoredBytes returns how many bytes the broker keeps for the fleet.
func (f *Fleet) countStoredBytes(ctx context.Context) (n int64, err error) {
	err = f.conn.Retry(ctx, func(ctx context.Context) error {
		n = 0
		lister := f.conn.JetStream.ListStreams(ctx)
		for info := range lister.Info() {
			if strings.HasPrefix(info.Config.Name, "A2A_FLEET_") || strings.HasPrefix(info.Config.Name, "KV_a2a-fleet-") || strings.HasPrefix(info.Config.Name, "OBJ_a2a-fleet-") {
				n += int64(info.State.Bytes)
			}
		}
		return lister.Err()
	})
	return n, err
}
