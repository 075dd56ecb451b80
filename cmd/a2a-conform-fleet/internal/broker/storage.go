package broker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// CreateOrUpdateStream finds or makes a stream. With replicas of 0 one that exists is left as it is, and a
// new one gets as many replicas as the first stream of the connection. No stream allows direct
// answers: any node of a cluster gives them, even one that is behind the others and reports that
// a value that was just stored does not exist.
func (c *Conn) CreateOrUpdateStream(ctx context.Context, cfg jetstream.StreamConfig, replicasOrZeroToKeep int) (jetstream.Stream, error) {
	if replicasOrZeroToKeep == 0 {
		if s, err := c.JetStream.Stream(ctx, cfg.Name); err == nil || !errors.Is(err, jetstream.ErrStreamNotFound) {
			c.rememberFirstStream(s, err)
			return s, err
		}
	}
	if replicasOrZeroToKeep == 0 && c.first != nil {
		replicasOrZeroToKeep = c.first.CachedInfo().Config.Replicas
	}
	cfg.Replicas = max(replicasOrZeroToKeep, 1)
	s, err := c.JetStream.CreateOrUpdateStream(ctx, cfg)
	c.rememberFirstStream(s, err)
	return s, err
}

// rememberFirstStream keeps the first stream that was opened: it decides the replicas of later ones.
func (c *Conn) rememberFirstStream(s jetstream.Stream, err error) {
	if err == nil && c.first == nil {
		c.first = s
	}
}

// OpenOrCreateBucket finds or makes a bucket as the library does, but without direct answers.
func (c *Conn) OpenOrCreateBucket(ctx context.Context, name, about string, ttl time.Duration, replicas int) (jetstream.KeyValue, error) {
	s, err := c.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "KV_" + name, Description: about, Subjects: []string{"$KV." + name + ".>"},
		MaxMsgsPerSubject: 1, MaxAge: ttl, AllowRollup: true, DenyDelete: true, Discard: jetstream.DiscardNew}, replicas)
	if err != nil {
		return nil, err
	}
	c.streams[name] = s
	return c.JetStream.KeyValue(ctx, name)
}

// OpenOrCreateObjectStore finds or makes an object store. With replicas of 0 one that exists is left as it
// is.
func (c *Conn) OpenOrCreateObjectStore(ctx context.Context, cfg jetstream.ObjectStoreConfig, replicas int) (jetstream.ObjectStore, error) {
	if replicas == 0 {
		if o, err := c.JetStream.ObjectStore(ctx, cfg.Bucket); err == nil || !errors.Is(err, jetstream.ErrBucketNotFound) {
			return o, err
		}
	}
	cfg.Replicas = max(replicas, 1)
	return c.JetStream.CreateOrUpdateObjectStore(ctx, cfg)
}

// ErrUnreadableObject is that what is kept of a run is not what this program keeps.
var ErrUnreadableObject = errors.New("the evidence cannot be read")

// ReadObject reads an object of a store. What the store states about its size is not believed. An object
// that is too large, or damaged, is an error that would come again.
func ReadObject(ctx context.Context, store jetstream.ObjectStore, name string, most int) ([]byte, error) {
	info, err := store.GetInfo(ctx, name)
	if err != nil {
		return nil, err
	}
	if info.Size > uint64(most) {
		return nil, fmt.Errorf("%w: it has %d bytes; at most %d are read", ErrUnreadableObject, info.Size, most)
	}
	if info.Opts != nil && info.Opts.Link != nil {
		return nil, fmt.Errorf("%w: it is a link to something else", ErrUnreadableObject)
	}
	r, err := store.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if len(text) > most {
		return nil, fmt.Errorf("%w: it has more than %d bytes", ErrUnreadableObject, most)
	}
	if errors.Is(err, jetstream.ErrDigestMismatch) {
		return nil, fmt.Errorf("%w: %w", ErrUnreadableObject, err)
	}
	return text, err
}
