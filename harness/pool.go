package harness

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// pool bounds how many plays are performed at the same time. What none of them
// needs any more, their calls may use.
type pool struct {
	slots   chan struct{}
	playing sync.WaitGroup
	spare   atomic.Bool // every play has begun
}

func newPool(size int) *pool { return &pool{slots: make(chan struct{}, size)} }

// play performs something as soon as there is a slot for it.
func (p *pool) play(perform func()) {
	p.slots <- struct{}{}
	p.playing.Go(func() {
		defer func() { <-p.slots }()
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
