package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// alone is the one binding that was spoken; "" where there are several, or none is
// named.
func alone(bindings []string) string {
	if len(bindings) == 1 {
		return bindings[0]
	}
	return ""
}

// divide makes a case of its own for each agent that was chosen, in each binding, and
// one for the server: each sees the conversations that were held with it.
func (c *Case) divide() {
	facts := &c.Transcript.Facts
	if len(facts.Agents) == 0 && len(facts.Bindings) < 2 {
		return
	}
	part := func(agent, by string) *Case {
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
		sub := NewCase(c.Dialect, &t, c.Checks, c.cache.of(record.Subject{Agent: agent, Binding: by}))
		sub.Track, sub.subject, sub.part, sub.entire, sub.access, sub.top = c.Track, agent, true, c.entire, c.access, c
		return sub
	}
	if len(facts.Agents) > 0 {
		c.server = part("", "")
	}
	for _, agent := range orOne(facts.Agents) {
		for n, by := range orOne(facts.Bindings) {
			if !slices.ContainsFunc(c.Transcript.Plays, func(p record.Play) bool {
				return n == 0 || p.Subject == record.Subject{Agent: agent, Binding: by}
			}) {
				continue // this agent was not spoken to in it
			}
			sub := part(agent, by)
			sub.server, sub.beside = c.server, n > 0
			if len(facts.Bindings) > 1 {
				sub.spoken = by
			}
			c.agents = append(c.agents, sub)
		}
	}
	if len(facts.Bindings) > 1 {
		c.across = sync.OnceValue(func() (out []*Case) { // few judge that, and it takes reading everything
			for _, agent := range orOne(facts.Agents) {
				sub := part(agent, "")
				sub.server, sub.whole = c.server, c
				out = append(out, sub)
			}
			return out
		})
	}
	if len(c.agents) == 1 {
		c.subject = c.agents[0].subject
	}
}

// prior is the result of a requirement on which one of this case may rest. What is said
// of one interface is judged for each by itself.
func (c *Case) prior(id string) *Result {
	if req := c.Dialect.Requirement(id); c.whole != nil && req != nil && req.About != schema.AboutInterfaces {
		return c.whole.Result(id)
	}
	return c.Result(id)
}

// of says in the texts of a result which subject they are about.
func (r *Result) of(subject string) {
	texts := append([]string{r.Reason}, r.Others...)
	switch {
	case r.Verdict == report.Pass:
		r.Reason = ""
	case r.Verdict == report.Fail && len(r.Why) == len(texts):
		r.Why = slices.Clone(r.Why)
		for i := range r.Why {
			r.Why[i].By = subject
			texts[i] = r.Why[i].Text()
		}
		r.Reason, r.Others = texts[0], texts[1:]
	default:
		r.Reason = subject + ": " + cmp.Or(r.Reason, string(r.Verdict))
	}
}

// orOne are the names, or one that is empty where there are none.
func orOne(names []string) []string {
	if len(names) == 0 {
		return []string{""}
	}
	return names
}

// elsewhere judges a requirement in the cases it belongs to, where the case is
// divided; nil where it is judged in this one.
func (c *Case) elsewhere(req *schema.Requirement) *Result {
	switch {
	case c.server != nil && req.About == schema.AboutServer:
		return c.server.Result(req.ID)
	case c.across != nil && req.About == schema.AboutInterfaces:
		return c.together(req, c.across())
	case c.across != nil && req.Across != nil:
		return worse(c.together(req, c.agents), c.together(req, c.across()))
	case len(c.agents) > 0:
		return c.together(req, c.agents)
	}
	return nil
}

// worse is the result that decides of two about the same, of which one may not apply.
func worse(a, b *Result) *Result {
	if b.Verdict == report.NotApplicable || a.Verdict != report.NotApplicable && slices.Index(report.Verdicts(), a.Verdict) <= slices.Index(report.Verdicts(), b.Verdict) {
		return a
	}
	return b
}

