package harness

import (
	"context"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/schema"
)

// checkInterfaces reports mistakes in the addresses of interfaces before anything is sent.
func (t *target) checkInterfaces(of []*schema.Dialect) error {
	for _, host := range t.TrustHosts {
		if u, err := url.Parse("//" + host); err != nil || host == "" || u.Host != host || u.Port() != "" || strings.HasSuffix(host, ":") || strings.ContainsAny(host, "*,; ") {
			return usageErrorf("--trust-host %q is not the name of a host; write it like agent.example.com, without scheme, port and path", redact.StripSecrets(host))
		}
	}
	if len(t.Interfaces) == 0 {
		return nil
	}
	if t.Agent != "" && t.Agent != FirstAgent {
		return usageErrorf("--agent and --rpc are both given, but each sets the address of the calls; leave one of them out")
	}
	at := map[string]string{}
	for _, word := range slices.Sorted(maps.Keys(t.Interfaces)) {
		name, known := bindingNamed(of, word)
		bare := slices.ContainsFunc(of, func(d *schema.Dialect) bool { return d.Bindings[name].Kind == schema.KindGRPC })
		address := t.Interfaces[word]
		where := "--rpc " + sanitizeAndShorten(word) + "=" + redact.StripSecrets(address)
		switch {
		case len(of) == 1 && len(known) == 0:
			return usageErrorf("%s: %s has only one binding; give --rpc URL without a name", where, of[0].Title)
		case name == "":
			return usageErrorf("%s: %s", where, schema.Unknown("binding", sanitizeAndShorten(word), known))
		case at[name] != "":
			return usageErrorf("%s: the address for %s is given twice", where, name)
		}
		if err := checkAddress(where, address, bare); err != nil {
			return err
		}
		at[name] = address
	}
	t.Interfaces = at
	return nil
}

// isPort reports whether a text is a valid port number.
func isPort(port string) bool {
	n, err := strconv.Atoi(port)
	return err == nil && n >= 1 && n <= maxPort
}

// checkAddress reports mistakes in the address of a binding.
func checkAddress(where, address string, bare bool) error {
	if address == "" {
		return usageErrorf("%s has no URL; write it like --rpc JSONRPC=http://localhost:9999/rpc", where)
	}
	if _, is := bareAddress(address); is && bare {
		return nil
	}
	u, err := url.Parse(address)
	switch also := map[bool]string{true: ", or like localhost:50051"}[bare]; {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return usageErrorf("%s: the address is not an http or https URL; write it like http://localhost:9999%s", where, also)
	case u.Port() != "" && !isPort(u.Port()):
		return usageErrorf("%s: %s is not a port number", where, u.Port())
	case bare && strings.Trim(u.Path, "/") != "":
		return usageErrorf("%s: a gRPC address has no path; leave %s out", where, redact.StripSecrets(u.Path))
	case u.User != nil:
		return usageErrorf("%s contains a user or password, and reports would show it; give auth.basic instead", where)
	}
	return nil
}

func hostPort(u *url.URL) string { return net.JoinHostPort(u.Hostname(), card.PortOf(u)) }

// namedOrAllDialects returns the dialects that a run may judge. If there are several, they are
// outlines.
func (t *target) namedOrAllDialects() (out []*schema.Dialect) {
	names, load := []string{t.Dialect}, t.loadDialect
	if t.Dialect == "" || t.Dialect == "auto" {
		names, load = schema.Names(), schema.Outline
	}
	for _, name := range names {
		if d, err := load(name); err == nil {
			out = append(out, d)
		}
	}
	return out
}

// settleInterfaces reports given addresses of bindings that the dialect does not have, which is
// known only after discovery. It adds a scheme to addresses without one.
func (r *runner) settleInterfaces(ctx context.Context, d *schema.Dialect, of card.Card) error {
	known := binding.Names(d)
	if name := r.bindingOfGivenRPCURL(d, of); r.target.RPC != "" && r.target.Interfaces[name] != "" {
		return usageErrorf("--rpc %s and --rpc %s=%s both set the address for %[2]s; leave one of them out", redact.StripSecrets(r.target.RPC), name, redact.StripSecrets(r.target.Interfaces[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(r.target.Interfaces)) {
		address := r.target.Interfaces[name]
		if !slices.Contains(known, name) {
			if len(known) == 0 {
				return usageErrorf("--rpc %s=%s: the server uses %s, which has only one binding; give --rpc URL without a name", name, redact.StripSecrets(address), d.Title)
			}
			return usageErrorf("--rpc %s=%s: the server uses %s; %s", name, redact.StripSecrets(address), d.Title, schema.Unknown("binding", name, known))
		}
		if bare, is := bareAddress(address); is {
			r.target.Interfaces = maps.Clone(r.target.Interfaces)
			r.target.Interfaces[name] = r.detectScheme(ctx, bare) + "://" + bare
			continue
		}
		if d.Bindings[name].Kind != schema.KindGRPC {
			continue
		}
		u := parseURLOrEmpty(address)
		switch speaks := r.detectScheme(ctx, hostPort(u)); {
		case u.Scheme == "https" && speaks == "http":
			return usageErrorf("--rpc %s=%s: the server does not speak TLS there; write %[1]s=%[3]s, which tries TLS first, or %[1]s=http://%[3]s for plaintext", name, redact.StripSecrets(address), u.Host)
		case u.Scheme == "http" && speaks == "https" && !r.speaksPlaintextHTTP2(ctx, hostPort(u)):
			return usageErrorf("--rpc %s=%s: the server uses TLS there, not plaintext HTTP/2; write %[1]s=%[3]s, which tries TLS first, or %[1]s=https://%[3]s", name, redact.StripSecrets(address), u.Host)
		}
	}
	return nil
}
