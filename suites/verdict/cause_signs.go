package verdict

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// findSigns finds what a violation has in common with others of the same cause. What is inside
// of something that is broken as a whole has the signs of that.
func (g *grouping) findSigns(v judge.Breach) []sign {
	x := v.Document.Exchange
	if x == nil || x.Dir != record.Out {
		return []sign{placeSign(v)}
	}
	if isUnavailable(v) && (!v.OfHead || v.Header == report.StatusLine) {
		return []sign{{"the service is unavailable", "the service is unavailable"}}
	}
	if other, found := g.findCallElsewhere(v); found && v.OfHead && v.Header != "" {
		return g.findSigns(other) // the status alone would join it with every answer of that status
	} else if found {
		return append(g.findSigns(other), g.ownSigns(v)...)
	}
	return g.ownSigns(v)
}

// ownSigns returns the signs of a violation without regard to other bindings.
func (g *grouping) ownSigns(v judge.Breach) []sign {
	x := v.Document.Exchange
	if v.OfHead && v.Header != "" {
		if answer, fails := g.answerTo(v); fails && v.Header == report.StatusLine {
			return g.findSigns(answer)
		}
		if v.Header != report.StatusLine || g.outcomeOf(v) != accepted || v.Due == nil && !g.isMalformed(v.Document.Play, v.Document.Step) {
			return []sign{headSign(v)}
		}
	}
	if v.OfHead = false; v.Header == report.StatusLine {
		v.Pointer = ""
	}
	if other, found := g.findBroader(v); found {
		return g.findSigns(other)
	}
	if !x.Answered() {
		return []sign{{key: fmt.Sprint("no answer to ", v.Operation(), ": ", x.Ended)}}
	}
	if g.lacksNewMember(v) {
		return []sign{{"a card of another version", "the card is one of another version of the protocol"}}
	}
	if g.c.IsInBatchElement(v.Document, v.Pointer) {
		return g.memberSigns(v)
	}
	if v.Document.Event == 0 && v.Document.Kind == judge.ReplyText && !v.Document.Answer.IsResponse() {
		return []sign{g.noResponse(v)}
	}
	if v.Document.Event > 0 && v.Document.Kind == judge.EventText && !v.Document.Answer.Bare && !v.Document.Answer.IsResponse() {
		return []sign{{"event with " + shapeOf(v.Document.Root), "an event has data that is no response: " + describeShape(v.Document.Root)}}
	}
	return g.answerSigns(v)
}

// findBroader finds what else is wrong, if a violation follows from that.
func (g *grouping) findBroader(v judge.Breach) (other judge.Breach, found bool) {
	if outer, within := g.findOuter(v); within {
		return outer, true
	}
	if other, broken := g.findContradicted(v); broken {
		other.Against = nil // each of the two may contradict the other
		return other, true
	}
	return g.findTakenCall(v)
}

// noResponse returns the sign of an answer that is none of the protocol's.
func (g *grouping) noResponse(v judge.Breach) sign {
	x := v.Document.Exchange
	what := x.Response.MediaType() + " that is not JSON"
	if root := x.Reply().Root; root != nil {
		what = "JSON of its own, " + describeShape(root)
	}
	return sign{describeOutcome(g.c.BindingOf(v.Document.Play, v.Document.Step), v.Operation(), x), fmt.Sprintf("the server answers HTTP %d with %s", x.Status(), what)}
}

// answerSigns returns the signs of a violation in an answer that can be read.
func (g *grouping) answerSigns(v judge.Breach) []sign {
	s, p, a := v.Document.Step, v.Document.Play, v.Document.Answer
	if v.IsAboutWholeAnswer() || strings.HasPrefix(v.Pointer, a.Details.At+"/") {
		if name := g.findMisnumbered(v); name != "" {
			return []sign{{name, name}}
		}
	}
	isID := a.Envelope.Exists() && v.Pointer == a.ID.At && v.Node != nil
	if g.isMalformed(p, s) && (v.IsAboutWholeAnswer() || isID) {
		if layer := layerOf(g.c.BindingOf(p, s), v.Document.Exchange); g.neverRefused(p, s, layer) {
			return []sign{{"never refused for its " + layer, "no malformed call is refused for its " + layer}}
		}
	}
	if a.Result.Present() && a.Failure.Present() && (v.IsAboutWholeAnswer() || v.Pointer == a.Result.At || strings.HasPrefix(v.Pointer, a.Failure.At+"/")) {
		return []sign{{"both result and error", "an answer has both result and error"}}
	}
	switch {
	case isUnauthorizedResult(v):
		return []sign{{key: fmt.Sprint("a result for ", s.As)}}
	case !v.IsAboutWholeAnswer() || v.Document.Kind == judge.CardText || v.Document.Kind == judge.CardElsewhere || v.Document.Kind == judge.OtherText:
		return g.memberSigns(v)
	}
	v.Pointer = ""
	how := describeOutcome(g.c.BindingOf(p, s), v.Operation(), v.Document.Exchange)
	if strings.HasSuffix(how, accepted) {
		return g.acceptedSigns(v)
	}
	if strings.Contains(how, refused) {
		return g.refusedSigns(v, how)
	}
	return []sign{{how, "an answer has neither result nor error"}}
}

