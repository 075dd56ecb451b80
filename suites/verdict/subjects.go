package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// splitBySubject makes a case of its own for each agent that was chosen, in each binding, and
// one for the server: each sees the conversations that were held with it.
func (c *Decider) splitBySubject() {
	facts := &c.Transcript.Facts
	if len(facts.Agents) == 0 && len(facts.Bindings) < 2 {
		return
	}
	part := func(agent, by string) *Decider {
		t := *c.Transcript
		t.Facts.Agents, t.Facts.Bindings = nil, nil
		t.Facts.Withheld = slices.DeleteFunc(slices.Clone(t.Facts.Withheld), func(w record.Withheld) bool { return w.Agent != agent })
		if by != "" {
			t.Facts.Bindings = []string{by}
			t.Facts.RPC = cmp.Or(t.Facts.Endpoints[by], t.Facts.RPC)
		}
		t.Plays = slices.DeleteFunc(slices.Clone(t.Plays), func(p record.Play) bool {
			return p.Subject.Agent != agent && (p.Subject.Agent != "" || p.Scenario != "card") ||
				by != "" && p.Subject.Binding != "" && p.Subject.Binding != by
		})
		sub := newUndividedDecider(c.Part(&t, record.Subject{Agent: agent, Binding: by}))
		sub.subject, sub.part, sub.top = agent, true, c
		return sub
	}
	if len(facts.Agents) > 0 {
		c.server = part("", "")
	}
	for _, agent := range namesOrOneEmpty(facts.Agents) {
		for n, by := range namesOrOneEmpty(facts.Bindings) {
			if !slices.ContainsFunc(c.Transcript.Plays, func(p record.Play) bool {
				return n == 0 || p.Subject == record.Subject{Agent: agent, Binding: by}
			}) {
				continue // this agent was not spoken to in it
			}
			sub := part(agent, by)
			sub.server, sub.secondary = c.server, n > 0
			sub.SetSubject(agent, sub.secondary)
			if len(facts.Bindings) > 1 {
				sub.spoken = by
			}
			c.agents = append(c.agents, sub)
		}
	}
	if len(facts.Bindings) > 1 {
		c.across = sync.OnceValue(func() (out []*Decider) { // few judge that, and it takes reading everything
			for _, agent := range namesOrOneEmpty(facts.Agents) {
				sub := part(agent, "")
				sub.server, sub.whole = c.server, c
				out = append(out, sub)
			}
			return out
		})
	}
	if len(c.agents) == 1 {
		c.subject = c.agents[0].subject
		c.SetSubject(c.subject, c.secondary)
	}
}

// prerequisiteResult returns the result of a requirement on which one of this case may rest. What is required
// of one interface is judged for each by itself.
func (c *Decider) prerequisiteResult(id string) *Result {
	if req := c.Dialect.Requirement(id); c.whole != nil && req != nil && req.About != schema.AboutInterfaces {
		return c.whole.Result(id)
	}
	return c.Result(id)
}

// namesOrOneEmpty returns the names, or one that is empty if there are none.
func namesOrOneEmpty(names []string) []string {
	if len(names) == 0 {
		return []string{""}
	}
	return names
}

// judgeInPartsOrNil judges a requirement in the cases it belongs to, if the case is
// divided; nil if it is judged in this one.
func (c *Decider) judgeInPartsOrNil(req *schema.Requirement) *Result {
	switch {
	case c.server != nil && req.About == schema.AboutServer:
		return c.server.Result(req.ID)
	case c.across != nil && req.About == schema.AboutInterfaces:
		return c.joinSubjectResults(req, c.across())
	case c.across != nil && req.Across != nil:
		return worseResult(c.joinSubjectResults(req, c.agents), c.joinSubjectResults(req, c.across()))
	case len(c.agents) > 0:
		return c.joinSubjectResults(req, c.agents)
	}
	return nil
}

// worseResult returns the result that decides of two about the same, of which one may not apply.
func worseResult(a, b *Result) *Result {
	if b.Verdict == report.NotApplicable || a.Verdict != report.NotApplicable && slices.Index(report.Verdicts(), a.Verdict) <= slices.Index(report.Verdicts(), b.Verdict) {
		return a
	}
	return b
}

// wasTried reports whether something was sent from which a requirement could be judged.
// In the binding that is preferred all is played, so that what is missing there means
// something. In another one that is what a conversation in it showed, or why it came
// to its end.
func (c *Decider) wasTried(req *schema.Requirement, r *Result) bool {
	if !c.secondary {
		return true
	}
	if !req.For(c.Binding().Kind()) {
		return false
	}
	own := func(id int) bool {
		return slices.ContainsFunc(c.Transcript.Plays, func(p record.Play) bool {
			return p.Subject.Binding == c.spoken && slices.ContainsFunc(p.Steps, func(s record.Step) bool { return s.Exchange != nil && s.Exchange.ID == id })
		})
	}
	if r.Verdict == report.Inconclusive && c.lacksNeededPlay(req) {
		return false
	}
	if slices.ContainsFunc(r.Evidence, func(e report.Evidence) bool { return own(e.Exchange) }) || slices.ContainsFunc(r.Why, func(w report.Why) bool { return own(w.At.Exchange) }) {
		return true
	}
	root := c.findRootCause(r)
	if root != r {
		return c.wasTried(c.Dialect.Requirement(root.ID), root)
	}
	return r.Verdict == report.SuiteError || r.Verdict == report.Inconclusive && r.Stopped
}

