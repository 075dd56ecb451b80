package suites

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

var errorChecks = []judge.Check{
	judge.Define("errors/refused", "a call is refused, with one of the named errors", refused),
	judge.Define("errors/code", "the error of a refused call has one of the named codes", errorCode),
	judge.Define("errors/no-internal", "no malformed call is answered as a fault of the server", noInternal),
	judge.Define("errors/unknown-task", "a call about a task that never was does not report an ordinary task", unknownTask),
	judge.Define("errors/stays-finished", "a call does not change the state of a task that has ended", staysFinished),
	judge.Define("errors/code-range", "every error code is a standard one or within the server's range", codeRange),
	judge.Define("errors/request-id", "the id of the call in the data of an error is that of the call", requestID),
	judge.Define("errors/alive", "the server goes on serving after malformed calls", alive),
}

type refusalParams struct {
	onSteps
	Codes     []string `json:"codes" names:"error"`     // accepted errors; any error if empty
	Usual     []string `json:"usual" names:"error"`     // where any error is accepted: those that are no finding
	Tolerated []string `json:"tolerated" names:"error"` // accepted with a finding
	HTTP      bool     `json:"http"`                    // an HTTP 4xx or 5xx without JSON-RPC body is a refusal too
	Accepted  bool     `json:"accepted"`                // a result is a finding only
	// AcceptedIn lists the steps in which a result is a finding only.
	AcceptedIn []string `json:"acceptedIn"`
	Unless     []string `json:"unless" names:"error"` // errors that say that the server lacks what the sentence is about
}

// refused: a refusal counts only beside an accepted twin.
func refused(t *judge.T, p refusalParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		if isHollow(s.Reply()) { // no refusal, whatever came of the valid call
			t.Expect(s.Reply()).To(beRefused(t, p))
		}
		ownRefusal(t, s)
		if p.HTTP && s.Exchange.Status() >= 400 && !s.Exchange.IsStream() && !s.Reply().Failure().IsObject() {
			t.OK(s.Head())
			return
		}
		reply := s.Reply()
		lacking(t, reply, p.Unless)
		if tolerated(t, reply, p.Tolerated) || p.takes(t, s) {
			return
		}
		if s.Accepted() && s.Invalid {
			t.Expect(reply).Because("%s", refusalDue(t, s)).To(BeRPCError(t, p.Codes...))
		}
		t.Expect(reply).To(beRefused(t, p))
		if len(p.Usual) > 0 && !isRefusal(t, reply, p.Usual) {
			t.Finding(reply.ErrorCode(), "the server refuses it with %s, where %s is usual", codeOf(reply), strings.Join(p.Usual, " or "))
		}
	})
}

// lacking ends the check where an error says that the server does not have what
// the sentence is about.
func lacking(t *judge.T, reply judge.Value, names []string) {
	if isError(reply) && isRefusal(t, reply, names) {
		t.OK(reply)
		t.Vacuous("the server %s", outcome(reply))
	}
}

// beRefused is satisfied by one of the codes. Where any will do, that the server
// failed over the call is no refusal of it.
func beRefused(t *judge.T, p refusalParams) matcher {
	if len(p.Usual) == 0 {
		return BeRPCError(t, p.Codes...)
	}
	return matcher{"an error that refuses the call, such as " + BeRPCError(t, p.Usual...).wants, func(v judge.Value) bool {
		return isError(v) && !isRefusal(t, v, []string{"InternalError"})
	}, outcome}
}

// takes reports whether the call was accepted in a way that is a finding only:
// where the sentence says so, and where no sentence of the source asks for the
// refusal of what is malformed.
func (p refusalParams) takes(t *judge.T, s judge.Step) bool {
	if !s.Accepted() && !present(s.Reply().Result()) {
		return false
	}
	result := s.Reply().Result()
	state := result.Read("task.state")
	name := s.Play.Scenario + "/" + s.Name
	if !p.Accepted && !slices.Contains(p.AcceptedIn, name) && (!s.Invalid || obliges(t, s) != "") {
		return false
	}
	t.Finding(result, "the server accepts the call instead of refusing it%s", inState(state))
	t.OK(result)
	return true
}

func inState(state judge.Value) string {
	if !state.IsString() {
		return ""
	}
	return " (state " + state.Shown() + ")"
}

