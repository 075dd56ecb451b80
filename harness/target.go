// Package harness runs the scenarios against a server: it discovers the server's card and
// dialect, performs the scenarios, and returns the sealed transcript.
package harness

import (
	"crypto/rand"
	"crypto/tls"
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

// DefaultConcurrency is how many plays run at the same time. With three bindings, seventeen of
// them wait for the agent.
const DefaultConcurrency = 20

// target is an operator.Target with what the run derives from it.
type target struct{ operator.Target }

// UsageError is a mistake of the operator. Its text includes the remedy.
type UsageError = operator.UsageError

func usageErrorf(format string, args ...any) error {
	return &UsageError{Text: fmt.Sprintf(format, args...)}
}

// check reports mistakes in a target before anything is sent.
func (t *target) check() error {
	if t.URL == "" {
		return usageErrorf("no target URL (is a variable empty?); --self tests the bundled server")
	}
	if mistake := operator.CheckStimuli(t.Stimuli, nil); mistake != nil {
		return usageErrorf("%v", mistake)
	}
	for _, u := range []struct{ what, url string }{{"the target", t.URL}, {"--rpc", t.RPC}, {"--card", t.Card}} {
		if u.url == "" || u.what == "--card" && t.cardFile() != "" {
			continue
		}
		if err := checkURL(u.what, u.url); err != nil {
			return err
		}
	}
	if _, err := t.proxyFunc(); err != nil {
		return err
	}
	var err error
	if t.CardKey, err = ReadCardKey(t.CardKey); err != nil {
		return err
	}
	if t.Nonce != "" {
		if err := operator.CheckNonceForm(t.Nonce); err != nil {
			return usageErrorf("the nonce cannot be used: %v", err)
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
			return usageErrorf("%q is not the name of a header", name)
		}
		if slices.Contains([]string{"Host", "Content-Length", "Transfer-Encoding", "Trailer"}, name) {
			return usageErrorf("the header %s cannot be given, because it depends on each request", name)
		}
		if slices.Contains(ownHeaders, name) {
			return usageErrorf("the header %s cannot be given, because the run tests it: calls send different values of it; leave it out", name)
		}
		for _, v := range values {
			if strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
				return usageErrorf("the value of the header %s contains a line break or another control character", name)
			}
		}
	}
	for _, s := range t.secrets() {
		if err := redact.CheckSecret(s); err != nil {
			return usageErrorf("%v", err)
		}
	}
	return checkWebhook(t.Webhook, t.URL)
}

// checkURL reports mistakes in the URL of a server or of its card, which the operator gave as what.
func checkURL(what, address string) error {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return usageErrorf("%s is %q, which is not an http or https URL; %s", what, redact.StripSecrets(address), likelyURL(address))
	}
	if parsed.User != nil {
		return usageErrorf("%s contains a user or password, and reports would show it; give auth.basic instead", what)
	}
	return nil
}

// secrets returns the values that must never be written to a file.
func (t *target) secrets() []redact.Secret {
	out := t.mainIdentitySecrets()
	for _, other := range []struct {
		name string
		operator.Identity
	}{{string(record.Second), t.OtherIdentity}, {string(record.Low), t.RestrictedIdentity}} {
		out = append(out, secretsOf(other.Identity, other.name, other.name, other.name)...)
	}
	if s, is := t.proxySecret(); is {
		out = append(out, s)
	}
	for _, name := range slices.Sorted(maps.Keys(t.FurtherSecrets)) {
		out = append(out, redact.Secret{Name: name, Value: t.FurtherSecrets[name]})
	}
	return out
}

// secretsOf names the secrets of an identity.
func secretsOf(i operator.Identity, bearer, key, basic string) []redact.Secret {
	out := []redact.Secret{{Name: bearer, Value: i.Bearer}, {Name: key, Value: i.APIKey},
		{Name: basic, Value: i.Basic}}
	if _, password, ok := strings.Cut(i.Basic, ":"); ok && len(password) >= redact.MinSecret {
		out = append(out, redact.Secret{Name: basic + "-password", Value: password})
	}
	return slices.DeleteFunc(out, func(s redact.Secret) bool { return s.Value == "" })
}

