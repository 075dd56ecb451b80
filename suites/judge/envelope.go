package judge

import (
	"cmp"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/schema"
)

// The parts of an answer. A check names them by these, so that none knows how a
// binding wraps what it carries.

// interpretAsAnswer returns the value read as an answer: a whole text, or an element of a list of
// answers.
func (v Value) interpretAsAnswer() binding.Answer {
	switch {
	case v.doc == nil:
		return binding.Answer{}
	case v.ptr == "":
		return v.doc.Answer
	case v.doc.Answer.Listed && v.t != nil:
		return v.t.Case.BindingOf(v.doc.Play, v.doc.Step).Event(v.doc.Op, v.node).AsResponse()
	}
	return binding.Answer{}
}

// answerPart returns a part of the answer that the value is.
func (v Value) answerPart(of binding.View) Value {
	return Value{t: v.t, doc: v.doc, node: of.Node, ptr: v.ptr + of.At, why: v.why}
}

// Result returns what an operation gave.
func (v Value) Result() Value { return v.answerPart(v.interpretAsAnswer().Result) }

// Failure returns the error by which an operation was refused.
func (v Value) Failure() Value { return v.answerPart(v.interpretAsAnswer().Failure) }

// ErrorCode returns the member in which the binding has the number or name of the error.
func (v Value) ErrorCode() Value { return v.answerPart(v.interpretAsAnswer().Code) }

// ErrorMessage returns what the error states for people.
func (v Value) ErrorMessage() Value { return v.answerPart(v.interpretAsAnswer().Message) }

// ErrorDetails returns the further details of an error, at a pointer inside of them.
func (v Value) ErrorDetails(at string) Value {
	return v.answerPart(v.interpretAsAnswer().Details).At(at)
}

// ID returns the id of the call that an answer names.
func (v Value) ID() Value { return v.answerPart(v.interpretAsAnswer().ID) }

// Version returns the version of the envelope that an answer states.
func (v Value) Version() Value { return v.answerPart(v.interpretAsAnswer().Version) }

// Marked reports whether an answer bears the sign of its binding.
func (v Value) Marked() bool {
	if v.interpretAsAnswer().Envelope.Exists() {
		v.Version().Exists()
	}
	return v.interpretAsAnswer().Marked
}

// IsResponse reports whether a text is an answer of its binding, and no other JSON.
func (v Value) IsResponse() bool {
	if v.Marked() {
		return true
	}
	v.Result().Exists()
	v.ErrorCode().Exists()
	return v.interpretAsAnswer().IsResponse()
}

// Words returns the words for what comes back in the binding that is judged.
func (t *T) Words() binding.Words { return binding.WordsOf(t.Case.binding) }

// Words returns the words for what comes back in the binding by which the value came.
func (v Value) Words() binding.Words {
	return binding.WordsOf(v.t.Case.BindingOf(v.doc.Play, v.doc.Step))
}

// Refuses reports whether an answer is one of the errors, by the dialect's names.
func (v Value) Refuses(names ...string) bool {
	v.ErrorCode().Exists()
	return v.interpretAsAnswer().Refuses(names...)
}

// ErrorName returns the dialect's name for the error that an answer is, or "".
func (v Value) ErrorName() string {
	v.ErrorCode().Exists()
	if names := slices.Sorted(slices.Values(v.interpretAsAnswer().Names)); len(names) > 0 {
		return names[0]
	}
	return ""
}

// ErrorIsCertain reports whether an error can be no other than the one of its name. A
// status of HTTP or gRPC may be that of several.
func (v Value) ErrorIsCertain() bool { return len(v.interpretAsAnswer().Names) == 1 }

// ErrorNames returns all of the dialect's names for the error that an answer may be: if it
// has no more than a status, those that go with it.
func (v Value) ErrorNames() []string {
	v.ErrorCode().Exists()
	if v.doc == nil {
		return nil
	}
	return binding.PossibleErrorNames(v.t.Case.BindingOf(v.doc.Play, v.doc.Step), v.doc.Exchange, v.interpretAsAnswer())
}

// MayRefuse reports whether an error may be one of those names and does not say which error
// it is: it has a status that several errors share, and no reason. An error that the dialect
// gives no reason is known by its status, unless the server leaves out reasons elsewhere.
func (v Value) MayRefuse(names ...string) bool {
	if v.doc == nil || v.t.Case.BindingOf(v.doc.Play, v.doc.Step).Kind() == schema.KindJSONRPC || binding.TellsReason(v.interpretAsAnswer()) {
		return false
	}
	shares := slices.ContainsFunc(v.ErrorNames(), func(n string) bool { return slices.Contains(names, n) })
	return shares && (v.ErrorName() == "" || v.t.leavesReasonsOut())
}

// leavesReasonsOut reports whether the server answers with an error that can only be one
// which has a reason, and does not give that.
func (t *T) leavesReasonsOut() bool {
	for _, v := range t.All(ReplyText, EventText) {
		names := v.interpretAsAnswer().Names
		if len(names) == 0 {
			names = v.ErrorNames()
		}
		owed := len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return t.Case.Dialect.Errors[n].Reason == "" })
		if owed && v.Failure().IsObject() && !binding.TellsReason(v.interpretAsAnswer()) {
			return true
		}
	}
	return false
}

// Sent returns the call that a step made, as it was recorded.
func (s Step) Sent() binding.Sent { return s.t.Case.BindingOf(s.Play, s.Step).Sent(s.Exchange) }

// Title returns the name of what a step asked for in the binding in which it travelled.
func (s Step) Title() string { return cmp.Or(s.t.Case.BindingOf(s.Play, s.Step).Title(s.Op), s.Op) }

// Sent returns the call that a text answers, as it was recorded.
func (v Value) Sent() binding.Sent {
	return v.t.Case.BindingOf(v.doc.Play, v.doc.Step).Sent(v.doc.Exchange)
}

// Binding returns the binding that is judged here.
func (c *Case) Binding() binding.Binding { return c.binding }
