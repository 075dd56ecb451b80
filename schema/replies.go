package schema

import "slices"

// Sorts describes how a result reports which sort it is: by the text of a member, or by
// the name of the one member that holds it.
type Sorts struct {
	By     string   `yaml:"by"`     // pointer to the member whose text is the sort
	Member []string `yaml:"member"` // names of the members that may hold the result
	Of     []string `yaml:"of"`     // operations whose results are held so, and "event"; the others have their result bare
	// Types are the definitions of the sorts by which a call is not answered as a rule: a
	// result that states about itself that it is one is judged by that definition too.
	Types map[string]string `yaml:"types"`
}

// Sorted reports whether a call may be answered by results of several sorts.
func (d *Dialect) Sorted() bool { return d.Sorts.By != "" || len(d.Sorts.Member) > 0 }

// Held reports whether the result of an operation, or an event, is held by the member
// that is named after its sort.
func (d *Dialect) Held(op string) bool {
	return len(d.Sorts.Member) > 0 && slices.Contains(d.Sorts.Of, op)
}

// Row returns the row of Read for a result: that of its sort, if there is one, else
// that of the operation.
func (d *Dialect) Row(op, sort string) string {
	if _, ok := d.Read[sort]; ok && d.Sorted() {
		return sort
	}
	return op
}

// Pointer reports where the reply of an operation holds what; "" if nowhere.
func (d *Dialect) Pointer(op, what string) (string, bool) {
	p, ok := d.Read[op][what]
	return p, ok
}

// Stream describes what the events of a stream may be, beyond JSON-RPC responses with
// news of a task.
type Stream struct {
	Bare     bool `yaml:"bare"`     // results may come without the envelope of JSON-RPC
	Messages bool `yaml:"messages"` // messages may stand between the news of a task
}

// Delivered names the members by which a push notification describes a task,
// wherever they stand in its body.
type Delivered struct {
	Task   []string `yaml:"task"`   // names of members that hold the task's id
	Status string   `yaml:"status"` // name of the member that holds its status
	State  string   `yaml:"state"`  // pointer to the state inside the status
}

// State is one state of a task.
type State struct {
	Name        string   `yaml:"name"`
	Terminal    bool     `yaml:"terminal"`
	Interrupted bool     `yaml:"interrupted"` // it waits for the client
	Outcome     string   `yaml:"outcome"`     // done, failed, canceled, unknown: what a terminal state means
	Not         []string `yaml:"not"`         // states that must not follow it
}

// State returns the state of that name, or nil.
func (d *Dialect) State(name string) *State {
	i := slices.IndexFunc(d.States, func(s State) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &d.States[i]
}
