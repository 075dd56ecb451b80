package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// deepestArranged is how deep an object may be whose members are put in order.
const deepestArranged = 32

// ArrangeMembers puts the members of objects in an order, and leaves every value as it is
// written. The members of an object, or of the objects in an array, are ordered by the name
// under which it is found, which is name for the whole; those that are not listed follow as they
// are. A text that is no JSON without white space is returned as it is.
func ArrangeMembers(text []byte, name string, order map[string][]string) []byte {
	var compact bytes.Buffer
	if len(order) == 0 || json.Compact(&compact, text) != nil || compact.Len() != len(text) {
		return text
	}
	dec := jsontext.NewDecoder(&compact, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	arranged, err := appendReorderedValue(nil, dec, name, order, 0)
	if err != nil {
		return text
	}
	return arranged
}

// appendReorderedValue appends the next value of a text, which is found under a name.
func appendReorderedValue(out []byte, dec *jsontext.Decoder, name string, order map[string][]string, depth int) ([]byte, error) {
	kind := dec.PeekKind()
	if kind != '{' && kind != '[' || depth == deepestArranged {
		value, err := dec.ReadValue()
		return append(out, value...), err
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	type element struct {
		rank int // of a member of an object
		text []byte
	}
	var elements []element
	for next := dec.PeekKind(); next != '}' && next != ']'; next = dec.PeekKind() {
		e, key := element{}, name
		if kind == '{' {
			quoted, err := dec.ReadValue()
			if err != nil {
				return nil, err
			}
			json.Unmarshal(quoted, &key) // of a valid text
			if e.rank = slices.Index(order[name], key); e.rank < 0 {
				e.rank = len(order[name])
			}
			e.text = append(bytes.Clone(quoted), ':')
		}
		var err error
		if e.text, err = appendReorderedValue(e.text, dec, key, order, depth+1); err != nil {
			return nil, err
		}
		elements = append(elements, e)
	}
	slices.SortStableFunc(elements, func(a, b element) int { return cmp.Compare(a.rank, b.rank) })
	out = append(out, byte(kind))
	for i, e := range elements {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, e.text...)
	}
	end, err := dec.ReadToken()
	return append(out, end.String()...), err
}
