package wire

// Listed are the names by which one entry of a list can be asked for, the
// likeliest first.
type Listed []string

// Listed reads a list of named things in any of the forms it is usually
// written in: strings; objects with a name or an id; either of them under
// agents or data; or objects keyed by name.
func (n *Node) Listed() []Listed {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case Array:
		var out []Listed
		for _, e := range n.Elems {
			if keys := e.names(); len(keys) > 0 {
				out = append(out, keys)
			}
		}
		return out
	case Object:
		for _, member := range []string{"agents", "data"} {
			if inner := n.Member(member); inner != nil && (inner.Kind == Array || inner.Kind == Object) {
				return inner.Listed()
			}
		}
		var out []Listed
		for _, m := range n.Members {
			if m.Value.Kind == Object && m.Name != "" {
				out = append(out, append(Listed{m.Name}, m.Value.names()...))
			}
		}
		return out
	}
	return nil
}

// names are the names that an entry gives itself.
func (n *Node) names() Listed {
	if n.Kind == String && n.String != "" {
		return Listed{n.String}
	}
	var out Listed
	for _, member := range []string{"name", "id"} {
		if v := n.Member(member); v != nil && v.Kind == String && v.String != "" {
			out = append(out, v.String)
		}
	}
	return out
}

// Entries reads a list of objects in any of the forms it is usually written in:
// an array, bare or under agents, or an object keyed by name. listed says that
// there is a list, be it empty.
func (n *Node) Entries() (entries []*Node, listed bool) {
	if n == nil {
		return nil, false
	}
	if inner := n.Member("agents"); inner != nil && (inner.Kind == Array || inner.Kind == Object) {
		entries, _ = inner.Entries()
		return entries, true
	}
	for _, e := range n.Elems {
		if e.Kind == Object {
			entries = append(entries, e)
		}
	}
	for _, m := range n.Members {
		if m.Value.Kind == Object {
			entries = append(entries, m.Value)
		}
	}
	return entries, n.Kind == Array
}
