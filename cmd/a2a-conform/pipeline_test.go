package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"go.yaml.in/yaml/v3"

	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
)

const root = "../.."

func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// action is what the test reads of action.yml.
type action struct {
	Inputs, Outputs map[string]struct{ Description, Default string }
	Runs            struct {
		Steps []struct {
			ID, Name, Run, Shell string
			Env                  map[string]string
		}
	}
}

func readAction(t *testing.T) action {
	t.Helper()
	var a action
	if err := yaml.Unmarshal([]byte(text(t, "action.yml")), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// hasFlags checks that a subcommand exists and knows every flag of a text.
func hasFlags(t *testing.T, where, subcommand, args string) {
	t.Helper()
	commandtest.CheckFlags(t, rootCommand(), where, subcommand, args)
}

// Every command and flag in the pipelines exists.
func TestPipelinesKnowTheCommand(t *testing.T) {
	seen := commandtest.CheckCommands(t, rootCommand(), "a2a-conform", "action.yml", "docs/ci.md", "docs/waivers.md", "README.md", ".ci/run", ".ci/steady")
	if seen < 15 {
		t.Errorf("only %d commands were found", seen)
	}
	for _, s := range readAction(t).Runs.Steps {
		if s.ID == "run" {
			hasFlags(t, "action.yml", "run", s.Run)
		}
	}
	if m := regexp.MustCompile(`args: (.*)`).FindStringSubmatch(text(t, "docs/ci.md")); m == nil {
		t.Error("docs/ci.md shows no args")
	} else {
		hasFlags(t, "docs/ci.md", "run", m[1])
	}
}

// The inputs of the action are used, described, and safe from injection.
func TestActionInputs(t *testing.T) {
	a, guide := readAction(t), text(t, "docs/ci.md")
	names := slices.Sorted(maps.Keys(a.Inputs))
	source := text(t, "action.yml")
	for _, n := range names {
		if a.Inputs[n].Description == "" || !strings.Contains(source, "${{ inputs."+n+" }}") || !strings.Contains(guide, "`"+n+"`") {
			t.Errorf("the input %s is not described, not used, or not in docs/ci.md", n)
		}
	}
	for _, m := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(source, -1) {
		if !slices.Contains(names, m[1]) {
			t.Errorf("the input %s is used and not declared", m[1])
		}
	}
	_, with, _ := strings.Cut(guide, "        with:\n")
	with, _, _ = strings.Cut(with, "        env:\n")
	for _, m := range regexp.MustCompile(`(?m)^          ([a-z-]+):`).FindAllStringSubmatch(with, -1) {
		if !slices.Contains(names, m[1]) {
			t.Errorf("docs/ci.md gives the input %s, which is none of %v", m[1], names)
		}
	}
	for _, s := range a.Runs.Steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("the step %q builds a script out of an expression: give it by the environment", s.Name)
		}
		if s.Run != "" && s.Shell == "" {
			t.Errorf("the step %q names no shell, which a composite action must", s.Name)
		}
	}
}

// The steps of the action build the program and judge a server.
func TestActionRuns(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal("this test runs the steps of action.yml by bash: install bash")
	}
	healthy := served(t, "")
	repository, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	runner := t.TempDir()
	step := func(name, dir string, env ...string) (int, string) {
		for _, s := range readAction(t).Runs.Steps {
			if s.Name != name {
				continue
			}
			for variable := range s.Env {
				if !slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, variable+"=") }) {
					t.Fatalf("the step %q takes %s, which this test does not give", name, variable)
				}
			}
			script := s.Run
			if testamount.Few() { // all packages have been compiled, but with the paths of their files
				script = strings.Replace(script, " -trimpath ", " ", 1)
			}
			cmd := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
			cmd.Dir = dir
			cmd.Env = append(append(os.Environ(), "RUNNER_TEMP="+runner, "CI=true"), env...)
			out, _ := cmd.CombinedOutput()
			return cmd.ProcessState.ExitCode(), string(out)
		}
		t.Fatalf("action.yml has no step %q", name)
		return 0, ""
	}
	if code, out := step("Build", runner, "ACTION="+repository, "REF=v9.9.9"); code != 0 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	if out, err := exec.Command(filepath.Join(runner, "a2a-conform"), "--version").Output(); err != nil || !strings.Contains(string(out), "v9.9.9") {
		t.Errorf("the version is %s, %v", out, err)
	}
	for _, c := range []struct {
		name, target, args string
		ci                 string
		code               int
		verdict            string
	}{
		{"conformant", healthy, "--stimuli plain --webhook-listen 127.0.0.1:0", "true", 0, "verdict=conformant\n"},
		{"partial", healthy, "--stimuli plain --area card,errors --skip A2A01-ERR-00*", "true", 3, "verdict=partial\n"},
		{"several", healthy, "--stimuli plain --dialect a2a-0.1,core-schema --level SHOULD", "true", 3, "verdict=partial\n"},
		{"a mistake", "", "", "true", 2, ""},
		{"a mistake on a runner of one's own", "", "", "", 2, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			code, out := step("Run", dir, "TARGET="+c.target, "CONFIG=", "WAIVERS=", "GATE=conformant", "WAIT=30s", "ARGS="+c.args, "OUT=my reports", "CI="+c.ci,
				"GITHUB_OUTPUT="+filepath.Join(dir, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"))
			if code != c.code {
				t.Errorf("exit %d, want %d\n%s", code, c.code, out)
			}
			output, _ := os.ReadFile(filepath.Join(dir, "output"))
			summary, _ := os.ReadFile(filepath.Join(dir, "summary"))
			if c.verdict == "" && len(output)+len(summary) == 0 {
				return
			}
			report := "report.json"
			if strings.Contains(c.args, ",core") {
				report = "index.html"
			}
			if !strings.Contains(string(output), c.verdict) || !strings.Contains(string(output), "report=my reports/"+report+"\n") || !strings.Contains(string(summary), "a2a-conform: ") {
				t.Errorf("outputs %q, summary %q", output, summary)
			}
		})
	}
}

