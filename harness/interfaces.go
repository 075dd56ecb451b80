package harness

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http2"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// interfaces are the addresses of an agent's bindings: those that the operator gave, else those
// of the card that may be called.
type interfaces struct {
	at       map[string]string // by name of the binding
	withheld []record.Withheld // interfaces on the card that may belong to another server
}

// findInterfaces returns the interfaces of an agent. If the operator gave one RPC URL without a
// binding, the card adds no others.
func (r *runner) findInterfaces(ctx context.Context, d *schema.Dialect, of card.Card) interfaces {
	known, out := binding.Names(d), interfaces{at: r.givenAddresses(d, of)}
	if r.target.RPC != "" {
		return out
	}
	for _, i := range of.Interfaces() {
		name := i.Transport()
		if !slices.Contains(known, name) || out.at[name] != "" || i.URL() == "" {
			continue
		}
		address, held := r.resolveInterface(ctx, d, name, i.URL())
		switch {
		case address != "":
			out.at[name] = address
		case held != nil && !slices.ContainsFunc(out.withheld, func(w record.Withheld) bool { return w.Binding == name }):
			out.withheld = append(out.withheld, *held)
		}
	}
	out.withheld = slices.DeleteFunc(out.withheld, func(w record.Withheld) bool { return out.at[w.Binding] != "" })
	return out
}

// givenAddresses returns the addresses that the operator gave, by binding.
func (r *runner) givenAddresses(d *schema.Dialect, of card.Card) map[string]string {
	at := map[string]string{}
	maps.Copy(at, r.target.Interfaces)
	if r.target.RPC != "" {
		at[r.bindingOfGivenRPCURL(d, of)] = r.target.RPC
	}
	return at
}

// bindingOfGivenRPCURL returns the binding of an RPC URL that the operator gave without one: the only
// binding that is wanted, else one for which the card has that URL, else the dialect's default,
// unless the card offers only others.
func (r *runner) bindingOfGivenRPCURL(d *schema.Dialect, of card.Card) string {
	known := binding.Names(d)
	if len(known) == 0 || slices.Contains(known, r.target.Binding) {
		return r.target.Binding
	}
	var offered, there []string
	for _, i := range of.Interfaces() {
		if name := i.Transport(); slices.Contains(known, name) {
			offered = append(offered, name)
			if sameAddress(i.URL(), r.target.RPC) || d.Bindings[name].Kind == schema.KindGRPC && i.Serves(r.target.RPC) {
				there = append(there, name)
			}
		}
	}
	if len(there) == 0 {
		there = offered
	}
	if len(there) == 0 || slices.Contains(there, known[0]) {
		return known[0]
	}
	return there[0]
}

// resolveInterface returns the address of an interface on the card if it may be called; otherwise
// "", and why it is not called.
func (r *runner) resolveInterface(ctx context.Context, d *schema.Dialect, name, address string) (string, *record.Withheld) {
	base := parseURLOrEmpty(r.target.URL)
	if bare, is := bareAddress(address); is && d.Bindings[name].Kind == schema.KindGRPC {
		u := &url.URL{Scheme: base.Scheme, Host: bare}
		r.replaceUncallableHost(d, name, base, u)
		if r.isOperatorTrustedHost(u) || sameHost(u, base) && card.PortOf(u) != card.PortOf(base) { // The connection is made only to hosts of the target.
			u.Scheme = r.detectScheme(ctx, u.Host)
		}
		to, held := r.resolveTrusted(d, name, base, u)
		if held != nil { // The report shows the address as the card has it.
			guess := u.Scheme + "://"
			held.URL, held.Remedy = strings.TrimPrefix(held.URL, guess), strings.Replace(held.Remedy, guess, "", 1)
		}
		return to, held
	}
	if d.Bindings[name].Kind == schema.KindGRPC && !strings.Contains(address, "://") { // A gRPC address has no path on the host of the card.
		return "", nil
	}
	u, err := base.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", nil
	}
	return r.resolveTrusted(d, name, base, u)
}

