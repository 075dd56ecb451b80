package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/fleet"
	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
)

var (
	chaos        = flag.Int("chaos", 0, "how often the fleet is judged while its processes are killed")
	chaosTargets = flag.Int("chaos-targets", 100, "how many servers are judged then")
)

// process is a subcommand of fleet at work, which is killed and started again.
type process struct {
	t    *testing.T
	args []string
	cmd  *exec.Cmd
}

func started(t *testing.T, args ...string) *process {
	p := &process{t: t, args: args}
	p.start()
	t.Cleanup(p.kill)
	return p
}

func (p *process) start() {
	p.t.Helper()
	name := commandtest.ProgramOf(p.t)
	p.cmd = exec.Command(name, p.args...)
	p.cmd.Env = append(os.Environ(), commandtest.LeftVariable+"="+filepath.Join(p.t.TempDir(), "left"))
	p.cmd.Stderr = testLog{p.t}
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
}

// end has it end by itself.
func (p *process) end() {
	p.t.Helper()
	p.cmd.Process.Signal(os.Interrupt)
	if err := p.cmd.Wait(); err != nil {
		p.t.Error(err)
	}
	p.cmd = nil
}

// kill ends it as a machine does that loses its power.
func (p *process) kill() {
	if p.cmd == nil {
		return
	}
	p.cmd.Process.Kill()
	p.cmd.Wait()
	p.cmd = nil
}

// Each target has exactly one result in the round, and the right one, though workers are
// killed at random, and the broker twice.
func TestFleetChaos(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	times := max(*chaos, 1)
	servers, dialects := *chaosTargets, reference.Dialects()
	if *chaos == 0 {
		servers, dialects = 8, quickDialects // the whole of it is a part of CI
	}
	p := aPark(t, servers, servers/5, dialects)
	single := alone{}
	for i := range times {
		t.Run(fmt.Sprint(i+1), func(t *testing.T) { oneChaos(t, p, single, rand.New(rand.NewPCG(uint64(i), 7))) })
	}
}

func oneChaos(t *testing.T, p *park, single alone, dice *rand.Rand) {
	data := t.TempDir()
	brokerProcess := started(t, "broker", "--data", data)
	var workers []*process
	for range 3 {
		workers = append(workers, started(t, append([]string{"work", "--data", data, "--parallel", "2", "--lease", "5s", "--quiet"}, p.flags()...)...))
	}
	targets, _, err := agentlist.ReadFile(p.file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.Connect(t.Context(), broker.ConnectOptions{Data: data, Name: "test", Log: func(s string) { t.Log(s) }})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	a, err := f.Add(t.Context(), programVersion(), targets)
	if err != nil || a.Queued != len(targets) {
		t.Fatal(a, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	killed, brokers := 0, 0
	next := time.Now()
	s, err := f.Await(ctx, a.Round.ID, func(s fleet.RoundStatus) {
		if time.Now().Before(next) {
			return
		}
		next = time.Now().Add(time.Duration(dice.IntN(3000)) * time.Millisecond)
		if killed > 0 && brokers < 2 && s.Results*3/len(targets) >= brokers+1 {
			brokers++
			brokerProcess.kill()
			brokerProcess.start()
			return
		}
		w := workers[dice.IntN(len(workers))]
		w.kill()
		w.start()
		killed++
	})
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := f.Outcomes(t.Context(), a.Round.ID, targets)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range outcomes {
		switch {
		case o.Missing:
			t.Errorf("%s has no result", o.Target.URL)
		case o.GivenUp:
			t.Logf("%s was given up: %s", o.Target.URL, o.Details.Reason)
		case !single.gives(t, p.agents[i], o.Verdict):
			t.Errorf("%v is %s in the fleet, and never by itself: %s", p.agents[i], o.Verdict, o.Details.Reason)
		}
	}
	if s.Results != len(targets) {
		t.Errorf("%d results for %d targets", s.Results, len(targets))
	}
	if killed == 0 {
		t.Error("no worker was killed")
	}
	t.Logf("%d targets, %d workers and %d brokers killed: %d conversations were held again, %d targets given up", len(targets), killed, brokers, s.Repeated, s.GivenUp)
}
