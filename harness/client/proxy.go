package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/proxy"
)

// maxProxyHead bounds what a proxy may answer before the connection to the server begins.
const maxProxyHead = 64 << 10

// ProxyError is why a proxy did not lead to the server. The server itself may be in order.
type ProxyError struct{ Text string }

func (e *ProxyError) Error() string { return e.Text }

// dialDirectlyOrThroughProxy connects to a server: directly, or through the proxy of the run. What travels on the
// connection is the same either way, since a proxy only passes bytes on.
func (c *Client) dialDirectlyOrThroughProxy(ctx context.Context, network, addr string, forHTTPS bool) (net.Conn, error) {
	via, err := c.proxyFor(addr, forHTTPS)
	if err != nil {
		return nil, err
	}
	if via == nil {
		return c.dial(ctx, network, addr)
	}
	shown := via.Scheme + "://" + via.Host
	conn, err := c.dial(ctx, network, proxyAddress(via))
	if err != nil {
		if ctx.Err() != nil || errors.Is(err, errResourceShortage) {
			return nil, err
		}
		why, _, _ := strings.Cut(describeTrouble(err), ": is the server running") // which is about the target
		return nil, &ProxyError{fmt.Sprintf("the proxy %s cannot be reached: %s", shown, why)}
	}
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if via.Scheme == "http" {
		err = openTunnel(conn, via, addr)
	} else {
		err = openSOCKS(ctx, conn, via, addr)
	}
	switch {
	case err == nil:
		return tunnel{conn, addr}, nil
	case ctx.Err() != nil:
		err = ctx.Err()
	default:
		err = &ProxyError{fmt.Sprintf("the proxy %s did not connect to %s: %v", shown, addr, err)}
	}
	conn.Close()
	c.fds.signalFreed()
	return nil, err
}

// tunnel is a connection to a server through a proxy. Its other end is not the proxy, which may be on
// this machine while the server is not: what is not encrypted is read on the way.
type tunnel struct {
	net.Conn
	server string // host:port
}

// RemoteAddr implements net.Conn.
func (t tunnel) RemoteAddr() net.Addr { return tunnelEnd(t.server) }

// tunnelEnd is an address that is known to the proxy alone.
type tunnelEnd string

// Network implements net.Addr.
func (tunnelEnd) Network() string { return "tcp" }

func (e tunnelEnd) String() string { return string(e) }

// proxyFor returns the proxy that leads to an address; nil if there is none.
func (c *Client) proxyFor(addr string, secure bool) (*url.URL, error) {
	if c.cfg.Proxy == nil {
		return nil, nil
	}
	to := &url.URL{Scheme: "http", Host: addr}
	if secure {
		to.Scheme = "https"
	}
	return c.cfg.Proxy(to)
}

// proxyAddress is the address at which a proxy listens.
func proxyAddress(via *url.URL) string {
	port := via.Port()
	switch {
	case port != "":
	case via.Scheme == "http":
		port = "80"
	default:
		port = "1080"
	}
	return net.JoinHostPort(via.Hostname(), port)
}

// openTunnel has an HTTP proxy connect to a server (CONNECT, RFC 9110, section 9.3.6). It reads not a
// byte more than the head of the answer: the next one is the server's.
func openTunnel(conn net.Conn, via *url.URL, addr string) error {
	head := fmt.Sprintf("CONNECT %s HTTP/1.1\r\nHost: %[1]s\r\n", addr)
	if user := via.User; user != nil {
		password, _ := user.Password()
		head += "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)) + "\r\n"
	}
	if _, err := conn.Write([]byte(head + "\r\n")); err != nil {
		return errors.New(describeTrouble(err))
	}
	var answer []byte
	for one := make([]byte, 1); !bytes.HasSuffix(answer, []byte("\r\n\r\n")); {
		if len(answer) == maxProxyHead {
			return fmt.Errorf("its answer has more than %d bytes of headers", maxProxyHead)
		}
		if _, err := conn.Read(one); err != nil {
			return errors.New("it closed the connection without an answer of HTTP")
		}
		answer = append(answer, one[0])
	}
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(answer)), &http.Request{Method: http.MethodConnect})
	if err != nil {
		return errors.New("its answer is not HTTP")
	}
	switch {
	case resp.StatusCode == http.StatusProxyAuthRequired:
		return errors.New("it needs credentials (HTTP 407), which its URL has to hold before the host")
	case resp.StatusCode/100 != 2:
		return fmt.Errorf("it refused with HTTP %d; some proxies connect only to port 443", resp.StatusCode)
	}
	return nil
}

// openSOCKS has a SOCKS5 proxy connect to a server (RFC 1928).
func openSOCKS(ctx context.Context, conn net.Conn, via *url.URL, addr string) error {
	var auth *proxy.Auth
	if user := via.User; user != nil {
		password, _ := user.Password()
		auth = &proxy.Auth{User: user.Username(), Password: password}
	}
	dialer, err := proxy.SOCKS5("tcp", proxyAddress(via), auth, connected{conn})
	if err != nil {
		return err
	}
	_, err = dialer.(proxy.ContextDialer).DialContext(ctx, "tcp", addr)
	var op *net.OpError
	if errors.As(err, &op) { // whose text begins with what was dialled
		err = op.Err
	}
	return err
}

// connected dials by handing out a connection that is there.
type connected struct{ net.Conn }

// Dial implements proxy.Dialer.
func (c connected) Dial(string, string) (net.Conn, error) { return c.Conn, nil }

// DialContext implements proxy.ContextDialer.
func (c connected) DialContext(context.Context, string, string) (net.Conn, error) { return c.Conn, nil }
