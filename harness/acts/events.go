package acts

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// payloadNames are the members of an event of A2A, by the names of the grammar.
var payloadNames = map[string]string{"status_update": "statusUpdate", "artifact_update": "artifactUpdate"}

// checkEvent returns why an event is not as it is described. Without the member that holds it, the description is
// about what that member holds. Of a raw step the event is taken as a whole.
func (e evaluator) checkEvent(a *Assertion, event *record.Node, path string, raw bool) *Failure {
	if raw {
		return e.checkValue(a, event, path)
	}
	if a.Kind == Operators {
		return e.checkEventOperators(a, event, path)
	}
	if a.Kind != Members {
		return e.checkValue(a, event, path)
	}
	held, renamed := false, Assertion{Line: a.Line, Kind: Members}
	for _, m := range a.Members {
		if name, ok := payloadNames[m.Name]; ok {
			m.Name = name
		}
		held = held || slices.Contains(eventPayloads, m.Name)
		renamed.Members = append(renamed.Members, m)
	}
	if held || event == nil || len(event.Members) != 1 {
		return e.checkValue(&renamed, event, path)
	}
	return e.checkValue(&renamed, event.Members[0].Value, joinPath(path, event.Members[0].Name))
}

// checkEventOperators returns why operators on an event as a whole do not hold.
func (e evaluator) checkEventOperators(a *Assertion, event *record.Node, path string) *Failure {
	for i := range a.Operators {
		op := &a.Operators[i]
		var failed *Failure
		passed := 0
		for _, each := range op.Of {
			if f := e.checkEvent(each, event, path, false); f == nil {
				passed++
			} else if failed = f; f.Broken {
				return f
			}
		}
		at := &Assertion{Line: op.Line}
		switch op.Name {
		case "any_of":
			if passed == 0 {
				return newFailure(at, path, e.describeOperator(op), event)
			}
		case "all_of":
			if failed != nil {
				return failed
			}
		case "not":
			if passed > 0 {
				return newFailure(at, path, e.describeOperator(op), event)
			}
		default:
			if f := e.checkOperator(a, op, event, path); f != nil {
				return f
			}
		}
	}
	return nil
}

// checkStream returns why the events of a stream are not as they are expected.
func (e evaluator) checkStream(s *ExpectedStream, events []*record.Node, raw bool) *Failure {
	at := &Assertion{Line: s.Line}
	count := newNumber(strconv.Itoa(len(events)))
	switch {
	case s.MinCount != nil && len(events) < *s.MinCount:
		return newFailure(at, "the number of events", fmt.Sprintf("at least %d", *s.MinCount), count)
	case s.MaxCount != nil && len(events) > *s.MaxCount:
		return newFailure(at, "the number of events", fmt.Sprintf("at most %d", *s.MaxCount), count)
	}
	if s.Monotonic {
		if f := checkStateOrder(at, events); f != nil {
			return f
		}
	}
	for _, x := range s.Events {
		if f := e.checkListedEvent(x, events, raw); f != nil {
			return f
		}
	}
	if s.Each != nil {
		for i, event := range events {
			if f := e.checkEvent(s.Each.Is, event, "events["+strconv.Itoa(i)+"]", raw); f != nil {
				return f
			}
		}
		if len(events) == 0 {
			return newFailure(at, "events", "at least one event", nil)
		}
	}
	if s.Final != nil {
		if len(events) == 0 {
			return newFailure(&Assertion{Line: s.Final.Line}, "final_event", e.describeAssertion(s.Final.Is), nil)
		}
		return e.checkEvent(s.Final.Is, events[len(events)-1], "final_event", raw)
	}
	return nil
}

// checkListedEvent returns why the event in a place, or every event, is not as it is described.
func (e evaluator) checkListedEvent(x *EventAssertion, events []*record.Node, raw bool) *Failure {
	if !x.Anywhere {
		var event *record.Node
		if x.Index < len(events) {
			event = events[x.Index]
		}
		return e.checkEvent(x.Is, event, "events["+strconv.Itoa(x.Index)+"]", raw)
	}
	for i, event := range events {
		if f := e.checkEvent(x.Is, event, "events["+strconv.Itoa(i)+"]", raw); f == nil || f.Broken {
			return f
		}
	}
	f := newFailure(&Assertion{Line: x.Line}, "events[*]", e.describeAssertion(x.Is), nil)
	f.Actual = fmt.Sprintf("%d other events", len(events))
	f.Message = fmt.Sprintf("none of the %d events is %s", len(events), f.Expected)
	return f
}

// terminalStates are the states that no other follows (A2A 1.0, section 4.1.3).
var terminalStates = []string{"TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_REJECTED"}

// checkStateOrder returns why the states in a stream regress: none follows a terminal one, and none returns to
// TASK_STATE_SUBMITTED. A state may repeat.
func checkStateOrder(at *Assertion, events []*record.Node) *Failure {
	last := ""
	for i, event := range events {
		for _, holder := range []string{"task", "statusUpdate"} {
			n := event.At("/" + holder + "/status/state")
			if n == nil || n.Kind != record.String || n.String == last {
				continue
			}
			path := fmt.Sprintf("events[%d].%s.status.state", i, holder)
			if slices.Contains(terminalStates, last) {
				return newFailure(at, path, "no other state after "+last, n)
			}
			if last != "" && n.String == "TASK_STATE_SUBMITTED" {
				return newFailure(at, path, "no return to that state after "+last, n)
			}
			last = n.String
		}
	}
	return nil
}
