package judge

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// Breach is a place at which a requirement is broken.
type Breach struct {
	Said    *Said
	Node    *wire.Node // nil if what should be at the place is missing
	Pointer string
	// What is about the head of a response, and the field of it that matters.
	OfHead  bool
	Header  string
	Against []Breach // what it contradicts, if a failure is about two places
	Due     []string // the errors that were due, if a failure is about a refusal; empty for any error
}

// breach returns the place of a value that breaks a requirement.
func (v Value) breach(against []Value, due []string) Breach {
	b := Breach{Said: v.said, Node: v.node, Pointer: v.ptr, OfHead: v.head, Header: v.header, Due: due}
	for _, o := range against {
		b.Against = append(b.Against, o.breach(nil, nil))
	}
	return b
}

// IsWhole reports whether a violation is about an answer as a whole: that it came,
// or which one it is.
func (v Breach) IsWhole() bool {
	a := v.Said.Answer
	return v.Pointer == "" || v.Pointer == a.Failure.At || v.Pointer == a.Code.At || v.Pointer == a.Result.At && v.Node == nil
}

// Operation is the operation of the call whose answer is at fault.
func (v Breach) Operation() string {
	if v.Said.Step != nil {
		return v.Said.Step.Op
	}
	return v.Said.Op
}

// IsInDetails reports whether a violation is about the details of an error: what they hold, or
// that there are none.
func (v Breach) IsInDetails() bool {
	at := v.Said.Answer.Details.At
	return at != "" && (v.Pointer == at || strings.HasPrefix(v.Pointer, at+"/"))
}

// Covers reports whether something lies at the place of a value, or in it.
func (v Breach) Covers(w Breach) bool {
	return w.Said == v.Said && (w.Pointer == v.Pointer || strings.HasPrefix(w.Pointer, v.Pointer+"/"))
}
