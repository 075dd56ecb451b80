package verdict

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Whoever repeats a failure wants to make few calls. Which ones show it is found out by
// leaving steps out of a copy of the transcript and asking the check again: what it states
// of the copy counts, and nothing is guessed.

// perFailure bounds how often one failure is judged again.
const perFailure = 24

// mostJudged bounds how often failures are judged again for one report, so that a server
// that breaks everything keeps no one waiting.
const mostJudged = 80

// ShortestCalls finds for each failure the fewest calls by which it shows, by the id of its
// requirement. Failures that follow from no other come first: the bound of how often a failure
// is judged again is theirs.
func (c *Decider) ShortestCalls(results []report.Result) map[string]record.Excerpt {
	var broken []*report.Result
	for i := range results {
		if v := results[i].Verdict; v == report.Fail || v == report.Waived {
			broken = append(broken, &results[i])
		}
	}
	slices.SortStableFunc(broken, func(a, b *report.Result) int {
		return cmp.Compare(min(1, len(a.Because)), min(1, len(b.Because)))
	})
	out := map[string]record.Excerpt{}
	left := mostJudged
	for _, r := range broken {
		if left <= 0 {
			out[r.ID] = record.Excerpt{Untried: true}
			continue
		}
		s := c.newReducer(r.ID, min(left, perFailure))
		if s == nil {
			continue
		}
		e := record.Excerpt{Transcript: s.findFewestCalls()}
		left -= s.judged
		if e.Transcript != nil {
			e.Keepable = s.failsWithKeptAnswers(e.Transcript, &left)
		}
		out[r.ID] = e
	}
	return out
}

// failsWithKeptAnswers reports whether the failure shows in what a script keeps of the calls. When the
// parts of an answer came is not kept: it must not matter.
func (s *reducer) failsWithKeptAnswers(t *record.Transcript, left *int) bool {
	if kept := record.KeepAnswers(t, s.req.ID, false); kept == nil || !s.failsSameWayOn(kept) {
		return false
	}
	*left--
	streams := slices.ContainsFunc(t.Exchanges, (*record.Exchange).IsStream)
	return !streams || s.failsSameWayOn(record.KeepAnswers(t, s.req.ID, true))
}

func (c *Decider) newReducer(id string, most int) *reducer {
	s := &reducer{c: c, req: c.Dialect.Requirement(id), most: most}
	if s.req == nil {
		return nil
	}
	r := c.Result(id)
	if r.Verdict != report.Fail && r.Verdict != report.Waived || len(r.Why) == 0 || r.Why[0].At.Exchange == 0 {
		return nil
	}
	s.want, s.moves = r.Why[0], c.listStepsOfAllPlays()
	for _, m := range s.moves {
		if m.x != nil && m.x.ID == s.want.At.Exchange {
			s.of = c.Transcript.Plays[m.play].Subject
		}
	}
	for _, id := range s.req.After {
		if v := c.prerequisiteResult(id).Verdict; v == report.Pass || v == report.NotApplicable {
			s.held = append(s.held, id)
		}
	}
	return s
}

// listStepsOfAllPlays returns the steps of all plays.
func (c *Decider) listStepsOfAllPlays() []move {
	c.moving.Do(func() {
		for i, p := range c.Transcript.Plays {
			for j, step := range p.Steps {
				m := move{i, j, step.Exchange, ""}
				if x := step.Exchange; x != nil && x.Dir == record.Out {
					m.text = x.URL + " " + string(x.Request.Body) + " " + step.Task + " " + step.Context
				}
				c.moved = append(c.moved, m)
			}
		}
	})
	return c.moved
}

// findFewestCalls tries parts of the transcript, the smallest first, and leaves steps out of the
// first that shows the failure.
func (s *reducer) findFewestCalls() *record.Transcript {
	shown := stepSet{}
	for i, m := range s.moves {
		if m.x != nil && (m.x.ID == s.want.At.Exchange || s.want.Against != nil && m.x.ID == s.want.Against.At.Exchange) {
			s.addWithDependencies(shown, i)
		}
	}
	if s.want.Against != nil {
		s.addEarlierStepsOnTask(shown)
	}
	asked := maps.Clone(shown)
	named := s.addNamedStepsReportingAny(asked)
	cards, beside, whole := maps.Clone(asked), maps.Clone(asked), maps.Clone(asked)
	for i, m := range s.moves {
		p := &s.c.Transcript.Plays[m.play]
		switch {
		case p.Scenario == "card":
			cards[i], beside[i], whole[i] = true, true, true
		case p.Scenario == "quick" && s.concernsSubject(p):
			beside[i], whole[i] = true, true
		case shown.playIndexes(s)[m.play]:
			whole[i] = true
		}
	}
	for n, part := range []stepSet{asked, cards, beside, whole} {
		kept, alone := s.showsFailure(part)
		if !kept {
			continue
		}
		least := asked
		if named && s.passesWithoutShownSteps(part, shown, alone) {
			least = maps.Clone(shown)
			for i := range asked { // what is looked at in one conversation belongs together
				if shown.playIndexes(s)[s.moves[i].play] {
					least[i] = true
				}
			}
		}
		if n > 0 || len(least) < len(part) {
			part = s.dropUnneededSteps(part, least, alone)
		}
		return s.makePartialTranscript(s.addPassingCall(part, alone), alone)
	}
	return nil
}

