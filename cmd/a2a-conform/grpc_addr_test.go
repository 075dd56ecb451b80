package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
)

// The bundled server prints where it is to be found over HTTP, and below that over gRPC.
func TestReferencePrintsBothAddresses(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- execute(ctx, []string{"reference", "--dialect", "a2a-1.0", "--grpc-addr", "127.0.0.1:0"}, w, io.Discard)
		w.Close()
	}()
	lines := bufio.NewScanner(r)
	for _, prefix := range []string{"http://127.0.0.1:", "127.0.0.1:"} {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), prefix) {
			t.Errorf("the line %q does not begin with %s", lines.Text(), prefix)
		}
	}
	cancel()
	if lines.Scan() {
		t.Errorf("there is more: %q", lines.Text())
	}
	if code := <-ended; code != 0 {
		t.Errorf("exit %d", code)
	}
}
