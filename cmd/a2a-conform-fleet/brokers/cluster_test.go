//go:build brokers

package brokers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/broker"
	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/reports/fleetpage"
)

// aCluster starts three nodes, and returns them by their names, and their addresses.
func aCluster(t *testing.T) (nodes map[string]*commandtest.Process, at string) {
	t.Helper()
	dir := t.TempDir()
	var clients, routes []string
	for range 3 {
		clients = append(clients, fmt.Sprintf("nats://127.0.0.1:%d", freePort(t)))
		routes = append(routes, fmt.Sprintf("nats-route://127.0.0.1:%d", freePort(t)))
	}
	nodes = map[string]*commandtest.Process{}
	for i := range 3 {
		name := fmt.Sprintf("node%d", i+1)
		config := fmt.Sprintf("server_name: %s\nlisten: %q\njetstream { store_dir: %q }\ncluster { name: fleet, listen: %q, routes: [%s] }\n",
			name, strings.TrimPrefix(clients[i], "nats://"), filepath.Join(dir, name), strings.TrimPrefix(routes[i], "nats-route://"), strings.Join(routes, ", "))
		nodes[name] = started(t, natsProgram, "-c", write(t, filepath.Join(dir, name+".conf"), config))
	}
	return nodes, strings.Join(clients, ",")
}

// A cluster keeps everything three times. Nothing is lost when a node is killed under load, each
// target has one result, and the commands work meanwhile.
func TestCluster(t *testing.T) {
	nodes, at := aCluster(t)
	file, targets := agents(t, 60)
	brokerFlag := "--nats=" + at
	if said := done(t, "add", "--file", file, brokerFlag, "--replicas=3"); !strings.Contains(said, "round 1: 60 targets queued\n") {
		t.Fatal(said)
	}
	js := storeOf(t, at)
	for _, s := range streams(t, js) {
		if s.Config.Replicas != 3 || s.Cluster == nil || len(s.Cluster.Replicas) != 2 {
			t.Errorf("%s is kept %d times: %+v", s.Config.Name, s.Config.Replicas, s.Cluster)
		}
	}
	f := connected(t, broker.ConnectOptions{URL: at})
	workers := []*commandtest.Process{aWorker(t, brokerFlag), aWorker(t, brokerFlag)}
	reaches := func(n int) (results int) {
		t.Helper()
		eventually(t, fmt.Sprint(n, " results"), func() bool { results = roundOf(t, f).Results; return results >= n })
		return results
	}
	before := reaches(5)
	// The node that leads the queue dies.
	var led []string
	var victim *commandtest.Process
	for _, s := range streams(t, js) {
		if s.Config.Name == "A2A_FLEET_WORK" {
			victim = nodes[s.Cluster.Leader]
		}
	}
	for _, s := range streams(t, js) {
		if victim != nil && nodes[s.Cluster.Leader] == victim {
			led = append(led, s.Config.Name)
		}
	}
	if victim == nil {
		t.Fatal("nobody leads the queue")
	}
	victim.Kill()
	if said := done(t, "add", "--file", file, brokerFlag); !strings.Contains(said, "round 1: 0 targets queued, 60 were in it already\n") {
		t.Error(said)
	}
	if said := done(t, "status", brokerFlag); !strings.Contains(said, "round 1, begun ") || strings.Count(said, "worker on ") != 2 {
		t.Error(said)
	}
	site := t.TempDir()
	done(t, "report", brokerFlag, "--out", site)
	if _, err := os.Stat(filepath.Join(site, fleetpage.PageFile)); err != nil {
		t.Error(err)
	}
	while := reaches(before + 10)
	victim.Start()
	for _, w := range workers {
		if code := w.AwaitEnd(); code != 0 {
			t.Errorf("a worker ended with %d", code)
		}
	}
	r := roundOf(t, f)
	complete(t, f, r, targets)
	if before > 40 {
		t.Errorf("the load was nearly over when the node was killed: %d results", before)
	}
	t.Logf("%d streams led by the node that was killed after %d of %d results, and started after %d; %d conversations were held again", len(led), before, len(targets), while, r.Repeated)
	// The node has caught up, and every result was written once.
	behind := ""
	defer func() {
		if t.Failed() {
			t.Log("behind: ", behind)
		}
	}()
	eventually(t, "three copies of everything", func() bool {
		behind = ""
		for _, s := range streams(t, js) {
			if s.Config.Replicas != 3 || s.Cluster == nil || s.Cluster.Leader == "" || len(s.Cluster.Replicas) != 2 {
				behind += fmt.Sprintf("%s: %+v\n", s.Config.Name, s.Cluster)
				continue
			}
			for _, p := range s.Cluster.Replicas {
				if !p.Current || p.Offline || p.Lag > 0 {
					behind += fmt.Sprintf("%s: %+v\n", s.Config.Name, *p)
				}
			}
		}
		return behind == ""
	})
	for _, s := range streams(t, js) {
		switch s.Config.Name {
		case "KV_a2a-fleet-results":
			if s.State.LastSeq != uint64(len(targets)) || s.State.Msgs != s.State.LastSeq {
				t.Errorf("%d results were written, and %d are there", s.State.LastSeq, s.State.Msgs)
			}
		case "A2A_FLEET_WORK":
			if s.State.Msgs != 0 || s.State.LastSeq != uint64(len(targets)) {
				t.Errorf("%d targets were queued, and %d still are", s.State.LastSeq, s.State.Msgs)
			}
		case "A2A_FLEET_DEAD":
			if s.State.LastSeq != 0 {
				t.Errorf("%d were given up", s.State.LastSeq)
			}
		}
	}
}

// A broker that is no cluster says so when it is to keep everything three times.
func TestNoCluster(t *testing.T) {
	_, at := aNATS(t, natsProgram, "")
	began := time.Now()
	code, said := fleetOf(t, "status", "--nats=nats://"+at, "--replicas=3")
	if code != 2 || strings.Count(said, "\n") != 1 || !strings.Contains(said, "replicas > 1 not supported in non-clustered mode") {
		t.Errorf("exit code %d after %v: %s", code, time.Since(began), said)
	}
}

// The nodes are of the version that is embedded.
func TestVersion(t *testing.T) {
	said, err := exec.Command(natsProgram, "--version").Output()
	if want := "nats-server: v" + server.VERSION + "\n"; err != nil || string(said) != want {
		t.Errorf("%q, not %q: %v", said, want, err)
	}
}
