package front

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/a2a-conform/a2a-conform/reference/engine"
)

// The functions of this file are the words in which mutants are written.

// misread edits the calls of one method before they are judged; an empty
// method means any.
func Misread(method string, edit func(body any)) func(*Call) {
	return func(c *Call) {
		if method == "" || c.Method == method {
			edit(c.Body)
		}
	}
}

// Answering edits the replies to one method, opened streams apart.
func Answering(method string, edit func(*Reply)) func(*Reply) {
	return func(x *Reply) {
		if x.Method() == method && !x.Opens {
			edit(x)
		}
	}
}

// OnResult edits the successful replies to one method, opened streams apart.
func OnResult(method string, edit func(*Reply)) func(*Reply) {
	return Answering(method, func(x *Reply) {
		if Has(x.Body, "result") {
			edit(x)
		}
	})
}

// Opening edits the heads of the streams one method opens.
func Opening(method string, edit func(*Reply)) func(*Reply) {
	return func(x *Reply) {
		if x.Method() == method && x.Opens {
			edit(x)
		}
	}
}

// Declining makes a server that refuses those calls of one method that it
// should answer and to which objectionable applies.
func Declining(method string, code int, objectionable func(params any) bool) func(*Reply) {
	return func(x *Reply) {
		if x.Method() == method && !Has(x.Body, "error") && objectionable(At(x.Request, "params")) {
			x.Decline(code)
		}
	}
}

// AnyPart makes a predicate on params of one on the parts of a message.
func AnyPart(is func(part map[string]any) bool) func(params any) bool {
	return func(params any) bool {
		parts, _ := At(params, "message/parts").([]any)
		for _, p := range parts {
			if m, ok := p.(map[string]any); ok && is(m) {
				return true
			}
		}
		return false
	}
}

// Answers reports whether the reply is an error of the given code to a call of
// the given method; an empty method means any.
func (x *Reply) Answers(method string, code int) bool {
	return (method == "" || x.Method() == method) && At(x.Body, "error/code") == Num(code)
}

// Method returns the method that was called, whether it exists or not.
func (x *Reply) Method() string {
	return Text(x.Request, "method")
}

// Succeed turns the reply into a success.
func (x *Reply) Succeed(result any) {
	x.Status = http.StatusOK
	x.Body = map[string]any{"jsonrpc": "2.0", "id": At(x.Request, "id"), "result": result}
}

// Decline turns the reply into an error. A stream is declined before it opens,
// as the server refuses streams.
func (x *Reply) Decline(code int) {
	if x.Opens {
		x.Header.Set("Content-Type", "application/json")
		x.refuseStream()
	}
	id := At(x.Request, "id")
	if Forbidden(id) {
		id = nil
	}
	x.Body = map[string]any{
		"jsonrpc": "2.0",
		"id":      id,
		"error":   map[string]any{"code": code, "message": "The call is refused"},
	}
}

// Blank turns the reply into one of the given type with nothing in it.
func (x *Reply) Blank(status int, mediaType string) {
	x.Status, x.Body, x.Raw = status, nil, []byte{}
	x.Header.Set("Content-Type", mediaType)
}

// EmptyStream turns the reply into an event stream without events.
func (x *Reply) EmptyStream() {
	x.Blank(http.StatusOK, "text/event-stream")
	x.Raw = []byte(": nothing to see\n\n")
}

// TaskID returns the id of the task the call is about, or brought about.
func (x *Reply) TaskID() string {
	return cmp.Or(taskNamed(x.Request), Text(x.Body, "result/id"), Text(x.Body, "result/taskId"), Text(x.Body, "result/task/id"))
}

// taskNamed returns the id of the task that a call names.
func taskNamed(body any) string {
	return cmp.Or(Text(body, "params/taskId"), Text(body, "params/id"), Text(body, "params/message/taskId"))
}

// Task returns the task the call is about.
func (x *Reply) Task() engine.Task {
	t, _ := x.Server.Engine.Task(x.TaskID())
	return t
}

