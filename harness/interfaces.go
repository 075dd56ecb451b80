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

// interfaces are where the bindings of an agent are spoken: as the operator says, or else
// as the card does, as far as calls may go there.
type interfaces struct {
	at       map[string]string // by binding
	withheld []record.Withheld // what the card names and may be another's
}

// interfaces looks for them. Where the operator names an endpoint without saying which,
// the card is asked for no other.
func (r *runner) interfaces(ctx context.Context, d *schema.Dialect, of card.Card) interfaces {
	known, out := binding.Names(d), interfaces{at: r.told(d, of)}
	if r.target.RPC != "" {
		return out
	}
	for _, i := range of.Interfaces() {
		name := i.Transport()
		if !slices.Contains(known, name) || out.at[name] != "" || i.URL() == "" {
			continue
		}
		address, held := r.reachable(ctx, d, name, i.URL())
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

// told are the places that the operator names, by binding.
func (r *runner) told(d *schema.Dialect, of card.Card) map[string]string {
	at := map[string]string{}
	maps.Copy(at, r.target.Interfaces)
	if r.target.RPC != "" {
		at[r.unnamed(d, of)] = r.target.RPC
	}
	return at
}

// unnamed is the binding that is meant by an endpoint without a name: the one that is
// wanted alone, or for which the card has that address, or the dialect's usual one,
// unless the card offers only others.
func (r *runner) unnamed(d *schema.Dialect, of card.Card) string {
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
	for _, among := range [][]string{there, offered} {
		if len(among) > 0 && !slices.Contains(among, known[0]) {
			return among[0]
		}
		if len(among) > 0 {
			break
		}
	}
	return known[0]
}

// reachable is the address of an interface on the card, where calls may go; "" where it
// is none, or they may not.
func (r *runner) reachable(ctx context.Context, d *schema.Dialect, name, address string) (string, *record.Withheld) {
	base := parse(r.target.URL)
	if bare, is := bareAddress(address); is && d.Bindings[name].Kind == schema.KindGRPC {
		u := &url.URL{Scheme: base.Scheme, Host: bare}
		r.itselfIfNobody(d, name, base, u)
		if r.namedHost(u) || sameHost(u, base) && port(u) != port(base) { // asked only of the target's own
			u.Scheme = r.schemeOf(ctx, u.Host)
		}
		to, held := r.own(d, name, base, u)
		if held != nil { // as the card has it
			guess := u.Scheme + "://"
			held.URL, held.Remedy = strings.TrimPrefix(held.URL, guess), strings.Replace(held.Remedy, guess, "", 1)
		}
		return to, held
	}
	if d.Bindings[name].Kind == schema.KindGRPC && !strings.Contains(address, "://") { // no path of the card's host
		return "", nil
	}
	u, err := base.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", nil
	}
	return r.own(d, name, base, u)
}

// own is an address that a card gives as the server's own, so that calls may go there;
// otherwise why they may not, and what of the operator's would let them.
func (r *runner) own(d *schema.Dialect, name string, base, u *url.URL) (string, *record.Withheld) {
	r.itselfIfNobody(d, name, base, u)
	u.User, u.Fragment = nil, ""
	held := &record.Withheld{Binding: name, URL: printable(u.String())}
	switch {
	case !r.trusts(base, u):
		held.Why = fmt.Sprintf("is another host than the target %s", base.Host)
	case !r.namedHost(u) && !sameOrigin(u, base) && len(r.target.secrets()) > 0 && !ownPort(d, name, u):
		held.Why = fmt.Sprintf("is another origin than the target %s and would be sent its credentials", printable(base.String()))
	default:
		return record.BoundAddress(u.String()), nil
	}
	given := held.URL
	if len(binding.Names(d)) > 1 && name != "" {
		given = name + "=" + given
	}
	held.Remedy = fmt.Sprintf("--rpc %s or --trust-host %s", given, printable(u.Hostname()))
	if r.unreachableName(base.Hostname(), u.Hostname()) {
		itself := *u
		itself.Scheme, itself.Host = base.Scheme, base.Host
		held.Nobody = fmt.Sprintf("the host %s, %s, cannot be reached by clients elsewhere either", printable(u.Hostname()), r.whyUnreachable(u.Hostname()))
		held.Itself = "--rpc " + strings.Replace(given, held.URL, printable(itself.String()), 1)
	}
	return "", held
}

// ownPort reports whether gRPC on another port of the target's host may be shown what the
// target is shown: it has a port of its own as a rule. Over TLS the host proves who it is,
// and on this machine there is nobody on the way.
func ownPort(d *schema.Dialect, name string, u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	local := strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
	return d.Bindings[name].Kind == schema.KindGRPC && (u.Scheme == "https" || local)
}

// itselfIfNobody makes an address of the target's of one that no client can call: a server that
// publishes 0.0.0.0, or an address of its own machine, means itself. gRPC has a port of its own
// as a rule.
func (r *runner) itselfIfNobody(d *schema.Dialect, name string, base, u *url.URL) {
	host := u.Hostname()
	own := card.Loopback(host) && !isLoopback(base.Hostname()) && !r.namedHost(u)
	switch {
	case !isAny(host) && !own:
	case d.Bindings[name].Kind == schema.KindGRPC && u.Port() != "":
		u.Host = net.JoinHostPort(base.Hostname(), u.Port())
	default:
		u.Scheme, u.Host = base.Scheme, base.Host
	}
}

// notOurs is the slip where calls may not go to a place, and there is no other.
func notOurs(w *record.Withheld) error {
	if w.Nobody != "" {
		return usage("the card says that calls go to %s, which %s; %s; give %s to call the target itself, or give %s if this is right", w.URL, w.Why, w.Nobody, w.Itself, w.Remedy)
	}
	return usage("the card says that calls go to %s, which %s; give %s if this is right", w.URL, w.Why, w.Remedy)
}

// withhold remembers what of an agent is not called.
func (f *found) withhold(agent string, all []record.Withheld) {
	for _, w := range all {
		w.Agent = agent
		f.withheld = append(f.withheld, w)
	}
}

// clean takes known secrets out of what the card says of interfaces that are not called:
// a server may send back what it was told.
func (r *runner) clean(all []record.Withheld) (out []record.Withheld) {
	for _, w := range all {
		for _, text := range []*string{&w.Agent, &w.Binding, &w.URL, &w.Why, &w.Remedy, &w.Nobody, &w.Itself} {
			*text = r.redact.String(*text)
		}
		out = append(out, w)
	}
	return out
}

// trusts reports whether a host is the target's, or one that the operator says is.
func (r *runner) trusts(base, u *url.URL) bool { return sameHost(u, base) || r.namedHost(u) }

// namedHost reports whether the operator says that a host is the target's too.
func (r *runner) namedHost(u *url.URL) bool {
	return slices.ContainsFunc(r.target.TrustHosts, func(host string) bool { return strings.EqualFold(hostName(host), u.Hostname()) })
}

// hostName is a host without the brackets of IPv6.
func hostName(host string) string { return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]") }

// bareAddress reads HOST:PORT, as addresses of gRPC are written.
func bareAddress(address string) (hostPort string, ok bool) {
	if strings.ContainsAny(address, "/?#@ \t") {
		return "", false
	}
	host, port, err := net.SplitHostPort(address)
	if n, wrong := strconv.Atoi(port); err != nil || host == "" || wrong != nil || n < 1 || n > mostPort || strings.Trim(port, "0123456789") != "" {
		return "", false
	}
	return net.JoinHostPort(host, port), true
}

// mostPort is the last port that there is.
const mostPort = 65535

// handshakeTime is how long a server may take to show that it speaks TLS.
const handshakeTime = 5 * time.Second

// schemeOf finds out whether TLS answers at an address that does not say so. Nothing is
// told to who is there, so that it need not be who it says.
func (r *runner) schemeOf(ctx context.Context, hostPort string) string {
	ctx, cancel := context.WithTimeout(ctx, handshakeTime)
	defer cancel()
	conn, err := client.Dialer(r.target.AllowDial).DialContext(ctx, "tcp", hostPort)
	if err != nil {
		return "https" // whoever calls there learns what is wrong
	}
	defer conn.Close()
	host, _, _ := net.SplitHostPort(hostPort)
	err = tls.Client(conn, &tls.Config{ServerName: host, InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, NextProtos: []string{"h2"}}).HandshakeContext(ctx)
	remote := (*net.OpError)(nil)
	alert := errors.As(err, &remote) && remote.Op == "remote error" // which only TLS sends
	if err == nil || alert {
		return "https"
	}
	return "http"
}

// greetsInPlaintext reports whether HTTP/2 without TLS is answered at an address: by a
// frame SETTINGS.
func (r *runner) greetsInPlaintext(ctx context.Context, hostPort string) bool {
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

// endpoint is where calls go where nobody says otherwise: the operator's word, the
// card's, or the dialect's usual path. Where they may not go to what the card prefers,
// it is another of its interfaces.
func (r *runner) endpoint(ctx context.Context, f *found) (string, error) {
	known := binding.Names(f.dialect)
	switch {
	case r.target.RPC != "":
		return r.target.RPC, nil
	case len(known) > 0 && r.target.Interfaces[known[0]] != "":
		return r.target.Interfaces[known[0]], nil
	}
	base, read := parse(r.target.URL), card.Of(f.dialect, f.card)
	var held *record.Withheld
	if usual, ok := read.Usual(); ok {
		var to string
		if to, held = r.reachable(ctx, f.dialect, usual.Transport(), usual.URL()); to != "" {
			return to, nil
		}
	}
	if held != nil || len(r.target.Interfaces) > 0 {
		others := r.interfaces(ctx, f.dialect, read)
		for _, name := range known {
			if others.at[name] != "" {
				return others.at[name], nil
			}
		}
	}
	if held != nil {
		return "", notOurs(held)
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
