package rpc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// checkRefused only counts a refusal if the valid call that belongs to it was accepted.
func checkRefused(t *judge.T, p observe.RefusalParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		if match.IsHollow(s.Reply()) { // no refusal, whatever came of the valid call
			t.Expect(s.Reply()).To(beRefused(t, p))
		}
		observe.StopIfRefusedLikeValidCalls(t, s)
		if p.HTTP && s.Exchange.Status() >= 400 && !s.Exchange.IsStream() && !s.Reply().Failure().IsObject() {
			t.OK(s.Head())
			return
		}
		reply := s.Reply()
		observe.StopVacuousIfRefusedWith(t, reply, p.Unless)
		if acceptIfToleratedError(t, reply, p.Tolerated) || p.TolerateIfAccepted(t, s) {
			return
		}
		if s.Accepted() && s.Invalid {
			t.Expect(reply).Because("%s", citeOtherSectionRequiringRefusal(t, s)).To(match.BeRPCError(t, p.Codes...))
		}
		t.Expect(reply).Because("%s", observe.ListedTypes(t, p.Codes)).To(beRefused(t, p))
		if len(p.Usual) > 0 && !reply.Refuses(p.Usual...) {
			t.Finding(reply.ErrorCode(), "the server refuses it with %s, where %s is usual", match.CodeOf(reply), strings.Join(p.Usual, " or "))
		}
	})
}

// beRefused is satisfied by one of the codes or, if only usual ones are named, by any error
// except an internal one.
func beRefused(t *judge.T, p observe.RefusalParams) match.Matcher {
	if len(p.Usual) == 0 {
		return match.BeRPCError(t, p.Codes...)
	}
	return match.Should("an error that refuses the call, such as "+match.BeRPCError(t, p.Usual...).Due, func(v judge.Value) bool {
		return match.IsError(v) && !v.Refuses("InternalError")
	}, match.Outcome)
}

// citeOtherSectionRequiringRefusal names the section that requires the refusal, if it is another than the one
// that is judged.
func citeOtherSectionRequiringRefusal(t *judge.T, s judge.Step) string {
	place, _, _ := strings.Cut(observe.FindSourceRequiringRefusal(t, s), " (")
	if place == "" || strings.Contains(t.Requirement.Section, strings.TrimPrefix(place, "§")) {
		return ""
	}
	return place + " asks for the refusal"
}

func acceptIfToleratedError(t *judge.T, reply judge.Value, names []string) bool {
	if !match.IsError(reply) {
		return false
	}
	for _, n := range names {
		if reply.Refuses(n) {
			t.Finding(reply.ErrorCode(), "the server answers %s, which is tolerated", t.Case.Binding().Sign(n))
			t.OK(reply)
			return true
		}
	}
	return false
}

// checkRefusalHasRequiredCode judges the code of refusals only: another requirement judges that there is an
// error. A response with neither a result nor an error lacks the code too.
func checkRefusalHasRequiredCode(t *judge.T, p observe.RefusalParams) {
	of := judge.Filter(t.Steps(p.Steps), func(s judge.Step) bool {
		return s.Exchange.Answered() && (match.IsError(s.Reply()) || match.IsHollow(s.Reply())) && !refusesUnclaimedFeature(t, s, p.Unless)
	})
	judge.Each(t, of, func(s judge.Step) {
		observe.StopIfRefusedLikeValidCalls(t, s)
		reply := s.Reply()
		if acceptIfToleratedError(t, reply, p.Tolerated) {
			return
		}
		t.Expect(reply).To(match.BeRPCError(t, p.Codes...))
	})
}

// refusesUnclaimedFeature reports whether a refusal names a missing feature that the call needs,
// and the card does not claim that feature either.
func refusesUnclaimedFeature(t *judge.T, s judge.Step, names []string) bool {
	feature := t.Case.Dialect.Operation(s.Op).Claim
	return (feature == "push" || feature == "streaming") && s.Reply().Refuses(names...) && !t.Case.Claimed(feature)
}

