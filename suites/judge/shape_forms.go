package judge

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema/shape"
)

// protoForms finds how a value reads in the usual form of ProtoJSON: without its members that
// are null, and with a number in the place of its text.
type protoForms struct {
	absent  map[string]bool        // members that are null
	numbers map[string]json.Number // texts of numbers
	bound   map[string]bool        // places that have to follow the JSON Schema
}

// readForms reads a value once more in the usual form of ProtoJSON, if the dialect's JSON is
// that of Protocol Buffers. It returns what is broken even so, and what was broken by the
// form alone.
func (c *Case) readForms(definition string, value any, found []shape.Violation) (left, forms []shape.Violation, err error) {
	if c.Dialect.ProtoJSON == "" || len(found) == 0 || definition == c.Dialect.Types.Envelope || definition == c.Dialect.Types.Error {
		return found, nil, nil
	}
	as := protoForms{map[string]bool{}, map[string]json.Number{}, map[string]bool{}}
	left = found
	for as.learnForms(value, left) { // of many violations of one rule only the first are known at a time
		if left, err = c.Dialect.Shapes().Validate(definition, as.usualForm(value, "")); err != nil {
			return nil, nil, err
		}
	}
	for _, v := range found {
		if !slices.ContainsFunc(left, func(w shape.Violation) bool {
			return w.Instance == v.Instance && w.Keyword == v.Keyword && w.At == v.At
		}) {
			forms = append(forms, v)
		}
	}
	return left, forms, nil
}

// learnForms notes which places of a value are in another form, as far as violations point at
// them, and which have to be as they were after all. It reports whether there is news.
func (f protoForms) learnForms(value any, found []shape.Violation) (news bool) {
	for _, v := range found {
		if _, taken := f.numbers[v.Instance]; v.Keyword == "required" && f.absent[v.Instance] || v.Keyword == "type" && taken {
			delete(f.absent, v.Instance)
			delete(f.numbers, v.Instance)
			f.bound[v.Instance], news = true, true
			continue
		}
		for _, at := range nullMembers(value, v.Instance) {
			if !f.bound[at] && !f.absent[at] {
				f.absent[at], news = true, true
			}
		}
		if at, _, ok := valueAt(value, v.Instance); ok && v.Keyword == "type" && !f.bound[v.Instance] {
			if text, is := at.(string); is && numberText.MatchString(text) {
				f.numbers[v.Instance], news = json.Number(text), true
			}
		}
	}
	return news
}

// nullMembers returns the members that are null at a place: the place itself, or the members of
// the object there.
func nullMembers(root any, at string) (out []string) {
	value, holder, ok := valueAt(root, at)
	if members, is := value.(map[string]any); is {
		for name, v := range members {
			if v == nil {
				out = append(out, at+record.Pointer(name))
			}
		}
		return out
	}
	if _, member := holder.(map[string]any); ok && value == nil && member {
		out = append(out, at)
	}
	return out
}

var unescaper = strings.NewReplacer("~1", "/", "~0", "~")

// valueAt returns the value at a pointer, and what holds it.
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

// usualForm returns a copy of a value in the usual form.
func (f protoForms) usualForm(value any, at string) any {
	if n, is := f.numbers[at]; is {
		return n
	}
	switch v := value.(type) {
	case map[string]any:
		copied := map[string]any{}
		for name, member := range v {
			if place := at + record.Pointer(name); !f.absent[place] {
				copied[name] = f.usualForm(member, place)
			}
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i, e := range v {
			copied[i] = f.usualForm(e, at+"/"+strconv.Itoa(i))
		}
		return copied
	}
	return value
}
