// Package harness talks to the server under test: it finds out what the server
// is, plays the scenarios, and returns the sealed transcript of what was said.
package harness

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/redact"
	"github.com/a2a-conform/a2a-conform/schema"
)

// DefaultConcurrency is how many plays are held at the same time: with three bindings,
// seventeen wait for the agent to work.
const DefaultConcurrency = 20

// target is what a run is made of, as the run reads it.
type target struct{ operator.Target }

// UsageError is a mistake of the operator: its text says what to do about it.
type UsageError = operator.UsageError

func usage(format string, args ...any) error { return &UsageError{Text: fmt.Sprintf(format, args...)} }

// check finds slips in a target before anything is sent.
func (t *target) check() error {
	if t.URL == "" {
		return usage("no target URL (is a variable empty?); --self tests the bundled server")
	}
	if slip := operator.CheckStimuli(t.Stimuli, nil); slip != nil {
		return usage("%v", slip)
	}
	for _, u := range []struct{ what, url string }{{"the target", t.URL}, {"--rpc", t.RPC}, {"--card", t.Card}} {
		if u.url == "" || u.what == "--card" && t.cardFile() != "" {
			continue
		}
		parsed, err := url.Parse(u.url)
		if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
			return usage("%s is %q, which is not an http or https URL; %s", u.what, redact.StripSecrets(u.url), likelyURL(u.url))
		}
		if parsed.User != nil {
			return usage("%s contains a user or password, and reports would show it; give auth.basic instead", u.what)
		}
	}
	var err error
	if t.CardKey, err = ReadCardKey(t.CardKey); err != nil {
		return err
	}
	if t.Nonce != "" {
		if err := operator.CheckNonceForm(t.Nonce); err != nil {
			return usage("the nonce cannot be used: %v", err)
		}
		t.IDs.Nonce, t.IDs.Salt = t.Nonce, rand.Text()
	}
	if err := t.checkIdentities(); err != nil {
		return err
	}
	all := t.header()
	for _, i := range []operator.Identity{t.OtherIdentity, t.RestrictedIdentity} {
		h := http.Header{}
		setCredentials(h, i, t.keyHeader())
		for name, values := range h {
			all[name] = append(all[name], values...)
		}
	}
	if err := t.checkAgent(); err != nil {
		return err
	}
	if err := t.checkBindings(); err != nil {
		return err
	}
	for name, values := range all {
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) }) {
			return usage("%q is not the name of a header", name)
		}
		if slices.Contains([]string{"Host", "Content-Length", "Transfer-Encoding", "Trailer"}, name) {
			return usage("the header %s cannot be given, because it depends on each request", name)
		}
		if slices.Contains(ownHeaders, name) {
			return usage("the header %s cannot be given, because the run tests it: calls send different values of it; leave it out", name)
		}
		for _, v := range values {
			if strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
				return usage("the value of the header %s contains a line break or another control character", name)
			}
		}
	}
	for _, s := range t.secrets() {
		if err := redact.CheckSecret(s); err != nil {
			return usage("%v", err)
		}
	}
	return checkWebhook(t.Webhook, t.URL)
}

// secrets are the values that must never be written down.
func (t *target) secrets() []redact.Secret {
	out := t.own()
	for _, other := range []struct {
		name string
		operator.Identity
	}{{string(record.Second), t.OtherIdentity}, {string(record.Low), t.RestrictedIdentity}} {
		out = append(out, secretsOf(other.Identity, other.name, other.name, other.name)...)
	}
	return out
}

// secretsOf names the secrets of an identity.
func secretsOf(i operator.Identity, bearer, key, basic string) []redact.Secret {
	var out []redact.Secret
	add := func(name, value string) {
		if value != "" {
			out = append(out, redact.Secret{Name: name, Value: value})
		}
	}
	add(bearer, i.Bearer)
	add(key, i.APIKey)
	add(basic, i.Basic)
	if _, password, ok := strings.Cut(i.Basic, ":"); ok && len(password) >= redact.MinSecret {
		add(basic+"-password", password)
	}
	return out
}

