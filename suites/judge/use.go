package judge

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// demandUse makes a MAY not applicable whose check found nothing wrong, if none of the
// calls that it looked at makes use of what the sentence permits. A freedom that nobody
// uses is not shown by calls that came to the ordinary outcome.
func (t *T) demandUse() {
	use := t.Requirement.Use
	if use != schema.UseAccepted && use != schema.UseRefused {
		return
	}
	steps := t.evidentSteps()
	uses := func(s Step) bool { return s.Exchange.Answered() && s.Accepted() == (use == schema.UseAccepted) }
	if slices.ContainsFunc(steps, uses) {
		return
	}
	t.result.Verdict, t.result.Stopped = report.NotApplicable, true
	t.result.Reason = "the server does not use this permission: it refuses the call"
	if use == schema.UseRefused {
		t.result.Reason = "the server does not use this permission: it accepts the call"
	}
}

// evidentSteps are the calls that the evidence of a result points at.
func (t *T) evidentSteps() (out []Step) {
	for i := range t.Case.Transcript.Plays {
		p := &t.Case.Transcript.Plays[i]
		for j := range p.Steps {
			s := &p.Steps[j]
			if s.Exchange != nil && slices.ContainsFunc(t.result.Evidence, func(e report.Evidence) bool { return e.Exchange == s.Exchange.ID }) {
				out = append(out, Step{s, p, t})
			}
		}
	}
	return out
}
