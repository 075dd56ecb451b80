package judge

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/suites/report"
)

// ending is the way in which a check ended: by its last line or a stop, or by a mistake of ours.
type ending struct {
	*T
	r       *Result
	mistake any                // of ours, with which the check ended
	stop    *Stop              // the check ended undecided
	without *stopNotApplicable // the check found that the sentence has no subject
}

// describe takes apart what a check ended with; nil if it came to its last line.
func (e *ending) describe(p any) {
	switch stop := p.(type) {
	case nil, stopFailed:
	case Stop:
		e.stop = &stop
	case stopNotApplicable:
		e.without = &stop
	default:
		e.mistake = p
	}
}

// leave decides for a verdict that needs no more than a reason.
func (e *ending) leave(v report.Verdict, reason string) bool {
	e.r.Verdict, e.r.Reason = v, reason
	return true
}

// leaveBy decides for what a stop says.
func (e *ending) leaveBy(stop *Stop) bool {
	e.r.Remedy, e.r.Because, e.r.Stopped = stop.Remedy, stop.Because, stop.Recorded
	return e.leave(report.Inconclusive, stop.Reason)
}

func (e *ending) hasMistake() bool {
	return e.mistake != nil && e.leave(report.SuiteError, fmt.Sprintf("the check %s failed: %v", e.Requirement.Check, e.mistake))
}

// hasViolation reports whether a violation was seen, if only before the check was stopped.
func (e *ending) hasViolation() bool { return e.r.Verdict == report.Fail }

func (e *ending) isUnsayable() bool {
	if e.stop == nil || !e.stop.Unsayable {
		return false
	}
	e.r.Stopped = e.stop.Never
	return e.leave(report.NotApplicable, e.stop.Reason)
}

func (e *ending) isNeverShown() bool {
	if e.stop == nil || !e.stop.Never {
		return false
	}
	e.r.Stopped = true
	return e.leave(report.NotApplicable, e.stop.Reason)
}

func (e *ending) wasStopped() bool { return e.stop != nil && e.leaveBy(e.stop) }

func (e *ending) isInapplicable() bool {
	if e.without == nil {
		return false
	}
	e.r.Stopped = true
	return e.leave(report.NotApplicable, e.without.reason)
}

// wasRefused reports whether nothing was seen but calls that were refused for want of credentials.
func (e *ending) wasRefused() bool {
	return e.vacuous != "" && e.T.refused != nil && e.leaveBy(e.T.refused)
}

func (e *ending) isSpoiled() bool {
	if e.vacuous == "" || e.withheld == "" {
		return false
	}
	e.r.Because = e.withheld
	return e.leave(report.Inconclusive, DescribeDependency(e.Case.prior(e.withheld), " everywhere"))
}

func (e *ending) sawNothing() bool {
	if e.vacuous == "" || e.Requirement.Every == "" {
		return false
	}
	e.r.Vacuous = true
	return e.leave(report.NotApplicable, fmt.Sprintf("no %s was seen", e.Requirement.Every))
}

func (e *ending) hadNothingToSee() bool {
	return e.vacuous != "" && e.leave(report.Inconclusive, e.vacuous)
}

func (e *ending) isUnused() bool {
	if e.T.unused == "" || e.used {
		return false
	}
	e.r.Stopped = true
	return e.leave(report.NotApplicable, "the server does not use this permission: "+e.T.unused)
}

func (e *ending) lacksExpectation() bool {
	return e.expected == 0 && e.leave(report.SuiteError, fmt.Sprintf("the check %s ended without an expectation", e.Requirement.Check))
}

func (e *ending) lacksEvidence() bool {
	return len(e.r.Evidence) == 0 && e.leave(report.SuiteError, fmt.Sprintf("the check %s passed without evidence", e.Requirement.Check))
}

func (e *ending) isUnheard() bool {
	if e.T.unheard == "" {
		return false
	}
	e.r.Stopped = true
	return e.leave(report.Inconclusive, e.T.unheard)
}

func (e *ending) hasPassed() bool {
	e.r.Verdict = report.Pass
	e.demandUse()
	return true
}
