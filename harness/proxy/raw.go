package proxy

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// maxUnread bounds the bytes of an answer that are kept until its head was read.
const maxUnread = 64 << 10

// numberedConn is a connection to a server, with its number. While an answer by HTTP/1.1 is awaited, it keeps what comes, so
// that what is no HTTP can be passed on all the same; of HTTP/2, until the first frame is known to be one.
type numberedConn struct {
	net.Conn
	no      int
	of      *dialedConns
	isHTTP2 bool // and in plain

	mu      sync.Mutex
	awaits  bool   // an answer is awaited whose bytes are kept
	unread  []byte // of that answer
	closing bool   // it is to be closed, unless the rest is passed on
	taken   bool   // the rest is passed on
	speller speller
}

// Write writes what is to be sent, and the head of a request as the client wrote it.
func (c *numberedConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	out := c.speller.spellWritten(p)
	c.mu.Unlock()
	return writeSpelled(c.Conn, p, out)
}

// Read reads what comes.
func (c *numberedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.awaits && n > 0 {
		if len(c.unread)+n > maxUnread {
			c.awaits, c.unread = false, nil
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
	stays := c.taken || c.awaits && len(c.unread) > 0
	c.closing = true
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
	return c.Conn.Close()
}

// awaitAnswer has what comes be kept from now on, and the head of the request that is written next be written as it came.
func (c *numberedConn) awaitAnswer(head []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.awaits, c.unread = true, nil
	c.speller.spellNext(head)
}

// readHead returns the head of the answer that came, as it came; nil if it is not known.
func (c *numberedConn) readHead() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	for text := c.unread; !c.isHTTP2; {
		end := findHeadEnd(text)
		if end < 0 {
			return nil
		}
		if !isInterim(text) {
			return slices.Clone(text[:end])
		}
		text = text[end:]
	}
	return nil
}

// endAwaiting has nothing more be kept, since an answer was understood or the call was given up.
func (c *numberedConn) endAwaiting() {
	c.mu.Lock()
	c.awaits, c.unread = false, nil
	closing := c.closing && !c.taken
	c.mu.Unlock()
	if closing {
		c.closeNow()
	}
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

// rawAnswer is an answer that is no HTTP: its beginning, and the connection on which the rest comes.
type rawAnswer struct {
	begin []byte
	from  *numberedConn
}

// passRawAnswer passes on an answer that is no HTTP, as it comes, until either side closes its connection or the context
// ends. It reports false if the connection of the client cannot be taken over; then nothing was passed on.
func passRawAnswer(ctx context.Context, w http.ResponseWriter, on *clientConn, a *rawAnswer) bool {
	defer a.from.closeNow()
	var client net.Conn
	switch {
	case on == nil:
		return false
	case a.from.isHTTP2: // there is no other way out of it
		client = on.takeOver()
	default:
		var err error
		if client, _, err = http.NewResponseController(w).Hijack(); err != nil {
			return false
		}
	}
	defer client.Close()
	defer context.AfterFunc(ctx, func() {
		client.Close()
		a.from.Conn.Close()
	})()
	client.SetDeadline(time.Time{})
	if _, err := client.Write(a.begin); err != nil {
		return true
	}
	go func() {
		io.Copy(io.Discard, client) // until the client has left
		a.from.Conn.Close()
	}()
	io.Copy(client, a.from.Conn)
	return true
}
