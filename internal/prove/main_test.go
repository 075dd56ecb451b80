package prove

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400)       // there is memory to spare, and less of it to walk
	debug.SetMemoryLimit(5 << 30) // more takes longer to get from the system than to collect
	flag.Parse()
	if flag.Lookup("test.run").Value.String() == "" {
		recordAll()
	}
	os.Exit(m.Run())
}
