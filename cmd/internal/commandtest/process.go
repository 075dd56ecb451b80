package commandtest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Process is a program at work, and what it has printed so far.
type Process struct {
	// Patience is how long the program may take to print something, or to end.
	Patience time.Duration

	t         testing.TB
	variables []string
	name      string
	args      []string
	cmd       *exec.Cmd
	ended     chan struct{}

	mu      sync.Mutex
	printed bytes.Buffer
}

// StartProcess starts a program, with further variables in its environment. It ends with the test,
// and what it printed is shown if the test fails.
func StartProcess(t testing.TB, variables []string, name string, args ...string) *Process {
	t.Helper()
	p := &Process{Patience: time.Minute, t: t, variables: variables, name: name, args: args}
	p.Start()
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			text := p.Text()
			t.Logf("%s %s:\n%s", filepath.Base(name), strings.Join(args, " "), text[max(0, len(text)-4000):])
		}
	})
	return p
}

// Start starts the program, or starts it again once it has ended.
func (p *Process) Start() {
	p.t.Helper()
	p.cmd, p.ended = exec.Command(p.name, p.args...), make(chan struct{})
	p.cmd.Env = append(p.cmd.Environ(), p.variables...)
	p.cmd.Stdout, p.cmd.Stderr = p, p
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func(cmd *exec.Cmd, ended chan struct{}) {
		cmd.Wait()
		close(ended)
	}(p.cmd, p.ended)
}

// Write keeps what the program prints.
func (p *Process) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.printed.Write(text)
}

// Text returns what the program has printed so far.
func (p *Process) Text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.printed.String()
}

// AwaitText waits until the program has printed something.
func (p *Process) AwaitText(part string) {
	p.t.Helper()
	for deadline := time.Now().Add(p.Patience); !strings.Contains(p.Text(), part); time.Sleep(10 * time.Millisecond) {
		select {
		case <-p.ended:
			if !strings.Contains(p.Text(), part) {
				p.t.Fatalf("%q ended, and did not print %q", p.cmd.Args, part)
			}
			return
		default:
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("%q does not print %q", p.cmd.Args, part)
		}
	}
}

// AwaitEnd waits until the program ends, and returns its exit code.
func (p *Process) AwaitEnd() int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(p.Patience):
		p.t.Fatalf("%q does not end", p.cmd.Args)
	}
	return p.cmd.ProcessState.ExitCode()
}

// Signal sends the program a signal.
func (p *Process) Signal(s os.Signal) { p.cmd.Process.Signal(s) }

// Kill ends the program as a machine does that loses its power.
func (p *Process) Kill() {
	p.cmd.Process.Kill()
	<-p.ended
}
