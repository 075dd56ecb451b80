package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
)

// leftVariable names the file in which a child process writes down the
// goroutines that it left behind.
const leftVariable = "A2A_CONFORM_LEFT"

// stepsVariable has the ids of calls name the step, for servers that act on one.
const stepsVariable = "A2A_CONFORM_STEPS"

// stepsAsIDs has the ids of calls name the step.
var stepsAsIDs = wire.Naming{Call: func(step string) string { return step }}

// memoryVariables tell a command that the environment says what memory it may use.
var memoryVariables = map[string]string{"GOGC": "400", "GOMEMLIMIT": "2GiB"}

// TestMain lets this test program be the command itself, in a process of its
// own: what a process may use, how signals and closed pipes end it, and what it
// leaves behind can only be seen from outside.
func TestMain(m *testing.M) {
	left := os.Getenv(leftVariable)
	if left == "" {
		flag.Parse()
		for _, where := range []string{"CI", "GITHUB_ACTIONS"} { // where these tests run changes nothing of what is printed
			os.Unsetenv(where)
		}
		if !raceDetector && flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
			flag.Set("test.parallel", "6") // most tests wait for children that wait
		}
		// There is memory to spare, and less of it to walk. Commands that are run in this
		// process leave it at that, too.
		aim(2<<30, 400)
		for variable, value := range memoryVariables {
			os.Setenv(variable, value)
		}
		os.Exit(m.Run())
	}
	for variable := range memoryVariables { // a child is as frugal as the command
		os.Unsetenv(variable)
	}
	if os.Getenv(stepsVariable) != "" {
		naming = stepsAsIDs
	}
	limitMemory()
	var code, before int
	withSignals(func(ctx context.Context) {
		before = runtime.NumGoroutine() // the one that waits for signals stays for good
		code = execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	})
	settle(before)
	report := afterwards{Peak: peakMemory()}
	if runtime.NumGoroutine() > before {
		stacks := make([]byte, 1<<20)
		report.Left = string(stacks[:runtime.Stack(stacks, true)])
	}
	text, err := json.Marshal(report)
	if err == nil {
		err = os.WriteFile(left, text, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// settle waits for the goroutines that were told to end. Connections and timers
// take a moment. What is at work takes its time on a busy machine: one that reads
// the last answer gets the seconds of a processor that it needs, up to a bound.
func settle(goroutines int) {
	const (
		idle   = 3 * time.Second  // in which next to nothing was done
		work   = 10 * time.Second // of a processor
		stride = 50 * time.Millisecond
	)
	began := processorTime()
	last, since := began, time.Now()
	for runtime.NumGoroutine() > goroutines && time.Since(since) < idle && last-began < work {
		time.Sleep(20 * time.Millisecond) // looking is no work
		if now := processorTime(); now-last > stride {
			last, since = now, time.Now()
		}
	}
}

// processorTime is what this process has used so far.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// afterwards is what a child process tells of itself at its end.
type afterwards struct {
	Peak int    // the most memory it ever held, in bytes; 0 where the system does not say
	Left string // the stacks of goroutines that it left behind
}

// peakMemory reads the high-water mark of this process. What the parent sees
// of a child counts its own pages from before the child's program began.
func peakMemory() int {
	text, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kilobytes := 0
	fmt.Sscan(rest, &kilobytes)
	return kilobytes << 10
}

// program is this test program without the race detector, which would make a
// child slow and large.
var program = sync.OnceValues(func() (string, error) {
	if !raceDetector {
		return os.Executable()
	}
	dir, err := os.MkdirTemp("", "a2a-conform-child")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "child.test")
	if out, err := exec.Command("go", "test", "-c", "-o", file, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return file, nil
})

var narrow = flag.Bool("narrow", false, "give processes of the command one processor and 64 open files")

// child is a run of the command in a process of its own.
type child struct {
	*exec.Cmd
	dir            string
	stdout, stderr bytes.Buffer
	left           string // file with the goroutines it left behind
}

// newChild prepares a run in a folder of its own.
func newChild(t *testing.T, args ...string) *child {
	t.Helper()
	testamount.SkipInShort(t)
	file, err := program()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{dir: t.TempDir()}
	c.left = filepath.Join(t.TempDir(), "left")
	c.Cmd = exec.Command(file, args...)
	c.Dir = c.dir
	c.Env = append(os.Environ(), leftVariable+"="+c.left, "CI=")
	if *narrow {
		c.Args = append([]string{"sh", "-c", `ulimit -n 64; exec "$@"`, "sh", file}, args...)
		if c.Path, err = exec.LookPath("sh"); err != nil {
			t.Fatal(err)
		}
		c.Env = append(c.Env, "GOMAXPROCS=1")
	}
	c.Stdout, c.Stderr = &c.stdout, &c.stderr
	return c
}

// check makes sure that the process ended in order: by itself, without panic,
// within its memory, with no goroutine left.
func (c *child) check(t *testing.T) (after afterwards) {
	t.Helper()
	if errs := c.stderr.String(); strings.Contains(errs, "panic:") || strings.Contains(errs, "goroutine ") {
		t.Errorf("it panicked:\n%.4000s", errs)
	}
	text, err := os.ReadFile(c.left)
	if err == nil {
		err = json.Unmarshal(text, &after)
	}
	if err != nil {
		t.Errorf("it did not come to its end: %v (%v)", err, c.ProcessState)
	}
	if after.Left != "" {
		t.Errorf("goroutines were left:\n%.8000s", after.Left)
	}
	if after.Peak > memoryBound {
		t.Errorf("it held %d MiB, want at most %d", after.Peak>>20, memoryBound>>20)
	}
	return after
}
