package client

import (
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// recordedConn is a connection that writes down what passes through it while an
// exchange is in progress.
type recordedConn struct {
	net.Conn
	raw    net.Conn // beneath TLS
	number int
	facts  *record.TLS
	now    func() record.Instant
	freed  func()

	mu    sync.Mutex
	rec   *transfer
	begun bool // rec belongs to an exchange
	used  bool // it has carried one before
	spent bool // more came than was asked for: what comes next belongs to nothing
}

type transfer struct {
	sent     []byte
	wrote    int64 // bytes of the request that the system took
	heard    bool  // something came back
	reset    bool  // what came was the breaking of the connection
	response *framer
}

// sentKept bounds the copy of what we send: the head is all that is needed of
// it, the body is known.
const sentKept = 256 << 10

func (c *Client) wrapRecordedConn(conn, raw net.Conn, facts *record.TLS) *recordedConn {
	// A server may speak before it is asked: the first record begins at once.
	return &recordedConn{Conn: conn, raw: raw, freed: c.fds.signalFreed, number: int(c.conns.Add(1)), facts: facts, now: c.Now, rec: &transfer{response: newFramer(false)}}
}

// beginTransfer starts a record. The connection may serve the next exchange before the
// last one has been taken down, so each holds on to its own.
func (r *recordedConn) beginTransfer(toHead bool) *transfer {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begun || r.rec == nil {
		r.rec = &transfer{response: newFramer(false)}
	}
	r.used = r.begun
	r.begun = true
	r.rec.response.toHead = toHead
	return r.rec
}

func (r *recordedConn) endTransfer(rec *transfer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rec == rec {
		r.rec = nil
	}
}

// closeTimeout is how long a connection may take to close in order.
const closeTimeout = time.Second

// Close does not wait for a peer that takes no closing words of TLS.
func (r *recordedConn) Close() error {
	guard := time.AfterFunc(closeTimeout, func() { r.raw.Close() })
	defer guard.Stop()
	defer r.freed()
	return r.Conn.Close()
}

// closeIfServing closes the connection if it still serves the exchange of the record.
// What the reader of a response is waiting for does not matter: not every reader
// that net/http hands out ends with the context of its request.
func (r *recordedConn) closeIfServing(rec *transfer) {
	r.mu.Lock()
	held := r.rec == rec
	r.mu.Unlock()
	if held {
		r.raw.Close()
	}
}

// gotNothing reports whether nothing came back for a record.
func (r *recordedConn) gotNothing(rec *transfer) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !rec.heard
}

// Read records what it reads. Bytes beyond the end of a response, or before a
// request was sent, are counted and withheld: net/http would print them, or
// take them for the beginning of the next answer on this connection. It learns
// that the connection ended, and sends the next request on another.
func (r *recordedConn) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	at := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if n == 0 {
		if r.rec != nil && errors.Is(err, syscall.ECONNRESET) {
			r.rec.reset = true
		}
		return n, err
	}
	if r.rec != nil {
		r.rec.heard = true
	}
	used := 0
	switch {
	case r.spent || r.rec == nil:
	case len(r.rec.sent) == 0:
		r.rec.response.feedBytes(p[:n], at)
		r.rec.response.addFault("the server spoke before it was asked")
	default:
		used = r.rec.response.feedBytes(p[:n], at)
		if r.rec.response.crowded {
			r.spent = true
			return 0, errTooManyFields
		}
		if used == n {
			return n, err
		}
		r.rec.response.Framing.Extra += n - used
	}
	r.spent = true
	if used > 0 {
		return used, nil
	}
	return 0, io.EOF
}

func (r *recordedConn) Write(p []byte) (int, error) {
	r.mu.Lock()
	// A connection that was closed meanwhile is found out before anything is sent on
	// it, so that the server cannot have seen it.
	if r.spent || r.used && r.rec != nil && len(r.rec.sent) == 0 && isHungUp(r.raw) {
		r.mu.Unlock()
		return 0, net.ErrClosed // nothing was written: net/http takes another connection
	}
	rec := r.rec
	first := rec == nil || len(rec.sent) == 0
	if r.rec != nil && len(r.rec.sent) < sentKept {
		r.rec.sent = append(r.rec.sent, p[:min(len(p), sentKept-len(r.rec.sent))]...)
	}
	r.mu.Unlock()
	n, err := r.Conn.Write(p)
	if rec != nil {
		r.mu.Lock()
		rec.wrote += int64(n)
		r.mu.Unlock()
	}
	if err != nil && !first {
		// A server that refuses a large body stops reading it. Its answer is
		// still to be read, and net/http would drop it for this error.
		return len(p), nil
	}
	return n, err
}
