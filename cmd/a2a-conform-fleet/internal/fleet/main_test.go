package fleet

import (
	"flag"
	"os"
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/testprocess"
)

func TestMain(m *testing.M) {
	flag.Parse()
	testprocess.Patient(12)
	os.Exit(m.Run())
}
