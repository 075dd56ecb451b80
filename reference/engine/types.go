package engine

import "time"

// A State is a point in the life of a task.
type State string

// The states a task goes through. InputRequired and AuthRequired are pauses:
// the next message to the task continues it.
const (
	Submitted     State = "submitted"
	Working       State = "working"
	InputRequired State = "input-required"
	AuthRequired  State = "auth-required"
	Completed     State = "completed"
	Canceled      State = "canceled"
	Failed        State = "failed"
	Rejected      State = "rejected"
)

// Terminal reports whether no state follows s.
func (s State) Terminal() bool {
	return s == Completed || s == Canceled || s == Failed || s == Rejected
}

// Paused reports whether a message to the task continues it.
func (s State) Paused() bool {
	return s == InputRequired || s == AuthRequired
}

// Final reports whether s ends the turn that one message started.
func (s State) Final() bool {
	return s.Terminal() || s.Paused()
}

// A Role describes who uses.
type Role string

// The two sides of a conversation. A dialect may let a client name further
// roles; the engine keeps them as they are.
const (
	User  Role = "user"
	Agent Role = "agent"
)

// A Part is one piece of content: text, a file or data, distinguished by which
// member is set.
type Part struct {
	Text     *string
	File     *File
	Data     any // a JSON value
	Metadata map[string]any

	Name, MIME string // of text or data, if the protocol has them
}

// Text returns a text part.
func Text(s string) Part {
	return Part{Text: &s}
}

// A File is content by value (Bytes, base64), by reference (URI) or by name only.
type File struct {
	Name, MIME, Bytes, URI string
}

// A Message is one turn of a conversation.
type Message struct {
	ID       string
	Role     Role
	Parts    []Part
	Metadata map[string]any
	Time     time.Time

	References []string // ids of other tasks
	Extensions []string // URIs of the extensions that are active
}

// An Artifact is an output of a task, or, in an Event, a piece of one.
type Artifact struct {
	Name, Description string
	Index             int
	Parts             []Part
	Metadata          map[string]any
	Append, Last      bool // only in events
	Chunked           bool // only in events: one of several pieces
	Extensions        []string
}

// A Status is the state of a task with what the agent has to say about it.
type Status struct {
	State   State
	Message *Message
	Time    time.Time
	Failure string // why a task failed
	Broken  bool   // the work broke off without a regular end
}

// A Task is a snapshot of a task.
type Task struct {
	ID, Session string
	Status      Status
	Artifacts   []Artifact
	History     []Message
	Metadata    map[string]any
}

// An Event is one change of a task: a new status, or a new piece of an
// artifact.
type Event struct {
	Task, Session string
	Status        *Status
	Artifact      *Artifact
	Time          time.Time
	Reply         string // the id of the message this turn will end with
	Final         bool   // the last event of the turn
}

// A Push describes where, and how authenticated, a task's changes are POSTed.
type Push struct {
	ID          string // names one of several of a task; empty: its own name is the task's
	URL         string
	Token       *string
	Schemes     []string // nil: no authentication object
	Credentials *string
	Tenant      *string
	Events      bool // the receiver wants the events of the task

	hidden bool // by a defect
}
