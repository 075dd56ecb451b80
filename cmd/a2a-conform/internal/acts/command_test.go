package acts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	junit "github.com/joshdk/go-junit"
	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/cmd/internal/fileschema"
	"github.com/a2a-conform/a2a-conform/harness/acts"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/reference"
	corpus "github.com/a2a-conform/a2a-conform/schema/acts"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// runCommand runs a command line against a variant of the bundled server and returns the exit code and the output.
func runCommand(t *testing.T, variant string, args ...string) (code int, output string) {
	t.Helper()
	return runCommandFor(t, time.Minute, variant, args...)
}

// runCommandFor is runCommand with a deadline.
func runCommandFor(t *testing.T, deadline time.Duration, variant string, args ...string) (code int, output string) {
	t.Helper()
	cmd := Command(Host{
		AddTargetFlags: func(cmd *cobra.Command) { cmd.Flags().Bool("self", false, "") },
		Target: func(_ *cobra.Command, url []string) (operator.Target, error) {
			target := operator.Target{Version: "test"}
			target.Deadline, target.Timeout, target.Concurrency, target.DefaultStimuli, target.Gate = deadline, 10*time.Second, 10, true, "conformant"
			if len(url) > 0 {
				target.URL = url[0]
			} else {
				target.Bundled = true
			}
			return target, nil
		},
		StartBundled: func(ctx context.Context) (string, func() error, error) {
			server, err := reference.Start(ctx, reference.Options{Dialect: "a2a-1.0", Variant: variant, GRPCAddr: "127.0.0.1:0"})
			if err != nil {
				return "", nil, err
			}
			return server.URL(), server.Close, nil
		},
	})
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SetArgs(args)
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	err := cmd.ExecuteContext(t.Context())
	var exit cli.ExitCode
	switch {
	case errors.As(err, &exit):
		return int(exit), out.String()
	case err != nil:
		return 2, out.String() + err.Error()
	}
	return 0, out.String()
}

