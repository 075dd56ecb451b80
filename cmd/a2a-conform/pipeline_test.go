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

	"go.yaml.in/yaml/v3"

	"github.com/a2a-conform/a2a-conform/cmd/internal/cifile"
	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
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

// gitLabJob is what the tests read of a job of GitLab.
type gitLabJob struct {
	Variables   map[string]string
	Script      []string
	AfterScript []string `yaml:"after_script"`
	Artifacts   struct {
		When  string
		Paths []string
	}
	Cache struct{ Paths []string }
}

func readGitLabJob(t *testing.T, source string) gitLabJob {
	t.Helper()
	var jobs map[string]gitLabJob
	if err := yaml.Unmarshal([]byte(source), &jobs); err != nil {
		t.Fatal(err)
	}
	return jobs["conformance"]
}

// guideGitLabJob returns the job that the guide shows.
func guideGitLabJob(t *testing.T) gitLabJob {
	t.Helper()
	_, example, _ := strings.Cut(text(t, "docs/ci.md"), "## GitLab CI")
	_, example, _ = strings.Cut(example, "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	return readGitLabJob(t, example)
}

// The pipeline of GitLab takes a release only with the right checksum, builds if no release is
// named, and is the same in the guide and in the file that init writes.
func TestGitLabTakesRelease(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	job := guideGitLabJob(t)
	for _, version := range []string{"v1.2.3", "devel"} {
		written, err := cifile.Render(cifile.GitLab, cifile.Job{Config: "a2a-conform.yaml", Version: version})
		if err != nil {
			t.Fatal(err)
		}
		rendered := readGitLabJob(t, string(written))
		if rendered.Script[0] != job.Script[0] || !slices.Equal(rendered.Cache.Paths, job.Cache.Paths) {
			t.Errorf("init writes\n%s\nand the guide has\n%s", rendered.Script[0], job.Script[0])
		}
		want := maps.Clone(job.Variables)
		delete(want, "BASELINE")
		if version != "devel" {
			want["A2A_CONFORM_VERSION"] = version
		}
		if !maps.Equal(rendered.Variables, want) {
			t.Errorf("init of %s writes the variables %v, want %v", version, rendered.Variables, want)
		}
	}
	const archive = "a2a-conform_1.2.3_linux_amd64.tar.gz"
	for _, c := range []struct {
		name, version, sha256 string
		damaged               bool
		want                  string // what the script ends with
	}{
		{name: "a release", version: "v1.2.3", want: "installed"},
		{name: "a pinned release", version: "v1.2.3", sha256: "right", want: "installed"},
		{name: "a damaged archive", version: "v1.2.3", damaged: true, want: "failed"},
		{name: "another archive than the one that is pinned", version: "v1.2.3", sha256: strings.Repeat("0", 64), want: "failed"},
		{name: "no such release", version: "v1.2.4", want: "failed"},
		{name: "no release", want: "built"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files, dir := serveRelease(t), t.TempDir()
			pinned := strings.Replace(c.sha256, "right", files.sum(archive), 1)
			if c.damaged {
				files.files[archive] = append(files.files[archive], 'x')
			}
			compiler := `go() { case "$*" in "env GOARCH") echo amd64 ;; "env GOPATH") echo "$PWD/go path" ;; *) echo "$@" > built ;; esac; }` + "\n"
			cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", compiler+job.Script[0])
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "A2A_CONFORM_VERSION="+c.version, "A2A_CONFORM_SHA256="+pinned, "A2A_CONFORM_RELEASES="+files.url)
			out, err := cmd.CombinedOutput()
			got := "failed"
			if _, missing := os.Stat(filepath.Join(dir, "go path", "bin", "a2a-conform")); missing == nil {
				got = "installed"
			}
			if built, _ := os.ReadFile(filepath.Join(dir, "built")); string(built) == "install github.com/a2a-conform/a2a-conform/cmd/a2a-conform@latest\n" {
				got = "built"
			}
			if got != c.want || (err == nil) != (c.want != "failed") {
				t.Errorf("got %s, want %s: %v\n%s", got, c.want, err, out)
			}
		})
	}
}

