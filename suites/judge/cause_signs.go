package judge

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/report"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// findSigns finds what a violation has in common with others of the same cause. What is inside
// of something that is broken as a whole has the signs of that.
func (g *grouping) findSigns(v Value) []sign {
	x := v.said.Exchange
	if x == nil || x.Dir != record.Out {
		return []sign{placeSign(v)}
	}
	if isUnavailable(v) && (!v.head || v.header == report.StatusLine) {
		return []sign{{"the service is unavailable", "the service is unavailable"}}
	}
	if other, found := g.findCallElsewhere(v); found && v.head && v.header != "" {
		return g.findSigns(other) // the status alone would join it with every answer of that status
	} else if found {
		return append(g.findSigns(other), g.ownSigns(v)...)
	}
	return g.ownSigns(v)
}

// ownSigns are the signs of a violation without regard to other bindings.
func (g *grouping) ownSigns(v Value) []sign {
	x := v.said.Exchange
	if v.head && v.header != "" {
		if answer, fails := g.answerTo(v); fails && v.header == report.StatusLine {
			return g.findSigns(answer)
		}
		if v.header != report.StatusLine || g.outcomeOf(v) != accepted || v.due == nil && !g.isMalformed(v.said.Play, v.said.Step) {
			return []sign{headSign(v)}
		}
	}
	if v.head = false; v.header == report.StatusLine {
		v.ptr = ""
	}
	if other, found := g.findBroader(v); found {
		return g.findSigns(other)
	}
	if !x.Answered() {
		return []sign{{key: fmt.Sprint("no answer to ", v.op(), ": ", x.Ended)}}
	}
	if g.lacksNewMember(v) {
		return []sign{{"a card of another version", "the card is one of another version of the protocol"}}
	}
	if r, _ := g.c.replyAt(v.said, v.ptr); r.at != "" && r.answer.IsResponse() {
		return g.memberSigns(v)
	}
	if v.said.Event == 0 && v.said.Kind == ReplyText && !v.said.Answer.IsResponse() {
		return []sign{g.noResponse(v)}
	}
	if v.said.Event > 0 && v.said.Kind == EventText && !v.said.Answer.Bare && !v.said.Answer.IsResponse() {
		return []sign{{"event with " + shapeOf(v.said.Root), "an event has data that is no response: " + describeShape(v.said.Root)}}
	}
	return g.answerSigns(v)
}

// findBroader finds what else is wrong, if a violation follows from that.
func (g *grouping) findBroader(v Value) (other Value, found bool) {
	if outer, within := g.findOuter(v); within {
		return outer, true
	}
	if other, broken := g.findContradicted(v); broken {
		other.against = nil // each of the two may contradict the other
		return other, true
	}
	return g.findTakenCall(v)
}

// noResponse is the sign of an answer that is none of the protocol's.
func (g *grouping) noResponse(v Value) sign {
	x := v.said.Exchange
	what := x.Response.MediaType() + " that is not JSON"
	if root := x.Reply().Root; root != nil {
		what = "JSON of its own, " + describeShape(root)
	}
	return sign{describeOutcome(g.c.by(v.said.Play, v.said.Step), v.op(), x), fmt.Sprintf("the server answers HTTP %d with %s", x.Status(), what)}
}

// answerSigns are the signs of a violation in an answer that can be read.
func (g *grouping) answerSigns(v Value) []sign {
	s, p, a := v.said.Step, v.said.Play, v.said.Answer
	if v.whole() || strings.HasPrefix(v.ptr, a.Details.At+"/") {
		if name := g.findMisnumbered(v); name != "" {
			return []sign{{name, name}}
		}
	}
	isID := a.Envelope.Exists() && v.ptr == a.ID.At && v.node != nil
	if g.isMalformed(p, s) && (v.whole() || isID) {
		if layer := layerOf(g.c.by(p, s), v.said.Exchange); g.neverRefused(p, s, layer) {
			return []sign{{"never refused for its " + layer, "no malformed call is refused for its " + layer}}
		}
	}
	if a.Result.Present() && a.Failure.Present() && (v.whole() || v.ptr == a.Result.At || strings.HasPrefix(v.ptr, a.Failure.At+"/")) {
		return []sign{{"both result and error", "an answer has both result and error"}}
	}
	switch {
	case letIn(v):
		return []sign{{key: fmt.Sprint("a result for ", s.As)}}
	case !v.whole() || v.said.Kind == CardText || v.said.Kind == CardElsewhere || v.said.Kind == OtherText:
		return g.memberSigns(v)
	}
	v.ptr = ""
	how := describeOutcome(g.c.by(p, s), v.op(), v.said.Exchange)
	if strings.HasSuffix(how, accepted) {
		return g.acceptedSigns(v)
	}
	if strings.Contains(how, refused) {
		return g.refusedSigns(v, how)
	}
	return []sign{{how, "an answer has neither result nor error"}}
}

// acceptedSigns are the signs of a call that has a result and must not have one.
func (g *grouping) acceptedSigns(v Value) []sign {
	s, p := v.said.Step, v.said.Play
	out := []sign{placeSign(v)}
	for _, condition := range g.conditionsOf(v) {
		out = append(out, sign{condition + accepted, condition + " is accepted"})
	}
	if !g.isMalformed(p, s) || layerOf(g.c.by(p, s), v.said.Exchange) != parameters {
		return out
	}
	family, flaw := g.familyOf(p, s), g.flawOf(p, s)
	what := family + " with " + flaw.kind
	switch {
	case flaw.kind == "" && flaw.place == "":
		return out
	case flaw.kind == "":
		what = "a call with another value in " + flaw.place
	case len(g.accepted[acceptedFamily{p.By(s), family}]) > 1:
		several := family + " with flaws of several kinds"
		out = append(out, sign{several + accepted, several + " is accepted"})
	}
	return append(out, sign{what + accepted, what + " is accepted"})
}

