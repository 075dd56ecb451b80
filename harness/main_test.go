package harness

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/testmemory"
)

func TestMain(m *testing.M) {
	testmemory.Generous()
	m.Run()
}