// mainIdentitySecrets returns the secrets of the identity that ordinary calls use.
func (t *target) mainIdentitySecrets() []redact.Secret {
	out := secretsOf(t.mainIdentity(), "bearer", "api-key", "basic")
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
		out = append(out, querySecrets(address)...)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Header)) {
		for _, v := range t.Header[name] {
			if _, rest, ok := strings.Cut(v, " "); ok && strings.HasSuffix(strings.ToLower(name), "authorization") {
				v = strings.TrimSpace(rest)
			}
			if isCredentialHeader(name, v) {
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

// querySecrets returns the values in the query of a URL that are likely to be secrets.
func querySecrets(address string) (out []redact.Secret) {
	query := parseURLOrEmpty(address).Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		for _, v := range query[name] {
			if len(v) >= redact.MinSecret && likelyCredential.MatchString(name) {
				out = append(out, redact.Secret{Name: "query-" + markName(name), Value: v})
			}
		}
	}
	return out
}

// likelyCredential matches names of headers and query parameters whose values are redacted if
// they are long enough.
var likelyCredential = regexp.MustCompile(`(?i)auth|token|secret|key|session|passw|cred|sig|jwt|code`)

// markName returns the name of a parameter as redaction marks show it.
func markName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return -1
	}, strings.ToLower(name[:min(len(name), 40)]))
}

// ownHeaders are the headers that scenarios set themselves.
var ownHeaders = []string{"Content-Type", "Accept", "Accept-Encoding", "Content-Encoding", "Connection", "Keep-Alive", "Expect", "Te", "Upgrade", "Range", "Last-Event-Id"}

// givenFlags returns the flags by which the operator named the server's dialect or addresses.
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

// header returns the header of every request.
func (t *target) header() http.Header {
	h := http.Header{}
	for name, values := range t.Header {
		for _, v := range values {
			h.Add(name, v)
		}
	}
	setCredentials(h, t.mainIdentity(), t.keyHeader())
	return h
}

func (t *target) tls() (*tls.Config, error) {
	// A server with outdated TLS is judged, not refused: that its TLS is outdated is a
	// requirement of its own.
	cfg := &tls.Config{InsecureSkipVerify: t.InsecureSkipVerify, MinVersion: tls.VersionTLS10}
	if t.CA != "" {
		pem, err := schema.ReadFile(t.CA, schema.MaxAuthorities)
		if err != nil {
			return nil, usageErrorf("--ca: %v", err)
		}
		if cfg.RootCAs = schema.AddToSystemAuthorities(pem); cfg.RootCAs == nil {
			return nil, usageErrorf("--ca %s: the file contains no certificate in PEM form", t.CA)
		}
	}
	if t.Cert != "" || t.Key != "" {
		pair, err := schema.ReadKeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, usageErrorf("--client-cert and --client-key: %v", err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	return cfg, nil
}

// rateLimitOrPerSecond returns the rate limit that the run obeys: the one that the operator declares of the
// server, else the one that the caller allows.
func (t *target) rateLimitOrPerSecond() *operator.RateLimit {
	if t.RateLimit != nil || t.PerSecond <= 0 {
		return t.RateLimit
	}
	if t.PerSecond < 1 {
		return &operator.RateLimit{Requests: 1, Seconds: 1 / t.PerSecond}
	}
	return &operator.RateLimit{Requests: int(t.PerSecond), Seconds: 1}
}

// chosenStimuli returns the stimuli of a run: the operator's before the defaults.
func (t *target) chosenStimuli(d *schema.Dialect) map[string]operator.Stimulus {
	out := map[string]operator.Stimulus{}
	_, givesQuick := t.Stimuli["quick"]
	for name, s := range d.Stimuli {
		if name == "quick" && !d.Actions || name == conversation.TaskStimulus && !givesQuick || t.DefaultStimuli {
			out[name] = s
		}
	}
	maps.Copy(out, t.Stimuli)
	for name, s := range out {
		s.Payment, _ = s.Payment.Kept() // The payment was checked before.
		out[name] = s
	}
	for _, n := range t.Never {
		delete(out, n)
	}
	return out
}

// playRetryCount returns how often a play that suffered from load is performed again. Calls to the
// bundled server are free, so it is called more often when the machine is busy.
func (t *target) playRetryCount() int {
	switch {
	case t.Retries > 0:
		return t.Retries
	case t.Bundled:
		return 3
	}
	return 1
}
