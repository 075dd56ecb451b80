package conform

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/a2a-conform/a2a-conform/harness"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Target is what is tested and how it is reached. Only URL is required.
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
	Progress func(harness.Progress) // told of every play; may be nil

	// Load is where dialects come from, for tests with one that was made up; schema.Load if nil.
	Load func(name string) (*schema.Dialect, error)
}

// Webhook says where push notifications are received:
//
//	Listen string // HOST:PORT to receive at; port 0 takes a free one
//	URL    string // what the server is told, where it is not the address of Listen
//	Cert   string // PEM files of a certificate and its key, to receive by https
//	Key    string
type Webhook = harness.Webhook

// Selection narrows a run to some requirements; empty lists select everything:
//
//	Run      []string        // patterns of ids
//	Skip     []string        // patterns of ids
//	Areas    []string        // such as card, stream
//	Levels   []string        // MUST, SHOULD, MAY
//	Sections []string        // of the source, with what stands below them
//	Rerun    *operator.Rerun // only what an earlier run left broken or undecided (RerunFailed)
type Selection = harness.Selection

// Stimulus is a message text that makes an agent show a behaviour:
//
//	Text      string           // of the message
//	Answer    string           // what is said where the agent asks
//	Seconds   float64          // how long the agent works
//	MessageID string           // what the ids of its messages begin with
//	Payment   operator.Payment // metadata of a message by which the work is paid for
type Stimulus = operator.Stimulus

// Waiver says that a requirement is known to fail, why, and until when. A run
// that is given one shows the failure as waived, never as passed, and is
// partial at best; and it fails once the waiver is of no use any more:
//
//	ID        string   // of the requirement
//	Why       string   // it is tolerated
//	Until     string   // the last day it holds, in UTC: 2026-12-31
//	At        string   // the place where every violation must be to be covered
//	AlsoAt    []string // further places: every violation must be at one of all
//	Where     string   // what the text of every violation must hold to be covered
//	Sometimes bool     // the failure is not always there
//	File      string   // where it stands
//	Line      int
type Waiver = operator.Waiver

// ReadWaivers reads a file of waivers for Target.Waivers. The error has a line for each slip in
// it, with the file and the line.
func ReadWaivers(file string) ([]Waiver, error) { return judge.ReadWaivers(file) }

// ParseWaivers reads waivers from a text; file is what errors call it.
func ParseWaivers(file string, text []byte) ([]Waiver, error) { return judge.ParseWaivers(file, text) }

// Identity is how a client shows who it is:
//
//	Bearer string // token for Authorization: Bearer
//	Basic  string // user:password for Authorization: Basic
//	APIKey string // for the header of API keys
type Identity = harness.Identity

// RateLimit is a number of requests that a client may make in a time:
//
//	Requests int
//	Seconds  float64 // in which they are counted
//	Burst    int     // beyond them before one is refused
type RateLimit = wire.RateLimit

// Timeouts are how long a server lets calls and streams go on:
//
//	Call   float64 // in seconds
//	Stream float64 // in seconds
type Timeouts = wire.Timeouts

// UsageError is a slip of the operator; its text says what to do about it:
//
//	Text string
type UsageError = harness.UsageError
