package fleet

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
)

type runningTarget struct {
	URL   string    `json:"url"`
	Round string    `json:"round"`
	Since time.Time `json:"since"`
}

// Presence is what a worker publishes about itself.
type Presence struct {
	Name      string          `json:"name"`
	Host      string          `json:"host"`
	PID       int             `json:"pid"`
	Tool      string          `json:"tool"`
	Catalogue string          `json:"catalogue"`
	Parallel  int             `json:"parallel"`
	Running   []runningTarget `json:"running"`
	Done      int             `json:"done"`
	At        time.Time       `json:"at"`
}

// setOrClearRunning books which runs go on.
func (d *activeWorker) setOrClearRunning(run string, r *runningTarget) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r == nil {
		delete(d.running, run)
		return
	}
	d.running[run] = *r
}

// presenceInterval is how often a worker reports what it does.
const presenceInterval = 2 * time.Second

// keepPresenceAndClockFresh reports what this worker does, until ctx ends.
func (d *activeWorker) keepPresenceAndClockFresh(ctx context.Context) {
	tick := time.NewTicker(presenceInterval)
	defer tick.Stop()
	for n := 1; ; n++ {
		d.publishPresence(ctx, false)
		if n%30 == 0 { // clocks drift
			broker.RunWithTimeout(ctx, broker.RequestTimeout, func(ctx context.Context) error { return d.f.conn.SyncClock(ctx, d.f.leases.bucket) })
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (d *activeWorker) publishPresence(ctx context.Context, gone bool) {
	key := broker.Digest(d.Name)
	if gone {
		if !d.f.conn.IsConnected() { // it is forgotten by itself
			return
		}
		broker.RunWithTimeout(ctx, broker.RequestTimeout, func(ctx context.Context) error { return d.f.workers.Purge(ctx, key) })
		return
	}
	host, _ := os.Hostname()
	d.mu.Lock()
	p := Presence{Name: d.Name, Host: host, PID: os.Getpid(), Tool: d.Tool, Catalogue: Catalogue(), Parallel: d.Parallel, Done: d.done, At: d.f.conn.Now().UTC()}
	for _, r := range d.running {
		p.Running = append(p.Running, r)
	}
	d.mu.Unlock()
	slices.SortFunc(p.Running, func(a, b runningTarget) int { return a.Since.Compare(b.Since) })
	broker.RunWithTimeout(ctx, broker.RequestTimeout, func(ctx context.Context) error {
		_, err := d.f.workers.Put(ctx, key, broker.Encode(p))
		return err
	})
}
