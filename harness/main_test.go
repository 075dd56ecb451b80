package harness

import (
	"flag"
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/testprocess"
)

func TestMain(m *testing.M) {
	flag.Parse()
	testprocess.Patient(4)
	testprocess.Generous()
	m.Run()
}
