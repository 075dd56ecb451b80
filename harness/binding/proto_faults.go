package binding

import (
	"strconv"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// MessageFaultKind names something about a protobuf message that its JSON hides.
type MessageFaultKind string

// The kinds of MessageFault. The first three leave no JSON; TooDeep and TooLarge are
// limits of ours and prove nothing against the writer. UnknownField and the last three
// are what a reader of protobuf takes without a word.
const (
	MessageMalformed MessageFaultKind = "malformed"  // the bytes are no message
	MessageTooDeep   MessageFaultKind = "too-deep"   // more than 300 messages in each other
	MessageTooLarge  MessageFaultKind = "too-large"  // more than 131,072 values
	BadText          MessageFaultKind = "bad-text"   // a string that is no UTF-8
	BadValue         MessageFaultKind = "bad-value"  // of a type of google.protobuf, which has no JSON
	UnknownEnum      MessageFaultKind = "enum"       // a number that has no name
	UnknownField     MessageFaultKind = "unknown"    // a number that the message has no field for
	WrongWireType    MessageFaultKind = "wire-type"  // a known field in another form; readers take it for an unknown one
	SeveralOfOne     MessageFaultKind = "oneof"      // several of which one may be there; the last counts
	Repeated         MessageFaultKind = "repetition" // a field came again; the last counts, or both together
)

// MessageFault is something about a protobuf message that its JSON hides, and where.
type MessageFault struct {
	Kind    MessageFaultKind
	Pointer string // into the JSON: the value concerned, or the message that holds it
	Detail  string
}

// maxFaults is how many faults of one kind are kept.
const maxFaults = 100

// fieldPath is a value on the way through a message. It is written only if there is a
// fault.
type fieldPath struct {
	in    *fieldPath
	name  string
	index int // of an element; -1 for a member
}

func (p *fieldPath) memberPath(name string) *fieldPath { return &fieldPath{p, name, -1} }

func (p *fieldPath) String() string {
	switch {
	case p == nil:
		return ""
	case p.index >= 0:
		return p.in.String() + "/" + strconv.Itoa(p.index)
	}
	return p.in.String() + record.Pointer(p.name)
}
