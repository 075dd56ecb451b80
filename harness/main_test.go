package harness

import (
	"os"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // there is memory to spare, and less of it to walk
	os.Exit(m.Run())
}
