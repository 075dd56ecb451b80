package prove

import (
	"os"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400)       // there is memory to spare, and less of it to walk
	debug.SetMemoryLimit(5 << 30) // more takes longer to get from the system than to collect
	os.Exit(m.Run())
}