// compileSchema compiles one of the schemas that the program prints.
func compileSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.CompileString(name+".json", string(fileschema.All()[name]))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// writeTest writes a document with one test of the level must, whose steps are lines of YAML, and returns its name.
func writeTest(t *testing.T, level, steps string) string {
	t.Helper()
	text := "acts_version: \"1.0\"\nspec_version: \"1.0\"\nsuites:\n  - id: own\n    name: Own\n    tests:\n      - id: OWN-001\n        name: Own test\n        level: " + level + "\n        steps:\n"
	for line := range strings.Lines(steps) {
		text += "          " + line
	}
	name := filepath.Join(t.TempDir(), "own.acts.yaml")
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

const (
	passing  = "- {id: a, operation: list_tasks, params: {}, expect: {status: 200, body: {tasks: {type: array}}}}\n"
	failing  = "- {id: a, operation: list_tasks, params: {}, expect: {body: {tasks: {count_gte: 999}}}}\n"
	skipping = "- {id: a, client_response: {operation: get_task, wire_payload: {}}, expect_parsed: {id: x}}\n"
	breaking = "- {id: a, operation: get_task, params: {id: \"{{env.A2A_NOT_THERE}}\"}, expect: {status: 200}}\n"
)

// TestExitCodes: the exit code is that of the worst transport, and nothing that was not decided is a success.
func TestExitCodes(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		code int
		text string
	}{
		"passes":              {[]string{writeTest(t, "must", passing), "--self"}, 0, "MUST:   rest: 1/1 passed"},
		"fails":               {[]string{writeTest(t, "must", failing), "--self", "--transport", "grpc"}, 1, ":11: step a: tasks is"},
		"fails a should":      {[]string{writeTest(t, "should", failing), "--self", "--transport", "rest"}, 0, "FAIL"},
		"gate":                {[]string{writeTest(t, "should", failing), "--self", "--gate", "no-failures"}, 1, "FAIL"},
		"all skipped":         {[]string{writeTest(t, "must", skipping), "--self"}, 3, "needs a client with an adapter"},
		"cannot be performed": {[]string{writeTest(t, "must", breaking), "--self"}, 3, "ERROR"},
		"nothing answers":     {[]string{writeTest(t, "must", passing), "http://127.0.0.1:1"}, 4, "answer"},
		"broken document":     {[]string{writeTest(t, "must", "- {id: a, operation: list_tasks}\n"), "--self"}, 2, "own.acts.yaml:11: the step a has no params; add it"},
		"no document":         {[]string{"nowhere.yaml", "--self"}, 2, "nowhere.yaml"},
		"no URL":              {[]string{writeTest(t, "must", passing)}, 2, "--self tests the bundled server"},
		"self and a URL":      {[]string{writeTest(t, "must", passing), "http://user:pw@127.0.0.1:1", "--self"}, 2, "--self tests the bundled server, but http://…@127.0.0.1:1 is given as well"},
		"replay and a URL":    {[]string{writeTest(t, "must", passing), "http://127.0.0.1:1", "--replay", "x.har"}, 2, "--replay judges a transcript, but http://127.0.0.1:1 is given as well"},
		"captures nothing":    {[]string{writeTest(t, "must", strings.Replace(passing, "expect", "capture: {x: nothing}, expect", 1)), "--self", "--transport", "rest"}, 0, "NOTE  OWN-001 (rest): "},
		"no transport":        {[]string{writeTest(t, "must", passing), "--self", "--transport", "http"}, 2, "choose jsonrpc"},
		"variable":            {[]string{writeTest(t, "must", passing), "--self", "--var", "x"}, 2, "NAME=VALUE"},
		"check":               {[]string{"check", writeTest(t, "must", passing)}, 0, "1 test in 1 suite, 0 notices, 1 not mapped to the catalogue"},
		"check nothing":       {[]string{"check", writeTest(t, "must", "- {id: a, operation: list_tasks, params: {}}\n")}, 0, "asserts nothing"},
		"check the corpus":    {[]string{"check", "corpus"}, 0, "111 tests in 16 suites, 94 notices, each mapped to the catalogue (docs/acts.md), as of 2026-05-29"},
		"check strictly":      {[]string{"check", "--strict", "corpus"}, 2, "the grammar has no such form"},
	} {
		t.Run(name, func(t *testing.T) {
			args := c.args
			if args[0] != "check" {
				args = append(args, "--out", t.TempDir())
			}
			code, out := runCommand(t, "", args...)
			if code != c.code || !strings.Contains(out, c.text) {
				t.Errorf("got %d:\n%s", code, out)
			}
		})
	}
}

