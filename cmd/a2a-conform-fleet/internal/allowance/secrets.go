package allowance

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/cmd/a2a-conform-fleet/internal/agentlist"
	"github.com/a2a-conform/a2a-conform/cmd/internal/config"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Secrets are what a worker may show, and to whom.
type Secrets map[string]Secret

// Secret is a credential and the hosts that may see it.
type Secret struct {
	Value string `yaml:"value"` // ${NAME} or file:PATH, of the worker's own
	// Hosts are names, host:port if only one port may see it, or *.name for all below a
	// name; http://host if it may be sent without TLS.
	Hosts []string `yaml:"hosts"`
}

// ReadSecrets reads a worker's secrets.yaml.
func ReadSecrets(file string) (Secrets, error) {
	text, err := schema.ReadFile(file, schema.MaxFile)
	if err != nil {
		return nil, fmt.Errorf("--secrets: %w", err)
	}
	text = config.Quoted(text)
	var given struct {
		Secrets map[string]Secret `yaml:"secrets"`
	}
	if err := schema.Strict(file, text, &given); err != nil {
		return nil, err
	}
	places := schema.PlacesOf(text)
	out := Secrets{}
	for _, name := range slices.Sorted(maps.Keys(given.Secrets)) {
		s := given.Secrets[name]
		mistake := func(key, format string, args ...any) error {
			return fmt.Errorf("%s:%d: secrets.%s: %s", file, places.Line("secrets", name, key), name, fmt.Sprintf(format, args...))
		}
		if !agentlist.SecretReference().MatchString("secret:" + name) {
			return nil, mistake("", "a name has letters, digits, dots, dashes and underscores, at most 64")
		}
		if len(s.Hosts) == 0 {
			return nil, mistake("hosts", "it is bound to no host; write hosts: [agents.example.com]")
		}
		for i, h := range s.Hosts {
			if _, err := parseHostBinding(h); err != nil {
				return nil, fmt.Errorf("%s:%d: secrets.%s.hosts: %w", file, places.Line("secrets", name, "hosts", i), name, err)
			}
		}
		if s.Value == "" {
			return nil, mistake("value", "it has no value; write value: ${NAME} for an environment variable or file:PATH")
		}
		if s.Value, err = config.FromOutside(s.Value); err != nil {
			return nil, mistake("value", "%v", err)
		}
		if err := redact.CheckSecret(redact.Secret{Name: name, Value: s.Value}); err != nil {
			return nil, mistake("value", "%v", err)
		}
		out[name] = s
	}
	return out, nil
}

// hostBinding is a host that may see a secret.
type hostBinding struct {
	host       string // without port; what follows *. if below is set
	port       string // "" for any
	subdomains bool
	withoutTLS bool // without TLS too
}

func parseHostBinding(text string) (b hostBinding, err error) {
	rest, plain := strings.CutPrefix(text, "http://")
	rest = strings.TrimPrefix(rest, "https://")
	u, err := url.Parse("//" + rest)
	if err != nil || u.Host == "" || u.Path != "" || u.User != nil || u.RawQuery != "" {
		return b, fmt.Errorf("%q is no host; write it like agents.example.com, agents.example.com:8443, *.example.com or, to send it without TLS, http://localhost", text)
	}
	b = hostBinding{host: agentlist.CanonicalHostUnifyingLoopback(u.Hostname()), port: u.Port(), withoutTLS: plain}
	if b.host, b.subdomains = strings.CutPrefix(b.host, "*."); strings.Contains(b.host, "*") {
		return b, fmt.Errorf("%q: a star matches all names below a domain, as in *.example.com", text)
	}
	return b, nil
}

// allowsURL reports whether a secret may be shown at a URL.
func (s Secret) allowsURL(u *url.URL) bool {
	return s.matchesBinding(u, func(b hostBinding) bool { return b.withoutTLS || u.Scheme == "https" })
}

// allowsHost reports whether a secret is bound to a host, whose scheme is not known yet.
func (s Secret) allowsHost(u *url.URL) bool {
	return s.matchesBinding(u, func(hostBinding) bool { return true })
}

func (s Secret) matchesBinding(u *url.URL, also func(hostBinding) bool) bool {
	return slices.ContainsFunc(s.Hosts, func(text string) bool {
		b, err := parseHostBinding(text)
		if err != nil {
			return false
		}
		host := agentlist.CanonicalHostUnifyingLoopback(u.Hostname())
		if host != b.host && !(b.subdomains && strings.HasSuffix(host, "."+b.host)) || b.subdomains && host == b.host {
			return false
		}
		return (b.port == "" || b.port == effectivePort(u)) && also(b)
	})
}

// effectivePort returns the port of a URL, though it is not written.
func effectivePort(u *url.URL) string {
	if p := u.Port(); p != "" || u.Scheme == "" {
		return p
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}
