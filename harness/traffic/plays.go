package traffic

import (
	"net/url"
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
	name  string
	call  *foundCall
	agent string // that it is about, in a play with the agents of a server
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

// findNamed returns the call of a step; the anchor if there is no name.
func (p *candidate) findNamed(name string) *foundCall {
	if name == "" {
		return p.steps[0].call
	}
	return p.findStep(name)
}

// isJoined reports whether a candidate has steps of several plays.
func (p *candidate) isJoined() bool {
	return slices.ContainsFunc(p.steps, func(s foundStep) bool { return strings.Contains(s.name, "/") })
}

// maxCandidates bounds how many calls are tried as the beginning of one play, spread evenly over a recording.
const maxCandidates = 200

// Counted is how many calls could begin a play, and how many of them were tried.
type Counted struct{ Tried, Of int }

// callIndex finds the calls that a step may be, in their order, without looking at all of them.
type callIndex struct {
	calls     []*foundCall
	of        map[*foundCall]int // the place of each call
	byRole    map[string][]int
	byTask    map[string][]int // the calls that are about a task, or begin it
	byContext map[string][]int
}

// newCallIndex makes the index of calls.
func newCallIndex(d *schema.Dialect, calls []*foundCall) *callIndex {
	x := &callIndex{calls: calls, of: map[*foundCall]int{}, byRole: map[string][]int{}, byTask: map[string][]int{}, byContext: map[string][]int{}}
	for i, c := range calls {
		c.endpoint = c.findEndpoint(d)
		x.of[c] = i
		x.byRole[c.Role] = append(x.byRole[c.Role], i)
		x.byTask[c.aboutTask()] = append(x.byTask[c.aboutTask()], i)
		x.byContext[c.inContext()] = append(x.byContext[c.inContext()], i)
	}
	return x
}

// listOfRoles returns the places of calls that have one of some roles, in their order.
func (x *callIndex) listOfRoles(roles []string) (out []int) {
	if len(roles) == 1 {
		return x.byRole[roles[0]]
	}
	for _, role := range roles {
		out = append(out, x.byRole[role]...)
	}
	slices.Sort(out)
	return out
}

// listAfter returns the calls at some places that come after an anchor, and not too long after it.
func (x *callIndex) listAfter(places []int, anchor int) (out []*foundCall) {
	first, _ := slices.BinarySearch(places, anchor+1)
	for _, i := range places[first:] {
		if i > anchor+maxAhead {
			break
		}
		out = append(out, x.calls[i])
	}
	return out
}

// findCandidates returns the plays of a rule that are found in calls, and how many were tried.
func findCandidates(d *schema.Dialect, rule *playRule, calls *callIndex) (out []*candidate, count Counted) {
	if len(rule.Dialects) > 0 && !slices.Contains(rule.Dialects, d.Name) {
		return nil, count
	}
	m := &matcher{d: d, rule: rule, index: calls}
	var anchors []int
	for _, i := range calls.listOfRoles(rule.Steps[0].Role) {
		if m.fitsStep(&candidate{rule: rule}, &rule.Steps[0], calls.calls[i]) {
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
	index *callIndex
}

// maxAhead bounds how many calls after an anchor are looked at for the other steps.
const maxAhead = 3000

// listForStep returns the calls after an anchor that may be a step: those about the task, or in the context, that the step
// has to be about, and else those that have its role.
func (m *matcher) listForStep(p *candidate, s *stepRule, anchor int) []*foundCall {
	places := m.index.listOfRoles(s.Role)
	narrow := func(by map[string][]int, id string) {
		if of := by[id]; len(of) < len(places) {
			places = of
		}
	}
	isAboutTask := func(role string) bool {
		for op := role; op != ""; op, _, _ = cutLast(op, "-") {
			if m.d.Has(op) {
				return m.d.Operation(op).About == schema.AboutTask || m.d.Operation(op).Agent
			}
		}
		return false
	}
	switch {
	case s.Context != "":
		if of := p.findNamed(s.Context); of != nil {
			narrow(m.index.byContext, of.inContext())
		}
	case s.Apart != "" || s.Task == "any":
	case !slices.ContainsFunc(s.Role, func(role string) bool { return !isAboutTask(role) }):
		if of := p.findNamed(s.Task); of != nil {
			narrow(m.index.byTask, of.aboutTask())
		}
	}
	return m.index.listAfter(places, anchor)
}

// cutLast cuts a text around the last of the separators in it.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}

// buildCandidate looks for the steps after an anchor; nil if one that is needed is not there.
func (m *matcher) buildCandidate(anchor int) *candidate {
	p := &candidate{rule: m.rule}
	first := m.index.calls[anchor]
	used := map[*foundCall]bool{first: true}
	p.steps = append(p.steps, foundStep{name: m.rule.Steps[0].Name, call: first})
	for i := 1; i < len(m.rule.Steps); i++ {
		s := &m.rule.Steps[i]
		found := 0
		for _, c := range m.listForStep(p, s, anchor) {
			if used[c] || !isOfSamePlace(first, c) || c.isOfOtherCaller(first) || !m.fitsStep(p, s, c) {
				continue
			}
			found++
			used[c] = true
			name := s.Name
			if s.isNumbered() {
				name = strings.TrimSuffix(name, "#") + strconv.Itoa(found)
			}
			p.steps = append(p.steps, foundStep{name, c, m.findAgent(s, c)})
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

// isOfSamePlace reports whether two calls went to the same server: to one interface or, if one of them asked for a document, to
// one origin.
func isOfSamePlace(a, b *foundCall) bool {
	if a.Op == documentOp || b.Op == documentOp {
		return readOrigin(a.Exchange.URL) == readOrigin(b.Exchange.URL)
	}
	return a.Binding == b.Binding && a.endpoint == b.endpoint
}

// readOrigin returns the origin of an address; "" if it has none.
func readOrigin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
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
	if s.Still && !haveSameStatus(p.steps[len(p.steps)-1].call, c) {
		return false
	}
	earlier := func(o *foundCall) bool {
		return o.Op == c.Op && o.Task == c.Task && o.Exchange.Start < c.Exchange.Start
	}
	return !(s.Earliest && m.hasAny(m.index.byTask[c.aboutTask()], earlier)) && !(s.Calm && m.isDisturbed(p, c))
}

// isDisturbed reports whether somebody changed the task of a call, or spoke in its context, between the step before, or the
// beginning of the call if it is an anchor, and its end.
func (m *matcher) isDisturbed(p *candidate, c *foundCall) bool {
	from := c.Exchange.Start
	if len(p.steps) > 0 {
		from = p.steps[len(p.steps)-1].call.Exchange.Start
	}
	disturbs := func(o *foundCall) bool {
		op := m.d.Operation(o.Op)
		return o != c && !(len(p.steps) > 0 && o == p.steps[len(p.steps)-1].call) && !op.Reads && o.by != nil && o.Exchange.End >= from && o.Exchange.Start <= c.Exchange.End
	}
	speaks := func(o *foundCall) bool { return m.d.Operation(o.Op).Agent && disturbs(o) }
	return c.aboutTask() != "" && m.hasAny(m.index.byTask[c.aboutTask()], disturbs) || c.inContext() != "" && m.hasAny(m.index.byContext[c.inContext()], speaks)
}

// hasAny reports whether one of the calls at some places is such a one.
func (m *matcher) hasAny(places []int, such func(*foundCall) bool) bool {
	return slices.ContainsFunc(places, func(i int) bool { return such(m.index.calls[i]) })
}
