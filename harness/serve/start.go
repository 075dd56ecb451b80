package serve

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/adapter"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// Bounds on the program of a client.
const (
	DefaultPatience = 30 * time.Second // for one start
	killAfter       = 2 * time.Second  // between the request to end and the end
	MaxOutput       = 64 << 10         // bytes of each output that are kept
	maxSearched     = 16 << 20         // bytes of each output in which markers are looked for
)

// Task is what a client is started for: the addresses of the agent and what is to be sent to it.
type Task struct {
	Scenario string
	Dialect  string
	URL      string // the base of the scripted server
	Card     string // the address of its card
	RPC      string // the address of the first interface
	Text     string // the message
	Second   string // the message after it, in the same conversation; "" if none is due
	CA       string // the file of the certificate authority of the run; "" unless WithTLS is granted
	// Cert and CertKey are the files of a certificate of the client and of its key; "" in scenarios that ask for none.
	Cert, CertKey string
	Keys          string // the file of the public keys of the run, a JSON Web Key Set; "" unless WithKeys is granted
	// Context is all of this, and the commands of the scenario, as a line of JSON, for a program that does what it is
	// asked to.
	Context string
	// Credentials are those that were made up for this start, by their kind: bearer, basic, key, client-id and client-secret.
	Credentials map[string]string
	// Extensions are the URIs of extensions that the client is to know, if the operator granted it some.
	Extensions []string

	do     []adapter.Command
	home   string // the folder of this start, with the files that it is given; "" if there are none
	secure bool   // the agent has addresses of https
	// Stdout and Stderr take what a client prints that is a function of this process.
	Stdout, Stderr io.Writer
}

// listPlaceholders returns the words in braces that a command line may have, and the value of each. The
// environment of the client has the same.
func (t *Task) listPlaceholders() [][2]string {
	out := [][2]string{{"url", t.URL}, {"card", t.Card}, {"rpc", t.RPC}, {"text", t.Text}, {"second", t.Second}, {"scenario", t.Scenario}}
	for _, c := range grantedCanaries {
		out = append(out, [2]string{c[0], t.Credentials[c[0]]})
	}
	return append(out, [2]string{"extensions", strings.Join(t.Extensions, ",")}, [2]string{"ca", t.CA}, [2]string{"cert", t.Cert}, [2]string{"cert-key", t.CertKey}, [2]string{"jwks", t.Keys})
}

// nameVariable returns the variable of the environment that has the value of a placeholder.
func nameVariable(word string) string {
	if i := slices.IndexFunc(grantedCanaries, func(c [2]string) bool { return c[0] == word }); i >= 0 {
		return grantedCanaries[i][1]
	}
	return "A2A_CONFORM_" + strings.ToUpper(strings.ReplaceAll(word, "-", "_"))
}

// Placeholders returns the words that are filled in if a command line has them in braces.
func Placeholders() (names []string) {
	for _, p := range new(Task).listPlaceholders() {
		names = append(names, p[0])
	}
	return names
}

// usesPlaceholder reports whether a command line has a word in braces.
func usesPlaceholder(command []string, word string) bool {
	return slices.ContainsFunc(command, func(arg string) bool { return strings.Contains(arg, "{"+word+"}") })
}

// fillCommand returns a command line with the placeholders filled in, or the URL and the text appended.
func fillCommand(command []string, t *Task) []string {
	var pairs []string
	filled := false
	for _, p := range t.listPlaceholders() {
		word := "{" + p[0] + "}"
		pairs = append(pairs, word, p[1])
		filled = filled || wordExtras[p[0]] == "" && usesPlaceholder(command[min(1, len(command)):], p[0])
	}
	out := slices.Clone(command)
	for i := range out {
		if i > 0 { // which program it is does not depend on the play
			out[i] = strings.NewReplacer(pairs...).Replace(out[i])
		}
	}
	if !filled {
		out = append(out, t.URL, t.Text)
	}
	return out
}

// nameFilesAbsolutely returns a command line for a program that starts in another folder than ours: the
// words that name files of ours name them from the root. Words with a placeholder stay.
func nameFilesAbsolutely(command []string) []string {
	out := slices.Clone(command)
	for i, word := range out {
		if strings.ContainsAny(word, "{}") || filepath.IsAbs(word) || i == 0 && !strings.ContainsRune(word, filepath.Separator) {
			continue
		}
		if _, err := os.Stat(word); err != nil {
			continue
		}
		if at, err := filepath.Abs(word); err == nil {
			out[i] = at
		}
	}
	return out
}

