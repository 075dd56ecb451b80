package peers

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// TestSARIF holds what --format sarif prints against the published schema of SARIF 2.1.0,
// which gosec has among its test data: of runs and replays, and of the made-up reports.
func TestSARIF(t *testing.T) {
	schema := sarifSchema(t)
	files, err := filepath.Glob("../../reports/testdata/*.sarif")
	if err != nil || len(files) < 5 {
		t.Fatalf("%q, %v", files, err)
	}
	logs := map[string][]byte{}
	for _, file := range files {
		if logs[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	bin, out := t.TempDir(), t.TempDir()
	program := filepath.Join(bin, "a2a-conform")
	build(t, "../..", "./cmd/a2a-conform", program)
	printed := func(name string, want int, args ...string) {
		t.Helper()
		cmd := exec.Command(program, append(args, "--format", "sarif")...)
		text, err := cmd.Output()
		if code := cmd.ProcessState.ExitCode(); code != want {
			t.Fatalf("%s: exit %d, %v\n%s", name, code, err, text)
		}
		logs[name] = text
	}
	broken := started(t, []string{program, "reference", "--dialect", "a2a-0.3", "--mutant", "final-missing", "--addr", "127.0.0.1:0"})
	report := filepath.Join(out, "one", "report.json")
	printed("a run", 1, "run", broken, "--out", filepath.Dir(report))
	printed("a replay", 1, "replay", filepath.Join(out, "one", "transcript.har"), "--out", filepath.Join(out, "again"))
	printed("with a baseline", 0, "run", broken, "--gate", "baseline="+report, "--out", filepath.Join(out, "two"))
	printed("several dialects", 0, "run", "--self", "--dialect", "a2a-0.1,a2a-1.0", "--out", filepath.Join(out, "many"))
	printed("nobody there", 4, "run", "http://127.0.0.1:1", "--dialect", "a2a-0.3", "--out", filepath.Join(out, "none"))
	for name, text := range logs {
		var log any
		if err := json.Unmarshal(text, &log); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if err := schema.Validate(log); err != nil {
			t.Errorf("%s: %#v", name, err)
		}
	}

	// What is wrong is seen to be.
	for _, mistake := range [][2]string{{`"ruleId"`, `"rule-id"`}, {`"kind": "open"`, `"kind": "undecided"`}, {`"startLine": 1`, `"startLine": 0`}, {`"uri": "transcript.har"`, `"uri": "%zz"`}} {
		text := logs["../../reports/testdata/every-verdict.sarif"]
		if !bytes.Contains(text, []byte(mistake[0])) {
			t.Fatalf("no %s", mistake[0])
		}
		var log any
		if err := json.Unmarshal(bytes.Replace(text, []byte(mistake[0]), []byte(mistake[1]), 1), &log); err != nil {
			t.Fatal(err)
		}
		var invalid *jsonschema.ValidationError
		if err := schema.Validate(log); !errors.As(err, &invalid) {
			t.Errorf("%s passes, %v", mistake[1], err)
		}
	}
}

// sarifSchema is the schema in the module that sarif/go.mod names.
func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", "github.com/securego/gosec/v2")
	cmd.Dir = "sarif"
	cmd.Env = append(os.Environ(), "GOWORK=off")
	text, err := cmd.Output()
	var module struct{ Dir, Error string }
	if mistake := json.Unmarshal(text, &module); err != nil || mistake != nil || module.Dir == "" {
		t.Fatalf("gosec cannot be had: %v %v %s", err, mistake, module.Error)
	}
	const name = "sarif-schema-2.1.0.json"
	text, err = os.ReadFile(filepath.Join(module.Dir, "report", "sarif", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "docs.oasis-open.org/sarif/sarif/v2.1.0/") {
		t.Errorf("%s is not the schema of OASIS", name)
	}
	c := jsonschema.NewCompiler()
	c.Draft, c.AssertFormat = jsonschema.Draft4, true
	const at = "https://example.com/" + name
	if err := c.AddResource(at, bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(at)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
