package serve

import (
	"context"
	"crypto/tls"
	"net"
	"strings"
	"time"

	"golang.org/x/net/http2"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// beginTLS makes the handshake of a connection. It reports false if there is nothing more to read. A client that sends plain
// HTTP there is read all the same, so that it is seen what it sent.
func (c *connection) beginTLS() bool {
	begun, first := &begunConn{Conn: c.raw}, [1]byte{}
	c.raw.SetReadDeadline(time.Now().Add(c.waits.head))
	if n, _ := c.raw.Read(first[:]); n == 0 {
		return false
	}
	c.raw.SetReadDeadline(time.Time{})
	c.begun = c.sinceStart()
	begun.read = first[:]
	if first[0] != handshake {
		c.conn, c.plain = begun, true
		c.base = "http" + strings.TrimPrefix(c.base, "https")
		return true
	}
	var hello *record.ClientHello
	cfg := c.secure.Clone()
	if c.HTTP2 {
		cfg.NextProtos = []string{http2.NextProtoTLS, "http/1.1"}
	}
	cfg.GetConfigForClient = func(h *tls.ClientHelloInfo) (*tls.Config, error) {
		hello = record.DescribeHello(h)
		return nil, nil
	}
	secure := tls.Server(begun, cfg)
	ctx, cancel := context.WithTimeout(c.ctx, c.waits.head)
	err := secure.HandshakeContext(ctx)
	cancel()
	if err != nil {
		c.tls = &record.TLS{Hello: hello}
		if hello != nil {
			c.tls.ServerName = hello.ServerName
		}
		c.noteWithoutRequest(record.Reset, record.HandshakeTrouble+err.Error())
		return false
	}
	state := secure.ConnectionState()
	c.alpn = state.NegotiatedProtocol
	c.conn, c.tls = secure, record.DescribeTLS(state, state.ServerName, false)
	c.tls.Hello = hello
	return true
}

// noteUnused records a connection of TLS that ended before a request came: some clients look at the certificate only after
// the handshake.
func (c *connection) noteUnused() {
	if c.ctx.Err() != nil {
		c.noteWithoutRequest(record.Aborted, "the play ended before a request came")
		return
	}
	c.noteWithoutRequest(record.Reset, "the client ended the connection after the TLS handshake, without a request")
}

// noteWithoutRequest records a connection of TLS that carried no request.
func (c *connection) noteWithoutRequest(ended record.Ended, trouble string) {
	x := &record.Exchange{Dir: record.In, URL: c.base + "/", Conn: c.no, Start: c.begun, End: c.sinceStart(), Ended: ended, Trouble: trouble, TLS: c.tls}
	x.Request.Framing, x.Response.Framing = record.Framing{Kind: "none", Declared: -1}, record.Framing{Kind: "none", Declared: -1}
	c.keepExchange(x)
}

// begunConn is a connection of which the first byte was read to see what the client sends.
type begunConn struct {
	net.Conn
	read []byte // before the rest
}

// Read returns what was read already, and then what comes.
func (c *begunConn) Read(p []byte) (int, error) {
	if len(c.read) > 0 {
		n := copy(p, c.read)
		c.read = c.read[n:]
		return n, nil
	}
	return c.Conn.Read(p)
}
