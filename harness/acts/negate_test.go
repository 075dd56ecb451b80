package acts

import "testing"

// TestEachAssertionCanFail: of every test of the corpus that the bundled server passes, each assertion is negated in turn,
// and the step then fails at that assertion.
func TestEachAssertionCanFail(t *testing.T) {
	run := NewRun(readCorpus(t, Options{}), noVariables)
	players := map[*Test]*player{}
	run.judged = func(p *player) { players[p.test] = p }
	playOnBundledServer(t, run, "JSONRPC", "")
	negated, tests := 0, 0
	for _, r := range run.Results("jsonrpc", "it was not played") {
		if r.Result != Passed {
			continue
		}
		tests++
		before := negated
		n := negater{t: t, player: players[r.Test], count: &negated}
		for _, s := range r.Test.Steps {
			n.negateStep(s)
		}
		if negated == before {
			t.Errorf("%s has no assertion that could be negated", r.Test.ID)
		}
	}
	t.Logf("negated %d assertions of %d tests", negated, tests)
	if tests < 70 || negated < 250 {
		t.Errorf("negated only %d assertions of %d tests", negated, tests)
	}
}

// negater negates the assertions of one test.
type negater struct {
	t      *testing.T
	player *player
	step   *Step
	count  *int
}

// mustFail judges the step, whose assertion in a line is negated.
func (n negater) mustFail(what string, line int) {
	n.t.Helper()
	*n.count++
	n.player.left = maxComparisons
	a := n.player.got[n.step.ID]
	f := n.player.checkExpectations(n.step, a)
	if f == nil {
		f = n.player.checkNamed(n.step.Assertions)
	}
	if f == nil || f.Broken || f.Line != line {
		n.t.Errorf("%s, step %s: %s in line %d was negated, and the step came to %+v", n.player.test.ID, n.step.ID, what, line, f)
	}
}

// negateStep negates each assertion of a step in turn.
func (n negater) negateStep(s *Step) {
	n.step = s
	if x := s.Expect; x != nil {
		n.negateLeaves(x.Status)
		n.negateLeaves(x.Body)
		if x.Refused {
			x.Refused = false
			n.mustFail("a refusal", x.Line)
			x.Refused = true
		}
	}
	if x := s.Error; x != nil {
		n.negateLeaves(x.Type)
		n.negateLeaves(x.Message)
		n.negateLeaves(x.Data)
	}
	n.negateStream(s.Stream)
	for _, a := range s.Assertions {
		n.negateLeaves(a.Match)
		for _, swap := range []struct{ from, to **CollectionMatch }{{&a.Any, &a.None}, {&a.None, &a.Any}} {
			if c := *swap.from; c != nil {
				*swap.from, *swap.to = nil, c
				n.mustFail("a collection", c.Line)
				*swap.from, *swap.to = c, nil
			}
		}
	}
}

// negateStream negates each assertion about a stream. Of an event in any place, an impossible one takes the place.
func (n negater) negateStream(s *ExpectedStream) {
	if s == nil {
		return
	}
	events := len(n.player.got[n.step.ID].events)
	for _, c := range []struct {
		count **int
		other int
	}{{&s.MinCount, events + 1}, {&s.MaxCount, events - 1}} {
		if was := *c.count; was != nil {
			*c.count = &c.other
			n.mustFail("a count", s.Line)
			*c.count = was
		}
	}
	for _, x := range s.Events {
		if !x.Anywhere {
			n.negateLeaves(x.Is)
			continue
		}
		was := x.Is
		x.Is = &Assertion{Line: x.Line, Value: "no event is a text"}
		n.mustFail("an event in any place", x.Line)
		x.Is = was
	}
	for _, x := range []*EventAssertion{s.Final, s.Each} {
		if x != nil {
			n.negateLeaves(x.Is)
		}
	}
}

// negateLeaves negates the values and the operators of an assertion, each by itself.
func (n negater) negateLeaves(a *Assertion) {
	switch {
	case a == nil:
	case a.Kind == Members:
		for _, m := range a.Members {
			n.negateLeaves(m.Is)
		}
	case a.Kind == Elements:
		for _, e := range a.Elements {
			n.negateLeaves(e)
		}
	case a.Kind == Operators:
		for i := range a.Operators {
			was := a.Operators[i]
			a.Operators[i] = Operator{Line: was.Line, Name: "not", Of: []*Assertion{{Line: was.Line, Kind: Operators, Operators: []Operator{was}}}}
			n.mustFail(was.Name, was.Line)
			a.Operators[i] = was
		}
	default:
		was := *a
		*a = Assertion{Line: was.Line, Kind: Operators, Operators: []Operator{{Line: was.Line, Name: "not", Of: []*Assertion{&was}}}}
		n.mustFail("a value", was.Line)
		*a = was
	}
}
