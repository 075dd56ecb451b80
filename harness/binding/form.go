package binding

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// jsonForm writes values of a dialect in another form than that of its text, and reads them.
// What is read has the names of the text, and each of its nodes the place of the bytes
// that it was read from. What is in the form of the text already stays as it is, so that
// a reader need not know which of the two a server uses.
type jsonForm schema.Form

// A span is the place of bytes in a text.
type span struct{ start, end int }

// nameOf returns the place of the name of a member.
func nameOf(m record.Member) span {
	text, _ := json.Marshal(m.Name)
	return span{m.NameStart, m.NameStart + len(text)}
}

// readValue reads a value of a definition. kindAt is the place that states what the value is, if that
// is outside of it.
func (f jsonForm) readValue(of string, n *record.Node, kindAt span) *record.Node {
	t, differs := f[of]
	switch {
	case n == nil || !differs:
		return n
	case t.List != "":
		return f.readList(t, n)
	case n.Kind == record.Array:
		return f.readEach(of, n)
	case n.Kind == record.String:
		for text, written := range t.Values {
			if n.String == written {
				return &record.Node{Kind: record.String, String: text, Start: n.Start, End: n.End}
			}
		}
		return n
	case n.Kind != record.Object || inText(t, n):
		return n
	case len(t.One) > 0:
		return f.readOne(t, n)
	case t.Inside != "":
		if inner := n.Member(t.Inside); inner != nil && (t.Each == "" || inner.Kind == record.Object) {
			return f.readMembers(t, inner)
		}
		return n
	case t.Under != "":
		return f.readUnder(t, n)
	}
	return f.readObject(t, n, kindAt)
}

// inText reports whether an object is in the form of the text: it has what the form
// leaves out.
func inText(t schema.FormType, n *record.Node) bool {
	for name := range t.Sets {
		if n.Member(name) != nil {
			return true
		}
	}
	return len(t.Tells) > 0 && n.Member(schema.KindMember) != nil
}

// readObject reads members by the names of the text, and adds what the form leaves out.
func (f jsonForm) readObject(t schema.FormType, n *record.Node, kindAt span) *record.Node {
	if kindAt == (span{}) {
		kindAt = span{n.Start, n.Start}
	}
	out := f.readPaths(t, f.readMembers(t, n))
	add := func(name, text string, at span) {
		out.Members = append(out.Members, record.Member{Name: name, NameStart: at.start, Value: &record.Node{Kind: record.String, String: text, Start: at.start, End: at.end}})
	}
	for _, name := range slices.Sorted(maps.Keys(t.Sets)) {
		add(name, t.Sets[name], kindAt)
	}
	if i := slices.IndexFunc(n.Members, func(m record.Member) bool { return t.Tells[m.Name] != "" }); i >= 0 {
		add(schema.KindMember, t.Tells[n.Members[i].Name], nameOf(n.Members[i]))
	}
	for _, name := range slices.Sorted(maps.Keys(t.Defaults)) {
		if out.Member(name) == nil {
			out.Members = append(out.Members, record.Member{Name: name, NameStart: n.Start, Value: constantNode(t.Defaults[name], n.Start)})
		}
	}
	return out
}

// constantNode returns a value that is meant and is nowhere.
func constantNode(value any, at int) *record.Node {
	text, _ := json.Marshal(value)
	n, _ := record.ObserveJSON(text)
	n.Start, n.End = at, at
	return n
}

// readMembers reads each member as what it holds. Without anything to read otherwise, the
// value stays as it is.
func (f jsonForm) readMembers(t schema.FormType, n *record.Node) *record.Node {
	if n.Kind != record.Object {
		return n
	}
	out := &record.Node{Kind: record.Object, Start: n.Start, End: n.End}
	for _, m := range n.Members {
		for text, others := range t.Names {
			if slices.Contains(others, m.Name) {
				m.Name = text
			}
		}
		m.Value = f.readValue(cmp.Or(t.Holds[m.Name], t.Each), m.Value, span{})
		out.Members = append(out.Members, m)
	}
	return out
}

func (f jsonForm) readEach(of string, n *record.Node) *record.Node {
	out := &record.Node{Kind: record.Array, Start: n.Start, End: n.End}
	for _, e := range n.Elems {
		out.Elems = append(out.Elems, f.readValue(of, e, span{}))
	}
	return out
}

