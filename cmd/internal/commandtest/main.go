// Package commandtest lets the test program of a command be that command, and reads what guides
// show of commands and files.
package commandtest

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/cmd/internal/cli"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
)

// LeftVariable names the file in which a child process writes down the goroutines that it
// left behind.
const LeftVariable = "A2A_CONFORM_LEFT"

// MemoryBound is how many bytes a child may hold at its peak.
const MemoryBound = 256 << 20

// memoryVariables set for a command what memory it may use.
var memoryVariables = map[string]string{"GOGC": "400", "GOMEMLIMIT": "2GiB"}

// Execute runs a command line and returns the exit code of the process.
type Execute func(ctx context.Context, args []string, stdout, stderr io.Writer) int

// Call runs a command line in this process.
func (e Execute) Call(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = e(context.Background(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// Main lets a test program be the command itself, in a process of its
// own: what a process may use, how signals and closed pipes end it, and what it
// leaves behind can only be seen from outside. It returns the exit code of the process.
func Main(m *testing.M, prepareChild func(), execute Execute) (code int) {
	left := os.Getenv(LeftVariable)
	if left == "" {
		flag.Parse()
		for _, name := range []string{"CI", "GITHUB_ACTIONS"} { // the place where these tests run changes nothing of what is printed
			os.Unsetenv(name)
		}
		if !RaceDetector && flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
			flag.Set("test.parallel", "6") // most tests wait for children that wait
		}
		// There is memory to spare, and less of it to walk. Commands that are run in this
		// process leave it at that, too.
		cli.AimBelow(2<<30, 400)
		for variable, value := range memoryVariables {
			os.Setenv(variable, value)
		}
		return m.Run()
	}
	for variable := range memoryVariables { // a child is as frugal as the command
		os.Unsetenv(variable)
	}
	prepareChild()
	cli.LimitMemory()
	before := 0
	cli.RunWithSignals(func(ctx context.Context) {
		before = runtime.NumGoroutine() // the one that waits for signals stays for good
		code = execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	})
	awaitGoroutines(before)
	report := Afterwards{Peak: peakMemory()}
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
	return code
}

// awaitGoroutines waits for the goroutines that were asked to end. Connections and timers
// take a moment. What is at work takes its time on a busy machine: one that reads
// the last answer gets the seconds of a processor that it needs, up to a bound.
func awaitGoroutines(goroutines int) {
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

// Afterwards is what a child process reports about itself at its end.
type Afterwards struct {
	Peak int    // the most memory it ever held, in bytes; 0 if the system does not say
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

// ProgramOf returns the file of Program for a test that starts it. The quick loop, which starts
// no process, leaves the test out.
func ProgramOf(t testing.TB) string {
	t.Helper()
	testamount.SkipInShort(t)
	file, err := Program()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Program is this test program without the race detector, which would make a
// child slow and large.
var Program = sync.OnceValues(func() (string, error) {
	if !RaceDetector {
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
