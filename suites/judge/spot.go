package judge

import (
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
)

// Spot names the place of the value for people, by what the text is and by the names that
// are written there: the result's `status.state`.
func (v Value) Spot() string {
	whole, path := v.wholeAndPath()
	if path == "" {
		return whole
	}
	return whole + "'s `" + path + "`"
}

// Lacking states that the value is missing, and from what: the result's `status` has no
// `state`.
func (v Value) Lacking() string {
	whole, path := v.wholeAndPath()
	if i := strings.LastIndexByte(path, '.'); i > 0 {
		whole += "'s `" + path[:i] + "`"
	}
	return whole + " has no `" + path[strings.LastIndexByte(path, '.')+1:] + "`"
}

// Member returns the name of the member that the value is, as it is written.
func (v Value) Member() string {
	_, path := v.wholeAndPath()
	return path[strings.LastIndexByte(path, '.')+1:]
}

// wholeAndPath returns the part of the text in which the value is, in words, and the place
// of the value in that part, as programs write it: parts[0].text.
func (v Value) wholeAndPath() (whole, path string) {
	if v.doc == nil {
		return "the text", dottedPath(v.ptr)
	}
	whole, from := v.doc.partAt(v.ptr)
	place, base := v.Place(), v.doc.Place(from)
	if rest, below := strings.CutPrefix(place, base); below && (rest == "" || rest[0] == '/') {
		return whole, dottedPath(rest)
	}
	return whole, dottedPath(place)
}

// partAt returns the part of a text that holds a place, in words, and the place at which that part begins.
func (s *Document) partAt(at string) (whole, from string) {
	within := func(v binding.View) bool {
		return v.Node != nil && (at == v.At || strings.HasPrefix(at, v.At+"/"))
	}
	switch s.Kind {
	case CardText, CardElsewhere:
		return "the card", ""
	case Delivery:
		return "the delivery", ""
	case RequestText:
		return "the request", ""
	case ReportText:
		return "the line that the client reported", ""
	case OtherText:
		return "the document", ""
	}
	whole, result := "the reply", "the result"
	if s.Kind == EventText {
		whole, result = "the event", "the event"
	}
	switch a := s.Answer; {
	case within(a.Failure):
		return "the error", a.Failure.At
	case within(a.Result):
		return result, a.Result.At
	case a.Envelope.Exists():
		return "the JSON-RPC response", a.Envelope.At
	}
	return whole, ""
}

// dottedPath writes a JSON pointer as a place in a program: /parts/0/text is parts[0].text.
func dottedPath(pointer string) string {
	var b strings.Builder
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = unescaper.Replace(token)
		switch {
		case token != "" && strings.Trim(token, "0123456789") == "":
			b.WriteString("[" + token + "]")
		case b.Len() > 0:
			b.WriteString("." + token)
		default:
			b.WriteString(token)
		}
	}
	return shorten.Visible(b.String(), 60)
}
