package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/a2a-conform/a2a-conform/internal/testamount"
)

// The scripts that the action calls.
const (
	installScript = ".github/action/install.sh"
	runScript     = ".github/action/run.sh"
)

// action is what the tests read of action.yml.
type action struct {
	Inputs, Outputs map[string]struct{ Description, Default, Value string }
	Runs            struct{ Steps []actionStep }
}

type actionStep struct {
	ID, Name, If, Run, Shell, Uses string
	Env, With                      map[string]string
}

func readAction(t *testing.T) action {
	t.Helper()
	var a action
	if err := yaml.Unmarshal([]byte(text(t, "action.yml")), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// The inputs and outputs of the action are used, described, and safe from injection.
func TestActionInputs(t *testing.T) {
	a, guide := readAction(t), text(t, "docs/ci.md")
	names := slices.Sorted(maps.Keys(a.Inputs))
	source := text(t, "action.yml")
	for _, n := range names {
		if a.Inputs[n].Description == "" || !strings.Contains(source, "${{ inputs."+n+" }}") || !strings.Contains(guide, "`"+n+"`") {
			t.Errorf("the input %s is not described, not used, or not in docs/ci.md", n)
		}
	}
	for n, output := range a.Outputs {
		if output.Description == "" || !strings.HasSuffix(output.Value, ".outputs."+n+" }}") || !strings.Contains(guide, "`"+n+"`") {
			t.Errorf("the output %s is not described, not set by a step, or not in docs/ci.md", n)
		}
	}
	for _, m := range regexp.MustCompile(`inputs\.([a-z0-9-]+)`).FindAllStringSubmatch(source, -1) {
		if !slices.Contains(names, m[1]) {
			t.Errorf("the input %s is used and not declared", m[1])
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

// runner performs the steps of the action as a runner of GitHub does, one use after another. What
// is kept in the cache is there for the next use.
type runner struct {
	action   string // the folder of the action
	ref      string // by which it is used
	os, arch string
	path     string            // folders before those of PATH
	cache    map[string]string // folders with copies, by key
}

// use is what a use of the action came to.
type use struct {
	code     int
	log      string
	outputs  map[string]string
	summary  string
	uploaded bool
	dir      string
}

var expression = regexp.MustCompile(`\$\{\{ ([a-z]+)\.([a-z0-9_.-]+) \}\}`)

// perform uses the action in a folder, which is a new one if it is empty, until a step fails.
func (r *runner) perform(t *testing.T, dir string, inputs map[string]string) use {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal("this test runs the steps of action.yml by bash: install bash")
	}
	if dir == "" {
		dir = t.TempDir()
	}
	temp, a := t.TempDir(), readAction(t)
	for name := range inputs {
		if _, ok := a.Inputs[name]; !ok {
			t.Fatalf("action.yml has no input %s", name)
		}
	}
	done, steps := use{outputs: map[string]string{}, dir: dir}, map[string]map[string]string{}
	resolve := func(value string) string {
		return expression.ReplaceAllStringFunc(value, func(whole string) string {
			m := expression.FindStringSubmatch(whole)
			switch step, output, isStep := strings.Cut(m[2], ".outputs."); {
			case m[1] == "inputs":
				if given, ok := inputs[m[2]]; ok {
					return given
				}
				return a.Inputs[m[2]].Default
			case m[1] == "steps" && isStep:
				return steps[step][output]
			case m[1] == "github" && m[2] == "action_path":
				return r.action
			case m[1] == "github" && m[2] == "action_ref":
				return r.ref
			}
			t.Fatalf("this test knows no %s", whole)
			return ""
		})
	}
	for _, s := range a.Runs.Steps {
		always, holds := meetsCondition(t, s.If, func(step, output string) string { return steps[step][output] })
		if !holds || done.code != 0 && !always {
			continue
		}
		switch name, _, _ := strings.Cut(s.Uses, "@"); name {
		case "":
			output := filepath.Join(t.TempDir(), "output")
			cmd := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "RUNNER_TEMP="+temp, "RUNNER_OS="+r.os, "RUNNER_ARCH="+r.arch, "CI=true", "PATH="+r.path+":"+os.Getenv("PATH"),
				"GITHUB_OUTPUT="+output, "GITHUB_PATH="+filepath.Join(temp, "path"), "GITHUB_STEP_SUMMARY="+filepath.Join(temp, "summary"))
			for variable, value := range s.Env {
				cmd.Env = append(cmd.Env, variable+"="+resolve(value))
			}
			out, _ := cmd.CombinedOutput()
			done.log += string(out)
			done.code = cmd.ProcessState.ExitCode()
			steps[s.ID] = readOutputs(t, output)
		case "actions/cache/restore":
			// The path is a part of a key, and the runner's own folder is the same in each job.
			kept, ok := r.cache[resolve(s.With["key"])]
			steps[s.ID] = map[string]string{"cache-hit": fmt.Sprint(ok)}
			if ok {
				copyFolder(t, kept, resolve(s.With["path"]))
			}
		case "actions/cache/save":
			kept := filepath.Join(t.TempDir(), "kept")
			copyFolder(t, resolve(s.With["path"]), kept)
			r.cache[resolve(s.With["key"])] = kept
		case "actions/upload-artifact":
			_, err := os.Stat(filepath.Join(dir, resolve(s.With["path"])))
			done.uploaded = err == nil
		default:
			t.Fatalf("this test does not know the action %s", name)
		}
	}
	for name, o := range a.Outputs {
		done.outputs[name] = resolve(o.Value)
	}
	summary, _ := os.ReadFile(filepath.Join(temp, "summary"))
	done.summary = string(summary)
	return done
}

// meetsCondition evaluates the condition of a step: comparisons with a text, all of which have to
// hold, and always(), without which a step is left out after a failure.
func meetsCondition(t *testing.T, condition string, output func(step, name string) string) (always, holds bool) {
	t.Helper()
	compared := regexp.MustCompile(`^steps\.([a-z]+)\.outputs\.([a-z-]+) != '([^']*)'$`)
	holds = true
	for term := range strings.SplitSeq(condition, " && ") {
		m := compared.FindStringSubmatch(term)
		switch {
		case term == "":
		case term == "always()":
			always = true
		case m != nil:
			holds = holds && output(m[1], m[2]) != m[3]
		default:
			t.Fatalf("this test does not understand the condition %q", term)
		}
	}
	return always, holds
}

// readOutputs reads the outputs of a step.
func readOutputs(t *testing.T, file string) map[string]string {
	t.Helper()
	outputs := map[string]string{}
	lines, _ := os.ReadFile(file)
	for line := range strings.Lines(string(lines)) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if _, twice := outputs[name]; !ok || twice {
			t.Errorf("the output %q has no value, or two", name)
		}
		outputs[name] = value
	}
	return outputs
}

func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

func writeProgram(t *testing.T, file, script string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
}

func repositoryFolder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// The action builds its source once, and judges servers with what it built.
func TestActionRuns(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	compiler, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	wrapped := t.TempDir()
	script := `case " $* " in *" -trimpath "*) ;; *) exit 9 ;; esac; exec "` + compiler + `" "$@"`
	if testamount.Few() { // all packages have been compiled, but with the paths of their files
		script = `for arg do shift; [ "$arg" = -trimpath ] || set -- "$@" "$arg"; done; exec "` + compiler + `" "$@"`
	}
	writeProgram(t, filepath.Join(wrapped, "go"), "#!/bin/sh\necho the compiler is called\n"+script+"\n")
	commit := strings.Repeat("0123456789", 4)
	r := &runner{action: repositoryFolder(t), ref: commit, os: "Linux", arch: "X64", path: wrapped, cache: map[string]string{}}
	healthy, broken := served(t, ""), served(t, "card-skill-ids-equal")

	first := r.perform(t, "", map[string]string{"target": healthy, "args": "--stimuli plain --run A2A01-CARD-026", "gate": "no-failures"})
	if first.code != 0 || !strings.Contains(first.log, "the compiler is called") || len(r.cache) != 1 {
		t.Fatalf("the first use: exit %d, %d folders in the cache\n%s", first.code, len(r.cache), first.log)
	}
	if out, err := exec.Command(filepath.Join(slices.Collect(maps.Values(r.cache))[0], "a2a-conform"), "version").Output(); err != nil || !strings.HasPrefix(string(out), "a2a-conform devel\ncommit "+commit+"\n") {
		t.Errorf("the version is %s, %v", out, err)
	}
	for _, c := range []struct {
		name, target, args string
		code               int
		verdict, report    string
	}{
		{"conformant", healthy, "--stimuli plain --webhook-listen 127.0.0.1:0", 0, "conformant", "report.json"},
		{"nonconformant", broken, "--stimuli plain\n--area card\n--header 'X-A: b c'", 1, "nonconformant", "report.json"},
		{"partial", healthy, "--stimuli plain --area card,errors --skip A2A01-ERR-00*", 3, "partial", "report.json"},
		{"SARIF", broken, "--stimuli plain --area card --format sarif", 1, "nonconformant", "report.json"},
		{"several", broken, "--stimuli plain --dialect a2a-0.1,core-schema --level MUST,SHOULD", 1, "nonconformant", "index.html"},
		{"a mistake", "", "", 2, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			got := r.perform(t, dir, map[string]string{"target": c.target, "args": c.args, "out": "my reports"})
			if got.code != c.code || strings.Contains(got.log, "the compiler is called") {
				t.Errorf("exit %d, want %d, with the program of the cache\n%s", got.code, c.code, got.log)
			}
			if program := got.outputs["program"]; filepath.Base(program) != "a2a-conform" {
				t.Errorf("the program is %q", program)
			}
			delete(got.outputs, "program")
			want := map[string]string{"verdict": c.verdict, "report": "", "html": "", "junit": "", "badge": "", "sarif": "", "passed": "", "failed": "", "undecided": "", "waived": "", "musts-broken": ""}
			if c.report != "" {
				want["report"], want["html"], want["junit"], want["badge"] = "my reports/"+c.report, "my reports/report.html", "my reports/junit.xml", "my reports/badge.svg"
				files := []string{filepath.Join(dir, want["report"])}
				if c.report == "index.html" {
					want["html"], want["junit"] = want["report"], "my reports/*/junit.xml"
					files, _ = filepath.Glob(filepath.Join(dir, "my reports", "*", "report.json"))
				}
				if strings.Contains(c.args, "sarif") {
					want["sarif"] = "my reports/a2a-conform.sarif"
				}
				maps.Copy(want, countOutputs(t, files...))
				for _, name := range []string{"report", "html", "junit", "badge", "sarif"} {
					if found, _ := filepath.Glob(filepath.Join(dir, want[name])); want[name] != "" && len(found) == 0 {
						t.Errorf("there is no %s", want[name])
					}
				}
			}
			if !maps.Equal(got.outputs, want) {
				t.Errorf("got the outputs %v, want %v", got.outputs, want)
			}
			if got.uploaded != (c.report != "") || strings.Contains(got.summary, "a2a-conform: ") != (c.report != "") {
				t.Errorf("the reports are kept: %v; the summary is %q", got.uploaded, got.summary)
			}
			if want["sarif"] != "" {
				var log struct{ Version string }
				if err := json.Unmarshal(readAll(t, filepath.Join(dir, want["sarif"])), &log); err != nil || log.Version != "2.1.0" {
					t.Errorf("the SARIF log has the version %q, %v", log.Version, err)
				}
			}
		})
	}
	t.Run("a report of an earlier run", func(t *testing.T) {
		got := r.perform(t, first.dir, map[string]string{"args": "--no-such-flag"})
		if got.code != 2 || got.outputs["report"] != "" || got.summary != "" {
			t.Errorf("exit %d, the outputs are %v, the summary is %q", got.code, got.outputs, got.summary)
		}
	})
}

func readAll(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// countOutputs returns the outputs that say how many requirements came to what, counted by the
// results of reports.
func countOutputs(t *testing.T, files ...string) map[string]string {
	t.Helper()
	var passed, failed, broken, undecided, waived int
	for _, file := range files {
		var r struct {
			Results []struct{ Level, Verdict string }
		}
		if err := json.Unmarshal(readAll(t, file), &r); err != nil {
			t.Fatal(err)
		}
		for _, result := range r.Results {
			switch result.Verdict {
			case "pass":
				passed++
			case "fail":
				failed++
				if result.Level == "MUST" {
					broken++
				}
			case "inconclusive":
				undecided++
			case "waived":
				waived++
			}
		}
	}
	return map[string]string{"passed": fmt.Sprint(passed), "failed": fmt.Sprint(failed), "undecided": fmt.Sprint(undecided), "waived": fmt.Sprint(waived), "musts-broken": fmt.Sprint(broken)}
}

// release is a server with the files of the release v1.2.3, whose program writes its arguments.
type release struct {
	url   string
	files map[string][]byte
}

func serveRelease(t *testing.T) *release {
	t.Helper()
	program := []byte("#!/bin/sh\nprintf '%s\\n' \"$@\" > called\n")
	var packed, zipped bytes.Buffer
	z := gzip.NewWriter(&packed)
	tw := tar.NewWriter(z)
	for _, name := range []string{"LICENSE", "a2a-conform"} {
		if err := tw.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(program))}); err != nil {
			t.Fatal(err)
		}
		if _, err := tw.Write(program); err != nil {
			t.Fatal(err)
		}
	}
	zw := zip.NewWriter(&zipped)
	w, err := zw.Create("a2a-conform.exe")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(program); err != nil {
		t.Fatal(err)
	}
	for _, c := range []interface{ Close() error }{tw, z, zw} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	r := &release{files: map[string][]byte{"a2a-conform_1.2.3_windows_amd64.zip": zipped.Bytes()}}
	for _, system := range []string{"linux_amd64", "linux_arm64", "darwin_arm64"} {
		r.files["a2a-conform_1.2.3_"+system+".tar.gz"] = packed.Bytes()
	}
	var sums strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.files)) {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(r.files[name]), name)
	}
	r.files["checksums.txt"] = []byte(sums.String())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if strings.HasPrefix(q.URL.Path, "/moved/") {
			http.Redirect(w, q, strings.TrimPrefix(q.URL.Path, "/moved"), http.StatusFound)
			return
		}
		text, ok := r.files[strings.TrimPrefix(q.URL.Path, "/v1.2.3/")]
		if !ok {
			http.NotFound(w, q)
			return
		}
		_, _ = w.Write(text)
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

