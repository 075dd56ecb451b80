package observe

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
)

// ExpectCallID expects the answer to have the id of the call if its binding has an envelope. If it
// has none, the answer as such is the evidence.
func ExpectCallID(t *judge.T, v judge.Value) {
	if sent := v.Sent(); sent.Framed {
		t.Expect(v.ID()).To(BeNode(sent.ID))
		return
	}
	t.OK(v)
}

// ExpectErrorForm expects an error in an event to be well formed. Its code is an integer if there is an
// envelope; otherwise the binding defines the form of an error.
func ExpectErrorForm(t *judge.T, v judge.Value) {
	if v.Sent().Framed {
		t.Expect(v.ErrorCode()).To(match.Should("an integer code in the error", func(v judge.Value) bool { _, ok := v.Int(); return ok }, nil))
	}
	t.Expect(v.ErrorMessage()).To(match.BeAString())
}

// BeNode is satisfied by the same JSON value.
func BeNode(want *record.Node) match.Matcher {
	return match.Should("the id of the call, "+DescribeNode(want), func(v judge.Value) bool {
		n := v.Node()
		return n != nil && want != nil && n.Equal(want)
	}, nil)
}

// DescribeNode returns a JSON value in short, for people.
func DescribeNode(n *record.Node) string {
	if n == nil {
		return "nothing"
	}
	switch n.Kind {
	case record.String:
		return shorten.Visible(fmt.Sprintf("%q", n.String), 80)
	case record.Number:
		return shorten.Visible(n.Number, 80)
	}
	return shorten.Visible(fmt.Sprint(n.Interface()), 80)
}

// ReadableID returns the id of the call that a text of the server answers, a string or a number.
// It returns nil if no answer needs the id: to a batch, to an invalid call, which other
// requirements cover, to a call that contradicts what was agreed on before, or if the answer has
// no id at all, which its shape covers.
func ReadableID(v judge.Value) *record.Node {
	doc := v.Exchange().Call()
	if !IsAnswerToJSONPost(v) || v.Document().Step.Contradicts || len(doc.Faults) > 0 || doc.Root == nil || doc.Root.Kind != record.Object || !v.ID().Exists() {
		return nil
	}
	ours := v.Sent()
	if !ours.Sound {
		return nil
	}
	id := ours.ID
	if id == nil || id.Kind != record.String && id.Kind != record.Number {
		return nil
	}
	return id
}

// RequirePlainAccepted ends the check undecided unless the call was accepted without
// what it is about.
func RequirePlainAccepted(t *judge.T, scenario string) {
	if plain := t.Step(scenario + "/plain"); !plain.Accepted() {
		t.StopUndecided("the plain counterpart of this call (%s/plain) was not accepted either: %s", scenario, plain.Outcome())
	}
}
