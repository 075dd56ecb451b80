//go:build brokers

package brokers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/allowance"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/fleet"
	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/reports/fleetpage"
)

// debian is the nats-server of Debian.
func debian(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("nats-server")
	if err != nil {
		t.Fatal("apt-get install nats-server: ", err)
	}
	version, err := exec.Command(program, "--version").Output()
	if err != nil || !strings.HasPrefix(string(version), "nats-server: v2.9.") {
		t.Fatalf("%s is %q, and not of 2.9: %v", program, version, err)
	}
	return program
}

// An older broker does all but schedules.
func TestOlderServer(t *testing.T) {
	program := debian(t)
	at := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	_, port, _ := strings.Cut(at, ":")
	server := started(t, program, "-js", "-sd", t.TempDir(), "-a", "127.0.0.1", "-p", port)
	server.AwaitText("Server is ready")
	brokerFlag := "--nats=nats://" + at
	file, targets := agents(t, 8)
	f := connected(t, broker.ConnectOptions{URL: "nats://" + at})
	js := storeOf(t, "nats://"+at)
	for i := range 3 { // of which two are kept
		if said := done(t, "add", "--file", file, brokerFlag); !strings.Contains(said, fmt.Sprintf("round %d: 8 targets queued\n", i+1)) {
			t.Fatal(said)
		}
		workers := []*commandtest.Process{aWorker(t, brokerFlag, "--keep-rounds=2", "--keep-bytes=1kB", "--keep=all"), aWorker(t, brokerFlag, "--keep-rounds=2", "--keep-bytes=1kB", "--keep=all")}
		for _, w := range workers {
			if code := w.AwaitEnd(); code != 0 {
				t.Errorf("a worker ended with %d", code)
			}
		}
		complete(t, f, roundOf(t, f), targets)
	}
	said := done(t, "status", brokerFlag, "--json")
	var s fleet.Status
	if err := json.Unmarshal([]byte(said), &s); err != nil || len(s.Rounds) != 2 || s.Rounds[0].ID != "000002" || s.Rounds[1].ID != "000003" || len(s.Dead) != 0 {
		t.Errorf("%v %s", err, said)
	}
	for _, s := range streams(t, js) {
		if s.Config.Name == "KV_a2a-fleet-results" && s.State.Msgs != 16 {
			t.Errorf("%d results are kept, of two rounds of 8", s.State.Msgs)
		}
	}
	// Of reports and transcripts only the last ones of each agent are kept, whatever the bound.
	evidence, err := js.ObjectStore(t.Context(), "a2a-fleet-evidence")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := evidence.List(t.Context())
	if err != nil || len(kept) != len(targets) {
		t.Errorf("%d reports are kept: %v", len(kept), err)
	}
	for _, o := range kept {
		if !strings.Contains(o.Name, ".000003.") {
			t.Errorf("%s is kept", o.Name)
		}
	}
	// The site, written and served.
	site := t.TempDir()
	if said := done(t, "report", brokerFlag, "--out", site); !strings.Contains(said, "8 agents: ") {
		t.Error(said)
	}
	if _, err := os.Stat(filepath.Join(site, fleetpage.PageFile)); err != nil {
		t.Error(err)
	}
	serve := started(t, fleetProgram, "serve", brokerFlag, "--listen=127.0.0.1:0")
	serve.AwaitText("http://127.0.0.1:")
	home := strings.TrimSpace(serve.Text())
	page := get(t, home)
	agent := regexp.MustCompile(`agents/[0-9a-f]+\.html`).FindString(page)
	if agent == "" || !strings.Contains(page, targets[0].URL) {
		t.Fatalf("%.2000s", page)
	}
	if page := get(t, home+agent); !strings.Contains(page, "127.1.0.") {
		t.Errorf("%s: %.2000s", agent, page)
	}
	// Schedules are refused, and nothing else is changed.
	before := stateOf(t, f, streams(t, js))
	code, said := fleetOf(t, "add", "--every", "0 2 * * *", "--file", file, brokerFlag)
	if want := "a2a-conform: the broker is nats-server 2.9."; code != 2 || !strings.HasPrefix(said, want) || strings.Count(said, "\n") != 1 ||
		!strings.Contains(said, ", which has no schedules: --every needs 2.14.0 or newer. Without it, have cron or a timer of systemd call fleet add") {
		t.Errorf("exit code %d: %s", code, said)
	}
	if code, said := fleetOf(t, "add", "--every", "never", "--schedule", "agents", brokerFlag); code != 2 || !strings.Contains(said, ", which has no schedules") {
		t.Errorf("exit code %d: %s", code, said)
	}
	if after := stateOf(t, f, streams(t, js)); after != before {
		t.Errorf("%s\nis another one than before:\n%s", after, before)
	}
}

