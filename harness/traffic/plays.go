package traffic

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
)

// candidate is a play that was found, with the calls of its steps.
type candidate struct {
	rule  *playRule
	steps []foundStep
}

type foundStep struct {
	name string
	call *foundCall
}

// findStep returns the call of a step; of a numbered one the last.
func (p *candidate) findStep(name string) *foundCall {
	for i := len(p.steps) - 1; i >= 0; i-- {
		if s := p.steps[i]; s.name == name || strings.HasSuffix(name, "#") && strings.HasPrefix(s.name, strings.TrimSuffix(name, "#")) {
			return s.call
		}
	}
	return nil
}

// isJoined reports whether a candidate has steps of several plays.
func (p *candidate) isJoined() bool {
	return slices.ContainsFunc(p.steps, func(s foundStep) bool { return strings.Contains(s.name, "/") })
}

// maxCandidates bounds how many calls are tried as the beginning of one play, spread evenly over a recording.
const maxCandidates = 200

// Counted is how many calls could begin a play, and how many of them were tried.
type Counted struct{ Tried, Of int }

// findCandidates returns the plays of a rule that are found in calls, and how many were tried.
func findCandidates(d *schema.Dialect, rule *playRule, calls []*foundCall) (out []*candidate, count Counted) {
	if len(rule.Dialects) > 0 && !slices.Contains(rule.Dialects, d.Name) {
		return nil, count
	}
	m := &matcher{d: d, rule: rule, calls: calls}
	var anchors []int
	for i, c := range calls {
		if m.fitsStep(&candidate{rule: rule}, &rule.Steps[0], c) {
			anchors = append(anchors, i)
		}
	}
	count.Of = len(anchors)
	for _, i := range spreadEvenly(anchors, maxCandidates) {
		count.Tried++
		if p := m.buildCandidate(i); p != nil {
			out = append(out, p)
		}
	}
	return out, count
}

// spreadEvenly returns at most so many of a list, evenly.
func spreadEvenly[V any](all []V, most int) []V {
	if len(all) <= most {
		return all
	}
	out := make([]V, most)
	for i := range out {
		out[i] = all[i*len(all)/most]
	}
	return out
}

// matcher looks for the steps of one play.
type matcher struct {
	d     *schema.Dialect
	rule  *playRule
	calls []*foundCall
}

// maxAhead bounds how many calls after an anchor are looked at for the other steps.
const maxAhead = 3000

// buildCandidate looks for the steps after an anchor; nil if one that is needed is not there.
func (m *matcher) buildCandidate(anchor int) *candidate {
	p := &candidate{rule: m.rule}
	used := map[*foundCall]bool{m.calls[anchor]: true}
	p.steps = append(p.steps, foundStep{m.rule.Steps[0].Name, m.calls[anchor]})
	ahead := m.calls[anchor+1 : min(len(m.calls), anchor+1+maxAhead)]
	for i := 1; i < len(m.rule.Steps); i++ {
		s := &m.rule.Steps[i]
		found := 0
		for _, c := range ahead {
			if used[c] || c.Binding != m.calls[anchor].Binding || c.findEndpoint(m.d) != m.calls[anchor].findEndpoint(m.d) || !m.fitsStep(p, s, c) {
				continue
			}
			found++
			used[c] = true
			name := s.Name
			if s.isNumbered() {
				name = strings.TrimSuffix(name, "#") + strconv.Itoa(found)
			}
			p.steps = append(p.steps, foundStep{name, c})
			if !s.isNumbered() || found == maxNumbered || s.Until != "" && m.showsWord(c, s.Until) {
				break
			}
		}
		if (found == 0 || s.Reaches != "" && !m.showsWord(p.steps[len(p.steps)-1].call, s.Reaches)) && s.Needed {
			return nil
		}
	}
	return p
}

// maxNumbered bounds how many calls one numbered step has.
const maxNumbered = 200

// fitsStep reports whether a call can be a step of a play of which the steps before were found.
func (m *matcher) fitsStep(p *candidate, s *stepRule, c *foundCall) bool {
	if c.Unusual != "" || !slices.Contains(s.Role, c.Role) || !m.fitsAnswer(s, c) || !m.fitsParams(s, c) {
		return false
	}
	if len(p.steps) > 0 && !(m.fitsTime(p, s, c) && m.fitsIDs(p, s, c)) {
		return false
	}
	earlier := func(o *foundCall) bool {
		return o.Op == c.Op && o.Task == c.Task && o.Exchange.Start < c.Exchange.Start
	}
	return !(s.Earliest && slices.ContainsFunc(m.calls, earlier)) && !(s.Calm && m.isDisturbed(p, c))
}

// isDisturbed reports whether somebody changed the task of a call, or spoke in its context, between the step before, or the
// beginning of the call if it is an anchor, and its end.
func (m *matcher) isDisturbed(p *candidate, c *foundCall) bool {
	from := c.Exchange.Start
	if len(p.steps) > 0 {
		from = p.steps[len(p.steps)-1].call.Exchange.Start
	}
	return slices.ContainsFunc(m.calls, func(o *foundCall) bool {
		op := m.d.Operation(o.Op)
		if o == c || len(p.steps) > 0 && o == p.steps[len(p.steps)-1].call || op.Reads || o.by == nil || o.Exchange.End < from || o.Exchange.Start > c.Exchange.End {
			return false
		}
		return o.aboutTask() != "" && o.aboutTask() == c.aboutTask() || op.Agent && o.inContext() != "" && o.inContext() == c.inContext()
	})
}