// own are the secrets of the identity that the run goes by.
func (t *target) own() []redact.Secret {
	out := secretsOf(t.identity(), "bearer", "api-key", "basic")
	add := func(name, value string) {
		if value != "" {
			out = append(out, redact.Secret{Name: name, Value: value})
		}
	}
	given := []string{t.URL, t.RPC, t.Card}
	for _, name := range slices.Sorted(maps.Keys(t.Interfaces)) {
		given = append(given, t.Interfaces[name])
	}
	for _, address := range given {
		if address == t.Card && t.cardFile() != "" {
			continue
		}
		query := parse(address).Query()
		for _, name := range slices.Sorted(maps.Keys(query)) {
			for _, v := range query[name] {
				if len(v) >= redact.MinSecret && likelyCredential.MatchString(name) {
					add("query-"+markName(name), v)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Header)) {
		for _, v := range t.Header[name] {
			if _, rest, ok := strings.Cut(v, " "); ok && strings.HasSuffix(strings.ToLower(name), "authorization") {
				v = strings.TrimSpace(rest)
			}
			if credential(name, v) {
				add(strings.ToLower(name), v)
			}
			if strings.EqualFold(name, "Cookie") {
				for cookie := range strings.SplitSeq(v, ";") {
					if _, value, _ := strings.Cut(cookie, "="); len(value) >= redact.MinSecret {
						add("cookie", value)
					}
				}
			}
		}
	}
	return out
}

// likelyCredential are names of headers and of parameters of a query whose
// values are hidden if they are long enough to be hidden.
var likelyCredential = regexp.MustCompile(`(?i)auth|token|secret|key|session|passw|cred|sig|jwt|code`)

// markName is the name of a parameter as it stands in a mark.
func markName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return -1
	}, strings.ToLower(name[:min(len(name), 40)]))
}

// ownHeaders are the header fields that the conversations choose.
var ownHeaders = []string{"Content-Type", "Accept", "Accept-Encoding", "Content-Encoding", "Connection", "Keep-Alive", "Expect", "Te", "Upgrade", "Range", "Last-Event-Id"}

// givenFlags are the flags by which the operator said what the server is, or where.
func (t *target) givenFlags() (out []string) {
	if t.Dialect != "" && t.Dialect != "auto" && !t.Bundled {
		out = append(out, "--dialect")
	}
	if t.Card != "" {
		out = append(out, "--card")
	}
	if t.RPC != "" || len(t.Interfaces) > 0 {
		out = append(out, "--rpc")
	}
	return out
}

// header is what every request carries.
func (t *target) header() http.Header {
	h := http.Header{}
	for name, values := range t.Header {
		for _, v := range values {
			h.Add(name, v)
		}
	}
	setCredentials(h, t.identity(), t.keyHeader())
	return h
}

func (t *target) tls() (*tls.Config, error) {
	// An outdated server is judged, not shut out: that its TLS is outdated is a
	// requirement of its own.
	cfg := &tls.Config{InsecureSkipVerify: t.InsecureSkipVerify, MinVersion: tls.VersionTLS10}
	if t.CA != "" {
		pem, err := schema.ReadFile(t.CA, schema.MaxAuthorities)
		if err != nil {
			return nil, usage("--ca: %v", err)
		}
		cfg.RootCAs, err = x509.SystemCertPool()
		if err != nil {
			cfg.RootCAs = x509.NewCertPool()
		}
		if !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return nil, usage("--ca %s: the file contains no certificate in PEM form", t.CA)
		}
	}
	if t.Cert != "" || t.Key != "" {
		pair, err := schema.ReadKeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, usage("--client-cert and --client-key: %v", err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	return cfg, nil
}

// limit is what the calls of a run are kept below: what the operator declares of the server,
// or what whoever holds the run allows it.
func (t *target) limit() *operator.RateLimit {
	if t.RateLimit != nil || t.PerSecond <= 0 {
		return t.RateLimit
	}
	if t.PerSecond < 1 {
		return &operator.RateLimit{Requests: 1, Seconds: 1 / t.PerSecond}
	}
	return &operator.RateLimit{Requests: int(t.PerSecond), Seconds: 1}
}

// named reports whether the operator gave a message of that name.
func (t *target) named(stimulus string) bool {
	_, ok := t.Stimuli[stimulus]
	return ok
}

// stimuli are the messages of a run: the operator's own before the defaults.
func (t *target) stimuli(d *schema.Dialect) map[string]operator.Stimulus {
	out := map[string]operator.Stimulus{}
	for name, s := range d.Stimuli {
		if name == "quick" && !d.Actions || name == conversation.TaskStimulus && !t.named("quick") || t.DefaultStimuli {
			out[name] = s
		}
	}
	for name, s := range t.Stimuli {
		out[name] = s
	}
	for name, s := range out {
		s.Payment, _ = s.Payment.Kept() // which was checked
		out[name] = s
	}
	for _, n := range t.Never {
		delete(out, n)
	}
	return out
}
