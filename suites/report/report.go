// Package report is what a run came to, as pure data: the verdict on each requirement and on the
// whole run, what they rest on, and how two runs compare. It knows nothing of how a verdict
// comes about. Package judge and package summary fill it; reports, certificates and fleets read it.
package report

import (
	"time"

	"github.com/a2a-conform/a2a-conform/schema"
)

// Report is the outcome of a run. Its JSON form is json, from which
// every other format is rendered.
type Report struct {
	SchemaVersion string           `json:"schemaVersion"`
	Tool          Tool             `json:"tool"`
	Target        Target           `json:"target"`
	Run           Run              `json:"run"`
	Verdict       RunVerdict       `json:"verdict"`
	Reason        string           `json:"reason,omitempty"`  // of the verdict, for the reader
	Notices       []string         `json:"notices,omitempty"` // what a reader has to know before taking the verdict for an answer
	Tried         []string         `json:"tried,omitempty"`   // what was tried to reach the server, if it could not be
	Summary       map[string]Count `json:"summary"`           // by level
	Causes        int              `json:"causes,omitempty"`  // failures that follow from no other
	SDK           *SDKFaults       `json:"sdk,omitempty"`     // what of the failures is known of an SDK
	Results       []Result         `json:"results"`
	Advice        []string         `json:"advice,omitempty"` // lines to add so that more is decided
	Waivers       []Waiver         `json:"waivers,omitempty"`
	Baseline      *Baseline        `json:"baseline,omitempty"` // if the gate is one
	History       *History         `json:"history,omitempty"`  // what earlier runs came to, if the operator has them
	// NeedsCredentials states that the server let no call in, since the run gave it no
	// credentials, or none that it takes. Such a run is void, unless a MUST fails.
	NeedsCredentials bool `json:"needsCredentials,omitempty"`
}

// Tool names the program and the catalogue that judged.
type Tool struct {
	Name      string `json:"name"`
	Version   string `json:"version"`
	Catalogue string `json:"catalogue"` // its digest
	// CatalogueVersion goes up if requirements are judged differently; "1" if
	// it is empty.
	CatalogueVersion string `json:"catalogueVersion,omitempty"`
}

// ReplayedTarget is the kind of target that is a transcript in a file. No one signed it: the
// verdicts follow from it, but it does not show that the conversation took place.
const ReplayedTarget = "replay"

// BundledTarget is the kind of target that comes with this program.
const BundledTarget = "bundled"

// IsClient reports whether it is a client that was judged.
func (t *Target) IsClient() bool { return t.Role == schema.ClientRole }

// IsGateway reports whether it is a gateway that was judged.
func (t *Target) IsGateway() bool { return t.Role == schema.GatewayRole }

// Subject names what was judged, in the middle of a sentence.
func (t *Target) Subject() string {
	if t.IsGateway() {
		return "gateway"
	}
	if t.IsClient() {
		return "client"
	}
	return "server"
}

// Target is the server or the client that was judged.
type Target struct {
	Kind    string   `json:"kind"`              // url, BundledTarget or ReplayedTarget
	Role    string   `json:"role,omitempty"`    // "client" or "gateway" if it is one that was judged, "" for a server
	Command []string `json:"command,omitempty"` // by which a client is started, with its placeholders
	Kept    bool     `json:"kept,omitempty"`    // the command is started once for all scenarios
	With    []string `json:"with,omitempty"`    // what the client was granted beyond its command
	URL     string   `json:"url"`
	Through string   `json:"through,omitempty"` // the gateway that was judged, before the server at URL
	// ThroughGRPC is the HOST:PORT at which that gateway takes gRPC, if it is another address.
	ThroughGRPC string `json:"throughGrpc,omitempty"`
	// Server is the server behind the gateway, if URL is an address of this program that records what arrives and passes it on.
	Server  string `json:"server,omitempty"`
	Variant string `json:"variant,omitempty"` // of the bundled server behind the gateway
	// Flags are those of run by which a gateway was called, as in "--timeout 5s": with marks for secrets, and without the variables that
	// hold credentials.
	Flags    []string            `json:"flags,omitempty"`
	RPC      string              `json:"rpc,omitempty"`
	Agent    string              `json:"agent,omitempty"`    // the name on its card
	Agents   []string            `json:"agents,omitempty"`   // those of the server's agents that were chosen
	Bindings []string            `json:"bindings,omitempty"` // by which it was spoken to, the preferred one first
	Withheld []Withheld          `json:"withheld,omitempty"` // what its card has and was not called
	Dialect  string              `json:"dialect"`
	Title    string              `json:"title,omitempty"`  // the dialect's
	Offers   []Offer             `json:"offers,omitempty"` // the other dialects that its cards tell of
	Card     string              `json:"card"`             // digest of the card
	Declares map[string][]string `json:"declares"`
	Insecure bool                `json:"insecure,omitempty"`
	// Documents are those of the tests that were run in place of a catalogue, as the operator named them. They are not known of a
	// report that was read.
	Documents []string `json:"-"`
}

