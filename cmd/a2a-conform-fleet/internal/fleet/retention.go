package fleet

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
)

// newRunID returns the name of a run, unlike all others.
func newRunID() string { return strings.ToLower(rand.Text()[:12]) }

// deleteEvidence removes a piece of evidence.
func (f *Fleet) deleteEvidence(ctx context.Context, name string) error {
	return f.conn.Retry(ctx, func(ctx context.Context) error {
		err := f.evidence.Delete(ctx, name)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			return nil
		}
		return err
	})
}

// Tidy removes what is kept no longer, once after each round: whoever comes first does it.
func (f *Fleet) Tidy(ctx context.Context, k Retention) error {
	rounds, err := f.Rounds(ctx)
	if err != nil {
		return err
	}
	for _, r := range slices.Backward(rounds) {
		if r.Finished == nil || r.Tidied {
			continue
		}
		ours := false
		if _, err := f.changeRound(ctx, r.ID, func(r *Round) { ours, r.Tidied = !r.Tidied, true }); errors.Is(err, errNoRound) {
			continue // others tidy at the same time
		} else if err != nil {
			return err
		}
		if ours {
			return f.enforceRetention(ctx, k)
		}
	}
	return nil
}

// enforceRetention removes what is kept no longer: the results of rounds beyond those that are kept, and
// the oldest reports and transcripts beyond what may be kept of them. The last ones that show
// the latest result of a target always stay.
func (f *Fleet) enforceRetention(ctx context.Context, k Retention) error {
	rounds, err := f.Rounds(ctx)
	if err != nil {
		return err
	}
	finished := slices.DeleteFunc(slices.Clone(rounds), func(r Round) bool { return r.Finished == nil })
	old := map[string]bool{}
	if k.Rounds > 0 {
		for _, r := range finished[:max(0, len(finished)-k.Rounds)] {
			old[r.ID] = true
		}
	}
	for id := range old {
		if err := f.dropRound(ctx, id); err != nil {
			return err
		}
	}
	last := map[string]bool{}
	vectors := map[string]bool{}
	// A value that was read before the broker went away may be marked as well: what is marked is kept.
	if err := broker.Scan(ctx, f.conn, f.latest, ">", func() {}, func(target string, l Latest) {
		last[evidenceName(target, l.Evidence)] = true
		vectors[l.Vector] = true
		if l.Earlier != nil {
			vectors[l.Earlier.Vector] = true
		}
	}); err != nil {
		return err
	}
	if len(old) > 0 {
		if err := f.pruneVectors(ctx, vectors); err != nil {
			return err
		}
	}
	var kept []*jetstream.ObjectInfo
	if err := f.conn.RetryEachWithin(ctx, broker.LongRequestTimeout, func(ctx context.Context) (err error) {
		if kept, err = f.evidence.List(ctx); errors.Is(err, jetstream.ErrNoObjectsFound) {
			kept, err = nil, nil
		}
		return err
	}); err != nil {
		return err
	}
	slices.SortFunc(kept, func(a, b *jetstream.ObjectInfo) int { return cmp.Compare(a.ModTime.UnixNano(), b.ModTime.UnixNano()) })
	var size int64
	for _, o := range kept {
		size += int64(o.Size)
	}
	for _, o := range kept {
		_, evidence, _ := strings.Cut(o.Name, ".")
		round, _, _ := strings.Cut(evidence, ".")
		if last[o.Name] || !old[round] && (k.Bytes <= 0 || size <= k.Bytes) {
			continue
		}
		if err := f.deleteEvidence(ctx, o.Name); err != nil {
			return err
		}
		size -= int64(o.Size)
	}
	return nil
}

// dropRound removes a round and its results.
func (f *Fleet) dropRound(ctx context.Context, id string) error {
	for _, kv := range []jetstream.KeyValue{f.results, f.tries} {
		if err := f.conn.RetryEachWithin(ctx, broker.LongRequestTimeout, func(ctx context.Context) error {
			s, err := f.conn.JetStream.Stream(ctx, "KV_"+kv.Bucket())
			if err != nil {
				return err
			}
			return s.Purge(ctx, jetstream.WithPurgeSubject("$KV."+kv.Bucket()+"."+id+".*"))
		}); err != nil {
			return err
		}
	}
	return f.conn.Retry(ctx, func(ctx context.Context) error { return f.rounds.Purge(ctx, roundKey+id) })
}

// pruneVectors removes the vectors that no result of a kept round has.
func (f *Fleet) pruneVectors(ctx context.Context, used map[string]bool) error {
	if err := broker.Scan(ctx, f.conn, f.results, ">", func() {}, func(_ string, r Result) { used[r.Vector] = true }); err != nil {
		return err
	}
	var keys []string
	if err := f.conn.RetryEachWithin(ctx, broker.LongRequestTimeout, func(ctx context.Context) (err error) {
		if keys, err = f.vectors.Keys(ctx); errors.Is(err, jetstream.ErrNoKeysFound) {
			keys, err = nil, nil
		}
		return err
	}); err != nil {
		return err
	}
	for _, key := range keys {
		if used[key] {
			continue
		}
		if err := f.conn.Retry(ctx, func(ctx context.Context) error { return f.vectors.Purge(ctx, key) }); err != nil {
			return err
		}
	}
	return nil
}
