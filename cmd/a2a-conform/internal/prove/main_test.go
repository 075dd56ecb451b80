package prove

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/testprocess"
)

func TestMain(m *testing.M) {
	testprocess.Generous()
	debug.SetMemoryLimit(5 << 30) // more takes longer to get from the system than to collect
	flag.Parse()
	if testing.Short() { // each test judges a dialect many times
		return
	}
	if flag.Lookup("test.run").Value.String() == "" {
		recordAll()
	}
	os.Exit(m.Run())
}
