package serve

import (
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// maxLag is how late our own answers may be while time is judged.
const maxLag = 200 * time.Millisecond

// lagMeter notices when this machine is too busy to answer at once: it wakes up many times a second, and
// notes when it did so late.
type lagMeter struct {
	mu   sync.Mutex
	late []lateness
}

// lateness is a time in which nothing could be done.
type lateness struct {
	from, to record.Instant
}

// lagTick is the time between two looks at the clock.
const lagTick = 20 * time.Millisecond

// beginMeasuring measures until stop is called.
func (m *lagMeter) beginMeasuring(started time.Time) (stop func()) {
	done := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		tick := time.NewTicker(lagTick)
		defer tick.Stop()
		last := time.Now()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			now := time.Now()
			if now.Sub(last) > maxLag {
				m.mu.Lock()
				m.late = append(m.late, lateness{last.Sub(started), now.Sub(started)})
				m.mu.Unlock()
			}
			last = now
		}
	})
	return func() {
		close(done)
		work.Wait()
	}
}

// findWorstLateness returns the longest time between two moments in which nothing could be done, and when it began.
func (m *lagMeter) findWorstLateness(from, to record.Instant) (at, long record.Instant) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.late {
		if l.to > from && l.from < to && l.to-l.from > long {
			at, long = l.from, l.to-l.from
		}
	}
	return at, long
}
