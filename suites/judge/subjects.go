package judge

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// SubjectResult is the verdict on one of several agents.
type SubjectResult struct {
	Agent   string  `json:"agent"`
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason,omitempty"`
}

// divide makes a case of its own for each agent that was chosen, and one for
// the server: each sees the conversations that were held with it.
func (c *Case) divide() {
	if len(c.Transcript.Facts.Agents) == 0 {
		return
	}
	part := func(agent string) *Case {
		t := *c.Transcript
		t.Facts.Agents = nil
		t.Plays = slices.DeleteFunc(slices.Clone(t.Plays), func(p wire.Play) bool {
			return p.Subject.Agent != agent && (p.Subject.Agent != "" || p.Scenario != "card")
		})
		sub := NewCase(c.Dialect, &t, c.Checks, c.cache)
		sub.Track, sub.subject = c.Track, agent
		return sub
	}
	c.server = part("")
	for _, agent := range c.Transcript.Facts.Agents {
		sub := part(agent)
		sub.server = c.server
		c.agents = append(c.agents, sub)
	}
	if len(c.agents) == 1 {
		c.subject = c.agents[0].subject
	}
}

// elsewhere judges a requirement in the cases it belongs to, where the case is
// divided; nil where it is judged in this one.
func (c *Case) elsewhere(req *schema.Requirement) *Result {
	switch {
	case c.server != nil && req.About == schema.AboutServer:
		return c.server.Result(req.ID)
	case len(c.agents) > 0:
		return c.together(req.ID)
	}
	return nil
}

// together is the verdict on all agents: the worst decides.
func (c *Case) together(id string) *Result {
	var worst *Result
	var subjects []SubjectResult
	grave := func(r *Result) int { return slices.Index(Verdicts(), r.Verdict) }
	alike := true
	for _, a := range c.agents {
		r := a.Result(id)
		s := SubjectResult{Agent: a.subject, Verdict: r.Verdict}
		if r.Verdict != Pass {
			s.Reason = r.Reason
		}
		subjects = append(subjects, s)
		alike = alike && subjects[0] == SubjectResult{subjects[0].Agent, s.Verdict, s.Reason}
		if worst == nil || grave(r) < grave(worst) {
			worst = r
		}
	}
	if len(subjects) == 1 {
		return worst
	}
	out := *worst
	out.Subjects = subjects
	if !alike {
		i := slices.IndexFunc(subjects, func(s SubjectResult) bool { return s.Verdict == worst.Verdict })
		out.Reason = fmt.Sprintf("agent %s: %s", Shorten(subjects[i].Agent, 60), worst.Reason)
		if worst.Verdict == Pass {
			out.Reason = ""
		}
	}
	return &out
}
