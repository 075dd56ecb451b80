package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/http2/hpack"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
)

// An HTTP/2 call has a connection of its own. That costs a handshake for each call,
// and is the clearest evidence: every frame in the record belongs to the call.

// tlsTryTimeout is how long a server may take to answer TLS if the URL leaves it open
// whether it supports TLS.
const tlsTryTimeout = 5 * time.Second

// grpcTimeoutSlack is how much longer the announced timeout is than ours: it is our timeout
// that ends a call, not the server's clock shortly before or after.
const grpcTimeoutSlack = time.Second

// parseHTTP2URL returns the URL of an HTTP/2 call. It may leave the scheme open, as in
// //host:port/path: then the call uses TLS, or none if the server does not answer it.
func parseHTTP2URL(call Call) (u *url.URL, err error) {
	u, err = url.Parse(call.URL)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the request cannot be written: %w", err)
	case u.Host == "":
		return nil, fmt.Errorf("the request cannot be written: its URL names no host")
	case u.Scheme != "" && u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("the request cannot be written: %.20q is not a scheme of HTTP", u.Scheme)
	}
	return u, checkFieldValues(call.Header)
}

// hostPort is the address to connect to.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "443"
		if u.Scheme == "http" {
			port = "80"
		}
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// buildHTTP2Fields are the fields of a call in the order in which they travel. A call of gRPC
// announces about how long we wait, and asks for nothing compressed, unless its header
// does so already; a field without values there suppresses either.
func (c *Client) buildHTTP2Fields(u *url.URL, call Call, patience time.Duration) []hpack.HeaderField {
	path := u.RequestURI()
	out := []hpack.HeaderField{{Name: ":method", Value: call.Method}, {Name: ":scheme", Value: u.Scheme}, {Name: ":path", Value: path}, {Name: ":authority", Value: u.Host}}
	h := http.Header{}
	for k, v := range call.Header {
		h[http.CanonicalHeaderKey(k)] = v
	}
	if host := h.Get("Host"); host != "" {
		out[3].Value = host
	}
	delete(h, "Host")
	c.tracer.addTraceHeader(h)
	unless := func(name, value string) {
		if _, said := h[name]; !said {
			h[name] = []string{value}
		}
	}
	if record.IsGRPC(record.ParseMediaType(h.Get("Content-Type"))) {
		unless("Te", "trailers")
		unless("Grpc-Timeout", grpcTimeout(patience+grpcTimeoutSlack))
		unless("Grpc-Accept-Encoding", "identity")
	} else {
		unless("Accept-Encoding", "identity")
	}
	if c.cfg.UserAgent != "" {
		unless("User-Agent", c.cfg.UserAgent)
	}
	for _, k := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[k] {
			out = append(out, hpack.HeaderField{Name: strings.ToLower(k), Value: v, Sensitive: redact.CredentialHeader(k)})
		}
	}
	return out
}

// grpcTimeout writes a duration as gRPC does: up to eight digits, and a unit.
func grpcTimeout(d time.Duration) string {
	for _, unit := range []struct {
		name string
		is   time.Duration
	}{{"m", time.Millisecond}, {"S", time.Second}, {"M", time.Minute}} {
		if n := (d + unit.is - 1) / unit.is; n < 1e8 {
			return strconv.FormatInt(int64(n), 10) + unit.name
		}
	}
	return "99999999H"
}

// formatHTTP2Head writes the fields of a call as the head of a request.
func formatHTTP2Head(fields []hpack.HeaderField) []byte {
	b := fieldBlock{fields: fields}
	return fmt.Appendf(nil, "%s %s HTTP/2\r\n%s\r\n", b.firstValue(":method"), b.firstValue(":path"), b.formatLines())
}

// doHTTP2 makes a call over HTTP/2. What it wrote and read is in x; how it ended is
// as for HTTP/1.1.
func (c *Client) doHTTP2(ctx context.Context, x *record.Exchange, u *url.URL, call Call, patience time.Duration, watch Watch, room *bodySlot, answered func(http.Header)) (record.Ended, error) {
	x.HTTP2 = &record.HTTP2{}
	conn, err := c.dialHTTP2(ctx, x, u, call)
	fields := c.buildHTTP2Fields(u, call, patience)
	x.Request.Head = formatHTTP2Head(fields)
	switch {
	case errors.Is(err, errResourceShortage):
		return record.Unsent, errResourceShortage
	case err != nil && endingOf(err) == record.Timeout:
		return record.Timeout, err
	case err != nil:
		return record.NoDial, err
	}
	if why := c.refuseExposedCredentials(conn, x.TLS != nil, x.Request.Head); why != "" {
		conn.Close()
		c.fds.signalFreed()
		x.Conn = 0
		return record.Unsent, errors.New(why)
	}
	return c.overHTTP2(ctx, x, conn, fields, call, watch, room, answered)
}

