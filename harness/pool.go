package harness

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/a2a-conform/a2a-conform/harness/scenario"
)

// pool bounds how many plays are performed at the same time. What none of them
// needs any more, their calls may use.
type pool struct {
	slots   chan struct{}
	playing sync.WaitGroup
	spare   atomic.Bool // every play has begun
}

func newPool(size int) *pool { return &pool{slots: make(chan struct{}, size)} }

// play performs something as soon as there are slots for it. They are taken by
// the caller alone, so that nobody waits for the other half of another's.
func (p *pool) play(wide int, perform func()) {
	for range wide {
		p.slots <- struct{}{}
	}
	p.playing.Go(func() {
		defer func() {
			for range wide {
				<-p.slots
			}
		}()
		perform()
	})
}

// wait waits for the end of all plays. No more will come.
func (p *pool) wait() {
	p.spare.Store(true)
	p.playing.Wait()
	p.spare.Store(false)
}

// room takes a slot that no play waits for, if there is one. The caller gives
// it back.
func (p *pool) room() (leave func(), ok bool) {
	if !p.spare.Load() {
		return nil, false
	}
	select {
	case p.slots <- struct{}{}:
		return func() { <-p.slots }, true
	default:
		return nil, false
	}
}

// longestFirst orders scenarios so that none that takes long is begun last,
// when nothing else is left to be done meanwhile.
func longestFirst(all []cast) []int {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(all[b].scenario.Weight(), all[a].scenario.Weight()) })
	return order
}

// spare is how many calls the pool leaves to servers that still count what was
// just answered or given up.
const spare = 2

// width is how much goes on in the pool at the same time: conversations, or
// calls where the protocol limits those.
func (r *runner) width(chosen []cast) int {
	if limit := limited(chosen); limit > 0 {
		return min(r.target.Concurrency, max(1, limit-spare))
	}
	return r.target.Concurrency
}

// wide is how much of it one conversation takes.
func (r *runner) wide(c cast, width int) int {
	switch {
	case r.double(c):
		return 2
	case limited([]cast{c}) == 0:
		return 1
	}
	return min(max(1, c.scenario.Wide), width)
}

// double reports whether a conversation is so long that it takes the room of
// two, and makes two calls at a time.
func (r *runner) double(c cast) bool {
	return limited([]cast{c}) == 0 && r.target.Concurrency > 1 && c.scenario.Class == scenario.Shared && c.scenario.Probes > 20
}

// limited is how many calls the protocol allows a client at the same time; 0
// for any number.
func limited(chosen []cast) int {
	if len(chosen) == 0 || chosen[0].setting.Dialect == nil {
		return 0
	}
	return chosen[0].setting.Dialect.Limits.Calls
}
