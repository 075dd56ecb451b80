package proxy

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/http2"
)

// clientConn is a connection of a client. While the head of a request is read from it, it keeps what comes: the head passes on
// with the names of its fields as they were written, and if the head is no HTTP, all passes on unchanged to the server, on a
// connection of its own.
type clientConn struct {
	net.Conn
	e *entry

	mu       sync.Mutex
	phase    connPhase
	kept     []byte       // what came of the request whose head is read, or which comes next
	lost     bool         // it is not all that came
	body     int64        // bytes of the body that are still to come; -1 if that is not known
	chunks   *chunkedBody // such a body, if its beginning is known
	ended    bool         // the client sends nothing more
	ahead    []byte       // what was read before net/http asked for it
	speller  speller
	reserved int64 // of the room for large heads
}

// connPhase is what is going on on a connection of a client.
type connPhase int

// The phases of a connection.
const (
	readsHead connPhase = iota // the head of a request is awaited or read
	hasCall                    // a call is under way
	passesAll                  // nothing is kept: HTTP/2, another protocol, or what is no HTTP
	takenOver                  // what net/http writes does not leave any more
)

// clientConnKey is the key of a client's connection in the context of its requests.
type clientConnKey struct{}

// clientConnOf returns the connection of a request; nil if it is HTTP/2 by TLS.
func clientConnOf(ctx context.Context) *clientConn {
	on, _ := ctx.Value(clientConnKey{}).(net.Conn)
	return asClientConn(on)
}

// asClientConn returns what net/http has a connection of a client by; nil if it is HTTP/2 by TLS.
func asClientConn(on net.Conn) *clientConn {
	switch c := on.(type) {
	case *clientConn:
		return c
	case *secureConn:
		return c.clientConn
	}
	return nil
}

// noteClientState follows what net/http does with a connection.
func noteClientState(on net.Conn, state http.ConnState) {
	c := asClientConn(on)
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case state == http.StateHijacked:
		c.phase, c.kept, c.chunks = passesAll, nil, nil
	case state == http.StateIdle && c.phase == hasCall:
		c.phase = readsHead
		c.lost = c.lost || c.body > 0 || c.body < 0 && (c.chunks == nil || !c.chunks.hasEnded())
		c.body, c.chunks = 0, nil
		c.speller.spellNext(nil, nil)
		c.e.heads.releaseRoom(&c.reserved)
	}
}

// beginCall states that the request was read, and returns its head as it was written, and its body if that comes in chunks; nil if
// they are not known.
func (c *clientConn) beginCall(r *http.Request) (head []byte, chunks *chunkedBody) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase != readsHead {
		return nil, nil
	}
	c.phase, c.body, c.chunks = hasCall, r.ContentLength, nil
	text := bytes.TrimLeft(c.kept, "\r\n") // which may come before a request
	if end := findHeadEnd(text); !c.lost && end > 0 && bytes.HasPrefix(text, []byte(r.Method+" ")) {
		head = slices.Clone(text[:end])
		if c.body < 0 {
			c.chunks = &chunkedBody{}
		}
		c.kept = slices.Clone(c.skipBody(text[end:]))
		return head, c.chunks
	}
	c.kept, c.body, c.lost = nil, -1, false
	return nil, nil
}

// skipBody returns what follows the body of a request in what came.
func (c *clientConn) skipBody(p []byte) []byte {
	switch {
	case c.chunks != nil:
		return p[c.chunks.addCame(p):]
	case c.body < 0:
		return nil
	}
	n := min(int64(len(p)), c.body)
	c.body -= n
	return p[n:]
}

// takeRest returns what came and has not left of a request whose body cannot be read any more. It reports false if that is not known.
func (c *clientConn) takeRest() ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.chunks == nil || c.lost {
		return nil, false
	}
	text, known := c.chunks.takeCame()
	text = slices.Concat(text, c.kept)
	c.chunks, c.kept = nil, nil
	return text, known
}

// Read reads what comes. What begins as HTTP/2 and has another first frame is passed on.
func (c *clientConn) Read(p []byte) (int, error) {
	if len(c.ahead) > 0 {
		n := copy(p, c.ahead)
		c.ahead = c.ahead[n:]
		return n, nil
	}
	n, err := c.Conn.Read(p)
	if c.keepRead(p[:n], err); err == nil && c.lacksFrame() {
		c.readFrameHead()
	}
	if c.isBrokenHTTP2() && c.passOn() {
		return 0, io.EOF
	}
	return n, err
}

// prefaceWait is how long the first frame of HTTP/2 is awaited before the proxy sends its own.
const prefaceWait = time.Second

// readFrameHead reads ahead until the head of the first frame of HTTP/2 is there, or for some time.
func (c *clientConn) readFrameHead() {
	c.Conn.SetReadDeadline(time.Now().Add(prefaceWait))
	for c.lacksFrame() {
		piece := make([]byte, frameHead)
		n, err := c.Conn.Read(piece)
		c.ahead = append(c.ahead, piece[:n]...)
		if c.keepRead(piece[:n], err); err != nil {
			break
		}
	}
	c.Conn.SetReadDeadline(time.Now().Add(headWait))
}

// lacksFrame reports whether HTTP/2 begins, and the head of its first frame is not there yet.
func (c *clientConn) lacksFrame() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.phase == readsHead && bytes.HasPrefix(c.kept, []byte(http2.ClientPreface)) && len(c.kept) < len(http2.ClientPreface)+frameHead
}

