package acts

import (
	"slices"
	"testing"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// TestEachAssertionCanFail: of every test of the corpus that the bundled server passes over some transport, each assertion is
// negated in turn, and the step then fails at that assertion.
func TestEachAssertionCanFail(t *testing.T) {
	negated, tests, done := 0, 0, map[string]bool{}
	for transport, binding := range BindingNames {
		negateTests(t, transport, binding, done, &tests, &negated)
	}
	t.Logf("negated %d assertions of %d tests", negated, tests)
	if tests < 76 || negated < 320 {
		t.Errorf("negated only %d assertions of %d tests", negated, tests)
	}
}

// negateTests negates the assertions of the tests that pass over a transport, and were not done over another.
func negateTests(t *testing.T, transport, binding string, done map[string]bool, tests, negated *int) {
	t.Helper()
	run := NewRun(readCorpus(t, Options{}), noVariables)
	players := map[*Test]*player{}
	run.judged = func(p *player) { players[p.test] = p }
	playOnBundledServer(t, run, binding, "")
	for _, r := range run.Results(transport, "it was not played") {
		if r.Result != Passed || done[r.Test.ID] {
			continue
		}
		done[r.Test.ID] = true
		*tests++
		before := *negated
		n := negater{t: t, player: players[r.Test], count: negated}
		for _, s := range r.Test.Steps {
			n.negateStep(s)
		}
		if *negated == before {
			t.Errorf("%s has no assertion that could be negated", r.Test.ID)
		}
	}
}

// TestEachAssertionAboutClientsCanFail: of the tests of the corpus about clients, each assertion that the lines of a faithful
// adapter decide is negated in turn, and the step then fails at that assertion.
func TestEachAssertionAboutClientsCanFail(t *testing.T) {
	d, err := schema.LoadClient("a2a-1.0")
	if err != nil {
		t.Fatal(err)
	}
	negated := 0
	for _, test := range readCorpus(t, Options{}).Tests() {
		said := faithfulLines[test.ID]
		if len(said) == 0 {
			continue
		}
		s := test.Steps[0]
		op := clientOps[s.Client.Operation]
		shape := newReportedShape(op, s.Client.Payload, said)
		if missing := listUnreported(s.Client.Parsed, shape, ""); len(missing) > 0 {
			t.Errorf("%s: %v is not reported", test.ID, missing)
		}
		judge := func() *Failure {
			return newTestEvaluator().checkReported(s.Client.Parsed, shape, newParsedNode(op, said, d))
		}
		if f := judge(); f != nil {
			t.Errorf("%s: got %+v", test.ID, f)
		}
		n := negater{t: t, player: &player{test: test}, step: s, count: &negated, judge: judge}
		n.negateLeaves(s.Client.Parsed)
	}
	if negated != 18 {
		t.Errorf("negated %d assertions", negated)
	}
}

// faithfulLines are what an adapter reports whose client read the payload of a test as it is.
var faithfulLines = map[string][]record.Said{
	"CLIENT-PARSE-001": {{Saw: "task", ID: "task-abc-123", Context: "ctx-001", State: "completed"}, {Saw: "artifact", ID: "art-1", Text: "hello world"}},
	"CLIENT-PARSE-002": {{Saw: "message", ID: "msg-001", Role: "agent", Text: "I can help with that"}},
	"CLIENT-PARSE-003": {{Saw: "task", ID: "task-xyz-789", Context: "ctx-002", State: "working"}, {Saw: "task", ID: "task-xyz-789", Context: "ctx-002", State: "TASK_STATE_COMPLETED", History: "2"},
		{Saw: "artifact", ID: "art-1", Text: "result text"}, {Saw: "artifact", ID: "art-2"}, {Saw: "artifact", ID: "art-1", Text: "result text", Assembled: true}},
	"CLIENT-PARSE-004": {{Saw: "task", ID: "x", Context: "y", State: "working"}, {Saw: "error", Code: "-32001", Message: "Task not found"}},
	"CLIENT-PARSE-005": {{Saw: "task", ID: "task-multi-001", Context: "ctx-multi-001", State: "INPUT_REQUIRED"}, {Saw: "status", State: "INPUT_REQUIRED", Role: "ROLE_AGENT", Text: "Please provide more details"}},
}

// negater negates the assertions of one test.
type negater struct {
	t      *testing.T
	player *player
	step   *Step
	count  *int
	judge  func() *Failure // the step; nil to compare the answer that the player has
}

// mustFail judges the step, whose assertion in a line is negated.
func (n negater) mustFail(what string, line int) {
	n.t.Helper()
	*n.count++
	f := n.judgeStep()
	if f == nil || f.Broken || f.Line != line {
		n.t.Errorf("%s, step %s: %s in line %d was negated, and the step came to %+v", n.player.test.ID, n.step.ID, what, line, f)
	}
}

// judgeStep returns why the step does not hold.
func (n negater) judgeStep() *Failure {
	if n.judge != nil {
		return n.judge()
	}
	n.player.left = maxComparisons
	if f := n.player.checkExpectations(n.step, n.player.got[n.step.ID]); f != nil {
		return f
	}
	return n.player.checkNamed(n.step.Assertions)
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
	if s.Repeat != nil {
		n.negateRepetition(s)
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

// negateRepetition negates the condition that the last answer to a repeated step met.
func (n negater) negateRepetition(s *Step) {
	until := &s.Repeat.Until
	n.judge = func() *Failure {
		_, f := n.player.checkRepetition(s.Repeat, n.player.got[s.ID], s.Repeat.MaxAttempts)
		return f
	}
	until.Not = !until.Not
	n.mustFail("a condition", s.Repeat.Line)
	until.Not = !until.Not
}

// negateOrder judges the events of a stream in the opposite order, in which its states must not come.
func (n negater) negateOrder(s *ExpectedStream) {
	order := &ExpectedStream{Line: s.Line, Monotonic: true}
	events := slices.Clone(n.player.got[n.step.ID].events)
	n.judge = func() *Failure { return n.player.newEvaluator().checkStream(order, events, false) }
	if f := n.judge(); f != nil {
		n.t.Errorf("%s, step %s: got %+v", n.player.test.ID, n.step.ID, f)
	}
	slices.Reverse(events)
	n.mustFail("the order of states", s.Line)
}

// negateStream negates each assertion about a stream. Of an event in any place, an impossible one takes the place.
func (n negater) negateStream(s *ExpectedStream) {
	if s == nil {
		return
	}
	if s.Monotonic {
		n.negateOrder(s)
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
