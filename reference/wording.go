package reference

import (
	"maps"
	"strings"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// A wording says how a protocol calls what the mutants of several protocols
// spoil.
type wording struct {
	send, stream string                // the methods that take a message
	setPush      string                // the method that sets a push configuration
	kind         string                // the member that tells parts apart
	chunk        string                // where a streamed result has append and lastChunk
	hello        func() map[string]any // what a lenient server puts in place of a message it misses
	task         map[string]any        // what a task has beside its id and status
	message      func(*engine.Message, engine.Task) any

	// Codes.
	notFound    int
	finished    int // a message to a task that has ended, or a subscription to it
	noStreaming int
}

// pretend answers with a task of the id asked for in the given state.
func (w wording) pretend(x *reply, state string) {
	task := map[string]any{"id": text(x.request, "params/id"), "status": map[string]any{"state": state}}
	maps.Copy(task, w.task)
	x.succeed(task)
}

// wholeHistory returns all messages of the task the call is about.
func (w wording) wholeHistory(x *reply) []any {
	var list []any
	for _, m := range x.task().History {
		list = append(list, generic(w.message(&m, x.task())))
	}
	return list
}

// partsMisread edits every part of an incoming message.
func (w wording) partsMisread(edit func(part map[string]any)) func(*call) {
	return misread(w.send, func(body any) {
		parts, _ := at(body, "params/message/parts").([]any)
		for _, p := range parts {
			if m, ok := p.(map[string]any); ok {
				edit(m)
			}
		}
	})
}

// turnIntoText makes a text part of a part.
func (w wording) turnIntoText(part map[string]any) {
	clear(part)
	part[w.kind], part["text"] = "text", "hello"
}

// inStream edits the events of a stream that begins with a message, for tasks
// of one script; an empty script stands for any.
func (w wording) inStream(script string, edit func(*frame)) func(*frame) {
	return func(f *frame) {
		if f.method() == w.stream && (script == "" || f.reply.script() == script) {
			edit(f)
		}
	}
}

// fileDeclined refuses files to which objectionable applies.
func (w wording) fileDeclined(objectionable func(bytes, uri bool) bool) func(*reply) {
	return declining(w.send, codeInvalidParams, anyPart(func(p map[string]any) bool {
		f := object(p, "file")
		kind := text(f, "mimeType")
		return f != nil && !strings.HasPrefix(kind, "application/x-") && objectionable(f["bytes"] != nil, f["uri"] != nil)
	}))
}
