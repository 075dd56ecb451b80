package card

import "github.com/a2a-conform/a2a-conform/harness/record"

// Names are the names by which one entry of a list of agents can be asked for, the
// likeliest first.
type Names []string

// ListedAgents reads a list of named things in any of the forms it is usually
// written in: strings; objects with a name or an id; either of them under
// agents or data; or objects keyed by name.
func ListedAgents(n *record.Node) []Names {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case record.Array:
		var out []Names
		for _, e := range n.Elems {
			if keys := entryNames(e); len(keys) > 0 {
				out = append(out, keys)
			}
		}
		return out
	case record.Object:
		for _, member := range []string{"agents", "data"} {
			if inner := n.Member(member); inner != nil && (inner.Kind == record.Array || inner.Kind == record.Object) {
				return ListedAgents(inner)
			}
		}
		var out []Names
		for _, m := range n.Members {
			if m.Value.Kind == record.Object && m.Name != "" {
				out = append(out, append(Names{m.Name}, entryNames(m.Value)...))
			}
		}
		return out
	}
	return nil
}

// entryNames returns the names that an entry gives itself.
func entryNames(n *record.Node) Names {
	if n.Kind == record.String && n.String != "" {
		return Names{n.String}
	}
	var out Names
	for _, member := range []string{"name", "id"} {
		if v := n.Member(member); v != nil && v.Kind == record.String && v.String != "" {
			out = append(out, v.String)
		}
	}
	return out
}

// Entries reads a list of objects in any of the forms it is usually written in:
// an array, bare or under agents, or an object keyed by name. listed states that
// there is a list, be it empty.
func Entries(n *record.Node) (entries []*record.Node, listed bool) {
	if n == nil {
		return nil, false
	}
	if inner := n.Member("agents"); inner != nil && (inner.Kind == record.Array || inner.Kind == record.Object) {
		entries, _ = Entries(inner)
		return entries, true
	}
	for _, e := range n.Elems {
		if e.Kind == record.Object {
			entries = append(entries, e)
		}
	}
	for _, m := range n.Members {
		if m.Value.Kind == record.Object {
			entries = append(entries, m.Value)
		}
	}
	return entries, n.Kind == record.Array
}
