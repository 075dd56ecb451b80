package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
)

// A mistake is a command line as users type it by mistake, or one that they expect to be a
// mistake and that works.
type mistake struct {
	number int // those of one kind share it
	args   []string
}

// TestMistakes compares what the terminal prints on each usual mistake, and the exit code, with
// testdata/mistakes.golden. Of runs that judge a server only the first lines, the ids of what
// fails and the verdict are there.
func TestMistakes(t *testing.T) {
	testamount.SkipInShort(t)
	golden, err := filepath.Abs("testdata/mistakes.golden")
	if err != nil {
		t.Fatal(err)
	}
	resolveNothing(t)
	for _, proxy := range []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"} {
		t.Setenv(proxy, "")
	}
	t.Setenv("WRONG_TOKEN", wrongToken)
	t.Setenv("PATH", strings.TrimPrefix(fleetInPath(t), "PATH="))
	t.Setenv(commandtest.LeftVariable, filepath.Join(t.TempDir(), "left")) // has it be a command
	dir := here(t)
	servers := startMistaken(t)
	recordRun(t, servers.agent)
	var text strings.Builder
	for _, m := range slices.Concat(mistakenAddresses(servers), mistakenServers(servers), mistakenFlags(servers), mistakenFiles(t, dir)) {
		text.WriteString(tryMistake(t, m))
	}
	got := servers.rename(strings.ReplaceAll(text.String(), dir, "DIR"))
	for _, c := range changing {
		got = c.is.ReplaceAllString(got, c.to)
	}
	for _, word := range []string{"dial tcp", "x509", "EOF", "use of closed", "lookup ", "is a directory", "goroutine", "accepts at most", "nothing nothing"} {
		if strings.Contains(got, word) {
			t.Errorf("%q are no words for users", word)
		}
	}
	for secret, typed := range map[string]int{configuredSecret: 0, wrongToken: 0, typedToken: 3} { // as often as in command lines
		if strings.Count(got, secret) > typed {
			t.Errorf("the credential %s is shown", secret)
		}
	}
	judgetest.Golden(t, golden, got)
}

// Credentials of the mistakes, none of which may be printed.
const (
	typedToken       = "typed-token-123"
	wrongToken       = "wrong-token-123"
	configuredSecret = "configured-secret-123"
)

// changing is what differs from run to run.
var changing = []struct {
	is *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`\d+(\.\d+)? m?s\b`), "N s"},
	{regexp.MustCompile(`\d+ of \d+ `), "N of M "},
	{regexp.MustCompile(`\d+ (exchange|agent invocation|finding|cause)s?\b`), "N $1(s)"},
	{regexp.MustCompile(`\d+ (MUST requirement|failure)s?\b`), "N $1(s)"},
	{regexp.MustCompile(`\d+ more could`), "N more could"},
	{regexp.MustCompile(`SHA256:\S+`), "SHA256:…"},
	{regexp.MustCompile(`(requirements/\w+\.yaml):\d+`), "$1:LINE"},
}

// tryMistake runs a command line and says what came of it.
func tryMistake(t *testing.T, m mistake) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	switch m.number {
	case interruptedRun:
		cancel()
	case proxiedRun:
		t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	}
	var out, errs bytes.Buffer
	code := execute(ctx, m.args, &out, &errs)
	if strings.Contains(out.String()+errs.String(), "␊") {
		t.Errorf("%d: a line break is shown as a sign", m.number)
	}
	return fmt.Sprintf("%d. %s\n%s%sexit %d\n\n", m.number, strings.Join(m.args, " "), essential(insertRunBeforeLeadingURL(m.args)[0], out.String()), progressLine.ReplaceAllString(errs.String(), ""), code)
}

// progressLine is a line of the progress of a run, or of what it waits for.
var progressLine = regexp.MustCompile(`(?m)^(\[\d+/\d+\]|waiting for http).*\n`)

// printedOfRun are the first words of the lines that are kept of what a run printed on a server
// that it judged.
var printedOfRun = []string{"NOTICE", "ERROR", "FAIL", "WARN", "NO", "VOID", "UNREACHABLE", "PARTIAL", "NONCONFORMANT", "CONFORMANT", "tried", "judged"}

// essential is what a command printed, but of a run on a server that was judged only what tells
// whether the mistake was understood.
func essential(command, out string) string {
	if command != "run" {
		return firstLines(out, 12)
	}
	var kept []string
	for l := range strings.Lines(out) {
		word, _, _ := strings.Cut(strings.TrimSpace(l), " ")
		if slices.Contains(printedOfRun, word) || strings.Contains(l, "the card sends clients to") {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "")
}

// firstLines is the beginning of a text.
func firstLines(text string, most int) string {
	lines := strings.SplitAfter(text, "\n")
	if len(lines) <= most+1 {
		return text
	}
	return strings.Join(lines[:most], "") + "(and more)\n"
}

// recordRun writes the report that mistakes about files are about.
func recordRun(t *testing.T, url string) {
	t.Helper()
	if code, out, errs := command(t, "run", url, "--quiet", "--out", "earlier", "--run", "A2A10-DISC-001"); code != 3 {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	if err := os.Mkdir("empty", 0o700); err != nil {
		t.Fatal(err)
	}
}