// toolFolders are folders below a home in which the tools of languages keep programs and libraries. A client
// needs them although its home is another, and learns nothing from them.
var toolFolders = [][2]string{{"PYTHONUSERBASE", ".local"}, {"PYENV_ROOT", ".pyenv"}, {"NVM_DIR", ".nvm"}, {"GOPATH", "go"}, {"GOCACHE", ".cache/go-build"},
	{"CARGO_HOME", ".cargo"}, {"RUSTUP_HOME", ".rustup"}, {"ASDF_DATA_DIR", ".asdf"}, {"VOLTA_HOME", ".volta"}}

// addToolFolders names the folders of tools that are found below our own home.
func addToolFolders(env []string) []string {
	home, err := os.UserHomeDir()
	if err != nil {
		return env
	}
	for _, f := range toolFolders {
		at := filepath.Join(home, filepath.FromSlash(f[1]))
		if info, err := os.Stat(at); err == nil && info.IsDir() && os.Getenv(f[0]) == "" {
			env = append(env, f[0]+"="+at)
		}
	}
	return env
}

// buildEnvironment returns our environment without what describes credentials of ours, with the task, and with a home and
// caches of its own.
func (t *Task) buildEnvironment(home string, without func(name, value string) bool) []string {
	env := buildOwnEnvironment(home, without)
	for _, p := range t.listPlaceholders() {
		if p[1] != "" || wordExtras[p[0]] == "" { // what extras grant has a variable only if there is some
			env = append(env, nameVariable(p[0])+"="+p[1])
		}
	}
	if t.secure {
		env = append(env, listTrustVariables(t.CA)...)
	}
	return append(env, "A2A_CONFORM_DIALECT="+t.Dialect, "A2A_CONFORM_CONTEXT="+t.Context)
}

// buildOwnEnvironment returns our environment without what describes credentials of ours, with a home and caches of its
// own.
func buildOwnEnvironment(home string, without func(name, value string) bool) []string {
	var env []string
	for _, e := range os.Environ() {
		name, value, _ := strings.Cut(e, "=")
		if !strings.HasPrefix(name, "A2A_CONFORM_") && (without == nil || !without(name, value)) {
			env = append(env, e)
		}
	}
	env = addToolFolders(env)
	for _, name := range []string{"NO_PROXY", "no_proxy"} { // our addresses are those of this machine
		env = append(env, name+"="+strings.TrimPrefix(os.Getenv(name)+",127.0.0.1,localhost,::1", ","))
	}
	for _, name := range []string{"HOME", "USERPROFILE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "TMPDIR", "TMP", "TEMP"} {
		env = append(env, name+"="+home)
	}
	return env
}

// output takes what a program prints: it keeps the beginning, and looks for markers in much more.
type output struct {
	mu       sync.Mutex
	kept     bytes.Buffer
	tail     []byte
	searched int
	find     [][][]byte // for each marker the forms in which it may be printed
	found    []bool
	longest  int
}

// newOutput makes an output in which markers are looked for.
func newOutput(markers []record.Marker) *output {
	o := &output{found: make([]bool, len(markers))}
	for _, m := range markers {
		forms := listPrintedForms(m.Word)
		o.find = append(o.find, forms)
		for _, f := range forms {
			o.longest = max(o.longest, len(f))
		}
	}
	return o
}

// Write takes a piece of what is printed.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if room := MaxOutput + record.CutMargin - o.kept.Len(); room > 0 {
		o.kept.Write(p[:min(room, len(p))])
	}
	if o.searched < maxSearched {
		o.searched += len(p)
		text := slices.Concat(o.tail, p)
		for i, forms := range o.find {
			o.found[i] = o.found[i] || slices.ContainsFunc(forms, func(f []byte) bool { return bytes.Contains(text, f) })
		}
		o.tail = bytes.Clone(text[max(0, len(text)-o.longest):])
	}
	return len(p), nil
}

// readKeptText returns the beginning of what was printed, without secrets.
func (o *output) readKeptText(r *redact.Redactor) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := r.String(o.kept.String())
	if len(s) > MaxOutput {
		s = s[:MaxOutput]
	}
	return strings.ToValidUTF8(s, "�")
}

// hasFoundMarker reports whether a marker was printed.
func (o *output) hasFoundMarker(i int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.found[i]
}

// starter starts the client of a run.
type starter struct {
	command  []string
	call     func(context.Context, *Task) error
	patience time.Duration
	dir      string // in which the program is started; "" for its own
	redact   *redact.Redactor
	without  func(name, value string) bool // of the environment
	now      func() record.Instant
	canaries *canaryPool
	trust    *trust  // what the client is given to trust; may be nil
	kept     *keeper // plays all scenarios in one process; nil if each start is a process of its own
}

