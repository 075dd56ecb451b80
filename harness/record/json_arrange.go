package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
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
	a := arranger{text: text, order: order, out: make([]byte, 0, len(text))}
	a.copyValue(name, 0)
	return a.out
}

// arranger copies a valid text of JSON without white space.
type arranger struct {
	text  []byte
	at    int
	out   []byte
	order map[string][]string
}

// copyTo copies up to a place.
func (a *arranger) copyTo(end int) {
	a.out = append(a.out, a.text[a.at:end]...)
	a.at = end
}

// copyValue copies the next value.
func (a *arranger) copyValue(name string, depth int) {
	switch {
	case a.text[a.at] == '{' && depth < deepestArranged:
		a.copyObject(name, depth)
	case a.text[a.at] == '[' && depth < deepestArranged:
		a.copyArray(name, depth)
	default:
		a.copyTo(a.findEnd())
	}
}

func (a *arranger) copyArray(name string, depth int) {
	a.copyTo(a.at + 1)
	for a.text[a.at] != ']' {
		a.copyValue(name, depth+1)
		if a.text[a.at] == ',' {
			a.copyTo(a.at + 1)
		}
	}
	a.copyTo(a.at + 1)
}

func (a *arranger) copyObject(name string, depth int) {
	type member struct {
		rank int
		text []byte
	}
	var members []member
	a.copyTo(a.at + 1)
	begun := len(a.out)
	for a.text[a.at] != '}' {
		from := len(a.out)
		end := a.findEnd()
		var key string
		json.Unmarshal(a.text[a.at:end], &key) // of a valid text
		a.copyTo(end + 1)
		a.copyValue(key, depth+1)
		rank := slices.Index(a.order[name], key)
		if rank < 0 {
			rank = len(a.order[name])
		}
		members = append(members, member{rank, bytes.Clone(a.out[from:])})
		if a.text[a.at] == ',' {
			a.at++
		}
	}
	slices.SortStableFunc(members, func(x, y member) int { return cmp.Compare(x.rank, y.rank) })
	a.out = a.out[:begun]
	for i, m := range members {
		if i > 0 {
			a.out = append(a.out, ',')
		}
		a.out = append(a.out, m.text...)
	}
	a.copyTo(a.at + 1)
}

// findEnd returns the place at which the next value ends.
func (a *arranger) findEnd() int {
	depth := 0
	for i := a.at; i < len(a.text); i++ {
		switch a.text[i] {
		case '"':
			for i++; a.text[i] != '"'; i++ {
				if a.text[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ':':
			if depth == 0 {
				return i
			}
		}
	}
	return len(a.text)
}