// Script returns the first word of the message that started the task the call
// is about, or of the message that would.
func (x *Reply) Script() string {
	said := ""
	for _, m := range x.Task().History {
		for _, p := range m.Parts {
			if p.Text != nil && said == "" {
				said = *p.Text
			}
		}
	}
	word, _, _ := strings.Cut(cmp.Or(said, Text(x.Request, "params/message/parts/0/text")), " ")
	return word
}

// Looks reports whether the reply is to a call that looks up a task.
func (x *Reply) Looks() bool { return x.Method() == "tasks/get" || x.Method() == "GetTask" }

// LooksAgain reports whether the reply is to a tasks/get without historyLength
// for a task of the given script, and counts those replies by task.
func (x *Reply) LooksAgain(script string) (times int) {
	if !x.Looks() || At(x.Request, "params/historyLength") != nil || x.Script() != script {
		return 0
	}
	return x.Server.Notes.Count("get " + Text(x.Request, "params/id"))
}

// Method returns the method that opened the stream.
func (f *StreamEvent) Method() string { return f.Reply.Method() }

// Task returns the id of the task the event is about.
func (f *StreamEvent) Task() string {
	return cmp.Or(Text(f.Body, "result/taskId"), Text(f.Body, "result/id"), Text(f.Body, "result/task/id"),
		Text(f.Body, "result/statusUpdate/taskId"), Text(f.Body, "result/artifactUpdate/taskId"))
}

// Whole reports whether the event is a whole task.
func (f *StreamEvent) Whole() bool {
	return Text(f.Body, "result/kind") == "task" || At(f.Body, "result/task") != nil
}

// State returns the state in the event, or "" if it is about an artifact.
func (f *StreamEvent) State() string {
	return cmp.Or(Text(f.Body, "result/status/state"), Text(f.Body, "result/statusUpdate/status/state"), Text(f.Body, "result/task/status/state"))
}

// A notebook is the memory of mutants whose defect shows only after something
// else has happened.
type MutantState struct {
	mu     sync.Mutex
	counts map[string]int
	values map[string]any
}

// Count adds one to the count of key and returns it.
func (n *MutantState) Count(key string) int { return n.Add(key, 1) }

// Add adds to the count of key and returns it.
func (n *MutantState) Add(key string, delta int) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.counts == nil {
		n.counts = make(map[string]int)
	}
	n.counts[key] += delta
	return n.counts[key]
}

// Write notes a value under key and returns the one before.
func (n *MutantState) Write(key string, value any) any {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.values == nil {
		n.values = make(map[string]any)
	}
	old := n.values[key]
	n.values[key] = value
	return old
}

// First notes a value under key unless there is one, and returns what is there.
func (n *MutantState) First(key string, value any) any {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.values == nil {
		n.values = make(map[string]any)
	}
	if n.values[key] == nil {
		n.values[key] = value
	}
	return n.values[key]
}

// Read returns the value under key, or nil.
func (n *MutantState) Read(key string) any {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.values[key]
}

// IsNumber reports whether v is a JSON number.
func IsNumber(v any) bool {
	_, ok := v.(json.Number)
	return ok
}

// IsNegative reports whether v is a JSON number below zero.
func IsNegative(v any) bool { return IsNumber(v) && strings.HasPrefix(string(Encode(v)), "-") }

// IsText reports whether v is a JSON string.
func IsText(v any) bool {
	_, ok := v.(string)
	return ok
}

// Has reports whether the object v has a member, be it null.
func Has(v any, path string) bool {
	parent, name := split(path)
	_, ok := Object(v, parent)[name]
	return ok
}

// Replace sets a member that is there already.
func Replace(v any, path string, x any) {
	if At(v, path) != nil {
		Put(v, path, x)
	}
}

// Parts returns the parts of the message in params.
func Parts(params any) []any {
	list, _ := At(params, "message/parts").([]any)
	return list
}

// OfKind edits the events of one kind; an empty kind means any.
func OfKind(kind string, edit func(*StreamEvent)) func(*StreamEvent) {
	return func(f *StreamEvent) {
		if kind == "" || Text(f.Body, "result/kind") == kind {
			edit(f)
		}
	}
}
