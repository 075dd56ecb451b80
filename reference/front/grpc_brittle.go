package front

import (
	"encoding/binary"
	"io"
	"net"
)

// brittle connections break when the client gives up a stream: at the RST_STREAM itself,
// so that nothing the client sends after it is read, and no answer to that is sent.
type brittle struct{ net.Listener }

func (l brittle) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &brittleConn{Conn: c, skip: len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")}, nil
}

type brittleConn struct {
	net.Conn
	skip int    // bytes until the next frame
	head []byte // what came of that frame's header
}

func (c *brittleConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.resets(b[:n]) {
		c.Close()
		return 0, io.EOF
	}
	return n, err
}

// resets reports whether the next bytes of a connection hold a frame RST_STREAM.
func (c *brittleConn) resets(b []byte) bool {
	const header, rstStream = 9, 3
	for len(b) > 0 {
		if c.skip > 0 {
			n := min(c.skip, len(b))
			c.skip, b = c.skip-n, b[n:]
			continue
		}
		n := min(header-len(c.head), len(b))
		c.head, b = append(c.head, b[:n]...), b[n:]
		if len(c.head) < header {
			return false
		}
		if c.head[3] == rstStream {
			return true
		}
		c.skip = int(binary.BigEndian.Uint32(append([]byte{0}, c.head[:3]...)))
		c.head = c.head[:0]
	}
	return false
}