// overHTTP2 makes a call on a connection, and ends both.
func (c *Client) overHTTP2(ctx context.Context, x *record.Exchange, conn net.Conn, fields []hpack.HeaderField, call Call, watch Watch, room *bodySlot, answered func(http.Header)) (record.Ended, error) {
	x.Request.Head = formatHTTP2Head(fields)
	h := newHTTP2Call(c, conn, x.HTTP2, watch, room, answered)
	unbind := context.AfterFunc(ctx, h.expireConnDeadlinesNow)
	defer unbind()
	ended, err := h.sendAndRead(fields, call.Body)
	switch {
	case context.Cause(ctx) == errStopped && ended != record.EOF:
		h.code = ourCancel
	case ctx.Err() != nil && (ended == record.Reset || errors.Is(err, os.ErrDeadlineExceeded)):
		ended, err = record.Timeout, ctx.Err()
	}
	if ended == record.Timeout {
		if n := h.writer.heldBack(); n > 0 {
			err = &noRoomError{cause: err, unsent: n, size: len(call.Body)}
		}
	}
	h.closeGracefully(ended)
	x.Request.Framing = record.Framing{Kind: "frames", Declared: -1, Received: int64(len(call.Body) - h.writer.unsentBytes())}
	x.Response = h.takeResponse(ended)
	return ended, err
}

// dialHTTP2 makes the connection of a call, and writes down how.
func (c *Client) dialHTTP2(ctx context.Context, x *record.Exchange, u *url.URL, call Call) (net.Conn, error) {
	open := u.Scheme == ""
	if open && u.Port() == "" {
		u.Host = net.JoinHostPort(u.Hostname(), "443") // with TLS and without
	}
	if why, known := c.plain.Load(u.Host); open && known {
		u.Scheme, x.HTTP2.NoTLS = "http", why.(string)
	} else if open {
		u.Scheme = "https"
	}
	addr := hostPort(u)
	if u.Scheme == "https" {
		conn, err := c.dialH2TLS(ctx, x, addr, call, open)
		if err == nil || !open || !lacksTLS(ctx, err) {
			x.URL = u.String()
			return conn, err
		}
		x.HTTP2.NoTLS = err.Error()
		c.plain.Store(u.Host, x.HTTP2.NoTLS)
		u.Scheme = "http"
	}
	x.URL = u.String()
	conn, err := c.dialDirectlyOrThroughProxy(ctx, "tcp", addr, false) // the same port as with TLS, if that was tried
	if err == nil {
		x.Conn = int(c.conns.Add(1))
	}
	return conn, err
}

func (c *Client) dialH2TLS(ctx context.Context, x *record.Exchange, addr string, call Call, open bool) (net.Conn, error) {
	conn, err := c.dialDirectlyOrThroughProxy(ctx, "tcp", addr, true)
	if err != nil {
		return nil, err
	}
	cfg := c.tlsFor(addr, "h2")
	boundTLSVersions(cfg, call)
	if call.Line != nil && call.Line.anonymous {
		cfg.Certificates = nil
	}
	if open {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, tlsTryTimeout)
		defer cancel()
	}
	secured := tls.Client(conn, cfg)
	if err := secured.HandshakeContext(ctx); err != nil {
		conn.Close()
		c.fds.signalFreed()
		if open {
			err = &tlsTrouble{err}
		}
		return nil, fmt.Errorf(record.HandshakeTrouble+"%w", err)
	}
	state := secured.ConnectionState()
	x.TLS, x.HTTP2.ALPN = record.DescribeTLS(state, cfg.ServerName, !cfg.InsecureSkipVerify), state.NegotiatedProtocol
	x.Conn = int(c.conns.Add(1))
	return secured, nil
}

// tlsTrouble is how a handshake ended that was only tried.
type tlsTrouble struct{ error }

func (t *tlsTrouble) Unwrap() error { return t.error }

// lacksTLS reports whether an error shows that the other end does not support TLS. A server that
// refuses the handshake, or shows a certificate that does not hold, does support it.
func lacksTLS(ctx context.Context, err error) bool {
	var t *tlsTrouble
	var header tls.RecordHeaderError
	return errors.As(err, &t) && ctx.Err() == nil && (errors.As(err, &header) || isAny(err, io.EOF, io.ErrUnexpectedEOF,
		syscall.ECONNRESET, syscall.EPIPE, context.DeadlineExceeded, os.ErrDeadlineExceeded))
}

// refuseExposedCredentials returns why a head cannot be sent: it has credentials, and everybody on the way
// would read them.
func (c *Client) refuseExposedCredentials(conn net.Conn, secured bool, head []byte) string {
	if tcp, ok := conn.RemoteAddr().(*net.TCPAddr); secured || ok && tcp.IP.IsLoopback() || c.cfg.TLS != nil && c.cfg.TLS.InsecureSkipVerify {
		return ""
	}
	if !c.cfg.Redact.HoldsSecretOrCredential(head) {
		return ""
	}
	return "the call carries credentials, but the connection is not encrypted; give --insecure to send them anyway"
}
