//go:build !linux

package testprocess

import (
	"net"
	"testing"
)

// HoldAddress returns a loopback address that is free. On this system a port that
// several servers listen at in turn cannot be held in between.
func HoldAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
