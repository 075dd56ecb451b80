package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// RunWithSignals calls a function with a context that ends with the first signal to
// stop. A second one ends the process at once. A reader of our output who goes
// away is an error of writing like any other.
func RunWithSignals(do func(context.Context)) {
	signal.Ignore(syscall.SIGPIPE)
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	first := make(chan os.Signal, 1)
	signal.Notify(first, signals...)
	defer signal.Stop(first)
	go func() {
		select {
		case <-first:
			signal.Reset(signals...) // before anything is seen of the first
			stop()
		case <-ctx.Done():
		}
	}()
	do(ctx)
}
