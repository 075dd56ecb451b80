package verdict

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a waiver quotes of a text of an earlier version is found in the text of today.
func TestWhatWaiversQuoteOfEarlierVersions(t *testing.T) {
	for _, c := range []struct {
		now, where string
		held       bool
	}{
		{`GetTask: the server answered with error -32600 (InvalidRequest): "No"; expected a JSON-RPC error -32602 (InvalidParams) (A2A 1.0.1 §9.5) [exchange 3]`, `answered code -32600 (InvalidRequest) "No"`, true},
		{`GetTask: the server answered with error -32600 (InvalidRequest): "No"; expected a JSON-RPC error -32602 (InvalidParams) (A2A 1.0.1 §9.5) [exchange 3]`, `A2A 1.0.1 §9.5 asks for -32602 (InvalidParams)`, true},
		{`GetTask: the server answered with error -32600 (InvalidRequest): "No"; expected a JSON-RPC error -32602 (InvalidParams) (A2A 1.0.1 §9.5) [exchange 3]`, `answered code -32601`, false},
		{`x: the server kept the stream open for 5.0 s; expected it to be closed (A2A 1.0.1 §3.1.2): it is over [exchange 3]`, `A2A 1.0.1 §3.1.2 asks for it to be closed: it is over`, true},
		{`x: the server refused the call with HTTP 400 and its own JSON {"error":"no"}; expected a result (A2A 1.0.1 §9)`, `answered HTTP 400 with JSON that is no JSON-RPC response`, true},
		{`x: the server failed with HTTP 503 without a body; expected a result (A2A 1.0.1 §9)`, `answered HTTP 503 without a body`, true},
		{"x: the result's `status` has no `state`; it has timestamp; expected `state`, which is required (A2A 1.0.1 §4)", "left out Task.status.state, and has only timestamp", true},
		{"x: the result's `status` has no `state`; it has timestamp; expected `state`, which is required (A2A 1.0.1 §4)", "left out Task.status.timestamp", false},
		{`x: the result's ` + "`a.b`" + ` is an array; expected a string (A2A 1.0.1 §4) [exchange 1, /result/a/b]`, "sent File.b, which is an array", true},
		{`x: the result's ` + "`a.b`" + ` is an array; expected a string (A2A 1.0.1 §4) [exchange 1, /result/a/b]`, "sent File.c, which is an array", false},
		{`x: the result's ` + "`a.b`" + ` is an array; expected a string (A2A 1.0.1 §4) [exchange 1, /result/a/b]`, "sent File.b, which is null", false},
		{`x: the server refused the call with HTTP 404 and text/html "<p>"; expected a result (A2A 1.0.1 §9)`, "answered HTTP 404 with text/html that is not JSON; A2A 1.0.1 §9 asks for a result", true},
		{`x: the server refused the call with HTTP 404 and text/html "<p>"; expected a result (A2A 1.0.1 §9)`, "answered HTTP 404 with text/plain that is not JSON", false},
		{`tasks/get of an unknown task with pushNotificationConfigId "a": the server sent no result; expected null (A2A 0.3.0 §7.8)`, "tasks/get of an unknown task: the server sent no result; A2A 0.3.0 §7.8 asks for null", true},
		{`tasks/get of an unknown task: the server sent no result; expected null (A2A 0.3.0 §7.8)`, "tasks/get of a task made before: the server sent no result; A2A 0.3.0 §7.8 asks for null", true},
	} {
		if got := isQuotedInEarlierWording(c.where, failure{texts: []string{c.now}}); got != c.held {
			t.Errorf("%q holds %v in %s\n%s", c.where, got, c.now, toEarlierWords(c.now))
		}
	}
	if isQuotedInEarlierWording("x", failure{}) {
		t.Error("no text holds something")
	}
}

// What a waiver quotes of any failure in the words of an earlier version is found in the text of
// today. testdata/earlier-failures.txt has what was printed then, under the name that the golden
// files of the checks have for the same failure.
func TestEveryRewordedFailure(t *testing.T) {
	now := map[string]string{}
	files, err := filepath.Glob("../testdata/failures/*.golden")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		for name, text := range readFailures(t, file) {
			now[name] = text
		}
	}
	compared := 0
	for name, was := range readFailures(t, "testdata/earlier-failures.txt") {
		text, known := now[name]
		if !known { // the test has another name today
			continue
		}
		compared++
		quoted, _, _ := strings.Cut(was, " (exchange ")
		if !isQuotedInEarlierWording(quoted, failure{texts: []string{text}}) && !strings.Contains(text, quoted) {
			t.Errorf("%s:\nearlier %s\nnow     %s\nundone  %s", name, was, text, withoutDetails(toEarlierWords(text)))
		}
	}
	if compared < 300 {
		t.Errorf("%d failures were compared", compared)
	}
}

// readFailures reads the texts of a file by the names above them.
func readFailures(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out, name := map[string]string{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if rest, is := strings.CutPrefix(line, "\t"); !is {
			name = line
		} else if out[name] == "" {
			out[name] = rest
		}
	}
	return out
}
