package verdict

import (
	"bytes"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A step can be left out only if no other rests on it: on its answer for an id, on
// what it made or changed, or on it as the valid counterpart of a rejected call.

// addNamedStepsReportingAny adds the steps that the check looks at by name. It reports whether it names any.
func (s *reducer) addNamedStepsReportingAny(to stepSet) bool {
	names := s.c.neededStepNames(s.req)
	for i, m := range s.moves {
		p := &s.c.Transcript.Plays[m.play]
		if !s.concernsSubject(p) {
			continue
		}
		step := p.Scenario + "/" + p.Steps[m.step].Name
		if slices.ContainsFunc(names, func(n string) bool {
			return n == step || strings.HasSuffix(n, "#") && isNumbered(step, n)
		}) {
			s.addWithDependencies(to, i)
		}
	}
	// What was sent in a whole conversation is looked at whatever it was.
	return slices.ContainsFunc(names, func(n string) bool { return !strings.HasSuffix(n, "/") })
}

// concernsSubject reports whether a play was held with whom the failure is about, or about what
// is the same for all.
func (s *reducer) concernsSubject(p *record.Play) bool {
	if p.Subject == s.of || p.Subject == (record.Subject{}) || p.Scenario == "card" {
		return true
	}
	f := &s.c.Transcript.Facts
	return s.of == (record.Subject{}) && (len(f.Bindings) == 0 || p.Subject.Binding == f.Bindings[0]) && (len(f.Agents) == 0 || p.Subject.Agent == f.Agents[0])
}

func isNumbered(step, name string) bool {
	base := strings.TrimSuffix(name, "#")
	return strings.HasPrefix(step, base) && strings.Trim(step[len(base):], "0123456789") == ""
}

// addWithDependencies adds a step and what it rests on: the valid counterpart without which it does not count, those
// whose answers named what it is about, and those that changed that.
func (s *reducer) addWithDependencies(to stepSet, i int) {
	if to[i] {
		return
	}
	to[i] = true
	m := s.moves[i]
	p := &s.c.Transcript.Plays[m.play]
	step := &p.Steps[m.step]
	ids := s.requestIDs(m, step)
	found := map[string]bool{}
	for j, o := range s.moves { // in the order in which they were made, as far as they are of one play
		if j == i || o.play != m.play {
			continue
		}
		other := &p.Steps[o.step]
		switch {
		case step.Twin != "" && other.Name == step.Twin, other.Name == step.Name+"-then", p.Has(ended) && s.isTaskEndAtStep(p, other), step.Role == record.Alive && j < i:
			s.addWithDependencies(to, j) // whether a server still serves is asked after all that may have harmed it
		case j > i || o.x == nil || m.x == nil:
		case s.isListing(step) && s.mayCreate(other), asksAgain(other.Name, step.Name):
			s.addWithDependencies(to, j)
		case s.mayChange(other) && slices.ContainsFunc(ids, func(id string) bool { return strings.Contains(o.text, id) }):
			s.addWithDependencies(to, j)
		}
		if j < i && o.x != nil && len(found) < len(ids) {
			s.addStepIfFirstHoldingID(to, j, ids, found)
		}
	}
	about := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id != step.Task && id != step.Context })
	for j, o := range s.moves { // a task of another play, which came first
		if len(about) == 0 || len(found) >= len(ids) {
			break
		}
		if o.play != m.play && o.x != nil && m.x != nil && o.x.Before(m.x) {
			s.addStepIfFirstHoldingID(to, j, about, found)
		}
	}
}

// isTaskEndAtStep reports whether a step saw the task of its play come to its end, on which what
// follows rests.
func (s *reducer) isTaskEndAtStep(p *record.Play, step *record.Step) bool {
	return slices.ContainsFunc(p.Reached, func(m record.Milestone) bool { return m.Name == ended && m.Step == step.Name })
}

// addStepIfFirstHoldingID adds a step whose answer is the first to hold one of the ids.
func (s *reducer) addStepIfFirstHoldingID(to stepSet, j int, ids []string, found map[string]bool) {
	for _, id := range ids {
		if o := s.moves[j]; !found[id] && bytes.Contains(o.x.Response.Body, []byte(id)) {
			found[id] = true
			s.addWithDependencies(to, j)
		}
	}
}

