package acts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// answer is what answered the call of a step, as assertions see it.
type answer struct {
	exchange  *record.Exchange
	raw       bool
	root      *record.Node   // the object of A2A or, of a raw step, the body
	stream    bool           // a stream of events came
	events    []*record.Node // of the stream, without their envelope unless the step is raw
	refused   bool
	brokenOff bool           // the stream ended with an error after other events
	failure   binding.Answer // if it was refused
	names     []string       // of the error, as this project calls it
}

// wholeAnswer returns what the source STEP.response names: the root, or the list of events.
func (a *answer) wholeAnswer() *record.Node {
	if a.stream {
		return &record.Node{Kind: record.Array, Elems: a.events}
	}
	if a.root == nil {
		return &record.Node{Kind: record.Null}
	}
	return a.root
}

// captureRoots returns what captures look into: the root, or the events in their order.
func (a *answer) captureRoots() []*record.Node {
	if a.stream {
		return a.events
	}
	return []*record.Node{a.root}
}

// readAnswer reads what answered the call of a step.
func (p *player) readAnswer(s *Step, op string, r *conversation.Reply) (*answer, *Failure) {
	switch {
	case r.NotSent != "":
		return nil, &Failure{Line: s.Line, Message: "the call was not made: " + r.NotSent, Broken: true}
	case r.Ended == record.Aborted:
		return nil, newTimeUp(s)
	case !r.Answered():
		why := cmp.Or(r.Trouble, "the call ended without one")
		return nil, &Failure{Line: s.Line, Message: "no answer came: " + why, Expected: "an answer", Actual: "none"}
	}
	p.noteExchange(r.Exchange)
	b := p.c.CallBinding()
	a := &answer{exchange: r.Exchange, raw: s.Raw != nil, stream: r.IsStream()}
	if a.stream {
		p.readEvents(a, op)
		return a, nil
	}
	root := r.Exchange.Reply().Root
	switch {
	case op == "card":
		a.root, a.refused = root, r.Standing() >= 400
	case a.raw:
		a.root = root
		a.setError(b, b.Decode(op, r.Exchange).AsResponse())
		a.refused = a.refused || r.Standing() >= 400
	default:
		a.root = r.Answer.Result.Node
		a.setError(b, r.Answer)
		a.refused = a.refused || a.root == nil && r.Standing() >= 400
	}
	return a, nil
}

// newTimeUp returns the failure of a step that the end of the run left without an answer.
func newTimeUp(s *Step) *Failure {
	return &Failure{Line: s.Line, Message: "the run's time was up; give --deadline more time", Broken: true}
}

// setError notes the error by which a call was refused.
func (a *answer) setError(b binding.Binding, is binding.Answer) {
	if !is.Failure.Present() && len(is.Names) == 0 {
		return
	}
	a.refused, a.failure = true, is
	a.names = binding.PossibleErrorNames(b, a.exchange, is)
}

// readEvents reads the events of a stream until one is an error, which refuses the call or breaks the stream off.
func (p *player) readEvents(a *answer, op string) {
	b := p.c.CallBinding()
	for _, e := range a.exchange.Events() {
		if !e.HasData {
			continue
		}
		if a.raw {
			a.events = append(a.events, e.Root)
			continue
		}
		is := b.Event(op, e.Root)
		if is.Failure.Present() {
			a.setError(b, is)
			a.brokenOff = len(a.events) > 0
			return
		}
		a.events = append(a.events, is.Result.Node)
	}
}

// checkExpectations returns why an answer is not what a step expects.
func (p *player) checkExpectations(s *Step, a *answer) *Failure {
	if s.Error != nil {
		return p.checkError(s.Error, a)
	}
	if s.Expect != nil {
		if f := p.checkExpect(s.Expect, a); f != nil || s.Expect.Refused {
			return f
		}
	}
	if (s.Expect != nil || s.Stream != nil) && a.refused && !a.raw {
		return a.newRefusal(s.Line)
	}
	if s.Stream == nil {
		return nil
	}
	if !a.stream {
		return newFailure(&Assertion{Line: s.Stream.Line}, "", "a stream of events", a.root)
	}
	return p.newEvaluator().checkStream(s.Stream, a.events, a.raw)
}

