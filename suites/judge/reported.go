package judge

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/adapter"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Reported is a line by which the program of a client reported what it saw.
type Reported struct {
	record.Said
	Value Value // the line as evidence: its members are those of docs/adapters.md
}

// AdapterRemedy returns the words by which an operator gets a report of what the client saw.
func AdapterRemedy(facts *record.Facts) string {
	if len(facts.Command) == 0 {
		return "an adapter around the client, in place of --listen: a2a-conform client --adapter python prints one to begin with"
	}
	return "a2a-conform client --adapter python, which prints an adapter to begin with"
}

// ReportingStarts returns the starts of some scenarios by a program that reports what its client saw. Without such a
// program, or such a start, the requirement is undecided.
func (t *T) ReportingStarts(scenarios ...string) []Start {
	if c := t.Case.entire.Facts.Calibration; c == nil || !c.Adapter {
		t.StopInconclusive(AdapterRemedy(&t.Case.entire.Facts), "the command reports nothing of what its client saw")
	}
	return t.Starts(scenarios...)
}

// Reported returns what the program reported of some kinds of things in this start, in order; of all without one.
func (s Start) Reported(kinds ...string) (out []Reported) {
	for i := range s.Run.Said {
		said := &s.Run.Said[i]
		if said.Saw == "" || len(kinds) > 0 && !slices.Contains(kinds, said.Saw) {
			continue
		}
		out = append(out, Reported{*said, s.valueOf(said)})
	}
	return out
}

// valueOf returns a line as evidence. It belongs to the exchange that began last before it.
func (s Start) valueOf(said *record.Said) Value {
	step := s.Play.StepBefore(said.At)
	if step == nil {
		s.t.StopUndecided("the client sent no request in the scenario '%s'", s.Play.Scenario)
	}
	doc := &Document{Kind: ReportText, Op: step.Op, Exchange: step.Exchange, Line: said, Step: step, Play: s.Play}
	doc.Root, doc.Faults = record.ObserveJSON(doc.Bytes())
	return Value{t: s.t, doc: doc, node: doc.Root}
}

// FindRefusal returns the line by which the program reported that it has nothing for a command, if there is one.
func (s Start) FindRefusal(command string) (line Value, found bool) {
	for i := range s.Run.Said {
		if said := &s.Run.Said[i]; said.Saw == "" && said.Cannot == command {
			return s.valueOf(said), true
		}
	}
	return line, false
}

// HasState reports whether the line reports a state, in whatever words.
func (r Reported) HasState(state string) bool {
	return r.State != "" && adapter.IsSameState(r.State, state)
}

// Refusals returns the answers by which calls of a start were refused, in their bindings that the requirement is about, in the
// order in which the calls came; errors within streams among them.
func (s Start) Refusals() (out []Value) {
	seen := map[*record.Exchange]bool{}
	for _, r := range s.Calls() {
		if x := r.Exchange; seen[x] || !x.Answered() {
			continue
		}
		seen[r.Exchange] = true
		for _, v := range s.t.Case.readAnswers(r.Step.Step, r.Play) {
			if v.Failure().Exists() {
				out = append(out, v)
			}
		}
	}
	return out
}

// ErrorSign returns how the dialect writes an error of a name.
func (v Value) ErrorSign(name string) schema.ErrorSign { return v.t.Case.Dialect.Errors[name] }