// refusalDue names the sentence that asks for a refusal, where it is another than
// the one that is judged.
func refusalDue(t *judge.T, s judge.Step) string {
	place, _, _ := strings.Cut(obliges(t, s), " (")
	if place == "" || strings.Contains(t.Requirement.Section, strings.TrimPrefix(place, "§")) {
		return ""
	}
	return place + " asks for the refusal"
}

// obliges is the sentence that asks for the refusal of a malformed call: of its
// envelope JSON-RPC's own, of its params the source's, if it has one.
func obliges(t *judge.T, s judge.Step) string {
	ours := s.Sent()
	id, params := ours.ID, ours.Params
	sound := !ours.Framed || ours.Sound && (id == nil || id.Kind == wire.String || id.Kind == wire.Number || id.Kind == wire.Null)
	if !sound || params != nil && params.Kind != wire.Object {
		return "JSON-RPC 2.0, section 4"
	}
	if ours.Op == "" {
		return "JSON-RPC 2.0, section 5.1"
	}
	return t.Case.Dialect.Validation
}

func tolerated(t *judge.T, reply judge.Value, names []string) bool {
	if !isError(reply) {
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

// errorCode judges the code where there is an error: that there must be one is
// another requirement. A response with neither result nor error lacks the code
// too.
func errorCode(t *judge.T, p refusalParams) {
	var of []judge.Step
	for _, s := range t.Steps(p.Steps) {
		if s.Exchange.Answered() && (isError(s.Reply()) || isHollow(s.Reply())) && !unclaimedFeature(t, s, p.Unless) {
			of = append(of, s)
		}
	}
	judge.Each(t, of, func(s judge.Step) {
		ownRefusal(t, s)
		reply := s.Reply()
		if tolerated(t, reply, p.Tolerated) {
			return
		}
		t.Expect(reply).To(BeRPCError(t, p.Codes...))
	})
}

// unclaimedFeature reports whether a refusal says that the server lacks what the
// call takes, and the card does not claim that either.
func unclaimedFeature(t *judge.T, s judge.Step, names []string) bool {
	feature := t.Case.Dialect.Operation(s.Op).Claim
	return (feature == "push" || feature == "streaming") && isRefusal(t, s.Reply(), names) && !t.Case.Claimed(feature)
}

type internalParams struct {
	onPlays
	Except []string `json:"except"` // steps whose fault no type shows: an internal error is a finding only
}

// noInternal: where the valid call beside it fails in the same way, the fault may
// well be the server's.
func noInternal(t *judge.T, p internalParams) {
	const internal = "InternalError"
	sign, _, _ := strings.Cut(t.Case.Binding().Sign(internal), " (")
	var of []judge.Value
	spared := ""
	for _, v := range t.All(judge.ReplyText, judge.EventText) {
		s := v.Said().Step
		if !s.Invalid || !v.ErrorCode().Exists() {
			continue
		}
		name := v.Said().Play.Scenario + "/" + s.Twin
		if twin, ok := t.Find(name); ok {
			if twin.Reply().Refuses(internal) {
				spared = name
				continue
			}
		}
		of = append(of, v)
	}
	if len(of) == 0 && spared != "" {
		t.Stopped("the valid call beside them (%s) was answered with the code %s as well", spared, sign)
	}
	judge.Each(t, of, func(v judge.Value) {
		if v.Refuses(internal) && slices.Contains(p.Except, v.Said().Play.Scenario+"/"+v.Said().Step.Name) {
			t.Finding(v.ErrorCode(), "the server answers code %s in %s/%s", sign, v.Said().Play.Scenario, v.Said().Step.Name)
			t.OK(v)
			return
		}
		bad := v.Refuses(internal)
		t.Expect(v.ErrorCode()).To(matcher{fmt.Sprintf("another code than %s, since the call is malformed and the server is not at fault", t.Case.Binding().Sign(internal)),
			func(judge.Value) bool { return !bad }, func(v judge.Value) string { return "answered code " + v.Shown() + " (InternalError)" }})
	})
}

// unknownTask: an error and, where the dialect has such a state, a task in a
// state that says "unknown" are both fair.
func unknownTask(t *judge.T, p onStep) {
	s := t.Step(p.Step)
	reply := s.Reply()
	if r := reply.Result(); present(r) {
		state := r.Read("task.state")
		t.Expect(state).To(matcher{"an error, or a task whose state says that it is unknown", func(v judge.Value) bool { return unknownState(t, v) }, func(v judge.Value) string {
			return "reported a task in state " + v.Shown() + " for an id never used"
		}})
		return
	}
	t.Expect(reply).To(BeRPCError(t))
}

type finishedParams struct {
	Scenario string `json:"scenario"`
	Step     string `json:"step" step:"{scenario}/{}"` // the call about the ended task
	Then     string `json:"then" step:"{scenario}/{}"` // the look-up after it
}

// staysFinished: an error and the unchanged task are both fair replies.
func staysFinished(t *judge.T, p finishedParams) {
	s := t.Step(p.Scenario + "/" + p.Step)
	before := endedState(t, s.Play)
	same := matcher{"the state to remain " + before.Shown(), before.Equal, func(v judge.Value) string {
		return "reported state " + v.Shown() + " for a task that had ended"
	}}
	if r := s.Reply().Result(); present(r) {
		if _, word := t.Case.Dialect.Pointer(s.Op, "task.canceled"); word {
			t.Expect(r.Read("task.canceled")).Against(before).NotTo(insteadOf(matcher{"true", judge.Value.True, nil}, "no confirmation, since the task had ended before"))
		} else {
			t.Expect(r.Read("task.state")).Against(before).To(same)
		}
	}
	t.Expect(t.Step(p.Scenario + "/" + p.Then).Result().Read("task.state")).Against(before).To(same)
}

// endedState is the state in which a play saw its task end.
func endedState(t *judge.T, p *wire.Play) judge.Value {
	i := slices.IndexFunc(p.Reached, func(m wire.Milestone) bool { return m.Name == "ended" })
	if i < 0 {
		t.Stopped("the task of %s did not end", p.Scenario)
	}
	return t.Step(p.Scenario + "/" + p.Reached[i].Step).Result().Read("task.state")
}

type dataPlace struct {
	At string `json:"at"` // in the error
}

// requestID compares as text: a number may be rendered as a string. Where the
// call had no id that could be read there is nothing to compare.
func requestID(t *judge.T, p dataPlace) {
	text := func(n *wire.Node) string {
		if n != nil && n.Kind == wire.Number {
			return n.Number
		} else if n != nil && n.Kind == wire.String {
			return n.String
		}
		return ""
	}
	var of []judge.Value
	for _, v := range errorReplies(t) {
		if sent := text(v.Sent().ID); present(v.Failure().At(p.At)) && sent != "" {
			of = append(of, v.Failure().At(p.At))
		}
	}
	judge.Each(t, of, func(v judge.Value) {
		sent := text(v.Sent().ID)
		t.Expect(v).To(matcher{"the id of the call, " + judge.Shorten(sent, 80), func(v judge.Value) bool { return text(v.Node()) == sent }, nil})
	})
}

type codeRangeParams struct {
	onPlays
	Permitted bool `json:"permitted"` // the sentence permits codes; one that is out of range uses no permission
}

func codeRange(t *judge.T, p codeRangeParams) {
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
	var of []judge.Value
	for _, v := range errorReplies(t) {
		code := v.ErrorCode()
		if _, ok := code.Int(); ok && (within(code) || !p.Permitted) { // its type is for another requirement
			of = append(of, code)
		}
	}
	judge.Each(t, of, func(code judge.Value) {
		t.Expect(code).To(matcher{"a standard JSON-RPC code or one from -32099 to -32000", within,
			func(v judge.Value) string { return "answered code " + v.Shown() }})
	})
}

// alive: after each block of malformed calls one valid call on a fresh
// connection must be answered with a result.
func alive(t *judge.T, p onSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		scenario := s.Play.Scenario
		twin := t.Step(scenario + "/twin")
		if !twin.Accepted() && !twin.Exchange.IsStream() && !refusedForTask(t, twin) {
			t.Stopped("the valid call before the malformed ones (%s/twin) was not accepted either", scenario)
		}
		known := aboutTask(t, s) && vanished(t, s) // a task that is gone was looked for all the same
		plain, ok := t.Find("quick/send")
		switch {
		case s.Exchange.IsStream(), known,
			s.Op == twin.Op && refusedForTask(t, twin) && alike(twin, s),
			ok && s.Op == plain.Op && !plain.Accepted() && alike(plain, s): // it was refused so before
			t.OK(s.Head())
			return
		}
		t.Expect(s.Reply()).To(BeAResult())
	})
}
