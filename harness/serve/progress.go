package serve

import (
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// progressCounter counts the plays of a run that have ended.
type progressCounter struct {
	mu          sync.Mutex
	done, total int
}

// addTotal adds plays that are due.
func (c *progressCounter) addTotal(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total += n
}

// report calls a function with the play that begins, or that has ended, if there is such a function.
func (c *progressCounter) report(to func(Progress), scenario string, play *record.Play) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if play != nil {
		c.done++
	}
	if to != nil {
		to(Progress{Done: c.done, Total: c.total, Scenario: scenario, Play: play})
	}
}
