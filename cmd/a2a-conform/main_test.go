package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// command runs a command line in a folder of its own.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	if slices.Contains(args, "--self") || args[0] == "prove" || args[0] == "replay" {
		testamount.SkipInShort(t)
	}
	return commandtest.Execute(execute).Call(args...)
}

func here(t *testing.T) string {
	dir := t.TempDir()
	t.Chdir(dir)
	return dir
}

func TestRunSelf(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"run", "--self"}, {"run", "", "--self"}, {"run", "--self", "--dialect", "a2x-0.3", "--allow-disruptive"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			run := newChild(t, args...)
			run.Run() // how it ended is in its state
			run.Check(t)
			if code := run.ProcessState.ExitCode(); code != 0 || !strings.Contains(run.Printed.String(), "CONFORMANT") {
				t.Fatalf("exit %d\n%s%s", code, &run.Printed, &run.Errors)
			}
			for _, f := range []string{"report.json", "report.html", "junit.xml", "summary.md", "transcript.har"} {
				if _, err := os.Stat(filepath.Join(run.Dir, "a2a-report", f)); err != nil {
					t.Error(err)
				}
			}
			r, err := readReport(run.Dir)
			if err != nil {
				t.Fatal(err)
			}
			if r.Target.Kind != "bundled" || r.Verdict != report.Conformant {
				t.Errorf("kind %s, verdict %s", r.Target.Kind, r.Verdict)
			}
			for level, c := range r.Summary {
				if c.Inconclusive != 0 {
					t.Errorf("%d inconclusive at %s", c.Inconclusive, level)
				}
			}
		})
	}
}