// isListing reports whether a step shows what there is, and so all that was made before.
func (s *reducer) isListing(step *record.Step) bool {
	op, known := s.c.Dialect.Operations[step.Op]
	return known && op.Reads && op.About == ""
}

// repeated are the names of steps that ask the same again and again.
var repeated = regexp.MustCompile(`^(.*-)([0-9]+)$`)

// asksAgain reports whether a step asks again what another one asked: a server may answer
// the third time otherwise. Of many only the last matters, which shows the outcome.
func asksAgain(before, step string) bool {
	const many = 6
	a, b := repeated.FindStringSubmatch(before), repeated.FindStringSubmatch(step)
	if a == nil || b == nil || a[1] != b[1] {
		return false
	}
	n, err := strconv.Atoi(b[2])
	return err == nil && n <= many
}

// mayCreate reports whether a step may have made something, or changed it.
func (s *reducer) mayCreate(step *record.Step) bool {
	op, known := s.c.Dialect.Operations[step.Op]
	return known && !op.Reads && !step.Invalid
}

// mayChange reports whether a step may have changed what a later one is about.
func (s *reducer) mayChange(step *record.Step) bool {
	op, known := s.c.Dialect.Operations[step.Op]
	return known && !op.Reads && (step.Role == record.Main || step.Role == record.Twin)
}

var madeUp = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// requestIDs returns the texts in a request that stand for something: ids, and what the server gave
// the call to be sent back.
func (s *reducer) requestIDs(m move, step *record.Step) []string {
	if m.x == nil || m.x.Dir != record.Out {
		return nil
	}
	ids := madeUp.FindAllString(m.text, -1)
	for _, own := range []string{step.Task, step.Context} {
		if own != "" {
			ids = append(ids, own)
		}
	}
	for _, t := range tokens().FindAllStringSubmatch(m.text, -1) {
		ids = append(ids, t[1])
	}
	if u, err := url.Parse(m.x.URL); err == nil {
		for name, values := range u.Query() {
			if strings.HasSuffix(name, "oken") || strings.HasSuffix(name, "After") {
				ids = append(ids, values...)
			}
		}
	}
	slices.Sort(ids)
	return slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return len(id) < 4 })
}

// tokens are the texts by which a list is asked for its next page, and the like.
var tokens = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"[A-Za-z]*(?:[tT]oken|[cC]ursor|[iI]d|After)"\s*:\s*"([^"\\]{4,400})"`)
})

// addEarlierStepsOnTask adds what was asked of the same task before, if an answer contradicts an
// earlier one: a server may change its mind by the third look.
func (s *reducer) addEarlierStepsOnTask(shown stepSet) {
	const most = 12
	for i := range maps.Clone(shown) {
		m := s.moves[i]
		p := &s.c.Transcript.Plays[m.play]
		if m.x == nil || m.x.ID != s.want.At.Exchange {
			continue
		}
		var before []int
		for j, o := range s.moves[:i] {
			if o.play == m.play && o.x != nil && p.Steps[o.step].Task != "" && p.Steps[o.step].Task == p.Steps[m.step].Task && o.x.Before(m.x) {
				before = append(before, j)
			}
		}
		for _, j := range before[:min(most, len(before))] {
			s.addWithDependencies(shown, j)
		}
	}
}

// hasAllDependencies reports whether no step lacks one that it rests on.
func (s *reducer) hasAllDependencies(part stepSet) bool {
	for i := range part {
		needs := stepSet{}
		s.addWithDependencies(needs, i)
		for j := range needs {
			if !part[j] {
				return false
			}
		}
	}
	return true
}

// reducer looks for the fewest calls that show a failure.
type reducer struct {
	c            *Decider
	req          *schema.Requirement
	want         report.Why
	most, judged int
	moves        []move
	of           record.Subject // whom the failure is about
	held         []string       // what the sentence rests on, and holds here
}

// stepSet is a choice of moves.
type stepSet map[int]bool

// playIndexes returns the plays of which a step is chosen.
func (s stepSet) playIndexes(of *reducer) map[int]bool {
	out := map[int]bool{}
	for i := range s {
		out[of.moves[i].play] = true
	}
	return out
}

// ended is the milestone of a play that saw its task come to its end.
const ended = "ended"
