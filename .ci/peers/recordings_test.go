package peers

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/recognition"
)

var keepRecordings = flag.Bool("record", false, "keep what the clients send as the recordings that the suite is compared with")

// recordedClients are the clients on public SDKs whose requests are kept, and the bindings whose
// requests have text in them.
var recordedClients = []struct {
	name, dialect string
	start         []string
	bindings      []string
}{
	{"a2a-go 0.3.15", "a2a-0.3", []string{"client"}, []string{"JSONRPC"}},
	{"a2a-js 0.3.14", "a2a-0.3", []string{"node", "js/client.js"}, []string{"JSONRPC", "HTTP+JSON"}},
	{"a2a-go 2.4.0", "a2a-1.0", []string{"client10"}, []string{"JSONRPC", "HTTP+JSON"}},
	{"a2a-js 1.3.0", "a2a-1.0", []string{"node", "js10/client.js"}, []string{"JSONRPC", "HTTP+JSON"}},
}

// TestRecordings lets the clients use the bundled server, and demands that what they send is
// what is kept of them: the same requests, written in the same way.
func TestRecordings(t *testing.T) {
	bin := t.TempDir()
	build(t, "../..", "./cmd/a2a-conform", filepath.Join(bin, "a2a-conform"))
	build(t, "go", "./client", filepath.Join(bin, "client"))
	build(t, "go10", "./client", filepath.Join(bin, "client10"))
	for _, client := range recordedClients {
		for _, binding := range client.bindings {
			t.Run(client.name+"/"+binding, func(t *testing.T) {
				t.Parallel()
				start := slices.Clone(client.start)
				if start[0] != "node" {
					start[0] = filepath.Join(bin, start[0])
				}
				now := recordOf(t, bin, client.dialect, start, binding)
				now.Client, now.Dialect = client.name, client.dialect
				file := "../../internal/recognition/testdata/" + strings.ReplaceAll(client.name, " ", "-") + "-" + strings.ReplaceAll(strings.ToLower(binding), "+", "-") + ".jsonl"
				if *keepRecordings {
					writeRecording(t, file, now)
				}
				compareRecordings(t, readRecording(t, file), now)
			})
		}
	}
}

// recordOf is what a client sends to the bundled server by a binding.
func recordOf(t *testing.T, bin, dialect string, start []string, binding string) recognition.Recording {
	t.Helper()
	url := started(t, []string{filepath.Join(bin, "a2a-conform"), "reference", "--dialect", dialect, "--addr", "127.0.0.1:0", "--grpc-addr", "127.0.0.1:0"})
	recorder, err := recognition.Record(strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	if printed, err := exec.Command(start[0], slices.Concat(start[1:], []string{recorder.URL, "full", binding})...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	all, err := recorder.Stop()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func writeRecording(t *testing.T, file string, r recognition.Recording) {
	t.Helper()
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := r.Write(out); err != nil {
		t.Fatal(err)
	}
}

func readRecording(t *testing.T, file string) recognition.Recording {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	r, err := recognition.Read(in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// compareRecordings demands that both write the same calls in the same way. Header fields are left
// out, since they change with the version of Node.js, and so are texts, times and connections.
func compareRecordings(t *testing.T, kept, now recognition.Recording) {
	t.Helper()
	before, after := writingOf(kept), writingOf(now)
	for trait := range before {
		if !after[trait] {
			t.Errorf("the client no longer sends what is kept of it: %v", trait)
		}
	}
	for trait := range after {
		if !before[trait] {
			t.Errorf("the client sends what is not kept of it: %v", trait)
		}
	}
	if t.Failed() {
		t.Log("go test ./.ci/peers -run TestRecordings -record keeps it anew")
	}
}

// writingOf are the traits of a client that every recording of it shows.
func writingOf(r recognition.Recording) map[recognition.Trait]bool {
	families := []recognition.Family{recognition.Members, recognition.MemberOrder, recognition.Spelling, recognition.CallIDs, recognition.MessageIDs, recognition.Queries}
	out := map[recognition.Trait]bool{}
	for _, traits := range r.Traits() {
		for _, trait := range traits {
			if slices.Contains(families, trait.Family) {
				out[trait] = true
			}
		}
	}
	return out
}