type internalParams struct {
	observe.OnPlays
	Except []string `json:"except"` // steps whose fault no type shows: an internal error is a finding only
}

// checkMalformedNotInternalError is undecided if the valid call that belongs to the malformed one fails in
// the same way, since the server may be at fault then.
func checkMalformedNotInternalError(t *judge.T, p internalParams) {
	const internal = "InternalError"
	sign, _, _ := strings.Cut(t.Case.Binding().Sign(internal), " (")
	var of []judge.Value
	spared := ""
	for _, v := range t.All(judge.ReplyText, judge.EventText) {
		s := v.Document().Step
		if !s.Invalid || !v.ErrorCode().Exists() {
			continue
		}
		name := v.Document().Play.Scenario + "/" + s.Twin
		if twin, ok := t.Find(name); ok {
			if twin.Reply().Refuses(internal) {
				spared = observe.DescribeControlRequest(twin.Play, s.Twin)
				continue
			}
		}
		of = append(of, v)
	}
	if len(of) == 0 && spared != "" {
		t.StopUndecided("the control request, which is valid, was answered with the code %[2]s too (%[1]s)", spared, sign)
	}
	judge.Each(t, of, func(v judge.Value) {
		if v.Refuses(internal) && slices.Contains(p.Except, v.Document().Play.Scenario+"/"+v.Document().Step.Name) {
			t.Finding(v.ErrorCode(), "the server answers code %s in %s/%s", sign, v.Document().Play.Scenario, v.Document().Step.Name)
			t.OK(v)
			return
		}
		bad := v.Refuses(internal)
		t.Expect(v.ErrorCode()).To(match.Should(fmt.Sprintf("another code than %s, since the call is malformed and the server is not at fault", t.Case.Binding().Sign(internal)),
			func(judge.Value) bool { return !bad }, func(v judge.Value) string { return "answered with error " + v.Shown() + " (InternalError)" }))
	})
}

// checkUnknownTaskNotServed accepts an error and, if the dialect has such a state, a task whose state is
// "unknown".
func checkUnknownTaskNotServed(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	reply := s.Reply()
	if r := reply.Result(); match.Present(r) {
		state := r.Read("task.state")
		t.Expect(state).To(match.Should("an error, or a task whose state says that it is unknown", func(v judge.Value) bool { return observe.IsUnknownState(t, v) }, func(v judge.Value) string {
			return "reported a task in state " + v.Shown() + " for an id never used"
		}))
		return
	}
	t.Expect(reply).To(match.BeRPCError(t))
}

type finishedParams struct {
	Scenario string `json:"scenario"`
	Step     string `json:"step" step:"{scenario}/{}"` // the call about the ended task
	Then     string `json:"then" step:"{scenario}/{}"` // the look-up after it
}

// checkEndedTaskKeepsState accepts an error as well as the unchanged task.
func checkEndedTaskKeepsState(t *judge.T, p finishedParams) {
	s := t.Step(p.Scenario + "/" + p.Step)
	before := findEndedState(t, s.Play)
	same := match.Should("the state to remain "+before.Shown(), before.Equal, func(v judge.Value) string {
		return "reported state " + v.Shown() + " for a task that had ended"
	})
	if r := s.Reply().Result(); match.Present(r) {
		if _, word := t.Case.Dialect.Pointer(s.Op, "task.canceled"); word {
			t.Expect(r.Read("task.canceled")).ComparedWith(before).NotTo(match.InsteadOf(match.Should("true", judge.Value.True, nil), "no confirmation, since the task had ended before"))
		} else {
			t.Expect(r.Read("task.state")).ComparedWith(before).To(same)
		}
	}
	t.Expect(t.Step(p.Scenario + "/" + p.Then).Result().Read("task.state")).ComparedWith(before).To(same)
}