// Every recipe of the guide can be read, gives the action inputs that it has, and uses outputs that
// it sets.
func TestRecipesFitTheAction(t *testing.T) {
	a, guide := readAction(t), text(t, "docs/ci.md")
	uses, scripts := 0, 0
	var check func(node any)
	check = func(node any) {
		switch node := node.(type) {
		case []any:
			for _, each := range node {
				check(each)
			}
		case map[string]any:
			if used, _ := node["uses"].(string); strings.HasPrefix(used, "a2a-conform/a2a-conform@") {
				uses++
				with, _ := node["with"].(map[string]any)
				for name := range with {
					if _, ok := a.Inputs[name]; !ok {
						t.Errorf("docs/ci.md gives the action the input %s, which it does not have", name)
					}
				}
			}
			if script, ok := node["run"].(string); ok {
				scripts++
				if out, err := exec.Command("bash", "-n", "-c", script).CombinedOutput(); err != nil || strings.Contains(script, "${{") {
					t.Errorf("bash does not take this script, or it has an expression: %v\n%s\n%s", err, out, script)
				}
			}
			for _, each := range node {
				check(each)
			}
		}
	}
	for _, block := range yamlBlocks(guide) {
		var parsed any
		if err := yaml.Unmarshal([]byte(block), &parsed); err != nil {
			t.Errorf("%v in\n%s", err, block)
		}
		check(parsed)
	}
	if uses < 6 || scripts < 8 {
		t.Errorf("only %d uses of the action and %d scripts were found", uses, scripts)
	}
	used := regexp.MustCompile(`steps\.conformance\.outputs\.([a-z-]+)`).FindAllStringSubmatch(guide, -1)
	if len(used) < 6 {
		t.Errorf("only %d outputs are used", len(used))
	}
	for _, m := range used {
		if _, ok := a.Outputs[m[1]]; !ok {
			t.Errorf("docs/ci.md uses the output %s, which the action does not have", m[1])
		}
	}
}

// yamlBlocks returns the pieces of YAML in a guide.
func yamlBlocks(guide string) (blocks []string) {
	for _, piece := range strings.Split(guide, "```yaml\n")[1:] {
		block, _, _ := strings.Cut(piece, "```")
		blocks = append(blocks, block)
	}
	return blocks
}

// recipeScript returns the script of a named step in the guide.
func recipeScript(t *testing.T, name string) string {
	t.Helper()
	for _, block := range yamlBlocks(text(t, "docs/ci.md")) {
		var workflow struct {
			Jobs map[string]struct{ Steps []actionStep }
		}
		if yaml.Unmarshal([]byte(block), &workflow) != nil {
			continue
		}
		for _, step := range workflow.Jobs["conformance"].Steps {
			if step.Name == name {
				return step.Run
			}
		}
	}
	t.Fatalf("docs/ci.md has no step %q", name)
	return ""
}

// The recipe for pull requests takes the newest report that can be downloaded, and writes one
// comment anew.
func TestPullRequestRecipe(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	const programs = `gh() {
  case "$1 $2" in
    "run list") printf '%s\n' $RUNS ;;
    "run download") [ "$3" = 8 ] && mkdir baseline && echo the report of "$3" > baseline/report.json ;;
    "api --paginate") printf '%s\n' $COMMENTS ;;
    *) echo "$@" >> calls ;;
  esac
}
a2a-conform() { echo "$@"; return "$DIFF"; }
`
	for _, c := range []struct {
		name, runs, comments, diff string
		code                       int
		body, calls                string
	}{
		{"no comment yet", "7 8 9", "", "0", 0, "diff baseline/report.json a2a-report/report.json --markdown\n", "POST repos/o/r/issues/5/comments"},
		{"a comment, and a regression", "8", "31 32", "1", 0, "diff baseline/report.json a2a-report/report.json --markdown\n", "PATCH repos/o/r/issues/comments/31"},
		{"no baseline", "7", "", "0", 0, "the summary\n", "POST repos/o/r/issues/5/comments"},
		{"reports that cannot be compared", "8", "", "2", 1, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "a2a-report"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "a2a-report", "summary.md"), []byte("the summary\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			var code int
			for _, step := range []string{"Fetch the baseline", "Comment"} {
				cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", programs+recipeScript(t, step))
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "RUNS="+c.runs, "COMMENTS="+c.comments, "DIFF="+c.diff, "REPORT=a2a-report/report.json", "PULL=5", "GITHUB_REPOSITORY=o/r")
				out, _ := cmd.CombinedOutput()
				if code = cmd.ProcessState.ExitCode(); code != 0 && code != c.code {
					t.Errorf("%s: exit %d\n%s", step, code, out)
				}
			}
			calls, _ := os.ReadFile(filepath.Join(dir, "calls"))
			if code != c.code || c.calls != "" && string(calls) != "api --method "+c.calls+" --field body=@comment.md --silent\n" || c.calls == "" && len(calls) > 0 {
				t.Errorf("exit %d, GitHub is called with %q", code, calls)
			}
			if body, _ := os.ReadFile(filepath.Join(dir, "comment.md")); c.body != "" && string(body) != "<!-- a2a-conform -->\n"+c.body {
				t.Errorf("the comment is %q", body)
			}
		})
	}
}

// The pipeline of GitLab compares with the report of the main branch after the run, whatever
// its verdict is, and only where there is such a report.
func TestGitLabComparesAfterARun(t *testing.T) {
	job := guideGitLabJob(t)
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