// keepRead keeps what was read, as far as it may have to be passed on.
func (c *clientConn) keepRead(p []byte, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = c.ended || errors.Is(err, io.EOF)
	switch {
	case c.phase == hasCall:
		p = c.skipBody(p)
	case c.phase != readsHead:
		return
	}
	if !c.e.heads.reserveRoom(&c.reserved, len(c.kept)+len(p)) {
		c.kept, c.lost = nil, true
		c.e.heads.releaseRoom(&c.reserved)
		return
	}
	c.kept = append(c.kept, p...)
	if first, is := bytes.CutPrefix(c.kept, []byte(http2.ClientPreface)); is && c.phase == readsHead && isSettingsFrame(first) {
		c.phase, c.kept = passesAll, nil
	}
}

// frameHead is how many bytes the head of a frame of HTTP/2 has.
const frameHead = 9

// isSettingsFrame reports whether the first frame on a connection of HTTP/2 is what it has to be.
func isSettingsFrame(text []byte) bool {
	if len(text) < frameHead {
		return false
	}
	length := int(text[0])<<16 | int(text[1])<<8 | int(text[2])
	return http2.FrameType(text[3]) == http2.FrameSettings && http2.Flags(text[4])&http2.FlagSettingsAck == 0 && length%6 == 0 && binary.BigEndian.Uint32(text[5:]) == 0
}

// isBrokenHTTP2 reports whether HTTP/2 began and did not go on.
func (c *clientConn) isBrokenHTTP2() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.phase == readsHead && len(c.kept) >= len(http2.ClientPreface)+frameHead && bytes.HasPrefix(c.kept, []byte(http2.ClientPreface))
}

// Write writes what net/http answers. What it answers by itself while a head is read, since that is no HTTP, does not leave: what came
// passes on to the server, which answers.
func (c *clientConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	switch {
	case c.phase == takenOver:
		c.mu.Unlock()
		return len(p), nil
	case c.phase == readsHead && len(c.kept) > 0 && !bytes.HasPrefix(c.kept, []byte(http2.ClientPreface)):
		c.mu.Unlock()
		if c.passOn() {
			return len(p), nil
		}
		return c.Conn.Write(p)
	}
	out, known := c.speller.spellWritten(p)
	c.mu.Unlock()
	return writeSpelled(c.Conn, p, out, known)
}

// spellNext has the next head, and a body in chunks unless it is nil, be written as they came from the server.
func (c *clientConn) spellNext(head []byte, body *chunkedBody) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase == hasCall {
		c.speller.spellNext(head, body)
	}
}

// takeOver returns the connection beneath, on which nothing of what net/http writes leaves from now on.
func (c *clientConn) takeOver() net.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.phase, c.kept = takenOver, nil
	return c.Conn
}

// Close closes the connection. If the client broke off within a head, and waits for an answer, what came passes on before.
func (c *clientConn) Close() error {
	c.mu.Lock()
	passes := c.phase == readsHead && c.ended && len(c.kept) > 0
	c.mu.Unlock()
	if passes {
		c.passOn()
	}
	c.mu.Lock()
	c.kept, c.lost = nil, true
	c.e.heads.releaseRoom(&c.reserved)
	c.mu.Unlock()
	return c.Conn.Close()
}

// passOn passes on what came and was not understood to the server, and what follows in both directions, until the server closes its
// connection, or the proxy ends. It reports false if nothing was passed on.
func (c *clientConn) passOn() bool {
	if !c.e.enterCall() {
		return false
	}
	defer c.e.handling.Done()
	c.mu.Lock()
	begin, lost, ended := c.kept, c.lost, c.ended
	c.mu.Unlock()
	if lost || len(begin) == 0 {
		return false
	}
	c.Conn.SetDeadline(time.Time{})
	server, err := c.e.dialRaw()
	if err != nil {
		return false
	}
	defer server.Close()
	client := c.takeOver()
	c.e.recorder.open.Add(1)
	defer func() {
		c.e.recorder.open.Add(-1)
		c.e.recorder.countFate(unreadable)
	}()
	defer context.AfterFunc(c.e.ctx, func() {
		client.Close()
		server.Close()
	})()
	if _, err := server.Write(begin); err != nil {
		return true
	}
	go func() {
		if !ended {
			io.Copy(server, client) // until the client has left, or ended
		}
		endWriting(server)
	}()
	io.Copy(client, server)
	return true
}

// endWriting states on a connection that nothing more is sent.
func endWriting(on net.Conn) {
	if n, ok := on.(*numberedConn); ok {
		on = n.Conn
	}
	if half, ok := on.(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
	}
}

// dialRaw opens a connection to the server of an entry, for what is no HTTP.
func (e *entry) dialRaw() (net.Conn, error) {
	ctx, cancel := context.WithTimeout(e.ctx, dialWait)
	defer cancel()
	port := e.upstream.Port()
	if e.upstream.Scheme == "https" {
		if port == "" {
			port = "443"
		}
		return e.dialSecureServer(ctx, "tcp", net.JoinHostPort(e.upstream.Hostname(), port))
	}
	if port == "" {
		port = "80"
	}
	return e.dialServer(ctx, "tcp", net.JoinHostPort(e.upstream.Hostname(), port), false)
}
