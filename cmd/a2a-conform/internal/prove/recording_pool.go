package prove

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/schema"
)

// recordingPool are conversations with many servers at the same time. Most of their
// time they wait for agents, so that what bounds their number is how many the
// machine keeps up with: a server or a client that is kept waiting for its turn
// would show another behaviour than its own.
type recordingPool struct {
	ctx     context.Context
	dialect *schema.Dialect

	mu    sync.Mutex
	ahead int // were not begun yet
	busy  int // were begun and may still need the machine
	open  int // are not over
	errs  []error
	news  chan struct{} // closed and replaced with each change
}

const (
	tick        = 10 * time.Millisecond // between two beginnings
	lateBy      = 5 * time.Millisecond  // a machine that is late by more is behind
	minParallel = 3                     // conversations are held at the same time even on such a machine
	maxParallel = 32                    // and no more than that on any
	idleAfter   = 3 * time.Second       // after which a conversation only waits for a window to be over
)

func newTalks(ctx context.Context, d *schema.Dialect) *recordingPool {
	return &recordingPool{ctx: ctx, dialect: d, news: make(chan struct{})}
}

// startRecordings holds the conversations of the recordings, each as soon as the machine
// has time for it. It returns when the last one was begun.
func (t *recordingPool) startRecordings(all []*Recording) {
	t.updateAndNotify(func() { t.ahead, t.open = t.ahead+len(all), t.open+len(all) })
	for _, rec := range all {
		t.awaitIdleCPU()
		t.updateAndNotify(func() { t.ahead, t.busy = t.ahead-1, t.busy+1 })
		var once sync.Once
		idle := func() { once.Do(func() { t.updateAndNotify(func() { t.busy-- }) }) }
		timer := time.AfterFunc(idleAfter, idle)
		go func() {
			err := rec.recordTranscript(t.ctx, t.dialect)
			timer.Stop()
			idle()
			close(rec.done)
			t.updateAndNotify(func() {
				t.open--
				t.errs = append(t.errs, err)
			})
		}()
	}
}

// awaitIdleCPU waits until the machine has time for one more conversation: until what
// is ready to run has had its turn in time, for as many ticks as there are
// conversations per core.
func (t *recordingPool) awaitIdleCPU() {
	for calm := 0; ; {
		asleep := time.Now()
		time.Sleep(tick)
		for range 2 {
			runtime.Gosched() // to the end of the queue
		}
		if calm++; time.Since(asleep)-tick > lateBy {
			calm = 0
		}
		t.mu.Lock()
		busy := t.busy
		t.mu.Unlock()
		if busy < minParallel || busy < maxParallel && calm > busy/8 {
			return
		}
	}
}

func (t *recordingPool) updateAndNotify(what func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	what()
	close(t.news)
	t.news = make(chan struct{})
}

// awaitCondition returns once it holds.
func (t *recordingPool) awaitCondition(holds func() bool) {
	for {
		t.mu.Lock()
		done, news := holds(), t.news
		t.mu.Unlock()
		if done {
			return
		}
		<-news
	}
}

// awaitIdle waits until no conversation needs the machine any more.
func (t *recordingPool) awaitIdle() { t.awaitCondition(func() bool { return t.ahead+t.busy == 0 }) }

// awaitAllJoiningErrors waits for the end of all conversations.
func (t *recordingPool) awaitAllJoiningErrors() error {
	t.awaitCondition(func() bool { return t.open == 0 })
	return errors.Join(t.errs...)
}