// Withheld is an interface on a card that was not called, since it may be another's than
// the target's.
type Withheld struct {
	Agent   string `json:"agent,omitempty"`
	Binding string `json:"binding"`
	URL     string `json:"url"`
	Why     string `json:"why"`              // to be read after the address
	Remedy  string `json:"remedy"`           // the flags by which it would be called
	Nobody  string `json:"nobody,omitempty"` // why no client elsewhere can call it, if it has a name that they do not know
	Itself  string `json:"itself,omitempty"` // the flag by which the target itself would be called in its place
}

// Offer is a dialect that a server's cards tell of and that was not judged.
type Offer struct {
	Dialect string `json:"dialect"`
	Title   string `json:"title"`
}

// Run holds the figures of the run.
type Run struct {
	StartedAt        time.Time          `json:"startedAt"`
	DurationMs       int64              `json:"durationMs"`
	Exchanges        int                `json:"exchanges"`
	Starts           int                `json:"starts,omitempty"`  // how often a client was started
	Repeats          int                `json:"repeats,omitempty"` // sendings that came to nothing and were repeated
	AgentInvocations int                `json:"agentInvocations"`  // send and stream requests answered by anything but a refusal
	Selection        string             `json:"selection"`         // full, or the flags that narrowed it
	Gate             string             `json:"gate"`
	Waited           map[string]float64 `json:"waited,omitempty"` // seconds spent waiting, by window
	Cut              string             `json:"cut,omitempty"`
}

// Count counts the verdicts of one level.
type Count struct {
	Pass          int `json:"pass"`
	Fail          int `json:"fail"`
	NotApplicable int `json:"notApplicable"` // vacuous ones not included
	Vacuous       int `json:"vacuous"`
	Inconclusive  int `json:"inconclusive"`
	Waived        int `json:"waived"`
	SuiteError    int `json:"suiteError"`
}

// Total returns the number of results counted.
func (c Count) Total() int {
	return c.Pass + c.Fail + c.NotApplicable + c.Vacuous + c.Inconclusive + c.Waived + c.SuiteError
}

// Decided returns the number of results that state whether the requirement is kept.
func (c Count) Decided() int { return c.Pass + c.Fail + c.Waived }

// Summarize counts results by level.
func Summarize(results []Result) map[string]Count {
	out := map[string]Count{}
	for _, l := range []schema.Level{schema.Must, schema.Should, schema.May} {
		out[string(l)] = Count{}
	}
	for _, r := range results {
		c := out[string(r.Level)]
		switch r.Verdict {
		case Pass:
			c.Pass++
		case Fail:
			c.Fail++
		case NotApplicable:
			if r.Vacuous {
				c.Vacuous++
			} else {
				c.NotApplicable++
			}
		case Inconclusive:
			c.Inconclusive++
		case Waived:
			c.Waived++
		default:
			c.SuiteError++
		}
		out[string(r.Level)] = c
	}
	return out
}
