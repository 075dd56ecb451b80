package schedule

import (
	"slices"
	"sync"
	"time"
)

// pool runs jobs at the same time, up to its size. Slots that no job needs at the moment can be
// borrowed for single calls.
type pool struct {
	size int

	mu       sync.Mutex
	changed  sync.Cond
	taken    int          // slots
	running  int          // jobs
	released map[int]bool // jobs that others need not wait for any more
	open     bool         // run has been called and has not returned
	waiting  bool         // a job waits for nothing but slots
}

// job is a play, or the preparation of one.
type job struct {
	id      int
	slots   int
	after   []int  // ids of the jobs that have to end first
	begin   func() // is called before any job that starts later; nil if there is nothing to do
	perform func()
}

func newPool(size int) *pool {
	p := &pool{size: size, released: map[int]bool{}}
	p.changed.L = &p.mu
	return p
}

// run performs the jobs and returns when all have ended. The first job of the list whose own
// prerequisites have ended starts next. If it does not fit into the free slots, those behind it
// wait too, so that a large job starts at all. Ids in after that no job of the list has are ignored.
func (p *pool) run(jobs []job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	known := map[int]bool{}
	for _, j := range jobs {
		known[j.id] = true
	}
	for p.open = true; len(jobs) > 0; {
		next := slices.IndexFunc(jobs, func(j job) bool {
			return !slices.ContainsFunc(j.after, func(id int) bool { return known[id] && !p.released[id] })
		})
		if next < 0 && p.running == 0 {
			next = 0 // They wait for one another.
		}
		p.waiting = next >= 0 && p.taken > 0 && p.taken+jobs[next].slots > p.size
		if next < 0 || p.waiting {
			p.changed.Wait()
			continue
		}
		p.start(jobs[next])
		jobs = slices.Delete(jobs, next, next+1)
	}
	for p.running > 0 {
		p.changed.Wait()
	}
	p.open = false
}

// start performs a job in a goroutine of its own. The caller holds the lock.
func (p *pool) start(j job) {
	p.taken, p.running = p.taken+j.slots, p.running+1
	if j.begin != nil {
		j.begin()
	}
	go func() {
		defer func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.taken, p.running, p.released[j.id] = p.taken-j.slots, p.running-1, true
			p.changed.Broadcast()
		}()
		j.perform()
	}()
}

// withWaitersReleasedAfter returns a job that others stop waiting for after some time, although it still runs.
func (p *pool) withWaitersReleasedAfter(j job, d time.Duration) job {
	perform := j.perform
	j.perform = func() {
		limit := time.AfterFunc(d, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.released[j.id] = true
			p.changed.Broadcast()
		})
		defer limit.Stop()
		perform()
	}
	return j
}

// tryBorrowSlot takes one slot that no job waits for, if there is any. The caller gives it back by
// calling release.
func (p *pool) tryBorrowSlot() (release func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.open || p.waiting || p.taken >= p.size {
		return nil, false
	}
	p.taken++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.taken--
		p.changed.Broadcast()
	}, true
}
