// Package harness talks to the server under test: it finds out what the server
// is, plays the scenarios, and returns the sealed transcript of what was said.
package harness

import (
	"context"
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
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// DefaultConcurrency is how many plays are held at the same time: with three bindings,
// seventeen wait for the agent to work.
const DefaultConcurrency = 20

// Target is what is tested and how it is reached.
type Target struct {
	URL     string // of the server; required
	Dialect string // a dialect's name, or "auto" (also "")
	// Prefer are the dialects that the operator's files are about: where a server offers
	// one of them, it is judged, though a newer one is offered too. None if Dialect is a name.
	Prefer []string
	Card   string // URL of the card, or a file that holds it, where it lies elsewhere
	// CardKey is the public key by which the card's signatures are verified, in PEM form,
	// as a JSON Web Key or a set of them; or "jku" to fetch the set that a signature names,
	// from the target's own host.
	CardKey string
	RPC     string // URL of the RPC endpoint, where it is not the card's
	// Interfaces are where calls in a binding go, by its name, where it is not as the card
	// says: a URL or, for gRPC, also HOST:PORT.
	Interfaces map[string]string
	// TrustHosts are further hosts that are the target's: where the card has interfaces
	// there, they are called, and shown the credentials.
	TrustHosts []string
	Agent      string // which of a server's agents are judged: first (also ""), all, or a name
	Binding    string // how they are spoken to: all (also ""), each, or a name

	Header http.Header // sent with every request
	Bearer string      // token for Authorization: Bearer
	Basic  string      // user:password for Authorization: Basic
	APIKey string      // for X-API-Key, or for KeyHeader
	// KeyHeader is the header that carries API keys; X-API-Key if empty.
	KeyHeader string
	Second    Identity // of another client, unrelated to the first
	Low       Identity // of a client that may not send the stimulus forbidden
	CA        string   // PEM file of further certificate authorities
	Cert      string   // PEM files of our client certificate and its key
	Key       string
	Skip      bool             // do not verify the server's certificate (--insecure)
	Schema    *operator.Schema // judge shapes by this JSON Schema instead of the dialect's
	Stimuli   map[string]operator.Stimulus
	// Preset adds the dialect's default texts for every behaviour, as the
	// bundled server understands them. Otherwise only quick has a default.
	Preset bool
	Never  []string // behaviours the agent does not have
	Words  []string // other declarations, such as production
	// RateLimit is the server's, where the operator declares it.
	RateLimit *wire.RateLimit
	// Timeouts are the server's, where the operator declares them.
	Timeouts *wire.Timeouts
	Allow    []schema.Risk
	Gate     string
	Waivers  []operator.Waiver  // known failures
	Baseline *operator.Baseline // what a gate of that kind compares with
	Bundled  bool               // the target is the bundled server
	Again    int                // how often a play that suffered from its company is held again alone; 0 for the usual number
	Webhook  Webhook
	Disguise bool // compare how another client is answered

	Timeout     time.Duration // patience for one exchange; 30 s if 0
	Deadline    time.Duration // of the whole run; 2 min if 0
	Wait        time.Duration // for the server to answer at all, before the run begins
	Concurrency int           // plays at the same time; DefaultConcurrency if 0
	Version     string        // of the program, for User-Agent and report
	IDs         wire.Naming   // how ids are made, for tests; by chance if nothing is given
	// Nonce is a text of whoever will check a certificate of this run: ids are derived from
	// it, which shows that the run was made after it was known (wire.CheckNonce).
	Nonce string

	// PerSecond is how many calls are made in a second at most, whatever the server allows; 0
	// for no such bound.
	PerSecond float64
	// Reach is asked before each connection to a server, with its address as IP:PORT. An
	// error ends the connection before a byte is sent. All may be reached if it is nil.
	Reach func(network, address string) error
	// Turn waits until one more call to a URL may be sent, where others call its host too; an
	// error is why the call is not made. A URL without a scheme (//host:port/path) is one where
	// TLS is tried before plaintext. No call waits if it is nil.
	Turn func(ctx context.Context, at *url.URL) error

	Select   Selection
	Progress func(Progress) // told of every play; may be nil

	// Load is where dialects come from, for tests with one that was made up; schema.Load if nil.
	Load func(name string) (*schema.Dialect, error)
}

// Selection narrows a run to some requirements.
type Selection = operator.Selection

// Progress tells how far a run has come.
type Progress struct {
	Scenario    string
	Done, Total int
	Took        time.Duration
}

// UsageError is a mistake of the operator: its text says what to do about it.
type UsageError = operator.UsageError

func usage(format string, args ...any) error { return &UsageError{Text: fmt.Sprintf(format, args...)} }

// check finds slips in a target before anything is sent.
func (t *Target) check() error {
	if t.URL == "" {
		return usage("no target URL (is a variable empty?); --self tests the bundled server")
	}
	for name, s := range t.Stimuli {
		if _, err := s.Payment.Kept(); err != nil {
			return usage("stimuli.%s.payment cannot be sent as JSON: %v", name, err)
		}
	}
	for _, u := range []struct{ what, url string }{{"the target", t.URL}, {"--rpc", t.RPC}, {"--card", t.Card}} {
		if u.url == "" || u.what == "--card" && t.cardFile() != "" {
			continue
		}
		parsed, err := url.Parse(u.url)
		if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
			return usage("%s is %q, which is not an http or https URL; %s", u.what, wire.StripSecrets(u.url), likelyURL(u.url))
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
		if err := wire.CheckNonceForm(t.Nonce); err != nil {
			return usage("the nonce cannot be used: %v", err)
		}
		t.IDs.Nonce, t.IDs.Salt = t.Nonce, rand.Text()
	}
	if err := t.checkIdentities(); err != nil {
		return err
	}
	all := t.header()
	for _, i := range []Identity{t.Second, t.Low} {
		h := http.Header{}
		i.set(h, t.keyHeader())
		for name, values := range h {
			all[name] = append(all[name], values...)
		}
	}
	if err := t.checkAgent(); err != nil {
		return err
	}
	if err := t.CheckBindings(); err != nil {
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
		if err := wire.CheckSecret(s); err != nil {
			return usage("%v", err)
		}
	}
	return t.Webhook.check(t.URL)
}

// secrets are the values that must never be written down.
func (t *Target) secrets() []wire.Secret {
	out := t.own()
	for _, other := range []struct {
		name string
		Identity
	}{{string(wire.Second), t.Second}, {string(wire.Low), t.Low}} {
		out = append(out, secretsOf(other.Identity, other.name, other.name, other.name)...)
	}
	return out
}

// secretsOf names the secrets of an identity.
func secretsOf(i Identity, bearer, key, basic string) []wire.Secret {
	var out []wire.Secret
	add := func(name, value string) {
		if value != "" {
			out = append(out, wire.Secret{Name: name, Value: value})
		}
	}
	add(bearer, i.Bearer)
	add(key, i.APIKey)
	add(basic, i.Basic)
	if _, password, ok := strings.Cut(i.Basic, ":"); ok && len(password) >= wire.MinSecret {
		add(basic+"-password", password)
	}
	return out
}

// own are the secrets of the identity that the run goes by.
func (t *Target) own() []wire.Secret {
	out := secretsOf(t.identity(), "bearer", "api-key", "basic")
	add := func(name, value string) {
		if value != "" {
			out = append(out, wire.Secret{Name: name, Value: value})
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
				if len(v) >= wire.MinSecret && likelyCredential.MatchString(name) {
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
					if _, value, _ := strings.Cut(cookie, "="); len(value) >= wire.MinSecret {
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
func (t *Target) givenFlags() (out []string) {
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
func (t *Target) header() http.Header {
	h := http.Header{}
	for name, values := range t.Header {
		for _, v := range values {
			h.Add(name, v)
		}
	}
	t.identity().set(h, t.keyHeader())
	return h
}

func (t *Target) tls() (*tls.Config, error) {
	// An outdated server is judged, not shut out: that its TLS is outdated is a
	// requirement of its own.
	cfg := &tls.Config{InsecureSkipVerify: t.Skip, MinVersion: tls.VersionTLS10}
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
func (t *Target) limit() *wire.RateLimit {
	if t.RateLimit != nil || t.PerSecond <= 0 {
		return t.RateLimit
	}
	if t.PerSecond < 1 {
		return &wire.RateLimit{Requests: 1, Seconds: 1 / t.PerSecond}
	}
	return &wire.RateLimit{Requests: int(t.PerSecond), Seconds: 1}
}

// named reports whether the operator gave a message of that name.
func (t *Target) named(stimulus string) bool {
	_, ok := t.Stimuli[stimulus]
	return ok
}

// stimuli are the messages of a run: the operator's own before the defaults.
func (t *Target) stimuli(d *schema.Dialect) map[string]operator.Stimulus {
	out := map[string]operator.Stimulus{}
	for name, s := range d.Stimuli {
		if name == "quick" && !d.Actions || name == scenario.TaskStimulus && !t.named("quick") || t.Preset {
			out[name] = operator.Stimulus{Text: s.Text, Answer: s.Answer, Seconds: s.Seconds, Payment: s.Payment}
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
