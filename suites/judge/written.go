package judge

import (
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// readOtherwise takes what was read of a result for the text, where the binding writes it
// with other names. Evidence points at the text as it was written all the same.
func (s *Said) readOtherwise() {
	if s.Answer.Read && s.Answer.Result.Exists() && s.Root != nil && s.Answer.Result.Node != s.Root {
		s.Root, s.Written = s.Answer.Result.Node, s.Root
	}
}

// Place is where a place of what was read stands in the text as it was written. What does
// not stand there is looked for in what holds it.
func (s *Said) Place(read string) string {
	if s.Written == nil || s.Root == nil {
		return read
	}
	n, rest := s.Root, read
	at := placeOf(s.Written, n, "")
	for rest != "" {
		token, after, _ := strings.Cut(rest[1:], "/")
		next := n.At("/" + token)
		if after != "" {
			after = "/" + after
		}
		place := "-"
		if next != nil {
			place = placeOf(s.Written, next, "-")
		}
		if place == "-" {
			if next != nil { // it is meant and stands nowhere
				return at
			}
			return at + rest
		}
		n, at, rest = next, place, after
	}
	return at
}

// placeOf is where the bytes stand that a value was read from, or otherwise if they are
// those of no value.
func placeOf(in, n *record.Node, otherwise string) string {
	at := ""
	for in.Start != n.Start || in.End != n.End {
		var inner *record.Node
		step := ""
		for i, e := range in.Elems {
			if e.Start <= n.Start && n.End <= e.End {
				inner, step = e, "/"+strconv.Itoa(i)
			}
		}
		for _, m := range in.Members {
			if m.Value.Start <= n.Start && n.End <= m.Value.End {
				inner, step = m.Value, record.Pointer(m.Name)
			}
		}
		if inner == nil || n.Start == n.End {
			return otherwise
		}
		in, at = inner, at+step
	}
	return at
}
