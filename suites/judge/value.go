package judge

import (
	"fmt"
	"strconv"
	"sync"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Value is a piece of JSON the server sent, with the place it came from. A
// value that is not there is a Value too: it knows where it was looked for.
type Value struct {
	t    *T
	said *Said
	node *record.Node
	ptr  string
	why  string // why it is missing, where there is more to say than that
	// What is about the head of a response, and the field of it that matters.
	head    bool
	header  string
	against []Value  // what it contradicts, where a failure is about two places
	beside  []Value  // what it is compared with, so that its text shows where the two differ
	due     []string // the errors that were due, if a failure is about a refusal; empty for any error
}

// Said is one JSON text of the server: a card, a reply, the data of a stream
// event, or the body of a delivery.
type Said struct {
	Kind     Kind
	Op       string // the operation it answers
	Exchange *record.Exchange
	Event    int            // number of the event in its stream, from 1; 0 for a body
	Root     *record.Node   // of what was read, by the names of the dialect's text
	Written  *record.Node   // the text itself, where its names are others; else nil
	Answer   binding.Answer // the text, read as the answer to a call
	Faults   []record.JSONFault
	Step     *record.Step
	Play     *record.Play

	excerpts sync.Map // of long values, by their pointers: many requirements cite the same
}

// Kind is what a JSON text of the server is.
type Kind string

// The kinds of text.
const (
	CardText Kind = "card"
	// CardElsewhere is the agent's card where the operator says that it lies in a
	// file or on another host: what it says is the agent's, how it came is not.
	CardElsewhere Kind = "card elsewhere"
	ReplyText     Kind = "reply"
	EventText     Kind = "event"
	OtherText     Kind = "other" // a document of the server that is neither
	Delivery      Kind = "delivery"
)

// Read is a place a check looked at; Deep if it compared everything below.
type Read struct {
	Exchange, Event int
	Pointer         string
	Deep            bool
}

// Find returns the members of that name, wherever they are below v.
func (v Value) Find(name string) []Value {
	v.read(true)
	var out []Value
	for _, f := range v.node.Find(name) {
		out = append(out, v.At(f.Pointer))
	}
	return out
}

// Strings are the strings at and below v.
func (v Value) Strings() []Value {
	v.read(true)
	if v.node != nil && v.node.Kind == record.String {
		return []Value{v}
	}
	var out []Value
	for _, e := range v.Elems() {
		out = append(out, e.Strings()...)
	}
	if v.node != nil {
		for _, m := range v.node.Members {
			out = append(out, v.At(record.Pointer(m.Name)).Strings()...)
		}
	}
	return out
}

// At returns the value at an RFC 6901 pointer below v.
func (v Value) At(pointer string) Value {
	w := Value{t: v.t, said: v.said, ptr: v.ptr + pointer, why: v.why}
	if v.node != nil {
		w.node = v.node.At(pointer)
	}
	return w
}

// MemberAt is the value at a pointer below v. If the dialect's JSON has null count as left out,
// a value that is null is not there.
func (v Value) MemberAt(pointer string) Value {
	w := v.At(pointer)
	if v.t.Case.Dialect.ProtoJSON != "" && w.IsNull() {
		w.node = nil
	}
	return w
}

// Exists reports whether the value is there, null included.
func (v Value) Exists() bool { v.read(false); return v.node != nil }

// IsNull reports whether the value is JSON null.
func (v Value) IsNull() bool { v.read(false); return v.node != nil && v.node.Kind == record.Null }

// IsObject reports whether the value is an object.
func (v Value) IsObject() bool { v.read(false); return v.node != nil && v.node.Kind == record.Object }

// IsArray reports whether the value is an array.
func (v Value) IsArray() bool { v.read(false); return v.node != nil && v.node.Kind == record.Array }

// IsString reports whether the value is a string.
func (v Value) IsString() bool { v.read(false); return v.node != nil && v.node.Kind == record.String }

// IsNumber reports whether the value is a number.
func (v Value) IsNumber() bool { v.read(false); return v.node != nil && v.node.Kind == record.Number }

// Is reports whether the value is the string s.
func (v Value) Is(s string) bool { return v.IsString() && v.node.String == s }

// Text is the string's content, or "".
func (v Value) Text() string {
	if v.IsString() {
		return v.node.String
	}
	return ""
}

// True reports whether the value is true.
func (v Value) True() bool {
	v.read(false)
	return v.node != nil && v.node.Kind == record.Bool && v.node.Bool
}

// Int is the value as an integer; ok is false if it is none.
func (v Value) Int() (n int, ok bool) {
	if !v.IsNumber() {
		return 0, false
	}
	n, err := strconv.Atoi(v.node.Number)
	return n, err == nil
}

// Number is the number as it was written, or "".
func (v Value) Number() string {
	if v.IsNumber() {
		return v.node.Number
	}
	return ""
}

// Elems are the elements of an array.
func (v Value) Elems() []Value {
	if !v.IsArray() {
		return nil
	}
	out := make([]Value, len(v.node.Elems))
	for i, e := range v.node.Elems {
		out[i] = Value{t: v.t, said: v.said, node: e, ptr: v.ptr + "/" + strconv.Itoa(i)}
	}
	return out
}

// Members are the members of an object by name; of duplicates the last.
func (v Value) Members() map[string]Value {
	out := map[string]Value{}
	if v.IsObject() {
		for _, m := range v.node.Members {
			out[m.Name] = v.At(record.Pointer(m.Name))
		}
	}
	return out
}

// Equal reports whether two values are the same JSON.
func (v Value) Equal(w Value) bool {
	v.read(true)
	w.read(true)
	return v.node != nil && w.node != nil && v.node.Equal(w.node)
}

// Header is the head that the value came with, for an expectation about one field
// of it, or about the status line.
func (v Value) Header(name string) Value {
	v.head, v.header = true, name
	return v
}

// about is the value as what a matcher is about: itself, or something of the head
// of its response.
func (v Value) about(field string, ofHead bool) Value {
	if ofHead {
		v.head = true
	}
	if field != "" {
		v.header = field
	}
	return v
}

// Exchange is the exchange the value came in.
func (v Value) Exchange() *record.Exchange { return v.said.Exchange }

// Said is the text the value stands in.
func (v Value) Said() *Said { return v.said }

// Pointer is the place of the value in what was read.
func (v Value) Pointer() string { return v.ptr }

// AsWritten is the whole text by its own names, where the value was read otherwise.
func (v Value) AsWritten() Value {
	if v.said == nil || v.said.Written == nil {
		return Value{t: v.t, said: v.said, node: v.root(), why: v.why}
	}
	raw := &Said{Kind: v.said.Kind, Op: v.said.Op, Exchange: v.said.Exchange, Event: v.said.Event, Root: v.said.Written, Faults: v.said.Faults, Step: v.said.Step, Play: v.said.Play}
	return Value{t: v.t, said: raw, node: raw.Root, why: v.why}
}

func (v Value) root() *record.Node {
	if v.said == nil {
		return nil
	}
	return v.said.Root
}

// Place is the place of the value in its text, as that is written.
func (v Value) Place() string {
	if v.said == nil {
		return v.ptr
	}
	return v.said.Place(v.ptr)
}

// Node is the value as it was read; nil if it is missing.
func (v Value) Node() *record.Node { v.read(true); return v.node }

// Read returns what a reply of the value's operation holds under a name such
// as task.state; the place is data of the dialect. It is made for results.
func (v Value) Read(what string) Value {
	op := v.operation()
	d := v.t.Case.Dialect
	op = d.Row(op, v.Sort())
	p, ok := d.Pointer(op, what)
	if !ok {
		return Value{t: v.t, said: v.said, ptr: v.ptr, why: fmt.Sprintf("sent a reply to %s, which has no %s in this dialect", op, what)}
	}
	return v.Content().MemberAt(p)
}

// operation is the row of the dialect's readings for the text of the value.
func (v Value) operation() string {
	if v.said.Kind == EventText {
		return "event"
	}
	return v.said.Op
}

// Sort is of which sort a result is, where a call may be answered by several; ""
// where it tells none.
func (v Value) Sort() string {
	d := v.t.Case.Dialect
	if d.Sorts.By != "" {
		return v.At(d.Sorts.By).Text()
	}
	if d.Held(v.operation()) {
		for _, name := range d.Sorts.Member {
			if at := v.At(record.Pointer(name)); at.Exists() && !at.IsNull() {
				return name
			}
		}
	}
	if p, ok := d.Pointer(v.operation(), "event.kind"); ok {
		return v.At(p).Text()
	}
	return ""
}

// SortAt is what tells of the sort: the member that names it, or what the member named
// after it holds. Where nothing does, it is where that was looked for.
func (v Value) SortAt() Value {
	d := v.t.Case.Dialect
	switch {
	case d.Sorts.By != "":
		return v.At(d.Sorts.By)
	case d.Held(v.operation()):
		return v.Content()
	}
	return v.Read("event.kind")
}

// Content is a result without the member that holds it, where that is named after its
// sort.
func (v Value) Content() Value {
	d := v.t.Case.Dialect
	if !d.Held(v.operation()) {
		return v
	}
	_, at := binding.Content(d, v.operation(), v.node)
	return v.At(at)
}

// TellsStatus reports whether a result is an event about the status of a task, and not the
// task itself.
func (v Value) TellsStatus() bool {
	if !v.Read("task.status").Exists() {
		return false
	}
	sort := v.Sort()
	if sort == "" {
		return v.said.Kind == EventText
	}
	d := v.t.Case.Dialect
	id, of := d.Pointer(d.Row(v.operation(), sort), "task.id")
	whole, known := d.Pointer("get", "task.id")
	return of && known && id != whole
}

// Evidence points at the value.
func (v Value) Evidence() report.Evidence {
	e := report.Evidence{Pointer: v.Place()}
	if v.said != nil && v.said.Exchange != nil {
		e.Exchange, e.Event = v.said.Exchange.ID, v.said.Event
		e.File = givenFile(v.said.Exchange)
	}
	if v.node != nil && (v.t == nil || !v.t.Case.Track) {
		e.Excerpt = v.excerpt()
	}
	return e
}

func (v Value) read(deep bool) {
	if v.t == nil || !v.t.Case.Track || v.said == nil || v.said.Exchange == nil {
		return
	}
	v.t.result.reads = append(v.t.result.reads, Read{v.said.Exchange.ID, v.said.Event, v.Place(), deep})
}
