package judge

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// What all dialects share is about exchanges as such, and not about what a dialect reads in them.

// Recorded is the whole transcript of the run, with the calls that are kept from other checks
// because they were made only to be compared.
func (t *T) Recorded() *record.Transcript { return t.Case.recorded }

// Cite notes that the verdict rests on an exchange as a whole.
func (t *T) Cite(x *record.Exchange) {
	t.expected++
	t.result.Evidence = append(t.result.Evidence, report.Evidence{Exchange: x.ID})
}

// Remark notes something about an exchange that is tolerated but worth knowing.
func (t *T) Remark(x *record.Exchange, format string, args ...any) {
	t.result.Findings = append(t.result.Findings, report.Finding{Text: fmt.Sprintf(format, args...), Evidence: &report.Evidence{Exchange: x.ID}})
}

// JudgeCommon judges the requirements that every dialect shares on all that was recorded. What
// has nothing to say is left out.
func (c *Case) JudgeCommon(all []schema.Common, recorded *record.Transcript) (out []Result) {
	c.recorded = recorded
	for i := range all {
		req := &all[i].Requirement
		if req.Check == "" { // it is judged before a dialect is known
			continue
		}
		if r := c.judge(req); r.Verdict != report.NotApplicable {
			out = append(out, *r)
		}
	}
	return out
}
