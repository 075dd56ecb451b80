// Package testprocess says what the processes of our tests may use.
package testprocess

import (
	"flag"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
)

// Generous has garbage collected less often: tests have memory to spare, and less of it is
// walked. The bundled server's tests, which import nothing of ours, do the same by themselves.
func Generous() { debug.SetGCPercent(400) }

// Patient lets so many tests go on at the same time as wait more than they work, unless the
// command line says how many, or the race detector makes them slow. It is called once flags
// are parsed.
func Patient(tests int) {
	build, _ := debug.ReadBuildInfo()
	slow := build != nil && slices.Contains(build.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
	if !slow && flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		flag.Set("test.parallel", strconv.Itoa(tests))
	}
}
