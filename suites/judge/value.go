package judge

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Find returns the members of that name, wherever they are below v.
func (v Value) Find(name string) []Value {
	v.trackRead(true)
	var out []Value
	for _, f := range v.node.Find(name) {
		out = append(out, v.At(f.Pointer))
	}
	return out
}

// Strings returns the strings at and below v.
func (v Value) Strings() (out []Value) {
	v.trackRead(true)
	v.walkStrings(v.node, nil, func(n *record.Node, path []string) {
		out = append(out, Value{t: v.t, doc: v.doc, node: n, ptr: v.ptr + strings.Join(path, ""), why: v.why})
	})
	return out
}

// Texts returns the texts of the strings at and below v.
func (v Value) Texts() (out []string) {
	v.trackRead(true)
	v.walkStrings(v.node, nil, func(n *record.Node, _ []string) { out = append(out, n.String) })
	return out
}

// walkStrings calls take for each string at and below a node, with the way to it. Others wrote the document, so that the
// time it takes grows with its size alone.
func (v Value) walkStrings(n *record.Node, path []string, take func(n *record.Node, path []string)) {
	if n == nil {
		return
	}
	if n.Kind == record.String {
		take(n, path)
	}
	for i, e := range n.Elems {
		v.walkStrings(e, append(path, "/"+strconv.Itoa(i)), take)
	}
	for _, m := range n.Members {
		v.walkStrings(m.Value, append(path, record.Pointer(m.Name)), take)
	}
}

// At returns the value at an RFC 6901 pointer below v.
func (v Value) At(pointer string) Value {
	w := Value{t: v.t, doc: v.doc, ptr: v.ptr + pointer, why: v.why}
	if v.node != nil {
		w.node = v.node.At(pointer)
	}
	return w
}

// MemberAt returns the value at a pointer below v. If the dialect's JSON has null count as left out,
// a value that is null is not there.
func (v Value) MemberAt(pointer string) Value {
	w := v.At(pointer)
	if v.t.Case.Dialect.ProtoJSON != "" && w.IsNull() {
		w.node = nil
	}
	return w
}

// Exists reports whether the value is there, null included.
func (v Value) Exists() bool { v.trackRead(false); return v.node != nil }

// isOfKind reports whether the value is there and of a kind of JSON.
func (v Value) isOfKind(kind record.Kind) bool { return v.Exists() && v.node.Kind == kind }

// IsNull reports whether the value is JSON null.
func (v Value) IsNull() bool { return v.isOfKind(record.Null) }

// IsObject reports whether the value is an object.
func (v Value) IsObject() bool { return v.isOfKind(record.Object) }

// IsArray reports whether the value is an array.
func (v Value) IsArray() bool { return v.isOfKind(record.Array) }

// IsString reports whether the value is a string.
func (v Value) IsString() bool { return v.isOfKind(record.String) }

// IsNumber reports whether the value is a number.
func (v Value) IsNumber() bool { return v.isOfKind(record.Number) }

// Is reports whether the value is the string s.
func (v Value) Is(s string) bool { return v.IsString() && v.node.String == s }

// Text returns the string's content, or "".
func (v Value) Text() string {
	if v.IsString() {
		return v.node.String
	}
	return ""
}

// True reports whether the value is true.
func (v Value) True() bool { return v.isOfKind(record.Bool) && v.node.Bool }

// Int returns the value as an integer; ok is false if it is none.
func (v Value) Int() (n int, ok bool) {
	if !v.IsNumber() {
		return 0, false
	}
	n, err := strconv.Atoi(v.node.Number)
	return n, err == nil
}

// Number returns the number as it was written, or "".
func (v Value) Number() string {
	if v.IsNumber() {
		return v.node.Number
	}
	return ""
}

// Elems returns the elements of an array.
func (v Value) Elems() []Value {
	if !v.IsArray() {
		return nil
	}
	out := make([]Value, len(v.node.Elems))
	for i, e := range v.node.Elems {
		out[i] = Value{t: v.t, doc: v.doc, node: e, ptr: v.ptr + "/" + strconv.Itoa(i)}
	}
	return out
}

// Members returns the members of an object by name; of duplicates the last.
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
	v.trackRead(true)
	w.trackRead(true)
	return v.node != nil && w.node != nil && v.node.Equal(w.node)
}

