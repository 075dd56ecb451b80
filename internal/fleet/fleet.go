// Package fleet judges many agents, every night. Its queue, its leases and its results are in
// NATS JetStream, embedded or a cluster that exists: there is no queue, scheduler or store of
// our own. Workers take targets from the queue, judge each as a single run does, and keep one
// result for each target and round, however often a worker or the broker dies.
//
// What stands in the queue may come from anybody who can reach the broker. So a worker alone
// decides what an entry may ask for: secrets, networks, risks, webhooks (Allowance).
package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/a2a-conform/a2a-conform/schema"
)

// Fleet is a connection to the broker of a fleet, with its streams and buckets.
type Fleet struct {
	nc  *nats.Conn
	js  jetstream.JetStream
	say func(string)

	work, dead, changes jetstream.Stream

	rounds, results, latest, vectors, tries, leases, workers jetstream.KeyValue
	evidence, lists                                          jetstream.ObjectStore

	clock  clock
	held   heldBack
	starts sync.Map // the local turns at places that several workers pace together
}

// Close ends the connection.
func (f *Fleet) Close() { f.nc.Close() }

// The names of what a fleet keeps at its broker.
const (
	workStream      = "A2A_FLEET_WORK"
	deadStream      = "A2A_FLEET_DEAD"
	changesStream   = "A2A_FLEET_CHANGES"
	schedulesStream = "A2A_FLEET_SCHEDULES"

	workSubjects     = "a2a.fleet.work."     // CATALOGUE.ROUND.TARGET
	deadSubjects     = "a2a.fleet.dead."     // ROUND.TARGET
	scheduleSubjects = "a2a.fleet.schedule." // NAME
	dueSubjects      = "a2a.fleet.due."      // NAME

	// ChangedSubject is where a change of an agent's results is published.
	ChangedSubject = "a2a.verdict.changed"
)

// maxEntry bounds an entry of the queue, in bytes.
const maxEntry = 64 << 10

// remembered is how long the broker knows that a target was queued for a round.
const remembered = 48 * time.Hour

// changesKept is how long a published change can be read.
const changesKept = 30 * 24 * time.Hour

// open finds the streams and buckets of a fleet, and makes those that are missing. With
// replicas of 0 those that exist are left as they are.
func (f *Fleet) open(ctx context.Context, replicas int) error {
	streams := []struct {
		at  *jetstream.Stream
		cfg jetstream.StreamConfig
	}{
		{&f.work, jetstream.StreamConfig{Name: workStream, Description: "targets that wait or are being judged", Subjects: []string{workSubjects + ">"},
			Retention: jetstream.WorkQueuePolicy, MaxMsgSize: maxEntry + 4<<10, Duplicates: remembered}},
		{&f.dead, jetstream.StreamConfig{Name: deadStream, Description: "targets that were given up", Subjects: []string{deadSubjects + ">"},
			MaxMsgsPerSubject: 1, MaxMsgSize: maxEntry + 4<<10, MaxAge: changesKept}},
		{&f.changes, jetstream.StreamConfig{Name: changesStream, Description: "changes of results", Subjects: []string{ChangedSubject},
			MaxAge: changesKept, Duplicates: remembered}},
	}
	for _, s := range streams {
		s.cfg.AllowDirect = true
		if err := f.until(ctx, func(ctx context.Context) (err error) {
			*s.at, err = f.stream(ctx, s.cfg, replicas)
			return err
		}); err != nil {
			return fmt.Errorf("the stream %s: %w", s.cfg.Name, err)
		}
	}
	buckets := []struct {
		at  *jetstream.KeyValue
		cfg jetstream.KeyValueConfig
	}{
		{&f.rounds, jetstream.KeyValueConfig{Bucket: "a2a-fleet-rounds", Description: "rounds"}},
		{&f.results, jetstream.KeyValueConfig{Bucket: "a2a-fleet-results", Description: "one result for each round and target"}},
		{&f.latest, jetstream.KeyValueConfig{Bucket: "a2a-fleet-latest", Description: "the latest result of each target, in full"}},
		{&f.vectors, jetstream.KeyValueConfig{Bucket: "a2a-fleet-vectors", Description: "verdicts of all requirements, by digest"}},
		{&f.tries, jetstream.KeyValueConfig{Bucket: "a2a-fleet-tries", Description: "conversations that were begun, by round and target", TTL: changesKept}},
		{&f.leases, jetstream.KeyValueConfig{Bucket: "a2a-fleet-leases", Description: "who calls which host, and when the next call may come", TTL: 6 * time.Hour}},
		{&f.workers, jetstream.KeyValueConfig{Bucket: "a2a-fleet-workers", Description: "workers and what they do", TTL: time.Minute}},
	}
	for _, b := range buckets {
		if err := f.until(ctx, func(ctx context.Context) (err error) {
			*b.at, err = f.bucket(ctx, b.cfg, replicas)
			return err
		}); err != nil {
			return fmt.Errorf("the bucket %s: %w", b.cfg.Bucket, err)
		}
	}
	objects := []struct {
		at  *jetstream.ObjectStore
		cfg jetstream.ObjectStoreConfig
	}{
		{&f.evidence, jetstream.ObjectStoreConfig{Bucket: "a2a-fleet-evidence", Description: "reports and transcripts"}},
		{&f.lists, jetstream.ObjectStoreConfig{Bucket: "a2a-fleet-lists", Description: "lists of agents that are judged by a schedule"}},
	}
	for _, o := range objects {
		if err := f.until(ctx, func(ctx context.Context) (err error) {
			*o.at, err = f.store(ctx, o.cfg, replicas)
			return err
		}); err != nil {
			return fmt.Errorf("the object store %s: %w", o.cfg.Bucket, err)
		}
	}
	return nil
}

