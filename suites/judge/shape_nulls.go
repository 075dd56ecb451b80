package judge

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
)

// Nulls returns every member of the run that is null where the JSON Schema has no null, and
// that every reader of ProtoJSON takes as left out. The caller leaves the list as it is.
func (t *T) Nulls() []Violation {
	var out []Violation
	for _, s := range t.Case.said {
		found, err := t.Case.shape(s)
		if err != nil {
			panic(err)
		}
		for _, v := range foundIn(s, found.nulls) {
			if !t.Case.echo(s, v.At) && !t.leaves(s) {
				out = append(out, v)
			}
		}
	}
	return out
}

// readNulls reads a value once more with the members left out that are null and may be left
// out, if the dialect's JSON is that of Protocol Buffers. It returns what is broken even so,
// and what was broken by nulls alone.
func (c *Case) readNulls(definition string, value any, found []schema.Violation) (left, nulls []schema.Violation, err error) {
	if c.Dialect.NullAsAbsent == "" || len(found) == 0 || definition == c.Dialect.Types.Envelope || definition == c.Dialect.Types.Error {
		return found, nil, nil
	}
	out := map[string]bool{}
	for _, v := range found {
		for _, at := range nullMembers(value, v.Instance) {
			out[at] = true
		}
	}
	if len(out) == 0 {
		return found, nil, nil
	}
	for range 2 { // what turns out to be required is put back
		left, err = c.Dialect.Shapes().Validate(definition, withoutMembers(value, "", out))
		if err != nil {
			return nil, nil, err
		}
		again := false
		for _, v := range left {
			if v.Keyword == "required" && out[v.Instance] {
				delete(out, v.Instance)
				again = true
			}
		}
		if !again {
			break
		}
	}
	for _, v := range found {
		still := func(w schema.Violation) bool {
			return w.Instance == v.Instance && w.Keyword == v.Keyword && w.At == v.At
		}
		if !slices.ContainsFunc(left, still) {
			nulls = append(nulls, v)
		}
	}
	return left, nulls, nil
}

// nullMembers are the members that are null at a place: the place itself, or the members of
// the object there.
func nullMembers(root any, at string) (out []string) {
	value, holder, ok := valueAt(root, at)
	if members, is := value.(map[string]any); is {
		for name, v := range members {
			if v == nil {
				out = append(out, at+"/"+escaper.Replace(name))
			}
		}
		return out
	}
	if _, member := holder.(map[string]any); ok && value == nil && member {
		out = append(out, at)
	}
	return out
}

var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// valueAt is the value at a pointer, and what holds it.
func valueAt(root any, pointer string) (value, holder any, ok bool) {
	value = root
	for _, token := range strings.Split(pointer, "/")[1:] {
		holder = value
		switch in := value.(type) {
		case map[string]any:
			value, ok = in[unescaper.Replace(token)]
		case []any:
			i, err := strconv.Atoi(token)
			if ok = err == nil && i >= 0 && i < len(in); ok {
				value = in[i]
			}
		default:
			ok = false
		}
		if !ok {
			return nil, nil, false
		}
	}
	return value, holder, true
}

// withoutMembers is a copy of a value without the members at some pointers.
func withoutMembers(value any, at string, out map[string]bool) any {
	switch v := value.(type) {
	case map[string]any:
		copied := map[string]any{}
		for name, member := range v {
			if place := at + "/" + escaper.Replace(name); !out[place] {
				copied[name] = withoutMembers(member, place, out)
			}
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i, e := range v {
			copied[i] = withoutMembers(e, at+"/"+strconv.Itoa(i), out)
		}
		return copied
	}
	return value
}