// acceptedSigns returns the signs of a call that has a result and must not have one.
func (g *grouping) acceptedSigns(v judge.Breach) []sign {
	s, p := v.Document.Step, v.Document.Play
	out := []sign{placeSign(v)}
	for _, condition := range g.conditionsOf(v) {
		out = append(out, sign{condition + accepted, condition + " is accepted"})
	}
	if !g.isMalformed(p, s) || layerOf(g.c.BindingOf(p, s), v.Document.Exchange) != parameters {
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

// refusedSigns returns the signs of a call that was refused, and should not have been, or not in
// this way: how it was, and for what. The same code of a server refuses calls of
// several operations for the same flaw, and in several conversations under the same
// condition.
func (g *grouping) refusedSigns(v judge.Breach, how string) []sign {
	s, p := v.Document.Step, v.Document.Play
	if slices.Equal(v.Document.Answer.Names, []string{"ParseError"}) && g.sentJSON(v) {
		return []sign{{"well-formed JSON cannot be parsed", "well-formed JSON is refused as if it could not be parsed"}}
	}
	op, refusal, _ := strings.Cut(how, refused)
	refusal = refused + refusal
	code := describeCode(v.Document.Answer.Code.Node)
	conditions := g.conditionsOf(v)
	var out []sign
	switch flaw := g.flawOf(p, s); {
	case !g.isMalformed(p, s) && len(conditions) == 0 && g.c.Dialect.Operation(s.Op).Agent: // each message is another
		return []sign{placeSign(v)}
	case !g.isMalformed(p, s):
		family := g.familyOf(p, s)
		out = []sign{placeSign(v), {family + refusal + " " + firstWords(v.Document.Answer.Message.Node), family + " is refused with " + code}}
	case flaw.header && v.Document.Answer.Refuses("TaskNotFound"):
		return g.acceptedSigns(v) // the server went on to look for the task
	case layerOf(g.c.BindingOf(p, s), v.Document.Exchange) == envelope:
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

// describeCode returns the code of an error in words.
func describeCode(code *record.Node) string {
	if code == nil {
		return "no code"
	}
	return "the code " + shorten.Visible(code.Number+code.String, 40)
}

// sentJSON reports whether the call that a violation is about is well-formed JSON.
func (g *grouping) sentJSON(v judge.Breach) bool {
	call := v.Document.Exchange.Call()
	return v.Document.Exchange.Request.Recipe != nil || call.Root != nil && len(call.Faults) == 0
}

// conditionsOf returns what a call had to be refused for, if that is more than its form: the
// error that was due for this family of operations, and that the call is about an ended task.
func (g *grouping) conditionsOf(v judge.Breach) (conditions []string) {
	if target := g.targetOf(v); target != "" {
		conditions = append(conditions, target)
	}
	var due []string
	for _, name := range v.Due {
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
	return append(conditions, g.familyOf(v.Document.Play, v.Document.Step)+" for which "+strings.Join(due, " or ")+" is due")
}

// targetOf names an ended task that a call is about; it is empty for any other call.
func (g *grouping) targetOf(v judge.Breach) string {
	if v.Document.Step == nil || v.Document.Play == nil || v.Due == nil {
		return ""
	}
	if _, state, found := strings.Cut(g.c.DescribeTargetTask(v.Document), " in state "); found {
		state, _, _ = strings.Cut(state, " ")
		if is := g.c.Dialect.State(state); is != nil && is.Terminal {
			return g.familyOf(v.Document.Play, v.Document.Step) + " about an ended task"
		}
	}
	return ""
}

// firstWords returns the words of an error's message up to the first colon, without what
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
func (g *grouping) findMisnumbered(v judge.Breach) string {
	a, b := v.Document.Answer, g.c.BindingOf(v.Document.Play, v.Document.Step)
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