// newRefusal returns the failure of a call that was to succeed.
func (a *answer) newRefusal(line int) *Failure {
	message := a.failure.Message.Node
	got := a.describeError()
	text := "the call was refused: " + got
	if a.brokenOff {
		text = fmt.Sprintf("the stream ended after %d events with an error: %s", len(a.events), got)
	}
	if message != nil {
		text += ", " + describeNode(message)
	}
	return &Failure{Line: line, Message: text, Expected: "success", Actual: got}
}

// describeError returns the error of an answer as the grammar names it, or its status.
func (a *answer) describeError() string {
	if names := a.errorTypes(); len(names) > 0 {
		return names[0]
	}
	if code := a.failure.Code.Node; code != nil {
		return "error " + describeNode(code) + " (" + a.exchange.StatusText() + ")"
	}
	return a.exchange.StatusText()
}

// errorTypes returns the names that the grammar has for the error of an answer. Of two names for one error, it is that of
// A2A.
func (a *answer) errorTypes() (all []string) {
	for _, name := range slices.Sorted(maps.Keys(errorTypes)) {
		if slices.Contains(a.names, errorTypes[name]) && name != streamingNotSupported {
			all = append(all, name)
		}
	}
	return all
}

// checkExpect compares an answer with an expect block.
func (p *player) checkExpect(x *Expect, a *answer) *Failure {
	e := p.newEvaluator()
	if x.Refused {
		if a.refused {
			return nil
		}
		return newFailure(&Assertion{Line: x.Line}, "", "an error", a.wholeAnswer())
	}
	if a.refused && !a.raw {
		return a.newRefusal(x.Line)
	}
	if x.Status != nil {
		if f := e.checkValue(x.Status, newNumber(strconv.Itoa(a.exchange.Standing())), "status"); f != nil {
			return f
		}
	}
	if x.Body != nil {
		return e.checkValue(x.Body, a.bodyRoot(), "")
	}
	return nil
}

// bodyRoot returns what the assertions on a body are about.
func (a *answer) bodyRoot() *record.Node {
	if a.stream {
		return a.wholeAnswer()
	}
	return a.root
}

// checkError compares an answer with an expect_error block.
func (p *player) checkError(x *ExpectedError, a *answer) *Failure {
	e := p.newEvaluator()
	expected := "an error"
	if x.Type != nil {
		expected = e.describeAssertion(x.Type)
	}
	if !a.refused {
		return newFailure(&Assertion{Line: x.Line}, "", "refused by "+expected, a.wholeAnswer())
	}
	if x.Type != nil {
		if f := p.checkErrorType(x.Type, a, expected); f != nil {
			return f
		}
	}
	if x.Message != nil {
		if f := e.checkValue(x.Message, a.failure.Message.Node, "message"); f != nil {
			return f
		}
	}
	if x.Data != nil {
		if f := e.checkValue(x.Data, a.failure.Details.Node, "data"); f != nil {
			return f
		}
	}
	if x.Details != nil {
		return e.checkDetails(x.Details, a.failure.Details.Node)
	}
	return nil
}

// checkErrorType compares the error of an answer with the name that is expected. An error that a binding does not
// distinguish from others may be each of them.
func (p *player) checkErrorType(want *Assertion, a *answer, expected string) *Failure {
	e := p.newEvaluator()
	names := a.errorTypes()
	if want.Kind == Exact && want.Value == streamingNotSupported && slices.Contains(a.names, errorTypes[streamingNotSupported]) {
		names = []string{streamingNotSupported}
	}
	for _, name := range names {
		f := e.checkValue(want, newText(name), "error_type")
		if f == nil || f.Broken {
			return f
		}
	}
	got := a.describeError()
	return &Failure{Line: want.Line, Path: "error_type", Expected: expected, Actual: got, Message: fmt.Sprintf("the error is %s, but must be %s", got, expected)}
}

// checkDetails compares the details of an error with members: one of the objects of a list has to have them, itself or
// in its metadata.
func (e evaluator) checkDetails(want *Assertion, details *record.Node) *Failure {
	if details == nil || details.Kind != record.Array {
		return e.checkValue(want, details, "details")
	}
	var first *Failure
	for i, d := range details.Elems {
		for _, n := range []*record.Node{d, d.Member("metadata")} {
			f := e.checkValue(want, n, "details["+strconv.Itoa(i)+"]")
			if f == nil || f.Broken {
				return f
			}
			if first == nil {
				first = f
			}
		}
	}
	if first == nil {
		return e.checkValue(want, nil, "details")
	}
	return first
}
