package judge

import (
	"cmp"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/schema"
)

// The parts of an answer. A check names them by these, so that none knows how a
// binding wraps what it carries.

// answer is the value read as an answer: a whole text, or an element of a list of
// answers.
func (v Value) answer() binding.Answer {
	switch {
	case v.said == nil:
		return binding.Answer{}
	case v.ptr == "":
		return v.said.Answer
	case v.said.Answer.Listed && v.t != nil:
		return v.t.Case.by(v.said.Play, v.said.Step).Event(v.said.Op, v.node).AsResponse()
	}
	return binding.Answer{}
}

// part is a part of the answer that the value is.
func (v Value) part(of binding.View) Value {
	return Value{t: v.t, said: v.said, node: of.Node, ptr: v.ptr + of.At, why: v.why}
}

// Result is what an operation gave.
func (v Value) Result() Value { return v.part(v.answer().Result) }

// Failure is the error by which an operation was refused.
func (v Value) Failure() Value { return v.part(v.answer().Failure) }

// ErrorCode is the member by which the binding says which error it is.
func (v Value) ErrorCode() Value { return v.part(v.answer().Code) }

// ErrorMessage is what the error says for people.
func (v Value) ErrorMessage() Value { return v.part(v.answer().Message) }

// ErrorDetails is what an error tells besides, at a pointer inside of it.
func (v Value) ErrorDetails(at string) Value { return v.part(v.answer().Details).At(at) }

// ID is the id of the call that an answer names.
func (v Value) ID() Value { return v.part(v.answer().ID) }

// Version is the version of the envelope that an answer states.
func (v Value) Version() Value { return v.part(v.answer().Version) }

// Marked reports whether an answer bears the sign of its binding.
func (v Value) Marked() bool {
	if v.answer().Envelope.Exists() {
		v.Version().Exists()
	}
	return v.answer().Marked
}

// IsResponse reports whether a text is an answer of its binding, and no other JSON.
func (v Value) IsResponse() bool {
	if v.Marked() {
		return true
	}
	v.Result().Exists()
	v.ErrorCode().Exists()
	return v.answer().IsResponse()
}

// Words are how people call what comes back in the binding that is judged.
func (t *T) Words() binding.Words { return binding.WordsOf(t.Case.binding) }

// Words are how people call what comes back in the binding by which the value came.
func (v Value) Words() binding.Words { return binding.WordsOf(v.t.Case.by(v.said.Play, v.said.Step)) }

// Refuses reports whether an answer is one of the errors, by the dialect's names.
func (v Value) Refuses(names ...string) bool {
	v.ErrorCode().Exists()
	return v.answer().Refuses(names...)
}

// ErrorName is the dialect's name for the error that an answer is, or "".
func (v Value) ErrorName() string {
	v.ErrorCode().Exists()
	if names := slices.Sorted(slices.Values(v.answer().Names)); len(names) > 0 {
		return names[0]
	}
	return ""
}

// ErrorIsCertain reports whether an error can be no other than the one of its name. A
// status of HTTP or gRPC may be that of several.
func (v Value) ErrorIsCertain() bool { return len(v.answer().Names) == 1 }

// ErrorNames are all of the dialect's names for the error that an answer may be: where it
// says no more than a status, those that go with it.
func (v Value) ErrorNames() []string {
	v.ErrorCode().Exists()
	if v.said == nil {
		return nil
	}
	return binding.CouldMatch(v.t.Case.by(v.said.Play, v.said.Step), v.said.Exchange, v.answer())
}

// MayRefuse reports whether an error may be one of those names and does not say which error
// it is: it has a status that several errors share, and no reason. An error that the dialect
// gives no reason is known by its status, unless the server leaves out reasons elsewhere.
func (v Value) MayRefuse(names ...string) bool {
	if v.said == nil || v.t.Case.by(v.said.Play, v.said.Step).Kind() == schema.KindJSONRPC || binding.TellsReason(v.answer()) {
		return false
	}
	shares := slices.ContainsFunc(v.ErrorNames(), func(n string) bool { return slices.Contains(names, n) })
	return shares && (v.ErrorName() == "" || v.t.leavesReasonsOut())
}

// leavesReasonsOut reports whether the server answers with an error that can only be one
// which has a reason, and does not give that.
func (t *T) leavesReasonsOut() bool {
	for _, v := range t.All(ReplyText, EventText) {
		names := v.answer().Names
		if len(names) == 0 {
			names = v.ErrorNames()
		}
		owed := len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return t.Case.Dialect.Errors[n].Reason == "" })
		if owed && v.Failure().IsObject() && !binding.TellsReason(v.answer()) {
			return true
		}
	}
	return false
}

// Sent is the call that a step made, as it was recorded.
func (s Step) Sent() binding.Sent { return s.t.Case.by(s.Play, s.Step).Sent(s.Exchange) }

// Title is how people call what a step asked for in the binding by which it travelled.
func (s Step) Title() string { return cmp.Or(s.t.Case.by(s.Play, s.Step).Title(s.Op), s.Op) }

// Sent is the call that a text answers, as it was recorded.
func (v Value) Sent() binding.Sent {
	return v.t.Case.by(v.said.Play, v.said.Step).Sent(v.said.Exchange)
}

// Binding is how what is judged here travelled.
func (c *Case) Binding() binding.Binding { return c.binding }
