package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// headSign returns the sign of a violation about the status or a header.
func headSign(v judge.Breach) sign {
	x := v.Document.Exchange
	how := fmt.Sprint("HTTP ", x.Status())
	if x.Status() < 400 {
		how += " " + x.Response.MediaType()
	}
	switch {
	case v.Header == report.StatusLine && (v.Document.Kind == judge.CardText || v.Document.Kind == judge.OtherText):
		return sign{"a document: " + how, "a document is answered with " + how}
	case v.Header == report.StatusLine:
		return sign{how, "the server answers " + how}
	case x.Response.Header().Get(v.Header) == "":
		return sign{how + " without a header", "headers are missing from an answer"}
	}
	return sign{how + " " + v.Header, "the header " + shorten.Visible(v.Header, 40) + " is wrong"}
}

const (
	accepted = " accepted"
	refused  = " refused: "
)

// describeOutcome describes how a call was answered. Of refusals it does not matter what is
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

// memberSigns returns the signs of a violation inside of what was sent: its place, and the
// member of the innermost type that holds it. That a single value contradicts another
// place, as a state out of order, is another thing than that it is wrong by itself.
func (g *grouping) memberSigns(v judge.Breach) []sign {
	of, at := "", ""
	for _, definition := range g.c.Dialect.Shapes().Definitions() {
		for _, p := range g.c.Places(v.Document, definition) {
			if rest, within := strings.CutPrefix(v.Pointer, p.Pointer); within && strings.HasPrefix(rest, "/") && (of == "" || len(rest) < len(at)) {
				of, at = definition, rest
			}
		}
	}
	member := of + strings.ReplaceAll(withoutNumbers(at), "/", ".")
	switch {
	case of == "":
		return []sign{placeSign(v)}
	case g.isAnotherType(v, strings.TrimSuffix(v.Pointer, at)):
		return []sign{{fmt.Sprint("no ", of, " from ", v.Operation()), "something else is sent in place of " + of}}
	case len(v.Against) > 0 && v.Node != nil && v.Node.Kind != record.Array && v.Node.Kind != record.Object:
		return []sign{placeSign(v), {"member " + member + " beside others", member + " does not fit other answers"}}
	}
	return []sign{placeSign(v), {"member " + member, member + " is wrong"}}
}

// isAnotherType reports whether what should be of a type is something else: several
// members that it has to have are missing.
func (g *grouping) isAnotherType(v judge.Breach, at string) bool {
	missing := map[string]bool{}
	for _, o := range g.rejected[exchangeEventKey(v.Document)] {
		if rest, below := strings.CutPrefix(o.Pointer, at); below && o.Node == nil && strings.LastIndex(rest, "/") == 0 {
			missing[rest] = true
		}
	}
	return len(missing) > 1
}

// placeSign returns the sign of all violations at one place.
func placeSign(v judge.Breach) sign {
	return sign{key: fmt.Sprint("exchange ", v.Document.Exchange.ID, " event ", v.Document.Event, " ", v.Pointer)}
}

// withoutNumbers returns a pointer without the positions in lists.
func withoutNumbers(pointer string) string {
	tokens := strings.Split(pointer, "/")
	for i, t := range tokens {
		if t != "" && strings.Trim(t, "0123456789") == "" {
			tokens[i] = "*"
		}
	}
	return strings.Join(tokens, "/")
}

// shapeOf names the members of a text.
func shapeOf(n *record.Node) string {
	if n == nil {
		return "no JSON"
	}
	if n.Kind != record.Object {
		return fmt.Sprint(n.Kind)
	}
	return memberNames(n)
}

// memberNames lists the names of the members of a value, each once.
func memberNames(n *record.Node) string {
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