// stateOf is what a broker keeps; the bucket of leases also has the clocks of everybody who asks.
func stateOf(t *testing.T, f *fleet.Fleet, all []*jetstream.StreamInfo) string {
	t.Helper()
	s, err := f.Status(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	s.Stored = 0
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range all {
		if info.Config.Name != "KV_a2a-fleet-leases" {
			text = fmt.Appendf(text, "\n%s: %d messages, up to %d", info.Config.Name, info.State.Msgs, info.State.LastSeq)
		}
	}
	return string(text)
}

func get(t *testing.T, at string) string {
	t.Helper()
	c := http.Client{Timeout: time.Minute}
	r, err := c.Get(at)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v\n%.2000s", at, r.Status, err, text)
	}
	return string(text)
}

// Workers of an older broker share a host: one run at a time, over all of them, and starts at
// the rate that is allowed.
func TestOlderServerPoliteness(t *testing.T) {
	_, at := aNATS(t, debian(t), "")
	at = "nats://" + at
	var list strings.Builder
	list.WriteString("agents:\n")
	for i := range 10 {
		fmt.Fprintf(&list, "  - target: http://127.0.0.1:%d\n", 9000+i) // nobody is called: all is done by a stub
	}
	targets, _, err := agentlist.ReadFile(write(t, filepath.Join(t.TempDir(), "agents.yaml"), list.String()))
	if err != nil {
		t.Fatal(err)
	}
	if a, err := connected(t, broker.ConnectOptions{URL: at}).Add(t.Context(), "v1", targets); err != nil || a.Queued != len(targets) {
		t.Fatal(a, err)
	}
	var mu sync.Mutex
	under, most := map[string]int{}, map[string]int{}
	calls := map[string]int{}
	judge := func(ctx context.Context, r fleet.Run) (*conform.Outcome, error) {
		u, err := url.Parse(r.Target.URL)
		if err != nil {
			return nil, err
		}
		mu.Lock()
		calls[r.Target.URL]++
		under[u.Hostname()]++
		most[u.Hostname()] = max(most[u.Hostname()], under[u.Hostname()])
		mu.Unlock()
		time.Sleep(20 * time.Millisecond) // the conversation
		mu.Lock()
		under[u.Hostname()]--
		mu.Unlock()
		return nil, fmt.Errorf("a stub")
	}
	began := time.Now()
	var all sync.WaitGroup
	for i := range 3 {
		f := connected(t, broker.ConnectOptions{URL: at})
		all.Go(func() {
			w := fleet.Worker{Name: fmt.Sprint("w", i), Tool: "v1", Parallel: 4, Judge: judge, StopWhenIdle: true, Retention: fleet.Retention{Rounds: 30}, Log: func(text string) { t.Log(text) },
				Allowance: allowance.Allowance{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, Limits: fleet.RateLimits{PerHost: 1, RunsPerSecond: 5}}
			if err := w.Work(t.Context(), f); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if most["127.0.0.1"] != 1 || len(calls) != len(targets) {
		t.Errorf("%v runs at a time, %v", most, calls)
	}
	for at, n := range calls {
		if n != 1 {
			t.Errorf("%s was judged %d times", at, n)
		}
	}
	if took := time.Since(began); took < 9*time.Second/5 {
		t.Errorf("10 runs began within %v, though 5 may in a second", took)
	}
}
