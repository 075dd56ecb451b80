package traffic

import (
	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// readAnswer reads what the answer to a call shows: the task that it is about, and the states in their order.
func (c *foundCall) readAnswer(d *schema.Dialect) {
	x := c.Exchange
	c.Kind = noneKind
	if c.by == nil || !x.Answered() {
		return
	}
	if x.IsStream() {
		c.Kind = oddKind
		for i, e := range x.Events() {
			if i >= maxEvents {
				break
			}
			if e.HasData {
				c.readResult(d, "event", c.by.Event(c.Op, e.Root).AsResponse(), e.At)
			}
		}
		return
	}
	c.Kind = oddKind
	c.readResult(d, c.Op, c.by.Decode(c.Op, x).AsResponse(), x.End)
}

// maxEvents bounds how many events of one stream are read for the states of a task.
const maxEvents = 10_000

// readResult reads one text of an answer.
func (c *foundCall) readResult(d *schema.Dialect, op string, a binding.Answer, at record.Instant) {
	result := a.Result.Node
	switch {
	case a.Failure.Present():
		if c.Kind == oddKind {
			c.Kind, c.errors = errorKind, binding.PossibleErrorNames(c.by, c.Exchange, a)
		}
		return
	case !a.Result.Exists():
		return
	}
	sort, below := binding.Content(d, op, result)
	content := result.At(below)
	row := d.Row(op, sort)
	read := func(what string) string {
		place, has := d.Pointer(row, what)
		if !has {
			return ""
		}
		if n := content.At(place); n != nil && n.Kind == record.String && len(n.String) <= record.MaxID {
			return n.String
		}
		return ""
	}
	if sort == messageKind {
		c.Kind, c.MadeContext = messageKind, read("task.context")
		return
	}
	if place, has := d.Pointer(row, "event.artifact"); has && content.At(place) != nil {
		c.countPiece(d, content.At(place))
	}
	if place, has := d.Pointer(row, "task.artifacts"); has {
		list := content.At(place)
		c.artifact = c.artifact || list != nil && len(list.Elems) > 0
	}
	if place, has := d.Pointer(row, "task.history"); has && content.At(place) != nil {
		c.history = content.At(place)
	}
	if place, has := d.Pointer(row, "webhook"); has {
		id, _ := d.Pointer("webhook", "id")
		if n := content.At(place + id); id != "" && n != nil && n.Kind == record.String {
			c.madeConfig = n.String
		}
	}
	c.next = read("next")
	task, state := read("task.id"), read("task.state")
	switch {
	case state != "" || task != "":
		c.Kind = taskKind
	case c.Kind == oddKind || c.Kind == errorKind:
		c.Kind = resultKind
	}
	if c.Made == "" {
		c.Made = task
	}
	if c.MadeContext == "" {
		c.MadeContext = read("task.context")
	}
	if state != "" {
		c.Last = state
		s := delivered{at: at, task: task, state: state}
		if place, has := d.Pointer(row, "task.status"); has {
			s.status = content.At(place)
		}
		c.states = append(c.states, s)
	}
}

// countPiece counts the events of one artifact.
func (c *foundCall) countPiece(d *schema.Dialect, artifact *record.Node) {
	at, _ := d.Pointer("artifact", "key")
	key := ""
	if n := artifact.At(at); at != "" && n != nil {
		key = n.String + n.Number
	}
	if c.byArtifact == nil {
		c.byArtifact = map[string]int{}
	}
	c.byArtifact[key]++
	c.pieces = max(c.pieces, c.byArtifact[key])
}

// classOf returns the class of a state of a task: working, waiting or ended; "" for a word that is none of the dialect's.
func classOf(d *schema.Dialect, state string) string {
	s := d.State(state)
	switch {
	case s == nil:
		return ""
	case s.Terminal:
		return endedClass
	case s.Interrupted:
		return waitingClass
	}
	return workingClass
}

// The classes of states of a task.
const (
	workingClass = "working"
	waitingClass = "waiting"
	endedClass   = "ended"
)
