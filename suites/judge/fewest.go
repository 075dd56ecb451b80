package judge

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Whoever repeats a failure wants to make few calls. Which ones show it is found out by
// leaving steps out of a copy of the transcript and asking the check again: what it says
// of the copy counts, and nothing is guessed.

// perFailure bounds how often one failure is judged again.
const perFailure = 24

// RestOn has the report know the case that its results were judged in.
func (r *Report) RestOn(c *Case) { r.of = c }

// Rests reports whether the report knows the case that its results were judged in.
func (r *Report) Rests() bool { return r.of != nil }

// Fewest is a transcript with the fewest calls that were found on which a requirement
// fails as it does here, and how often it was judged for that, at most so many times. It
// is nil where there is none.
func (r *Report) Fewest(id string, most int) (t *wire.Transcript, judged int) {
	if r.of == nil {
		return nil, 0
	}
	s := r.of.shrinking(id, min(most, perFailure))
	if s == nil {
		return nil, 0
	}
	return s.fewest(), s.judged
}

// FailsOn reports whether a requirement fails on another transcript by the same failure
// as here: in the same exchange, and for want of the same.
func (r *Report) FailsOn(id string, t *wire.Transcript) bool {
	if r.of == nil {
		return false
	}
	s := r.of.shrinking(id, 1)
	return s != nil && s.fails(t)
}

// shrinking looks for the fewest calls that show a failure.
type shrinking struct {
	c            *Case
	req          *schema.Requirement
	want         Why
	most, judged int
	moves        []move
	of           wire.Subject // whom the failure is about
	held         []string     // what the sentence rests on, and holds here
}

// move is a step of a play.
type move struct {
	play, step int
	x          *wire.Exchange
	text       string // of the request: its address, its body, and what it is about
}

func (c *Case) shrinking(id string, most int) *shrinking {
	s := &shrinking{c: c, req: c.Dialect.Requirement(id), most: most}
	if s.req == nil {
		return nil
	}
	r := c.Result(id)
	if r.Verdict != Fail && r.Verdict != Waived || len(r.Why) == 0 || r.Why[0].At.Exchange == 0 {
		return nil
	}
	s.want, s.moves = r.Why[0], c.moves()
	for _, m := range s.moves {
		if m.x != nil && m.x.ID == s.want.At.Exchange {
			s.of = c.Transcript.Plays[m.play].Subject
		}
	}
	for _, id := range s.req.After {
		if v := c.prior(id).Verdict; v == Pass || v == NotApplicable {
			s.held = append(s.held, id)
		}
	}
	return s
}

// moves are the steps of all plays.
func (c *Case) moves() []move {
	c.moving.Do(func() {
		for i, p := range c.Transcript.Plays {
			for j, step := range p.Steps {
				m := move{i, j, step.Exchange, ""}
				if x := step.Exchange; x != nil && x.Dir == wire.Out {
					m.text = x.URL + " " + string(x.Request.Body) + " " + step.Task + " " + step.Context
				}
				c.moved = append(c.moved, m)
			}
		}
	})
	return c.moved
}

// fewest tries parts of the transcript, the smallest first, and leaves steps out of the
// first that shows the failure.
func (s *shrinking) fewest() *wire.Transcript {
	shown := set{}
	for i, m := range s.moves {
		if m.x != nil && (m.x.ID == s.want.At.Exchange || s.want.Against != nil && m.x.ID == s.want.Against.At.Exchange) {
			s.rest(shown, i)
		}
	}
	if s.want.Against != nil {
		s.looks(shown)
	}
	asked := shown.copy()
	named := s.asks(asked)
	cards, beside, whole := asked.copy(), asked.copy(), asked.copy()
	for i, m := range s.moves {
		p := &s.c.Transcript.Plays[m.play]
		switch {
		case p.Scenario == "card":
			cards[i], beside[i], whole[i] = true, true, true
		case p.Scenario == "quick" && s.concerns(p):
			beside[i], whole[i] = true, true
		case shown.plays(s)[m.play]:
			whole[i] = true
		}
	}
	for n, part := range []set{asked, cards, beside, whole} {
		kept, alone := s.shows(part)
		if !kept {
			continue
		}
		least := asked
		if named && s.missable(part, shown, alone) {
			least = shown.copy()
			for i := range asked { // what is looked at in one conversation belongs together
				if shown.plays(s)[s.moves[i].play] {
					least[i] = true
				}
			}
		}
		if n > 0 || len(least) < len(part) {
			part = s.without(part, least, alone)
		}
		return s.part(s.withInstance(part, alone), alone)
	}
	return nil
}

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

