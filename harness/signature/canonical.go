package signature

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// Canonical returns a JSON value in the form of RFC 8785. A value that repeats a member has
// none.
func Canonical(n *record.Node) ([]byte, error) {
	text := jsontext.Value(appendNode(nil, n, writeStyle{}))
	if err := text.Canonicalize(); err != nil {
		return nil, err
	}
	return text, nil
}

// writeStyle is how a text departs from RFC 8785.
type writeStyle struct {
	ascii      bool // letters beyond ASCII are escaped
	markup     bool // <, > and & are escaped, as for a page
	codePoints bool // members are in the order of code points, not of UTF-16 units
}

// appendNode appends a value without blanks, with its members in the order in which they
// stand unless the style states otherwise.
func appendNode(to []byte, n *record.Node, s writeStyle) []byte {
	switch n.Kind {
	case record.Bool:
		return strconv.AppendBool(to, n.Bool)
	case record.Number:
		return append(to, n.Number...)
	case record.String:
		return appendQuoted(to, n.String, s)
	case record.Array:
		to = append(to, '[')
		for i, e := range n.Elems {
			if i > 0 {
				to = append(to, ',')
			}
			to = appendNode(to, e, s)
		}
		return append(to, ']')
	case record.Object:
		members := n.Members
		if s.codePoints {
			members = slices.Clone(members)
			slices.SortStableFunc(members, func(a, b record.Member) int { return strings.Compare(a.Name, b.Name) })
		}
		to = append(to, '{')
		for i, m := range members {
			if i > 0 {
				to = append(to, ',')
			}
			to = appendNode(append(appendQuoted(to, m.Name, s), ':'), m.Value, s)
		}
		return append(to, '}')
	}
	return append(to, "null"...)
}

func appendQuoted(to []byte, text string, s writeStyle) []byte {
	plain, err := jsontext.AppendQuote(nil, text)
	if err != nil { // what was read is valid UTF-8
		plain = []byte(strconv.QuoteToASCII(text))
	}
	if !s.ascii && !s.markup {
		return append(to, plain...)
	}
	for _, c := range string(plain) {
		switch {
		case s.ascii && c > '~', s.markup && strings.ContainsRune("<>&\u2028\u2029", c):
			for _, unit := range utf16.AppendRune(nil, c) {
				to = fmt.Appendf(to, `\u%04x`, unit)
			}
		default:
			to = append(to, string(c)...)
		}
	}
	return to
}

// Sort reports what follows from the form in which a card was signed.
type Sort int

// The sorts of forms.
const (
	Sound    Sort = iota // the source asks for it, or leaves it open
	Emptied              // required members were left out because they are empty
	Departed             // it is not in the form of RFC 8785
	Listed               // it holds a list of signatures
	Lacking              // a required member was left out, and what else is a default was not
)

// Form is the content of a card as it may have been signed.
type Form struct {
	Sort Sort
	Text []byte
	What string // what sets it apart, in words that follow "the signature was made over"
}

// Content is a card, and the forms in which it may have been signed.
type Content struct {
	card, bare *record.Node // with its signatures, and without
	rules      schema.Signed
	forms      []Form

	// Repeated is the pointer to a member that an object has more than once; "" if
	// there is none. Then the card is read as by those for whom the last counts.
	Repeated string
}

