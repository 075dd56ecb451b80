// Package testprocess describes what the processes of our tests may use.
package testprocess

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
)

// Generous has garbage collected less often: tests have memory to spare, and less of it is
// walked. The bundled server's tests, which import nothing of ours, do the same by themselves.
func Generous() { debug.SetGCPercent(400) }

// Patient lets so many tests go on at the same time as wait more than they work, unless the
// command line describes how many, or the race detector makes them slow. It is called once flags
// are parsed.
func Patient(tests int) {
	build, _ := debug.ReadBuildInfo()
	slow := build != nil && slices.Contains(build.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
	if !slow && flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		flag.Set("test.parallel", strconv.Itoa(tests))
	}
}

// EnterRoot makes the root of the module the working directory, from which the tests of the
// repository and of whole runs name their files.
func EnterRoot() error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return os.Chdir(dir)
		}
		above := filepath.Dir(dir)
		if above == dir {
			return fmt.Errorf("no go.mod was found above the tests")
		}
		dir = above
	}
}
