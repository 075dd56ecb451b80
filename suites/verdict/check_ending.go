package verdict

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// ending is a check that has ended: by its last line or a stop, or by a mistake of ours.
type ending struct {
	judge.Outcome
	d   *Decider
	req *schema.Requirement
	r   *Result
}

// overwriteVerdict decides for a verdict that needs no more than a reason.
func (e *ending) overwriteVerdict(v report.Verdict, reason string) bool {
	e.r.Verdict, e.r.Reason = v, reason
	return true
}

// markStoppedAndSetVerdict decides for a verdict to which something in the transcript led.
func (e *ending) markStoppedAndSetVerdict(v report.Verdict, reason string) bool {
	e.r.Stopped = true
	return e.overwriteVerdict(v, reason)
}

// setInconclusiveWithStopReason leaves the requirement undecided for the reason of a stop.
func (e *ending) setInconclusiveWithStopReason(stop *judge.Stop) bool {
	e.r.Remedy, e.r.Because, e.r.Stopped = stop.Remedy, stop.Because, stop.Recorded
	if stop.StoredBy != "" {
		e.r.Because = e.findFailedRequirementOfCall(stop.StoredBy)
	}
	return e.overwriteVerdict(report.Inconclusive, stop.Reason)
}

func (e *ending) hasMistake() bool {
	return e.Mistake != nil && e.overwriteVerdict(report.SuiteError, fmt.Sprintf("the check %s failed: %v", e.req.Check, e.Mistake))
}

// hasViolation reports whether a violation was seen, if only before the check was stopped.
func (e *ending) hasViolation() bool { return e.r.Verdict == report.Fail }

func (e *ending) isUnsayable() bool {
	if e.Undecided == nil || !e.Undecided.Unsayable {
		return false
	}
	e.r.Stopped = e.Undecided.Never
	return e.overwriteVerdict(report.NotApplicable, e.Undecided.Reason)
}

func (e *ending) isNeverShown() bool {
	return e.Undecided != nil && e.Undecided.Never && e.markStoppedAndSetVerdict(report.NotApplicable, e.Undecided.Reason)
}

func (e *ending) wasStopped() bool {
	return e.Undecided != nil && e.setInconclusiveWithStopReason(e.Undecided)
}

func (e *ending) isInapplicable() bool {
	return e.NotApplicable != "" && e.markStoppedAndSetVerdict(report.NotApplicable, e.NotApplicable)
}

// wasRefused reports whether nothing was seen but calls that were refused for want of credentials.
func (e *ending) wasRefused() bool {
	return e.Vacuous != "" && e.Refused != nil && e.setInconclusiveWithStopReason(e.Refused)
}

func (e *ending) isSpoiled() bool {
	if e.Vacuous == "" || e.ExcludedBy == nil {
		return false
	}
	e.r.Because = e.ExcludedBy.ID
	return e.overwriteVerdict(report.Inconclusive, judge.DescribeDependency(e.ExcludedBy, " everywhere"))
}

func (e *ending) sawNothing() bool {
	if e.Vacuous == "" || e.req.Every == "" {
		return false
	}
	e.r.Vacuous = true
	return e.overwriteVerdict(report.NotApplicable, fmt.Sprintf("no %s was seen", e.req.Every))
}

func (e *ending) hadNothingToSee() bool {
	return e.Vacuous != "" && e.overwriteVerdict(report.Inconclusive, e.Vacuous)
}

func (e *ending) isUnused() bool {
	subject := "the server"
	if e.d.OfClient() {
		subject = "the client"
	}
	return e.Unused != "" && !e.Used && e.markStoppedAndSetVerdict(report.NotApplicable, subject+" does not use this permission: "+e.Unused)
}

func (e *ending) lacksExpectation() bool {
	return e.Expectations == 0 && e.overwriteVerdict(report.SuiteError, fmt.Sprintf("the check %s ended without an expectation", e.req.Check))
}

func (e *ending) lacksEvidence() bool {
	return len(e.r.Evidence) == 0 && e.overwriteVerdict(report.SuiteError, fmt.Sprintf("the check %s passed without evidence", e.req.Check))
}

func (e *ending) isUnheard() bool {
	return e.NoLivenessCheck != "" && e.markStoppedAndSetVerdict(report.Inconclusive, e.NoLivenessCheck)
}

func (e *ending) hasPassed() bool {
	e.r.Verdict = report.Pass
	e.demandUse()
	return true
}

// findFailedRequirementOfCall finds the requirement that fails since a malformed call was not refused.
func (e *ending) findFailedRequirementOfCall(call string) string {
	for i := range e.d.Dialect.Requirements {
		r := &e.d.Dialect.Requirements[i]
		if r.ID == e.req.ID || !slices.Contains(judge.TextsIn(r.With["steps"]), call) {
			continue
		}
		if p := e.d.prerequisiteResult(r.ID); p.Verdict == report.Fail || p.Verdict == report.Waived {
			return p.ID
		}
	}
	return ""
}

// demandUse makes a MAY not applicable whose check found nothing wrong, if none of the
// calls that it looked at makes use of what the sentence permits. A freedom that no one
// uses is not shown by calls that came to the ordinary outcome.
func (e *ending) demandUse() {
	does := map[schema.Use]string{schema.UseAccepted: "refuses", schema.UseRefused: "accepts"}[e.req.Use]
	if does != "" && !e.HasCallAcceptedOrRefusedAs(e.req.Use) {
		e.markStoppedAndSetVerdict(report.NotApplicable, "the server does not use this permission: it "+does+" the call")
	}
}