// Of returns the content of a card. The error explains why it has no canonical form.
func Of(card *record.Node, rules schema.Signed) (*Content, error) {
	c := &Content{rules: rules}
	c.card = c.keepLastOfRepeatedMembers("", card)
	c.bare = withoutMember(c.card, rules.At)
	text, err := Canonical(c.bare)
	if err != nil {
		return nil, err
	}
	c.addDistinctForm(Sound, "the card as it is served", text)
	// What a proto3 printer leaves out (section 8.4.1 of A2A 1.0.1): an empty message is
	// not reported from an empty map by its JSON.
	for _, f := range []struct {
		sort Sort
		what string
		trim memberTrimmer
	}{
		{Sound, "the card without defaults", memberTrimmer{rules: rules, keeps: true}},
		{Sound, "the card without defaults", memberTrimmer{rules: rules, keeps: true, objects: true}},
		{Emptied, "the card without any default", memberTrimmer{rules: rules}},
		{Emptied, "the card without any default", memberTrimmer{rules: rules, objects: true}},
		{Emptied, "the card without anything that is empty", memberTrimmer{rules: rules, objects: true, all: true, explicit: true}},
		{Emptied, "the card without anything that is empty or false", memberTrimmer{rules: rules, objects: true, all: true}},
	} {
		if text, err := Canonical(f.trim.trimDocument(c.bare)); err == nil {
			c.addDistinctForm(f.sort, f.what, text)
		}
	}
	return c, nil
}

// keepLastOfRepeatedMembers returns a value in which no object has a member twice: the last counts.
func (c *Content) keepLastOfRepeatedMembers(at string, n *record.Node) *record.Node {
	out := *n
	out.Elems, out.Members = nil, nil
	for i, e := range n.Elems {
		out.Elems = append(out.Elems, c.keepLastOfRepeatedMembers(at+"/"+strconv.Itoa(i), e))
	}
	last := make(map[string]int, len(n.Members))
	for i, m := range n.Members {
		if _, twice := last[m.Name]; twice && c.Repeated == "" {
			c.Repeated = at + record.Pointer(m.Name)
		}
		last[m.Name] = i
	}
	for i, m := range n.Members {
		if last[m.Name] == i {
			out.Members = append(out.Members, record.Member{Name: m.Name, Value: c.keepLastOfRepeatedMembers(at+record.Pointer(m.Name), m.Value)})
		}
	}
	return &out
}

// Sound returns the forms that the source asks for or leaves open.
func (c *Content) Sound() []Form { return c.forms }

func (c *Content) addDistinctForm(sort Sort, what string, text []byte) {
	if !slices.ContainsFunc(c.forms, func(f Form) bool { return bytes.Equal(f.Text, text) }) {
		c.forms = append(c.forms, Form{sort, text, what})
	}
}

// Wrong are forms that no client would verify, by which it can be reported what went wrong
// with the signature at that index of the list.
func (c *Content) Wrong(index int) []Form {
	out := &Content{rules: c.rules, forms: slices.Clone(c.forms)}
	for _, sound := range c.forms {
		root, _ := record.ObserveJSON(sound.Text)
		for _, s := range []struct {
			writeStyle
			what string
		}{
			{writeStyle{ascii: true}, "escaped letters beyond ASCII"},
			{writeStyle{markup: true}, "escaped <, > and &"},
			{writeStyle{codePoints: true}, "members in the order of code points"},
			{writeStyle{ascii: true, codePoints: true}, "escaped letters beyond ASCII and members in the order of code points"},
		} {
			out.addDistinctForm(Departed, sound.What+", with "+s.what, appendNode(nil, root, s.writeStyle))
		}
	}
	list := c.card.At(c.rules.At)
	if list != nil && list.Kind == record.Array {
		for _, f := range []struct {
			what string
			kept []*record.Node
		}{
			{"the card with an empty list of signatures", nil},
			{"the card with the signatures that stand before it", list.Elems[:min(index, len(list.Elems))]},
			{"the card with its other signatures", slices.Concat(list.Elems[:min(index, len(list.Elems))], list.Elems[min(index+1, len(list.Elems)):])},
		} {
			if text, err := Canonical(withMember(c.card, c.rules.At, &record.Node{Kind: record.Array, Elems: f.kept})); err == nil {
				out.addDistinctForm(Listed, f.what, text)
			}
		}
	}
	printed := memberTrimmer{rules: c.rules, keeps: true}.trimDocument(c.bare)
	for _, at := range c.rules.Required {
		if strings.Count(at, "/") != 1 || c.card.At(at) == nil {
			continue
		}
		for _, of := range []*record.Node{c.bare, printed} {
			if text, err := Canonical(withoutMember(of, at)); err == nil {
				out.addDistinctForm(Lacking, "the card, but left out its required member "+at[1:], text)
			}
		}
	}
	return out.forms[len(c.forms):]
}

