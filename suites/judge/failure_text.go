package judge

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// The bounds of the parts of a reason, in characters.
const (
	mostSent = 120
	mostGot  = 200
)

// why puts together what is wrong with a value.
func (t *T) why(v Value, against []Value, did, wants, note string) report.Why {
	if !t.isWorded() {
		return report.Why{}
	}
	w := report.Why{Sent: t.Case.sent(v.said), Did: did, Due: cited(wants, t.Case.Dialect.Cite(t.Requirement)), At: v.place()}
	if v.said != nil && v.said.Exchange != nil && v.said.Exchange.Dir == record.Given { // which no server sent
		if has, sent := strings.CutPrefix(did, "sent "); sent {
			w.Did = "the card has " + has
		}
	}
	if note != "" {
		w.Due += ": " + note
	}
	if w.Got, w.Words = v.piece(); w.Words && w.Got == "" {
		w.Got = did
	}
	for _, o := range against {
		c := report.Clash{At: o.place()}
		if c.Got, c.Words = o.piece(); c.At.Exchange != 0 {
			w.Against = &c
			if !w.Words && !c.Words && w.Got == c.Got {
				w.Got, c.Got = piecesApart(v, o, w.Got)
			}
		}
	}
	return w
}

// isWorded reports whether anybody reads the text of one more violation. To make it for each of
// many thousand would take longer than the judging.
func (t *T) isWorded() bool {
	if t.Requirement.Tolerant() {
		return t.Requirement.Permission || len(t.result.Findings) < maxViolations
	}
	return t.failures < mostGrouped
}

// piecesApart are the pieces of two texts from shortly before the place where they differ; same is
// what both begin with.
func piecesApart(v, o Value, same string) (of, other string) {
	const before = 40
	a, b := v.said.Bytes(), o.said.Bytes()
	i, j := v.start(), o.start()
	n := 0
	for i+n < len(a) && j+n < len(b) && a[i+n] == b[j+n] {
		n++
	}
	if n < before || i+n == len(a) || j+n == len(b) {
		return same, same
	}
	n -= before
	for n > 0 && !(utf8.RuneStart(a[i+n]) && utf8.RuneStart(b[j+n])) {
		n--
	}
	return piece(a, i+n), piece(b, j+n)
}

// cited is what is expected, with the sentence that asks for it.
func cited(wants, by string) string { return wants + " (" + strings.TrimRight(by, ", ") + ")" }

func (v Value) place() report.At {
	if v.said == nil || v.said.Exchange == nil {
		return report.At{}
	}
	a := report.At{Exchange: v.said.Exchange.ID, File: givenFile(v.said.Exchange), Event: v.said.Event, Pointer: v.Place()}
	if v.header != "" { // the head is that of the whole answer
		a.Event, a.Pointer, a.Header = 0, "", v.header
	}
	if v.said.Play != nil && v.said.Step != nil {
		a.Step = v.said.Play.Scenario + "/" + v.said.Step.Name
	}
	return a
}

// piece is the part of the recorded bytes that shows the value: its own, or those
// of what should hold it. It is told in words where nothing was recorded, and
// empty where the check alone can say it.
func (v Value) piece() (text string, words bool) {
	if v.said == nil || v.said.Exchange == nil {
		return "", true
	}
	x := v.said.Exchange
	switch {
	case x.Dir == record.Out && !x.Answered():
		return unanswered(x), true
	case v.head && v.header == "":
		return "", true
	case v.head:
		return v.field()
	}
	body := v.said.Bytes()
	if len(bytes.TrimSpace(body)) == 0 {
		if v.said.Event > 0 || x.Dir != record.Out {
			return "", true
		}
		line, _, _ := bytes.Cut(x.Response.Head, []byte("\n"))
		return piece(bytes.TrimRight(line, "\r"), 0), false
	}
	if v.said.Root == nil {
		return piece(body, 0), false
	}
	return piece(body, v.start()), false
}

// field is the header field that the value is about, as it was written.
func (v Value) field() (text string, words bool) {
	x, name := v.said.Exchange, v.header
	head := x.Response.Head
	if v.said.Kind == Delivery {
		head = x.Request.Head
	} else if g := x.GRPC(); g != nil { // which says behind the body how a call ended
		head = slices.Concat(head, x.Response.Trailer)
		if name == report.StatusLine && g.Coded {
			name = "grpc-status"
		}
	}
	for line := range bytes.SplitSeq(head, []byte("\n")) {
		if is, _, ok := bytes.Cut(line, []byte(":")); ok && strings.EqualFold(strings.TrimSpace(string(is)), name) || name == report.StatusLine {
			return piece(bytes.TrimRight(line, "\r"), 0), false
		}
	}
	return "no " + v.header + " header", true
}

// Bytes are those that the text was read from.
func (s *Said) Bytes() []byte {
	switch {
	case s.Kind == Delivery:
		return s.Exchange.Request.Body
	case s.Event > 0:
		return []byte(s.Exchange.Events()[s.Event-1].Data)
	}
	return s.Exchange.ReplyText()
}

// start is where the bytes that matter begin: the member with its name or, where
// it is missing, what should hold it. Of a whole reply it is the error, else the
// state of the task.
func (v Value) start() int {
	root, at := v.said.Root, v.ptr
	if at == "" && v.t != nil {
		result := v.Result()
		switch state := result.state(); {
		case v.said.Answer.Failure.Present():
			at = v.said.Answer.Failure.At
		case state.node != nil:
			at = state.ptr
		case result.node != nil:
			at = result.ptr
		}
	}
	for at != "" && root.At(at) == nil {
		at = at[:strings.LastIndexByte(at, '/')]
	}
	node := root.At(at)
	if i := strings.LastIndexByte(at, '/'); i >= 0 {
		for _, m := range root.At(at[:i]).Members {
			if m.Value == node {
				return m.NameStart
			}
		}
	}
	return node.Start
}

// state is that of the task in a result, if there is one.
func (v Value) state() Value {
	if v.node == nil || v.t == nil {
		return Value{}
	}
	tracked := v.t
	v.t = &T{Case: &Case{Dialect: tracked.Case.Dialect}, result: &Result{}} // what is shown is not looked at
	return v.Read("task.state")
}

// piece is the beginning of some bytes, in whole characters.
func piece(b []byte, from int) string {
	b = b[from:]
	if len(b) > mostGot {
		end := mostGot
		for end > 0 && !utf8.RuneStart(b[end]) {
			end--
		}
		b = b[:end]
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

// unanswered says how a call was not answered.
func unanswered(x *record.Exchange) string {
	switch x.Ended {
	case record.Timeout:
		return fmt.Sprintf("no answer within %.1f s", (x.End - x.Start).Seconds())
	case record.NoDial:
		return "no connection: " + shorten.Visible(x.Trouble, 120)
	}
	return "the connection was closed without an answer"
}
