package broker

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// KeepInProgress informs the broker that a message is being worked on, until stop is called.
func (c *Conn) KeepInProgress(ctx context.Context, m jetstream.Msg, every time.Duration) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	go Repeat(ctx, every, func() { m.InProgress() })
	return cancel
}

// Repeat does something again and again, until ctx ends.
func Repeat(ctx context.Context, every time.Duration, do func()) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			do()
		}
	}
}

// Pause waits, unless ctx ends.
func Pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
