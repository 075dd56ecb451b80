package cli

import (
	"os"
	"runtime/debug"
)

// memoryTarget is what the process tries to stay below, in bytes: with a server
// that sends as much as is kept, garbage is collected more often instead of
// taking as much again.
const memoryTarget = 128 << 20

// gcPercent is how much garbage may gather before it is collected, in percent of
// what is in use: a run is short, and far from the aim as a rule.
const gcPercent = 200

// LimitMemory sets both of them for a run.
func LimitMemory() { AimBelow(memoryTarget, gcPercent) }

// AimBelow sets how much memory the process tries to stay below, in bytes, and how much
// garbage may gather, in percent, unless the environment does.
func AimBelow(memory int64, garbage int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memory)
	}
}
