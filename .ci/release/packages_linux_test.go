package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// An island is a network that has nothing but a bundled server of the release: no other machine can
// be reached from it, not even this one.
type island struct {
	pid int
	url string
}

// openIsland starts the bundled server of the release in a network of its own, which root can make.
func openIsland(t *testing.T) island {
	t.Helper()
	archive := findFile(t, "*_linux_"+runtime.GOARCH+".tar.gz")
	held, err := readPrograms(archive)
	if err != nil {
		t.Fatal(err)
	}
	server := filepath.Join(t.TempDir(), "server")
	if err := os.WriteFile(server, held[name], 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("unshare", "--net", "sh", "-c", `ip link set lo up && exec "$0" "$@"`, server, "reference", "--dialect", "core-schema")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		cmd.Wait()
	})
	line := make([]byte, 200)
	n, err := out.Read(line)
	if err != nil {
		cmd.Wait()
		t.Fatalf("the bundled server does not start: %v\n%s", err, &errs)
	}
	words := strings.Fields(string(line[:n]))
	i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "http://127.0.0.1:") })
	if i < 0 {
		t.Fatalf("the bundled server prints no URL but %q", words)
	}
	devices, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/dev", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, device := range strings.Split(strings.TrimSpace(string(devices)), "\n")[2:] {
		if !strings.HasPrefix(strings.TrimSpace(device), "lo:") {
			t.Errorf("the network has another device: %s", device)
		}
	}
	return island{cmd.Process.Pid, words[i]}
}