// withInstance adds a call on which the sentence holds, where it is about every error and
// was broken by a valid call: to a server without the fault that one shows no error, by
// which nothing could be told.
func (s *shrinking) withInstance(part set, alone bool) set {
	if !strings.Contains(s.req.Every, "error") {
		return part
	}
	for i := range part {
		if m := s.moves[i]; m.x != nil && m.x.ID == s.want.At.Exchange {
			if step := &s.c.Transcript.Plays[m.play].Steps[m.step]; step.Invalid || step.Role == wire.Probe {
				return part
			}
		}
	}
	tries := 6
	for i, m := range s.moves {
		p := &s.c.Transcript.Plays[m.play]
		if step := &p.Steps[m.step]; part[i] || m.x == nil || !m.x.Answered() || !step.Invalid && step.Role != wire.Probe && !strings.Contains(p.Scenario, "fault") || !s.concerns(p) {
			continue
		}
		if tries--; tries < 0 || s.judged >= s.most {
			break
		}
		more := part.copy()
		s.rest(more, i)
		other := set{}
		s.rest(other, i)
		for j := range part { // but for what shows the failure
			if s.moves[j].x == nil || s.moves[j].x.ID != s.want.At.Exchange {
				other[j] = true
			}
		}
		s.judged++
		if NewCase(s.c.Dialect, s.part(other, alone), s.c.Checks, nil).Result(s.req.ID).Verdict == Pass && s.again(more, alone) {
			return more
		}
	}
	return part
}

// shows reports whether a part shows the failure: to a server of one agent and one
// binding, or as it was.
func (s *shrinking) shows(part set) (kept, alone bool) {
	if f := s.c.Transcript.Facts; len(f.Bindings) > 1 && s.of.Binding != "" || len(f.Agents) > 0 {
		if s.again(part, true) {
			return true, true
		}
	}
	return s.again(part, false), false
}

// missable reports whether the sentence is held to be kept where the calls that break it
// are left out: then a server that keeps it needs no other call than those.
func (s *shrinking) missable(part, shown set, alone bool) bool {
	others := part.copy()
	for i := range shown {
		delete(others, i)
	}
	if len(others) == 0 || s.judged >= s.most {
		return false
	}
	s.judged++
	return NewCase(s.c.Dialect, s.part(others, alone), s.c.Checks, nil).Result(s.req.ID).Verdict == Pass
}

