package broker

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
)

// startServer runs an embedded broker until the test ends.
func startServer(t *testing.T, data string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended, up := make(chan error, 1), make(chan struct{})
	listening := sync.OnceFunc(func() { close(up) })
	s := Server{Data: data, Log: func(string) { listening() }}
	go func() { ended <- s.Serve(ctx) }()
	select {
	case <-up:
	case err := <-ended:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// One broker holds a folder. Nobody else may read what is in it.
func TestOneBrokerForAFolder(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "fleet")
	startServer(t, data)
	err := Server{Data: data, Log: func(string) {}}.Serve(t.Context())
	first := regexp.MustCompile(`^--data \S+: another broker holds this folder \(process \d+, at nats://127\.0\.0\.1:\d+\); while it runs, use fleet add and fleet work, or name another folder$`)
	if err == nil || !first.MatchString(err.Error()) {
		t.Error(err)
	}
	for name, mode := range map[string]os.FileMode{"": 0o700, storeFolder: 0o700, addressFile: 0o600} {
		info, err := os.Stat(filepath.Join(data, name))
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%q: %v %v", name, info.Mode(), err)
		}
	}
	a, err := readAddress(data)
	if err != nil || a.PID != os.Getpid() || len(a.Token) < 20 {
		t.Error(a, err)
	}
}
