package client

import (
	"net"
	"sync"
	"sync/atomic"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// crowd notes when deliveries had to wait for others, because the receiver has room for a
// certain number at a time. A server that fills that room keeps its own deliveries out, and
// it is not known what they would have been.
type crowd struct {
	now     func() record.Instant
	conns   atomic.Int64 // that are open
	waiting atomic.Int64 // large bodies that wait to be read
	last    atomic.Int64 // the instant when somebody had to wait, or may have had to
}

func (c *crowd) countClosed() {
	if c.conns.Add(-1) == webhookConns-1 {
		c.last.Store(int64(c.now()))
	}
}

// takePlace waits for one of the places in a room.
func (c *crowd) takePlace(room chan struct{}) {
	select {
	case room <- struct{}{}:
		return
	default:
	}
	c.waiting.Add(1)
	room <- struct{}{}
	c.waiting.Add(-1)
	c.last.Store(int64(c.now()))
}

// crowdedSince reports whether somebody may have had to wait at a certain instant or later.
func (c *crowd) crowdedSince(at record.Instant) bool {
	return c.conns.Load() >= webhookConns || c.waiting.Load() > 0 || c.last.Load() > 0 && record.Instant(c.last.Load()) >= at
}

// crowdedConn is a connection that counts in a crowd until it is closed.
type crowdedConn struct {
	net.Conn
	leave func()
}

// newCrowdedConn counts a connection that was accepted. The next one may have to wait once there
// are as many as there is room for.
func newCrowdedConn(conn net.Conn, c *crowd) *crowdedConn {
	c.conns.Add(1)
	return &crowdedConn{conn, sync.OnceFunc(c.countClosed)}
}

// Close ends the connection.
func (c *crowdedConn) Close() error {
	err := c.Conn.Close()
	c.leave()
	return err
}

// Missed reports whether deliveries to a hook may have come that are in no record: they were
// too many to keep, or there were too many at the same time to be received.
func (r *Receiver) Missed(h *Hook) bool { return h.Surplus() > 0 || r.crowd.crowdedSince(h.made) }
