package peers

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// calls are what a client says to an agent by curl: a body for each call.
var calls = map[string][]string{
	"a2a-1.0": {
		`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"grüß dich. 3.5"}]}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"SendStreamingMessage","params":{"message":{"messageId":"m-2","role":"ROLE_USER","parts":[{"text":"hello"}]}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"ListTasks","params":{"pageSize":2}}`,
	},
	"a2a-0.3": {
		`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m-1","role":"user","parts":[{"kind":"text","text":"grüß dich. 3.5"}]}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"message/stream","params":{"message":{"kind":"message","messageId":"m-2","role":"user","parts":[{"kind":"text","text":"hello"}]}}}`,
	},
}

// TestRecordedTraffic judges what a browser and curl recorded of conversations with the bundled server, in which both sides
// do what they have to: nothing fails, whatever the recordings leave out.
func TestRecordedTraffic(t *testing.T) {
	bin := t.TempDir()
	build(t, "../..", "./cmd/a2a-conform", filepath.Join(bin, "a2a-conform"))
	for dialect := range calls {
		url := started(t, []string{filepath.Join(bin, "a2a-conform"), "reference", "--dialect", dialect, "--addr", "127.0.0.1:0", "--grpc-addr", "127.0.0.1:0"})
		for how, record := range map[string]func(t *testing.T, dialect, url, file string) []string{
			"playwright":         recordByBrowser,
			"curl --trace":       recordByCurl("--trace"),
			"curl --trace-ascii": recordByCurl("--trace-ascii"),
		} {
			t.Run(dialect+"/"+how, func(t *testing.T) {
				t.Parallel()
				recordings := record(t, dialect, url, filepath.Join(t.TempDir(), "recording"))
				for _, bodies := range []string{"--bodies=false", "--bodies"} {
					for side, least := range map[string]int{"server": 20, "client": 5} {
						passed, failed := judgeRecordings(t, bin, side, bodies, recordings)
						if len(failed) > 0 || passed < least {
							t.Errorf("%s, %s: %d pass, want %d at least; these fail: %v", side, bodies, passed, least, failed)
						}
					}
				}
			})
		}
	}
}

// judgeRecordings judges one side of a recording, and returns how many requirements pass, and which fail.
func judgeRecordings(t *testing.T, bin, side, bodies string, recordings []string) (passed int, failed []string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "a2a-conform"), append([]string{"traffic", "--json", "--side", side, bodies}, recordings...)...)
	out, err := cmd.Output()
	var report struct {
		Results []struct{ ID, Verdict, Reason string }
	}
	if broken := json.Unmarshal(out, &report); broken != nil {
		t.Fatalf("%v, %v\n%s", err, broken, out)
	}
	for _, r := range report.Results {
		switch r.Verdict {
		case "pass":
			passed++
		case "fail":
			failed = append(failed, r.ID+": "+r.Reason)
		}
	}
	return passed, failed
}

// recordByBrowser records a page in Chromium.
func recordByBrowser(t *testing.T, dialect, url, file string) []string {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("%v; .ci/run shows what to install", err)
	}
	out, err := exec.Command("node", "playwright/record.js", url, file+".har", browser, dialect).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return []string{file + ".har"}
}

// recordByCurl returns what records calls by curl, with a flag that says how.
func recordByCurl(flag string) func(t *testing.T, dialect, url, file string) []string {
	return func(t *testing.T, dialect, url, file string) (files []string) {
		t.Helper()
		ask := func(args ...string) {
			name := fmt.Sprintf("%s-%d.txt", file, len(files))
			out, err := exec.Command("curl", append([]string{"--silent", "--show-error", "--output", os.DevNull, flag, name, "--trace-time"}, args...)...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			files = append(files, name)
		}
		ask(url + "/.well-known/agent-card.json")
		for _, body := range calls[dialect] {
			args := []string{"--no-buffer", "--header", "Content-Type: application/json", "--data-binary", body}
			if dialect == "a2a-1.0" {
				args = append(args, "--header", "A2A-Version: 1.0")
			}
			ask(append(args, url)...)
		}
		return files
	}
}
