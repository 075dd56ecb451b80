package repotest

import (
	"flag"
	"log"
	"os"
	"testing"

	"github.com/a2a-conform/a2a-conform/internal/testprocess"
	"github.com/a2a-conform/a2a-conform/reference"
)

func TestMain(m *testing.M) {
	flag.Parse()
	testprocess.Patient(6)
	testprocess.Generous()
	err := testprocess.EnterRoot()
	if err == nil {
		workshop, err = os.MkdirTemp("", "a2a-conform")
	}
	if err != nil {
		log.Fatal(err)
	}
	code := m.Run()
	os.RemoveAll(workshop)
	os.Exit(code)
}

// startBundled starts a bundled server that is closed with the test.
func startBundled(t *testing.T, o reference.Options) *reference.Server {
	t.Helper()
	s, err := reference.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
