package observe

import (
	"regexp"
	"slices"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
)

// IsCanceled reports whether a state is that of a canceled task.
func IsCanceled(t *judge.T, state judge.Value) bool { return HasOutcome(t, state, "canceled") }

// IsTerminal reports whether no other state follows a state.
func IsTerminal(t *judge.T, state judge.Value) bool {
	s := t.Case.Dialect.State(state.Text())
	return s != nil && s.Terminal
}

// IsInterrupted reports whether a task in that state waits for the client.
func IsInterrupted(t *judge.T, state judge.Value) bool {
	s := t.Case.Dialect.State(state.Text())
	return s != nil && s.Interrupted
}

// HasOutcome reports whether a state is known and has that outcome.
func HasOutcome(t *judge.T, state judge.Value, outcome string) bool {
	s := t.Case.Dialect.State(state.Text())
	return s != nil && s.Outcome == outcome
}

// Timestamp is a date-time as it was written.
type Timestamp struct {
	time.Time
	Offset string        // as written; "" if there is none
	step   time.Duration // the least difference that its digits can express
}

var isoForm = regexp.MustCompile(`^(\d{4}-?\d\d-?\d\d)[Tt](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?([Zz]|[+-]\d\d(?::?\d\d)?)?$`)

// Precision returns the least difference that its digits can express.
func (s Timestamp) Precision() time.Duration { return s.step }

// IsBefore reports whether s is before o, as far as both can express it.
func (s Timestamp) IsBefore(o Timestamp) bool {
	step := max(s.step, o.step, 1)
	return s.Truncate(step).Before(o.Truncate(step))
}

// StopVacuousIfRefusedWith ends the check if an error means that the server does not have what the requirement is
// about.
func StopVacuousIfRefusedWith(t *judge.T, reply judge.Value, names []string) {
	if match.IsError(reply) && reply.Refuses(names...) {
		t.OK(reply)
		t.StopVacuous("the server %s", match.Outcome(reply))
	}
}

func expandPath(n *record.Node, path []string) []*record.Node {
	switch {
	case n == nil:
		return nil
	case len(path) == 0:
		return []*record.Node{n}
	case path[0] != "*":
		return expandPath(n.Member(path[0]), path[1:])
	}
	var out []*record.Node
	for _, e := range n.Elems {
		out = append(out, expandPath(e, path[1:])...)
	}
	return out
}

// IsTaskUnknown reports whether a look-up is answered as for a task that never existed: by the error
// of the protocol or, if it defines none, as such a look-up was.
func IsTaskUnknown(t *judge.T, look judge.Step) bool {
	if IsUnknownTaskError(t, look.Reply()) {
		return true
	}
	never, asked := t.Find("unknown/get")
	return asked && match.IsError(look.Reply()) && !look.Reply().Refuses("InternalError") && HaveSameError(never, look)
}

// Sighting is the state of a task as one reply or stream event reports it.
type Sighting struct {
	judge.Value // the task or update
	Task        string
	Turn        int // how many messages had been sent to the task
}

// State returns the state that was seen.
func (s Sighting) State() judge.Value { return s.Read("task.state") }

// HasState reports whether the state is that one.
func (s Sighting) HasState(name string) bool {
	return s.State().Is(name)
}

// IsSameTurn reports whether two sightings are of one task, between the same two
// messages of the client. A new message is a new turn: what it may lead to is
// for other checks.
func (s Sighting) IsSameTurn(o Sighting) bool { return s.Task == o.Task && s.Turn == o.Turn }

// isProvenBefore reports whether a is proven to precede b: a's exchange had ended when
// b's was sent, or both are events of one stream in this order. Arrival order
// across parallel exchanges proves nothing.
func isProvenBefore(a, b judge.Value) bool {
	if a.Exchange() == b.Exchange() {
		return a.Document().Event < b.Document().Event
	}
	return a.Exchange().Before(b.Exchange())
}

// Sightings lists every state that the plays show of the tasks they are about:
// in the replies to calls and in the events of streams. The task is the one
// that the call was about, whatever the reply calls it.
func Sightings(t *judge.T, plays []string) []Sighting {
	return SightingsIn(t, plays, TaskResultsOrUpdates)
}

// SightingsIn are sightings in what shown takes of each step.
func SightingsIn(t *judge.T, plays []string, shown func(*judge.T, judge.Step) []judge.Value) []Sighting {
	var out []Sighting
	steps := PlayedStepsExceptLiveness(t, plays...)
	for _, s := range steps {
		if s.Task == "" || !s.Exchange.Answered() {
			continue
		}
		turn := 0
		for _, o := range steps {
			if t.Case.Dialect.Operation(o.Op).Agent && o.Task == s.Task && o.Exchange.Start <= s.Exchange.Start {
				turn++
			}
		}
		for _, v := range shown(t, s) {
			if v.Read("task.state").IsString() {
				out = append(out, Sighting{v, s.Task, turn})
			}
		}
	}
	return out
}