// command returns a command that sees only the network of the island, the folders of path, and a
// home without settings.
func (i island) command(t *testing.T, path string, args ...string) *exec.Cmd {
	t.Helper()
	enter, err := exec.LookPath("nsenter")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(enter, slices.Concat([]string{"--target", strconv.Itoa(i.pid), "--net", "--"}, args)...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=" + path, "HOME=" + cmd.Dir, "LANG=C.UTF-8"}
	return cmd
}

// exitCode runs a command and returns its exit code and what it prints.
func exitCode(t *testing.T, cmd *exec.Cmd) (int, string) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%q: %v", cmd.Args, err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// succeed runs a command that has to end with exit code 0, and returns what it prints.
func succeed(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	code, out := exitCode(t, cmd)
	if code != 0 {
		t.Fatalf("%q: exit code %d\n%s", cmd.Args, code, out)
	}
	return out
}

// runArgs are the arguments that have the program judge the server of the island.
func (i island) runArgs(out string) []string {
	return []string{"run", i.url, "--dialect", "core-schema", "--quiet", "--out", out}
}

// reportHolds reads the report that a run left: the server of the island conforms.
func reportHolds(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var report struct{ Verdict string }
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	if report.Verdict != "conformant" {
		t.Errorf("got the verdict %q, want conformant", report.Verdict)
	}
}

// linkPrograms returns a folder with links to programs: used as PATH, it has only them.
func linkPrograms(t *testing.T, targets map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, target := range targets {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// resolveProgram returns the file of a program in PATH, without links.
func resolveProgram(t *testing.T, name string) string {
	t.Helper()
	found, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := filepath.EvalSymlinks(found)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// With only Node in PATH and no network, npx runs the program that the packages have.
func TestNPMPackages(t *testing.T) {
	platform := npmSystems[runtime.GOOS] + "-" + npmProcessors[runtime.GOARCH]
	program, main := findFile(t, "a2a-conform-"+platform+"-*.tgz"), findFile(t, "a2a-conform-[0-9]*.tgz")
	i := openIsland(t)
	node, npx := resolveProgram(t, "node"), resolveProgram(t, "npx")
	path := linkPrograms(t, map[string]string{"node": node, "sh": "/bin/sh"}) // npx has a shell start the program
	run := func(packages ...string) *exec.Cmd {
		args := []string{node, npx, "--offline", "--yes"}
		for _, p := range packages {
			args = append(args, "--package="+p)
		}
		cmd := i.command(t, path, append(args, "--", "a2a-conform")...)
		cmd.Env = append(cmd.Env, "npm_config_update_notifier=false") // it would wait for the registry, --offline or not
		return cmd
	}
	cmd := run(program, main)
	cmd.Args = append(cmd.Args, i.runArgs("out")...)
	succeed(t, cmd)
	reportHolds(t, filepath.Join(cmd.Dir, "out"))

	// The exit code is that of the program.
	cmd = run(program, main)
	cmd.Args = append(cmd.Args, "run", "http://127.0.0.1:1", "--quiet")
	if code, out := exitCode(t, cmd); code != 4 {
		t.Errorf("an unreachable server: got the exit code %d, want 4\n%s", code, out)
	}
	// Without the package for this system, the error names it and the remedy.
	cmd = run(main)
	cmd.Args = append(cmd.Args, "version")
	if code, out := exitCode(t, cmd); code != 2 || !strings.Contains(out, "a2a-conform: the package @a2a-conform/"+platform+" is not installed") || !strings.Contains(out, "--omit=optional") {
		t.Errorf("got the exit code %d and\n%s", code, out)
	}
	launcherPassesSignals(t, node, program, main)
}

// launcherPassesSignals has the launcher start a server, and sends a signal to the launcher alone.
func launcherPassesSignals(t *testing.T, node string, packages ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, p := range packages {
		all, err := readArchiveFiles(p, func(name string) (string, bool) { return name, true })
		if err != nil {
			t.Fatal(err)
		}
		var manifest npmManifest
		if err := json.Unmarshal(all["package/package.json"], &manifest); err != nil {
			t.Fatal(err)
		}
		for file, text := range all {
			to := filepath.Join(dir, "node_modules", filepath.FromSlash(manifest.Name), strings.TrimPrefix(file, "package/"))
			if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o755)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		cmd := exec.Command(node, filepath.Join(dir, "node_modules", name, "bin", "a2a-conform.js"), "reference")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		stuck := time.AfterFunc(time.Minute, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
		if _, err := out.Read(make([]byte, 200)); err != nil { // it listens
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		for err == nil { // to the end: nothing else holds the pipe, so the program has ended
			_, err = out.Read(make([]byte, 200))
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("after %s: %v", signal, err)
		}
		if !stuck.Stop() {
			t.Errorf("after %s, the program goes on", signal)
		}
	}
}

// With only Python in PATH and no network, pip installs the program into a virtual environment,
// and removes it.
func TestWheel(t *testing.T) {
	wheel := findFile(t, "*manylinux*"+map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]+".whl")
	i := openIsland(t)
	// A python3 in PATH can be a script that chooses one of several.
	python, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Fatal(err)
	}
	path := linkPrograms(t, map[string]string{"python3": strings.TrimSpace(string(python))})
	venv := filepath.Join(t.TempDir(), "venv")
	bin := filepath.Join(venv, "bin")
	succeed(t, i.command(t, path, filepath.Join(path, "python3"), "-m", "venv", venv))
	pip := filepath.Join(bin, "pip")
	succeed(t, i.command(t, path, pip, "install", "--no-index", "--find-links", filepath.Dir(wheel), name))

	cmd := i.command(t, path, append([]string{filepath.Join(bin, name)}, i.runArgs("out")...)...)
	succeed(t, cmd)
	reportHolds(t, filepath.Join(cmd.Dir, "out"))

	shown := succeed(t, i.command(t, path, pip, "show", "--verbose", "--files", name))
	for _, want := range []string{"\nSummary: " + summary, repository, "licenses/NOTICE"} {
		if !strings.Contains(shown, want) {
			t.Errorf("pip show lacks %q:\n%s", want, shown)
		}
	}
	succeed(t, i.command(t, path, pip, "check"))
	succeed(t, i.command(t, path, pip, "uninstall", "--yes", name))
	if _, err := os.Stat(filepath.Join(bin, name)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after its removal, the program is there: %v", err)
	}
}

// The Debian package is installed, run and removed in a system that has nothing else.
func TestDebianPackage(t *testing.T) {
	debs := []string{findFile(t, "a2a-conform_*_"+runtime.GOARCH+".deb"), findFile(t, "a2a-conform-fleet_*_"+runtime.GOARCH+".deb")}
	i := openIsland(t)
	root := filepath.Join(t.TempDir(), "root")
	mirror := strings.Fields(command(t, "", nil, "apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)", "Identifier: Packages"))
	if len(mirror) < 2 {
		t.Fatalf("apt has no sources: %q", mirror)
	}
	command(t, "", nil, "debootstrap", "--variant=minbase", mirror[1], root, mirror[0])
	var names []string
	for _, deb := range debs {
		text, err := os.ReadFile(deb)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, "/"+filepath.Base(deb))
		if err := os.WriteFile(filepath.Join(root, names[len(names)-1]), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const path = "/usr/sbin:/usr/bin:/sbin:/bin"
	chroot := resolveProgram(t, "chroot")
	inside := func(args ...string) *exec.Cmd {
		return i.command(t, path, append([]string{chroot, root}, args...)...)
	}
	succeed(t, inside("dpkg", "--install", names[0]))
	if out := succeed(t, inside("dpkg", "--verify", name)); out != "" {
		t.Errorf("dpkg --verify prints\n%s", out)
	}
	status := succeed(t, inside("dpkg", "--status", name))
	for _, want := range []string{"\nStatus: install ok installed\n", "\nHomepage: " + repository + "\n", "\nRecommends: ca-certificates\n"} {
		if !strings.Contains(status, want) {
			t.Errorf("dpkg --status lacks %q:\n%s", want, status)
		}
	}
	succeed(t, inside(append([]string{"a2a-conform"}, i.runArgs("/out")...)...))
	reportHolds(t, filepath.Join(root, "out"))
	succeed(t, inside("dpkg", "--install", names[1])) // to which the first passes on
	if out := succeed(t, inside("a2a-conform", "fleet", "--version")); !strings.HasPrefix(out, "a2a-conform fleet version v") {
		t.Errorf("fleet --version prints %q", out)
	}
	licence, err := os.ReadFile(filepath.Join(root, "usr/share/doc/a2a-conform/copyright"))
	if err != nil || !bytes.Contains(licence, []byte("Apache License")) {
		t.Errorf("the licence is missing: %v", err)
	}
	succeed(t, inside("dpkg", "--purge", name, name+"-fleet"))
	for _, file := range []string{"usr/bin/a2a-conform", "usr/bin/a2a-conform-fleet", "usr/share/doc/a2a-conform", "usr/share/doc/a2a-conform-fleet"} {
		if _, err := os.Stat(filepath.Join(root, file)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("after its removal, %s is there: %v", file, err)
		}
	}
}

// Another author's programs read the image, and its programs run as its user with its root alone.
func TestImage(t *testing.T) {
	archive := findFile(t, "a2a-conform_*_linux_"+runtime.GOARCH+imageEnding)
	i := openIsland(t)
	dir := t.TempDir()
	var image struct {
		Architecture, Os, Created string
		Config                    struct {
			User, WorkingDir string
			Entrypoint       []string
			Labels           map[string]string
		}
	}
	if err := json.Unmarshal([]byte(command(t, "", nil, "skopeo", "inspect", "--config", "oci-archive:"+archive)), &image); err != nil {
		t.Fatal(err)
	}
	if image.Architecture != runtime.GOARCH || image.Os != "linux" || image.Config.User != "65532:65532" || image.Config.WorkingDir != "/reports" ||
		!slices.Equal(image.Config.Entrypoint, []string{"/usr/local/bin/a2a-conform"}) {
		t.Errorf("got the configuration %+v", image)
	}
	head := strings.TrimSpace(command(t, "../..", nil, "git", "rev-parse", "HEAD"))
	for label, want := range map[string]string{"source": repository, "licenses": license, "revision": head, "title": name} {
		if got := image.Config.Labels["org.opencontainers.image."+label]; got != want {
			t.Errorf("the label %s is %q, want %q", label, got, want)
		}
	}
	command(t, dir, nil, "skopeo", "copy", "oci-archive:"+archive, "oci:layout:it")
	command(t, dir, nil, "umoci", "unpack", "--image", "layout:it", "bundle")
	root := filepath.Join(dir, "bundle", "rootfs")
	chroot := resolveProgram(t, "chroot")
	inside := func(args ...string) *exec.Cmd {
		return i.command(t, "/usr/local/bin", append([]string{chroot, "--userspec=65532:65532", root}, args...)...)
	}
	succeed(t, inside(append([]string{"/usr/local/bin/a2a-conform"}, i.runArgs("/reports/out")...)...))
	reportHolds(t, filepath.Join(root, "reports", "out"))
	// It may not write elsewhere.
	if code, out := exitCode(t, inside(append([]string{"/usr/local/bin/a2a-conform"}, i.runArgs("/etc/out")...)...)); code != 2 {
		t.Errorf("a run that writes to /etc: got the exit code %d, want 2\n%s", code, out)
	}
}

// readFormula is a program in Ruby that has as much of Homebrew as the formula uses, and prints what
// Homebrew would download on one kind of machine.
const readFormula = `
class Formula
  class << self
    def desc(*) = nil
    def homepage(*) = nil
    def license(*) = nil
    def test = nil
    def version(v = nil) = (@version = v || @version)
    def url(u = nil) = (@url = u || @url)
    def sha256(s = nil) = (@sha256 = s || @sha256)
    %w[macos linux arm intel].each { |k| define_method("on_#{k}") { |&b| b.call if ARGV[1..].include?(k) } }
  end
end
load ARGV[0]
puts A2aConform.version, A2aConform.url, A2aConform.sha256
`

// Ruby reads the formula, which names the archive for each machine and its checksum.
func TestFormula(t *testing.T) {
	formula := findFile(t, formulaFile)
	if out := command(t, "", nil, "ruby", "-wc", formula); out != "Syntax OK\n" {
		t.Errorf("ruby -wc prints %q", out)
	}
	sums, err := os.ReadFile(filepath.Join(*dist, checksumsFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ system, processor, archive string }{
		{"macos", "arm", "darwin_arm64"}, {"macos", "intel", "darwin_amd64"}, {"linux", "arm", "linux_arm64"}, {"linux", "intel", "linux_amd64"},
	} {
		archive := filepath.Base(findFile(t, "*_"+c.archive+".tar.gz"))
		got := strings.Fields(command(t, "", nil, "ruby", "-e", readFormula, formula, c.system, c.processor))
		if len(got) != 3 {
			t.Fatalf("%s %s: got %q", c.system, c.processor, got)
		}
		if want := repository + "/releases/download/v" + got[0] + "/" + archive; got[1] != want {
			t.Errorf("%s %s: got the URL %s, want %s", c.system, c.processor, got[1], want)
		}
		if !strings.Contains(string(sums), got[2]+"  "+archive+"\n") {
			t.Errorf("%s %s: the checksum of %s is not %s", c.system, c.processor, archive, got[2])
		}
	}
}