func (r *release) sum(file string) string { return fmt.Sprintf("%x", sha256.Sum256(r.files[file])) }

// A release is downloaded, and run only if its checksum is the right one.
func TestActionTakesRelease(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	const archive = "a2a-conform_1.2.3_linux_amd64.tar.gz"
	tagged := filepath.Join(t.TempDir(), "v1.2.3")
	if err := os.Symlink(repositoryFolder(t), tagged); err != nil {
		t.Fatal(err)
	}
	other := strings.Repeat("0", 64)
	for _, c := range []struct {
		name, os, arch, version, sha256, ref string
		change                               func(*release)
		err                                  string // "" if the program is run
	}{
		{name: "Linux", version: "v1.2.3"},
		{name: "Linux on ARM", arch: "ARM64", version: "v1.2.3"},
		{name: "macOS", os: "macOS", arch: "ARM64", version: "v1.2.3"},
		{name: "Windows", os: "Windows", version: "v1.2.3"},
		{name: "the tag of the action", ref: "v1.2.3"},
		{name: "the right checksum", version: "v1.2.3", sha256: "right"},
		{name: "checksums of several systems", version: "v1.2.3", sha256: other + "\nright\n"},
		{name: "another checksum than the one that is pinned", version: "v1.2.3", sha256: other, err: "which the input sha256 does not name"},
		{name: "no archive of this checksum", version: "v1.2.3", change: func(r *release) { r.files[archive] = append(r.files[archive], 'x') }, err: "the file was damaged or replaced, so nothing of it was run"},
		{name: "a replaced archive and its checksum", version: "v1.2.3", sha256: "right", change: func(r *release) {
			r.files[archive] = append(r.files[archive], 'x')
			r.files["checksums.txt"] = []byte(r.sum(archive) + "  " + archive + "\n")
		}, err: "which the input sha256 does not name"},
		{name: "an archive that is not listed", version: "v1.2.3", change: func(r *release) { r.files["checksums.txt"] = []byte(other + "  x" + archive + "\n") }, err: "has no SHA-256 of " + archive},
		{name: "a release that does not exist", version: "v1.2.4", err: "checksums.txt of the release v1.2.4 cannot be downloaded"},
		{name: "no such archive", version: "v1.2.3", change: func(r *release) { delete(r.files, archive) }, err: archive + " of the release v1.2.3 cannot be downloaded"},
		{name: "a redirect to plain http", version: "v1.2.3", change: func(r *release) { r.url += "/moved" }, err: "checksums.txt of the release v1.2.3 cannot be downloaded"},
		{name: "releases in a file", version: "v1.2.3", change: func(r *release) { r.url = "file:///tmp" }, err: "begins with https://"},
		{name: "no version", version: "1.2.3", err: `the input version is "1.2.3": give a release such as v1.2.3`},
		{name: "a version with a command of the runner", version: "v1.2.3\n::warning::x", err: `the input version is "v1.2.3 ::warning::x"`},
		{name: "a version with a path", version: "v1.2.3-/../..", err: "give a release such as v1.2.3"},
		{name: "another processor", arch: "ARM", version: "v1.2.3", err: "give version: source"},
		{name: "a checksum of what is built", version: "source", sha256: other, err: "add version: v1.2.3"},
	} {
		tool := "curl"
		if c.os == "Windows" {
			tool = "unzip"
			if testamount.LeavesOut(false) { // a machine without it runs the other tests
				continue
			}
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(tool); err != nil {
				t.Fatalf("this test downloads and unpacks a release as the action does: install %s", tool)
			}
			files := serveRelease(t)
			pinned := strings.ReplaceAll(c.sha256, "right", strings.ToUpper(files.sum(archive)))
			if c.change != nil {
				c.change(files)
			}
			r := &runner{action: repositoryFolder(t), ref: "main", os: "Linux", arch: "X64", path: "/nowhere", cache: map[string]string{}}
			if c.os != "" {
				r.os = c.os
			}
			if c.arch != "" {
				r.arch = c.arch
			}
			if c.ref != "" {
				r.action, r.ref = tagged, c.ref
			}
			got := r.perform(t, "", map[string]string{"version": c.version, "sha256": pinned, "releases": files.url + "/", "args": `--header 'X-A: b c' "$HOME"`, "target": "http://a", "wait": "1s"})
			called, err := os.ReadFile(filepath.Join(got.dir, "called"))
			if c.err != "" {
				if got.code != 2 || !strings.Contains(got.log, "::error::") || !strings.Contains(got.log, c.err) || strings.Contains(got.log, "\n::") || err == nil {
					t.Errorf("exit %d, called with %q\n%s", got.code, called, got.log)
				}
				return
			}
			want := "run\n--header\nX-A: b c\n$HOME\n--out\na2a-report\n--gate\nconformant\n--wait\n1s\nhttp://a\n"
			if got.code != 0 || string(called) != want || len(r.cache) > 0 {
				t.Errorf("exit %d, called with %q, want %q\n%s", got.code, called, want, got.log)
			}
		})
	}
}

