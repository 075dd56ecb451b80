package html

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
)

// statePath is what one task went through in a play.
type statePath struct {
	Task  string
	Steps []stateStep
	More  int // that are not shown
}

// stateStep is a state that an answer or an event reported.
type stateStep struct {
	State string
	Href  string // to its bytes; "" if they are not on the page
	Label string
	Times int  // reported in a row
	Wrong bool // it must not follow an earlier state, or a failure rests on it
}

// stateSighting is a state that the server reported.
type stateSighting struct {
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
	byTask := map[string][]stateSighting{}
	var order []string
	for i := range p.Steps {
		for _, s := range b.findTaskStates(&p.Steps[i]) {
			if byTask[s.task] == nil {
				order = append(order, s.task)
			}
			byTask[s.task] = append(byTask[s.task], s)
		}
	}
	for _, task := range order[:min(len(order), maxTasks)] {
		all := byTask[task]
		slices.SortStableFunc(all, func(a, b stateSighting) int { return cmp.Compare(a.at, b.at) })
		out = append(out, b.statePath(task, all))
	}
	return out
}

func (b *builder) statePath(task string, all []stateSighting) statePath {
	path := statePath{Task: safetext.Line(task, maxWords)}
	for i, s := range all {
		wrong := b.blamed[failurePlace{s.x.ID, s.event}]
		for _, before := range all[:i] {
			wrong = wrong || before.precedes(s) && b.mustNotFollow(before.state, s.state)
		}
		if n := len(path.Steps); n > 0 && all[i-1].state == s.state && wrong == path.Steps[n-1].Wrong {
			path.Steps[n-1].Times++
			continue
		}
		if len(path.Steps) == maxStates {
			path.More++
			continue
		}
		step := stateStep{State: safetext.Line(s.state, maxWords), Times: 1, Wrong: wrong, Label: fmt.Sprintf("exchange %d", s.x.ID)}
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

// precedes reports whether one state was certainly reported before another. Exchanges that overlap prove no
// order.
func (s stateSighting) precedes(o stateSighting) bool {
	if s.x == o.x {
		return s.event < o.event
	}
	return s.x.Before(o.x)
}

// mustNotFollow reports whether the dialect has no way from one state to the other.
func (b *builder) mustNotFollow(from, to string) bool {
	d := b.summarizer.dialect
	if d == nil || from == to {
		return false
	}
	if d.State(to) == nil {
		return true
	}
	s := d.State(from)
	return s != nil && (s.Terminal || slices.Contains(s.Not, to))
}

// findTaskStates returns the states that the answer to a step reports. A deliberately invalid call has none,
// since its answer is judged by itself.
func (b *builder) findTaskStates(st *record.Step) (out []stateSighting) {
	x, rd := st.Exchange, b.summarizer
	if x == nil || x.Dir != record.Out || !x.Answered() || st.Of != "" || rd.dialect == nil {
		return nil
	}
	op := cmp.Or(rd.operationOf(x), st.Op)
	add := func(of string, result *record.Node, event int, at record.Instant) {
		if task, state := rd.readTaskIDAndState(of, result); state != "" {
			if task = cmp.Or(task, st.Task); task != "" {
				out = append(out, stateSighting{task, state, x, event, at})
			}
		}
	}
	if !x.IsStream() {
		if _, tells := rd.dialect.Pointer(op, "task.state"); tells {
			add(op, rd.bindingOf(x).Decode(op, x).Result.Node, 0, x.End)
		}
		return out
	}
	for i, e := range x.Events() {
		if e.Root != nil {
			add("event", rd.bindingOf(x).Event(op, e.Root).Result.Node, i+1, e.At)
		}
	}
	if op == "resubscribe" && len(out) > 1 { // a server may repeat missed events from the beginning
		out = out[len(out)-1:]
	}
	return out
}