// Header returns the head that the value came with, for an expectation about one field
// of it, or about the status line.
func (v Value) Header(name string) Value {
	v.head, v.header = true, name
	return v
}

// markAsHeadOrHeader returns the value as what a matcher is about: itself, or something of the head
// of its response.
func (v Value) markAsHeadOrHeader(headerField string, wholeHead bool) Value {
	if wholeHead {
		v.head = true
	}
	if headerField != "" {
		v.header = headerField
	}
	return v
}

// Exchange returns the exchange the value came in.
func (v Value) Exchange() *record.Exchange { return v.doc.Exchange }

// Document returns the text the value is in.
func (v Value) Document() *Document { return v.doc }

// Pointer returns the place of the value in what was read.
func (v Value) Pointer() string { return v.ptr }

// AsWritten returns the whole text by its own names, if the value was read otherwise.
func (v Value) AsWritten() Value {
	if v.doc == nil || v.doc.Written == nil {
		whole := Value{t: v.t, doc: v.doc, why: v.why}
		if v.doc != nil {
			whole.node = v.doc.Root
		}
		return whole
	}
	raw := &Document{Kind: v.doc.Kind, Op: v.doc.Op, Exchange: v.doc.Exchange, Event: v.doc.Event, Root: v.doc.Written, Faults: v.doc.Faults, Step: v.doc.Step, Play: v.doc.Play}
	return Value{t: v.t, doc: raw, node: raw.Root, why: v.why}
}

// Place returns the place of the value in its text, as that is written.
func (v Value) Place() string {
	if v.doc == nil {
		return v.ptr
	}
	return v.doc.Place(v.ptr)
}

// Node returns the value as it was read; nil if it is missing.
func (v Value) Node() *record.Node { v.trackRead(true); return v.node }

// Read returns what a reply of the value's operation holds under a name such
// as task.state; the place is data of the dialect. It is made for results.
func (v Value) Read(what string) Value {
	d := v.t.Case.Dialect
	op := d.Row(v.dialectPointerRow(), v.Sort())
	p, ok := d.Pointer(op, what)
	if !ok {
		return Value{t: v.t, doc: v.doc, ptr: v.ptr, why: fmt.Sprintf("sent a reply to %s, which has no %s in this dialect", op, what)}
	}
	return v.Content().MemberAt(p)
}

// dialectPointerRow returns the row of the dialect's readings for the text of the value.
func (v Value) dialectPointerRow() string {
	if v.doc.Kind == EventText {
		return "event"
	}
	return v.doc.Op
}

// Sort returns the sort of a result, if a call may be answered by several; ""
// if it names none.
func (v Value) Sort() string {
	d := v.t.Case.Dialect
	if d.Sorts.By != "" {
		return v.At(d.Sorts.By).Text()
	}
	if d.Held(v.dialectPointerRow()) {
		for _, name := range d.Sorts.Member {
			if at := v.At(record.Pointer(name)); at.Exists() && !at.IsNull() {
				return name
			}
		}
	}
	if p, ok := d.Pointer(v.dialectPointerRow(), "event.kind"); ok {
		return v.At(p).Text()
	}
	return ""
}

// SortAt returns the value that shows the sort: the member that names it, or what the member named
// after it holds. If nothing does, it is the place that was looked at.
func (v Value) SortAt() Value {
	d := v.t.Case.Dialect
	switch {
	case d.Sorts.By != "":
		return v.At(d.Sorts.By)
	case d.Held(v.dialectPointerRow()):
		return v.Content()
	}
	return v.Read("event.kind")
}

// Content returns a result without the member that holds it, if that is named after its
// sort.
func (v Value) Content() Value {
	d := v.t.Case.Dialect
	if !d.Held(v.dialectPointerRow()) {
		return v
	}
	_, at := binding.Content(d, v.dialectPointerRow(), v.node)
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
		return v.doc.Kind == EventText
	}
	d := v.t.Case.Dialect
	id, of := d.Pointer(d.Row(v.dialectPointerRow(), sort), "task.id")
	whole, known := d.Pointer("get", "task.id")
	return of && known && id != whole
}

func (v Value) trackRead(deep bool) {
	if v.t == nil || !v.t.Case.Track || v.doc == nil || v.doc.Exchange == nil {
		return
	}
	v.t.result.reads = append(v.t.result.reads, Read{v.doc.Exchange.ID, v.doc.Event, v.Place(), deep})
}

