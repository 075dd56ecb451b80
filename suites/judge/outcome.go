package judge

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Outcome is how a check ended, apart from what it has put into its result.
type Outcome struct {
	Mistake         any            // of ours, with which the check ended; else nil
	Undecided       *Stop          // the check ended undecided
	NotApplicable   string         // why the sentence has no subject; "" if it has one
	Refused         *Stop          // why something that the check would have looked at is evidence of nothing
	Expectations    int            // how many were evaluated
	Vacuous         string         // why there was nothing to look at; "" if there was something
	ExcludedBy      *report.Result // a prerequisite that fails on something the check would have looked at
	NoLivenessCheck string         // why the server could not be asked whether it still serves
	Unused          string         // that the server makes no use of a permission somewhere
	Used            bool           // the server makes use of it elsewhere

	t *T
}

// RunCheck runs the check of a requirement, which puts what it finds into r. The result of the
// requirement that open servers break is given by open, which is called only if it is needed.
func (c *Case) RunCheck(req *schema.Requirement, r *CheckResult, open func() *report.Result) (out Outcome) {
	t := &T{Case: c, Requirement: req, result: r, open: open}
	defer func() {
		out = Outcome{Refused: t.refused, Expectations: t.expected, Vacuous: t.vacuous, ExcludedBy: t.excludedBy, NoLivenessCheck: t.noLivenessCheck, Unused: t.unused, Used: t.used, t: t}
		switch stop := recover().(type) {
		case nil, stopFailed:
		case Stop:
			out.Undecided = &stop
		case stopNotApplicable:
			out.NotApplicable = stop.reason
		default:
			out.Mistake = stop
		}
	}()
	check, ok := c.Checks[req.Check]
	if !ok {
		panic(fmt.Errorf("there is no check of that name"))
	}
	t.seesRefused = check.seesRefused
	if err := check.run(t, req); err != nil {
		panic(err)
	}
	return Outcome{}
}

// HasCallAcceptedOrRefusedAs reports whether one of the calls that the evidence points at makes use of what a sentence
// permits.
func (o *Outcome) HasCallAcceptedOrRefusedAs(of schema.Use) bool {
	return slices.ContainsFunc(o.t.evidentSteps(), func(s Step) bool { return s.Exchange.Answered() && s.Accepted() == (of == schema.UseAccepted) })
}

// evidentSteps returns the calls that the evidence of a result points at.
func (t *T) evidentSteps() (out []Step) {
	for p, s := range t.Case.Transcript.Steps() {
		if s.Exchange != nil && slices.ContainsFunc(t.result.Evidence, func(e report.Evidence) bool { return e.Exchange == s.Exchange.ID }) {
			out = append(out, Step{s, p, t})
		}
	}
	return out
}