// TestReportFitsItsSchema: each report of the corpus fits the schema, its totals add up, every skip has a reason and every
// failure its step.
func TestReportFitsItsSchema(t *testing.T) {
	dir := t.TempDir()
	code, out := runCommand(t, "", "corpus", "--self", "--out", dir)
	if code != 1 {
		t.Fatalf("got %d:\n%s", code, out)
	}
	names, err := filepath.Glob(filepath.Join(dir, "acts-report-*.json"))
	if err != nil || len(names) != 3 {
		t.Fatalf("got %v, %v", names, err)
	}
	fits := compileSchema(t, "acts-report")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		var r acts.Report
		if err := errors.Join(json.Unmarshal(text, &value), json.Unmarshal(text, &r)); err != nil {
			t.Fatal(err)
		}
		if err := fits.Validate(value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if filepath.Base(name) != r.FileName() {
			t.Errorf("got the name %s, want %s", filepath.Base(name), r.FileName())
		}
		var sum acts.LevelSummary
		for _, level := range r.Summary.ByLevel {
			sum.Total, sum.Passed, sum.Failed, sum.Skipped, sum.Errors = sum.Total+level.Total, sum.Passed+level.Passed, sum.Failed+level.Failed, sum.Skipped+level.Skipped, sum.Errors+level.Errors
		}
		if sum != r.Summary.LevelSummary || sum.Total != corpus.CorpusTests || sum.Passed+sum.Failed+sum.Skipped+sum.Errors != sum.Total {
			t.Errorf("%s: the totals are %+v, and by level %+v", name, r.Summary.LevelSummary, sum)
		}
		for _, s := range r.Suites {
			for _, x := range s.Tests {
				if f := x.Failure; x.Result == acts.Failed && (f.Step == "" || f.Expected == "" || f.Actual == "") {
					t.Errorf("%s: the failure is %+v", x.ID, f)
				}
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "transcript.har")); err != nil {
		t.Error(err)
	}
	for _, broken := range []string{`{}`, `{"acts_version":"1.0"}`} {
		var value any
		if err := json.Unmarshal([]byte(broken), &value); err != nil {
			t.Fatal(err)
		}
		if fits.Validate(value) == nil {
			t.Errorf("%s fits the schema", broken)
		}
	}
}

// TestSchemaOfDocuments: the schema for editors takes what the strict mode takes, and refuses misspelt keys.
func TestSchemaOfDocuments(t *testing.T) {
	fits := compileSchema(t, "acts")
	read := func(text string) any {
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		return value
	}
	for _, name := range []string{"core-operations.acts.yaml", "history.acts.yaml", "polling.acts.yaml", "version-negotiation.acts.yaml", "wire-format.acts.yaml", "client-parsing.acts.yaml", "suite.acts.yaml"} {
		text, err := corpus.ReadCorpusFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, strict := acts.Files(corpus.ReadCorpusFile, []string{name}, acts.Options{Strict: true})
		if failed := fits.Validate(read(string(text))); strict == nil && failed != nil {
			t.Errorf("%s: %v", name, failed)
		}
	}
	for _, steps := range []string{passing, failing, skipping} {
		text, err := os.ReadFile(writeTest(t, "must", steps))
		if err != nil {
			t.Fatal(err)
		}
		if err := fits.Validate(read(string(text))); err != nil {
			t.Errorf("%s: %v", steps, err)
		}
	}
	for _, steps := range []string{"- {id: a, opertion: list_tasks, params: {}}\n", "- {id: a, operation: list_task, params: {}}\n", "- {id: a, operation: list_tasks, params: {}, expect: {boddy: {}}}\n", "- {id: a, operation: list_tasks, params: {}, expect_error: {code: X}}\n"} {
		text, err := os.ReadFile(writeTest(t, "must", steps))
		if err != nil {
			t.Fatal(err)
		}
		if fits.Validate(read(string(text))) == nil {
			t.Errorf("%s fits the schema", steps)
		}
	}
}

// TestSecretsAreHidden: a credential that a document gets from the environment, or from --var, is in no file, though the
// server repeats it.
func TestSecretsAreHidden(t *testing.T) {
	const secret = "a-very-secret-value-4711"
	t.Setenv("OWN_VALUE", secret)
	name := writeTest(t, "must", "- {id: a, operation: send_message, params: {message: {role: ROLE_USER, parts: [{text: \"echo {{env.OWN_VALUE}} {{myToken}}\"}]}}, expect: {body: {task: {artifacts: [{parts: [{text: other}]}]}}}}\n")
	dir := t.TempDir()
	code, out := runCommand(t, "", name, "--self", "--transport", "jsonrpc", "--env", "OWN_VALUE", "--var", "myToken=another-secret-0815", "--out", dir)
	if code != 1 || !strings.Contains(out, "step a") {
		t.Fatalf("got %d:\n%s", code, out)
	}
	texts := map[string]string{"the terminal": out}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 4 {
		t.Fatalf("got %v, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
	}
	for place, text := range texts {
		for _, hidden := range []string{secret, "another-secret-0815"} {
			if strings.Contains(text, hidden) {
				t.Errorf("%s shows %s", place, hidden)
			}
		}
	}
}

// TestVerdictsAsReport: the verdicts of a run are a report of ACTS about the tests that requirements judge in the same way
// or more strongly, and what was not decided is skipped with the reason.
func TestVerdictsAsReport(t *testing.T) {
	var b bytes.Buffer
	of := &report.Report{Results: []report.Result{{ID: "A2A10-GET-006", Verdict: report.Fail, Reason: "it was found", Statement: "If the id is unknown, it must fail."},
		{ID: "A2A10-CARD-005", Verdict: report.Pass}, {ID: "A2A10-SUB-008", Verdict: report.Inconclusive, Reason: "no task"}}}
	of.Target.Dialect, of.Target.Bindings, of.Run.StartedAt = "a2a-1.0", []string{"HTTP+JSON"}, time.Unix(0, 0)
	if err := WriteVerdicts(&b, of); err != nil {
		t.Fatal(err)
	}
	var value any
	var r acts.Report
	if err := errors.Join(json.Unmarshal(b.Bytes(), &value), json.Unmarshal(b.Bytes(), &r), compileSchema(t, "acts-report").Validate(value)); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range r.Suites {
		for _, x := range s.Tests {
			got[x.ID] = x.Result
		}
	}
	for id, want := range map[string]string{"CORE-ERR-001": acts.Failed, "CARD-DISC-003": acts.Passed, "STREAM-SUB-003": acts.Skipped, "CORE-GET-001": acts.Skipped, "REST-PD-001": ""} {
		if got[id] != want {
			t.Errorf("%s is %q, want %q", id, got[id], want)
		}
	}
	if r.Transport != "rest" || r.Summary.Failed != 1 || r.Summary.Passed != 1 {
		t.Errorf("got %s, %+v", r.Transport, r.Summary)
	}
	for named, refused := range map[string]bool{"": false, "auto": false, "a2a-1.0": false, "a2a-0.3": true} {
		if d, err := ChooseDialect(named); (err != nil) != refused || !refused && d != "a2a-1.0" {
			t.Errorf("the dialect %q: got %q, %v", named, d, err)
		}
	}
	of.Target.Dialect = "a2a-0.3"
	if err := WriteVerdicts(&b, of); err == nil {
		t.Error("a run of another dialect was accepted")
	}
}

// TestReplay: the transcript of a run gives the same reports, the same output and the same exit code, without a server.
func TestReplay(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	code, out := runCommand(t, "", "corpus", "--self", "--out", first)
	again, replayed := runCommand(t, "", "corpus", "--replay", filepath.Join(first, "transcript.har"), "--out", second)
	if code != 1 || again != code || strings.ReplaceAll(replayed, second, first) != out {
		t.Errorf("got %d and %d:\n%s\nand again:\n%s", code, again, out, replayed)
	}
	names, err := filepath.Glob(filepath.Join(first, "*"))
	if err != nil || len(names) != 6 {
		t.Fatalf("got %v, %v", names, err)
	}
	for _, name := range names {
		if base := filepath.Base(name); base == "report.html" || base == "junit.xml" { // they say that a transcript was judged
			continue
		}
		a, errA := os.ReadFile(name)
		b, errB := os.ReadFile(filepath.Join(second, filepath.Base(name)))
		if errors.Join(errA, errB) != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v, %v", filepath.Base(name), errA, errB)
		}
	}
}

// TestPlacesInReports: SARIF, the annotations of GitHub and JUnit have the file and the line of an assertion that does not hold,
// and the page has what was sent.
func TestPlacesInReports(t *testing.T) {
	file := writeTest(t, "must", failing)
	dir := t.TempDir()
	code, out := runCommand(t, "", file, "--self", "--out", dir, "--format", "sarif")
	if code != 1 {
		t.Fatalf("got %d:\n%s", code, out)
	}
	out, _, _ = strings.Cut(out, "\nacts: ")
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID, Level string
				Message       struct{ Text string }
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
				RelatedLocations []any
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}
	if len(log.Runs) != 1 || len(log.Runs[0].Results) != 1 {
		t.Fatalf("got %+v", log)
	}
	is := log.Runs[0].Results[0]
	if at := is.Locations[0].PhysicalLocation; is.RuleID != "OWN-001" || is.Level != "error" || at.ArtifactLocation.URI != "file://"+file || at.Region.StartLine != 11 || len(is.RelatedLocations) != 3 {
		t.Errorf("got %+v", is)
	}
	page, errPage := os.ReadFile(filepath.Join(dir, "report.html"))
	suites, errSuites := junit.IngestFile(filepath.Join(dir, "junit.xml"))
	if err := errors.Join(errPage, errSuites); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"OWN-001", "own.acts.yaml:11: step a: tasks is", "GET /tasks", "ListTasks"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	failed := 0
	for _, s := range suites {
		for _, x := range s.Tests {
			if x.Status == junit.StatusFailed {
				failed++
				if x.Name == "OWN-001: Own test" && !strings.Contains(x.Error.Error()+x.Message, "own.acts.yaml:11: step a") {
					t.Errorf("got %+v", x)
				}
			}
		}
	}
	if failed != 2 { // the test and the verdict
		t.Errorf("junit.xml has %d failures", failed)
	}

	if code, out = runCommand(t, "", file, "--self", "--out", dir, "--format", "github", "--transport", "rest"); code != 1 || !strings.Contains(out, "::error file="+file+",line=11,col=1,title=OWN-001 MUST") {
		t.Errorf("got %d:\n%s", code, out)
	}
	t.Setenv("GITHUB_ACTIONS", "true")
	if code, out = runCommand(t, "", file, "--self", "--out", dir, "--transport", "rest"); code != 1 || !strings.Contains(out, "::error file="+file+",line=11,") || !strings.Contains(out, "FAIL  OWN-001") {
		t.Errorf("got %d:\n%s", code, out)
	}
}

