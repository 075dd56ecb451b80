package verdict

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A requirement depends on others. If one of them fails, the check still runs,
// on what is left: one stream without its end takes nothing
// from five healthy ones, and a refusal that never needed a task is judged though
// no task could be made. Its result counts only if it rests on something else
// than what is broken already.

// undecideIfPrerequisiteFails leaves a requirement undecided, for the sake of a prerequisite that holds
// nowhere, unless it was decided by something else than what that fails on. If
// something it rests on is broken, a failure may be nothing but the consequence.
func (c *Decider) undecideIfPrerequisiteFails(r *Result) {
	i := slices.IndexFunc(r.prerequisites, (*Result).failsOnEveryExchange)
	if i < 0 || r.Verdict == report.SuiteError || r.Verdict == report.NotApplicable && !r.Vacuous || c.isIndependentOfPrerequisites(r) {
		return
	}
	root := c.findRootCause(r.prerequisites[i])
	r.Verdict, r.Vacuous, r.Because, r.Remedy = report.Inconclusive, false, root.ID, root.Remedy
	r.Reason = judge.DescribeDependency(&root.Result, "")
	r.Evidence, r.Findings, r.Why, r.Others, r.More = []report.Evidence{}, []report.Finding{}, nil, nil, 0
	r.Failed, r.Held, r.Broken = nil, nil, nil
}

// undecideIfWrongAddress takes back a failure if the operator alone gave the address of the server and
// nothing was found there, whatever was asked for: another path may be meant.
func (c *Decider) undecideIfWrongAddress(r *Result) {
	if r.Verdict != report.Fail || len(c.Dialect.Card.Paths) > 0 || !binding.AllNotFound(c.Binding(), c.Transcript) {
		return
	}
	r.Verdict, r.Stopped, r.Remedy = report.Inconclusive, true, "the right path to the URL"
	r.Reason = "every request was answered with HTTP 404: the path may be wrong"
	r.Evidence, r.Findings, r.Others, r.More = []report.Evidence{}, []report.Finding{}, nil, 0
	r.Failed, r.Held, r.Broken, r.Why = nil, nil, nil, nil
}

// isIndependentOfPrerequisites reports whether a verdict rests on an answer that is unlike those
// that the prerequisites fail on.
func (c *Decider) isIndependentOfPrerequisites(r *Result) bool {
	on := map[*record.Exchange]bool{}
	switch r.Verdict {
	case report.Fail:
		on = r.Failed
	case report.Pass:
		for _, e := range r.Evidence {
			if x := c.Transcript.FindExchange(e.Exchange); x != nil {
				on[x] = true
			}
		}
	}
	broken := map[string]bool{}
	if failing := c.collectBrokenAnswers(r, broken, map[*Result]bool{}); failing && r.Verdict == report.Fail {
		return false
	}
	for x := range on {
		if !broken[c.refusalKindKey(x)] {
			return true
		}
	}
	return false
}

// collectBrokenAnswers collects the answers that the prerequisites of a requirement fail on, and
// those that these rest on, and how the harmless message is refused, if it is. It
// reports whether one of them fails, and holds nowhere.
func (c *Decider) collectBrokenAnswers(r *Result, out map[string]bool, seen map[*Result]bool) (failing bool) {
	if seen[r] {
		return false
	}
	seen[r] = true
	for _, p := range r.prerequisites {
		failing = failing || p.Verdict != report.Inconclusive && p.failsOnEveryExchange()
		for x := range p.Failed {
			out[c.refusalKindKey(x)] = true
		}
		failing = c.collectBrokenAnswers(p, out, seen) || failing
	}
	if p := c.Transcript.Play("quick"); p != nil {
		if s := p.Step("send"); s != nil && s.Exchange.Answered() && !s.Exchange.IsStream() {
			if !c.BindingOf(p, s).Decode(s.Op, s.Exchange).Result.Exists() {
				out[c.refusalKindKey(s.Exchange)] = true
			}
		}
	}
	return failing
}

// refusalKindKey returns a key that distinguishes one kind of refusal from others: by its status, type and code, and
// by the members it bears. Each result, stream and delivery is a kind of its own.
func (c *Decider) refusalKindKey(x *record.Exchange) string {
	if x.Dir == record.Out && !x.Answered() {
		return fmt.Sprint("no answer: ", x.Ended)
	}
	root := x.Reply().Root
	s, p := c.Transcript.StepOf(x)
	answer := c.BindingOf(p, s).Decode("", x)
	if x.Dir != record.Out || x.IsStream() && len(x.Events()) > 0 || answer.Result.Exists() {
		return fmt.Sprint("exchange ", x.ID)
	}
	out := fmt.Sprint(x.Status(), " ", x.Response.MediaType())
	if root == nil {
		return out
	}
	if code := answer.Code.Node; code != nil {
		return out + " code " + code.Number + code.String
	}
	return out + " " + memberNames(root)
}