// readList reads a list, by itself or in the member that holds it.
func (f jsonForm) readList(t schema.FormType, n *record.Node) *record.Node {
	switch list := n.Member(t.List); {
	case n.Kind == record.Array:
		return f.readEach(t.Of, n)
	case n.Kind == record.Object && len(n.Members) == 0:
		return &record.Node{Kind: record.Array, Start: n.Start, End: n.End}
	case list != nil && list.Kind == record.Array:
		return f.readEach(t.Of, list)
	}
	return n
}

// readOne reads what is in one of several members. An object with none or with
// several of them stays as it is.
func (f jsonForm) readOne(t schema.FormType, n *record.Node) *record.Node {
	var held []record.Member
	for _, m := range n.Members {
		if t.One[m.Name] != "" {
			held = append(held, m)
		}
	}
	if len(held) != 1 || held[0].Value.Kind != record.Object {
		return n
	}
	return f.readValue(t.One[held[0].Name], held[0].Value, nameOf(held[0]))
}

// readUnder reads what is under a member, and adds what is reported next to it.
func (f jsonForm) readUnder(t schema.FormType, n *record.Node) *record.Node {
	inner := n.Member(t.Under)
	if inner == nil || inner.Kind != record.Object {
		return f.readPaths(t, n)
	}
	out := f.readValue(t.Of, inner, span{})
	out = &record.Node{Kind: record.Object, Start: out.Start, End: out.End, Members: slices.Clone(out.Members)}
	for _, m := range n.Members {
		if m.Name != t.Under && out.Member(m.Name) == nil {
			out.Members = append(out.Members, m)
		}
	}
	return f.readPaths(t, out)
}

// readPaths reads the members that paths are made of, and leaves out the paths. What is
// not made like the path stays.
func (f jsonForm) readPaths(t schema.FormType, n *record.Node) *record.Node {
	for _, name := range slices.Sorted(maps.Keys(t.Paths)) {
		path := n.Member(name)
		if path == nil || path.Kind != record.String {
			continue
		}
		values, ok := matchPath(strings.TrimSuffix(t.Paths[name], leftOut), path.String)
		if !ok {
			continue
		}
		out := withoutMember(n, name)
		for _, to := range slices.Sorted(maps.Keys(values)) {
			out = addMemberIfMissing(out, strings.Split(to, "/"), &record.Node{Kind: record.String, String: values[to], Start: path.Start, End: path.End})
		}
		n = out
	}
	return n
}

// withoutMember returns a copy of an object without the members of a name.
func withoutMember(n *record.Node, name string) *record.Node {
	members := slices.DeleteFunc(slices.Clone(n.Members), func(m record.Member) bool { return m.Name == name })
	return &record.Node{Kind: record.Object, Start: n.Start, End: n.End, Members: members}
}

// addMemberIfMissing returns an object with one member more, at a place inside of it, unless it is there.
func addMemberIfMissing(n *record.Node, to []string, value *record.Node) *record.Node {
	known := n.Member(to[0])
	switch {
	case len(to) > 1 && known != nil && known.Kind == record.Object:
		value = addMemberIfMissing(known, to[1:], value)
	case known != nil || len(to) > 1:
		return n
	}
	out := withoutMember(n, to[0])
	out.Members = append(out.Members, record.Member{Name: to[0], NameStart: value.Start, Value: value})
	return out
}

// matchPath compares a path with a pattern such as tasks/{taskId}, and returns what is
// for the names in it.
func matchPath(pattern, path string) (values map[string]string, ok bool) {
	values = map[string]string{}
	for {
		before, after, named := strings.Cut(pattern, "{")
		rest, ok := strings.CutPrefix(path, before)
		if !ok || !named {
			return values, ok && rest == ""
		}
		name, behind, _ := strings.Cut(after, "}")
		end := len(rest)
		if behind != "" {
			if end = strings.Index(rest, behind[:1]); end < 0 {
				return nil, false
			}
		}
		if end == 0 || strings.Contains(rest[:end], "/") {
			return nil, false
		}
		values[name], pattern, path = rest[:end], behind, rest[end:]
	}
}