func (f *Fleet) stream(ctx context.Context, cfg jetstream.StreamConfig, replicas int) (jetstream.Stream, error) {
	if replicas == 0 {
		if s, err := f.js.Stream(ctx, cfg.Name); err == nil || !errors.Is(err, jetstream.ErrStreamNotFound) {
			return s, err
		}
	}
	cfg.Replicas = max(replicas, 1)
	return f.js.CreateOrUpdateStream(ctx, cfg)
}

func (f *Fleet) bucket(ctx context.Context, cfg jetstream.KeyValueConfig, replicas int) (jetstream.KeyValue, error) {
	if replicas == 0 {
		if kv, err := f.js.KeyValue(ctx, cfg.Bucket); err == nil || !errors.Is(err, jetstream.ErrBucketNotFound) {
			return kv, err
		}
	}
	cfg.Replicas = max(replicas, 1)
	return f.js.CreateOrUpdateKeyValue(ctx, cfg)
}

func (f *Fleet) store(ctx context.Context, cfg jetstream.ObjectStoreConfig, replicas int) (jetstream.ObjectStore, error) {
	if replicas == 0 {
		if o, err := f.js.ObjectStore(ctx, cfg.Bucket); err == nil || !errors.Is(err, jetstream.ErrBucketNotFound) {
			return o, err
		}
	}
	cfg.Replicas = max(replicas, 1)
	return f.js.CreateOrUpdateObjectStore(ctx, cfg)
}

// Catalogue is a digest of all that this program judges by: workers of another one judge
// otherwise, and leave its rounds alone.
var Catalogue = sync.OnceValue(func() string {
	names := schema.Names()
	slices.Sort(names)
	h := sha256.New()
	for _, name := range names {
		d, err := schema.Outline(name)
		if err != nil {
			panic(fmt.Sprintf("the catalogue %s cannot be read: %v", name, err))
		}
		fmt.Fprintln(h, name, d.Digest)
	}
	fmt.Fprintln(h, schema.Changes().Latest())
	return hex.EncodeToString(h.Sum(nil))[:12]
})

// digest is a short name for a text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:16]
}

// encode is a value as it is kept; what we keep can always be encoded.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// get reads a value of a bucket; it is not there where found is false.
func get[T any](ctx context.Context, f *Fleet, kv jetstream.KeyValue, key string) (v T, revision uint64, found bool, err error) {
	err = f.until(ctx, func(ctx context.Context) error {
		e, err := kv.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := json.Unmarshal(e.Value(), &v); err != nil {
			return fmt.Errorf("what the broker keeps as %s cannot be read: %w", strings.TrimSpace(key), err)
		}
		revision, found = e.Revision(), true
		return nil
	})
	return v, revision, found, err
}

// all reads every value of a bucket whose key fits one of the filters.
func all[T any](ctx context.Context, f *Fleet, kv jetstream.KeyValue, each func(key string, v T), filters ...string) error {
	type pair struct {
		key string
		v   T
	}
	var found []pair
	if err := f.untilWithin(ctx, patient, func(ctx context.Context) error {
		found = found[:0]
		w, err := kv.WatchFiltered(ctx, filters, jetstream.IgnoreDeletes())
		if err != nil {
			return err
		}
		defer w.Stop()
		for {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case e := <-w.Updates():
				if e == nil {
					return nil
				}
				var v T
				if json.Unmarshal(e.Value(), &v) == nil {
					found = append(found, pair{e.Key(), v})
				}
			}
		}
	}); err != nil {
		return err
	}
	for _, p := range found {
		each(p.key, p.v)
	}
	return nil
}
