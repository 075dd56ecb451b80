package harness

import (
	"cmp"
	"slices"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/operator"
)

// pool bounds how many plays are performed at the same time. What none of them
// needs at the moment, their calls may use.
type pool struct {
	size int

	mu      sync.Mutex
	news    sync.Cond
	taken   int
	playing int
	over    map[int]bool // the jobs that others need not wait for any more
	open    bool         // the pool is at work
	due     bool         // a job waits for nothing but room
}

// job is something that is performed in the pool: a play, or its preparation.
type job struct {
	id      int
	wide    int   // how much room it takes
	after   []int // the jobs that have to be over
	perform func()
}

func newPool(size int) *pool {
	p := &pool{size: size, over: map[int]bool{}}
	p.news.L = &p.mu
	return p
}

// run performs the jobs, each as soon as those that it waits for are over and there
// is room for it; of several, the one that stands first. It returns when all have
// been performed.
func (p *pool) run(jobs []job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := map[int]bool{} // what nobody performs, nobody waits for
	for _, j := range jobs {
		left[j.id] = true
	}
	for p.open = true; len(jobs) > 0; {
		i := slices.IndexFunc(jobs, func(j job) bool {
			return !slices.ContainsFunc(j.after, func(id int) bool { return left[id] && !p.over[id] })
		})
		if i < 0 && p.playing == 0 {
			i = 0 // they wait for one another
		}
		if p.due = i >= 0 && p.taken > 0 && p.taken+jobs[i].wide > p.size; i < 0 || p.due {
			p.news.Wait()
			continue
		}
		j := jobs[i]
		jobs = slices.Delete(jobs, i, i+1)
		p.taken, p.playing = p.taken+j.wide, p.playing+1
		go func() {
			defer func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.taken, p.playing, p.over[j.id] = p.taken-j.wide, p.playing-1, true
				p.news.Broadcast()
			}()
			j.perform()
		}()
	}
	for p.playing > 0 {
		p.news.Wait()
	}
	p.open = false
}

// pass lets what waits for a job go on, though that is not over.
func (p *pool) pass(id int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over[id] = true
	p.news.Broadcast()
}

// room takes what no job waits for, if there is any. The caller gives it back.
func (p *pool) room() (leave func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.open || p.due || p.taken >= p.size {
		return nil, false
	}
	p.taken++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.taken--
		p.news.Broadcast()
	}, true
}

// orderSpread is by how much of its weight a play may come earlier in one run than in another,
// so that a server does not know the suite by the order of its calls.
const orderSpread = 0.4

// heaviestFirst orders scenarios so that none that takes long is begun last,
// when nothing else is left to be done meanwhile. What waits for a play weighs on
// it.
func heaviestFirst(all []cast, ids operator.Naming) []int {
	order, weight := make([]int, len(all)), make([]float64, len(all))
	for i := range order {
		order[i], weight[i] = i, all[i].scenario.Weight()
	}
	for i := range all {
		for _, on := range awaited(all, i) {
			weight[on] = max(weight[on], all[on].scenario.Weight()+all[i].scenario.Weight())
		}
	}
	if ids.Varies() {
		for i, c := range all {
			weight[i] *= 1 + orderSpread*float64(ids.Choose(1000, "order", c.scenario.Name, c.agent, c.beside))/1000
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	return order
}

// awaited lists the plays that the one at a place waits for: those whose messages
// it rests on and, where messages may be answered without a task and it says the
// harmless one, the play that shows which message makes one.
func awaited(all []cast, at int) (out []int) {
	c := all[at]
	if c.setting.Dialect == nil {
		return nil
	}
	greeted := c.setting.Dialect.Sorted() && !c.scenario.Greets && c.scenario.Harmless(c.setting.Stimuli)
	for i, o := range all {
		with := o.setting == c.setting || slices.Contains(c.others(), o.setting)
		if with && (slices.Contains(c.scenario.After, o.scenario.Name) || greeted && o.scenario.Greets) {
			out = append(out, i)
		}
	}
	return out
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
	return limited([]cast{c}) == 0 && r.target.Concurrency > 1 && c.scenario.Class == conversation.Shared && c.scenario.Probes > 20
}

// limited is how many calls the protocol allows a client at the same time; 0
// for any number.
func limited(chosen []cast) int {
	if len(chosen) == 0 || chosen[0].setting.Dialect == nil {
		return 0
	}
	return chosen[0].setting.Dialect.Limits.Calls
}
