package client

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Dialer returns a dialer that asks reach (Config.Reach) before each connection.
func Dialer(reach func(network, address string) error) *net.Dialer {
	d := &net.Dialer{Timeout: 10 * time.Second}
	if reach != nil {
		d.Control = func(network, address string, _ syscall.RawConn) error { return reach(network, address) }
	}
	return d
}

// errResourceShortage is why a call was not made for want of something of ours.
var errResourceShortage = errors.New("a2a-conform had no file descriptor or port left for a connection; see ulimit -n")

// descriptorWatch knows whether this process runs short of what connections take.
type descriptorWatch struct {
	mu     sync.Mutex
	news   chan struct{}    // closed when a connection is given back
	lacked []record.Instant // when a dialing was given up for want of them
}

// nextFreed is closed when the next connection is given back.
func (d *descriptorWatch) nextFreed() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.news == nil {
		d.news = make(chan struct{})
	}
	return d.news
}

func (d *descriptorWatch) signalFreed() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.news != nil {
		close(d.news)
		d.news = nil
	}
}

func (d *descriptorWatch) recordShortage(at record.Instant) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lacked = append(d.lacked, at)
}

func (d *descriptorWatch) shortSince(at record.Instant) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.lacked, func(then record.Instant) bool { return then >= at })
}

// Lacking reports that calls were not made because this process had run short of
// file descriptors or ports; "" if none was.
func (c *Client) Lacking() string {
	if !c.fds.shortSince(0) {
		return ""
	}
	return errResourceShortage.Error()
}

// dial makes a connection. If this process has no descriptor left for it, idle
// connections are closed, and the next one that is given back is waited for:
// what we lack is nothing to hold against the server.
func (c *Client) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	for {
		news := c.fds.nextFreed()
		conn, err := c.dialer.DialContext(ctx, network, addr)
		if err == nil || !isResourceShortage(err) {
			return conn, err
		}
		c.tr.CloseIdleConnections()
		select {
		case <-news:
		case <-ctx.Done():
			c.fds.recordShortage(c.Now())
			return nil, errResourceShortage
		}
	}
}

// isResourceShortage reports whether an error of the system is for want of something that
// this process or machine has used up.
func isResourceShortage(err error) bool {
	return isAny(err, syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.EADDRNOTAVAIL)
}

// isAny reports whether an error is one of some.
func isAny(err error, targets ...error) bool {
	return slices.ContainsFunc(targets, func(one error) bool { return errors.Is(err, one) })
}
