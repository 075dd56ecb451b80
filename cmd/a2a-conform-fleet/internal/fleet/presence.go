package fleet

import (
	"context"
	"os"
	"slices"
	"time"
)

type running struct {
	URL   string    `json:"url"`
	Round string    `json:"round"`
	Since time.Time `json:"since"`
}

// Presence is what a worker tells of itself.
type Presence struct {
	Name      string    `json:"name"`
	Host      string    `json:"host"`
	PID       int       `json:"pid"`
	Tool      string    `json:"tool"`
	Catalogue string    `json:"catalogue"`
	Parallel  int       `json:"parallel"`
	Running   []running `json:"running"`
	Done      int       `json:"done"`
	At        time.Time `json:"at"`
}

// note books which runs go on.
func (d *duty) note(run string, r *running) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if r == nil {
		delete(d.running, run)
		return
	}
	d.running[run] = *r
}

// heard is how often a worker tells what it does.
const heard = 2 * time.Second

// report tells what this worker does, until ctx ends.
func (d *duty) report(ctx context.Context) {
	tick := time.NewTicker(heard)
	defer tick.Stop()
	for n := 1; ; n++ {
		d.present(ctx, false)
		if n%30 == 0 { // clocks drift
			within(ctx, oneTry, d.f.setClock)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (d *duty) present(ctx context.Context, gone bool) {
	key := digest(d.Name)
	if gone {
		if !d.f.nc.IsConnected() { // it is forgotten by itself
			return
		}
		within(ctx, oneTry, func(ctx context.Context) error { return d.f.workers.Purge(ctx, key) })
		return
	}
	host, _ := os.Hostname()
	d.mu.Lock()
	p := Presence{Name: d.Name, Host: host, PID: os.Getpid(), Tool: d.Tool, Catalogue: Catalogue(), Parallel: d.Parallel, Done: d.done, At: d.f.clock.now().UTC()}
	for _, r := range d.running {
		p.Running = append(p.Running, r)
	}
	d.mu.Unlock()
	slices.SortFunc(p.Running, func(a, b running) int { return a.Since.Compare(b.Since) })
	within(ctx, oneTry, func(ctx context.Context) error {
		_, err := d.f.workers.Put(ctx, key, encode(p))
		return err
	})
}
