// Package testconn serves tests that decide what goes over a connection byte by byte, and that wait for the other side of one.
package testconn

import (
	"net"
	"testing"
	"time"
)

// maxTime bounds how long a connection of a test may last.
const maxTime = 20 * time.Second

// StartServer starts a server on loopback that gives each connection to a function, and closes it then. It returns its URL, with
// the scheme http, and stops as the test ends.
func StartServer(t testing.TB, handle func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	Serve(l, handle)
	return "http://" + l.Addr().String()
}

// Serve gives each connection of a listener to a function, and closes it then, until the listener is closed.
func Serve(l net.Listener, handle func(net.Conn)) {
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				c.SetDeadline(time.Now().Add(maxTime))
				handle(c)
			}()
		}
	}()
}

// Receive returns what comes over a channel, and ends the test if nothing comes in time.
func Receive[T any](t testing.TB, from <-chan T) T {
	t.Helper()
	select {
	case got := <-from:
		return got
	case <-time.After(2 * maxTime):
		t.Fatal("what the test waits for did not come")
		panic("unreachable")
	}
}