// withoutMember returns an object without the member at a place of one step.
func withoutMember(n *record.Node, at string) *record.Node { return withMember(n, at, nil) }

// withMember returns an object whose member at a place of one step is another; nil for none.
func withMember(n *record.Node, at string, value *record.Node) *record.Node {
	out := &record.Node{Kind: n.Kind}
	for _, m := range n.Members {
		if record.Pointer(m.Name) != at {
			out.Members = append(out.Members, m)
		} else if value != nil {
			out.Members = append(out.Members, record.Member{Name: m.Name, Value: value})
		}
	}
	return out
}

// memberTrimmer leaves out members that hold their default.
type memberTrimmer struct {
	rules    schema.Signed
	keeps    bool // those that are required stay
	objects  bool // objects without a member are left out too
	all      bool // whatever became empty is left out, wherever it is
	explicit bool // with all: what is false or 0 stays
}

func (t memberTrimmer) trimDocument(n *record.Node) *record.Node {
	if out := t.trimNode("", n); out != nil {
		return out
	}
	return &record.Node{Kind: record.Object}
}

func (t memberTrimmer) trimNode(pattern string, n *record.Node) *record.Node {
	if slices.Contains(t.rules.Free, pattern) {
		return n
	}
	out := *n
	switch n.Kind {
	case record.Array:
		out.Elems = nil
		for _, e := range n.Elems {
			if e = t.trimNode(pattern+"/*", e); !t.all || !t.isDefaultOrEmpty(e) {
				out.Elems = append(out.Elems, e)
			}
		}
	case record.Object:
		out.Members = nil
		for _, m := range n.Members {
			at := t.wildcardMapKey(pattern + record.Pointer(m.Name))
			if value := t.trimNode(at, m.Value); !t.leavesOut(at, value) {
				out.Members = append(out.Members, record.Member{Name: m.Name, Value: value})
			}
		}
	}
	return &out
}

// wildcardMapKey returns the place as the rules write it: names that the card's author chose
// stand as *.
func (t memberTrimmer) wildcardMapKey(at string) string {
	for _, free := range t.rules.Maps {
		if parent, _, ok := cutLast(at); ok && parent == free {
			return free + "/*"
		}
	}
	return at
}

func cutLast(at string) (parent, name string, ok bool) {
	i := strings.LastIndexByte(at, '/')
	if i < 0 {
		return "", "", false
	}
	return at[:i], at[i+1:], true
}

func (t memberTrimmer) leavesOut(at string, n *record.Node) bool {
	switch {
	case t.all:
		return t.isDefaultOrEmpty(n)
	case slices.Contains(t.rules.Explicit, at), t.keeps && slices.Contains(t.rules.Required, at):
		return false
	}
	parent, _, _ := cutLast(at)
	if slices.Contains(t.rules.Maps, parent) { // an entry of a map is there even if it is empty
		return false
	}
	return isDefault(n) || t.objects && n.Kind == record.Object && len(n.Members) == 0
}

// isDefaultOrEmpty is what a printer that knows no types takes for nothing.
func (t memberTrimmer) isDefaultOrEmpty(n *record.Node) bool {
	switch n.Kind {
	case record.Bool, record.Number:
		return !t.explicit && isDefault(n)
	case record.Object:
		return len(n.Members) == 0
	}
	return isDefault(n)
}

// isDefault reports whether a value is what a field of its type has when nothing was
// stated.
func isDefault(n *record.Node) bool {
	switch n.Kind {
	case record.Null:
		return true
	case record.Bool:
		return !n.Bool
	case record.Number:
		return n.Number == "0"
	case record.String:
		return n.String == ""
	case record.Array:
		return len(n.Elems) == 0
	}
	return false
}