// without leaves steps out, from the last to the first, as long as the failure shows.
func (s *shrinking) without(part, least set, alone bool) set {
	bare := set{}
	for i := range least {
		bare[i] = true
	}
	if s.again(bare, alone) {
		return bare
	}
	for i := len(s.moves) - 1; i >= 0; i-- {
		if !part[i] || least[i] {
			continue
		}
		less := part.copy()
		delete(less, i)
		if s.closed(less) && s.again(less, alone) {
			part = less
		}
	}
	return part
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

// again judges a part of the transcript, unless that was done often enough.
func (s *shrinking) again(part set, alone bool) bool {
	if s.judged >= s.most || len(part) == 0 {
		return false
	}
	s.judged++
	return s.fails(s.part(part, alone))
}

func (s *shrinking) fails(t *wire.Transcript) bool {
	r := NewCase(s.c.Dialect, t, s.c.Checks, nil).Result(s.req.ID)
	return r.Verdict == Fail && slices.ContainsFunc(r.Why, func(w Why) bool {
		return w.At.Exchange == s.want.At.Exchange && w.Due == s.want.Due
	})
}

// ended is the milestone of a play that saw its task come to its end.
const ended = "ended"

// part is a transcript with some of the steps. What the run knew besides, as that a task
// had come to its end, is left out: a repetition has to show it.
func (s *shrinking) part(kept set, alone bool) *wire.Transcript {
	whole := s.c.Transcript
	t := &wire.Transcript{Started: whole.Started, Duration: whole.Duration, Facts: whole.Facts}
	f := &t.Facts
	f.Waivers, f.Baseline, f.Tried, f.Waited, f.Cut, f.Disguise, f.Offers = nil, nil, nil, nil, "", false, nil
	f.Selection, f.Held = operator.Selection{Run: []string{s.req.ID}}, s.held
	if alone {
		f.Agents = nil
		if s.of.Binding != "" {
			f.Bindings = []string{s.of.Binding}
			if at := f.Endpoints[s.of.Binding]; at != "" {
				f.RPC = at
			}
		}
	}
	seen, last := map[*wire.Exchange]bool{}, map[int]int{}
	for i, m := range s.moves {
		if !kept[i] {
			continue
		}
		from := &whole.Plays[m.play]
		if n := len(t.Plays); n == 0 || t.Plays[n-1].Scenario != from.Scenario || t.Plays[n-1].Subject != from.Subject || t.Plays[n-1].Attempt != from.Attempt {
			p := *from
			p.Reached, p.Stop, p.Steps = nil, "", nil
			t.Plays = append(t.Plays, p)
		}
		step := from.Steps[m.step]
		for _, r := range from.Reached {
			if r.Name == ended && r.Step == step.Name { // what the answer there shows is looked at
				t.Plays[len(t.Plays)-1].Reached = append(t.Plays[len(t.Plays)-1].Reached, r)
			}
		}
		step.Late, step.Limited, step.Because = "", "", ""
		p := &t.Plays[len(t.Plays)-1]
		step.Wait = from.Waited(last[len(t.Plays)-1], m.step)
		last[len(t.Plays)-1] = m.step
		p.Steps = append(p.Steps, step)
		if m.x != nil && !seen[m.x] {
			seen[m.x] = true
			t.Exchanges = append(t.Exchanges, m.x)
		}
	}
	return t
}

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
func (s *shrinking) concerns(p *wire.Play) bool {
	if p.Subject == s.of || p.Subject == (wire.Subject{}) || p.Scenario == "card" {
		return true
	}
	f := &s.c.Transcript.Facts
	return s.of == (wire.Subject{}) && (len(f.Bindings) == 0 || p.Subject.Binding == f.Bindings[0]) && (len(f.Agents) == 0 || p.Subject.Agent == f.Agents[0])
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
		case step.Twin != "" && other.Name == step.Twin, other.Name == step.Name+"-then", p.Has(ended) && s.ends(p, other), step.Role == wire.Alive && j < i:
			s.rest(to, j) // whether a server still serves is told after all that may have harmed it
		case j > i || o.x == nil || m.x == nil:
		case s.surveys(step) && s.makes(other), again(other.Name, step.Name):
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
func (s *shrinking) ends(p *wire.Play, step *wire.Step) bool {
	return slices.ContainsFunc(p.Reached, func(m wire.Milestone) bool { return m.Name == ended && m.Step == step.Name })
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
func (s *shrinking) surveys(step *wire.Step) bool {
	op, known := s.c.Dialect.Operations[step.Op]
	return known && op.Reads && op.About == ""
}

// repeated are the names of steps that ask the same again and again.
var repeated = regexp.MustCompile(`^(.*-)([0-9]+)$`)

// again reports whether a step asks again what another one asked: a server may answer
// the third time otherwise. Of many only the last matters, which tells what came of it.
func again(before, step string) bool {
	const many = 6
	a, b := repeated.FindStringSubmatch(before), repeated.FindStringSubmatch(step)
	if a == nil || b == nil || a[1] != b[1] {
		return false
	}
	n, err := strconv.Atoi(b[2])
	return err == nil && n <= many
}

// makes reports whether a step may have made something, or changed it.
func (s *shrinking) makes(step *wire.Step) bool {
	op, known := s.c.Dialect.Operations[step.Op]
	return known && !op.Reads && !step.Invalid
}

// changes reports whether a step may have changed what a later one is about.
func (s *shrinking) changes(step *wire.Step) bool {
	op, known := s.c.Dialect.Operations[step.Op]
	return known && !op.Reads && (step.Role == wire.Main || step.Role == wire.Twin)
}

var madeUp = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// ids are the texts in a request that stand for something: ids, and what the server gave
// the call to be sent back.
func (s *shrinking) ids(m move, step *wire.Step) []string {
	if m.x == nil || m.x.Dir != wire.Out {
		return nil
	}
	ids := madeUp.FindAllString(m.text, -1)
	for _, own := range []string{step.Task, step.Context} {
		if own != "" {
			ids = append(ids, own)
		}
	}
	for _, t := range tokens.FindAllStringSubmatch(m.text, -1) {
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
var tokens = regexp.MustCompile(`"[A-Za-z]*(?:[tT]oken|[cC]ursor|[iI]d|After)"\s*:\s*"([^"\\]{4,400})"`)

// set is a choice of moves.
type set map[int]bool

func (s set) copy() set {
	out := set{}
	for i := range s {
		out[i] = true
	}
	return out
}

// plays are those of which a step is chosen.
func (s set) plays(of *shrinking) map[int]bool {
	out := map[int]bool{}
	for i := range s {
		out[of.moves[i].play] = true
	}
	return out
}