// TestVerdictsOfPages: the page and junit.xml say what the exit code says.
func TestVerdictsOfPages(t *testing.T) {
	for name, c := range map[string]struct {
		level, steps, gate, verdict string
		code                        int
	}{
		"passes":      {"must", passing, "conformant", "conformant", 0},
		"fails":       {"must", failing, "conformant", "nonconformant", 1},
		"all skipped": {"must", skipping, "no-failures", "partial", 3},
		"breaks":      {"must", breaking, "conformant", "partial", 3},
		"should":      {"should", failing, "conformant", "conformant", 0},
		"no failures": {"should", failing, "no-failures", "nonconformant", 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			code, out := runCommand(t, "", writeTest(t, c.level, c.steps), "--self", "--transport", "rest", "--gate", c.gate, "--out", dir)
			if code != c.code {
				t.Errorf("got %d:\n%s", code, out)
			}
			suites, err := junit.IngestFile(filepath.Join(dir, "junit.xml"))
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range suites {
				if s.Name != "verdict" {
					continue
				}
				if s.Properties["verdict"] != c.verdict || (s.Tests[0].Status == junit.StatusPassed) != (code == 0) {
					t.Errorf("got %v: %+v", s.Properties, s.Tests[0])
				}
			}
		})
	}
}

// TestReportGrammar: the schema of reports takes what each rule of the draft about them permits, and refuses what breaks it.
func TestReportGrammar(t *testing.T) {
	const whole = `{"acts_version":"1.0","spec_version":"1.0","generated_at":"2026-01-01T00:00:00Z","sdk":{"name":"n","version":"v","language":"l","repository":"r"},"transport":"rest","environment":{"a":"b"},
"summary":{"total":1,"passed":0,"failed":1,"skipped":0,"errors":0,"duration_ms":5,"by_level":{"must":{"total":1,"passed":0,"failed":1,"skipped":0,"errors":0},"should":{"total":0,"passed":0,"failed":0,"skipped":0,"errors":0},"may":{"total":0,"passed":0,"failed":0,"skipped":0,"errors":0}}},
"suites":[{"id":"s","name":"S","tests":[{"id":"T","name":"T","level":"must","result":"fail","duration_ms":5,"failure":{"message":"m","step_id":"a","expected":"e","actual":"x","assertion_path":"p"},"steps":[{"id":"a","result":"fail","duration_ms":5,"failure":{"message":"m"}}]}]}]}`
	fits := compileSchema(t, "acts-report")
	decode := func(text string) (value any) {
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return value
	}
	if err := fits.Validate(decode(whole)); err != nil {
		t.Fatal(err)
	}
	for rule, edits := range map[string][][2]string{
		"acts-report":    {{`"transport":"rest",`, ``}, {`"suites":[{`, `"suites":[5,{`}, {`"generated_at":"2026-01-01T00:00:00Z",`, ``}},
		"sdk-info":       {{`"language":"l",`, ``}, {`"name":"n"`, `"name":5`}},
		"transport":      {{`"transport":"rest"`, `"transport":"http"`}},
		"environment":    {{`"environment":{"a":"b"}`, `"environment":{"a":5}`}},
		"summary":        {{`"duration_ms":5,"by_level"`, `"by_level"`}, {`"should":{"total":0,"passed":0,"failed":0,"skipped":0,"errors":0},`, ``}, {`{"total":1,"passed":0,"failed":1,"skipped":0,"errors":0,"duration_ms"`, `{"total":"1","passed":0,"failed":1,"skipped":0,"errors":0,"duration_ms"`}},
		"level-summary":  {{`"must":{"total":1,`, `"must":{`}},
		"suite-result":   {{`"name":"S",`, ``}, {`"tests":[{"id":"T"`, `"tests":[],"more":[{"id":"T"`}},
		"test-result":    {{`"result":"fail","duration_ms":5,"failure":{"message":"m","step_id"`, `"result":"failed","duration_ms":5,"failure":{"message":"m","step_id"`}, {`"level":"must","result"`, `"level":"MUST","result"`}},
		"failure-detail": {{`{"message":"m","step_id"`, `{"step_id"`}, {`"expected":"e"`, `"expected":5`}},
		"step-result":    {{`{"id":"a","result":"fail"`, `{"result":"fail"`}, {`{"id":"a","result":"fail"`, `{"id":"a","result":"ok"`}},
	} {
		for _, e := range edits {
			broken := strings.Replace(whole, e[0], e[1], 1)
			if broken == whole {
				t.Errorf("%s: %s is not in the report", rule, e[0])
			}
			if fits.Validate(decode(broken)) == nil {
				t.Errorf("%s: a report with %q in the place of %q fits the schema", rule, e[1], e[0])
			}
		}
	}
}

