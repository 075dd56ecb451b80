package fleet

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

// Crew runs a broker and workers as processes of their own. One that dies is started again.
type Crew struct {
	Program string
	Broker  []string   // arguments; none where a broker exists
	Workers [][]string // of each
	Say     func(string)

	ctx    context.Context
	broker *member
	others []*member
}

// member is one process of a crew.
type member struct {
	name string
	args []string
	stop context.CancelFunc
	gone chan struct{} // closed when it ended for good
	err  error         // why, if it was not told to
	last string        // what it said last
}

// Start starts the processes. They end when Stop is called, or when this process dies: they
// read from it, and it is gone then.
func (c *Crew) Start(ctx context.Context) {
	c.ctx = context.WithoutCancel(ctx)
	if c.Broker != nil {
		c.broker = c.start("broker", c.Broker)
	}
	for i, args := range c.Workers {
		c.others = append(c.others, c.start(fmt.Sprintf("worker %d", i+1), args))
	}
}

// Failed gives the error of a process that cannot run at all.
func (c *Crew) Failed() <-chan error {
	failed := make(chan error, 1+len(c.others))
	for _, m := range append([]*member{c.broker}, c.others...) {
		if m == nil {
			continue
		}
		go func() {
			<-m.gone
			if m.err != nil {
				failed <- m.err
			}
		}()
	}
	return failed
}

// Stop ends the workers when they have finished what they do, and then the broker.
func (c *Crew) Stop() {
	for _, m := range c.others {
		m.stop()
	}
	for _, m := range c.others {
		<-m.gone
	}
	if c.broker != nil {
		c.broker.stop()
		<-c.broker.gone
	}
}

// stillborn is how often in a row a process may end at once before it is given up, and soon
// what at once is.
const (
	stillborn = 5
	soon      = 2 * time.Second
)

func (c *Crew) start(name string, args []string) *member {
	ctx, stop := context.WithCancel(c.ctx)
	m := &member{name: name, args: args, stop: stop, gone: make(chan struct{})}
	go func() {
		defer close(m.gone)
		failures := 0
		for ctx.Err() == nil {
			began := time.Now()
			err := c.once(ctx, m)
			if ctx.Err() != nil {
				return
			}
			if time.Since(began) > soon {
				failures = 0
			}
			var exit *exec.ExitError
			if failures++; errors.As(err, &exit) && exit.ExitCode() == 2 || failures == stillborn {
				m.err = fmt.Errorf("the %s cannot run: %s", name, cmp.Or(m.last, err.Error()))
				return
			}
			c.Say(fmt.Sprintf("the %s ended (%v); it is started again", name, err))
			pause(ctx, 200*time.Millisecond<<failures)
		}
	}()
	return m
}

// once runs a process until it ends. It is told to stop by the end of what it reads.
func (c *Crew) once(ctx context.Context, m *member) error {
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
			m.last = strings.TrimPrefix(lines.Text(), "a2a-conform: ")
			c.Say(m.name + ": " + lines.Text())
		}
		io.Copy(io.Discard, out)
	}()
	told.Wait()
	return cmd.Wait()
}