// startClient runs the client once, until it ends or its time is up, and describes how it fared.
func (s *starter) startClient(ctx context.Context, t *Task, markers []record.Marker) record.ClientRun {
	run := record.ClientRun{Text: t.Text, Second: t.Second, Markers: slices.Clone(markers)}
	stdout, stderr := newOutput(markers), newOutput(markers)
	lines := adapter.NewReader(t.Scenario, s.now, s.redact.String)
	printed := io.MultiWriter(stdout, lines)
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	var words []string
	switch {
	case s.kept != nil:
		words = s.command
	case len(s.command) > 0:
		words = fillCommand(s.command, t)
	}
	for _, w := range words {
		run.Command = append(run.Command, s.redact.String(w))
	}
	run.Started = s.now()
	switch {
	case s.call != nil:
		s.runFunction(ctx, t, &run, printed, stderr)
	case s.kept != nil:
		s.runKept(ctx, t, &run, keptOutputs{printed, stderr, lines})
	case len(s.command) > 0:
		s.runProgram(ctx, t, words, &run, printed, stderr)
	}
	run.Ended = s.now()
	run.Patience = errors.Is(ctx.Err(), context.DeadlineExceeded) && run.Trouble == ""
	if run.Patience {
		run.Signal = ""
	}
	lines.Close()
	if run.Said, run.Misread = lines.ListResult(); len(run.Said) > 0 {
		for _, c := range t.do {
			run.Do = append(run.Do, s.redact.String(c.EncodeLine()))
		}
	}
	run.Leaked = s.canaries.findPrinted(stdout, stderr)
	run.Stdout, run.Stderr = stdout.readKeptText(s.redact), stderr.readKeptText(s.redact)
	for i := range run.Markers {
		run.Markers[i].Printed = stdout.hasFoundMarker(i) || stderr.hasFoundMarker(i)
	}
	return run
}

// runFunction calls a client that is a function of this process. An error is exit code 1 and a panic exit
// code 2, as of a Go program, and their texts are printed. One that does not end with its context is left behind.
func (s *starter) runFunction(ctx context.Context, t *Task, run *record.ClientRun, stdout, stderr io.Writer) {
	own := *t
	own.Stdout, own.Stderr = stdout, stderr
	ended := make(chan error, 1)
	go func() {
		defer func() {
			if v := recover(); v != nil {
				ended <- &panicError{fmt.Sprintf("panic: %v\n\n%s", v, debug.Stack())}
			}
		}()
		ended <- s.call(ctx, &own)
	}()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		t := time.NewTimer(killAfter)
		defer t.Stop()
		select {
		case err = <-ended:
		case <-t.C:
			err = ctx.Err()
		}
	}
	if err != nil {
		run.Exit = 1
		if p := new(panicError); errors.As(err, &p) {
			run.Exit = 2
		}
		io.WriteString(stderr, err.Error()+"\n")
	}
}

// panicError is the end of a client that is a function of this process and panicked.
type panicError struct{ text string }

func (e *panicError) Error() string { return e.text }

// newGroupedCommand makes a command that leads a group of processes. With the context the group is asked to end, and is
// ended by force if that takes long.
func newGroupedCommand(ctx context.Context, words []string) (*exec.Cmd, processGroup) {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	group := newProcessGroup(cmd)
	cmd.Cancel = group.terminateGroup
	cmd.WaitDelay = killAfter // for the program to end, and for outputs that children keep open
	return cmd, group
}

// awaitEnd waits for the program to end, and ends the children that are left.
func (g processGroup) awaitEnd() {
	g.cmd.Wait() // its error is in the state of the process
	g.killGroup()
}

// runProgram starts the command in a folder of its own and waits for its end.
func (s *starter) runProgram(ctx context.Context, t *Task, words []string, run *record.ClientRun, stdout, stderr io.Writer) {
	home := t.home
	if home == "" {
		var err error
		if home, err = makeHome(); err != nil {
			run.Trouble, run.Exit = err.Error(), -1
			return
		}
		defer os.RemoveAll(home)
	}
	cmd, group := newGroupedCommand(ctx, words)
	cmd.Dir, cmd.Env = cmp.Or(s.dir, home), t.buildEnvironment(home, s.without)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if t.Second != "" {
		cmd.Stdin = strings.NewReader(t.Second + "\n")
	}
	if err := cmd.Start(); err != nil {
		run.Trouble, run.Exit = s.redact.String(err.Error()), -1
		return
	}
	group.awaitEnd()
	run.Exit = cmd.ProcessState.ExitCode()
	run.Signal = nameSignal(cmd.ProcessState)
}