// TestCorporaOfOthers: a test of another corpus that has the id of one of ours is not mapped, and what ours came to names the
// corpus by its date.
func TestCorporaOfOthers(t *testing.T) {
	file := writeTest(t, "must", failing)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.Replace(text, []byte("OWN-001"), []byte("REST-PD-001"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := runCommand(t, "", file, "--self", "--transport", "rest", "--out", t.TempDir()); code != 1 || !strings.Contains(out, "A2A   not mapped: ") || strings.Contains(out, "RFC 7807") {
		t.Errorf("got %d:\n%s", code, out)
	}
	dir := t.TempDir()
	if code, out := runCommand(t, "", "corpus", "--self", "--transport", "rest", "--out", dir); code != 1 || !strings.Contains(out, "RFC 7807") || strings.Contains(out, "not mapped") {
		t.Errorf("got %d:\n%s", code, out)
	}
	names, err := filepath.Glob(filepath.Join(dir, "acts-report-*.json"))
	if err != nil || len(names) != 1 {
		t.Fatalf("got %v, %v", names, err)
	}
	for _, name := range []string{names[0], filepath.Join(dir, "report.html")} {
		text, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(text, []byte("2026-05-29, commit dbcabfba")) {
			t.Errorf("%s does not name the corpus: %v", name, err)
		}
	}
}
