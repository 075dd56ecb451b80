package prove

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/schema"
)

// talks are conversations with many servers at the same time. Most of their
// time they wait for agents, so that what bounds their number is how many the
// machine keeps up with: a server or a client that is kept waiting for its turn
// would show another behaviour than its own.
type talks struct {
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
	tick     = 10 * time.Millisecond // between two beginnings
	tardy    = 5 * time.Millisecond  // a machine that is late by more is behind
	leastAt  = 3                     // conversations are held at the same time even on such a machine
	mostAt   = 32                    // and no more than that on any
	listless = 3 * time.Second       // after which a conversation only waits for a window to be over
)

func newTalks(ctx context.Context, d *schema.Dialect) *talks {
	return &talks{ctx: ctx, dialect: d, news: make(chan struct{})}
}

// begin holds the conversations of the recordings, each as soon as the machine
// has time for it. It returns when the last one was begun.
func (t *talks) begin(all []*Recording) {
	t.change(func() { t.ahead, t.open = t.ahead+len(all), t.open+len(all) })
	for _, rec := range all {
		t.pace()
		t.change(func() { t.ahead, t.busy = t.ahead-1, t.busy+1 })
		var once sync.Once
		idle := func() { once.Do(func() { t.change(func() { t.busy-- }) }) }
		timer := time.AfterFunc(listless, idle)
		go func() {
			err := rec.record(t.ctx, t.dialect)
			timer.Stop()
			idle()
			close(rec.done)
			t.change(func() {
				t.open--
				t.errs = append(t.errs, err)
			})
		}()
	}
}

// pace waits until the machine has time for one more conversation: until what
// is ready to run has had its turn in time, for as many ticks as there are
// conversations per core.
func (t *talks) pace() {
	for calm := 0; ; {
		asleep := time.Now()
		time.Sleep(tick)
		for range 2 {
			runtime.Gosched() // to the end of the queue
		}
		if calm++; time.Since(asleep)-tick > tardy {
			calm = 0
		}
		t.mu.Lock()
		busy := t.busy
		t.mu.Unlock()
		if busy < leastAt || busy < mostAt && calm > busy/8 {
			return
		}
	}
}

func (t *talks) change(what func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	what()
	close(t.news)
	t.news = make(chan struct{})
}

// wait returns once it holds.
func (t *talks) wait(holds func() bool) {
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

// quiet waits until no conversation needs the machine any more.
func (t *talks) quiet() { t.wait(func() bool { return t.ahead+t.busy == 0 }) }

// over waits for the end of all conversations.
func (t *talks) over() error {
	t.wait(func() bool { return t.open == 0 })
	return errors.Join(t.errs...)
}
