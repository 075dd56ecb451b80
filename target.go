package conform

import (
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// Target is what is tested, how it is reached, and how it is judged. Only URL is required:
//
//	URL      string // of the server; required
//	Dialect  string // a dialect's name, or "auto" (also "")
//	Endpoint        // the addresses of calls
//	Credentials     // how the run authenticates itself
//	Behaviour       // what the agent does, as far as responses cannot show it
//	Limits          // how long and how much a run takes
//	Judging         // what is judged, and what counts as good enough
//	Reports  string // the folder that Test writes its reports into, see Reports; "" for none
//	Version  string // of the program, for User-Agent and report
//	Progress func(operator.Progress) // is called after every play; may be nil
//	Awaits   func(what string, since time.Time) // is called if the run waits for something else than before; may be nil
//	IDs      operator.Naming         // how ids are made, for tests
//	Load     func(name string) (*schema.Dialect, error) // loads dialects, for tests
//
// The members of the parts are members of the target too, so that each can be set by itself:
//
//	target := conform.Target{URL: "http://localhost:9999"}
//	target.Never = []string{"ask"}
type Target = operator.Target

// Endpoint is the target of calls: its URLs, and which of the dialects, agents and bindings there
// are meant:
//
//	Card       string            // URL of the card, or a file that holds it, if it is elsewhere
//	CardKey    string            // public keys of the card's signers (PEM, JWK, JWKS), or "jku" to fetch them
//	RPC        string            // URL of the RPC endpoint, if it is not the card's
//	Interfaces map[string]string // addresses of calls in a binding, if they are not the card's
//	TrustHosts []string          // further hosts that are the target's
//	Prefer     []string          // dialects that are judged before newer ones, if the server offers them
//	Agent      string            // which of a server's agents are judged: first (also ""), all, or a name
//	Binding    string            // in which bindings calls are made: all (also ""), each, or a name
//	Proxy      string            // URL of an http or socks5 proxy to the server, or "env" for those of the environment
//	Trace      bool              // send a traceparent header with each call
type Endpoint = operator.Endpoint

// Credentials are how the run shows who it is, and how it knows the server:
//
//	Header             http.Header       // sent with every request
//	Bearer             string            // token for Authorization: Bearer
//	Basic              string            // user:password for Authorization: Basic
//	APIKey             string            // for X-API-Key, or for KeyHeader
//	KeyHeader          string            // the header that carries API keys; X-API-Key if empty
//	OtherIdentity      operator.Identity // of another client, unrelated to the first
//	RestrictedIdentity operator.Identity // of a client that may not send the stimulus forbidden
//	CA                 string            // PEM file of further certificate authorities
//	Cert               string            // PEM file of our client certificate
//	Key                string            // PEM file of its key
//	InsecureSkipVerify bool              // do not verify the server's certificate
//	FurtherSecrets     map[string]string // values by their names that calls may carry otherwise
type Credentials = operator.Credentials

// Behaviour is what the agent does, as far as responses cannot show it, and what may be done to
// it:
//
//	Stimuli        map[string]Stimulus // the messages that make the agent show a behaviour
//	DefaultStimuli bool                // add the default texts, which the bundled server understands
//	Never          []string            // behaviours that the agent does not have
//	Declarations   []string            // further statements about the server, such as production
//	RateLimit      *operator.RateLimit // of the server
//	Timeouts       *operator.Timeouts  // of the server
//	Allow          []schema.Risk       // what the run may do to the server
//	Webhook        Webhook             // the receiver of push notifications
//	Bundled        bool                // the target is the bundled server
type Behaviour = operator.Behaviour

// Limits are how long and how much a run takes:
//
//	Timeout     time.Duration // time limit of one exchange; 30 s if 0
//	Deadline    time.Duration // of the whole run; 2 min if 0
//	Wait        time.Duration // for the server to answer at all, before the run begins
//	Concurrency int           // plays at the same time; harness.DefaultConcurrency if 0
//	MaxMessages int           // messages that reach the agent at most; 0 for as many as it takes
//	PerSecond   float64       // calls in a second at most; 0 for no such bound
//	Retries     int           // how often a play that suffered from its company is held again alone
//	AllowDial   func(network, address string) error               // an error ends a connection before a byte is sent
//	BeforeCall  func(ctx context.Context, at *url.URL) error      // waits until a call may be sent
type Limits = operator.Limits

// Judging is what is judged, and what counts as good enough:
//
//	Select            Selection          // narrows the run to some requirements
//	Gate              string             // "conformant" if empty
//	Waivers           []Waiver           // known failures
//	SDK               string             // on which the agent is built, such as js@1.3.0; its known faults are named
//	Baseline          *operator.Baseline // what a gate of that kind compares with
//	Schema            *operator.Schema   // judge shapes by this JSON Schema instead of the dialect's
//	CompareUserAgents bool               // compare how another client is answered
//	Nonce             string             // of whoever will check a certificate of this run
type Judging = operator.Judging

// Webhook configures the receiver of push notifications:
//
//	Listen string // HOST:PORT to receive at; port 0 takes a free one
//	URL    string // what the server is given, if it is not the address of Listen
//	Cert   string // PEM files of a certificate and its key, to receive by https
//	Key    string
type Webhook = operator.Webhook

// Selection narrows a run to some requirements; empty lists select everything:
//
//	Run      []string        // patterns of ids
//	Skip     []string        // patterns of ids
//	Areas    []string        // such as card, stream
//	Levels   []string        // MUST, SHOULD, MAY
//	Sections []string        // of the specification, with their subsections
//	Rerun    *operator.Rerun // only what an earlier run left broken or undecided (RerunFailed)
type Selection = operator.Selection

// Stimulus is a message text that makes an agent show a behaviour:
//
//	Text      string           // of the message
//	Answer    string           // the answer to a question of the agent
//	Seconds   float64          // how long the agent works
//	MessageID string           // what the ids of its messages begin with
//	Payment   operator.Payment // metadata of a message by which the work is paid for
type Stimulus = operator.Stimulus

// Waiver states that a requirement is known to fail, why, and until when. A run that is given one
// shows the failure as waived, never as passed, and is partial at best; and it fails once the
// waiver is of no use any more:
//
//	ID        string   // of the requirement
//	Why       string   // it is tolerated
//	Until     string   // the last day it holds, in UTC: 2026-12-31
//	At        string   // the place that every violation must have to be covered
//	AlsoAt    []string // further places: every violation must be at one of all
//	Where     string   // what the text of every violation must hold to be covered
//	Sometimes bool     // the failure is not always there
//	SDK       string   // whose known faults are covered, and nothing else
//	File      string   // the file that has it
//	Line      int
type Waiver = operator.Waiver

// ReadWaivers reads a file of waivers for Target.Waivers. The error has a line for each mistake in
// it, with the file and the line. In place of a file, a name such as sdk:js@1.3.0 means the known faults of an SDK.
func ReadWaivers(file string) ([]Waiver, error) { return verdict.ReadWaivers(file) }

// ParseWaivers reads waivers from a text; file is what errors call it.
func ParseWaivers(file string, text []byte) ([]Waiver, error) {
	return verdict.ParseWaivers(file, text)
}

// UsageError is a mistake of the operator; its text states what to do about it:
//
//	Text string
type UsageError = operator.UsageError
