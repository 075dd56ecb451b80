package supervisor

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Supervisor runs a broker and workers as processes of their own. One that dies is started again.
type Supervisor struct {
	Program    string
	BrokerArgs []string   // arguments; none if a broker exists
	WorkerArgs [][]string // of each
	Log        func(string)

	ctx     context.Context
	broker  *process
	workers []*process
}

// process is one process of a supervisor.
type process struct {
	name     string
	args     []string
	stop     context.CancelFunc
	done     chan struct{} // closed when it ended for good
	err      error         // why it ended by itself
	lastLine string        // what it reported last
}

// Start starts the processes. They end when Stop is called, or when this process dies: they
// read from it, and it is gone then.
func (c *Supervisor) Start(ctx context.Context) {
	c.ctx = context.WithoutCancel(ctx)
	if c.BrokerArgs != nil {
		c.broker = c.superviseProcess("broker", c.BrokerArgs)
	}
	for i, args := range c.WorkerArgs {
		c.workers = append(c.workers, c.superviseProcess(fmt.Sprintf("worker %d", i+1), args))
	}
}

// Failures gives the error of a process that cannot run at all.
func (c *Supervisor) Failures() <-chan error {
	failed := make(chan error, 1+len(c.workers))
	for _, m := range append([]*process{c.broker}, c.workers...) {
		if m == nil {
			continue
		}
		go func() {
			<-m.done
			if m.err != nil {
				failed <- m.err
			}
		}()
	}
	return failed
}

// Stop ends the workers when they have finished what they do, and then the broker.
func (c *Supervisor) Stop() {
	for _, m := range c.workers {
		m.stop()
	}
	for _, m := range c.workers {
		<-m.done
	}
	if c.broker != nil {
		c.broker.stop()
		<-c.broker.done
	}
}

// maxFastExits is after how many exits in a row, each within fastExit, a process is not started again.
const (
	maxFastExits = 5
	fastExit     = 2 * time.Second
)

func (c *Supervisor) superviseProcess(name string, args []string) *process {
	ctx, stop := context.WithCancel(c.ctx)
	m := &process{name: name, args: args, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(m.done)
		failures := 0
		for ctx.Err() == nil {
			began := time.Now()
			err := c.runOnce(ctx, m)
			if ctx.Err() != nil {
				return
			}
			if time.Since(began) > fastExit {
				failures = 0
			}
			var exit *exec.ExitError
			if failures++; errors.As(err, &exit) && exit.ExitCode() == 2 || failures == maxFastExits {
				m.err = fmt.Errorf("the %s cannot run: %s", name, cmp.Or(m.lastLine, err.Error()))
				return
			}
			c.Log(fmt.Sprintf("the %s ended (%v); it is started again", name, err))
			waitFor(ctx, 200*time.Millisecond<<failures)
		}
	}()
	return m
}

// runOnce runs a process until it ends. The end of its standard input asks it to stop.
func (c *Supervisor) runOnce(ctx context.Context, m *process) error {
	cmd := exec.Command(c.Program, m.args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { in.Close() })
	defer stop()
	var told sync.WaitGroup
	told.Add(1)
	go func() {
		defer told.Done()
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			m.lastLine = strings.TrimPrefix(lines.Text(), "a2a-conform: ")
			c.Log(m.name + ": " + lines.Text())
		}
		io.Copy(io.Discard, out)
	}()
	told.Wait()
	return cmd.Wait()
}

// waitFor waits until a time is over or ctx ends.
func waitFor(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
