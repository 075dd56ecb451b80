package suites_test

import (
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/testprocess"
)

func TestMain(m *testing.M) {
	testprocess.Generous()
	m.Run()
}
