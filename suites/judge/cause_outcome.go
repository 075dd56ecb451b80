package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/report"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// headSign is the sign of a violation about the status or a header.
func headSign(v Value) sign {
	x := v.said.Exchange
	how := fmt.Sprint("HTTP ", x.Status())
	if x.Status() < 400 {
		how += " " + x.Response.MediaType()
	}
	switch {
	case v.header == report.StatusLine && (v.said.Kind == CardText || v.said.Kind == OtherText):
		return sign{"a document: " + how, "a document is answered with " + how}
	case v.header == report.StatusLine:
		return sign{how, "the server answers " + how}
	case x.Response.Header().Get(v.header) == "":
		return sign{how + " without a header", "headers are missing from an answer"}
	}
	return sign{how + " " + v.header, "the header " + shorten.Visible(v.header, 40) + " is wrong"}
}

const (
	accepted = " accepted"
	refused  = " refused: "
)

// describeOutcome is how a call was answered. Of refusals it does not matter what is
// asked for if the envelope is wrong.
func describeOutcome(b binding.Binding, op string, x *record.Exchange) string {
	asked := op
	if layerOf(b, x) == envelope {
		op = "a call"
	}
	root, answer := x.Reply().Root, decodeAnswer(b, asked, x)
	if x.IsStream() {
		if events := x.Events(); len(events) > 0 {
			root = events[0].Root
		}
	}
	e := answer.Failure.Node
	switch {
	case !answer.IsResponse() || answer.Bare:
		return fmt.Sprint("no response: HTTP ", x.Status(), " ", x.Response.MediaType(), " ", shapeOf(root))
	case answer.Failure.Present():
		code := ""
		if n := answer.Code.Node; n != nil {
			code = n.Number + n.String
		}
		return fmt.Sprint(op, refused, "code ", code, " ", shapeOf(e))
	case !answer.Result.Exists():
		return fmt.Sprint("neither result nor error: HTTP ", x.Status(), " ", shapeOf(root))
	}
	return op + accepted
}

// decodeAnswer reads how a call was answered; a stream answers with its first event.
func decodeAnswer(b binding.Binding, op string, x *record.Exchange) binding.Answer {
	if x.IsStream() {
		if events := x.Events(); len(events) > 0 {
			return b.Event(op, events[0].Root).AsResponse()
		}
	}
	return b.Decode(op, x).AsResponse()
}

// memberSigns are the signs of a violation inside of what was sent: its place, and the
// member of the innermost type that holds it. That a single value contradicts another
// place, as a state out of order, is another thing than that it is wrong by itself.
func (g *grouping) memberSigns(v Value) []sign {
	of, at := "", ""
	for _, definition := range g.c.Dialect.Shapes().Definitions() {
		for _, p := range g.c.Places(v.said, definition) {
			if rest, within := strings.CutPrefix(v.ptr, p.Pointer); within && strings.HasPrefix(rest, "/") && (of == "" || len(rest) < len(at)) {
				of, at = definition, rest
			}
		}
	}
	member := of + strings.ReplaceAll(withoutNumbers(at), "/", ".")
	switch {
	case of == "":
		return []sign{placeSign(v)}
	case g.isAnotherType(v, strings.TrimSuffix(v.ptr, at)):
		return []sign{{fmt.Sprint("no ", of, " from ", v.op()), "something else is sent in place of " + of}}
	case len(v.against) > 0 && v.node != nil && v.node.Kind != record.Array && v.node.Kind != record.Object:
		return []sign{placeSign(v), {"member " + member + " beside others", member + " does not fit other answers"}}
	}
	return []sign{placeSign(v), {"member " + member, member + " is wrong"}}
}

// isAnotherType reports whether what should be of a type is something else: several
// members that it has to have are missing.
func (g *grouping) isAnotherType(v Value, at string) bool {
	missing := map[string]bool{}
	for _, o := range g.rejected[v.said.text()] {
		if rest, below := strings.CutPrefix(o.ptr, at); below && o.node == nil && strings.LastIndex(rest, "/") == 0 {
			missing[rest] = true
		}
	}
	return len(missing) > 1
}

// placeSign is the sign of all violations at one place.
func placeSign(v Value) sign {
	return sign{key: fmt.Sprint("exchange ", v.said.Exchange.ID, " event ", v.said.Event, " ", v.ptr)}
}

// withoutNumbers is a pointer without the positions in lists.
func withoutNumbers(pointer string) string {
	tokens := strings.Split(pointer, "/")
	for i, t := range tokens {
		if t != "" && strings.Trim(t, "0123456789") == "" {
			tokens[i] = "*"
		}
	}
	return strings.Join(tokens, "/")
}

// whole reports whether a violation is about an answer as a whole: that it came,
// or which one it is.
func (v Value) whole() bool {
	a := v.said.Answer
	return v.ptr == "" || v.ptr == a.Failure.At || v.ptr == a.Code.At || v.ptr == a.Result.At && v.node == nil
}

func (v Value) op() string {
	if v.said.Step != nil {
		return v.said.Step.Op
	}
	return v.said.Op
}

// shapeOf names the members of a text.
func shapeOf(n *record.Node) string {
	if n == nil {
		return "no JSON"
	}
	if n.Kind != record.Object {
		return fmt.Sprint(n.Kind)
	}
	var names []string
	for _, m := range n.Members {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ",")
}

// describeShape names the members of a text in words.
func describeShape(n *record.Node) string {
	switch {
	case n == nil || n.Kind != record.Object:
		return "which is no object"
	case len(n.Members) == 0:
		return "which is empty"
	}
	return "with " + shorten.Visible(strings.ReplaceAll(shapeOf(n), ",", ", "), 60)
}
