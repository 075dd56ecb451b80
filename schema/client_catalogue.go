package schema

import (
	"path"
	"slices"
	"strings"
)

// ClientRole is the Role of a dialect whose requirements are about clients.
const ClientRole = "client"

// chooseFolder returns the folder of a dialect that holds the requirements on a role.
func chooseFolder(role string) string {
	if role == ClientRole {
		return ClientRole
	}
	return "requirements"
}

// clientMark is in the ids of all requirements on clients, and in no other.
const clientMark = "-CL-"

// IsClient reports whether the requirement of an id is one on clients.
func IsClient(id string) bool { return strings.Contains(id, clientMark) }

// Observation is how a fault of a client shows.
type Observation string

// The ways in which a fault of a client shows.
const (
	ObservePassive  Observation = "passive"  // each request of it shows whether it is right
	ObserveScenario Observation = "scenario" // it shows at a server that behaves in a certain way
	ObserveReport   Observation = "report"   // at such a server, and only the client itself can report what it understood
)

// Explain returns the way in words, for those who ask how a requirement is tested.
func (o Observation) Explain() string {
	switch o {
	case ObservePassive:
		return "passive: every request of the client is judged, in recordings too"
	case ObserveScenario:
		return "scenario: the requests are judged that come to a server of ours"
	case ObserveReport:
		return "report: by what the client prints, and by its exit code"
	}
	return string(o)
}

// clientFindingOnly is why no client fails a requirement that is marked as a finding.
const clientFindingOnly = "the texts are silent, or allow this: what is seen is reported, and is never a failure"

var (
	observations = []string{string(ObservePassive), string(ObserveScenario), string(ObserveReport)}
	// clientAreas are those of servers, and what only catalogues of clients set apart.
	clientAreas = slices.Concat(areas, strings.Fields("grpc interfaces list rest result signature version"))
	// clientScenarios are the names of the scenarios that give occasion for a fault of a client, by group.
	clientScenarios = strings.Fields(`
		hello hello-message turns only-rest only-grpc only-grpc-poll only-grpc-stream only-grpc-error
		card-at-host card-unknown card-scheme-unknown card-broken card-security card-bare card-redirect card-cached card-stale card-moves extended-card
		interfaces-order interfaces-mixed interfaces-foreign-first interfaces-url interfaces-patch interfaces-version interfaces-older interfaces-down interfaces-down-rest tenant tenant-odd
		version-refused extension-required extension-unknown extension-ignored
		auth-bearer auth-basic auth-key-header auth-key-query auth-key-cookie auth-oauth auth-oauth-code auth-oidc auth-mtls auth-either auth-both
		auth-401 auth-403 auth-redirect auth-plaintext auth-other-host auth-required
		unknown-members unknown-part unknown-state odd-parts task-bare timestamps ends no-answer large file-url odd-ids answer-lost
		error-codes error-null-id error-http-status error-unknown-code error-details error-500 busy
		stream stream-open stream-message stream-comments stream-multi-line stream-crlf stream-cr stream-bom stream-split stream-packed stream-fields stream-unended stream-label stream-slow
		stream-chunks stream-unknown-event stream-cut stream-cut-often stream-abandon stream-refused stream-error stream-foreign-id stream-silent stream-waiting stream-not-offered subscribe
		poll poll-gone get input-required cancel cancel-late list-pages list-loop
		push push-ask push-forged push-jwt push-not-offered
		card-signed card-forged card-expired-key tls tls-unknown-issuer tls-wrong-name tls-expired redirect framing silent
		crowd busy-soon payment directory directory-empty directory-ends directory-error only-grpc-tls`)
	// clientNeeds maps what the operator gives for a requirement on clients to what it is.
	clientNeeds = map[string]string{
		"drive":                 "a command that sends one text",
		"turns":                 "a command that also sends a second text",
		"adapter":               "an adapter, which reports what the client saw",
		"adapter.card":          "an adapter that gets the card again on demand",
		"adapter.get":           "an adapter that looks a task up on demand",
		"adapter.list":          "an adapter that lists tasks on demand",
		"adapter.cancel":        "an adapter that cancels a task on demand",
		"adapter.subscribe":     "an adapter that subscribes to a task on demand",
		"adapter.stop":          "an adapter that stops reading on demand",
		"adapter.extended-card": "an adapter that gets the extended card on demand",
		"credential":            "a credential for the client",
		"hook":                  "a webhook of the client that we reach",
		"key":                   "a client that has our public key, or the address of our keys",
		"tls":                   "a client that trusts our certificate authority",
		"declares.production":   "the operator declares that the client is in production",
		"declares.extension":    "the operator declares an extension that the client implements",
	}
)

