package reports

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// statePath is what one task went through in a play.
type statePath struct {
	Task  string
	Steps []stateStep
	More  int // that are not shown
}

// stateStep is a state as one answer or event told it.
type stateStep struct {
	State string
	Href  string // to its bytes; "" where they are not on the page
	Label string
	Times int  // told in a row
	Wrong bool // it must not follow what was told before, or a failure rests on it
}

// sighted is a state that was told.
type sighted struct {
	task, state string
	x           *record.Exchange
	event       int
	at          record.Instant
}

// The bounds of what is shown of a play's tasks.
const (
	maxTasks  = 8
	maxStates = 24
)

// statePaths are the states of the tasks of a play, in the order in which they came.
func (b *builder) statePaths(p *record.Play) (out []statePath) {
	byTask := map[string][]sighted{}
	var order []string
	for i := range p.Steps {
		for _, s := range b.sightings(&p.Steps[i]) {
			if byTask[s.task] == nil {
				order = append(order, s.task)
			}
			byTask[s.task] = append(byTask[s.task], s)
		}
	}
	for _, task := range order[:min(len(order), maxTasks)] {
		all := byTask[task]
		slices.SortStableFunc(all, func(a, b sighted) int { return cmp.Compare(a.at, b.at) })
		out = append(out, b.statePath(task, all))
	}
	return out
}

func (b *builder) statePath(task string, all []sighted) statePath {
	path := statePath{Task: line(task, maxWords)}
	for i, s := range all {
		wrong := b.blamed[blame{s.x.ID, s.event}]
		for _, before := range all[:i] {
			wrong = wrong || before.proven(s) && b.mustNotFollow(before.state, s.state)
		}
		if n := len(path.Steps); n > 0 && all[i-1].state == s.state && wrong == path.Steps[n-1].Wrong {
			path.Steps[n-1].Times++
			continue
		}
		if len(path.Steps) == maxStates {
			path.More++
			continue
		}
		step := stateStep{State: line(s.state, maxWords), Times: 1, Wrong: wrong, Label: fmt.Sprintf("exchange %d", s.x.ID)}
		if b.shown[s.x.ID] {
			step.Href = fmt.Sprintf("#x%d", s.x.ID)
		}
		if s.event > 0 {
			step.Label += fmt.Sprintf(", event %d", s.event)
		}
		path.Steps = append(path.Steps, step)
	}
	return path
}

// proven reports whether one state is proven to have been told before another: what
// overlaps proves nothing.
func (s sighted) proven(o sighted) bool {
	if s.x == o.x {
		return s.event < o.event
	}
	return s.x.Before(o.x)
}

// mustNotFollow reports whether the dialect has no way from one state to the other.
func (b *builder) mustNotFollow(from, to string) bool {
	d := b.reader.dialect
	if d == nil || from == to {
		return false
	}
	if d.State(to) == nil {
		return true
	}
	s := d.State(from)
	return s != nil && (s.Terminal || slices.Contains(s.Not, to))
}

// sightings are the states that the answer to a step tells: none of a call that was meant to be
// wrong, since what is answered to it is judged by itself.
func (b *builder) sightings(st *record.Step) (out []sighted) {
	x, rd := st.Exchange, b.reader
	if x == nil || x.Dir != record.Out || !x.Answered() || st.Of != "" || rd.dialect == nil {
		return nil
	}
	op := cmp.Or(rd.op(x), st.Op)
	add := func(of string, result *record.Node, event int, at record.Instant) {
		if task, state := rd.state(of, result); state != "" {
			if task = cmp.Or(task, st.Task); task != "" {
				out = append(out, sighted{task, state, x, event, at})
			}
		}
	}
	if !x.IsStream() {
		if _, tells := rd.dialect.Pointer(op, "task.state"); tells {
			add(op, rd.by(x).Decode(op, x).Result.Node, 0, x.End)
		}
		return out
	}
	for i, e := range x.Events() {
		if e.Root != nil {
			add("event", rd.by(x).Event(op, e.Root).Result.Node, i+1, e.At)
		}
	}
	if op == "resubscribe" && len(out) > 1 { // what was missed may be told again, from the beginning
		out = out[len(out)-1:]
	}
	return out
}

// blame is a place on which a failure rests.
type blame struct{ exchange, event int }

// blames are the places of states on which failures rest.
func (b *builder) blames() map[blame]bool {
	out := map[blame]bool{}
	if b.reader.dialect == nil {
		return out
	}
	for i := range b.report.Results {
		r := &b.report.Results[i]
		if r.Verdict != report.Fail {
			continue
		}
		for _, e := range r.Evidence {
			if endsInState(e.Pointer) {
				out[blame{e.Exchange, e.Event}] = true
			}
		}
	}
	return out
}

func endsInState(pointer string) bool {
	return len(pointer) > 6 && pointer[len(pointer)-6:] == "/state"
}
