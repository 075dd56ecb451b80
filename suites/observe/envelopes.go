package observe

import (
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
)

// Enveloped expects the answer to have the id of the call if its binding has an envelope. If it
// has none, the answer as such is the evidence.
func Enveloped(t *judge.T, v judge.Value) {
	if sent := v.Sent(); sent.Framed {
		t.Expect(v.ID()).To(BeNode(sent.ID))
		return
	}
	t.OK(v)
}

// ToldError expects an error in an event to be well formed. Its code is an integer if there is an
// envelope; otherwise the binding defines the form of an error.
func ToldError(t *judge.T, v judge.Value) {
	if v.Sent().Framed {
		t.Expect(v.ErrorCode()).To(match.Should("an integer code in the error", func(v judge.Value) bool { _, ok := v.Int(); return ok }, nil))
	}
	t.Expect(v.ErrorMessage()).To(match.BeAString())
}
