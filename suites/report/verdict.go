package report

import (
	"slices"

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
	Waived        Verdict = "waived"         // it fails, and a waiver explains why and until when
	SuiteError    Verdict = "suite-error"    // our fault; the run is void
)

// Verdicts lists all verdicts in the order in which reports show them.
func Verdicts() []Verdict {
	return []Verdict{SuiteError, Fail, Inconclusive, Waived, Pass, NotApplicable}
}

// IsDecided reports whether a requirement was judged by what was seen.
func (v Verdict) IsDecided() bool { return v == Pass || v == Fail || v == Waived }

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
// of credentials that it takes. The report of the run states void.
const NeedsCredentials RunVerdict = "needs-credentials"

// Speaks reports whether a run with a verdict states anything about requirements.
func (v RunVerdict) Speaks() bool { return v == Nonconformant || v == Partial || v == Conformant }

// Cut reports whether a run came to its own end.
type Cut int

// The ways in which a run ends.
const (
	Whole       Cut = iota // everything was sent
	OutOfTime              // the deadline came first; what was judged counts
	Interrupted            // the operator stopped it; nothing counts
)

// Decide returns the one function that turns results into the verdict of a run.
// full states that the selection was the whole catalogue, and that nothing uses
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