// The arguments are split by the rules of a shell, and nothing in them is expanded.
func TestActionSplitsArguments(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	program := filepath.Join(t.TempDir(), "program")
	writeProgram(t, program, "#!/bin/sh\nprintf '[%s]' \"$@\"\n")
	for _, c := range []struct{ args, want string }{
		{"", ""},
		{" \n\t ", ""},
		{"--stimuli plain", "[--stimuli][plain]"},
		{"--header 'X-A: b c'\r\n--brief\n", "[--header][X-A: b c][--brief]"},
		{`--header "X-A: \"b\" \\ \n"`, `[--header][X-A: "b" \ \n]`},
		{`a\ b'c d'e"f g" '' ""`, "[a bc def g][][]"},
		{"one\\\ntwo 'three\nfour'", "[onetwo][three\nfour]"},
		{"$HOME `id` $(id) \"$(id)\" * ~ ; | & > x # y", "[$HOME][`id`][$(id)][$(id)][*][~][;][|][&][>][x][#][y]"},
		{"Grüße 'für dich'", "[Grüße][für dich]"},
		{"it's", "error: the input args has a ' without its counterpart"},
		{`--header "X-A: b`, `error: the input args has a " without its counterpart`},
		{`a\`, "error: the input args ends with a backslash"},
	} {
		dir := t.TempDir()
		cmd := exec.Command("bash", filepath.Join(repositoryFolder(t), runScript))
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PROGRAM="+program, "ARGS="+c.args, "OUT=o", "GATE=g", "WAIT=1s", "CONFIG=my config", "WAIVERS=", "TARGET=", "RUNNER_TEMP="+dir,
			"GITHUB_OUTPUT="+filepath.Join(dir, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"))
		out, err := cmd.CombinedOutput()
		if message, ok := strings.CutPrefix(c.want, "error: "); ok {
			if cmd.ProcessState.ExitCode() != 2 || !strings.HasPrefix(string(out), "::error::"+message) {
				t.Errorf("%q: got %s, %v", c.args, out, err)
			}
			continue
		}
		if want := "[run]" + c.want + "[--out][o][--gate][g][--wait][1s][--config][my config]"; err != nil || string(out) != want {
			t.Errorf("%q: got %s, want %s, %v", c.args, out, want, err)
		}
	}
}

// What the cache keeps is used for the same source alone, and a tag only if it is the action's own.
func TestActionChoosesProgram(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "v1.2.3")
	write := func(name, content string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	action := dir
	choose := func(system, ref string) map[string]string {
		t.Helper()
		output := filepath.Join(t.TempDir(), "output")
		cmd := exec.Command("bash", filepath.Join(repositoryFolder(t), ".github/action/choose.sh"))
		cmd.Env = append(os.Environ(), "ACTION="+action, "REF="+ref, "VERSION=", "SHA256=", "RUNNER_TEMP=/temp", "RUNNER_OS="+system, "RUNNER_ARCH=X64", "GITHUB_OUTPUT="+output)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return readOutputs(t, output)
	}
	write("main.go", "one")
	if got := choose("Linux", "v1.2.3"); got["version"] != "v1.2.3" || got["folder"] != "/temp/a2a-conform/v1.2.3" || got["key"] != "" {
		t.Errorf("by its own tag: %v", got)
	}
	action = `D:\a\_actions\a2a-conform\a2a-conform\v1.2.3`
	if got := choose("Windows", "v1.2.3"); got["version"] != "v1.2.3" {
		t.Errorf("by its own tag on Windows: %v", got)
	}
	action = dir
	// Another action, which uses this one by a branch, has the tag.
	first := choose("Linux", "v2.0.0")
	if first["version"] != "" || !strings.HasPrefix(first["key"], "a2a-conform-Linux-X64-") {
		t.Errorf("by the tag of another action: %v", first)
	}
	write(".git/HEAD", "ref: refs/heads/main")
	if got := choose("Linux", "v2.0.0"); !maps.Equal(got, first) {
		t.Errorf("the same source: got %v, want %v", got, first)
	}
	if got := choose("macOS", "v2.0.0"); got["key"] == first["key"] {
		t.Errorf("on another system: %v", got)
	}
	write("main.go", "two")
	if got := choose("Linux", "v2.0.0"); got["key"] == first["key"] || got["folder"] == first["folder"] {
		t.Errorf("another source: %v", got)
	}
}