// resolveTrusted returns an address of the card if it belongs to the server, so that it may be
// called. Otherwise it returns why not, and which flag would allow it.
func (r *runner) resolveTrusted(d *schema.Dialect, name string, base, u *url.URL) (string, *record.Withheld) {
	r.replaceUncallableHost(d, name, base, u)
	u.User, u.Fragment = nil, ""
	held := &record.Withheld{Binding: name, URL: sanitizeAndShorten(u.String())}
	switch {
	case !r.isTrusted(base, u):
		held.Why = fmt.Sprintf("is another host than the target %s", base.Host)
	case !r.isOperatorTrustedHost(u) && !sameOrigin(u, base) && len(r.target.secrets()) > 0 && !mayGRPCPortReceiveCredentials(d, name, u):
		held.Why = fmt.Sprintf("is another origin than the target %s and would be sent its credentials", sanitizeAndShorten(base.String()))
	default:
		return record.BoundAddress(u.String()), nil
	}
	given := held.URL
	if len(binding.Names(d)) > 1 && name != "" {
		given = name + "=" + given
	}
	held.Remedy = fmt.Sprintf("--rpc %s or --trust-host %s", given, sanitizeAndShorten(u.Hostname()))
	if r.unreachableName(base.Hostname(), u.Hostname()) {
		itself := *u
		itself.Scheme, itself.Host = base.Scheme, base.Host
		held.Nobody = fmt.Sprintf("the host %s, %s, cannot be reached by clients elsewhere either", sanitizeAndShorten(u.Hostname()), r.whyUnreachable(u.Hostname()))
		held.Itself = "--rpc " + strings.Replace(given, held.URL, sanitizeAndShorten(itself.String()), 1)
	}
	return "", held
}

// mayGRPCPortReceiveCredentials reports whether gRPC on another port of the target's host may get the target's
// credentials. gRPC usually has a port of its own. The host is verified by TLS, or it is this
// machine.
func mayGRPCPortReceiveCredentials(d *schema.Dialect, name string, u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	local := strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
	return d.Bindings[name].Kind == schema.KindGRPC && (u.Scheme == "https" || local)
}

// replaceUncallableHost replaces a host that no client can call by that of the target: a server
// that publishes 0.0.0.0, or a loopback address, means itself. gRPC keeps its port.
func (r *runner) replaceUncallableHost(d *schema.Dialect, name string, base, u *url.URL) {
	host := u.Hostname()
	own := card.Loopback(host) && !isLoopback(base.Hostname()) && !r.isOperatorTrustedHost(u)
	switch {
	case !card.Unspecified(host) && !own:
	case d.Bindings[name].Kind == schema.KindGRPC && u.Port() != "":
		u.Host = net.JoinHostPort(base.Hostname(), u.Port())
	default:
		u.Scheme, u.Host = base.Scheme, base.Host
	}
}

// untrustedError is the error if the only interface must not be called.
func untrustedError(w *record.Withheld) error {
	if w.Nobody != "" {
		return usageErrorf("the card says that calls go to %s, which %s; %s; give %s to call the target itself, or give %s if this is right", w.URL, w.Why, w.Nobody, w.Itself, w.Remedy)
	}
	return usageErrorf("the card says that calls go to %s, which %s; give %s if this is right", w.URL, w.Why, w.Remedy)
}

// addWithheld stores the interfaces of an agent that are not called.
func (f *discovery) addWithheld(agent string, all []record.Withheld) {
	for _, w := range all {
		w.Agent = agent
		f.withheld = append(f.withheld, w)
	}
}

// redactWithheld removes known secrets from the interfaces that are not called, because a server
// may return what it was sent.
func (r *runner) redactWithheld(all []record.Withheld) (out []record.Withheld) {
	for _, w := range all {
		for _, text := range []*string{&w.Agent, &w.Binding, &w.URL, &w.Why, &w.Remedy, &w.Nobody, &w.Itself} {
			*text = r.redact.String(*text)
		}
		out = append(out, w)
	}
	return out
}

// isTrusted reports whether a host is that of the target, or one that the operator trusts.
func (r *runner) isTrusted(base, u *url.URL) bool {
	return sameHost(u, base) || r.isOperatorTrustedHost(u)
}

