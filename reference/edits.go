package reference

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
// method stands for any.
func misread(method string, edit func(body any)) func(*call) {
	return func(c *call) {
		if method == "" || c.method == method {
			edit(c.body)
		}
	}
}

// supply makes a server that fills in a member that is absent or null.
func supply(method, path string, value any) func(*call) {
	return misread(method, func(body any) {
		if at(body, path) == nil {
			put(body, path, value)
		}
	})
}

// answering edits the replies to one method, opened streams apart.
func answering(method string, edit func(*reply)) func(*reply) {
	return func(x *reply) {
		if x.method() == method && !x.opens {
			edit(x)
		}
	}
}

// opening edits the heads of the streams one method opens.
func opening(method string, edit func(*reply)) func(*reply) {
	return func(x *reply) {
		if x.method() == method && x.opens {
			edit(x)
		}
	}
}

// recode replaces an error code in the replies to one method.
func recode(method string, from, to int) func(*reply) {
	return func(x *reply) {
		if x.answers(method, from) {
			put(x.body, "error/code", to)
		}
	}
}

// declining makes a server that refuses those calls of one method that it
// should answer and to which objectionable applies.
func declining(method string, code int, objectionable func(params any) bool) func(*reply) {
	return func(x *reply) {
		if x.method() == method && !has(x.body, "error") && objectionable(at(x.request, "params")) {
			x.decline(code)
		}
	}
}

// anyPart makes a predicate on params of one on the parts of a message.
func anyPart(is func(part map[string]any) bool) func(params any) bool {
	return func(params any) bool {
		parts, _ := at(params, "message/parts").([]any)
		for _, p := range parts {
			if m, ok := p.(map[string]any); ok && is(m) {
				return true
			}
		}
		return false
	}
}

// answers reports whether the reply is an error of the given code to a call of
// the given method; an empty method stands for any.
func (x *reply) answers(method string, code int) bool {
	return (method == "" || x.method() == method) && at(x.body, "error/code") == num(code)
}

// method returns the method that was called, whether it exists or not.
func (x *reply) method() string {
	return text(x.request, "method")
}

// succeed turns the reply into a success.
func (x *reply) succeed(result any) {
	x.status = http.StatusOK
	x.body = map[string]any{"jsonrpc": "2.0", "id": at(x.request, "id"), "result": result}
}

// decline turns the reply into an error. A stream is declined before it opens,
// as the server refuses streams.
func (x *reply) decline(code int) {
	if x.opens {
		x.header.Set("Content-Type", "application/json")
		x.refuseStream()
	}
	id := at(x.request, "id")
	if forbidden(id) {
		id = nil
	}
	x.body = map[string]any{
		"jsonrpc": "2.0",
		"id":      id,
		"error":   map[string]any{"code": code, "message": "The call is refused"},
	}
}

// blank turns the reply into one of the given type with nothing in it.
func (x *reply) blank(status int, mediaType string) {
	x.status, x.body, x.raw = status, nil, []byte{}
	x.header.Set("Content-Type", mediaType)
}

// emptyStream turns the reply into an event stream without events.
func (x *reply) emptyStream() {
	x.blank(http.StatusOK, "text/event-stream")
	x.raw = []byte(": nothing to see\n\n")
}

// taskID returns the id of the task the call is about, or brought about.
func (x *reply) taskID() string {
	return cmp.Or(taskNamed(x.request), text(x.body, "result/id"), text(x.body, "result/taskId"))
}

// taskNamed returns the id of the task that a call names.
func taskNamed(body any) string {
	return cmp.Or(text(body, "params/id"), text(body, "params/taskId"), text(body, "params/message/taskId"))
}

// task returns the task the call is about.
func (x *reply) task() engine.Task {
	t, _ := x.server.engine.Task(x.taskID())
	return t
}

// script returns the first word of the message that started the task the call
// is about, or of the message that would.
func (x *reply) script() string {
	said := ""
	for _, m := range x.task().History {
		for _, p := range m.Parts {
			if p.Text != nil && said == "" {
				said = *p.Text
			}
		}
	}
	word, _, _ := strings.Cut(cmp.Or(said, text(x.request, "params/message/parts/0/text")), " ")
	return word
}

// looksAgain reports whether the reply is to a tasks/get without historyLength
// for a task of the given script, and counts those replies by task.
func (x *reply) looksAgain(script string) (times int) {
	if x.method() != "tasks/get" || at(x.request, "params/historyLength") != nil || x.script() != script {
		return 0
	}
	return x.server.notes.count("get " + text(x.request, "params/id"))
}

// method returns the method that opened the stream.
func (f *frame) method() string { return f.reply.method() }

// task returns the id of the task the event is about.
func (f *frame) task() string {
	return cmp.Or(text(f.body, "result/taskId"), text(f.body, "result/id"))
}

// state returns the state in the event, or "" if it is about an artifact.
func (f *frame) state() string { return text(f.body, "result/status/state") }

// A notebook is the memory of mutants whose defect shows only after something
// else has happened.
type notebook struct {
	mu     sync.Mutex
	counts map[string]int
	values map[string]any
}

// count adds one to the count of key and returns it.
func (n *notebook) count(key string) int { return n.add(key, 1) }

// add adds to the count of key and returns it.
func (n *notebook) add(key string, delta int) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.counts == nil {
		n.counts = make(map[string]int)
	}
	n.counts[key] += delta
	return n.counts[key]
}

// write notes a value under key and returns the one before.
func (n *notebook) write(key string, value any) any {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.values == nil {
		n.values = make(map[string]any)
	}
	old := n.values[key]
	n.values[key] = value
	return old
}

// first notes a value under key unless there is one, and returns what is there.
func (n *notebook) first(key string, value any) any {
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

// read returns the value under key, or nil.
func (n *notebook) read(key string) any {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.values[key]
}

// isNumber reports whether v is a JSON number.
func isNumber(v any) bool {
	_, ok := v.(json.Number)
	return ok
}

// isText reports whether v is a JSON string.
func isText(v any) bool {
	_, ok := v.(string)
	return ok
}

// has reports whether the object v has a member, be it null.
func has(v any, path string) bool {
	parent, name := split(path)
	_, ok := object(v, parent)[name]
	return ok
}