// explainNotTried returns why nothing was sent in a binding from which a requirement could be judged.
func (c *Decider) explainNotTried(req *schema.Requirement, r *Result) string {
	kind := c.Binding().Kind()
	if !req.For(kind) {
		return "it is not about " + c.Binding().Name()
	}
	unsaid, held := "", false
	for _, step := range c.neededStepNames(req) {
		scenario, name, _ := strings.Cut(step, "/")
		for i := range c.Transcript.Plays {
			p := &c.Transcript.Plays[i]
			if p.Scenario != scenario || p.Subject.Binding != c.spoken {
				continue
			}
			held = true
			if s := p.Step(name); s != nil && s.Unsayable && unsaid == "" {
				unsaid = fmt.Sprintf("the call %s was not sent: %s", step, s.NotSent)
			}
		}
	}
	switch {
	case unsaid != "":
		return unsaid
	case r.Verdict == report.NotApplicable && r.Reason != "":
		return r.Reason
	case len(r.Evidence) > 0:
		return "it is judged by things that all bindings share, such as the agent card"
	case !held && len(c.neededStepNames(req)) > 0:
		return "the run held no conversation about it in this binding"
	}
	return "nothing that it is about was seen in this binding"
}

// neededStepNames returns the steps that a requirement is judged by, if it names any.
func (c *Decider) neededStepNames(req *schema.Requirement) []string {
	check, ok := c.Checks[req.Check]
	if !ok {
		return nil
	}
	steps, err := check.Needs(req.With)
	if err != nil {
		return nil
	}
	return steps
}

// lacksNeededPlay reports whether something that a requirement looks at was not played with the
// subject.
func (c *Decider) lacksNeededPlay(req *schema.Requirement) bool {
	return slices.ContainsFunc(c.neededStepNames(req), func(step string) bool {
		scenario, _, _ := strings.Cut(step, "/")
		p := c.Transcript.Play(scenario)
		return p == nil || p.Subject.Binding != c.spoken && p.Subject.Binding != ""
	})
}

// joinSubjectResults returns the verdict on all subjects for which the requirement could be judged:
// the worst decides.
func (c *Decider) joinSubjectResults(req *schema.Requirement, all []*Decider) *Result {
	var worst *Result
	var subjects []report.SubjectResult
	about := slices.ContainsFunc(all, func(a *Decider) bool { return req.For(a.Binding().Kind()) })
	decides, alike := -1, true
	for i, a := range all {
		r := a.Result(req.ID)
		s := report.SubjectResult{Agent: a.subject, Binding: a.spoken, Verdict: r.Verdict}
		if r.Verdict != report.Pass {
			s.Reason = r.Reason
		}
		tried := a.wasTried(req, r) && (!about || req.For(a.Binding().Kind()))
		if !tried {
			s.Verdict, s.Reason = report.NotTried, a.explainNotTried(req, r)
		}
		if s.Verdict == report.Fail && r.More == 0 {
			s.At = report.PlacesOf(a.withSteps(r.Evidence))
		}
		subjects = append(subjects, s)
		if tried {
			alike = alike && (decides < 0 || subjects[decides].Verdict == s.Verdict && subjects[decides].Reason == s.Reason)
		}
		if tried && (worst == nil || slices.Index(report.Verdicts(), r.Verdict) < slices.Index(report.Verdicts(), worst.Verdict)) {
			worst, decides = r, i
		}
	}
	if worst == nil { // as if it had been tried
		decides = max(0, slices.IndexFunc(all, func(a *Decider) bool { return req.For(a.Binding().Kind()) }))
		worst = all[decides].Result(req.ID)
	}
	if len(subjects) == 1 {
		return worst
	}
	out := *worst
	out.Subjects = subjects
	if !alike {
		out.addSubjectToTexts(subjects[decides].Name())
	}
	for i, a := range all {
		r := a.Result(req.ID)
		if i == decides || r.Verdict != out.Verdict || subjects[i].Verdict != out.Verdict || out.Verdict != report.Fail && out.Verdict != report.Waived {
			continue
		}
		out.Broken, out.Rest = slices.Concat(out.Broken, r.Broken), slices.Concat(out.Rest, r.Rest)
		out.unseen = out.unseen || r.unseen
		if out.Verdict == report.Fail {
			out.wide++
		}
	}
	return &out
}

// NewDecider prepares the judging of a transcript. A nil cache is a new one.
func NewDecider(d *schema.Dialect, t *record.Transcript, checks judge.Checks, cache *judge.Cache) *Decider {
	if t.Facts.Role == record.ClientRole { // which is judged as one, whatever it calls
		first, again := splitByConfirmation(t)
		c := newUndividedDecider(judge.NewCase(d, first, checks, cache))
		if again != nil {
			c.confirming = newUndividedDecider(judge.NewCase(d, again, checks, nil))
		}
		return c
	}
	c := newUndividedDecider(judge.NewCase(d, t, checks, cache))
	c.splitBySubject()
	return c
}

func newUndividedDecider(c *judge.Case) *Decider {
	return &Decider{Case: c, memo: map[string]*Result{}}
}

// findRootCause returns the first of a chain of requirements that rest on each other: what is
// broken, or could not be judged, for a reason of its own.
func (c *Decider) findRootCause(p *Result) *Result {
	for seen := map[string]bool{}; p.Verdict == report.Inconclusive && p.Because != "" && !seen[p.Because]; {
		seen[p.Because] = true
		p = c.prerequisiteResult(p.Because)
	}
	return p
}
