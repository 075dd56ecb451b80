package judge

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// StopInconclusive ends the check undecided, with the reason and, if there is one,
// the line or flag that would get it decided.
func (t *T) StopInconclusive(remedy, format string, args ...any) {
	panic(Stop{Reason: fmt.Sprintf(format, args...), Remedy: remedy})
}

// StopUndecided ends the check undecided because of something that the transcript
// records.
func (t *T) StopUndecided(format string, args ...any) {
	panic(Stop{Reason: fmt.Sprintf(format, args...), Recorded: true})
}

// StopUndecidedWithRemedy is Undecided with the line or the flag that would get it decided.
func (t *T) StopUndecidedWithRemedy(remedy, format string, args ...any) {
	panic(Stop{Reason: fmt.Sprintf(format, args...), Remedy: remedy, Recorded: true})
}

// StopNotApplicable ends the check because of something that leaves the sentence
// without a subject: what was agreed on before the run, such as the operator's own
// place for the card, or a permission that the server makes no use of.
func (t *T) StopNotApplicable(format string, args ...any) {
	panic(stopNotApplicable{fmt.Sprintf(format, args...)})
}

// StopUnused ends the judging of what is looked at because the server makes no use of a
// permission there. If it does so nowhere, the sentence is not applicable.
func (t *T) StopUnused(format string, args ...any) {
	t.unused = fmt.Sprintf(format, args...)
	panic(stopFailed{})
}

// StopVacuous ends the check because there was nothing for the sentence to be
// about.
func (t *T) StopVacuous(format string, args ...any) {
	t.vacuous = fmt.Sprintf(format, args...)
	panic(stopFailed{})
}

// MarkExchangeConforming books that the sentence holds on something, if a check goes through
// what is broken alone.
func (t *T) MarkExchangeConforming(v Value) {
	t.result.markExchangesConforming([]*record.Exchange{v.doc.Exchange})
}

// DescribeDependency returns what a requirement rests on, once, and what to do about it; the second argument
// states in what that fails, if not everywhere.
func DescribeDependency(root *report.Result, where string) string {
	switch root.Verdict {
	case report.Fail, report.Waived:
		return fmt.Sprintf("it depends on %s, which fails%s; fix that first: %s", root.ID, where, root.Reason)
	}
	return fmt.Sprintf("it depends on %s, which could not be decided: %s", root.ID, root.Reason)
}
