package observe

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
)

// A refusal counts only in comparison with a valid call, which shows that the server accepts such
// calls: a refusal of everything proves nothing.

// RequireControlAccepted ends the check undecided unless the control request of a step, which is valid,
// shows that the server accepts such calls. A call about a task may be refused because of that
// task alone, which shows that the endpoint reads and dispatches it: then that call is returned,
// and a refusal has to differ from it.
func RequireControlAccepted(t *judge.T, s judge.Step) (refusedForTask *judge.Step) {
	if s.Twin == "" {
		return nil
	}
	valid := t.Step(s.Play.Scenario + "/" + s.Twin)
	switch {
	case valid.Exchange.IsStream() && !match.IsError(valid.Reply()), valid.Accepted():
		return nil
	case IsRefusedForTask(t, valid):
		return &valid
	}
	came := "was not accepted either"
	if match.IsError(valid.Reply()) || valid.Exchange.Status()/100 == 4 {
		came = "was refused too"
	}
	t.StopUndecided("the control request, which is valid, %s (%s): %s", came, DescribeControlRequest(s.Play, s.Twin), valid.Outcome())
	return nil
}

// DescribeControlRequest returns the name of a control request for people. Most have no name of their own,
// and are found by their conversation.
func DescribeControlRequest(p *record.Play, name string) string {
	if name == "twin" {
		return "conversation " + p.Scenario
	}
	return p.Scenario + "/" + name
}

// StopIfRefusedLikeValidCalls is RequireControlAccepted for checks that decide by the refusal itself. If the control request
// was refused for its task, and the step in the very same way, the task may be the reason for
// both if the step names it at all.
func StopIfRefusedLikeValidCalls(t *judge.T, s judge.Step) {
	StopIfTaskGone(t, s)
	if valid := RequireControlAccepted(t, s); valid != nil {
		StopIfRefusedLikeControl(t, *valid, s)
	}
	if plain, ok := AllPlainCallsRefusedAlike(t, s); ok {
		t.StopUndecided("the call %s/%s was refused like a plain call of the operation (%s/%s): %s", s.Play.Scenario, s.Name, plain.Play.Scenario, plain.Name, s.Outcome())
	}
}

// AllPlainCallsRefusedAlike reports whether a step was refused as the server refuses every plain call of the
// operation, and returns one of these. It applies only if the control request of the step is of
// another operation.
func AllPlainCallsRefusedAlike(t *judge.T, s judge.Step) (plain judge.Step, ok bool) {
	if beside, found := t.Find(s.Play.Scenario + "/" + s.Twin); s.Twin == "" || !found || beside.Op == s.Op || !match.IsError(s.Reply()) {
		return judge.Step{}, false
	}
	for p, o := range TranscriptSteps(t) {
		if o.Op != s.Op || o.Role != record.Main || o.As != s.As || o.Invalid || o.Contradicts {
			continue
		}
		one, made := t.Find(p.Scenario + "/" + o.Name)
		if !made {
			continue
		}
		if one.Accepted() || !HaveSameRefusal(one, s) {
			return judge.Step{}, false
		}
		plain, ok = one, true
	}
	return plain, ok
}

// StopIfRefusedLikeControl ends the check undecided if a step was refused in the same way as its control request,
// and names the task for which that was refused.
func StopIfRefusedLikeControl(t *judge.T, valid, s judge.Step) {
	if valid.Task != "" && !valid.Accepted() && !s.Accepted() && HaveSameRefusal(valid, s) && Mentions(callBody(s), valid.Task) {
		t.StopUndecided("the call %s/%s was refused like the control request, which is valid, so the task may be the reason: %s", s.Play.Scenario, s.Name, s.Outcome())
	}
}

// IsInternalError reports whether a call was answered as a fault inside the agent.
func IsInternalError(t *judge.T, s judge.Step) bool {
	return match.IsError(s.Reply()) && s.Reply().Refuses("InternalError")
}

// StopIfFailedInside ends the check undecided if a message failed inside the agent, such as an agent
// without its model: that does not show how the message would be answered.
func StopIfFailedInside(t *judge.T, s judge.Step) {
	if t.Case.Dialect.Operation(s.Op).Agent && IsInternalError(t, s) {
		t.StopUndecided("the call %s/%s failed inside the agent: %s", s.Play.Scenario, s.Name, s.Outcome())
	}
}

// malformedCallErrors are the errors for a call that is malformed or unknown, or that met with a
// fault inside the agent.
var malformedCallErrors = []string{"ParseError", "InvalidRequest", "InvalidParams", "MethodNotFound", "InternalError"}

// ExpectNotRefusedAsMalformed fails the check if a valid call was refused as if it were malformed, or was
// answered by an internal error. Any other error may have a reason that is the server's to
// give, and an agent that fails inside need not be one that refuses.
func ExpectNotRefusedAsMalformed(t *judge.T, s judge.Step) {
	reply := s.Reply()
	if !match.IsError(reply) {
		return
	}
	StopIfFailedInside(t, s)
	others := slices.DeleteFunc(slices.Collect(maps.Keys(t.Case.Dialect.Errors)),
		func(name string) bool { return slices.Contains(malformedCallErrors, name) })
	if !reply.Refuses(malformedCallErrors...) || reply.Refuses(others...) || reply.MayRefuse(others...) { // a status may be that of several errors
		return
	}
	t.Expect(reply).To(match.Should("a result, since the call is valid", func(judge.Value) bool { return false }, match.Outcome))
}

// IsAboutTask reports whether a call is about a task that is there already.
func IsAboutTask(t *judge.T, s judge.Step) bool {
	return t.Case.Dialect.Operation(s.Op).About == schema.AboutTask
}

// IsRefusedForTask reports whether a valid call was refused for nothing but the
// task that it is about.
func IsRefusedForTask(t *judge.T, s judge.Step) bool {
	return IsAboutTask(t, s) && match.IsError(s.Reply()) && !s.Reply().Refuses(malformedCallErrors...)
}

// HaveSameError reports whether two calls were refused with the same code: what
// one of them shows is then not about what sets it apart.
func HaveSameError(a, b judge.Step) bool {
	one, ok := a.Reply().ErrorCode().Int()
	other, too := b.Reply().ErrorCode().Int()
	name, called := a.Reply().ErrorName(), b.Reply().ErrorName()
	if name != "" && called != "" { // several errors may have one code
		return name == called
	}
	return ok && too && one == other
}

// HaveSameRefusal reports whether two calls were refused in the same way: with the same code or, if there
// is none, with the same status and a body with the same members.
func HaveSameRefusal(a, b judge.Step) bool { return describeRefusal(a) == describeRefusal(b) }

// describeRefusal returns a text that distinguishes one way to refuse from others.
func describeRefusal(s judge.Step) string {
	if reply := s.Reply(); match.IsError(reply) {
		return "code " + reply.ErrorCode().Shown() + " " + reply.ErrorName()
	}
	return fmt.Sprintf("HTTP %d %s %s", s.Exchange.Status(), s.Exchange.Response.MediaType(), memberNames(s.Reply().Node()))
}

// memberNames returns the names of the members of a JSON object, in alphabetical order.
func memberNames(n *record.Node) string {
	if n == nil || n.Kind != record.Object {
		return ""
	}
	names := judge.Map(n.Members, func(m record.Member) string { return m.Name })
	slices.Sort(names)
	return strings.Join(names, ",")
}
