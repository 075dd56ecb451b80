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

// mostGot bounds what a reason shows of the recorded bytes.
const mostGot = 200

// explainFailure puts together what is wrong with a value.
func (t *T) explainFailure(v Value, against []Value, did, wants, note string) report.Why {
	if !t.isWorded() {
		return report.Why{}
	}
	w := report.Why{Client: t.Case.OfClient(), Sent: newCallDescriber(t.Case, v.doc).describeCall(), Did: did, Due: fmt.Sprintf("%s (%s)", wants, strings.TrimRight(t.Case.Dialect.Cite(t.Requirement), ", ")), At: v.locateValue()}
	if v.doc != nil && v.doc.Exchange != nil && v.doc.Exchange.Dir == record.Given { // which no server sent
		if has, sent := strings.CutPrefix(did, "sent "); sent {
			w.Did = "the card has " + has
		}
	}
	if note != "" {
		w.Due += ": " + note
	}
	if w.Got, w.Words = v.quoteBytesOrDescribe(); w.Words && w.Got == "" {
		w.Got = did
	}
	for _, o := range against {
		c := report.Clash{At: o.locateValue()}
		if c.Got, c.Words = o.quoteBytesOrDescribe(); c.At.Exchange != 0 {
			w.Against = &c
			if !w.Words && !c.Words && w.Got == c.Got {
				w.Got, c.Got = excerptDifference(v, o, w.Got)
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

// excerptDifference returns the pieces of two texts from shortly before their first difference; same is
// what both begin with.
func excerptDifference(v, o Value, same string) (of, other string) {
	const before = 40
	a, b := v.doc.Bytes(), o.doc.Bytes()
	i, j := v.findExcerptOffset(), o.findExcerptOffset()
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
	return clipBytes(a, i+n), clipBytes(b, j+n)
}

func (v Value) locateValue() report.At {
	if v.doc == nil || v.doc.Exchange == nil {
		return report.At{}
	}
	a := report.At{Exchange: v.doc.Exchange.ID, File: givenFile(v.doc.Exchange), Event: v.doc.Event, Pointer: v.Place()}
	if v.doc.Line != nil {
		a.Said = v.doc.Line.Line
	}
	if v.header != "" { // the head is that of the whole answer
		a.Event, a.Pointer, a.Header = 0, "", v.header
	}
	if v.doc.Play != nil && v.doc.Step != nil {
		a.Step = v.doc.Play.Scenario + "/" + v.doc.Step.Name
	}
	return a
}

// quoteBytesOrDescribe returns the part of the recorded bytes that shows the value: its own, or those
// of what should hold it. It is in words if nothing was recorded, and
// empty if the check alone can say it.
func (v Value) quoteBytesOrDescribe() (text string, isDescription bool) {
	if v.doc == nil || v.doc.Exchange == nil {
		return "", true
	}
	x := v.doc.Exchange
	switch {
	case x.Dir == record.Out && !x.Answered():
		return describeNoAnswer(x), true
	case v.head && v.header == "":
		return "", true
	case v.head:
		return v.quoteHeaderField()
	}
	body := v.doc.Bytes()
	if len(bytes.TrimSpace(body)) == 0 {
		if v.doc.Event > 0 || x.Dir != record.Out {
			return "", true
		}
		line, _, _ := bytes.Cut(x.Response.Head, []byte("\n"))
		return clipBytes(bytes.TrimRight(line, "\r"), 0), false
	}
	if v.doc.Root == nil {
		return clipBytes(body, 0), false
	}
	return clipBytes(body, v.findExcerptOffset()), false
}

// quoteHeaderField returns the header field that the value is about, as it was written.
func (v Value) quoteHeaderField() (text string, words bool) {
	x, name := v.doc.Exchange, v.header
	head := x.Response.Head
	if v.doc.Kind == Delivery || v.doc.Kind == RequestText {
		head = x.Request.Head
	} else if g := x.GRPC(); g != nil { // which states behind the body how a call ended
		head = slices.Concat(head, x.Response.Trailer)
		if name == report.StatusLine && g.Coded {
			name = "grpc-status"
		}
	}
	for line := range bytes.SplitSeq(head, []byte("\n")) {
		if is, _, ok := bytes.Cut(line, []byte(":")); ok && strings.EqualFold(strings.TrimSpace(string(is)), name) || name == report.StatusLine {
			return clipBytes(bytes.TrimRight(line, "\r"), 0), false
		}
	}
	return "no " + v.header + " header", true
}

// findExcerptOffset returns the offset of the bytes that matter: the member with its name or, if
// it is missing, what should hold it. Of a whole reply it is the error, else the
// state of the task.
func (v Value) findExcerptOffset() int {
	root, at := v.doc.Root, v.ptr
	if at == "" && v.t != nil && v.doc.Kind != RequestText && v.doc.Kind != ReportText {
		result := v.Result()
		switch state := result.readTaskState(); {
		case v.doc.Answer.Failure.Present():
			at = v.doc.Answer.Failure.At
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

// readTaskState returns the state of the task in a result, if there is one.
func (v Value) readTaskState() Value {
	if v.node == nil || v.t == nil {
		return Value{}
	}
	tracked := v.t
	v.t = &T{Case: &Case{Dialect: tracked.Case.Dialect}, result: &CheckResult{}} // what is shown is not looked at
	return v.Read("task.state")
}

// clipBytes returns the beginning of some bytes, in whole characters.
func clipBytes(b []byte, from int) string {
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

// describeNoAnswer describes how a call remained without an answer.
func describeNoAnswer(x *record.Exchange) string {
	switch x.Ended {
	case record.Timeout:
		return fmt.Sprintf("no answer within %.1f s", (x.End - x.Start).Seconds())
	case record.NoDial:
		return "no connection: " + shorten.Visible(x.Trouble, 120)
	}
	return "the connection was closed without an answer"
}

// maxViolations bounds what one requirement lists; the rest is counted.
const maxViolations = 20

// mostGrouped bounds the violations of one requirement that are looked at to find out what
// they have in common: each is compared with others, and a server may break a rule in each
// of many thousand entries.
const mostGrouped = 200

// mostKept bounds those in which known faults are looked for.
const mostKept = 2000
