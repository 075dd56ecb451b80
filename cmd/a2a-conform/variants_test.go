package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// startedBy starts the bundled server by its command and returns its URL.
func startedBy(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	ended := make(chan int)
	go func() { ended <- execute(ctx, append([]string{"reference"}, args...), w, io.Discard) }()
	t.Cleanup(func() {
		cancel()
		go io.Copy(io.Discard, r)
		if code := <-ended; code != 0 {
			t.Errorf("reference %v ended with %d", args, code)
		}
	})
	url, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(url)
}

// Every variant of the bundled server is found conformant by the command line
// that fits it. What a flag would decide is undecided without it, and the
// report names the flag.
func TestVariants(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ca, config := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "guarded.yaml")
	rate := filepath.Join(dir, "limited.yaml")
	ways, hasty := filepath.Join(dir, "ways.yaml"), filepath.Join(dir, "hasty.yaml")
	paid, authenticated := filepath.Join(dir, "paid.yaml"), filepath.Join(dir, "authenticated.yaml")
	flooded := []string{"JAF03-RATE-008", "JAF03-RATE-010", "JAF03-RATE-011", "JAF03-RATE-012"}
	// Work that takes 1.5 s is under way when it is asked about, on a busy machine too.
	for name, text := range map[string]string{
		ways:          "auth:\n  bearer: ${REF_TOKEN}\n  apiKey: ${REF_KEY}\n  second: {basic: ${REF_BASIC}}\n  low: {bearer: ${REF_LOW}}\nstimuli:\n  slow: {text: slow 1.5, seconds: 1.5}\n  forbidden: {text: forbidden}\n",
		hasty:         "declares:\n  timeouts: {call: 1.5, stream: 2}\nstimuli:\n  long: {text: slow 5, seconds: 5}\n",
		paid:          "stimuli:\n  slow: {text: slow 1.5, seconds: 1.5}\n  fail: {text: fail}\n  chunks: {text: artifact}\n  pay:\n    text: pay\n    payment: {x402.payment.status: payment-submitted, x402.payment.payload: {network: base}}\n",
		authenticated: "auth:\n  bearer: ${REF_TOKEN}\ndeclares:\n  authenticated: true\nstimuli:\n  slow: {text: slow 1.5, seconds: 1.5}\n",
		config:        "auth:\n  bearer: ${REF_TOKEN}\n  second: {bearer: ${REF_SECOND}}\n  low: {bearer: ${REF_LOW}}\nstimuli:\n  slow: {text: slow 1.5, seconds: 1.5}\n  forbidden: {text: forbidden}\n",
		rate:          "declares:\n  rateLimit: {requests: 80, seconds: 1}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	heavy := []string{"A2A01-LIM-001", "A2A01-LIM-002"}
	for i, c := range []struct {
		name      string
		reference []string
		run       []string
		code      int
		open      []string // undecided; nil for any, as long as each names a remedy
		word      string   // in what is printed
	}{
		{"lavish", []string{"--dialect", "a2a-0.1", "--variant", "lavish"}, []string{"--stimuli", "plain"}, 0, heavy, "--allow heavy"},
		{"minimal", []string{"--dialect", "a2a-0.1", "--variant", "minimal"}, []string{"--stimuli", "plain", "--allow", "heavy"}, 0, []string{}, "CONFORMANT"},
		{"minimal, no texts known", []string{"--dialect", "a2a-0.1", "--variant", "minimal"}, nil, 3, nil, "never: ["},
		{"silent", []string{"--dialect", "a2a-0.1", "--variant", "silent"}, []string{"--stimuli", "plain"}, 0, heavy, "CONFORMANT"},
		{"guarded, by a stranger", []string{"--dialect", "a2a-0.1", "--variant", "guarded"}, []string{"--stimuli", "plain", "--gate", "no-failures"}, 2, nil, "every call was refused with HTTP 401: give credentials with --bearer-env"},
		{"guarded", []string{"--dialect", "a2a-0.1", "--variant", "guarded"}, []string{"--stimuli", "plain", "--bearer-env", "REF_TOKEN"}, 0,
			append([]string{"A2A01-AUTH-007", "A2A01-AUTH-009", "A2A01-AUTH-020"}, heavy...), "auth: {second:"},
		{"guarded, by all clients", []string{"--dialect", "a2a-0.1", "--variant", "guarded"}, []string{"--stimuli", "plain", "--config", config, "--allow", "heavy"}, 0, []string{}, "CONFORMANT"},
		{"tls, of an unknown authority", []string{"--dialect", "a2a-0.1", "--variant", "tls"}, nil, 4, nil, "--ca FILE"},
		{"tls", []string{"--dialect", "a2a-0.1", "--variant", "tls", "--ca-out", ca}, []string{"--stimuli", "plain", "--ca", ca}, 0, heavy, "CONFORMANT"},
		{"tls, unverified", []string{"--dialect", "a2a-0.1", "--variant", "tls"}, []string{"--stimuli", "plain", "--insecure"}, 0, heavy, "the server's certificate was not verified"},
		{"limited, declared", []string{"--dialect", "a2a-0.1", "--variant", "limited", "--rate", "80/1s"}, []string{"--stimuli", "plain", "--config", rate}, 0,
			append([]string{"A2A01-RATE-001", "A2A01-RATE-003"}, heavy...), "--allow disruptive"},
		{"limited, flooded", []string{"--dialect", "a2a-0.1", "--variant", "limited", "--rate", "80/1s"}, []string{"--stimuli", "plain", "--config", rate, "--allow-disruptive"}, 0, []string{}, "80 requests in 1 s"},
		{"a2x, paid", []string{"--dialect", "a2x-0.3", "--variant", "paid"}, []string{"--config", paid}, 0, []string{}, "CONFORMANT"},
		{"a2x, guarded", []string{"--dialect", "a2x-0.3", "--variant", "guarded"}, []string{"--stimuli", "plain", "--config", authenticated}, 0, []string{}, "authenticated"},
		{"jaf, guarded", []string{"--dialect", "jaf-0.3", "--variant", "guarded"}, []string{"--stimuli", "plain", "--config", ways}, 3, flooded, "--allow disruptive"},
		{"jaf, a narrow limit", []string{"--dialect", "jaf-0.3", "--rate", "20/1s"}, []string{"--run", "JAF03-RATE-*", "--run", "JAF03-CARD-001"}, 3, flooded, "--allow disruptive"},
		{"jaf, hasty", []string{"--dialect", "jaf-0.3", "--variant", "hasty"}, []string{"--config", hasty, "--run", "JAF03-LIM-011", "--run", "JAF03-LIM-013"}, 3, []string{}, "timeouts.call"},
	} {
		if testamount.LeavesOut(i%4 == 0) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			run := newChild(t, append([]string{"run", startedBy(t, c.reference...), "--webhook-listen", "127.0.0.1:0"}, c.run...)...)
			run.Env = append(run.Env, "REF_KEY="+reference.Key, "REF_BASIC="+reference.SecondBasic, "REF_TOKEN="+reference.Token,
				"REF_SECOND="+reference.SecondToken, "REF_LOW="+reference.LowToken)
			run.Run() // how it ended is in its state
			run.Check(t)
			if code := run.ProcessState.ExitCode(); code != c.code {
				t.Fatalf("exit %d, want %d\n%s%s", code, c.code, &run.Printed, &run.Errors)
			}
			if !strings.Contains(run.Printed.String(), c.word) {
				t.Errorf("%q is not in\n%s", c.word, &run.Printed)
			}
			open := []string{}
			judged, err := readReport(run.Dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range judged.Results {
				switch {
				case r.Verdict == report.Fail && c.code != 4, r.Verdict == report.SuiteError:
					t.Errorf("%s: %s", r.ID, r.Reason)
				case r.Verdict != report.Inconclusive:
				case r.Remedy == "" && c.code != 4:
					t.Errorf("%s is undecided, and nothing says what would decide it: %s", r.ID, r.Reason)
				default:
					open = append(open, r.ID)
				}
			}
			if c.open != nil && !slices.Equal(slices.Sorted(slices.Values(c.open)), slices.Sorted(slices.Values(open))) {
				t.Errorf("undecided are %q, want %q", open, c.open)
			}
			onlyFlooded(t, run.Dir, c.name == "limited, flooded")
		})
	}
}

// onlyFlooded demands that no call was refused for a rate limit outside the
// scenario that is about it.
func onlyFlooded(t *testing.T, dir string, flooded bool) {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, "a2a-report", "transcript.har"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	transcript, err := record.ReadHAR(file)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, p := range transcript.Plays {
		for _, s := range p.Steps {
			if s.Exchange.Status() != 429 {
				continue
			}
			if refused++; p.Scenario != "flood" {
				t.Errorf("%s/%s was refused for the rate limit", p.Scenario, s.Name)
			}
		}
	}
	if flooded != (refused > 0) {
		t.Errorf("%d calls were refused for the rate limit", refused)
	}
}
