package proxy

import (
	"net"
	"slices"
	"sync"
	"time"
)

// numberedConn is a connection to a server, with its number. While an answer by HTTP/1.1 is awaited, it keeps what comes, so
// that what is no HTTP can be passed on all the same; of HTTP/2, until the first frame is known to be one.
type numberedConn struct {
	net.Conn
	no      int
	of      *dialedConns
	isHTTP2 bool // and in plain

	mu       sync.Mutex
	awaits   bool         // an answer is awaited whose bytes are kept
	unread   []byte       // of that answer
	held     bool         // it stays open though the request cannot be read any more
	closing  bool         // it is to be closed, unless the rest is passed on
	taken    bool         // the rest is passed on
	chunks   *chunkedBody // the body of the answer that is read
	speller  speller
	reserved int64 // of the room for large heads

	reading sync.Mutex // held while net/http reads
}

// Write writes what is to be sent, and the head of a request as the client wrote it.
func (c *numberedConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	out, known := c.speller.spellWritten(p)
	c.mu.Unlock()
	return writeSpelled(c.Conn, p, out, known)
}

// Read reads what comes.
func (c *numberedConn) Read(p []byte) (int, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	if c.isLeft() {
		return 0, net.ErrClosed
	}
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.chunks != nil {
		c.chunks.addCame(p[:n])
	}
	if c.awaits && n > 0 {
		if !c.of.heads.reserveRoom(&c.reserved, len(c.unread)+n) {
			c.awaits, c.unread = false, nil
			c.of.heads.releaseRoom(&c.reserved)
		} else {
			c.unread = append(c.unread, p[:n]...)
		}
		if c.isHTTP2 && isSettingsFrame(c.unread) {
			c.awaits, c.unread = false, nil
		}
	}
	return n, err
}

// Close closes the connection. One on which something came that was not understood stays open until it is known whether the
// rest is passed on.
func (c *numberedConn) Close() error {
	c.mu.Lock()
	inBody := c.chunks != nil && !c.chunks.hasEnded()
	stays := c.taken || c.held || c.awaits && len(c.unread) > 0 || inBody
	c.closing = true
	if inBody && !c.taken {
		c.Conn.SetReadDeadline(time.Unix(1, 0)) // ends the read that is under way
	}
	c.mu.Unlock()
	if stays {
		return nil
	}
	return c.closeNow()
}

func (c *numberedConn) closeNow() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	c.mu.Lock()
	c.awaits, c.unread = false, nil
	c.of.heads.releaseRoom(&c.reserved)
	c.mu.Unlock()
	return c.Conn.Close()
}

// awaitAnswer has what comes be kept from now on, and the request that is written next be written as it came: its head, and its body
// unless that is nil.
func (c *numberedConn) awaitAnswer(head []byte, body *chunkedBody) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.awaits, c.unread, c.held, c.chunks = true, nil, false, nil
	c.of.heads.releaseRoom(&c.reserved)
	c.speller.spellNext(head, body)
}

// beginBody returns the head of the answer that came, as it came, and if it is asked for, its body as it comes in chunks; nil if they
// are not known.
func (c *numberedConn) beginBody(inChunks bool) (head []byte, body *chunkedBody) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for text := c.unread; !c.isHTTP2; {
		end := findHeadEnd(text)
		if end < 0 {
			return nil, nil
		}
		if !isInterim(text) {
			if inChunks {
				c.chunks = &chunkedBody{}
				c.chunks.addCame(text[end:])
			}
			return slices.Clone(text[:end]), c.chunks
		}
		text = text[end:]
	}
	return nil, nil
}

// endAwaiting has nothing more be kept of heads, since an answer was understood or the call was given up.
func (c *numberedConn) endAwaiting() {
	c.mu.Lock()
	c.awaits, c.unread, c.held = false, nil, false
	closing := c.closing && !c.taken && c.chunks == nil
	c.mu.Unlock()
	if closing {
		c.closeNow()
	}
}

// endBody has nothing more be kept of a body.
func (c *numberedConn) endBody(of *chunkedBody) {
	c.mu.Lock()
	closing := c.chunks == of && c.closing && !c.taken
	if c.chunks == of {
		c.chunks = nil
	}
	c.mu.Unlock()
	if closing {
		c.closeNow()
	}
}

// holdOpen has the connection stay open if the answer is still awaited, though the request cannot be read any more.
func (c *numberedConn) holdOpen() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = c.awaits && !c.isHTTP2 && c.speller.as == nil
	return c.held
}

// takeHeld returns what came of the answer on a connection that was held open. From now on net/http reads nothing more, and the
// caller passes on the rest, and closes the connection by closeNow. It reports false if it is not known what came.
func (c *numberedConn) takeHeld() ([]byte, bool) {
	c.Conn.SetReadDeadline(time.Unix(1, 0)) // ends the read that is under way
	c.reading.Lock()
	defer c.reading.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.held || !c.awaits {
		return nil, false
	}
	text := c.unread
	c.awaits, c.unread, c.held, c.taken = false, nil, false, true
	c.Conn.SetReadDeadline(time.Time{})
	return text, true
}

// takeOver has net/http read nothing more, and the connection stay open: the caller passes on the rest, and closes it by closeNow.
func (c *numberedConn) takeOver() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken = true
	c.Conn.SetReadDeadline(time.Time{})
}

// isLeft reports whether net/http reads nothing more.
func (c *numberedConn) isLeft() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.taken || c.closing
}

// takeUnread returns what came and was not understood, if anything. The caller passes on the rest, and closes the connection
// by closeNow.
func (c *numberedConn) takeUnread() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.awaits || len(c.unread) == 0 {
		return nil
	}
	text := c.unread
	c.awaits, c.unread, c.taken = false, nil, true
	return text
}

// dialedConns are the connections to servers that are open, so that all can be closed: a handshake may last longer than
// the call that began it.
type dialedConns struct {
	mu    sync.Mutex
	open  map[*numberedConn]bool
	ended bool
	heads *headRoom
}

// addConn takes a connection, and closes it if the proxy has ended.
func (d *dialedConns) addConn(c net.Conn, no int, isHTTP2 bool) (*numberedConn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		c.Close()
		return nil, net.ErrClosed
	}
	n := &numberedConn{Conn: c, no: no, of: d, isHTTP2: isHTTP2, awaits: isHTTP2}
	if d.open == nil {
		d.open = map[*numberedConn]bool{}
	}
	d.open[n] = true
	return n, nil
}

// closeAll closes all connections, and those that come afterwards.
func (d *dialedConns) closeAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	for c := range d.open {
		c.Conn.Close()
	}
	clear(d.open)
}
