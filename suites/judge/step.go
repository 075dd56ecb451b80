package judge

import (
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Step returns a step by "scenario/step". If the run did not come to it, the
// requirement is undecided because of what stopped the scenario.
func (t *T) Step(name string) Step {
	s, why := t.findStep(name)
	if why != nil {
		panic(*why)
	}
	return s
}

// Find returns a step by "scenario/step" if the run came to it.
func (t *T) Find(name string) (Step, bool) {
	s, why := t.findStep(name)
	return s, why == nil
}

// StepAtAllInterfaces returns a step as it was made in each of the plays of its scenario that the
// case sees, which are several if it is about several interfaces. What was asked while
// the server was away is left out, and what was refused for want of credentials.
func (t *T) StepAtAllInterfaces(scenario, step string) (out []Step) {
	var refused *Stop
	for i := range t.Case.Transcript.Plays {
		p := &t.Case.Transcript.Plays[i]
		if p.Scenario != scenario {
			continue
		}
		s := p.Step(step)
		if s == nil || s.Exchange == nil || s.Exchange.Ended == record.Aborted || t.Case.outageReason(s.Exchange) != "" {
			continue
		}
		if why := t.findExcuse(s.Exchange); why != nil {
			t.refused, refused = why, why
			continue
		}
		out = append(out, Step{s, p, t})
	}
	if len(out) == 0 && refused != nil {
		panic(*refused)
	}
	return out
}

// Steps returns those of the named steps that were made, each exchange once: plays
// may share one.
func (t *T) Steps(names []string) []Step {
	found := stepCollector{t: t}
	for _, n := range names {
		found.add(n)
	}
	return found.made()
}

// stepCollector collects steps that were made, each exchange once, and why others were not.
type stepCollector struct {
	t     *T
	steps []Step
	why   *Stop
	had   map[*record.Exchange]bool
}

// add looks a step up by "scenario/step" and reports whether the run came to it.
func (f *stepCollector) add(name string) (made bool) {
	s, why := f.t.findStep(name)
	if why != nil {
		f.why = f.why.firstUnlessNever(why)
		return false
	}
	if !f.had[s.Exchange] {
		f.steps = append(f.steps, s)
	}
	if f.had == nil {
		f.had = map[*record.Exchange]bool{}
	}
	f.had[s.Exchange] = true
	return true
}

// made returns the steps. If there are none, the requirement is undecided because of what stopped them.
func (f *stepCollector) made() []Step {
	if len(f.steps) == 0 && f.why != nil {
		panic(*f.why)
	}
	return f.steps
}

// firstUnlessNever returns the stop that keeps several items from being judged: the first, but what the
// agent never does only if there is no other.
func (s *Stop) firstUnlessNever(later *Stop) *Stop {
	if s == nil || s.Never && !later.Never {
		return later
	}
	return s
}

// Played returns the steps that the named plays made, in their order, each exchange
// once: plays may share one. If there are none, the requirement is undecided because of what stopped the plays.
func (t *T) Played(scenarios ...string) []Step {
	found := stepCollector{t: t}
	for _, n := range scenarios {
		p := t.Case.Transcript.Play(n)
		some := false
		for i := 0; p != nil && i < len(p.Steps); i++ {
			some = found.add(n+"/"+p.Steps[i].Name) || some
		}
		if !some {
			found.add(n + "/…")
		}
	}
	return found.made()
}

// remedyOfUnsent returns the remedy of the step before which a play stopped; "" if it has none.
func remedyOfUnsent(p *record.Play) string {
	if p.Remedy != "" {
		return p.Remedy
	}
	for _, s := range p.Steps {
		if s.Exchange == nil && s.Remedy != "" {
			return s.Remedy
		}
	}
	return ""
}

func (t *T) findStep(name string) (Step, *Stop) {
	scenario, step, ok := strings.Cut(name, "/")
	if !ok {
		panic(fmt.Errorf("%q is not of the form scenario/step", name))
	}
	p := t.Case.Transcript.Play(scenario)
	if traffic := t.Case.Transcript.Facts.Kind == record.TrafficKind; traffic && (p == nil || p.Step(step) == nil) {
		return Step{}, &Stop{Reason: "the recording has no such call"}
	}
	if p == nil {
		return Step{}, &Stop{Reason: fmt.Sprintf("the conversation '%s' was not part of this run", scenario)}
	}
	s := p.Step(step)
	switch {
	case (s == nil || s.Exchange == nil) && p.Lacks != "":
		why := t.Case.newStopForBehaviour(p.Lacks, fmt.Sprintf("the call %s was not sent: %s", name, p.Stop))
		return Step{}, &why
	case s == nil && p.Stop != "":
		return Step{}, &Stop{Reason: fmt.Sprintf("the conversation '%s' stopped before its call '%s': %s", scenario, step, p.Stop), Remedy: remedyOfUnsent(p), Recorded: true}
	case s == nil:
		return Step{}, &Stop{Reason: fmt.Sprintf("the conversation '%s' has no call '%s' in this run", scenario, step)}
	case s.Exchange == nil:
		reason := fmt.Sprintf("the call %s was not sent: %s", name, s.NotSent)
		if s.Because != "" {
			reason += fmt.Sprintf(" (see %s/%s)", scenario, s.Because)
		}
		return Step{}, &Stop{Reason: reason, Remedy: s.Remedy, Recorded: true, Unsayable: s.Unsayable}
	}
	if s.Exchange.Ended == record.Aborted {
		return Step{}, &Stop{Reason: fmt.Sprintf("the run ended before the call %s was answered", name), Recorded: true}
	}
	if why := t.Case.outageReason(s.Exchange); why != "" {
		why = fmt.Sprintf("the call %s was not answered: %s", name, why)
		if s.Role == record.Alive {
			t.noLivenessCheck = why
		}
		return Step{}, &Stop{Reason: why, Recorded: true}
	}
	if why := t.findExcuse(s.Exchange); why != nil {
		t.refused = why
		return Step{}, why
	}
	if t.Case.secondary && s.Exchange.Untrusted() { // the endpoint that the run goes by was trusted, or there would be no run
		return Step{}, &Stop{Reason: fmt.Sprintf("the call %s was not answered: %s", name, s.Exchange.Trouble), Recorded: true,
			Remedy: "--ca FILE, or another address with --rpc"}
	}
	if p := t.result.Excluded[s.Exchange]; p != nil {
		t.excludedBy = p
		return Step{}, &Stop{Reason: DescribeDependency(p, " in "+name), Because: p.ID}
	}
	if s.Limited != "" {
		return Step{}, &Stop{Reason: fmt.Sprintf("the call %s got no answer to its question: %s", name, s.Limited), Recorded: true,
			Remedy: "declares: {rateLimit: {requests: …, seconds: …}}"}
	}
	if s.Late != "" {
		return Step{}, &Stop{Reason: fmt.Sprintf("the call %s may have been too late: %s", name, s.Late), Remedy: betterText("slow"), Recorded: true}
	}
	if why := requestNotKept(s.Exchange); why != "" {
		return Step{}, &Stop{Reason: why, Recorded: true}
	}
	if err := t.Case.ownFault(s, p); err != nil {
		panic(err)
	}
	return Step{s, p, t}, nil
}

// Reply returns the JSON the server answered with. If there is none the value
// states in words what came instead.
func (s Step) Reply() Value {
	x := s.Exchange
	s.stopIfTruncated()
	if x.IsStream() {
		return s.t.Case.streamAsReply(s.t, s.Step, s.Play)
	}
	said := s.t.Case.readBody(x, s.Step, s.Play)
	return Value{t: s.t, doc: said, node: said.Root, why: describeMissingJSON(x, said.Root)}
}

// stopIfTruncated leaves the requirement undecided if the answer went beyond a bound of
// ours, of which nothing can be held against the server.
func (s Step) stopIfTruncated() {
	switch x := s.Exchange; {
	case x.Ended == record.Limit && x.Response.Framing.Coding != "":
		s.t.StopInconclusive("", "the answer could not be read: %s", x.Trouble)
	case x.Ended == record.Limit:
		s.t.StopInconclusive("", "the answer is too large to keep in full: %s", x.Trouble)
	}
}

// Head returns the response as a whole, for expectations about status and headers.
func (s Step) Head() Value {
	return Value{t: s.t, doc: s.t.Case.readBody(s.Exchange, s.Step, s.Play), head: true, why: describeMissingJSON(s.Exchange, nil)}
}

// Result returns the result of a step that serves another purpose: if the server
// refused it, the requirement is undecided, and the one that owns the step
// fails.
func (s Step) Result() Value {
	reply := s.Reply()
	if r := reply.Result(); r.Exists() && !r.IsNull() {
		return r
	}
	s.t.StopUndecided("the call %s/%s was not answered with a result: %s", s.Play.Scenario, s.Name, s.Outcome())
	return Value{}
}

// Outcome describes in words how the server answered.
func (s Step) Outcome() string {
	reply := s.Reply()
	switch e := reply.Failure(); {
	case reply.node == nil:
		return "the server " + reply.Missing()
	case e.Exists():
		return "the server answered " + describeError(reply)
	case reply.Result().Exists():
		return "the server answered a result"
	}
	return fmt.Sprintf("the server answered HTTP %d without result or error", s.Exchange.Status())
}

// describeError returns which error an answer is, by what it has of a code and a message, and
// else as it is there.
func describeError(reply Value) string {
	text := "error"
	for _, part := range []Value{reply.ErrorCode(), reply.ErrorMessage()} {
		if part.Exists() {
			text += " " + part.Shown()
		}
	}
	if text == "error" {
		status := reply.Exchange().StatusText()
		return fmt.Sprintf("%s with %s", status, reply.Failure().Named())
	}
	return text
}

// Accepted reports whether the reply has a result; null is one if the
// dialect states nothing of the results of the operation.
func (s Step) Accepted() bool {
	r := s.Reply().Result()
	op := s.t.Case.Dialect.Operation(s.Op)
	return r.Exists() && (!r.IsNull() || op.Claim == "push" && op.Result == "" && !s.Reply().Failure().Exists())
}

// Events returns the events of a step whose answer is a stream. Of a stream that was
// too large they are those at its beginning.
func (s Step) Events() []Value {
	var out []Value
	for _, said := range s.t.Case.readEvents(s.Exchange, s.Step, s.Play) {
		v := Value{t: s.t, doc: said, node: said.Root}
		if v.node == nil {
			v.why = "sent an event whose data is not JSON"
		}
		out = append(out, v)
	}
	if len(out) == 0 {
		s.stopIfTruncated()
	}
	return out
}

// RefusesCaller reports whether the answer to a step refuses whoever calls, in any form that a
// binding has for it: by its status, by the name or by the details of an error.
func (s Step) RefusesCaller() bool {
	return classifyRefusal(s.Exchange, s.Reply(), s.Invalid) != otherReason
}

// LastCalls returns the calls on which the server went away.
func (t *T) LastCalls() (out []Step) {
	for _, o := range t.Case.Outages {
		if s, p := t.Case.Transcript.StepOf(o.Blamed); s != nil {
			out = append(out, Step{s, p, t})
		}
	}
	return out
}