// addPassingCall adds a call on which the sentence holds, if it is about every error and
// was broken by a valid call: to a server without the fault that one shows no error, by
// which nothing could be decided.
func (s *reducer) addPassingCall(part stepSet, singleSubject bool) stepSet {
	if !strings.Contains(s.req.Every, "error") {
		return part
	}
	for i := range part {
		if m := s.moves[i]; m.x != nil && m.x.ID == s.want.At.Exchange {
			if step := &s.c.Transcript.Plays[m.play].Steps[m.step]; step.Invalid || step.Role == record.Probe {
				return part
			}
		}
	}
	tries := 6
	for i, m := range s.moves {
		p := &s.c.Transcript.Plays[m.play]
		if step := &p.Steps[m.step]; part[i] || m.x == nil || !m.x.Answered() || !step.Invalid && step.Role != record.Probe && !strings.Contains(p.Scenario, "fault") || !s.concernsSubject(p) {
			continue
		}
		if tries--; tries < 0 || s.judged >= s.most {
			break
		}
		more := maps.Clone(part)
		s.addWithDependencies(more, i)
		other := stepSet{}
		s.addWithDependencies(other, i)
		for j := range part { // but for what shows the failure
			if s.moves[j].x == nil || s.moves[j].x.ID != s.want.At.Exchange {
				other[j] = true
			}
		}
		s.judged++
		if NewDecider(s.c.Dialect, s.makePartialTranscript(other, singleSubject), s.c.Checks, nil).Result(s.req.ID).Verdict == report.Pass && s.stillFails(more, singleSubject) {
			return more
		}
	}
	return part
}

// showsFailure reports whether a part shows the failure: to a server of one agent and one
// binding, or as it was.
func (s *reducer) showsFailure(part stepSet) (kept, singleSubject bool) {
	if f := s.c.Transcript.Facts; len(f.Bindings) > 1 && s.of.Binding != "" || len(f.Agents) > 0 {
		if s.stillFails(part, true) {
			return true, true
		}
	}
	return s.stillFails(part, false), false
}

// passesWithoutShownSteps reports whether the sentence is held to be kept if the calls that break it
// are left out: then a server that keeps it needs no other call than those.
func (s *reducer) passesWithoutShownSteps(part, shown stepSet, singleSubject bool) bool {
	others := maps.Clone(part)
	for i := range shown {
		delete(others, i)
	}
	if len(others) == 0 || s.judged >= s.most {
		return false
	}
	s.judged++
	return NewDecider(s.c.Dialect, s.makePartialTranscript(others, singleSubject), s.c.Checks, nil).Result(s.req.ID).Verdict == report.Pass
}

// dropUnneededSteps leaves steps out, from the last to the first, as long as the failure shows.
func (s *reducer) dropUnneededSteps(part, least stepSet, singleSubject bool) stepSet {
	if s.stillFails(least, singleSubject) {
		return least
	}
	for i := len(s.moves) - 1; i >= 0; i-- {
		if !part[i] || least[i] {
			continue
		}
		less := maps.Clone(part)
		delete(less, i)
		if s.hasAllDependencies(less) && s.stillFails(less, singleSubject) {
			part = less
		}
	}
	return part
}

// stillFails judges a part of the transcript, unless that was done often enough.
func (s *reducer) stillFails(part stepSet, singleSubject bool) bool {
	if s.judged >= s.most || len(part) == 0 {
		return false
	}
	s.judged++
	return s.failsSameWayOn(s.makePartialTranscript(part, singleSubject))
}

func (s *reducer) failsSameWayOn(t *record.Transcript) bool {
	r := NewDecider(s.c.Dialect, t, s.c.Checks, nil).Result(s.req.ID)
	return r.Verdict == report.Fail && slices.ContainsFunc(r.Why, func(w report.Why) bool {
		return w.At.Exchange == s.want.At.Exchange && w.Due == s.want.Due
	})
}

// makePartialTranscript returns a transcript with some of the steps. What the run knew besides, as that a task
// had come to its end, is left out: a repetition has to show it.
func (s *reducer) makePartialTranscript(kept stepSet, singleSubject bool) *record.Transcript {
	whole := s.c.Transcript
	t := &record.Transcript{Started: whole.Started, Duration: whole.Duration, Facts: whole.Facts}
	f := &t.Facts
	f.Waivers, f.Baseline, f.Tried, f.Waited, f.Cut, f.Disguise, f.Offers = nil, nil, nil, nil, "", false, nil
	f.Selection, f.Held = operator.Selection{Run: []string{s.req.ID}}, s.held
	if singleSubject {
		f.Agents = nil
		if s.of.Binding != "" {
			f.Bindings = []string{s.of.Binding}
			f.RPC = cmp.Or(f.Endpoints[s.of.Binding], f.RPC)
		}
	}
	seen, last := map[*record.Exchange]bool{}, map[int]int{}
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
