package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// oneTry bounds one question to the broker, patient one whose answer is long. Where the node
// that was asked dies, nobody answers: the question is asked again when its time is over.
const (
	oneTry  = 5 * time.Second
	patient = 20 * time.Second
)

// whole bounds the reading of a bucket as a whole, and silent the time in which nothing of it
// comes.
const (
	whole  = 10 * time.Minute
	silent = 10 * time.Second
)

// carried bounds the storing of so many bytes. It is no longer than it needs to be: where the
// broker dies meanwhile, nobody tells.
func carried(bytes int) time.Duration { return oneTry + time.Duration(bytes/100_000)*time.Second }

// until asks the broker until it answers: a broker that restarts, elects a leader or has no
// room loses nothing of ours. An answer that will be the same next time ends it.
func (f *Fleet) until(ctx context.Context, do func(context.Context) error) error {
	return f.untilWithin(ctx, oneTry, do)
}

func (f *Fleet) untilWithin(ctx context.Context, limit time.Duration, do func(context.Context) error) error {
	pause := 20 * time.Millisecond
	lacks := false // room at the broker
	defer func() {
		if lacks {
			f.held.stored(f.say)
		}
	}()
	for {
		err := within(ctx, limit, do)
		if err == nil {
			f.held.over(f.say)
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if final(err) || f.nc.IsClosed() {
			return err
		}
		if last := f.nc.LastError(); errors.Is(last, nats.ErrPermissionViolation) {
			return fmt.Errorf("the credentials do not allow what a fleet does: %w", last)
		}
		if full(err) {
			f.held.full(err, !lacks, f.say)
			lacks = true
		} else {
			f.held.by(err, f.say)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, 2*time.Second)
	}
}

func within(ctx context.Context, limit time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return do(ctx)
}

// answers are errors that tell something of what was asked, and not of the broker.
var answers = []error{
	jetstream.ErrKeyNotFound, jetstream.ErrKeyDeleted, jetstream.ErrKeyExists, jetstream.ErrObjectNotFound, jetstream.ErrMsgNotFound,
	jetstream.ErrInvalidKey, jetstream.ErrBucketNotFound, jetstream.ErrStreamNotFound, jetstream.ErrNoKeysFound, jetstream.ErrInvalidOption,
	nats.ErrMaxPayload, nats.ErrAuthorization, nats.ErrPermissionViolation, nats.ErrBadSubject,
}

// final reports whether an error would come again.
func final(err error) bool {
	for _, a := range answers {
		if errors.Is(err, a) {
			return true
		}
	}
	if outran(err) {
		return true
	}
	if errors.Is(err, errCutShort) || errors.Is(err, errBehind) {
		return false
	}
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, nats.ErrTimeout) && !errors.Is(err, nats.ErrNoResponders) &&
			!errors.Is(err, nats.ErrDisconnected) && !errors.Is(err, nats.ErrConnectionReconnecting) && !errors.Is(err, nats.ErrReconnectBufExceeded) &&
			!errors.Is(err, jetstream.ErrNoStreamResponse) && !errors.Is(err, jetstream.ErrJetStreamNotEnabled) && !errors.Is(err, jetstream.ErrNoHeartbeat) &&
			!errors.Is(err, jetstream.ErrConsumerDeleted) && !errors.Is(err, jetstream.ErrServerShutdown)
	}
	return api.Code < 500 && !full(err) || api.ErrorCode == notReplicated
}

// notReplicated is the code of a broker that is no cluster, and is to keep something several
// times.
const notReplicated jetstream.ErrorCode = 10074

// outran reports whether somebody else was faster: a key has another revision by now.
func outran(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, jetstream.ErrKeyExists) || errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// noRoom are the codes of a broker that has no room to store anything.
var noRoom = map[jetstream.ErrorCode]bool{
	10002: true, // the account's limits are reached
	10023: true, // insufficient resources
	10028: true, // insufficient memory
	10047: true, // insufficient storage
	10077: true, // a stream's store failed
}

// full reports whether the broker has no room.
func full(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && noRoom[api.ErrorCode]
}

// heldBack tells once that the broker keeps everything waiting, and once that it goes on.
type heldBack struct {
	mu    sync.Mutex
	since time.Time // when it ceased to answer
	told  bool

	lacking int // how many wait for room
	lacked  time.Time
	toldOf  time.Time // when that was told
}

// unspoken is for how long a broker may be away without a word.
const unspoken = time.Second

func (h *heldBack) by(err error, say func(string)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.since.IsZero() {
		h.since = time.Now()
	}
	if h.told || time.Since(h.since) < unspoken {
		return
	}
	h.told = true
	var none *noBroker
	switch {
	case errors.As(err, &none):
		say(fmt.Sprintf("%v; waiting for it", err))
	case errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrJetStreamNotEnabled):
		say(fmt.Sprintf("the broker stores nothing now (%v): its disk may be full, or it was started without JetStream; waiting", err))
	default:
		say(fmt.Sprintf("the broker does not answer: %v; waiting", err))
	}
}

func (h *heldBack) over(say func(string)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.told {
		say(fmt.Sprintf("the broker answers again, after %.0f s", time.Since(h.since).Seconds()))
	}
	h.since, h.told = time.Time{}, false
}

// reminded is after how long it is told again that the broker has no room: what little becomes
// free there lets one go on and another not.
const reminded = time.Minute

// full books that something cannot be stored; first says that it is the first time.
func (h *heldBack) full(err error, first bool, say func(string)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if first {
		if h.lacking++; h.lacking == 1 {
			h.lacked = time.Now()
		}
	}
	if h.toldOf.IsZero() || time.Since(h.toldOf) > reminded {
		h.toldOf = time.Now()
		say(fmt.Sprintf("the broker has no room to store anything: %v; waiting. Make room on its disk, or raise its limits; nothing is lost", err))
	}
}

// stored books that one who waited for room waits no longer.
func (h *heldBack) stored(say func(string)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lacking--; h.lacking == 0 && h.lacked.Add(unspoken).Before(time.Now()) {
		say(fmt.Sprintf("nobody waits for room at the broker any more, after %.0f s", time.Since(h.lacked).Seconds()))
	}
}
