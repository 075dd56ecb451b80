package interfaces

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// An outcome is how a call was answered, so far as interfaces can be compared by it.
type outcome struct {
	served  bool
	unnamed bool     // the error does not say which of several it is
	names   []string // of the error, all that it may be
}

func readOutcome(s judge.Step) outcome {
	if s.Exchange.IsStream() && len(s.Events()) > 0 && !observe.BeginsWithError(s) || s.Accepted() {
		return outcome{served: true}
	}
	return outcome{names: s.Reply().ErrorNames(), unnamed: s.Reply().ErrorName() == ""}
}

// isSurelyRefusedWith reports whether the call was answered by one of the errors, whichever of those
// that it may be it is.
func (o outcome) isSurelyRefusedWith(by []string) bool {
	other := func(name string) bool { return !slices.Contains(by, name) }
	return len(o.names) > 0 && !slices.ContainsFunc(o.names, other)
}

// mayBeRefused reports whether the call was answered by an error that may be one of these,
// and does not say which error it is.
func (o outcome) mayBeRefused(by []string) bool {
	return o.unnamed && !o.isSurelyRefusedWith(by) && slices.ContainsFunc(o.names, func(name string) bool { return slices.Contains(by, name) })
}

// isOffer reports whether the answer shows that the operation is offered: it has a result, or
// an error that names something about a task, which only who offers it can know. Another
// error, such as one of parsing, comes before that.
func (o outcome) isOffer() bool {
	return o.served || len(o.names) > 0 && !slices.ContainsFunc(o.names, func(name string) bool { return !strings.Contains(name, "Task") })
}

func (o outcome) overlaps(other outcome) bool {
	return slices.ContainsFunc(o.names, func(name string) bool { return slices.Contains(other.names, name) })
}

// describe returns a phrase for the outcome.
func (o outcome) describe() string {
	switch {
	case o.served:
		return "a result"
	case len(o.names) == 0:
		return "no error of the protocol"
	}
	return strings.Join(o.names, " or ")
}

// isRefusedBeforeProcessing reports whether a call was turned away before it was asked what it is about.
func isRefusedBeforeProcessing(s judge.Step) bool {
	return slices.Contains([]int{407, 429}, s.Exchange.Standing()) || s.RefusesCaller() || s.Reply().Refuses("RateLimitExceeded")
}

type offeredParams struct {
	observe.Crossing
	Missing []string `json:"missing" names:"error"` // by which servers say that they do not offer what is asked
}

// checkSameOperationsOffered compares whether an operation is offered, and not how it went.
func checkSameOperationsOffered(t *judge.T, p offeredParams) {
	p.Each(t, func(one, other judge.Step) {
		a, b := readOutcome(one), readOutcome(other)
		lacksA, lacksB := a.isSurelyRefusedWith(p.Missing), b.isSurelyRefusedWith(p.Missing)
		unclear := lacksA && !lacksB && !b.isOffer() || lacksB && !lacksA && !a.isOffer()
		switch {
		case isRefusedBeforeProcessing(one) || isRefusedBeforeProcessing(other) || !a.served && len(a.names) == 0 || !b.served && len(b.names) == 0:
			t.StopUndecided("not every interface answered the call %s as the protocol says", nameCall(t, one))
		case a.mayBeRefused(p.Missing) || b.mayBeRefused(p.Missing):
			t.StopUndecided("an interface refused the call %s with an error that does not say which error it is: %s, and %s", nameCall(t, one), a.describe(), b.describe())
		case unclear:
			t.StopUndecided("one interface does not offer the call %s, and the other says neither that it does nor that it does not (%s and %s)", nameCall(t, one), a.describe(), b.describe())
		case lacksA && !lacksB:
			t.Fail(one.Reply(), "does not offer "+nameCall(t, one)+": "+a.describe()+"; it offers "+nameCall(t, other)+": "+b.describe(), expectedAtEachInterface(t, one, other, "the same operations"), other.Reply())
		case lacksB && !lacksA:
			t.Fail(other.Reply(), "does not offer "+nameCall(t, other)+": "+b.describe()+"; it offers "+nameCall(t, one)+": "+a.describe(), expectedAtEachInterface(t, one, other, "the same operations"), one.Reply())
		case lacksA && !a.overlaps(b):
			t.Fail(other.Reply(), "answered "+nameCall(t, other)+" with "+b.describe()+", and "+nameCall(t, one)+" with "+a.describe(), expectedAtEachInterface(t, one, other, "the same error for what is not offered"), one.Reply())
		}
		t.OK(one.Reply())
		t.OK(other.Reply())
	})
}

// nameCall names what a step asked for as people call it in its binding.
func nameCall(t *judge.T, s judge.Step) string {
	return s.Title() + " (" + observe.BindingName(t, s) + ")"
}

func expectedAtEachInterface(t *judge.T, one, other judge.Step, what string) string {
	return what + " at each interface, " + observe.DescribeBindings(t, one, other)
}

// checkSameError is undecided if all interfaces serve the call. A call that one serves and
// another refuses is a mistake at one of them only.
func checkSameError(t *judge.T, p observe.Crossing) {
	p.Each(t, func(one, other judge.Step) {
		a, b := readOutcome(one), readOutcome(other)
		switch {
		case a.served && b.served:
			t.StopUndecided("no interface refused the call %s", nameCall(t, one))
		case isRefusedBeforeProcessing(one) || isRefusedBeforeProcessing(other) || !a.served && len(a.names) == 0:
			t.StopUndecided("not every interface answered the call %s as the protocol says", nameCall(t, one))
		case !a.overlaps(b):
			t.Fail(other.Reply(), "answered with "+b.describe()+", and at the other interface with "+a.describe(), expectedAtEachInterface(t, one, other, "a mistake to be the same error"), one.Reply())
		}
		t.OK(one.Reply())
		t.OK(other.Reply())
	})
}

// checkSameCredentialsAccepted accepts refusals for other reasons than the identity of the caller.
func checkSameCredentialsAccepted(t *judge.T, p observe.Crossing) {
	p.Each(t, func(one, other judge.Step) {
		if isRefusedBeforeProcessing(one) || !match.IsError(one.Reply()) && one.Exchange.Standing() >= 500 {
			t.StopUndecided("the server did not accept the credentials in the call %s", nameCall(t, one))
		}
		if other.RefusesCaller() {
			t.Fail(other.Reply(), "refuses the credentials that it took at the other interface", expectedAtEachInterface(t, one, other, "what a client logs in with to be good"), one.Reply())
		}
		t.OK(one.Reply())
		t.OK(other.Reply())
	})
}
