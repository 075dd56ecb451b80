package serve

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/schema"
)

// The paths below which everything else is, if there is only one port.
const (
	secondOriginPath = "/second-origin"
	pagePath         = "/a2a-conform"
)

// origins are what listens for a client that is used by hand.
type origins []origin

// Close has nothing more be accepted.
func (o origins) Close() {
	for _, one := range o {
		one.listen.Close()
	}
}

// openOrigins opens the address of the agent, and a second origin of the same host.
func (a *attendance) openOrigins() (out origins, err error) {
	defer func() {
		if err != nil {
			out.Close()
			out = nil
		}
	}()
	host, port, err := net.SplitHostPort(a.Listen)
	if err != nil {
		return nil, fmt.Errorf("the address to listen on is %q, which is not HOST:PORT; write it like 127.0.0.1:0", a.Listen)
	}
	public, err := readPublicURL(a.URL)
	if err != nil {
		return nil, err
	}
	if ip := net.ParseIP(host); public == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return nil, fmt.Errorf("%s is every address of this machine; name the URL by which the client calls it as well", a.Listen)
	}
	scheme := "http"
	switch {
	case (a.CertFile == "") != (a.KeyFile == ""):
		return nil, errors.New("a certificate and its key belong together; one of them is missing")
	case a.CertFile != "":
		pair, err := schema.ReadKeyPair(a.CertFile, a.KeyFile)
		if err != nil {
			return nil, err
		}
		scheme, a.tls = "https", &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	first, at, err := listenAt(host, port)
	if err != nil {
		return nil, err
	}
	base := scheme + "://" + net.JoinHostPort(host, strconv.Itoa(at))
	if public != nil {
		base = public.Scheme + "://" + public.Host
	}
	out = append(out, nameOrigins(base, first)...)
	if a.OnePort {
		a.bases = []string{base, base + secondOriginPath}
		return out, nil
	}
	name := host
	switch {
	case public != nil:
		scheme, name = public.Scheme, public.Hostname()
	case host == "127.0.0.1":
		host, name = "localhost", "localhost"
	case host == "localhost":
		name = "127.0.0.1"
	}
	second, at, err := listenAt(host, "0")
	if err != nil {
		return out, err
	}
	also := scheme + "://" + net.JoinHostPort(name, strconv.Itoa(at))
	a.bases = []string{base, also}
	return append(out, nameOrigins(also, second)...), nil
}

// nameOrigins returns the origins of several ports that are reached by one base.
func nameOrigins(base string, listeners []*net.TCPListener) (out origins) {
	for _, l := range listeners {
		out = append(out, origin{base: base, listen: l})
	}
	return out
}

// listenAt opens a port of a host, of both families of addresses for localhost, and returns its number.
func listenAt(host, port string) (out []*net.TCPListener, at int, err error) {
	address := net.JoinHostPort(host, port)
	if host == "localhost" {
		address = net.JoinHostPort("127.0.0.1", port)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, 0, err
	}
	tcp := l.(*net.TCPListener)
	at = tcp.Addr().(*net.TCPAddr).Port
	out = []*net.TCPListener{tcp}
	if host == "localhost" {
		if also, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv6loopback, Port: at}); err == nil {
			out = append(out, also)
		}
	}
	return out, at, nil
}

// readPublicURL reads the origin by which the client calls us; nil for "".
func readPublicURL(text string) (*url.URL, error) {
	if text == "" {
		return nil, nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("the URL by which the client calls the agent is %q, which is not an http or https URL without a path; write it like https://agent.example.com", text)
	case u.User != nil:
		return nil, errors.New("the URL by which the client calls the agent contains a user or password, and reports would show it")
	}
	u.Host = strings.TrimSuffix(strings.ToLower(u.Host), map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	return u, nil
}

// acceptAttached has the connections to an origin belong to the play that is current when they are made.
func (a *attendance) acceptAttached(o origin) {
	places := make(chan struct{}, maxConns)
	for {
		places <- struct{}{}
		raw, err := o.listen.AcceptTCP()
		if err == nil {
			a.mu.Lock()
			a.current.recorder.serveConnection(raw, o, func() { <-places })
			a.mu.Unlock()
			continue
		}
		<-places
		if errors.Is(err, net.ErrClosed) || !a.awaitRetry() {
			return
		}
	}
}

// acceptRetry is how long to wait until a connection may be accepted again, such as when this program has too many files.
const acceptRetry = 100 * time.Millisecond

// awaitRetry waits a moment. It reports whether the run has not ended.
func (a *attendance) awaitRetry() bool {
	t := time.NewTimer(acceptRetry)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-a.ctx.Done():
		return false
	}
}

// addressOnPort returns the address of the page below the one port; "" unless there is only one.
func (a *attendance) addressOnPort() string {
	if !a.OnePort {
		return ""
	}
	return a.bases[0] + a.pathOnPort()
}

// pathOnPort returns the path of the page below the one port.
func (a *attendance) pathOnPort() string { return pagePath + "/" + a.token + "/" }
