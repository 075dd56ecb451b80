package mutants

import (
	"cmp"
	"maps"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
	"github.com/a2a-conform/a2a-conform/reference/front"
)

// A wording says how a protocol calls what the mutants of several protocols
// spoil.
type Wording struct {
	Send, Stream string                // the methods that take a message
	Get, Cancel  string                // the methods about a task
	Resubscribe  string                // the method that takes up its stream again
	SetPush      string                // the method that sets a push configuration
	User         string                // the role of a client; empty: user
	State        func(string) string   // the name of a state; nil: as it is
	Kind         string                // the member that names the kind of a part
	Chunk        string                // path of what has append and lastChunk in a streamed result
	Hello        func() map[string]any // what a lenient server puts in place of a message it misses
	Task         map[string]any        // what a task has besides its id and status
	Message      func(*engine.Message, engine.Task) any

	// Codes.
	NotFound    int
	Finished    int // a message to a task that has ended, or a subscription to it
	NoStreaming int
}

// stateName is the name of a state on the wire.
func (w Wording) stateName(name string) string {
	if w.State == nil {
		return name
	}
	return w.State(name)
}

// userRole is the role of a client on the wire.
func (w Wording) userRole() string { return cmp.Or(w.User, "user") }

// returnPretendedTask answers with a task of the id asked for in the given state.
func (w Wording) returnPretendedTask(x *front.Reply, state string) {
	task := map[string]any{"id": front.Text(x.Request, "params/id"), "status": map[string]any{"state": w.stateName(state)}}
	maps.Copy(task, w.Task)
	x.Succeed(task)
}

// WholeHistory returns all messages of the task the call is about.
func (w Wording) WholeHistory(x *front.Reply) []any {
	var list []any
	for _, m := range x.Task().History {
		list = append(list, front.Generic(w.Message(&m, x.Task())))
	}
	return list
}

// PartsMisread edits every part of an incoming message.
func (w Wording) PartsMisread(edit func(part map[string]any)) func(*front.Call) {
	return front.Misread(w.Send, func(body any) {
		parts, _ := front.At(body, "params/message/parts").([]any)
		for _, p := range parts {
			if m, ok := p.(map[string]any); ok {
				edit(m)
			}
		}
	})
}

// turnIntoText makes a text part of a part.
func (w Wording) turnIntoText(part map[string]any) {
	clear(part)
	part[w.Kind], part["text"] = "text", "hello"
}

// InStream edits the events of a stream that begins with a message, for tasks
// of one script; an empty script means any.
func (w Wording) InStream(script string, edit func(*front.StreamEvent)) func(*front.StreamEvent) {
	return func(f *front.StreamEvent) {
		if f.Method() == w.Stream && (script == "" || f.Reply.Script() == script) {
			edit(f)
		}
	}
}

// FileDeclined refuses files to which objectionable applies.
func (w Wording) FileDeclined(objectionable func(bytes, uri bool) bool) func(*front.Reply) {
	return front.Declining(w.Send, front.CodeInvalidParams, front.AnyPart(func(p map[string]any) bool {
		f := front.Object(p, "file")
		kind := front.Text(f, "mimeType")
		return f != nil && !strings.HasPrefix(kind, "application/x-") && objectionable(f["bytes"] != nil, f["uri"] != nil)
	}))
}
