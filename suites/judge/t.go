package judge

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// T is what a check judges with: it hands out what the server said, takes
// expectations, and keeps the evidence. A check runs in one goroutine.
type T struct {
	Case        *Case
	Requirement *schema.Requirement

	result     *Result
	expected   int // expectations that were evaluated
	collecting int // depth of Each
	vacuous    string
	failures   int
	item       []*record.Exchange // those that the item of an Each rests on
	apart      bool               // a violation takes nothing from what rests on the requirement
	withheld   string             // a prerequisite that fails on something the check would have looked at
	unheard    string             // a sign of life that could not be asked for
	unused     string             // that the server makes no use of a permission somewhere
	used       bool               // the server makes use of it elsewhere

	refused     *stopInconclusive // why something that the check would have looked at is evidence of nothing
	seesRefused bool              // the check is about calls that are refused for want of credentials
}

// The ways in which a check ends before its last line; they travel by panic
// and are caught where the check was called.
type (
	stopFailed       struct{}
	stopInconclusive struct {
		reason, remedy, because string
		recorded                bool // by a step that the transcript records as not made
		unsayable               bool // in the binding that was spoken
		never                   bool // since the operator says that the agent never does it
	}
	stopNotApplicable struct{ reason string }
)

// Inconclusive ends the check undecided, with the reason and, if there is one,
// the line or flag that would get it decided.
func (t *T) Inconclusive(remedy, format string, args ...any) {
	panic(stopInconclusive{reason: fmt.Sprintf(format, args...), remedy: remedy})
}

// Stopped ends the check undecided because of something that the transcript
// records.
func (t *T) Stopped(format string, args ...any) {
	panic(stopInconclusive{reason: fmt.Sprintf(format, args...), recorded: true})
}

// StoppedFor is Stopped where there is a line or a flag that would get it decided.
func (t *T) StoppedFor(remedy, format string, args ...any) {
	panic(stopInconclusive{reason: fmt.Sprintf(format, args...), remedy: remedy, recorded: true})
}

// TooQuick ends the check because the agent had done the work of a behaviour before there
// was anything to see: a message whose work takes longer would decide it.
func (t *T) TooQuick(behaviour, format string, args ...any) {
	t.StoppedFor(betterText(behaviour), format, args...)
}

// Lacks ends the check because the agent was not made to show a behaviour. It is
// undecided, unless the operator says that the agent never shows it.
func (t *T) Lacks(behaviour, format string, args ...any) {
	panic(t.Case.lacking(behaviour, fmt.Sprintf(format, args...)))
}

// NotApplicable ends the check because of something that leaves the sentence
// without a subject: what was agreed on before the run, such as the operator's own
// place for the card, or a permission that the server makes no use of.
func (t *T) NotApplicable(format string, args ...any) {
	panic(stopNotApplicable{fmt.Sprintf(format, args...)})
}

// Unused ends the judging of what is looked at because the server makes no use of a
// permission there. If it does so nowhere, the sentence is not applicable.
func (t *T) Unused(format string, args ...any) {
	t.unused = fmt.Sprintf(format, args...)
	panic(stopFailed{})
}

// Vacuous ends the check because there was nothing for the sentence to be
// about.
func (t *T) Vacuous(format string, args ...any) {
	t.vacuous = fmt.Sprintf(format, args...)
	panic(stopFailed{})
}
