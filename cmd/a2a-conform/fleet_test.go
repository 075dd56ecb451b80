package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// park is many bundled servers, each at a loopback address of its own, and what a fleet needs
// to judge them.
type park struct {
	agents  []parked
	file    string // agents.yaml
	secrets string
	ca      string
}

type parked struct {
	url                      string
	dialect, variant, mutant string
}

// flags are those of a worker that may judge the park.
func (p *park) flags() []string {
	return []string{"--allow-network=127.0.0.0/8", "--secrets=" + p.secrets, "--ca=" + p.ca}
}

// aPark starts so many servers: every dialect and variant but those that limit calls, and so
// many with a defect.
func aPark(t testing.TB, servers, mutants int) *park {
	t.Helper()
	dir := t.TempDir()
	p := &park{file: filepath.Join(dir, "agents.yaml"), secrets: filepath.Join(dir, "secrets.yaml"), ca: filepath.Join(dir, "ca.pem")}
	var kinds, broken []parked
	for _, dialect := range reference.Dialects() {
		for _, v := range reference.Variants(dialect) {
			if v != "limited" {
				kinds = append(kinds, parked{dialect: dialect, variant: v})
			}
		}
	}
	most := map[string][]reference.MutantInfo{}
	for _, dialect := range reference.Dialects() {
		most[dialect] = slices.DeleteFunc(reference.Mutants(dialect), func(m reference.MutantInfo) bool {
			return m.Variant == "limited" || strings.HasSuffix(m.Name, "-deadly") // after which the server is no more
		})
	}
	for i := 0; len(broken) < mutants; i++ { // of each dialect in turn
		for _, dialect := range reference.Dialects() {
			if all := most[dialect]; len(broken) < mutants && len(all) > 0 {
				m := all[i*37%len(all)]
				broken = append(broken, parked{dialect: dialect, variant: m.Variant, mutant: m.Name})
			}
		}
	}
	t.Setenv("PARK_TOKEN", reference.Token)
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
		fmt.Fprintf(&list, "  - target: %s\n    dialect: %s\n    stimuli: plain\n", a.url, a.dialect)
		if a.variant == "guarded" {
			list.WriteString("    auth: {bearer: \"secret:park\"}\n")
			fmt.Fprintf(&hosts, "http://%s, ", host)
		}
	}
	for name, text := range map[string]string{p.file: list.String(), p.ca: ca.String(), p.secrets: "secrets:\n  park:\n    value: ${PARK_TOKEN}\n    hosts: [" + hosts.String() + "http://127.0.0.1]\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// fleetOf runs a subcommand of fleet as a process, and returns what it printed.
func fleetOf(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	name, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), name, append([]string{"fleet"}, args...)...)
	cmd.Env = append(os.Environ(), leftVariable+"="+filepath.Join(t.TempDir(), "left"))
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.MultiWriter(&errs, testLog{t})
	err = cmd.Run()
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

// alone are the verdicts of single runs, one of each kind of server. Each is of a server of its
// own: some defects show once.
func (p *park) alone(t testing.TB) []judge.RunVerdict {
	t.Helper()
	known := map[parked]judge.RunVerdict{}
	var out []judge.RunVerdict
	for _, a := range p.agents {
		kind := a
		kind.url = ""
		if _, ok := known[kind]; !ok {
			s, err := reference.Start(t.Context(), reference.Options{Dialect: a.dialect, Variant: a.variant, Mutant: a.mutant})
			if err != nil {
				t.Fatal(err)
			}
			ca := filepath.Join(t.TempDir(), "ca.pem")
			if err := os.WriteFile(ca, s.CA(), 0o600); err != nil {
				t.Fatal(err)
			}
			target := conform.Target{URL: s.URL(), Dialect: a.dialect, Preset: true}
			if s.CA() != nil {
				target.CA = ca
			}
			if a.variant == "guarded" {
				target.Bearer = reference.Token
			}
			o, err := conform.Run(t.Context(), target)
			if err != nil {
				t.Fatal(a, err)
			}
			known[kind] = o.Report.Verdict
			s.Close()
		}
		out = append(out, known[kind])
	}
	return out
}

func TestFleetRun(t *testing.T) {
	p := aPark(t, 40, 8)
	data, out := t.TempDir(), t.TempDir()
	code, stdout, _ := fleetOf(t, append([]string{"run", "--file", p.file, "--data", data, "--out", out}, p.flags()...)...)
	t.Log(code, stdout)
}