// findEndedState returns the state in which the task of a play ended.
func findEndedState(t *judge.T, p *record.Play) judge.Value {
	i := slices.IndexFunc(p.Reached, func(m record.Milestone) bool { return m.Name == "ended" })
	observe.StopUndecidedIf(t, i < 0, "the task of %s did not end", p.Scenario)
	return t.Step(p.Scenario + "/" + p.Reached[i].Step).Result().Read("task.state")
}

type dataPlace struct {
	At string `json:"at"` // in the error
}

// checkErrorDataIDMatches compares ids as text, since a number may be written as a string. It skips calls
// without a readable id.
func checkErrorDataIDMatches(t *judge.T, p dataPlace) {
	text := func(n *record.Node) string {
		if n != nil && n.Kind == record.Number {
			return n.Number
		} else if n != nil && n.Kind == record.String {
			return n.String
		}
		return ""
	}
	var of []judge.Value
	for _, v := range observe.ErrorReplies(t) {
		if sent := text(v.Sent().ID); match.Present(v.Failure().At(p.At)) && sent != "" {
			of = append(of, v.Failure().At(p.At))
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		sent := text(v.Sent().ID)
		t.Expect(v).To(match.Should("the id of the call, "+shorten.Visible(sent, 80), func(v judge.Value) bool { return text(v.Node()) == sent }, nil))
	})
}

// isNamedCode reports whether the sources name a code.
func isNamedCode(t *judge.T, code judge.Value) bool {
	n, _ := code.Int()
	for name := range t.Case.Dialect.Errors {
		if known, _ := t.Case.Dialect.Code(name); known == n {
			return true
		}
	}
	return false
}

type codeRangeParams struct {
	observe.OnPlays
	Permitted bool `json:"permitted"` // the source permits codes that it does not name; a code out of range uses no permission
}

func checkStandardOrServerCode(t *judge.T, p codeRangeParams) {
	standard := []string{"ParseError", "InvalidRequest", "MethodNotFound", "InvalidParams", "InternalError"}
	var codes []int
	for _, n := range standard {
		code, _ := t.Case.Dialect.Code(n)
		codes = append(codes, code)
	}
	within := func(code judge.Value) bool {
		n, _ := code.Int()
		return slices.Contains(codes, n) || n >= -32099 && n <= -32000
	}
	of := judge.Filter(judge.Map(observe.ErrorReplies(t), judge.Value.ErrorCode), func(code judge.Value) bool {
		_, ok := code.Int() // another requirement judges its type
		return ok && (!p.Permitted || within(code) && !isNamedCode(t, code))
	})
	if len(of) == 0 && p.Permitted {
		t.StopUnused("every error has one of the codes that are named")
	}
	judge.Each(t, of, func(code judge.Value) {
		t.Expect(code).To(match.Should("a standard JSON-RPC code or one from -32099 to -32000", within,
			func(v judge.Value) string { return "answered with error " + v.Shown() }))
	})
}

// checkServedAfterMalformedCalls requires a result of one valid call on a fresh connection after each block of
// malformed calls.
func checkServedAfterMalformedCalls(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		scenario := s.Play.Scenario
		twin := t.Step(scenario + "/twin")
		if !twin.Accepted() && !twin.Exchange.IsStream() && !observe.IsRefusedForTask(t, twin) {
			t.StopUndecided("the valid call before the malformed ones (conversation %s) was not accepted either", scenario)
		}
		known := observe.IsAboutTask(t, s) && observe.IsTaskUnknown(t, s) // a task that is gone was looked for all the same
		plain, ok := t.Find("quick/send")
		switch {
		case s.Exchange.IsStream(), known,
			s.Op == twin.Op && observe.IsRefusedForTask(t, twin) && observe.HaveSameRefusal(twin, s),
			ok && s.Op == plain.Op && !plain.Accepted() && observe.HaveSameRefusal(plain, s): // it was refused so before
			t.OK(s.Head())
			return
		}
		t.Expect(s.Reply()).To(match.BeAResult())
	})
}
