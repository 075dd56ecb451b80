package record

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Kind is one of the six kinds of JSON value.
type Kind uint8

// The kinds of JSON value.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

func (k Kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[k]
}

// Node is one JSON value with the byte range it was written in. The methods of
// a nil Node answer as for a value that is absent, so that they can be chained.
type Node struct {
	Kind       Kind
	Start, End int    // in the observed text
	Bool       bool   // of a Bool
	Number     string // of a Number, as written
	String     string // of a String
	Elems      []*Node
	Members    []Member // in order of appearance, duplicates kept
}

// Member is one name and value of an object.
type Member struct {
	Name      string
	Value     *Node
	NameStart int // offset of the name's opening quote
}

// Member returns the value of an object's member, or nil. Of duplicates the
// last one counts, as it does for most decoders.
func (n *Node) Member(name string) *Node {
	if n == nil {
		return nil
	}
	for i := len(n.Members) - 1; i >= 0; i-- {
		if n.Members[i].Name == name {
			return n.Members[i].Value
		}
	}
	return nil
}

// At follows a JSON pointer (RFC 6901) and returns what it leads to, or nil.
func (n *Node) At(pointer string) *Node {
	found, _, lacks := n.Nearest(pointer)
	if lacks != "" {
		return nil
	}
	return found
}

// Nearest returns the value at a pointer, and the offset at which it begins, with its name if it has one. If
// there is none, it is the nearest value around it, and lacks is the rest of the pointer.
func (n *Node) Nearest(pointer string) (found *Node, start int, lacks string) {
	if n == nil {
		return nil, 0, pointer
	}
	start = n.Start
	for strings.HasPrefix(pointer, "/") {
		token, rest, more := strings.Cut(pointer[1:], "/")
		below, at := n.findChildAndOffset(token)
		if below == nil {
			break
		}
		n, start, pointer = below, at, ""
		if more {
			pointer = "/" + rest
		}
	}
	return n, start, pointer
}

// findChildAndOffset returns what a token of a pointer leads to from a value, and the offset at which that begins.
func (n *Node) findChildAndOffset(token string) (*Node, int) {
	switch n.Kind {
	case Object:
		name, ok := unescapePointer(token)
		for i := len(n.Members) - 1; ok && i >= 0; i-- { // of duplicates the last one counts
			if m := n.Members[i]; m.Name == name {
				return m.Value, m.NameStart
			}
		}
	case Array:
		// "-" means the element after the last, which is absent by definition,
		// and an index has one spelling only.
		i, err := strconv.Atoi(token)
		if err == nil && i >= 0 && i < len(n.Elems) && strconv.Itoa(i) == token {
			return n.Elems[i], n.Elems[i].Start
		}
	}
	return nil, 0
}

var (
	pointerEscape   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescape = strings.NewReplacer("~0", "~", "~1", "/")
)

// Found is a member of an object somewhere in a document.
type Found struct {
	Pointer string
	Node    *Node
}

// Find returns the values of all members of that name, wherever they are, in
// document order.
func (n *Node) Find(name string) []Found {
	var out []Found
	var look func(at string, n *Node)
	look = func(at string, n *Node) {
		if n == nil {
			return
		}
		for i, e := range n.Elems {
			look(at+"/"+strconv.Itoa(i), e)
		}
		for _, m := range n.Members {
			p := at + Pointer(m.Name)
			if m.Name == name {
				out = append(out, Found{p, m.Value})
			}
			look(p, m.Value)
		}
	}
	look("", n)
	return out
}

// unescapePointer returns the member name that a token of a JSON Pointer means. A ~ that is not
// followed by 0 or 1 makes it no token of a pointer.
func unescapePointer(token string) (name string, ok bool) {
	if strings.IndexByte(token, '~') < 0 {
		return token, true
	}
	if strings.Count(token, "~") != strings.Count(token, "~0")+strings.Count(token, "~1") {
		return "", false
	}
	return pointerUnescape.Replace(token), true
}

// Pointer builds a JSON pointer from the names and indexes on its way.
func Pointer(tokens ...string) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte('/')
		b.WriteString(pointerEscape.Replace(t))
	}
	return b.String()
}

// Interface returns the value as encoding/json decodes it with UseNumber, for
// schema validation. A number reported as [FaultHugeNumber] becomes 0: computing
// with it would cost more time and memory than any server should be able to claim.
func (n *Node) Interface() any {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case Bool:
		return n.Bool
	case Number:
		if hugeNumber(n.Number) != "" {
			return json.Number("0")
		}
		return json.Number(n.Number)
	case String:
		return n.String
	case Array:
		elems := make([]any, len(n.Elems))
		for i, e := range n.Elems {
			elems[i] = e.Interface()
		}
		return elems
	case Object:
		members := make(map[string]any, len(n.Members))
		for _, m := range n.Members {
			members[m.Name] = m.Value.Interface()
		}
		return members
	}
	return nil
}

// Equal reports whether two nodes are the same JSON value: objects by their
// set of members (of duplicates the last counts), numbers by what they amount
// to, or by how they are written if that is huge. Two nil nodes are equal.
func (n *Node) Equal(m *Node) bool {
	if n == nil || m == nil {
		return n == m
	}
	if n.Kind != m.Kind {
		return false
	}
	switch n.Kind {
	case Bool:
		return n.Bool == m.Bool
	case Number:
		return equalNumbers(n.Number, m.Number)
	case String:
		return n.String == m.String
	case Array:
		return slices.EqualFunc(n.Elems, m.Elems, (*Node).Equal)
	case Object:
		return maps.EqualFunc(n.membersByName(), m.membersByName(), (*Node).Equal)
	}
	return true
}

// membersByName is the set of an object's members.
func (n *Node) membersByName() map[string]*Node {
	set := make(map[string]*Node, len(n.Members))
	for _, m := range n.Members {
		set[m.Name] = m.Value
	}
	return set
}

func equalNumbers(a, b string) bool {
	if a == b {
		return true
	}
	if hugeNumber(a) != "" || hugeNumber(b) != "" {
		return false
	}
	x, okX := new(big.Rat).SetString(a)
	y, okY := new(big.Rat).SetString(b)
	return okX && okY && x.Cmp(y) == 0
}

// hugeNumber returns why a number is too large to compute with, or "".
func hugeNumber(number string) string {
	mantissa, exponent := number, ""
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		mantissa, exponent = number[:i], number[i+1:]
	}
	count := len(strings.TrimPrefix(mantissa, "-"))
	if strings.IndexByte(mantissa, '.') >= 0 {
		count--
	}
	if count > 40 {
		return fmt.Sprintf("a number of %d digits", count)
	}
	if exponent != "" {
		// Atoi fails on what no int can hold, which is beyond the bound too.
		if e, err := strconv.Atoi(exponent); err != nil || e > 400 || e < -400 {
			return "a number with an exponent beyond ±400"
		}
	}
	return ""
}