// tried reports whether something was said from which a requirement could be judged.
// In the binding that is preferred all is played, so that what is missing there says
// something. In another one that is what a conversation in it showed, or why it came
// to its end.
func (c *Case) tried(req *schema.Requirement, r *Result) bool {
	if !c.beside {
		return true
	}
	if !req.For(c.binding.Kind()) {
		return false
	}
	own := func(id int) bool {
		return slices.ContainsFunc(c.Transcript.Plays, func(p record.Play) bool {
			return p.Subject.Binding == c.spoken && slices.ContainsFunc(p.Steps, func(s record.Step) bool { return s.Exchange != nil && s.Exchange.ID == id })
		})
	}
	if r.Verdict == report.Inconclusive && c.lacks(req) {
		return false
	}
	if slices.ContainsFunc(r.Evidence, func(e report.Evidence) bool { return own(e.Exchange) }) || slices.ContainsFunc(r.Why, func(w report.Why) bool { return own(w.At.Exchange) }) {
		return true
	}
	root := c.root(r)
	if root != r {
		return c.tried(c.Dialect.Requirement(root.ID), root)
	}
	return r.Verdict == report.SuiteError || r.Verdict == report.Inconclusive && r.Stopped
}

// untried says why nothing was said in a binding from which a requirement could be judged.
func (c *Case) untried(req *schema.Requirement, r *Result) string {
	kind := c.binding.Kind()
	if !req.For(kind) {
		return "it is not about " + c.binding.Name()
	}
	unsaid, held := "", false
	for _, step := range c.needs(req) {
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
	case !held && len(c.needs(req)) > 0:
		return "the run held no conversation about it in this binding"
	}
	return "nothing that it is about was seen in this binding"
}

// needs are the steps that a requirement is judged by, where it names any.
func (c *Case) needs(req *schema.Requirement) []string {
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

// lacks reports whether something that a requirement looks at was not played with the
// subject.
func (c *Case) lacks(req *schema.Requirement) bool {
	return slices.ContainsFunc(c.needs(req), func(step string) bool {
		scenario, _, _ := strings.Cut(step, "/")
		p := c.Transcript.Play(scenario)
		return p == nil || p.Subject.Binding != c.spoken && p.Subject.Binding != ""
	})
}

// together is the verdict on all subjects for which the requirement could be judged:
// the worst decides.
func (c *Case) together(req *schema.Requirement, all []*Case) *Result {
	var worst *Result
	var subjects []report.SubjectResult
	about := slices.ContainsFunc(all, func(a *Case) bool { return req.For(a.binding.Kind()) })
	decides, alike := -1, true
	for i, a := range all {
		r := a.Result(req.ID)
		s := report.SubjectResult{Agent: a.subject, Binding: a.spoken, Verdict: r.Verdict}
		if r.Verdict != report.Pass {
			s.Reason = r.Reason
		}
		tried := a.tried(req, r) && (!about || req.For(a.binding.Kind()))
		if !tried {
			s.Verdict, s.Reason = report.NotTried, a.untried(req, r)
		}
		subjects = append(subjects, s)
		if tried {
			alike = alike && (decides < 0 || subjects[decides].Verdict == s.Verdict && subjects[decides].Reason == s.Reason)
		}
		if tried && (worst == nil || slices.Index(report.Verdicts(), r.Verdict) < slices.Index(report.Verdicts(), worst.Verdict)) {
			worst, decides = r, i
		}
	}
	if worst == nil { // as where it would have been tried
		decides = max(0, slices.IndexFunc(all, func(a *Case) bool { return req.For(a.binding.Kind()) }))
		worst = all[decides].Result(req.ID)
	}
	if len(subjects) == 1 {
		return worst
	}
	out := *worst
	out.Subjects = subjects
	if !alike {
		out.of(subjects[decides].Name())
	}
	for i, a := range all {
		if r := a.Result(req.ID); i != decides && r.Verdict == report.Fail && subjects[i].Verdict == report.Fail && out.Verdict == report.Fail {
			out.broken = slices.Concat(out.broken, r.broken)
			out.wide++
		}
	}
	return &out
}
