package testprocess

import (
	"errors"
	"net"
	"strconv"
	"syscall"
	"testing"
)

// One server after the other listens at an address that is held, and calls in between are refused.
func TestHeldAddressIsListenedAtInTurn(t *testing.T) {
	addr := HoldAddress(t)
	for range 3 {
		if c, err := net.Dial("tcp", addr); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("a call is answered by %v (%v), and nobody listens", c, err)
		}
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		l.Close()
	}
}

// The port is not given to a process that asks for any port, and no call is sent from it.
func TestHeldAddressIsGivenToNobodyElse(t *testing.T) {
	held := HoldAddress(t)
	_, port, err := net.SplitHostPort(held)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	target, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	calls := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: n}}
	if c, err := calls.Dial("tcp", target.Addr().String()); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a call is made from %v (%v)", c, err)
	}
	for range 500 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if l.Addr().String() == held {
			t.Fatal("a listener is given the port")
		}
	}
}
