package observe

import (
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
)

// Enveloped judges what an envelope adds to a sentence that holds in any binding: the
// answer has the id of the call. Where there is none, that it came is what was looked at.
func Enveloped(t *judge.T, v judge.Value) {
	if sent := v.Sent(); sent.Framed {
		t.Expect(v.ID()).To(BeNode(sent.ID))
		return
	}
	t.OK(v)
}

// ToldError judges an error that an event brings. Its code is an integer where there
// is an envelope; else the binding says how an error is told.
func ToldError(t *judge.T, v judge.Value) {
	if v.Sent().Framed {
		t.Expect(v.ErrorCode()).To(match.Should("an integer code in the error", func(v judge.Value) bool { _, ok := v.Int(); return ok }, nil))
	}
	t.Expect(v.ErrorMessage()).To(match.BeAString())
}
