package fleet

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/nats-io/nats.go/jetstream"
)

// Status is what a fleet is doing.
type Status struct {
	Rounds    []RoundStatus `json:"rounds"` // the latest last
	Workers   []Presence    `json:"workers"`
	Schedules []Schedule    `json:"schedules,omitempty"`
	Dead      []Dead        `json:"dead,omitempty"`    // targets that were given up
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
	mostWorkers = 1000
	mostDead    = 1000
)

// Dead is a target that was given up.
type Dead struct {
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
		one, err := f.progress(ctx, r)
		if err != nil {
			return s, err
		}
		s.Rounds = append(s.Rounds, one)
	}
	if err := scan(ctx, f, f.workers, ">", func() { s.Workers = nil }, func(_ string, p Presence) {
		if len(s.Workers) < mostWorkers {
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
		if s.Changed, err = f.changedIn(ctx, rounds[len(rounds)-1].ID); err != nil {
			return s, err
		}
	}
	s.Notes = notesOn(s)
	for _, u := range f.Unreadable() {
		s.Notes = append(s.Notes, u.String())
	}
	s.Stored, err = f.stored(ctx)
	return s, err
}

// progress counts what a round came to so far.
func (f *Fleet) progress(ctx context.Context, r Round) (s RoundStatus, err error) {
	s = RoundStatus{Round: r, Verdicts: map[report.RunVerdict]int{}}
	results, repeated, givenUp := 0, 0, 0
	if err := scan(ctx, f, f.results, r.ID+".*", func() {
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
		s.Waiting, err = f.waiting(ctx, r)
	}
	return s, err
}

// waiting counts the targets of a round that are queued or being judged.
func (f *Fleet) waiting(ctx context.Context, r Round) (int, error) {
	subjects, err := f.queued(ctx, r)
	return len(subjects), err
}

// queued are the subjects of the targets of a round that are queued or being judged.
func (f *Fleet) queued(ctx context.Context, r Round) (subjects map[string]uint64, err error) {
	err = f.untilWithin(ctx, patient, func(ctx context.Context) error {
		info, err := f.work.Info(ctx, jetstream.WithSubjectFilter(workSubjects+r.Catalogue+"."+r.ID+".*"))
		if err == nil {
			subjects = info.State.Subjects
		}
		return err
	})
	return subjects, err
}

// deadLetters lists what was given up, as far as it is kept.
func (f *Fleet) deadLetters(ctx context.Context) (out []Dead, err error) {
	err = f.untilWithin(ctx, patient, func(ctx context.Context) error {
		out = nil
		info, err := f.dead.Info(ctx, jetstream.WithSubjectFilter(deadSubjects+">"))
		if err != nil {
			return err
		}
		for subject := range info.State.Subjects {
			if len(out) == mostDead {
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
			l, err := decodeStored[letter](name, m.Data, f.clock.now())
			if err != nil {
				f.noteUnreadable(deadStream, name, err)
				continue
			}
			out = append(out, Dead{name, l.Why})
		}
		slices.SortFunc(out, func(a, b Dead) int { return cmp.Compare(a.Subject, b.Subject) })
		return nil
	})
	return out, err
}

// changedIn lists the agents whose results in a round are others than in the one before.
func (f *Fleet) changedIn(ctx context.Context, round string) (out []Change, err error) {
	held := 0
	err = scan(ctx, f, f.results, round+".*", func() { out, held = nil, 0 }, func(key string, r Result) {
		if !r.Changed || r.Full == nil {
			return
		}
		if held += r.Full.size(); held > mostHeld {
			r.Full.Changes = nil
		}
		_, target := splitKey(key)
		out = append(out, Change{target, round, r.Full.Name, r.Full.URL, r.Full.Dialect, r.Full.Before, r.Verdict, r.Full.Changes, r.Full.Reason})
	})
	slices.SortFunc(out, func(a, b Change) int { return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Dialect, b.Dialect)) })
	return out, err
}

// notesOn says what an operator should look after.
func notesOn(s Status) (notes []string) {
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

// stored is how many bytes the broker keeps for the fleet.
func (f *Fleet) stored(ctx context.Context) (n int64, err error) {
	err = f.until(ctx, func(ctx context.Context) error {
		n = 0
		lister := f.js.ListStreams(ctx)
		for info := range lister.Info() {
			if strings.HasPrefix(info.Config.Name, "A2A_FLEET_") || strings.HasPrefix(info.Config.Name, "KV_a2a-fleet-") || strings.HasPrefix(info.Config.Name, "OBJ_a2a-fleet-") {
				n += int64(info.State.Bytes)
			}
		}
		return lister.Err()
	})
	return n, err
}