// Where the card states a rate limit, a run that may not try it is partial, and
// says which flag decides the rest.
func TestRunSelfWithoutFlood(t *testing.T) {
	t.Parallel()
	run := newChild(t, "run", "--self", "--dialect", "jaf-0.3")
	run.Run() // how it ended is in its state
	run.Check(t)
	if code := run.ProcessState.ExitCode(); code != 3 || !strings.Contains(run.Printed.String(), "--allow disruptive") {
		t.Fatalf("exit %d\n%s%s", code, &run.Printed, &run.Errors)
	}
	r, err := readReport(run.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var open []string
	for _, r := range r.Results {
		if r.Verdict == report.Inconclusive {
			open = append(open, r.ID)
		}
	}
	if want := []string{"JAF03-RATE-008", "JAF03-RATE-010", "JAF03-RATE-011", "JAF03-RATE-012"}; !slices.Equal(open, want) {
		t.Errorf("undecided are %q, want %q", open, want)
	}
}

// An environment variable CI that says no is no CI.
func TestNotInCI(t *testing.T) {
	for value, want := range map[string]bool{"": false, "0": false, "false": false, "False": false, "1": true, "true": true, "woodpecker": true} {
		t.Setenv("CI", value)
		if cli.InCI() != want {
			t.Errorf("CI=%s counts as CI: %v", value, !want)
		}
	}
}

// Mistakes end with code 2 and a text that names the remedy.
func TestWrongArgumentsAreRefused(t *testing.T) {
	dir := here(t)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		name string
		env  string
		args []string
		want []string
	}{
		{"no URL", "", []string{"run", "agent.test:9999"}, []string{"http://agent.test:9999"}},
		{"unknown dialect", "", []string{"run", "--self", "--dialect", "a2a-9"}, []string{"a2a-9", "a2a-0.1"}},
		{"a pattern that matches nothing", "", []string{"run", "--self", "--run", "NOPE-*"}, []string{"NOPE-*", "matches no requirement"}},
		{"an empty selection", "", []string{"run", "--self", "--run", "*-CARD-001", "--skip", "*-CARD-*"}, []string{"selection is empty"}},
		{"unknown binding", "", []string{"run", "--self", "--dialect", "a2a-0.1", "--binding", "GRPC"}, []string{"--binding GRPC", "JSONRPC"}},
		{"unknown area", "", []string{"run", "--self", "--area", "cards"}, []string{"cards", "card"}},
		{"unknown level", "", []string{"run", "--self", "--level", "WILL"}, []string{"WILL", "MUST"}},
		{"unknown gate", "", []string{"run", "--self", "--gate", "green"}, []string{"green", "no-failures"}},
		{"unknown risk", "", []string{"run", "--self", "--allow", "bold"}, []string{"bold", "disruptive"}},
		{"unknown flag", "", []string{"run", "--selfish"}, []string{"--selfish", "did you mean --self?"}},
		{"a flag with one dash", "", []string{"run", "-self"}, []string{"-self", "did you mean --self?"}},
		{"a flag like no other", "", []string{"list", "--zzzzz"}, []string{"--zzzzz", "list --help"}},
		{"unknown command", "", []string{"certainly"}, []string{"certainly", "a2a-conform --help"}},
		{"a mistyped command", "", []string{"porbe", "http://127.0.0.1:1"}, []string{"porbe", "did you mean probe?"}},
		{"help on a mistyped command", "", []string{"help", "porbe"}, []string{"porbe", "did you mean probe?"}},
		{"an unknown shell", "", []string{"completion", "bsah"}, []string{"bsah", "did you mean bash?"}},
		{"a host as a command", "", []string{"agent.test:9999"}, []string{"run http://agent.test:9999"}},
		{"an argument too many", "", []string{"list", "stream"}, []string{"list takes no argument", "stream"}},
		{"a mistyped id", "", []string{"explain", "a2a01-err-01"}, []string{"a2a01-err-01", "did you mean A2A01-ERR-001?"}},
		{"a mistyped id to run", "", []string{"run", "--self", "--dialect", "a2a-0.1", "--run", "A2A01-ERR-0001"}, []string{"A2A01-ERR-0001", "did you mean A2A01-ERR-001?"}},
		{"a mistyped group of ids", "", []string{"list", "--run", "JAF03-CRAD-*"}, []string{"JAF03-CRAD-*", "did you mean JAF03-CARD-*?"}},
		{"unknown section", "", []string{"run", "--self", "--dialect", "a2a-1.0", "--section", "8.9"}, []string{"8.9", "a2a-1.0", "the nearest sections are", "8.6"}},
		{"unknown section of any protocol", "", []string{"list", "--section", "topics/life-of-task"}, []string{"topics/life-of-a-task"}},
		{"a section of one of two protocols", "", []string{"run", "--self", "--dialect", "a2a-1.0,jaf-0.3", "--section", "8.6"}, []string{"--section 8.6", "jaf-0.3"}},
		{"a header without colon", "", []string{"run", "--self", "--header", "X"}, []string{"Name: value"}},
		{"a header of the conversations", "", []string{"run", "http://127.0.0.1:1", "--header", "content-type: text/plain"}, []string{"Content-Type", "leave it out"}},
		{"a variable that is not set", "", []string{"run", "--self", "--bearer-env", "NO_SUCH_TOKEN"}, []string{"NO_SUCH_TOKEN"}},
		{"no such configuration", "", []string{"run", "--config", "none.yaml"}, []string{"none.yaml"}},
		{"unknown key", "", []string{"run", "--config", write("a.yaml", "target: http://127.0.0.1:1\ndialekt: auto\n")}, []string{"a.yaml:2: ", "dialekt", "dialect"}},
		{"a credential in the file", "", []string{"run", "--config", write("b.yaml", "target: http://127.0.0.1:1\nauth: {bearer: hush-hush-hush}\n")}, []string{"b.yaml:2", "${NAME}"}},
		{"an unknown behaviour", "", []string{"run", "--config", write("c.yaml", "target: http://127.0.0.1:1\ndeclares:\n  never: [dance]\n")}, []string{"c.yaml:3", "dance", "slow"}},
		{"a stimulus without text", "", []string{"run", "--config", write("d.yaml", "target: http://127.0.0.1:1\nstimuli:\n  slow: {seconds: 2}\n")}, []string{"d.yaml:3", "slow"}},
		{"a stimulus of a file of its own without text", "", []string{"run", "http://127.0.0.1:1", "--stimuli", write("d2.yaml", "quick: {text: x}\nslow: {seconds: 1}\n")}, []string{"d2.yaml:2: slow has no text"}},
		{"an unknown stimulus", "", []string{"run", "--config", write("f.yaml", "target: http://127.0.0.1:1\nstimuli:\n  slwo: {text: x}\n")}, []string{"f.yaml:3", "slwo", "slow"}},
		{"given and denied", "", []string{"run", "--config", write("g.yaml", "target: http://127.0.0.1:1\ndeclares: {never: [slow]}\nstimuli:\n  slow: {text: x}\n")}, []string{"g.yaml", "slow", "never"}},
		{"itself and another", "", []string{"run", "--self", "http://127.0.0.1:1"}, []string{"--self", "http://127.0.0.1:1"}},
		{"one line and all", "", []string{"run", "--self", "--quiet", "--verbose"}, []string{"--quiet", "--verbose", "leave one"}},
		{"no patience", "", []string{"run", "--self", "--timeout", "-1s"}, []string{"--timeout"}},
		{"no conversations", "", []string{"run", "--self", "--concurrency", "0"}, []string{"--concurrency"}},
		{"half a client certificate", "", []string{"run", "--self", "--client-cert", "x.pem"}, []string{"--client-key"}},
		{"broken YAML", "", []string{"run", "--config", write("e.yaml", "target: [\n")}, []string{"e.yaml:1: ", "not YAML"}},
		{"a list where a map is due", "", []string{"run", "--config", write("h.yaml", "target: http://127.0.0.1:1\ndeclares:\n  - never\n")}, []string{"h.yaml:3: declares is a list", "a map of never, production"}},
		{"a text where a list is due", "", []string{"run", "--config", write("i.yaml", "target: http://127.0.0.1:1\ndeclares: {never: slow}\n")}, []string{"i.yaml:2: declares.never is the text \"slow\"", "a list"}},
		{"a text where a map is due", "", []string{"run", "--config", write("j.yaml", "target: http://127.0.0.1:1\nstimuli:\n  slow: count\n")}, []string{"j.yaml:3: stimuli.slow is the text \"count\"", "text, answer, seconds"}},
		{"a text where a number is due", "", []string{"run", "--config", write("k.yaml", "target: http://127.0.0.1:1\nstimuli:\n  slow:\n    text: x\n    seconds: two\n")}, []string{"k.yaml:5: stimuli.slow.seconds is the text \"two\"", "a number"}},
		{"a text where a yes is due", "", []string{"run", "--config", write("l.yaml", "target: http://127.0.0.1:1\ndeclares: {production: maybe}\n")}, []string{"l.yaml:2: declares.production", "true or false"}},
		{"a key given twice", "", []string{"run", "--config", write("m.yaml", "target: http://127.0.0.1:1\ndialect: auto\ntarget: http://127.0.0.1:2\n")}, []string{"m.yaml:3: ", "twice", "line 1"}},
		{"two documents", "", []string{"run", "--config", write("n.yaml", "target: http://127.0.0.1:1\n---\ndialect: auto\n")}, []string{"n.yaml:", "second YAML document"}},
		{"an empty file", "", []string{"run", "--config", write("o.yaml", "# nothing\n")}, []string{"o.yaml:1: the file is empty"}},
		{"a second credential in the file", "", []string{"run", "--config", write("p.yaml", "target: http://127.0.0.1:1\nauth:\n  bearer: ${HOME}\n  second:\n    bearer: hush-hush-hush\n")}, []string{"p.yaml:5", "auth.second.bearer", "${NAME}"}},
		{"a second client without a first", "", []string{"run", "--config", write("q.yaml", "target: http://127.0.0.1:1\nauth: {second: {bearer: ${HOME}}}\n")}, []string{"auth.second", "--bearer-env"}},
		{"a variable that is not set, in braces", "", []string{"run", "--config", write("r.yaml", "target: http://127.0.0.1:1\nauth: {low: {apiKey: ${NO_SUCH_TOKEN}}}\n")}, []string{"r.yaml:2", "auth.low.apiKey", "NO_SUCH_TOKEN"}},
		{"half a rate limit", "", []string{"run", "--config", write("s.yaml", "target: http://127.0.0.1:1\ndeclares:\n  rateLimit: {requests: 5}\n")}, []string{"s.yaml:3", "rateLimit: {requests: 5, seconds: 1}"}},
		{"an unknown key of a rate limit", "", []string{"run", "--config", write("t.yaml", "target: http://127.0.0.1:1\ndeclares:\n  rateLimit: {requests: 5, minutes: 1}\n")}, []string{"t.yaml:3", "minutes"}},
		{"a header for no key", "", []string{"run", "http://127.0.0.1:1", "--api-key-header", "X-Door"}, []string{"X-Door", "--api-key-env"}},
		{"no authorities", "", []string{"run", "https://127.0.0.1:1", "--ca", "none.pem"}, []string{"--ca", "none.pem"}},
		{"nothing let through", "", []string{"reference", "--variant", "limited", "--rate", "-1/1s"}, []string{"-1", "nothing through"}},
		{"no such requirement", "", []string{"explain", "A2A01-NO-001"}, []string{"A2A01-NO-001", "list"}},
		{"no such check", "", []string{"prove", "--sabotage", "none"}, []string{"none", "shape"}},
		{"gRPC where there is none", "", []string{"reference", "--dialect", "a2a-0.1", "--grpc-addr", "127.0.0.1:0"}, []string{"a2a-0.1", "gRPC"}},
		{"no such mutant", "", []string{"reference", "--mutant", "none"}, []string{"none"}},
		{"not a HAR file", "", []string{"replay", write("x.har", "{}")}, []string{"x.har", "a2a-conform"}},
		{"a plan without dialect", "", []string{"run", "--plan", "http://127.0.0.1:1"}, []string{"--dialect"}},
		{"a plan without dialect and target", "", []string{"run", "--plan"}, []string{"--dialect"}},
		{"nothing to probe", "", []string{"probe"}, []string{"no target", "give the URL of the agent"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("CI", c.env)
			code, out, errs := command(t, c.args...)
			if code != 2 {
				t.Errorf("exit %d, want 2\n%s%s", code, out, errs)
			}
			for _, w := range c.want {
				if !strings.Contains(errs, w) {
					t.Errorf("%q does not name %q", errs, w)
				}
			}
			if strings.Contains(errs, "hush-hush") {
				t.Error("the text shows a credential")
			}
		})
	}
}

