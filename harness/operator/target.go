package operator

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/a2a-conform/a2a-conform/schema"
)

// Target is what is tested, how it is reached, and how it is judged. Only URL is required. The
// members of the parts are members of the target too: target.Never is that of Behaviour.
type Target struct {
	URL     string // of the server; required
	Dialect string // a dialect's name, or "auto" (also "")
	Endpoint
	Credentials
	Behaviour
	Limits
	Judging

	Reports  string         // the folder that a Go test writes its reports into; "" for none
	Version  string         // of the program, for User-Agent and report
	Progress func(Progress) // is called after every play; may be nil
	// Awaits is called if what the run waits for longest changes: a call of the discovery, or a
	// conversation by its name and what it is. It is "" if that is nothing. May be nil.
	Awaits func(what string, since time.Time)
	IDs    Naming // how ids are made, for tests; by chance if nothing is given
	// Load is the source of dialects, for tests with one that was made up; schema.Load if nil.
	Load func(name string) (*schema.Dialect, error)
}

// ProxyFromEnvironment is the word for the proxies that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name.
const ProxyFromEnvironment = "env"

// Endpoint is the target of calls: its URLs, and which of the dialects, agents and bindings there are meant.
// Nothing of it is needed if the card and its interfaces are at the usual places.
type Endpoint struct {
	Card string `yaml:"card"` // URL of the card, or a file that holds it, if it is elsewhere
	// CardKey is the public key by which the card's signatures are verified, in PEM form,
	// as a JSON Web Key or a set of them; or "jku" to fetch the set that a signature names,
	// from the target's own host.
	CardKey string `yaml:"cardKey"`
	RPC     string `yaml:"rpc"` // URL of the RPC endpoint, if it is not the card's
	// Interfaces are the addresses of calls in a binding, by its name, if the card does not state
	// them: a URL or, for gRPC, also HOST:PORT.
	Interfaces map[string]string `yaml:"interfaces"`
	// TrustHosts are further hosts that are the target's: if the card has interfaces there,
	// they are called, and receive the credentials.
	TrustHosts []string `yaml:"trustHosts"`
	// Prefer are the dialects that the operator's files are about: if a server offers one of
	// them, it is judged, though a newer one is offered too. None if Dialect is a name.
	Prefer  []string `yaml:"-"`
	Agent   string   `yaml:"agent"`   // which of a server's agents are judged: first (also ""), all, or a name
	Binding string   `yaml:"binding"` // in which bindings calls are made: all (also ""), each, or a name
	// Proxy is the URL of an http or socks5 proxy through which the server is reached, or
	// ProxyFromEnvironment; "" for none.
	Proxy string `yaml:"-"`
	// Trace sends a traceparent header with each call.
	Trace bool `yaml:"-"`
}

// Credentials are how the run shows who it is, and how it knows the server.
type Credentials struct {
	Header http.Header `yaml:"-"`      // sent with every request
	Bearer string      `yaml:"bearer"` // token for Authorization: Bearer
	Basic  string      `yaml:"basic"`  // user:password for Authorization: Basic
	APIKey string      `yaml:"apiKey"` // for X-API-Key, or for KeyHeader
	// KeyHeader is the header that carries API keys; X-API-Key if empty.
	KeyHeader          string   `yaml:"apiKeyHeader"`
	OtherIdentity      Identity `yaml:"second"` // of another client, unrelated to the first
	RestrictedIdentity Identity `yaml:"low"`    // of a client that may not send the stimulus forbidden
	CA                 string   `yaml:"-"`      // PEM file of further certificate authorities
	Cert               string   `yaml:"-"`      // PEM files of our client certificate and its key
	Key                string   `yaml:"-"`
	InsecureSkipVerify bool     `yaml:"-"` // do not verify the server's certificate (--insecure)
	// FurtherSecrets are values by their names that calls may carry otherwise, such as variables of a test that an
	// operator wrote: records have the names in their places.
	FurtherSecrets map[string]string `yaml:"-"`
}

// Behaviour is what the agent does, as far as the wire cannot show it, and what may be done to it.
type Behaviour struct {
	Stimuli map[string]Stimulus // the messages that make the agent show a behaviour
	// DefaultStimuli adds the dialect's default texts for every behaviour, as the
	// bundled server understands them. Otherwise only quick has a default.
	DefaultStimuli bool
	Never          []string   // behaviours that the agent does not have
	Declarations   []string   // further words about the server, such as production
	RateLimit      *RateLimit // of the server, if the operator declares one
	Timeouts       *Timeouts  // of the server, if the operator declares them
	Allow          []schema.Risk
	Webhook        Webhook
	Bundled        bool // the target is the bundled server
}

// Limits are how long and how much a run takes.
type Limits struct {
	Timeout     time.Duration // time limit of one exchange; 30 s if 0
	Deadline    time.Duration // of the whole run; 2 min if 0
	Wait        time.Duration // for the server to answer at all, before the run begins
	Concurrency int           // plays at the same time; harness.DefaultConcurrency if 0
	// MaxMessages is how many messages the run sends to the agent at most, each of which may cost
	// its owner money; 0 for as many as it takes to judge everything.
	MaxMessages int `yaml:"-"`
	// PerSecond is how many calls are made in a second at most, whatever the server allows; 0
	// for no such bound.
	PerSecond float64
	// Retries is how often a play that suffered from its company is held again alone; 0 for
	// the usual number.
	Retries int
	// AllowDial is asked before each connection to a server, with its address as IP:PORT. An
	// error ends the connection before a byte is sent. All may be reached if it is nil.
	AllowDial func(network, address string) error
	// BeforeCall waits until one more call to a URL may be sent, if others call its host too; an
	// error is why the call is not made. For a URL without a scheme (//host:port/path) TLS is
	// tried before plaintext. No call waits if it is nil.
	BeforeCall func(ctx context.Context, at *url.URL) error
}

// Judging is what is judged, and what counts as good enough.
type Judging struct {
	Select            Selection
	Gate              string    // "conformant" if empty
	Waivers           []Waiver  // known failures
	SDK               string    // on which the agent is built, such as js@1.3.0, or ""
	Baseline          *Baseline // what a gate of that kind compares with
	Schema            *Schema   // judge shapes by this JSON Schema instead of the dialect's
	CompareUserAgents bool      // compare how another client is answered
	// Nonce is a text of whoever will check a certificate of this run: ids are derived from
	// it, which shows that the run was made after it was known (record.Transcript.CheckNonce).
	Nonce string
}
