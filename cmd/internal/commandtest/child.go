package commandtest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Narrow has processes of the command get one processor and 64 open files.
var Narrow = flag.Bool("narrow", false, "give processes of the command one processor and 64 open files")

// Child is a run of the command in a process of its own.
type Child struct {
	*exec.Cmd
	Printed, Errors bytes.Buffer
	left            string // file with the goroutines it left behind
}

// NewChild prepares a run in a folder of its own.
func NewChild(t *testing.T, args ...string) *Child {
	t.Helper()
	file := ProgramOf(t)
	c := &Child{}
	c.left = filepath.Join(t.TempDir(), "left")
	c.Cmd = exec.Command(file, args...)
	c.Dir = t.TempDir()
	c.Env = append(os.Environ(), LeftVariable+"="+c.left, "CI=")
	if *Narrow {
		c.Args = append([]string{"sh", "-c", `ulimit -n 64; exec "$@"`, "sh", file}, args...)
		var err error
		if c.Path, err = exec.LookPath("sh"); err != nil {
			t.Fatal(err)
		}
		c.Env = append(c.Env, "GOMAXPROCS=1")
	}
	c.Stdout, c.Stderr = &c.Printed, &c.Errors
	return c
}

// Check makes sure that the process ended in order: by itself, without panic,
// within its memory, with no goroutine left.
func (c *Child) Check(t *testing.T) (after Afterwards) {
	t.Helper()
	if errs := c.Errors.String(); strings.Contains(errs, "panic:") || strings.Contains(errs, "goroutine ") {
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
	if after.Peak > MemoryBound {
		t.Errorf("it held %d MiB, want at most %d", after.Peak>>20, MemoryBound>>20)
	}
	return after
}