// PlayedStepsExceptLiveness returns the steps of plays without those that only show that the server
// still serves.
func PlayedStepsExceptLiveness(t *judge.T, plays ...string) []judge.Step {
	return slices.DeleteFunc(t.Played(plays...), func(s judge.Step) bool { return s.Role == record.Alive })
}

// maxSighted limits how many updates of one stream are compared with each other, in addition to
// its last: as many as are validated.
const maxSighted = 500

// TaskResultsOrUpdates returns what a step shows of its task: the result of a call, or the updates of a
// stream.
func TaskResultsOrUpdates(t *judge.T, s judge.Step) []judge.Value {
	if s.Exchange.IsStream() {
		of := UpdatesOf(t, s)
		if s.Op == "resubscribe" && len(of) > 1 {
			of = of[len(of)-1:] // missed updates may be repeated from the beginning
		}
		return CapUpdatesKeepingLast(of)
	}
	if _, has := t.Case.Dialect.Pointer(s.Op, "task.state"); !has || !s.Accepted() {
		return nil
	}
	return []judge.Value{s.Reply().Result()}
}

// CapUpdatesKeepingLast returns the first of many updates, and the last.
func CapUpdatesKeepingLast(of []judge.Value) []judge.Value {
	if len(of) > maxSighted {
		of = append(slices.Clip(of[:maxSighted]), of[len(of)-1])
	}
	return of
}

// PairWithLatestEarlierSighting returns the sightings that follow at least one other that fits, each with
// the last such one.
func PairWithLatestEarlierSighting(all []Sighting, fits func(earlier, later Sighting) bool) (out []SightingPair) {
	ofTask := map[string][]Sighting{}
	for _, s := range all {
		ofTask[s.Task] = append(ofTask[s.Task], s)
	}
	for _, b := range all {
		var found *Sighting
		for _, a := range ofTask[b.Task] {
			if isProvenBefore(a.Value, b.Value) && fits(a, b) && (found == nil || isProvenBefore(found.Value, a.Value)) {
				found = &a
			}
		}
		if found != nil {
			out = append(out, SightingPair{*found, b})
		}
	}
	return out
}

// SightingPair is two sightings of one task, in the order of time.
type SightingPair struct{ Earlier, Later Sighting }

// StaysParams say in which state a task is to stay.
type StaysParams struct {
	OnPlays
	State string   `json:"state"` // for task/stays: every terminal one if empty
	Or    []string `json:"or"`    // further states that count
	What  string   `json:"what"`  // for task/status-message: what the status has in addition to the state; a message if empty
}

// IsOfCountedState reports whether a sighting is of the state, or of one that counts too.
func (p StaysParams) IsOfCountedState(s Sighting) bool {
	return slices.ContainsFunc(append(p.Or, p.State), s.HasState)
}

// CheckStatusMessagePresent reads replies only: an earlier update may have had what a later one leaves out.
func CheckStatusMessagePresent(t *judge.T, p StaysParams) {
	of := judge.Filter(Sightings(t, p.Plays), func(s Sighting) bool { return p.IsOfCountedState(s) && s.Document().Event == 0 })
	what, name := "message", "a status message"
	if p.What != "" {
		what, name = p.What, "an "+p.What
	}
	judge.Each(t, of, func(s Sighting) {
		t.Expect(s.Read("task." + what)).To(match.BeThere(name + " with the state " + p.State))
	})
}

// IsMessage reports whether a result is a message of its own, and no update of a task.
func IsMessage(result judge.Value) bool { return result.Sort() == "message" }

// IsUnknownTaskError reports whether a reply is the error for a task that never was.
func IsUnknownTaskError(t *judge.T, reply judge.Value) bool {
	return reply.Refuses("TaskNotFound") && match.IsError(reply)
}

// BeIDOfAddressedTask is satisfied by the id of the task that a call is about.
func BeIDOfAddressedTask(s judge.Step) match.Matcher {
	return match.BeTheText("the id of the task that the call is about, ", s.Task)
}

// IsSuccess reports whether a state is the one in which work has succeeded.
func IsSuccess(t *judge.T, state judge.Value) bool { return HasOutcome(t, state, "done") }

// IsUnknownState reports whether a state means that the task is not known.
func IsUnknownState(t *judge.T, v judge.Value) bool { return HasOutcome(t, v, "unknown") }
