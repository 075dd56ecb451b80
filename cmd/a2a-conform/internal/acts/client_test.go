package acts

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform/internal/skeletons"
	"github.com/a2a-conform/a2a-conform/harness/acts"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// writeAdapter writes an adapter in Python, and returns its name.
func writeAdapter(t *testing.T) string {
	t.Helper()
	text, err := skeletons.Read("python", "")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "adapter.py")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// readResults reads the results of the one report in a folder, each with the reason of a skip or a failure.
func readResults(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "acts-report-*.json"))
	if err != nil || len(names) != 1 {
		t.Fatalf("got %v, %v", names, err)
	}
	text, err := os.ReadFile(names[0])
	var r acts.Report
	var value any
	if err := errors.Join(err, json.Unmarshal(text, &r), json.Unmarshal(text, &value), compileSchema(t, "acts-report").Validate(value)); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, s := range r.Suites {
		for _, x := range s.Tests {
			out[x.ID] = x.Result + " " + x.SkipReason
			if x.Failure != nil {
				out[x.ID] += x.Failure.Message
			}
		}
	}
	return out
}

// TestClientTests: the tests about clients are run with an adapter, fail if it reports something else, are skipped with a client that
// reports nothing, and come to the same by the record.
func TestClientTests(t *testing.T) {
	adapter := writeAdapter(t)
	for name, c := range map[string]struct {
		command string
		code    int
		want    map[string]string
	}{
		"adapter": {"python3 %s", 0, map[string]string{"CLIENT-PARSE-001": "pass ", "CLIENT-PARSE-002": "pass ", "CLIENT-PARSE-003": "pass ", "CLIENT-PARSE-004": "pass ", "CLIENT-PARSE-005": "pass ",
			"CLIENT-AUTH-001": "skip the lines of an adapter do not report capabilities", "CORE-SEND-001": "skip it is about a server"}},
		"wrong state": {"python3 %s | sed s/TASK_STATE_INPUT_REQUIRED/TASK_STATE_WORKING/", 1, map[string]string{"CLIENT-PARSE-001": "pass ", "CLIENT-PARSE-005": "fail task.status.state is"}},
		"no history":  {`python3 %s | sed 's/, "history": [0-9]*//'`, 0, map[string]string{"CLIENT-PARSE-001": "pass ", "CLIENT-PARSE-003": "skip the lines of an adapter do not report history"}},
		"no artifact": {`python3 %s | grep -v '"saw": "artifact"'`, 1, map[string]string{"CLIENT-PARSE-001": "fail task.artifacts is"}},
		"no adapter":  {"python3 %s >/dev/null", 3, map[string]string{"CLIENT-PARSE-001": "skip the program reports nothing"}},
		"no client":   {"true", 3, map[string]string{"CLIENT-PARSE-001": "error in the plain scenario (hello), the client sent no message"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, again := t.TempDir(), t.TempDir()
			code, out := runCommand(t, "", "corpus", "--out", dir, "--", "sh", "-c", strings.Replace(c.command, "%s", `"`+adapter+`"`, 1))
			if code != c.code {
				t.Errorf("got %d:\n%s", code, out)
			}
			got := readResults(t, dir)
			for id, want := range c.want {
				if !strings.HasPrefix(got[id], want) {
					t.Errorf("%s: got %s, want %s", id, got[id], want)
				}
			}
			replayed, out := runCommand(t, "", "corpus", "--replay", filepath.Join(dir, "transcript.har"), "--out", again)
			if replayed != code {
				t.Errorf("the record gives %d:\n%s", replayed, out)
			}
			for id, result := range readResults(t, again) {
				if got[id] != result {
					t.Errorf("%s: got %s, and by the record %s", id, got[id], result)
				}
			}
			if name == "adapter" {
				checkPayloadIDs(t, filepath.Join(dir, "transcript.har"))
			}
		})
	}
}

// checkPayloadIDs reports answers that do not have the id of their call.
func checkPayloadIDs(t *testing.T, file string) {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	tr, err := record.ReadHAR(in)
	if err != nil {
		t.Fatal(err)
	}
	answered := 0
	for _, s := range tr.Steps() {
		if s.Exchange == nil || !slices.Contains([]string{"send", "get"}, s.Op) {
			continue
		}
		call, _ := record.ObserveJSON(s.Exchange.Request.Body)
		id, answer := call.Member("id"), s.Exchange.Reply().Root.Member("id")
		if answer == nil || !answer.Equal(id) {
			t.Errorf("%s: the answer has another id than the call", s.Name)
		}
		answered++
	}
	if answered < 8 {
		t.Errorf("only %d calls were answered", answered)
	}
}

// TestClientArguments: what has no meaning next to a client is refused, and a test about a payload that no adapter can be asked for
// is skipped.
func TestClientArguments(t *testing.T) {
	ofList := writeTest(t, "must", "- {id: a, client_response: {operation: list_tasks, wire_payload: {}}, expect_parsed: {tasks: {count: 0}}}\n")
	for name, c := range map[string]struct {
		args []string
		code int
		text string
	}{
		"no command": {[]string{"corpus", "--"}, 2, "no command follows --"},
		"a URL":      {[]string{"corpus", "http://127.0.0.1:1", "--", "true"}, 2, "leave one of them out"},
		"self":       {[]string{"corpus", "--self", "--", "true"}, 2, "leave one of them out"},
		"no test":    {[]string{writeTest(t, "must", passing), "--", "true"}, 2, "hold no test about a client"},
		"no file":    {[]string{"--", "true"}, 2, "at least one document"},
		"a list":     {[]string{ofList, "--out", t.TempDir(), "--", "python3", writeAdapter(t)}, 3, "no command of an adapter has a client call list_tasks"},
	} {
		t.Run(name, func(t *testing.T) {
			if code, out := runCommand(t, "", c.args...); code != c.code || !strings.Contains(out, c.text) {
				t.Errorf("got %d:\n%s", code, out)
			}
		})
	}
}
