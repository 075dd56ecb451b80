package peers

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// adapter is one of those below, by the command that starts it.
type adapter struct {
	name, dialect string
	start         []string
}

// adapters are those that client --adapter prints, on public SDKs.
var adapters = []adapter{
	{"js", "a2a-0.3", []string{"node", "js/adapter.js"}},
	{"js10", "a2a-1.0", []string{"node", "js10/adapter.js"}},
	{"go", "a2a-0.3", []string{"go"}},
	{"go10", "a2a-1.0", []string{"go10"}},
}

// locateClient returns the command of a client with the whole path of its program.
func locateClient(t *testing.T, bin string, command []string) []string {
	t.Helper()
	start := slices.Clone(command)
	if start[0] != "node" {
		start[0] = filepath.Join(bin, start[0])
		return start
	}
	file, err := filepath.Abs(start[1])
	if err != nil {
		t.Fatal(err)
	}
	start[1] = file
	return start
}

// buildAdapters builds the program and the adapters in Go, and returns their folder.
func buildAdapters(t *testing.T) (bin string) {
	t.Helper()
	bin = t.TempDir()
	build(t, "../..", "./cmd/a2a-conform", filepath.Join(bin, "a2a-conform"))
	for _, name := range []string{"go", "go10"} {
		build(t, name, "./adapter", filepath.Join(bin, name))
	}
	return bin
}

// TestAdaptersReport judges the adapters on public SDKs: they do the commands and report what the SDK saw, as one process and as
// one for each scenario, and no failure is new.
func TestAdaptersReport(t *testing.T) {
	bin := buildAdapters(t)
	for _, c := range adapters {
		start := locateClient(t, bin, c.start)
		for _, keep := range []string{"--keep=false", "--keep"} {
			t.Run(c.name+" "+keep, func(t *testing.T) {
				t.Parallel()
				_, transcript := judgeClient(t, bin, c.dialect, start, keep, "--scenario", "hello,stream,cancel,get,odd-parts,extended-card,stream-abandon")
				tr := recorded(t, transcript)
				if k := tr.Facts.Calibration; !k.Adapter || len(k.Cannot) > 0 {
					t.Errorf("the calibration is %+v", k)
				}
				for scenario, want := range map[string]string{"hello": "card task artifact end", "cancel": "card task status", "get": "card task artifact", "stream": "card task artifact status end", "stream-abandon": "artifact end", "odd-parts": "part"} {
					run := tr.Play(scenario).Client
					for kind := range strings.FieldsSeq(want) {
						if len(run.Reports(kind)) == 0 {
							t.Errorf("%s: no %s was reported", scenario, kind)
						}
					}
					if run.Exit != 0 || run.Renewed != "" || len(run.Misread) > 0 {
						t.Errorf("%s: exit code %d, %q, %+v: %s", scenario, run.Exit, run.Renewed, run.Misread, run.Stderr)
					}
				}
			})
		}
	}
}

// adapterFaults are what adapters show that the simplest clients do not. All failures are in the files of waivers.
var adapterFaults = []struct {
	name, binding, waivers string // binding is the one that the adapter prefers; "" for the card's first
	faults                 []fault
}{
	{"js", "", "js", []fault{
		{id: "A2A03-CL-ERR-002", step: "error-null-id/send", bytes: `"id":null`}, {id: "A2A03-CL-STREAM-024", step: "stream-abandon/stream", bytes: "data: "},
	}},
	{"js10", "", "js10", []fault{
		{id: "A2A10-CL-CACHE-001", step: "card-cached/card-2", bytes: "get /.well-known/"}, {id: "A2A10-CL-CACHE-002", step: "card-stale/card-2", bytes: "get /.well-known/"},
	}},
	{"go", "", "go", []fault{
		{id: "A2A03-CL-ERR-003", step: "error-http-status-404/send", bytes: "http/1.1 404"}, {id: "A2A03-CL-ERR-005", step: "error-details-list/send", bytes: `"data":[`},
	}},
	{"go10", "", "go10", []fault{
		{id: "A2A10-CL-CACHE-001", step: "card-cached/card-2", bytes: "get /.well-known/"}, {id: "A2A10-CL-CACHE-002", step: "card-stale/card-2", bytes: "get /.well-known/"},
		{id: "A2A10-CL-ERR-003", step: "error-http-status-400/send", bytes: "http/1.1 400"},
	}},
	{"go10", "HTTP+JSON", "go10-rest", []fault{
		{id: "A2A10-CL-REST-007", step: "odd-ids/call", bytes: "get /agent/rest/tasks/"}, {id: "A2A10-CL-REST-004", step: "list-pages/list", bytes: "lastupdatedafter="},
		{id: "A2A10-CL-REST-001", step: "tenant-odd/send", bytes: "/c/"},
	}},
}

// TestAdaptersFindFaults judges the adapters on public SDKs in the scenarios in which their faults are seen.
func TestAdaptersFindFaults(t *testing.T) {
	bin := buildAdapters(t)
	for _, c := range adapterFaults {
		t.Run(strings.TrimSpace(c.name+" "+c.binding), func(t *testing.T) {
			t.Parallel()
			with := adapters[slices.IndexFunc(adapters, func(a adapter) bool { return a.name == c.name })]
			start := locateClient(t, bin, with.start)
			if c.binding != "" {
				start = append([]string{"env", "A2A_TRANSPORT=" + c.binding}, start...)
			}
			r, transcript := judgeClient(t, bin, with.dialect, start, "--waivers", "adapters-"+c.waivers+".yaml", "--scenario", strings.Join(scenariosOf(c.faults), ","))
			noneOverdue(t, r)
			demandFaults(t, r, transcript, c.faults)
		})
	}
}
