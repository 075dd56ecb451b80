package broker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// RequestTimeout bounds one question to the broker, LongRequestTimeout one whose answer is long. If the node
// that was asked dies, no one answers: the question is asked again when its time is over.
const (
	RequestTimeout     = 5 * time.Second
	LongRequestTimeout = 20 * time.Second
)

// scanTimeout bounds the reading of a bucket as a whole, and scanIdleTimeout the time in which nothing of it
// comes.
const (
	scanTimeout     = 10 * time.Minute
	scanIdleTimeout = 10 * time.Second
)

// UploadTimeout bounds the storing of so many bytes. It is no longer than it needs to be: if the
// broker dies meanwhile, no one reports.
func UploadTimeout(bytes int) time.Duration {
	return RequestTimeout + time.Duration(bytes/100_000)*time.Second
}

// Retry asks the broker until it answers: a broker that restarts, elects a leader or has no
// room loses nothing of ours. An answer that will be the same next time ends it.
func (c *Conn) Retry(ctx context.Context, do func(context.Context) error) error {
	return c.RetryEachWithin(ctx, RequestTimeout, do)
}

func (c *Conn) RetryEachWithin(ctx context.Context, perTry time.Duration, do func(context.Context) error) error {
	pause := 20 * time.Millisecond
	lacks := false // room at the broker
	defer func() {
		if lacks {
			c.outages.leaveStorageWaitReportLast(c.log)
		}
	}()
	for {
		err := RunWithTimeout(ctx, perTry, do)
		if err == nil {
			c.outages.reportRecovery(c.log)
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if isPermanent(err) || c.nc.IsClosed() {
			return err
		}
		if last := c.nc.LastError(); errors.Is(last, nats.ErrPermissionViolation) {
			return fmt.Errorf("the credentials do not allow what a fleet does: %w", last)
		}
		if isStorageFull(err) {
			c.outages.reportStorageFullAtIntervals(err, !lacks, c.log)
			lacks = true
		} else {
			c.outages.reportLastingFailure(err, c.log)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, 2*time.Second)
	}
}

func RunWithTimeout(ctx context.Context, limit time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return do(ctx)
}

// permanentErrors are errors that are about the request, and not about the broker.
var permanentErrors = []error{
	jetstream.ErrKeyNotFound, jetstream.ErrKeyDeleted, jetstream.ErrKeyExists, jetstream.ErrObjectNotFound, jetstream.ErrMsgNotFound,
	jetstream.ErrInvalidKey, jetstream.ErrBucketNotFound, jetstream.ErrStreamNotFound, jetstream.ErrNoKeysFound, jetstream.ErrInvalidOption,
	nats.ErrMaxPayload, nats.ErrAuthorization, nats.ErrPermissionViolation, nats.ErrBadSubject,
}

// isPermanent reports whether an error would come again.
func isPermanent(err error) bool {
	for _, a := range permanentErrors {
		if errors.Is(err, a) {
			return true
		}
	}
	if IsConflict(err) {
		return true
	}
	if errors.Is(err, errIncomplete) || errors.Is(err, errNodeBehind) {
		return false
	}
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, nats.ErrTimeout) && !errors.Is(err, nats.ErrNoResponders) &&
			!errors.Is(err, nats.ErrDisconnected) && !errors.Is(err, nats.ErrConnectionReconnecting) && !errors.Is(err, nats.ErrReconnectBufExceeded) &&
			!errors.Is(err, jetstream.ErrNoStreamResponse) && !errors.Is(err, jetstream.ErrJetStreamNotEnabled) && !errors.Is(err, jetstream.ErrNoHeartbeat) &&
			!errors.Is(err, jetstream.ErrConsumerDeleted) && !errors.Is(err, jetstream.ErrServerShutdown)
	}
	return api.Code < 500 && !isStorageFull(err) || api.ErrorCode == codeNotClustered
}

// codeNotClustered is the code of a broker that is no cluster, and is to keep something several
// times.
const codeNotClustered jetstream.ErrorCode = 10074

// IsConflict reports whether somebody else was faster: a key has another revision by now.
func IsConflict(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, jetstream.ErrKeyExists) || errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// storageFullCodes are the codes of a broker that has no room to store anything.
var storageFullCodes = map[jetstream.ErrorCode]bool{
	10002: true, // the account's limits are reached
	10023: true, // insufficient resources
	10028: true, // insufficient memory
	10047: true, // insufficient storage
	10077: true, // a stream's store failed
}

// isStorageFull reports whether the broker has no room.
func isStorageFull(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && storageFullCodes[api.ErrorCode]
}

// outageLog reports once that the broker keeps everything waiting, and once that it continues.
type outageLog struct {
	mu           sync.Mutex
	failingSince time.Time // when it ceased to answer
	reported     bool

	waiting           int // how many wait for room
	waitingSince      time.Time
	storageReportedAt time.Time // when that was reported
}

// reportDelay is for how long a broker may be away without a word.
const reportDelay = time.Second

func (h *outageLog) reportLastingFailure(err error, say func(string)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failingSince.IsZero() {
		h.failingSince = time.Now()
	}
	if h.reported || time.Since(h.failingSince) < reportDelay {
		return
	}
	h.reported = true
	var none *noBrokerError
	switch {
	case errors.As(err, &none):
		say(fmt.Sprintf("%v; waiting for it", err))
	case errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrJetStreamNotEnabled):
		say(fmt.Sprintf("the broker stores nothing now (%v): its disk may be full, or it was started without JetStream; waiting", err))
	default:
		say(fmt.Sprintf("the broker does not answer: %v; waiting", err))
	}
}

func (h *outageLog) reportRecovery(say func(string)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.reported {
		say(fmt.Sprintf("the broker answers again, after %.0f s", time.Since(h.failingSince).Seconds()))
	}
	h.failingSince, h.reported = time.Time{}, false
}

// repeatInterval is after how long it is reported again that the broker has no room: what little becomes
// free there lets one go on and another not.
const repeatInterval = time.Minute

// reportStorageFullAtIntervals books that something cannot be stored; first states that it is the first time.
func (h *outageLog) reportStorageFullAtIntervals(err error, newWaiter bool, say func(string)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if newWaiter {
		if h.waiting++; h.waiting == 1 {
			h.waitingSince = time.Now()
		}
	}
	if h.storageReportedAt.IsZero() || time.Since(h.storageReportedAt) > repeatInterval {
		h.storageReportedAt = time.Now()
		say(fmt.Sprintf("the broker has no room to store anything: %v; waiting. Make room on its disk, or raise its limits; nothing is lost", err))
	}
}

// leaveStorageWaitReportLast books that one who waited for room waits no longer.
func (h *outageLog) leaveStorageWaitReportLast(say func(string)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting--; h.waiting == 0 && h.waitingSince.Add(reportDelay).Before(time.Now()) {
		say(fmt.Sprintf("no process waits for room at the broker any more, after %.0f s", time.Since(h.waitingSince).Seconds()))
	}
}
