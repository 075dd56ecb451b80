package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// attemptLog are the sendings of one request. Nothing is written to a connection
// before it is among them, so that none can go unseen, whoever repeats it.
type attemptLog struct {
	c      *Client
	ctx    context.Context
	toHead bool

	mu  sync.Mutex
	all []*sending
}

// sending is a request on one connection.
type sending struct {
	conn   *recordedConn
	rec    *transfer
	start  record.Instant
	end    record.Instant
	used   bool // the connection had carried other calls
	why    string
	unbind func() bool
}

type callKey struct{}

// withConnTrace is the context of a request whose sendings are taken down. Each of them
// ends with the call: its connection is closed then.
func (a *attemptLog) withConnTrace() context.Context {
	ctx := context.WithValue(a.ctx, callKey{}, a.ctx)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
		rc, ok := i.Conn.(*recordedConn)
		if !ok {
			return
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.endLatestSending("")
		s := &sending{conn: rc, rec: rc.beginTransfer(a.toHead), start: a.c.Now(), used: i.Reused}
		s.unbind = context.AfterFunc(a.ctx, func() { rc.closeIfServing(s.rec) })
		a.all = append(a.all, s)
	}})
}

// endLatestSending closes the books on the latest sending, if it is still open.
func (a *attemptLog) endLatestSending(why string) {
	if n := len(a.all); n > 0 && a.all[n-1].end == 0 {
		s := a.all[n-1]
		s.unbind()
		s.end, s.why = a.c.Now(), why
	}
}

// recordFailure books that the latest sending came to nothing.
func (a *attemptLog) recordFailure(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.endLatestSending(describeTrouble(err))
}

// readHead returns the head of the response to the latest sending, as it was written, and its framing.
func (a *attemptLog) readHead() ([]byte, record.Framing) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.all) == 0 {
		return nil, record.Framing{Declared: -1}
	}
	last := a.all[len(a.all)-1]
	last.conn.mu.Lock()
	defer last.conn.mu.Unlock()
	return bytes.Clone(last.rec.response.Head), last.rec.response.Framing
}

// hasReusedConnGivenNothing reports whether the latest sending came to nothing on a connection
// that the server may have closed for having been idle.
func (a *attemptLog) hasReusedConnGivenNothing() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.all) == 0 || a.ctx.Err() != nil {
		return false
	}
	last := a.all[len(a.all)-1]
	return last.used && last.conn.gotNothing(last.rec)
}

// recordEarlierAttempts writes the attempts into the exchange and returns the last sending, of
// which is in the exchange itself; nil if there was none, or if the call ended because no
// further connection came about.
func (a *attemptLog) recordEarlierAttempts(x *record.Exchange, cfg *Config, unconnected bool) *sending {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.all) == 0 {
		return nil
	}
	earlier, last := a.all[:len(a.all)-1], a.all[len(a.all)-1]
	last.unbind()
	if unconnected {
		a.endLatestSending("")
		earlier, last = a.all, nil
	}
	for _, s := range earlier {
		s.conn.mu.Lock()
		sent, reset := s.rec.wrote, s.rec.reset
		s.conn.mu.Unlock()
		s.conn.endTransfer(s.rec)
		if s.why == "" {
			s.why = "the connection closed without a byte of an answer"
		}
		x.Attempts = append(x.Attempts, record.Attempt{Conn: s.conn.number, Start: s.start, End: s.end, Sent: sent, Reset: reset, Trouble: cfg.Redact.String(s.why)})
	}
	return last
}

// withoutConnection reports whether a call failed for want of a connection, as it does when the
// server is gone: what had been sent before on a connection that was kept is not what
// ended it.
func withoutConnection(err error) bool {
	var op *net.OpError
	return err != nil && (errors.As(err, &op) && op.Op == "dial" || strings.HasPrefix(err.Error(), record.HandshakeTrouble))
}

// withCall ends a dialing with the call that it is for. net/http would go on
// with it for the sake of calls to come.
func withCall(ctx context.Context) (context.Context, func()) {
	call, ok := ctx.Value(callKey{}).(context.Context)
	if !ok {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	unbind := context.AfterFunc(call, cancel)
	return ctx, func() { unbind(); cancel() }
}

// buildRequest is the request of a call. What a server made us write into it may be
// nothing that can stand there; then it is not sent.
func (c *Client) buildRequest(call Call) (*http.Request, error) {
	req, err := http.NewRequest(call.Method, call.URL, bytes.NewReader(call.Body))
	if err != nil {
		return nil, fmt.Errorf("the request cannot be written: %w", err)
	}
	if s := req.URL.Scheme; s != "http" && s != "https" {
		return nil, fmt.Errorf("the request cannot be written: %.20q is not a scheme of HTTP", s)
	}
	maps.Copy(req.Header, call.Header)
	c.tracer.addTraceHeader(req.Header)
	if c.cfg.UserAgent != "" && req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", c.cfg.UserAgent)
	}
	if call.Bare && req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "") // net/http would write its own
	}
	if req.Header.Get("Accept-Encoding") == "" && !call.Bare {
		req.Header.Set("Accept-Encoding", "identity")
	}
	req.Close = call.Fresh
	return req, checkFieldValues(req.Header)
}

// checkFieldValues refuses a header of which a value cannot be written.
func checkFieldValues(header http.Header) error {
	for k, values := range header {
		if slices.ContainsFunc(values, func(v string) bool { return !FieldValue(v) }) {
			return fmt.Errorf("the request cannot be written: the value meant for its header field %s has a character that no field can have", k)
		}
	}
	return nil
}

// FieldValue reports whether a text can stand in a header field (RFC 9110, section
// 5.5).
func FieldValue(v string) bool {
	return !strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// recordUnsent is the record of a call that was not made.
func (c *Client) recordUnsent(x *record.Exchange, call Call, why string) *record.Exchange {
	x.Start = c.Now()
	x.End, x.Ended, x.Trouble = x.Start, record.Unsent, why
	x.Request.Head = unsentHead(call.Method, parsedURI(call.URL))
	c.cfg.Redact.Exchange(x)
	return x
}

func unsentHead(method, uri string) []byte {
	return fmt.Appendf(nil, "%s %s HTTP/1.1\r\n\r\n", method, uri)
}

// Bounds on one of our requests, of which a server chooses parts.
const (
	maxURL     = record.MaxAddress + 8*record.MaxID // bytes of an address together with the ids in its path and query, which may be escaped
	maxOurHead = 64 << 10                           // bytes of the header fields
)

// unboundedRequest returns why a call is not made although a server asks for it: its address
// or its header fields are larger than calls may be. It is "" if the call is within bounds.
func unboundedRequest(call Call) string {
	if strings.Contains(call.URL, record.CutMark) {
		return fmt.Sprintf("the address that the server names has more than %d bytes, and no call goes to such a one", record.MaxAddress)
	}
	if len(call.URL) > maxURL {
		return fmt.Sprintf("the address would have %d bytes, and no call goes to one of more than %d", len(call.URL), maxURL)
	}
	size := 0
	for name, values := range call.Header {
		for _, value := range values {
			size += len(name) + len(value)
		}
	}
	if size > maxOurHead {
		return fmt.Sprintf("its header fields would have %d bytes, and no call has more than %d", size, maxOurHead)
	}
	return ""
}
