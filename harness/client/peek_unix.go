//go:build unix

package client

import (
	"net"
	"syscall"
)

// isHungUp reports whether the peer has closed its half of an idle connection, as
// far as the system knows: a reader may not have noticed yet.
func isHungUp(c net.Conn) bool {
	conn, ok := c.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	over := false
	raw.Control(func(fd uintptr) {
		var one [1]byte
		n, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		over = n == 0 && err == nil || err == syscall.ECONNRESET
	})
	return over
}
