package broker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Get reads a value of a bucket; it is not there if found is false. One that cannot be read counts
// as not there either, and its revision describes what takes its place.
func Get[T Value](ctx context.Context, c *Conn, kv jetstream.KeyValue, key string) (v T, revision uint64, found bool, err error) {
	err = c.Retry(ctx, func(ctx context.Context) error {
		v, revision, found = *new(T), 0, false
		e, err := kv.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		revision = e.Revision()
		v, found = DecodeOrNoteUnreadable[T](c, kv.Bucket(), e)
		return nil
	})
	return v, revision, found, err
}

// DecodeOrNoteUnreadable reads a value, and books one that cannot be read.
func DecodeOrNoteUnreadable[T Value](c *Conn, bucket string, e jetstream.KeyValueEntry) (v T, ok bool) {
	v, err := Decode[T](e.Key(), e.Value(), c.Now())
	if err != nil {
		c.RecordUnreadable(bucket, e.Key(), err)
		return v, false
	}
	c.unreadable.removeValue(bucket, e.Key())
	return v, true
}

// Put stores a value in place of the revision that was read; 0 if nothing was there.
func Put(ctx context.Context, kv jetstream.KeyValue, key string, text []byte, revision uint64) (uint64, error) {
	if revision > 0 {
		return kv.Update(ctx, key, text, revision)
	}
	return kv.Create(ctx, key, text)
}

// What keeps a bucket from being read as a whole; it is read again then.
var (
	errIncomplete = errors.New("the values of a bucket came to an end before all were there")
	errNodeBehind = errors.New("a node of the broker's cluster is behind the others")
)

// ReadAll reads every value of a bucket whose key fits the filter.
func ReadAll[T Value](ctx context.Context, c *Conn, kv jetstream.KeyValue, each func(key string, v T), filter string) error {
	type pair struct {
		key string
		v   T
	}
	var found []pair
	err := Scan(ctx, c, kv, filter, func() { found = found[:0] }, func(key string, v T) { found = append(found, pair{key, v}) })
	if err != nil {
		return err
	}
	for _, p := range found {
		each(p.key, p.v)
	}
	return nil
}

// Scan reads every value of a bucket whose key fits the filter, one at a time, so that no more of
// them is held than each keeps. It begins again if the broker goes away meanwhile.
//
// In a cluster any node may send them, also one that is behind: they are all there if the latest
// one is that the leader has.
func Scan[T Value](ctx context.Context, c *Conn, kv jetstream.KeyValue, filter string, restart func(), each func(key string, v T)) error {
	return c.RetryEachWithin(ctx, scanTimeout, func(ctx context.Context) error {
		restart()
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		watchdog := time.AfterFunc(scanIdleTimeout, func() { cancel(errIncomplete) })
		defer watchdog.Stop()
		stream, prefix := c.streams[kv.Bucket()], "$KV."+kv.Bucket()+"."
		last, err := stream.GetLastMsgForSubject(ctx, prefix+filter)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err == nil {
			err = readStream(ctx, stream, prefix+filter, int(c.nc.MaxPayload()), last.Sequence, func(m jetstream.Msg) {
				watchdog.Reset(scanIdleTimeout)
				key := m.Subject()[len(prefix):]
				if m.Headers().Get(operationHeader) != "" || m.Headers().Get(markerHeader) != "" { // it was deleted
					return
				}
				v, err := Decode[T](key, m.Data(), c.Now())
				if err != nil {
					c.RecordUnreadable(kv.Bucket(), key, err)
					return
				}
				c.unreadable.removeValue(kv.Bucket(), key)
				each(key, v)
			})
		}
		if context.Cause(ctx) == errIncomplete {
			return errIncomplete
		}
		return err
	})
}

// The headers of a message that states that a key was deleted.
const (
	operationHeader = "KV-Operation"
	markerHeader    = "Nats-Marker-Reason"
)

// How much of a bucket is fetched at a time: whoever fills it chooses how large a value is.
const (
	fetchedMessages = 256
	fetchedBytes    = 2 << 20
)

// readStream reads the last message of each subject, up to a sequence at least.
func readStream(ctx context.Context, stream jetstream.Stream, subjects string, largest int, to uint64, each func(jetstream.Msg)) error {
	consumer, err := stream.CreateConsumer(ctx, jetstream.ConsumerConfig{FilterSubject: subjects, DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy,
		AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true, Replicas: 1, InactiveThreshold: 30 * time.Second})
	if err != nil {
		return err
	}
	defer func() {
		RunWithTimeout(context.WithoutCancel(ctx), RequestTimeout, func(ctx context.Context) error { return stream.DeleteConsumer(ctx, consumer.CachedInfo().Name) })
	}()
	if consumer.CachedInfo().NumPending == 0 {
		return errNodeBehind
	}
	got, err := consumer.Messages(jetstream.PullMaxMessagesWithBytesLimit(fetchedMessages, max(fetchedBytes, 2*largest)))
	if err != nil {
		return err
	}
	defer got.Stop()
	at, delivered := uint64(0), uint64(0)
	for {
		m, err := got.Next(jetstream.NextContext(ctx))
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("%w: %w", errIncomplete, err)
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		if delivered++; meta.Sequence.Consumer != delivered { // one was lost on its way
			return errIncomplete
		}
		each(m)
		if at = max(at, meta.Sequence.Stream); meta.NumPending > 0 {
			continue
		}
		if at < to {
			return errNodeBehind
		}
		return nil
	}
}
