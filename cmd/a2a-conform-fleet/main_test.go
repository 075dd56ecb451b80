package main

import (
	"os"
	"testing"

	"github.com/a2a-conform/a2a-conform/cmd/internal/commandtest"
)

func TestMain(m *testing.M) { os.Exit(commandtest.Main(m, func() {}, execute)) }

// command runs a command line in this process.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return commandtest.Execute(execute).Call(args...)
}