// encodeValueInForm writes a value of a definition. What is not what the definition describes stays
// as it is: it is meant to be wrong. The error is one by ErrNotSayable.
func (f jsonForm) encodeValueInForm(definition string, n *record.Node) (*record.Node, error) {
	t, differs := f[definition]
	switch {
	case n == nil || !differs:
		return n, nil
	case n.Kind == record.Array:
		out := &record.Node{Kind: record.Array}
		for _, e := range n.Elems {
			one, err := f.encodeValueInForm(definition, e)
			if err != nil {
				return nil, err
			}
			out.Elems = append(out.Elems, one)
		}
		return out, nil
	case n.Kind == record.String && t.Values[n.String] != "":
		return &record.Node{Kind: record.String, String: t.Values[n.String]}, nil
	case t.Inside != "":
		return &record.Node{Kind: record.Object, Members: []record.Member{{Name: t.Inside, Value: n}}}, nil
	case n.Kind != record.Object:
		return n, nil
	}
	var out *record.Node
	paths, err := writePaths(t, n)
	switch {
	case err != nil:
		return nil, err
	case t.Under != "":
		inner, err := f.encodeValueInForm(t.Of, n)
		if err != nil {
			return nil, err
		}
		out = &record.Node{Kind: record.Object, Members: []record.Member{{Name: t.Under, Value: inner}}}
	default:
		if out, err = f.encodeMembersInForm(t, n); err != nil {
			return nil, err
		}
	}
	out.Members = append(out.Members, paths...)
	return out, nil
}

// encodeMembersInForm writes each member by the name that the form has for it.
func (f jsonForm) encodeMembersInForm(t schema.FormType, n *record.Node) (*record.Node, error) {
	out := &record.Node{Kind: record.Object}
	for _, m := range n.Members {
		if leavesOut(t, n, m) {
			continue
		}
		var err error
		if m.Value, err = f.encodeValueInForm(t.Holds[m.Name], m.Value); err != nil {
			return nil, err
		}
		if others := t.Names[m.Name]; len(others) > 0 {
			m.Name = others[0]
		}
		out.Members = append(out.Members, m)
	}
	return out, nil
}

// leavesOut reports whether a member is not written: it is reported otherwise, or is part of a
// path.
func leavesOut(t schema.FormType, n *record.Node, m record.Member) bool {
	if m.Value.Kind == record.String && t.Sets[m.Name] == m.Value.String && t.Sets[m.Name] != "" {
		return true
	}
	if m.Name == schema.KindMember && len(t.Tells) > 0 {
		for by, kind := range t.Tells {
			if n.Member(by) != nil && m.Value.String == kind {
				return true
			}
		}
	}
	for _, pattern := range t.Paths {
		if strings.Contains(pattern, "{"+m.Name+"}") {
			return true
		}
	}
	return false
}

// errNoPath is why a call that leaves out what a path names cannot be written.
const errNoPath = inexpressible("this binding has no way to say that: the name of what is meant has no part that could be left out")

// leftOut ends the pattern of a path that is left out if it cannot be made.
const leftOut = "?"

// writePaths returns the members that are made of others.
func writePaths(t schema.FormType, n *record.Node) (out []record.Member, err error) {
	for _, name := range slices.Sorted(maps.Keys(t.Paths)) {
		pattern, optional := strings.CutSuffix(t.Paths[name], leftOut)
		path, err := writePath(pattern, n)
		switch {
		case err == nil:
			out = append(out, record.Member{Name: name, Value: &record.Node{Kind: record.String, String: path}})
		case !optional:
			return nil, err
		}
	}
	return out, nil
}

// writePath fills in a pattern.
func writePath(pattern string, n *record.Node) (path string, err error) {
	for pattern != "" {
		before, after, named := strings.Cut(pattern, "{")
		path += before
		if !named {
			break
		}
		member, behind, _ := strings.Cut(after, "}")
		value := n.At("/" + member)
		if value == nil || value.Kind != record.String || value.String == "" {
			return "", errNoPath
		}
		path, pattern = path+value.String, behind
	}
	return path, nil
}

// encodeParamsInForm writes parameters in a form, by the definition by which they are written.
func (f jsonForm) encodeParamsInForm(definition string, params any) (any, error) {
	if len(f) == 0 || params == nil {
		return params, nil
	}
	text, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	n, faults := record.ObserveJSON(text)
	if len(faults) > 0 { // a number that is too large to judge, or half a character
		return params, nil
	}
	out, err := f.encodeValueInForm(definition, n)
	if err != nil {
		return nil, err
	}
	return out.Interface(), nil
}
