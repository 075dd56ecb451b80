package front

import (
	"net"
)

// tampered is a listener whose connections misread what comes in.
type tampered struct {
	net.Listener
	edit func([]byte)
}

func (t tampered) Accept() (net.Conn, error) {
	c, err := t.Listener.Accept()
	return tamperedConn{c, t.edit}, err
}

type tamperedConn struct {
	net.Conn
	edit func([]byte)
}

func (c tamperedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.edit(b[:n])
	return n, err
}
