package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/fleet"
	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// park is many bundled servers, each at a loopback address of its own, and what a fleet needs
// to judge them.
type park struct {
	agents  []parked
	file    string // agents.yaml
	secrets string
	ca      string // "" where no server has TLS
}

type parked struct {
	url                      string
	dialect, variant, mutant string
}

// flags are those of a worker that may judge the park.
func (p *park) flags() []string {
	flags := []string{"--allow-network=127.0.0.0/8", "--secrets=" + p.secrets}
	if p.ca != "" {
		flags = append(flags, "--ca="+p.ca)
	}
	return flags
}

// quickDialects are dialects of which a run takes little.
var quickDialects = []string{"a2x-0.3", "core-schema", "directory-0.1"}

// aPark starts so many servers: every variant of the dialects but those that limit calls, and
// so many with a defect.
func aPark(t testing.TB, servers, mutants int, dialects []string) *park {
	t.Helper()
	dir := t.TempDir()
	p := &park{file: filepath.Join(dir, "agents.yaml"), secrets: filepath.Join(dir, "secrets.yaml")}
	var kinds, broken []parked
	for _, dialect := range dialects {
		for _, v := range reference.Variants(dialect) {
			if v != "limited" {
				kinds = append(kinds, parked{dialect: dialect, variant: v})
			}
		}
	}
	most := map[string][]reference.MutantInfo{}
	for _, dialect := range dialects {
		most[dialect] = slices.DeleteFunc(reference.Mutants(dialect), func(m reference.MutantInfo) bool {
			return m.Variant == "limited" || m.Area == "ratelimit" || strings.HasSuffix(m.Name, "-deadly") || // after which the server is no more
				len(dialects) < len(reference.Dialects()) && m.Area != "envelope" // of a few, those that any run finds
		})
	}
	for i := 0; len(broken) < mutants; i++ { // of each dialect in turn
		for _, dialect := range dialects {
			if all := most[dialect]; len(broken) < mutants && len(all) > 0 {
				m := all[i*37%len(all)]
				broken = append(broken, parked{dialect: dialect, variant: m.Variant, mutant: m.Name})
			}
		}
	}
	var list, hosts, ca strings.Builder
	list.WriteString("agents:\n")
	for i := range servers {
		a := kinds[i%len(kinds)]
		if i < mutants {
			a = broken[i]
		}
		host := fmt.Sprintf("127.%d.%d.%d", 1+i/62500, i/250%250, 1+i%250)
		if a.variant == "tls" {
			host = "127.0.0.1" // for which its certificate is
		}
		s, err := reference.Start(t.Context(), reference.Options{Dialect: a.dialect, Variant: a.variant, Mutant: a.mutant, Addr: host + ":0"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		a.url = s.URL()
		ca.Write(s.CA())
		p.agents = append(p.agents, a)
		fmt.Fprintf(&list, "  - target: %s\n    dialect: %s\n    stimuli: %s\n", a.url, a.dialect, unhurriedStimuli(t, a.dialect))
		if a.guarded() {
			list.WriteString("    auth: {bearer: \"secret:park\"}\n")
			fmt.Fprintf(&hosts, "http://%s, ", host)
		}
	}
	token := filepath.Join(dir, "token")
	files := map[string]string{token: reference.Token, p.file: list.String(), p.secrets: "secrets:\n  park:\n    value: file:" + token + "\n    hosts: [" + hosts.String() + "http://127.0.0.1]\n"}
	if ca.Len() > 0 {
		p.ca = filepath.Join(dir, "ca.pem")
		files[p.ca] = ca.String()
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// unhurriedStimuli returns the texts that "stimuli: plain" means, with work of a second instead of a third: so a
// task is still at work when it is asked about, on a busy machine, too.
func unhurriedStimuli(t testing.TB, dialect string) string {
	t.Helper()
	d, err := schema.Load(dialect)
	if err != nil {
		t.Fatal(err)
	}
	if _, known := d.Stimuli["slow"]; !known {
		return "plain"
	}
	texts := maps.Clone(d.Stimuli)
	maps.DeleteFunc(texts, func(name string, _ schema.Stimulus) bool { return !slices.Contains(schema.Behaviours(), name) })
	slow := texts["slow"]
	slow.Text, slow.Seconds = "slow 1", 1
	texts["slow"] = slow
	out, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// fleetOf runs a subcommand of fleet as a process, and returns what it printed.
func fleetOf(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	name := commandtest.ProgramOf(t)
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), commandtest.LeftVariable+"="+filepath.Join(t.TempDir(), "left"))
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.MultiWriter(&errs, testLog{t})
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

type testLog struct{ t testing.TB }

func (l testLog) Write(p []byte) (int, error) {
	l.t.Log(strings.TrimRight(string(p), "\n"))
	return len(p), nil
}

// alone are verdicts of single runs by kind of server. Each is of a server of its own: some
// defects show once.
type alone map[parked][]report.RunVerdict

// gives reports whether a single run gives a server a verdict. Some defects show at times
// only: a run that finds another verdict is repeated, and all that are found count.
func (known alone) gives(t testing.TB, a parked, verdict report.RunVerdict) bool {
	t.Helper()
	a.url = ""
	for len(known[a]) < mostAlone && !slices.Contains(known[a], verdict) {
		known[a] = append(known[a], a.judged(t))
	}
	return slices.Contains(known[a], verdict)
}

// mostAlone is how often a kind of server is judged by itself.
const mostAlone = 12

// guarded reports whether a server lets nobody in without the bearer token.
func (a parked) guarded() bool {
	return a.variant == "guarded" || strings.HasPrefix(a.variant, "guarded-")
}

// judged is the verdict of a single run.
func (a parked) judged(t testing.TB) report.RunVerdict {
	t.Helper()
	s, err := reference.Start(t.Context(), reference.Options{Dialect: a.dialect, Variant: a.variant, Mutant: a.mutant})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	target := conform.Target{URL: s.URL(), Dialect: a.dialect, Behaviour: conform.Behaviour{DefaultStimuli: true}}
	if ca := s.CA(); ca != nil {
		target.CA = filepath.Join(t.TempDir(), "ca.pem")
		if err := os.WriteFile(target.CA, ca, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if a.guarded() {
		target.Bearer = reference.Token
	}
	o, err := conform.Run(t.Context(), target)
	if err != nil {
		t.Fatal(a, err)
	}
	return o.Report.Verdict
}

// fewServers are as many as are judged each time; a part of CI has more.
const fewServers = 6

var (
	fleetServers = flag.Int("fleet", fewServers, "how many bundled servers a fleet judges; of all dialects where they are more than the default")
	fleetTime    = flag.Duration("fleet-time", 0, "how long that may take; 0 for however long, and for one round alone")
)

// A fleet gives every server the verdict that a single run gives it.
func TestFleetOfMany(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	dialects := quickDialects
	if *fleetServers > fewServers {
		dialects = reference.Dialects()
	}
	p := aPark(t, *fleetServers, *fleetServers/5, dialects)
	data, out := t.TempDir(), t.TempDir()
	peak := watchWorkers(t, data)
	began := time.Now()
	round := func() {
		code, stdout, _ := fleetOf(t, append([]string{"run", "--file", p.file, "--data", data, "--out", out}, p.flags()...)...)
		if code != 1 || !strings.Contains(stdout, "site: "+out+"/index.html") {
			t.Errorf("exit code %d: %s", code, stdout)
		}
	}
	round()
	took := time.Since(began)
	targets, _, err := agentlist.ReadFile(p.file)
	if err != nil {
		t.Fatal(err)
	}
	brokerProcess := started(t, "broker", "--data", data)
	f, err := fleet.Connect(t.Context(), broker.ConnectOptions{Data: data, Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	first, err := f.Status(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := f.Outcomes(t.Context(), "000001", targets)
	if err != nil {
		t.Fatal(err)
	}
	single := alone{}
	for i, o := range outcomes {
		if o.Missing || !single.gives(t, p.agents[i], o.Verdict) {
			a := p.agents[i]
			a.url = ""
			t.Errorf("%v is %s in the fleet, and %v by itself", p.agents[i], o.Verdict, single[a])
		}
	}
	size, pages := int64(0), 0
	filepath.WalkDir(out, func(_ string, d os.DirEntry, _ error) error {
		if info, err := d.Info(); err == nil && !d.IsDir() {
			size += info.Size()
			pages++
		}
		return nil
	})
	if size > 100<<20 {
		t.Errorf("the site has %d bytes", size)
	}
	if most := peak(); most > 400<<20 {
		t.Errorf("a worker took %d MiB", most>>20)
	}
	if *fleetTime > 0 && took > *fleetTime {
		t.Errorf("it took %v", took)
	}
	t.Logf("%d servers in %.0f s; a worker took at most %d MiB; the site has %d files and %.1f MB; the broker keeps %.1f MB", len(targets), took.Seconds(), peak()>>20, pages, float64(size)/1e6, float64(first.Stored)/1e6)
	if *fleetTime == 0 {
		return
	}
	// The servers have not changed: a second round keeps little.
	brokerProcess.end()
	round()
	brokerProcess.start()
	second, err := f.Status(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	more := second.Stored - first.Stored
	t.Logf("the second round keeps %.1f MB more, %d agents changed", float64(more)/1e6, len(second.Changed))
	if more > first.Stored/10 {
		t.Errorf("the second round keeps %d bytes more than the %d of the first", more, first.Stored)
	}
}

// watchWorkers notes how much memory the workers of a fleet take at most, in bytes.
func watchWorkers(t *testing.T, data string) (peak func() int64) {
	var most atomic.Int64
	go func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-t.Context().Done():
				return
			case <-tick.C:
			}
			all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
			for _, name := range all {
				line, _ := os.ReadFile(name)
				if !bytes.Contains(line, []byte("\x00work\x00")) || !bytes.Contains(line, []byte(data)) {
					continue
				}
				status, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "status"))
				var kib int64
				if _, rest, ok := strings.Cut(string(status), "VmHWM:"); ok {
					fmt.Sscan(rest, &kib)
				}
				most.Store(max(most.Load(), kib<<10))
			}
		}
	}()
	return most.Load
}
