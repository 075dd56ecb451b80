package proxy

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// maxUnread bounds the bytes of an answer that are kept until its head was read.
const maxUnread = 64 << 10

// numberedConn is a connection to a server, with its number. While an answer by HTTP/1.1 is awaited, it keeps what comes, so
// that what is no HTTP can be passed on all the same.
type numberedConn struct {
	net.Conn
	no int
	of *dialedConns

	mu      sync.Mutex
	awaits  bool   // an answer is awaited whose bytes are kept
	unread  []byte // of that answer
	closing bool   // it is to be closed, unless the rest is passed on
	taken   bool   // the rest is passed on
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

// awaitAnswer has what comes be kept from now on.
func (c *numberedConn) awaitAnswer() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.awaits, c.unread = true, nil
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
func (d *dialedConns) addConn(c net.Conn, no int) (net.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		c.Close()
		return nil, net.ErrClosed
	}
	n := &numberedConn{Conn: c, no: no, of: d}
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
func passRawAnswer(ctx context.Context, w http.ResponseWriter, a *rawAnswer) bool {
	defer a.from.closeNow()
	client, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return false
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