// The exit code and the artefacts tell each verdict of a run.
func TestVerdictsOfRuns(t *testing.T) {
	testamount.SkipInShort(t)
	s, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-0.1"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	broken, err := reference.Start(t.Context(), reference.Options{Dialect: "a2a-0.1", Mutant: "final-missing"})
	if err != nil {
		t.Fatal(err)
	}
	defer broken.Close()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		args []string
		code int
		word string
	}{
		{"conformant", t.Context(), []string{"run", s.URL(), "--stimuli", writeSlowStimuli(t), "--webhook-listen", "127.0.0.1:0"}, 0, "CONFORMANT"},
		{"partial", t.Context(), []string{"run", s.URL(), "--stimuli", "plain", "--area", "card"}, 3, "PARTIAL"},
		{"partial under the lenient gate", t.Context(), []string{"run", s.URL(), "--stimuli", "plain", "--area", "card", "--gate", "no-failures"}, 0, "PARTIAL"},
		{"nonconformant", t.Context(), []string{"run", broken.URL(), "--stimuli", "plain"}, 1, "NONCONFORMANT"},
		{"unreachable", t.Context(), []string{"run", "http://127.0.0.1:1"}, 4, "UNREACHABLE"},
		{"void", cancelled, []string{"run", s.URL(), "--dialect", "a2a-0.1"}, 2, "NO RESULT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			here(t)
			var out, errs bytes.Buffer
			code := execute(c.ctx, c.args, &out, &errs)
			if code != c.code || !strings.Contains(out.String(), c.word) {
				t.Errorf("exit %d, want %d\n%s%s", code, c.code, out.String(), errs.String())
			}
		})
	}
}

