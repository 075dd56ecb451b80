package allowance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/internal/config"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Allowance is what a worker allows an entry of the queue. Whatever an entry asks for, it gets no
// more: the queue may be written by others than the operator of the worker.
type Allowance struct {
	Networks []netip.Prefix // of those that are not public
	Risks    []schema.Risk
	Secrets  Secrets
	Webhook  conform.Webhook // the address at which each run listens; its own port, if several run at a time
	CA       string          // PEM file of further certificate authorities

	lookup func(ctx context.Context, host string) ([]netip.Addr, error) // for tests; the system's if nil
}

// refusal is why an entry is not judged.
type refusal struct{ reason string }

func (r *refusal) Error() string { return r.reason }

func newRefusal(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

// NewTarget makes the target of a run of an entry, and lists the hosts that it calls. An error is
// a *refusal; nothing has been sent then but questions for the addresses of hosts.
func (a *Allowance) NewTarget(ctx context.Context, entry []byte) (t conform.Target, hosts []string, err error) {
	_, of, rest, err := agentlist.ParseEntry(entry)
	if err != nil {
		return t, nil, newRefusal("%v", err)
	}
	var asks struct {
		Card, CardKey string
		Webhook       any
	}
	if err := json.Unmarshal(rest, &asks); err != nil {
		return t, nil, newRefusal("the entry has a mistake: %v", err)
	}
	if asks.Webhook != nil {
		return t, nil, newRefusal("the entry asks to receive push notifications; only the worker's flag --webhook-listen allows that")
	}
	if asks.CardKey != "" && asks.CardKey != record.KeysFromHeader {
		return t, nil, newRefusal("the entry asks for a file (cardKey); no worker reads a file for an entry")
	}
	if u, err := url.Parse(asks.Card); asks.Card != "" && (err != nil || u.Host == "" || !agentlist.IsWebScheme(u.Scheme)) {
		return t, nil, newRefusal("the entry asks for a file (card); no worker reads a file for an entry")
	}
	for _, name := range of.Allow {
		if !slices.Contains(a.Risks, schema.Risk(name)) {
			return t, nil, newRefusal("the entry asks for calls that are %s, which this worker does not allow; its flag --allow does", name)
		}
	}
	var shown []string
	if err := config.Parse("entry", rest, &t, func(value string) (string, error) { return a.resolveSecretReference(value, &shown) }); err != nil {
		if r := (*refusal)(nil); errors.As(err, &r) {
			return t, nil, r
		}
		return t, nil, newRefusal("the entry has a mistake: %v", err)
	}
	if hosts, err = a.collectAllowedHosts(ctx, &t, shown); err != nil {
		return t, nil, err
	}
	t.DefaultStimuli, t.BeforeCall = of.DefaultStimuli, a.restrictCalls(hosts, shown)
	t.Allow, t.Webhook, t.CA, t.AllowDial = a.Risks, a.Webhook, a.CA, a.checkAddress
	if len(of.Allow) > 0 {
		t.Allow = nil
		for _, name := range of.Allow {
			t.Allow = append(t.Allow, schema.Risk(name))
		}
	}
	return t, hosts, nil
}

// resolveSecretReference returns a credential of the worker that an entry names.
func (a *Allowance) resolveSecretReference(reference string, usedNames *[]string) (string, error) {
	m := agentlist.SecretReference().FindStringSubmatch(reference)
	switch {
	case strings.HasPrefix(reference, "file:"):
		return "", newRefusal("the entry asks for a file (a credential); only the worker's secrets.yaml says where credentials are")
	case agentlist.ForeignCredential.MatchString(reference):
		return "", newRefusal("the entry asks for a variable of the worker's environment; only the worker's secrets.yaml says where credentials are")
	case m == nil:
		return "", newRefusal("the entry holds a credential itself, or names none; write secret:NAME")
	}
	s, known := a.Secrets[m[1]]
	if !known {
		return "", newRefusal("the entry needs the secret %s, which this worker does not have; add it to the worker's secrets.yaml", m[1])
	}
	*usedNames = append(*usedNames, m[1])
	return s.Value, nil
}

// collectAllowedHosts returns those that a run of the target may call. All of them must be within reach, and be
// allowed to see every secret of the entry.
func (a *Allowance) collectAllowedHosts(ctx context.Context, t *conform.Target, secrets []string) (out []string, err error) {
	if t.URL == "" {
		return nil, newRefusal("the entry has no target")
	}
	addresses := []string{t.URL, t.Card, t.RPC}
	for _, at := range t.Interfaces {
		addresses = append(addresses, at)
	}
	addresses = append(addresses, t.TrustHosts...)
	for i, at := range addresses {
		if at == "" {
			continue
		}
		if !strings.Contains(at, "://") && i > 0 { // HOST or HOST:PORT
			at = "//" + at
		}
		u, err := url.Parse(at)
		if err != nil || u.Hostname() == "" || u.Scheme != "" && !agentlist.IsWebScheme(u.Scheme) {
			return nil, newRefusal("the entry names %q, which is no http or https URL", at)
		}
		for _, name := range secrets {
			if u.Scheme != "" && !a.Secrets[name].allowsURL(u) || u.Scheme == "" && !a.Secrets[name].allowsHost(u) {
				return nil, newRefusal("the entry asks for the secret %s, which is not bound to %s%s; the worker's secrets.yaml says which hosts may see it", name, u.Host, describeMissingTLS(u))
			}
		}
		if host := agentlist.CanonicalHostUnifyingLoopback(u.Hostname()); !slices.Contains(out, host) {
			out = append(out, host)
		}
	}
	slices.Sort(out)
	for _, host := range out {
		if err := a.checkHost(ctx, host); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// restrictCalls lets a run call only the hosts of its entry, whatever else the server's card names, and
// only if every secret of the entry may be shown.
func (a *Allowance) restrictCalls(hosts, secrets []string) func(context.Context, *url.URL) error {
	return func(_ context.Context, at *url.URL) error {
		if !slices.Contains(hosts, agentlist.CanonicalHostUnifyingLoopback(at.Hostname())) {
			return fmt.Errorf("%s is none of the hosts that the entry names", at.Host)
		}
		for _, name := range secrets {
			if !a.Secrets[name].allowsURL(at) {
				return fmt.Errorf("the secret %s is not bound to %s%s", name, at.Host, describeMissingTLS(at))
			}
		}
		return nil
	}
}

func describeMissingTLS(u *url.URL) string {
	if u.Scheme != "https" {
		return " without TLS"
	}
	return ""
}

// lookupTimeout bounds a question for the addresses of a host.
const lookupTimeout = 5 * time.Second

// checkHost refuses a host with an address that may not be reached. One that has none is left to
// the run, which cannot reach it.
func (a *Allowance) checkHost(ctx context.Context, host string) error {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	lookup := a.lookup
	if lookup == nil {
		lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	found, err := lookup(ctx, host)
	if err != nil {
		return nil
	}
	for _, ip := range found {
		if why := a.forbiddenReason(ip); why != "" {
			return newRefusal("the entry asks for %s, %s", describeAddress(host, ip), why)
		}
	}
	return nil
}

func describeAddress(host string, ip netip.Addr) string {
	if ip = unwrapIPv4(ip); host == ip.String() {
		return host
	}
	return fmt.Sprintf("%s, which is %s", host, ip)
}

// checkAddress is asked again at each connection: a name may have another address by then.
func (a *Allowance) checkAddress(_, address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%s is no address", address)
	}
	if why := a.forbiddenReason(at.Addr()); why != "" {
		return fmt.Errorf("%s is %s", at.Addr(), why)
	}
	return nil
}

// forbiddenReason explains why an address must not be reached; "" if it may.
func (a *Allowance) forbiddenReason(ip netip.Addr) string {
	ip = unwrapIPv4(ip)
	if slices.Contains(metadataAddresses, ip) {
		return "the metadata service of a cloud, which hands out credentials; no worker calls it"
	}
	if slices.ContainsFunc(a.Networks, func(p netip.Prefix) bool { return p.Contains(ip) }) {
		return ""
	}
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || slices.ContainsFunc(specialNetworks, func(p netip.Prefix) bool { return p.Contains(ip) }) {
		return "in a network that is not public; the worker's flag --allow-network allows it"
	}
	return ""
}

// unwrapIPv4 returns the IPv4 address that an IPv6 address represents, if it does.
func unwrapIPv4(ip netip.Addr) netip.Addr {
	ip = ip.WithZone("").Unmap()
	if ip.Is4() {
		return ip
	}
	b := ip.As16()
	switch {
	case nat64.Contains(ip), ipv4Compatible.Contains(ip) && !ip.IsLoopback() && !ip.IsUnspecified(), ipv4Translated.Contains(ip):
		return netip.AddrFrom4([4]byte(b[12:16]))
	case sixToFour.Contains(ip):
		return netip.AddrFrom4([4]byte(b[2:6]))
	}
	return ip
}

var (
	nat64     = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour = netip.MustParsePrefix("2002::/16")
	// Older forms of an IPv4 address (RFC 4291, 2.5.5.1; RFC 2765).
	ipv4Compatible = netip.MustParsePrefix("::/96")
	ipv4Translated = netip.MustParsePrefix("::ffff:0:0:0/96")
	// metadataAddresses are the addresses at which clouds give their machines credentials.
	metadataAddresses = mustParseAddresses("169.254.169.254", "169.254.169.253", "169.254.170.2", "169.254.170.23", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd00:ec2::23", "fe80::a9fe:a9fe", "fd20:ce::254")
	// specialNetworks are networks of special use in addition to those that net/netip knows (RFC 6890).
	specialNetworks = mustParsePrefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16", "fec0::/10")
)

func mustParseAddresses(texts ...string) (out []netip.Addr) {
	for _, t := range texts {
		out = append(out, netip.MustParseAddr(t))
	}
	return out
}

func mustParsePrefixes(texts ...string) (out []netip.Prefix) {
	for _, t := range texts {
		out = append(out, netip.MustParsePrefix(t))
	}
	return out
}
