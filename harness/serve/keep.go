package serve

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/adapter"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// keeper is a program that plays all scenarios in one process: it reads what to do from its standard input, a line for
// each scenario. One that ended, or was ended, is started anew for the next play.
type keeper struct {
	process *keptProcess // nil if none runs
	renewed string       // why the next one is started; "" for the first
}

// keptProcess is one process of a keeper.
type keptProcess struct {
	cmd            *exec.Cmd
	group          processGroup
	home           string
	input          io.WriteCloser
	stdout, stderr switchWriter
	stop           context.CancelFunc
	ended          chan struct{} // closed when it has ended, and its outputs are read
}

// keptOutputs take what is printed in one play.
type keptOutputs struct {
	stdout, stderr io.Writer
	lines          *adapter.Reader
}

// switchWriter writes to what is current, or nowhere.
type switchWriter struct {
	mu sync.Mutex
	to io.Writer
}

// Write takes a piece of what is printed.
func (w *switchWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.to != nil {
		w.to.Write(p)
	}
	return len(p), nil
}

// directTo has what comes from now on be written to w; nowhere if it is nil.
func (w *switchWriter) directTo(to io.Writer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.to = to
}

// runKept has the kept program play one scenario. It is done when it reports so, ends, or its time is up.
func (s *starter) runKept(ctx context.Context, t *Task, run *record.ClientRun, out keptOutputs) {
	k := s.kept
	run.Kept = true
	if k.process != nil && !s.playKept(ctx, t, run, out) {
		return
	}
	p, err := s.startKept(t.Dialect)
	if err != nil {
		run.Trouble, run.Exit = s.redact.String(err.Error()), -1
		return
	}
	k.process, run.Renewed, k.renewed = p, k.renewed, ""
	s.playKept(ctx, t, run, out)
}

// playKept has the process that runs play one scenario. It reports whether that had ended in good order before, so that
// another one has to play it.
func (s *starter) playKept(ctx context.Context, t *Task, run *record.ClientRun, out keptOutputs) (again bool) {
	k, p := s.kept, s.kept.process
	p.stdout.directTo(out.stdout)
	p.stderr.directTo(out.stderr)
	defer p.stderr.directTo(nil)
	defer p.stdout.directTo(nil)
	go io.WriteString(p.input, t.Context+"\n") // it ends with the process, if that reads nothing
	select {
	case <-out.lines.ScenarioEnd():
		said, _ := out.lines.ListResult()
		run.Exit = said[len(said)-1].Exit // the end of the scenario is the last line that is kept
	case <-p.ended:
		k.process, k.renewed = nil, fmt.Sprintf("it ended by itself in the scenario %s", t.Scenario)
		run.Exit, run.Signal = p.cmd.ProcessState.ExitCode(), nameSignal(p.cmd.ProcessState)
		if again = run.Exit == 0 && !out.lines.HasRead(); again {
			k.renewed = "it ended by itself after the scenario before"
		}
	case <-ctx.Done():
		k.process, k.renewed = nil, fmt.Sprintf("it was not done with the scenario %s in its time, and was ended", t.Scenario)
		p.endProcess(0)
		run.Exit = p.cmd.ProcessState.ExitCode()
	}
	return again
}

// startKept starts the program for all plays.
func (s *starter) startKept(dialect string) (*keptProcess, error) {
	of := &Task{}
	if err := s.trust.giveFiles(of, ""); err != nil {
		of.removeHome()
		return nil, err
	}
	home, err := of.home, error(nil)
	if home == "" {
		if home, err = makeHome(); err != nil {
			return nil, err
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &keptProcess{home: home, stop: stop, ended: make(chan struct{})}
	p.cmd, p.group = newGroupedCommand(ctx, s.command)
	p.cmd.Dir, p.cmd.Env = cmp.Or(s.dir, home), append(buildOwnEnvironment(home, s.without), "A2A_CONFORM_KEEP=1", "A2A_CONFORM_DIALECT="+dialect)
	p.cmd.Env = append(append(p.cmd.Env, "A2A_CONFORM_CA="+of.CA, "A2A_CONFORM_JWKS="+of.Keys), listTrustVariables(of.CA)...)
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	if p.input, err = p.cmd.StdinPipe(); err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		stop()
		os.RemoveAll(home)
		return nil, err
	}
	go func() {
		p.group.awaitEnd()
		os.RemoveAll(home)
		close(p.ended)
	}()
	return p, nil
}

// endProcess has the process end: by the end of its input if it may take a time, and then by force.
func (p *keptProcess) endProcess(after time.Duration) {
	p.input.Close()
	t := time.NewTimer(after)
	defer t.Stop()
	select {
	case <-p.ended:
	case <-t.C:
	}
	p.stop()
	<-p.ended
}

// endProgram has the program end that is kept, if one runs.
func (k *keeper) endProgram() {
	if k.process != nil {
		k.process.endProcess(killAfter)
		k.process = nil
	}
}
