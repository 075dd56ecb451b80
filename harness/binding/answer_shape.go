package binding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// The play in which some calls are made as another client makes them. Each kind of
// call is a step of that name, and one with the ending Disguised; if the two were answered
// differently, both are made again, with one of the PairEndings.
const (
	DisguisePlay = "disguise"
	Disguised    = "-disguised"
)

// PairEndings are the endings of the names of the pairs of calls, in their order.
var PairEndings = [...]string{"", "-again", "-again-2", "-again-3"}

// A Fingerprint is what an answer looks like, whatever it states.
type Fingerprint struct {
	Class int    // of the HTTP status; 0 for no answer
	Code  string // of an error
	Shape string // which members of which types the body has
}

// FingerprintOf returns the face of the answer in an exchange.
func FingerprintOf(b Binding, x *record.Exchange) Fingerprint {
	if !x.Answered() {
		return Fingerprint{}
	}
	f := Fingerprint{Class: x.Status() / 100, Shape: "no body"}
	if len(x.Response.Body) == 0 {
		return f
	}
	root := x.Reply().Root
	if root == nil || x.IsStream() {
		f.Shape = "a body that is no JSON"
		return f
	}
	if code := b.Decode("", x).Code.Node; code != nil {
		f.Code = code.Number + code.String
	}
	f.Shape = describeShape(root, 0)
	return f
}

// maxShapeDepth is how deep the members of a body are compared.
const maxShapeDepth = 8

// describeShape writes the types of a value and of what is in it. Of an array's elements
// each type counts once: how many there are is not its shape.
func describeShape(n *record.Node, depth int) string {
	if n == nil || depth == maxShapeDepth {
		return "…"
	}
	var inner []string
	switch n.Kind {
	case record.Object:
		for _, m := range n.Members {
			inner = append(inner, fmt.Sprintf("%q:%s", m.Name, describeShape(m.Value, depth+1)))
		}
	case record.Array:
		for _, e := range n.Elems {
			inner = append(inner, describeShape(e, depth+1))
		}
	default:
		return n.Kind.String()
	}
	slices.Sort(inner)
	inner = slices.Compact(inner)
	if n.Kind == record.Array {
		return "[" + strings.Join(inner, ",") + "]"
	}
	return "{" + strings.Join(inner, ",") + "}"
}

// Differs states in what one answer differs from another; "" if in nothing.
func (f Fingerprint) Differs(other Fingerprint) string {
	class := func(f Fingerprint) string {
		if f.Class == 0 {
			return "no answer"
		}
		return fmt.Sprintf("HTTP %dxx", f.Class)
	}
	code := func(f Fingerprint) string {
		if f.Code == "" {
			return "no error code"
		}
		return "error code " + f.Code
	}
	switch {
	case f.Class != other.Class:
		return fmt.Sprintf("%s against %s", class(f), class(other))
	case f.Code != other.Code:
		return fmt.Sprintf("%s against %s", code(f), code(other))
	case f.Shape != other.Shape:
		return "a body with other members, or members of other types"
	}
	return ""
}