// refusedSigns are the signs of a call that was refused, and should not have been, or not in
// this way: how it was, and for what. The same code of a server refuses calls of
// several operations for the same flaw, and in several conversations under the same
// condition.
func (g *grouping) refusedSigns(v Value, how string) []sign {
	s, p := v.said.Step, v.said.Play
	if slices.Equal(v.said.Answer.Names, []string{"ParseError"}) && g.sentJSON(v) {
		return []sign{{"well-formed JSON cannot be parsed", "well-formed JSON is refused as if it could not be parsed"}}
	}
	op, refusal, _ := strings.Cut(how, refused)
	refusal = refused + refusal
	code := describeCode(v.said.Answer.Code.Node)
	conditions := g.conditionsOf(v)
	var out []sign
	switch flaw := g.flawOf(p, s); {
	case !g.isMalformed(p, s) && len(conditions) == 0 && g.c.Dialect.Operation(s.Op).Agent: // each message is another
		return []sign{placeSign(v)}
	case !g.isMalformed(p, s):
		family := g.familyOf(p, s)
		out = []sign{placeSign(v), {family + refusal + " " + firstWords(v.said.Answer.Message.Node), family + " is refused with " + code}}
	case flaw.header && v.said.Answer.Refuses("TaskNotFound"):
		return g.acceptedSigns(v) // the server went on to look for the task
	case layerOf(g.c.by(p, s), v.said.Exchange) == envelope:
		return []sign{{how, "a malformed " + envelope + " is refused with " + code}}
	default:
		out = []sign{{how, "a malformed " + op + " is refused with " + code}}
		if flaw.place != "" {
			out = append(out, sign{flaw.place + ", " + flaw.kind + refusal, "a call with " + flaw.kind + " in " + strings.ReplaceAll(flaw.place, "/", ".") + " is refused with " + code})
		}
	}
	for _, condition := range conditions {
		out = append(out, sign{condition + refusal, condition + " is refused with " + code})
	}
	return out
}

// describeCode is the code of an error in words.
func describeCode(code *record.Node) string {
	if code == nil {
		return "no code"
	}
	return "the code " + shorten.Visible(code.Number+code.String, 40)
}

// sentJSON reports whether the call that a violation is about is well-formed JSON.
func (g *grouping) sentJSON(v Value) bool {
	call := v.said.Exchange.Call()
	return v.said.Exchange.Request.Recipe != nil || call.Root != nil && len(call.Faults) == 0
}

// conditionsOf are what a call had to be refused for, if that is more than its form: the
// error that was due for this family of operations, and that the call is about an ended task.
func (g *grouping) conditionsOf(v Value) (conditions []string) {
	if target := g.targetOf(v); target != "" {
		conditions = append(conditions, target)
	}
	var due []string
	for _, name := range v.due {
		switch {
		case slices.Contains(formErrors, name), name == "InternalError":
			return conditions
		case name == "VersionNotSupported": // checked before an operation is looked at
			return append(conditions, "a call for which "+name+" is due")
		}
		due = append(due, name)
	}
	if len(due) == 0 {
		return conditions
	}
	return append(conditions, g.familyOf(v.said.Play, v.said.Step)+" for which "+strings.Join(due, " or ")+" is due")
}

// targetOf names an ended task that a call is about; it is empty for any other call.
func (g *grouping) targetOf(v Value) string {
	if v.said.Step == nil || v.said.Play == nil || v.due == nil {
		return ""
	}
	if _, state, found := strings.Cut(g.c.about(v.said), " in state "); found {
		state, _, _ = strings.Cut(state, " ")
		if is := g.c.Dialect.State(state); is != nil && is.Terminal {
			return g.familyOf(v.said.Play, v.said.Step) + " about an ended task"
		}
	}
	return ""
}

// firstWords are the words of an error's message up to the first colon, without what
// names one call alone: code of a server that refuses for one reason uses the same words.
func firstWords(message *record.Node) string {
	if message == nil {
		return ""
	}
	words, _, _ := strings.Cut(message.String, ":")
	return shorten.Clip(strings.Join(strings.Fields(ofOneCall.ReplaceAllString(strings.ToLower(words), " ")), " "), 60)
}

// ofOneCall matches what is quoted, and words with digits, such as ids.
var ofOneCall = regexp.MustCompile("\"[^\"]*\"|'[^']*'|`[^`]*`|\\S*[0-9]\\S*")

// findMisnumbered finds an error that gives the reason of one error and the number of
// another: who does so, does it wherever that error arises.
func (g *grouping) findMisnumbered(v Value) string {
	a, b := v.said.Answer, g.c.by(v.said.Play, v.said.Step)
	if a.Details.Node == nil || a.Code.Node == nil {
		return ""
	}
	for _, e := range a.Details.Node.Elems {
		reason := e.Member("reason")
		for _, is := range g.c.Dialect.Errors {
			if reason != nil && reason.Kind == record.String && is.Reason != "" && reason.String == is.Reason && a.Code.Node.Number != binding.Number(b, is) {
				return fmt.Sprint("the error ", is.Reason, " with the code ", a.Code.Node.Number)
			}
		}
	}
	return ""
}
