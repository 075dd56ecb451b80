package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

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

// hasFlags checks that a subcommand exists and knows every flag of a text.
func hasFlags(t *testing.T, where, subcommand, args string) {
	t.Helper()
	commandtest.CheckFlags(t, rootCommand(), where, subcommand, args)
}

// Every command and flag in the pipelines exists.
func TestPipelinesKnowTheCommand(t *testing.T) {
	seen := commandtest.CheckCommands(t, rootCommand(), "a2a-conform", runScript, "docs/ci.md", "docs/waivers.md", "README.md", ".ci/run", ".ci/steady")
	if seen < 15 {
		t.Errorf("only %d commands were found", seen)
	}
	hasFlags(t, runScript, "run", text(t, runScript)[strings.Index(text(t, runScript), "set -- \"$@\" --out"):])
	given := regexp.MustCompile(`args: (?:\|\n)?((?:\s+--)?.*(?:\n +--.*)*)`).FindAllStringSubmatch(text(t, "docs/ci.md"), -1)
	if len(given) < 3 {
		t.Errorf("docs/ci.md shows args %d times", len(given))
	}
	for _, m := range given {
		hasFlags(t, "docs/ci.md", "run", m[1])
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
	for _, file := range []string{installScript, "Dockerfile", ".goreleaser.yaml"} {
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
		if got, want := strings.Contains(text(t, file), "a2a-conform-fleet"), file != installScript; got != want {
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
