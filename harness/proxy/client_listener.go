package proxy

import (
	"context"
	"crypto/tls"
	"net"
	"sync"

	"golang.org/x/net/http2"
)

// clientListener accepts the connections of clients, in plain or by TLS.
type clientListener struct {
	net.Listener
	e *entry

	// Of TLS: a handshake may take long, and other clients do not wait for it.
	secure *tls.Config // nil in plain
	begin  sync.Once
	ready  chan net.Conn
	failed chan error
}

// newClientListener accepts the connections of an entry.
func newClientListener(l net.Listener, e *entry) *clientListener {
	return &clientListener{Listener: l, e: e, secure: e.secure, ready: make(chan net.Conn), failed: make(chan error, 1)}
}

// Accept waits for the next connection.
func (l *clientListener) Accept() (net.Conn, error) {
	if l.secure == nil {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		return &clientConn{Conn: c, e: l.e}, nil
	}
	l.begin.Do(func() { go l.acceptSecure() })
	select {
	case c := <-l.ready:
		return c, nil
	case err := <-l.failed:
		return nil, err
	case <-l.e.ctx.Done():
		return nil, net.ErrClosed
	}
}

// acceptSecure accepts connections by TLS until the listener is closed.
func (l *clientListener) acceptSecure() {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			l.failed <- err
			return
		}
		go l.shakeHands(tls.Server(c, l.secure))
	}
}

// shakeHands makes the handshake on a connection, which is ready then. One on which HTTP/2 is agreed on is left to net/http.
func (l *clientListener) shakeHands(c *tls.Conn) {
	ctx, cancel := context.WithTimeout(l.e.ctx, dialWait)
	defer cancel()
	if c.HandshakeContext(ctx) != nil {
		c.Close()
		return
	}
	var ready net.Conn = c
	if state := c.ConnectionState(); state.NegotiatedProtocol != http2.NextProtoTLS {
		ready = &secureConn{&clientConn{Conn: c, e: l.e}, state}
	}
	select {
	case l.ready <- ready:
	case <-l.e.ctx.Done():
		c.Close()
	}
}

// secureConn is a connection of a client by TLS on which HTTP/1.1 is spoken.
type secureConn struct {
	*clientConn
	state tls.ConnectionState
}

// ConnectionState returns what was agreed on by TLS.
func (c *secureConn) ConnectionState() tls.ConnectionState { return c.state }