// clientNeedExtras maps what the operator gives for a requirement on clients to the extra that grants it.
var clientNeedExtras = map[string]string{"credential": "credentials", "hook": "webhook", "key": "keys", "tls": "tls", "declares.extension": "extension"}

// ClientNeedExtra returns the extra, as --with has it, that grants a need of a requirement on clients; "" if another thing does.
func ClientNeedExtra(need string) string { return clientNeedExtras[need] }

// NeedsAdapter reports whether a requirement on clients is judged only of a program that reports what its client saw.
func (r *Requirement) NeedsAdapter() bool {
	return slices.ContainsFunc(r.Needs, func(need string) bool {
		kind, _, _ := strings.Cut(need, ".")
		return kind == "adapter"
	})
}

// ExplainClientNeed returns in words what a need of a requirement on clients asks of the operator.
func ExplainClientNeed(need string) string { return clientNeeds[need] }

// ClientScenarios lists the names of the scenarios that give occasion for a fault of a client.
func ClientScenarios() []string { return slices.Clone(clientScenarios) }

// clientEntry is a requirement as the files below client/ have it.
type clientEntry struct {
	Rule       `yaml:",inline"`
	ClientTest `yaml:",inline"`
	Finding    bool `yaml:"finding"` // what breaks it is a finding, and no failure
}

// toRequirement returns the entry in the form that all catalogues share.
func (e clientEntry) toRequirement() Requirement {
	r := Requirement{Rule: e.Rule, ClientTest: e.ClientTest}
	if e.Finding {
		r.FindingOnly, r.Mutants, r.Finding = clientFindingOnly, nil, e.Mutants
	}
	return r
}

// LoadClient returns a dialect that ships with the program, with the requirements on its clients
// in place of those on its servers. All else is as Load returns it.
func LoadClient(name string) (*Dialect, error) { return load(name, ClientRole) }

// checkClientRequirement finds the mistakes that only an entry of a catalogue of clients can have.
func (s *catalogueCheck) checkClientRequirement(r *Requirement, bad func(key, word, format string, args ...any), among func(key, kind string, known []string, words ...string)) {
	if !IsClient(r.ID) {
		bad("id", r.ID, "the id of a requirement on clients has %s in it", clientMark)
	}
	if file, _, _ := strings.Cut(path.Base(r.File), "."); slices.Contains(s.areas, r.Area) && file != r.Area {
		bad("area", r.Area, "a requirement of the area %s belongs in %s.yaml", r.Area, r.Area)
	}
	proven := len(r.Mutants)+len(r.Finding) > 0
	if r.Unobservable != "" {
		if r.Observe != "" || r.Look != "" || len(r.Scenario) > 0 {
			bad("unobservable", "", "what is unobservable has no observe, scenario and look")
		}
		if proven || len(r.Follows) > 0 || r.Unproven != "" {
			bad("id", r.ID, "what no check judges has no mutants, follows or unproven")
		}
		return
	}
	if r.Obliged && !slices.ContainsFunc(r.Needs, func(need string) bool { return strings.HasPrefix(need, "adapter.") }) {
		bad("obliged", "", "only what needs a command of an adapter can oblige clients to have it")
	}
	if proven && r.Unproven != "" {
		bad("unproven", "", "it names mutants; leave out unproven")
	}
	for name, why := range r.Follows {
		switch {
		case slices.Contains(r.Mutants, name) || slices.Contains(r.Finding, name):
			bad("follows", name, "%s is one of its own mutants; leave it out of follows", name)
		case why == "":
			bad("follows", name, "%s: a reason is needed", name)
		}
	}
	among("observe", "observation", observations, string(r.Observe))
	among("scenario", "scenario", clientScenarios, r.Scenario...)
	if r.Look == "" {
		bad("id", r.ID, "look is needed: how it is tested, in a sentence")
	}
	if len(r.Scenario) == 0 && r.Observe != ObservePassive && r.Observe != "" {
		bad("observe", string(r.Observe), "only what is passive needs no scenario")
	}
}