// The pipeline of GitLab compares with the report of the main branch after the run, whatever
// its verdict is, and only where there is such a report.
func TestGitLabComparesAfterARun(t *testing.T) {
	_, example, _ := strings.Cut(text(t, "docs/ci.md"), "## GitLab CI")
	_, example, _ = strings.Cut(example, "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	var jobs map[string]struct {
		Script      []string
		AfterScript []string `yaml:"after_script"`
		Artifacts   struct {
			When  string
			Paths []string
		}
	}
	if err := yaml.Unmarshal([]byte(example), &jobs); err != nil {
		t.Fatal(err)
	}
	job := jobs["conformance"]
	if n := len(job.Script); n == 0 || !strings.HasPrefix(job.Script[n-1], "a2a-conform run ") || job.Artifacts.When != "always" {
		t.Fatalf("the job is %+v: the run comes last, and its reports are kept always", job)
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal("this test runs the steps of a pipeline by bash: install bash")
	}
	after := func(curl string) string {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "a2a-report"), 0o700); err != nil {
			t.Fatal(err)
		}
		script := "curl() { " + curl + "; }\na2a-conform() { echo \"$@\"; }\n" + strings.Join(job.AfterScript, "\n")
		cmd := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		diff, _ := os.ReadFile(filepath.Join(dir, "a2a-report", "diff.md"))
		return string(diff)
	}
	if diff := after("touch main.json"); diff != "diff main.json a2a-report/report.json --markdown\n" {
		t.Errorf("with a report of the main branch it compares %q", diff)
	}
	if diff := after("return 22"); diff != "" {
		t.Errorf("without a report of the main branch it compares %q", diff)
	}
}

// Whoever stamps a version stamps variables that exist, and builds with the Go
// that the module asks for.
func TestReleasesStampVersions(t *testing.T) {
	ours := text(t, "cmd/a2a-conform/version.go")
	if fleet := text(t, "cmd/a2a-conform-fleet/main.go"); !regexp.MustCompile(`(?m)^var version string$`).MatchString(fleet) {
		t.Error("the program for fleets has no version to stamp")
	}
	for _, file := range []string{"action.yml", "Dockerfile", ".goreleaser.yaml"} {
		stamps := regexp.MustCompile(`-X main\.([a-z]+)=`).FindAllStringSubmatch(text(t, file), -1)
		if len(stamps) == 0 {
			t.Errorf("%s stamps no version", file)
		}
		for _, m := range stamps {
			if !regexp.MustCompile(`(?m)^var .*\b` + m[1] + `\b.* string$`).MatchString(ours) {
				t.Errorf("%s stamps main.%s, which does not exist", file, m[1])
			}
		}
		if !strings.Contains(text(t, file), "./cmd/a2a-conform") {
			t.Errorf("%s does not build the command", file)
		}
		if got, want := strings.Contains(text(t, file), "a2a-conform-fleet"), file != "action.yml"; got != want {
			t.Errorf("%s builds the program for fleets: %v, want %v", file, got, want)
		}
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(text(t, "go.mod"))
	for _, file := range []string{"Dockerfile", "docs/ci.md"} {
		if version == nil || !strings.Contains(text(t, file), "golang:"+version[1]) {
			t.Errorf("%s does not build with Go %v", file, version)
		}
	}
}
