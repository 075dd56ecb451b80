package judge

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// A step can be left out only where no other rests on it: on its answer for an id, on
// what it made or changed, or on it as the valid call beside a rejection.

// asks adds the steps that the check looks at by name. It reports whether it names any.
func (s *shrinking) asks(to set) bool {
	names := s.c.needs(s.req)
	for i, m := range s.moves {
		p := &s.c.Transcript.Plays[m.play]
		if !s.concerns(p) {
			continue
		}
		step := p.Scenario + "/" + p.Steps[m.step].Name
		if slices.ContainsFunc(names, func(n string) bool {
			return n == step || strings.HasSuffix(n, "#") && isNumbered(step, n)
		}) {
			s.rest(to, i)
		}
	}
	// What was said in a whole conversation is looked at whatever it was.
	return slices.ContainsFunc(names, func(n string) bool { return !strings.HasSuffix(n, "/") })
}

// concerns reports whether a play was held with whom the failure is about, or about what
// is the same for all.
func (s *shrinking) concerns(p *record.Play) bool {
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

// rest adds a step and what it rests on: the valid call beside which it counts, those
// whose answers named what it is about, and those that changed that.
func (s *shrinking) rest(to set, i int) {
	if to[i] {
		return
	}
	to[i] = true
	m := s.moves[i]
	p := &s.c.Transcript.Plays[m.play]
	step := &p.Steps[m.step]
	ids := s.ids(m, step)
	found := map[string]bool{}
	for j, o := range s.moves { // in the order in which they were made, as far as they are of one play
		if j == i || o.play != m.play {
			continue
		}
		other := &p.Steps[o.step]
		switch {
		case step.Twin != "" && other.Name == step.Twin, other.Name == step.Name+"-then", p.Has(ended) && s.ends(p, other), step.Role == record.Alive && j < i:
			s.rest(to, j) // whether a server still serves is told after all that may have harmed it
		case j > i || o.x == nil || m.x == nil:
		case s.surveys(step) && s.makes(other), asksAgain(other.Name, step.Name):
			s.rest(to, j)
		case s.changes(other) && slices.ContainsFunc(ids, func(id string) bool { return strings.Contains(o.text, id) }):
			s.rest(to, j)
		}
		if j < i && o.x != nil && len(found) < len(ids) {
			s.names(to, j, ids, found)
		}
	}
	about := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id != step.Task && id != step.Context })
	for j, o := range s.moves { // a task of another play, which came first
		if len(about) == 0 || len(found) >= len(ids) {
			break
		}
		if o.play != m.play && o.x != nil && m.x != nil && o.x.Before(m.x) {
			s.names(to, j, about, found)
		}
	}
}

// ends reports whether a step saw the task of its play come to its end, on which what
// follows rests.
func (s *shrinking) ends(p *record.Play, step *record.Step) bool {
	return slices.ContainsFunc(p.Reached, func(m record.Milestone) bool { return m.Name == ended && m.Step == step.Name })
}

// names adds a step whose answer is the first to hold one of the ids.
func (s *shrinking) names(to set, j int, ids []string, found map[string]bool) {
	for _, id := range ids {
		if o := s.moves[j]; !found[id] && bytes.Contains(o.x.Response.Body, []byte(id)) {
			found[id] = true
			s.rest(to, j)
		}
	}
}

// surveys reports whether a step shows what there is, and so all that was made before.
func (s *shrinking) surveys(step *record.Step) bool {
	op, known := s.c.Dialect.Operations[step.Op]
	return known && op.Reads && op.About == ""
}

// repeated are the names of steps that ask the same again and again.
var repeated = regexp.MustCompile(`^(.*-)([0-9]+)$`)

// asksAgain reports whether a step asks again what another one asked: a server may answer
// the third time otherwise. Of many only the last matters, which tells what came of it.
func asksAgain(before, step string) bool {
	const many = 6
	a, b := repeated.FindStringSubmatch(before), repeated.FindStringSubmatch(step)
	if a == nil || b == nil || a[1] != b[1] {
		return false
	}
	n, err := strconv.Atoi(b[2])
	return err == nil && n <= many
}

// makes reports whether a step may have made something, or changed it.
func (s *shrinking) makes(step *record.Step) bool {
	op, known := s.c.Dialect.Operations[step.Op]
	return known && !op.Reads && !step.Invalid
}

// changes reports whether a step may have changed what a later one is about.
func (s *shrinking) changes(step *record.Step) bool {
	op, known := s.c.Dialect.Operations[step.Op]
	return known && !op.Reads && (step.Role == record.Main || step.Role == record.Twin)
}

var madeUp = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// ids are the texts in a request that stand for something: ids, and what the server gave
// the call to be sent back.
func (s *shrinking) ids(m move, step *record.Step) []string {
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

// looks adds what was asked of the same task before, where an answer contradicts an
// earlier one: a server may change its mind by the third look.
func (s *shrinking) looks(shown set) {
	const most = 12
	for i := range shown.copy() {
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
			s.rest(shown, j)
		}
	}
}

// closed reports whether no step lacks one that it rests on.
func (s *shrinking) closed(part set) bool {
	for i := range part {
		needs := set{}
		s.rest(needs, i)
		for j := range needs {
			if !part[j] {
				return false
			}
		}
	}
	return true
}
