package proxy

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
)

// Stats counts what passed since the proxy was opened.
type Stats struct {
	Passed     int64 // exchanges that came to their end
	Recorded   int64 // of them those that were recorded
	Dropped    int64 // those that the record had no room for
	LeftOut    int64 // those that the operator did not choose: another path, another thread
	Upgraded   int64 // those that went on in another protocol
	Unreadable int64 // those whose request was no HTTP
	Open       int64 // exchanges that are under way
	Held       int   // exchanges that are kept now
	HeldBytes  int64 // what those take in memory, about
}

// recorder makes the record off the path of what passes.
type recorder struct {
	started time.Time
	hold    time.Duration
	bounds  Bounds
	hide    func(p *traffic.Passed)
	sample  *sampler
	closing *atomic.Bool
	queue   chan *capture
	done    chan struct{} // closed once the queue is empty after its end
	waiting atomic.Int64  // bytes of exchanges that are under way or in the queue
	open    atomic.Int64
	fates   [fateCount]atomic.Int64

	sending sync.RWMutex // held for writing while the queue is closed
	closed  bool

	mu         sync.Mutex
	kept       []keptExchange
	keptBytes  int64
	keptWeight int64
}

// keptExchange is an exchange of the record, with what it takes in memory.
type keptExchange struct {
	traffic.Passed
	bytes  int64
	weight int64
}

func newRecorder(cfg *Config, closing *atomic.Bool) *recorder {
	return &recorder{closing: closing, started: cfg.Started, hold: cfg.Hold, bounds: cfg.Bounds, hide: cfg.Hide, sample: newSampler(cfg.Sample, cfg.Dialects),
		queue: make(chan *capture, cfg.Bounds.Queue), done: make(chan struct{})}
}

// beginRecording begins to record what is in the queue.
func (r *recorder) beginRecording() {
	go func() {
		defer close(r.done)
		for c := range r.queue {
			r.recordCapture(c)
		}
	}()
}

// endRecording records what is in the queue, and nothing after that.
func (r *recorder) endRecording() {
	r.sending.Lock()
	if !r.closed {
		r.closed = true
		close(r.queue)
	}
	r.sending.Unlock()
	<-r.done
}

// handOver hands an exchange to the recorder. It reports false if there is no room, and never waits.
func (r *recorder) handOver(c *capture) bool {
	r.sending.RLock()
	defer r.sending.RUnlock()
	if r.closed {
		return false
	}
	select {
	case r.queue <- c:
		return true
	default:
		return false
	}
}

// countFate counts an exchange that came to its end.
func (r *recorder) countFate(to fate) { r.fates[to].Add(1) }

// recordCapture records an exchange that is over.
func (r *recorder) recordCapture(c *capture) {
	defer r.waiting.Add(-c.held)
	p := c.buildPassed()
	if !r.sample.choosesThread(&p) && !c.isCard {
		r.countFate(leftOut)
		return
	}
	r.hide(&p)
	r.keepPassed(p)
	r.countFate(recorded)
}

// keepPassed adds an exchange to those that are kept, and drops the oldest ones that there is no room or no time for.
func (r *recorder) keepPassed(p traffic.Passed) {
	p.In, p.Out = p.In.Clone(), p.Out.Clone() // what was read of it takes more memory than its bytes
	k := keptExchange{Passed: p}
	k.bytes, k.weight = weighPassed(p)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = append(r.kept, k)
	r.keptBytes += k.bytes
	r.keptWeight += k.weight
	r.dropOld()
}

// dropOld drops exchanges from the oldest on. The caller has locked r.mu.
func (r *recorder) dropOld() {
	n := 0
	for n < len(r.kept) && (len(r.kept)-n > r.bounds.Exchanges || r.keptBytes > r.bounds.Kept || r.keptWeight > r.bounds.Weight && n < len(r.kept)-1 || r.hold > 0 && r.kept[n].In.End < r.sinceStart()-r.hold) {
		r.keptBytes -= r.kept[n].bytes
		r.keptWeight -= r.kept[n].weight
		n++
	}
	if n > 0 {
		clear(r.kept[:n])
		r.kept = r.kept[n:]
	}
}

// weighPassed returns about how many bytes an exchange takes in memory, and how many the values in it take once it is read.
// The sides share the bodies.
func weighPassed(p traffic.Passed) (bytes, weight int64) {
	bytes, weight = p.In.EstimatedUnparsedMemorySize()+countBytes(p.Credentials), p.In.Weight()
	if p.Out != nil {
		bytes += p.Out.EstimatedUnparsedMemorySize() / 2
		weight += p.Out.Weight()
	}
	return bytes, weight
}

// listPassed returns copies of what is kept, in the order of the requests.
func (r *recorder) listPassed() []traffic.Passed {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dropOld()
	out := make([]traffic.Passed, 0, len(r.kept))
	for _, k := range r.kept {
		out = append(out, traffic.Passed{In: k.In.Clone(), Out: k.Out.Clone(), Connection: k.Connection, Credentials: k.Credentials})
	}
	slices.SortStableFunc(out, func(a, b traffic.Passed) int { return cmp.Compare(a.In.Start, b.In.Start) })
	return out
}

// readStats counts what passed.
func (r *recorder) readStats() Stats {
	s := Stats{Recorded: r.fates[recorded].Load(), Dropped: r.fates[dropped].Load(), LeftOut: r.fates[leftOut].Load(), Upgraded: r.fates[upgraded].Load(), Unreadable: r.fates[unreadable].Load(), Open: r.open.Load()}
	s.Passed = s.Recorded + s.Dropped + s.LeftOut + s.Upgraded + s.Unreadable + int64(len(r.queue))
	r.mu.Lock()
	defer r.mu.Unlock()
	s.Held, s.HeldBytes = len(r.kept), r.keptBytes
	return s
}

// sinceStart returns the present instant of the record.
func (r *recorder) sinceStart() record.Instant { return time.Since(r.started) }
