// Package fleet judges many agents, every night. Its queue, its leases and its results are in
// NATS JetStream, embedded or a cluster that exists: there is no queue, scheduler or store of
// our own. Workers take targets from the queue, judge each as a single run does, and keep one
// result for each target and round, however often a worker or the broker dies.
//
// The messages in the queue may come from anybody who can reach the broker. So a worker alone
// decides what an entry may ask for: secrets, networks, risks, webhooks (Allowance).
package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/semaphore"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Fleet is the queue, the rounds and the results of a fleet, in the streams and buckets of a broker.
type Fleet struct {
	conn *broker.Conn

	work, dead, changes jetstream.Stream

	rounds, results, latest, vectors, tries, workers jetstream.KeyValue
	evidence, lists                                  jetstream.ObjectStore

	leases     *hostLeases
	replicas   int                 // as the operator asked for; 0 for as it is
	pageMemory *semaphore.Weighted // the bytes of reports and transcripts that are read at the same time
}

// Connect connects to the broker, waits for as long as it is away, and finds or makes the streams
// and buckets of a fleet.
func Connect(ctx context.Context, d broker.ConnectOptions) (*Fleet, error) {
	c, err := broker.Connect(ctx, d)
	if err != nil {
		return nil, err
	}
	f := &Fleet{conn: c, pageMemory: semaphore.NewWeighted(maxPageMemory)}
	if err = f.openOrCreateStorage(ctx, d.Replicas); err == nil {
		err = c.SyncClock(ctx, f.leases.bucket)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return f, nil
}

// Close ends the connection.
func (f *Fleet) Close() { f.conn.Close() }

// The names of what a fleet keeps at its broker.
const (
	workStream      = "A2A_FLEET_WORK"
	deadStream      = "A2A_FLEET_DEAD"
	changesStream   = "A2A_FLEET_CHANGES"
	schedulesStream = "A2A_FLEET_SCHEDULES"

	evidenceStore = "a2a-fleet-evidence"
	listsStore    = "a2a-fleet-lists"

	workSubjects     = "a2a.fleet.work."     // CATALOGUE.ROUND.TARGET
	deadSubjects     = "a2a.fleet.dead."     // ROUND.TARGET
	scheduleSubjects = "a2a.fleet.schedule." // NAME
	dueSubjects      = "a2a.fleet.due."      // NAME

	// ChangedSubject is the subject on which changes of an agent's results are published.
	ChangedSubject = "a2a.verdict.changed"
)

// dedupWindow is how long the broker knows that a target was queued for a round.
const dedupWindow = 48 * time.Hour

// changeRetention is how long a published change can be read.
const changeRetention = 30 * 24 * time.Hour

// openOrCreateStorage finds the streams and buckets of a fleet, and makes those that are missing. With
// replicas of 0 those that exist are left as they are.
func (f *Fleet) openOrCreateStorage(ctx context.Context, replicas int) error {
	f.replicas = replicas
	f.leases = &hostLeases{conn: f.conn}
	streams := []struct {
		at  *jetstream.Stream
		cfg jetstream.StreamConfig
	}{
		{&f.work, jetstream.StreamConfig{Name: workStream, Description: "targets that wait or are being judged", Subjects: []string{workSubjects + ">"},
			Retention: jetstream.WorkQueuePolicy, MaxMsgSize: agentlist.MaxEntryBytes + 4<<10, Duplicates: dedupWindow}},
		{&f.dead, jetstream.StreamConfig{Name: deadStream, Description: "targets that were given up", Subjects: []string{deadSubjects + ">"},
			MaxMsgsPerSubject: 1, MaxMsgSize: agentlist.MaxEntryBytes + 4<<10, MaxAge: changeRetention}},
		{&f.changes, jetstream.StreamConfig{Name: changesStream, Description: "changes of results", Subjects: []string{ChangedSubject},
			MaxAge: changeRetention, Duplicates: dedupWindow}},
	}
	for _, s := range streams {
		if err := f.conn.Retry(ctx, func(ctx context.Context) (err error) {
			*s.at, err = f.conn.CreateOrUpdateStream(ctx, s.cfg, replicas)
			return err
		}); err != nil {
			return fmt.Errorf("the stream %s: %w", s.cfg.Name, err)
		}
	}
	buckets := []struct {
		at          *jetstream.KeyValue
		name, about string
		ttl         time.Duration
	}{
		{&f.rounds, "a2a-fleet-rounds", "rounds", 0},
		{&f.results, "a2a-fleet-results", "one result for each round and target", 0},
		{&f.latest, "a2a-fleet-latest", "the latest result of each target, in full", 0},
		{&f.vectors, "a2a-fleet-vectors", "verdicts of all requirements, by digest", 0},
		{&f.tries, "a2a-fleet-tries", "conversations that were begun, by round and target", changeRetention},
		{&f.leases.bucket, "a2a-fleet-leases", "who calls which host, and when the next call may come", 6 * time.Hour},
		{&f.workers, "a2a-fleet-workers", "workers and what they do", time.Minute},
	}
	for _, b := range buckets {
		if err := f.conn.Retry(ctx, func(ctx context.Context) (err error) {
			*b.at, err = f.conn.OpenOrCreateBucket(ctx, b.name, b.about, b.ttl, replicas)
			return err
		}); err != nil {
			return fmt.Errorf("the bucket %s: %w", b.name, err)
		}
	}
	objects := []struct {
		at  *jetstream.ObjectStore
		cfg jetstream.ObjectStoreConfig
	}{
		{&f.evidence, jetstream.ObjectStoreConfig{Bucket: evidenceStore, Description: "reports and transcripts"}},
		{&f.lists, jetstream.ObjectStoreConfig{Bucket: listsStore, Description: "lists of agents that are judged by a schedule"}},
	}
	for _, o := range objects {
		if err := f.conn.Retry(ctx, func(ctx context.Context) (err error) {
			*o.at, err = f.conn.OpenOrCreateObjectStore(ctx, o.cfg, replicas)
			return err
		}); err != nil {
			return fmt.Errorf("the object store %s: %w", o.cfg.Bucket, err)
		}
	}
	return nil
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