func TestReplayCommand(t *testing.T) {
	dir := here(t)
	if code, _, errs := command(t, "run", "--self"); code != 0 {
		t.Fatal(errs)
	}
	code, out, errs := command(t, "replay", filepath.Join(dir, "a2a-report", "transcript.har"))
	if code != 0 || !strings.Contains(out, "CONFORMANT") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
	first, err1 := os.ReadFile(filepath.Join(dir, "a2a-report", "report.json"))
	again, err2 := os.ReadFile(filepath.Join(dir, "a2a-replay", "report.json"))
	if err1 != nil || err2 != nil || !bytes.Equal(replayedReport(first), again) {
		t.Errorf("the replay's report differs from the run's (%v, %v)", err1, err2)
	}
	if !strings.Contains(out, "an unsigned transcript that names http://127.0.0.1:") {
		t.Errorf("a file is called a server:\n%s", out)
	}
}

// replayedReport is report.json as the replay of the run has it, which says that it is about
// a file.
func replayedReport(ofRun []byte) []byte {
	return regexp.MustCompile(`"kind": "(url|bundled)",\n    "url"`).ReplaceAll(ofRun, []byte(`"kind": "replay",
    "url"`))
}

func TestListAndExplain(t *testing.T) {
	t.Parallel()
	code, out, _ := command(t, "list", "--dialect", "a2a-0.1", "--area", "stream")
	if code != 0 || !strings.Contains(out, "A2A01-STR-012") || strings.Contains(out, "A2A01-CARD-001") {
		t.Errorf("exit %d\n%s", code, out)
	}
	for _, name := range schema.Names() {
		d, err := schema.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range d.Requirements {
			code, out, errs := command(t, "explain", strings.ToLower(r.ID))
			if code != 0 || !strings.Contains(out, r.Statement) || !strings.Contains(out, r.File) {
				t.Fatalf("explain %s: exit %d\n%s%s", r.ID, code, out, errs)
			}
			if got, want := strings.Contains(out, schema.OwnNote), strings.Contains(r.ID, "-OWN-"); got != want {
				t.Errorf("explain %s says that it is our own: %v, want %v", r.ID, got, want)
			}
			if !strings.Contains(out, r.FindingOnly) {
				t.Errorf("explain %s does not show why what breaks it is a finding", r.ID)
			}
			if fix := d.FixText(r.ID); fix != "" && !strings.Contains(out, "\nhow to fix it    "+fix+"\n") {
				t.Errorf("explain %s does not show what to change: %s", r.ID, fix)
			}
			for _, reading := range r.Readings {
				if !strings.Contains(out, reading) {
					t.Errorf("explain %s does not show the reading %q", r.ID, reading)
				}
			}
			if applied := schema.DescribeAppliedReadings(len(r.Readings), r.Applied); !strings.Contains(out, applied) {
				t.Errorf("explain %s does not show that %s", r.ID, applied)
			}
		}
	}
	code, out, _ = command(t, "explain", "a2a01-auth-001")
	if sent := "what is sent     guard/bare-send: Calls tasks/send with the stimulus quick without credentials.\n"; code != 0 || !strings.Contains(out, sent) {
		t.Errorf("explain A2A01-AUTH-001: exit %d\n%s\nwant the line %s", code, out, sent)
	}
	code, out, _ = command(t, "explain", "a2a-disc-000")
	if code != 0 || !strings.Contains(out, "agent card") || !strings.Contains(out, "\nhow to fix it    Serve the agent card at ") {
		t.Errorf("explain A2A-DISC-000: exit %d\n%s", code, out)
	}
	code, out, _ = command(t, "list", "--json")
	var all []catalogueEntry
	if err := json.Unmarshal([]byte(out), &all); code != 0 || err != nil || len(all) == 0 {
		t.Errorf("exit %d, %v", code, err)
	}
}
