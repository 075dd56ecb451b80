package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/schema"
)

// completed is what a shell offers at the end of a command line.
func completed(t *testing.T, args ...string) (words []string, directive string) {
	t.Helper()
	code, out, errs := command(t, append([]string{"__complete"}, args...)...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || !strings.HasPrefix(lines[len(lines)-1], ":") {
		t.Fatalf("%q: exit %d\n%s%s", args, code, out, errs)
	}
	for _, l := range lines[:len(lines)-1] {
		word, _, _ := strings.Cut(l, "\t")
		words = append(words, word)
	}
	return words, lines[len(lines)-1]
}

func TestCompletion(t *testing.T) {
	dir := here(t)
	for _, run := range []string{"a2a-report", "older/a2a-0.1", "older/a2a-0.3"} {
		path := filepath.Join(dir, run)
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{files.TranscriptFile, files.JSONFile} {
			if err := os.WriteFile(filepath.Join(path, name), []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "kept", "reproduce", "A2A01-ERR-002.d"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "anything"), 0o700); err != nil {
		t.Fatal(err)
	}
	const nothingElse, anyFile = ":4", ":0"
	for _, c := range []struct {
		args []string
		want []string // all of it
		has  []string // or a part
		no   []string
		end  string
	}{
		{args: []string{"run", "--dialect", ""}, want: append([]string{"auto"}, schema.Names()...)},
		{args: []string{"run", "--dialect", "a2a-0.1,a2a-0.3,"}, has: []string{"a2a-0.1,a2a-0.3,a2a-1.0"}, no: []string{"a2a-0.1,a2a-0.3,a2a-0.1", "a2a-0.1,a2a-0.3,auto"}},
		{args: []string{"list", "--dialect", ""}, want: schema.Names()},
		{args: []string{"prove", "--dialect", ""}, want: schema.Names()},
		{args: []string{"run", "--gate", ""}, want: []string{"conformant", "no-failures", "baseline="}, end: ":6"},
		{args: []string{"run", "--gate", "baseline=a2a"}, want: []string{"baseline=a2a-report/report.json"}},
		{args: []string{"run", "--area", ""}, has: []string{"card", "stream"}},
		{args: []string{"list", "--dialect", "a2a-0.1", "--area", "card,str"}, has: []string{"card,stream"}, no: []string{"card,card"}},
		{args: []string{"run", "--dialect", "a2a-1.0", "--section", ""}, has: []string{"8.6", "topics/life-of-a-task"}, no: []string{"message/stream"}},
		{args: []string{"run", "--level", ""}, want: []string{"MUST", "SHOULD", "MAY"}},
		{args: []string{"run", "--allow", "heavy,"}, want: []string{"heavy,outbound", "heavy,residue", "heavy,disruptive"}},
		{args: []string{"run", "--binding", ""}, has: []string{"all", "each", "JSONRPC", "HTTP+JSON", "GRPC"}},
		{args: []string{"call", "a2a-report", "1", "--binding", ""}, has: []string{"JSONRPC"}, no: []string{"all"}},
		{args: []string{"run", "--run", "A2A01-ERR-00"}, has: []string{"A2A01-ERR-001"}, no: []string{"A2A01-CARD-001"}},
		{args: []string{"list", "--dialect", "a2a-0.3", "--run", ""}, has: []string{"A2A03-ENV-026"}, no: []string{"A2A01-ERR-001"}},
		{args: []string{"explain", ""}, has: []string{"A2A01-ERR-001", "A2A-DISC-000", "stream-cr"}},
		{args: []string{"explain", "A2A01-ERR-001", ""}},
		{args: []string{"judge", "A2A01-ERR-00"}, has: []string{"A2A01-ERR-001"}},
		{args: []string{"judge", "A2A01-ERR-001", ""}, want: []string{"a2a-report", "older/a2a-0.1", "older/a2a-0.3"}},
		{args: []string{"judge", "A2A01-ERR-001", "a2a-report", ""}},
		{args: []string{"judge", "A2A01-ERR-002", ""}, want: []string{"kept/reproduce/A2A01-ERR-002.d"}},
		{args: []string{"call", ""}, want: []string{"a2a-report", "older/a2a-0.1", "older/a2a-0.3"}},
		{args: []string{"call", "./a2a"}, want: []string{"./a2a-report"}},
		{args: []string{"replay", "older/"}, want: []string{"older/a2a-0.1/transcript.har", "older/a2a-0.3/transcript.har"}},
		{args: []string{"diff", "a2a-report/", ""}, want: []string{"a2a-report/report.json", "older/a2a-0.1/report.json", "older/a2a-0.3/report.json"}},
		{args: []string{"diff", "a2a-report/re"}, want: []string{"a2a-report/report.json"}},
		{args: []string{"run", "--rerun-failed", "a"}, want: []string{"a2a-report/report.json"}},
		{args: []string{"call", "nowhere"}, end: anyFile},
		{args: []string{"run", "--stimuli", ""}, want: []string{"plain", "tck", "acts"}, end: anyFile},
		{args: []string{"reference", "--dialect", "a2a-0.1", "--mutant", ""}, has: []string{"final-missing"}},
		{args: []string{"schema", ""}, want: []string{"acts", "acts-report", "agents", "card", "clients", "config", "cross", "profile", "report", "secrets", "servers", "waivers"}},
		{args: []string{"help", "re"}, has: []string{"replay"}},
		{args: []string{"http://127.0.0.1:1", "--ga"}, want: []string{"--gate"}},
	} {
		words, end := completed(t, c.args...)
		want := c.end
		if want == "" {
			want = nothingElse
		}
		if end != want || (c.has == nil && c.want != nil || c.has == nil && c.end != "") && !slices.Equal(words, c.want) {
			t.Errorf("%q: %q %s, want %q %s", c.args, words, end, c.want, want)
		}
		for _, w := range c.has {
			if !slices.Contains(words, w) {
				t.Errorf("%q: %q has no %s", c.args, words, w)
			}
		}
		for _, w := range c.no {
			if slices.Contains(words, w) {
				t.Errorf("%q: %s is offered", c.args, w)
			}
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if code, out, errs := command(t, "completion", shell); code != 0 || !strings.Contains(out, "__complete") {
			t.Errorf("completion %s: exit %d\n%s", shell, code, errs)
		}
	}
}