// isOperatorTrustedHost reports whether the operator named a host with --trust-host.
func (r *runner) isOperatorTrustedHost(u *url.URL) bool {
	return slices.ContainsFunc(r.target.TrustHosts, func(host string) bool { return strings.EqualFold(hostName(host), u.Hostname()) })
}

// hostName returns a host without the brackets of IPv6.
func hostName(host string) string { return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]") }

// bareAddress parses HOST:PORT, the form of gRPC addresses.
func bareAddress(address string) (hostPort string, ok bool) {
	if strings.ContainsAny(address, "/?#@ \t") {
		return "", false
	}
	host, port, err := net.SplitHostPort(address)
	if n, wrong := strconv.Atoi(port); err != nil || host == "" || wrong != nil || n < 1 || n > maxPort || strings.Trim(port, "0123456789") != "" {
		return "", false
	}
	return net.JoinHostPort(host, port), true
}

// maxPort is the highest port number.
const maxPort = 65535

// handshakeTime is how long a server may take for a TLS handshake.
const handshakeTime = 5 * time.Second

// detectScheme finds out whether an address without a scheme uses TLS. It sends no data, so the
// certificate is not verified.
func (r *runner) detectScheme(ctx context.Context, hostPort string) string {
	ctx, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()
	conn, err := client.Dialer(r.target.AllowDial).DialContext(ctx, "tcp", hostPort)
	if err != nil {
		return "https" // The call itself will show what is wrong.
	}
	defer conn.Close()
	host, _, _ := net.SplitHostPort(hostPort)
	err = tls.Client(conn, &tls.Config{ServerName: host, InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, NextProtos: []string{"h2"}}).HandshakeContext(ctx)
	remote := (*net.OpError)(nil)
	alert := errors.As(err, &remote) && remote.Op == "remote error" // Only TLS sends alerts.
	if err == nil || alert {
		return "https"
	}
	return "http"
}

// speaksPlaintextHTTP2 reports whether a server answers the HTTP/2 preface without TLS with a
// SETTINGS frame.
func (r *runner) speaksPlaintextHTTP2(ctx context.Context, hostPort string) bool {
	ctx, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()
	conn, err := client.Dialer(r.target.AllowDial).DialContext(ctx, "tcp", hostPort)
	if err != nil {
		return false
	}
	defer conn.Close()
	at, _ := ctx.Deadline()
	conn.SetDeadline(at)
	io.WriteString(conn, http2.ClientPreface)
	if err := http2.NewFramer(conn, nil).WriteSettings(); err != nil {
		return false
	}
	header := make([]byte, 9)
	_, err = io.ReadFull(conn, header)
	return err == nil && header[3] == byte(http2.FrameSettings)
}

// chooseRPC returns the RPC URL: --rpc, else the card's preferred interface, else the dialect's
// default path. If the preferred interface must not be called, it returns another interface of
// the card.
func (r *runner) chooseRPC(ctx context.Context, f *discovery) (string, error) {
	known := binding.Names(f.dialect)
	switch {
	case r.target.RPC != "":
		return r.target.RPC, nil
	case len(known) > 0 && r.target.Interfaces[known[0]] != "":
		return r.target.Interfaces[known[0]], nil
	}
	base, read := parseURLOrEmpty(r.target.URL), card.Of(f.dialect, f.card)
	var held *record.Withheld
	if usual, ok := read.Usual(); ok {
		var to string
		if to, held = r.resolveInterface(ctx, f.dialect, usual.Transport(), usual.URL()); to != "" {
			return to, nil
		}
	}
	if held != nil || len(r.target.Interfaces) > 0 {
		others := r.findInterfaces(ctx, f.dialect, read)
		for _, name := range known {
			if others.at[name] != "" {
				return others.at[name], nil
			}
		}
	}
	if held != nil {
		return "", untrustedError(held)
	}
	u := *base
	if strings.Contains(u.Path, "/.well-known/") {
		u = *siteOf(r.target.URL)
	}
	if p := f.dialect.RPCPath; p != "" && p != "/" && !strings.HasSuffix(u.Path, p) {
		u.Path = strings.TrimSuffix(u.Path, "/") + p
	}
	return u.String(), nil
}