// asBreach returns the place of a value that breaks a requirement.
func (v Value) asBreach(against []Value, due []string) Breach {
	b := Breach{Document: v.doc, Node: v.node, Pointer: v.ptr, OfHead: v.head, Header: v.header, Due: due}
	for _, o := range against {
		b.Against = append(b.Against, o.asBreach(nil, nil))
	}
	return b
}

// IsAboutWholeAnswer reports whether a violation is about an answer as a whole: that it came,
// or which one it is.
func (v Breach) IsAboutWholeAnswer() bool {
	a := v.Document.Answer
	return v.Pointer == "" || v.Pointer == a.Failure.At || v.Pointer == a.Code.At || v.Pointer == a.Result.At && v.Node == nil
}

// Operation returns the operation of the call whose answer is at fault.
func (v Breach) Operation() string {
	if v.Document.Step != nil {
		return v.Document.Step.Op
	}
	return v.Document.Op
}

// IsInErrorDetails reports whether a violation is about the details of an error: what they hold, or
// that there are none.
func (v Breach) IsInErrorDetails() bool {
	at := v.Document.Answer.Details.At
	return at != "" && (v.Pointer == at || strings.HasPrefix(v.Pointer, at+"/"))
}

// Covers reports whether something lies at the place of a value, or in it.
func (v Breach) Covers(w Breach) bool {
	return w.Document == v.Document && (w.Pointer == v.Pointer || strings.HasPrefix(w.Pointer, v.Pointer+"/"))
}

// readOtherwise takes what was read of a result for the text, if the binding writes it
// with other names. Evidence points at the text as it was written all the same.
func (s *Document) readOtherwise() {
	if s.Answer.Read && s.Answer.Result.Exists() && s.Root != nil && s.Answer.Result.Node != s.Root {
		s.Root, s.Written = s.Answer.Result.Node, s.Root
	}
}

// Place returns the pointer of a place of what was read in the text as it was written. What does
// not stand there is looked for in what holds it.
func (s *Document) Place(read string) string {
	if s.Written == nil || s.Root == nil {
		return read
	}
	n, rest := s.Root, read
	at := placeOf(s.Written, n, "")
	for rest != "" {
		token, after, _ := strings.Cut(rest[1:], "/")
		next := n.At("/" + token)
		if after != "" {
			after = "/" + after
		}
		place := "-"
		if next != nil {
			place = placeOf(s.Written, next, "-")
		}
		if place == "-" {
			if next != nil { // it is meant and is nowhere
				return at
			}
			return at + rest
		}
		n, at, rest = next, place, after
	}
	return at
}

// placeOf returns the pointer of the bytes that a value was read from, or otherwise if they are
// those of no value.
func placeOf(in, n *record.Node, otherwise string) string {
	at := ""
	for in.Start != n.Start || in.End != n.End {
		var inner *record.Node
		step := ""
		for i, e := range in.Elems {
			if e.Start <= n.Start && n.End <= e.End {
				inner, step = e, "/"+strconv.Itoa(i)
			}
		}
		for _, m := range in.Members {
			if m.Value.Start <= n.Start && n.End <= m.Value.End {
				inner, step = m.Value, record.Pointer(m.Name)
			}
		}
		if inner == nil || n.Start == n.End {
			return otherwise
		}
		in, at = inner, at+step
	}
	return at
}

// Bytes returns the bytes that the text was read from.
func (s *Document) Bytes() []byte {
	switch {
	case s.Line != nil:
		return []byte(s.Line.FormatLine())
	case s.Kind == Delivery:
		return s.Exchange.Request.Body
	case s.Kind == RequestText:
		return s.Exchange.CallText()
	case s.Event > 0:
		return []byte(s.Exchange.Events()[s.Event-1].Data)
	}
	return s.Exchange.ReplyText()
}

// numberText is the form of a number in JSON, which ProtoJSON takes as a text too.
var numberText = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// Count returns the value as an integer, however JSON writes it, and also if it is the text of
// one and the dialect's JSON lets it be.
func (v Value) Count() (n int, ok bool) {
	text := v.Number()
	if text == "" && v.t.Case.Dialect.ProtoJSON != "" && numberText.MatchString(v.Text()) {
		text = v.Text()
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int(f), true
}
