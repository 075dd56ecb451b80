// Package judge turns a sealed transcript into verdicts. It is pure: it knows
// no network and no clock, so the same transcript always gives the same
// verdicts, in a run, in a replay, and years later.
package judge

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Verdict is what was decided about one requirement.
type Verdict string

// The verdicts of a requirement.
const (
	Pass          Verdict = "pass"           // evidence was seen and it conforms
	Fail          Verdict = "fail"           // evidence was seen and it does not
	NotApplicable Verdict = "not-applicable" // it does not concern this server
	Inconclusive  Verdict = "inconclusive"   // it applies and could not be decided
	Waived        Verdict = "waived"         // it fails, and a waiver says why and until when
	SuiteError    Verdict = "suite-error"    // our fault; the run is void
)

// Verdicts lists all verdicts in the order in which reports show them.
func Verdicts() []Verdict {
	return []Verdict{SuiteError, Fail, Inconclusive, Waived, Pass, NotApplicable}
}

// Evidence points at bytes in the transcript.
type Evidence struct {
	Exchange int    `json:"exchange"`
	File     string `json:"file,omitempty"`    // the exchange is none: the operator gave this document
	Step     string `json:"step,omitempty"`    // of the conversations, by which it came: quick/send
	Event    int    `json:"event,omitempty"`   // number of the stream event, from 1
	Pointer  string `json:"pointer"`           // RFC 6901, into the JSON text
	Excerpt  string `json:"excerpt,omitempty"` // the value there, shortened
}

// Finding is something tolerated but worth knowing.
type Finding struct {
	Text     string    `json:"text"`
	Evidence *Evidence `json:"evidence,omitempty"`
}

// Result is the verdict on one requirement and what it rests on.
type Result struct {
	ID        string       `json:"id"`
	Level     schema.Level `json:"level"`
	Area      string       `json:"area"`
	Section   string       `json:"section"`
	Statement string       `json:"statement"`
	Readings  []string     `json:"readings,omitempty"` // how the sources can be read, where they leave it open; the weaker is judged
	// Own says that the requirement is in no text of the protocol: this suite added it.
	Own bool `json:"own,omitempty"`
	// FindingOnly is why what breaks it is a finding, and no failure.
	FindingOnly string          `json:"findingOnly,omitempty"`
	Verdict     Verdict         `json:"verdict"`
	Vacuous     bool            `json:"vacuous,omitempty"` // about every X, and no X occurred
	Reason      string          `json:"reason"`
	Why         []Why           `json:"why,omitempty"`    // each listed violation in its parts, in the order of Reason and Others
	Remedy      string          `json:"remedy,omitempty"` // the flag or line that would get it decided
	Because     string          `json:"because"`          // the requirement it follows from
	Cause       string          `json:"cause,omitempty"`  // of a failure from which others follow: what is wrong in general
	Evidence    []Evidence      `json:"evidence"`
	Findings    []Finding       `json:"findings"`
	More        int             `json:"more,omitempty"`      // violations beyond the ones listed
	Others      []string        `json:"others,omitempty"`    // further violations, in the order of Evidence from its second piece on
	Reproduce   string          `json:"reproduce,omitempty"` // the script beside the report that repeats it
	Subjects    []SubjectResult `json:"subjects,omitempty"`  // the verdict on each agent and binding, where several were judged; the worst decides

	stop  bool   // undecided by a stop that the transcript records
	reads []Read // what the check looked at
	// Exchanges that it fails and holds on, and those that are left out, since a
	// prerequisite fails on them.
	failed, held map[*wire.Exchange]bool
	spoiled      map[*wire.Exchange]string
	rests        []*Result // the prerequisites that do not hold
	broken       []Value   // where it fails, all of it
	wide         int       // how many subjects it fails for beside the first
	root         bool      // what others fail on for its sake names it
	apart        bool      // what it fails on can be read all the same
}

// Stopped reports whether an undecided requirement is explained by a step that
// the transcript records as not made.
func (r *Result) Stopped() bool { return r.stop }

// Reads lists what the check looked at, where the case was told to track it.
func (r *Result) Reads() []Read { return r.reads }

// RunVerdict is the verdict on a whole run.
type RunVerdict string

// The verdicts of a run, from the gravest to the best.
const (
	Void          RunVerdict = "void"          // the suite failed, or the run was interrupted
	Unreachable   RunVerdict = "unreachable"   // no HTTP response from the RPC endpoint in the whole run, or from anybody but a gateway
	Nonconformant RunVerdict = "nonconformant" // a MUST is broken
	Partial       RunVerdict = "partial"       // nothing is broken, but not all was decided
	Conformant    RunVerdict = "conformant"
)

// NeedsCredentials is what a fleet calls a void run in which the server let no call in for want
// of credentials that it takes. The report of the run says void.
const NeedsCredentials RunVerdict = "needs-credentials"

// Speaks reports whether a run with a verdict says anything about requirements.
func (v RunVerdict) Speaks() bool { return v == Nonconformant || v == Partial || v == Conformant }

// Cut tells whether a run came to its own end.
type Cut int

// The ways in which a run ends.
const (
	Whole       Cut = iota // everything was said
	OutOfTime              // the deadline came first; what was judged counts
	Interrupted            // the operator stopped it; nothing counts
)

// Decide is the one function that turns results into the verdict of a run.
// full says that the selection was the whole catalogue, and that nothing speaks
// against taking the conversations for what the server does at all times, reached that the RPC
// endpoint answered at least once, cut how the run ended early, if it did.
func Decide(results []Result, full, reached bool, cut Cut) RunVerdict {
	is := func(v Verdict, levels ...schema.Level) bool {
		return slices.ContainsFunc(results, func(r Result) bool {
			return r.Verdict == v && (len(levels) == 0 || slices.Contains(levels, r.Level))
		})
	}
	switch {
	case is(SuiteError), cut == Interrupted, len(results) == 0:
		return Void
	case !reached:
		return Unreachable
	case is(Fail, schema.Must):
		return Nonconformant
	case is(Inconclusive, schema.Must), is(Waived, schema.Must), !full, cut != Whole:
		return Partial
	}
	return Conformant
}

// BaselineGate begins the name of the gate that asks for no regression; the name
// of an earlier report follows.
const BaselineGate = "baseline="

// Gates lists the values of --gate.
func Gates() []string { return []string{"conformant", "no-failures", BaselineGate + "OLD.json"} }

// KnownGate reports whether a gate is one of them.
func KnownGate(gate string) bool {
	file, baseline := strings.CutPrefix(gate, BaselineGate)
	return gate == "conformant" || gate == "no-failures" || baseline && file != ""
}

// ExitCode is the process exit code for a run: 0 if its gate is met.
func ExitCode(r *Report) int {
	switch {
	case r.Verdict == Void:
		return 2
	case r.Verdict == Unreachable:
		return 4
	case slices.ContainsFunc(r.Waivers, func(w Waiver) bool { return w.Overdue() }):
		return 1
	case strings.HasPrefix(r.Run.Gate, BaselineGate):
		if r.Baseline == nil || len(Regressions(r.Baseline.Changes)) > 0 {
			return 1
		}
		return 0
	case r.Verdict == Nonconformant:
		return 1
	case r.Verdict == Partial && r.Run.Gate != "no-failures":
		return 3
	}
	return 0
}
