package message

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type acceptedParams struct {
	observe.OnSteps
	Unless    []string `json:"unless" names:"error"`    // errors that concern something else and pass
	Tolerated []string `json:"tolerated" names:"error"` // errors that pass with a finding
	// Beside are plainer calls of the same operation. A call that is refused like one of them
	// shows nothing of what it adds.
	Beside []string `json:"beside" step:"{}"`
}

// checkCallAccepted compares the call with its control request: if the plain form is accepted, a
// refusal is about what the probe adds. An agent that makes no tasks treats both alike if it
// answers both as being about an unknown task.
func checkCallAccepted(t *judge.T, p acceptedParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		observe.RequireControlAccepted(t, s)
		for _, name := range p.Beside {
			if s.Accepted() {
				break // no plain call has to explain a refusal
			}
			if plain := t.Step(name); !plain.Accepted() && observe.HaveSameRefusal(plain, s) {
				t.StopUndecided("the call %s/%s was refused like the plain call %s: %s", s.Play.Scenario, s.Name, name, s.Outcome())
			}
		}
		reply := s.Reply()
		if twin, ok := t.Find(s.Play.Scenario + "/" + s.Twin); ok && !twin.Accepted() && observe.HaveSameError(twin, s) {
			t.OK(reply)
			return
		}
		if observe.IsAboutTask(t, s) && observe.IsTaskUnknown(t, s) {
			t.StopUndecided("the call %s/%s did not find the task any more, which proves nothing about the call: %s", s.Play.Scenario, s.Name, s.Outcome())
		}
		if len(p.Unless) > 0 && match.IsError(reply) && reply.Refuses(p.Unless...) {
			t.OK(reply)
			return
		}
		if match.IsError(reply) && reply.Refuses(p.Tolerated...) {
			t.Finding(reply.ErrorCode(), "the server answers %s to it", match.CodeOf(reply))
			t.OK(reply)
			return
		}
		t.Expect(reply).To(match.BeAResult())
	})
}

// checkUseOfDuplicateDetection cannot see whether a message that made no task is recognized as a
// duplicate.
func checkUseOfDuplicateDetection(t *judge.T, p observe.PairParams) {
	first, again := t.Step(p.Step), t.Step(p.Then)
	made := first.Result().Read("task.id")
	if match.IsError(again.Reply()) {
		observe.ExpectNoServerFault(t, again)
		return
	}
	named := again.Result().Read("task.id")
	t.OK(again.Result())
	if made.Text() == "" || !named.Equal(made) {
		t.StopUnused("it treats a message that is sent again like a new one")
	}
}

type implementedParams struct {
	observe.OnStep
	Result bool     `json:"result"`               // a result is asked for, not just any answer
	Except []string `json:"except" names:"error"` // errors that another requirement is about
	// Valid is a valid call of the operation, which must not be refused as if it were
	// malformed. It may be the step itself.
	Valid string `json:"valid" step:"{},optional"`
}

// checkMethodImplemented takes a page with an error status for a refusal. Requirements on the
// form of a reply cover a success that cannot be read.
func checkMethodImplemented(t *judge.T, p implementedParams) {
	s := t.Step(p.Step)
	reply := s.Reply()
	if !reply.IsObject() && s.Exchange.Standing()/100 == 2 {
		t.StopUndecided("the call %s got no %s: %s", p.Step, reply.Words().Reply, s.Outcome())
	}
	t.Expect(reply).To(match.BeAReply(t))
	t.Expect(reply).NotTo(match.InsteadOf(match.BeRPCError(t, "MethodNotFound"), "the method to be there"))
	if p.Result {
		observe.StopIfFailedInside(t, s)
	}
	if p.Result && !(match.IsError(reply) && reply.Refuses(p.Except...)) {
		t.Expect(reply).To(match.BeAResult())
	}
	if p.Valid == "" {
		return
	}
	if valid, made := t.Find(p.Valid); made {
		observe.ExpectNotRefusedAsMalformed(t, valid)
	}
}

// checkCallNotRefusedWithCodes leaves a refusal for another reason to other requirements.
func checkCallNotRefusedWithCodes(t *judge.T, p observe.Errors) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		observe.RequireControlAccepted(t, s)
		reply := s.Reply()
		observe.StopVacuousIfRefusedWith(t, reply, p.Unless)
		if !s.Accepted() && !match.IsError(reply) {
			t.StopUndecided("the call %s/%s got no %s: %s", s.Play.Scenario, s.Name, reply.Words().Reply, s.Outcome())
		}
		t.Expect(reply).NotTo(match.BeRPCError(t, p.Codes...))
	})
}

type distinctParams struct {
	observe.OnSteps
	Message string `json:"message"` // the name of the place of the message in a result
}

// checkMessageIDsDistinct compares the ids of replies to different calls with each other
// and with those of our own messages. The named calls have to be answered; the replies to
// all other messages of the run are compared too.
func checkMessageIDsDistinct(t *judge.T, p distinctParams) {
	of := map[string]string{}
	var ids []judge.Value
	named := t.Steps(p.Steps)
	had := map[*record.Exchange]bool{}
	for _, s := range named {
		s.Result()
	}
	for _, s := range append(named, observe.CallsWithoutTaskOrContext(t)...) {
		if had[s.Exchange] || s.Exchange.IsStream() || !s.Accepted() {
			continue
		}
		had[s.Exchange] = true
		of[observe.SentMessageMember(t, s, "id")] = fmt.Sprintf("as our message in %s/%s", s.Play.Scenario, s.Name)
		for _, id := range observe.ExpandDialectPlace(t, s.Result().Read(p.Message), "message", "id") {
			if id.IsString() {
				ids = append(ids, id)
			}
		}
	}
	judge.Each(t, ids, func(id judge.Value) {
		if other, twice := of[id.Text()]; twice {
			t.Fail(id, fmt.Sprintf("gave a message the id %s, the same %s", id.Shown(), other), "an id of its own for each message")
		}
		of[id.Text()] = fmt.Sprintf("as in exchange %d", id.Exchange().ID)
		t.OK(id)
	})
}

type memberParams struct {
	Scenario string   `json:"scenario" step:"{}/all"`
	Member   string   `json:"member"`                 // of those that travelled together; all of them if empty
	Refusals []string `json:"refusals" names:"error"` // the errors that break the sentence; any if empty
	Reported []string `json:"reported" step:"{}"`     // calls that may be refused, which is a finding
	// Undecided makes a refusal for another reason leave the requirement undecided; otherwise it
	// is a finding.
	Undecided bool `json:"undecided"`
}

// checkOptionalMemberAccepted sends all members together: if that call is accepted, each of them
// is. Otherwise the call with one member alone decides about it.
func checkOptionalMemberAccepted(t *judge.T, p memberParams) {
	for _, name := range p.Reported {
		if s, made := t.Find(name); made && match.IsError(s.Reply()) && s.Reply().Refuses(p.Refusals...) {
			t.Finding(s.Reply(), "the server refuses a call that servers may accept: it %s", match.Outcome(s.Reply()))
		}
	}
	all := t.Step(p.Scenario + "/all")
	if p.Member != "" && all.Play.Step(p.Member) != nil {
		t.Step(p.Scenario + "/" + p.Member) // it may not have been tried
	}
	if all.Accepted() {
		t.Expect(all.Reply()).To(match.BeAResult())
		return
	}
	observe.RequirePlainAccepted(t, p.Scenario)
	of := []judge.Step{all}
	for i := range all.Play.Steps {
		if s := &all.Play.Steps[i]; s.Bisects == all.Name && (p.Member == "" || p.Member == s.Name) {
			of = append(of, t.Step(p.Scenario+"/"+s.Name))
		}
	}
	if p.Member != "" && len(of) > 1 {
		of = of[1:] // the whole was refused for another member's sake
	}
	judge.Each(t, of, func(s judge.Step) {
		reply := s.Reply()
		if len(p.Refusals) > 0 && match.IsError(reply) && !reply.Refuses(p.Refusals...) {
			if p.Undecided {
				t.StopUndecided("the server refuses the call for another reason: it %s", match.Outcome(reply))
			}
			t.Tolerate(reply, "the server refuses the call for another reason: it %s", match.Outcome(reply))
			return
		}
		t.Expect(reply).To(match.BeAResult())
	})
}

type placesParams struct {
	observe.OnPlays // the plays without which the values may never be sent
	observe.TypePlace
	Also     []observe.TypePlace `json:"also"`
	Rule     string              `json:"rule"`
	Is       string              `json:"is"`       // in place of a rule: this very string
	In       []string            `json:"in"`       // in place of a rule: one of these strings
	Like     string              `json:"like"`     // in place of a rule: a string that a regular expression fits …
	Wants    string              `json:"wants"`    // … and what it asks for, in words
	Near     string              `json:"near"`     // an expression for strings that are a finding only
	Required bool                `json:"required"` // that there is no string is a breach too
}

func (p placesParams) buildMatcher() match.Matcher {
	switch {
	case p.Is != "":
		return match.BeText(p.Is)
	case len(p.In) > 0:
		return match.BeOneOf(p.In...)
	case p.Like != "":
		form := regexp.MustCompile(p.Like)
		return match.Should(p.Wants, func(v judge.Value) bool { return form.MatchString(v.Text()) }, nil)
	}
	return observe.FormRule(p.Rule)
}

// checkPlacesFollowRule has a finding only for a URL of this machine without https, since nothing
// of it travels.
func checkPlacesFollowRule(t *judge.T, p placesParams) {
	var of []judge.Value
	for _, place := range append([]observe.TypePlace{p.TypePlace}, p.Also...) {
		for _, v := range t.Instances(place.Type) {
			if p.Required && !match.Present(v.At(place.At)) { // another type is for the shape
				of = append(of, v.At(place.At))
				continue
			}
			of = append(of, observe.KeepStrings(v.Expand(place.At))...)
		}
	}
	rule := p.buildMatcher()
	judge.Each(t, of, func(v judge.Value) {
		if p.Rule == "https" && observe.IsLoopbackURL(v.Text()) {
			t.Tolerate(v, "the server gives %s, which is not an https URL", v.Shown())
			return
		}
		if p.Near != "" && !rule.Holds(v) && regexp.MustCompile(p.Near).MatchString(v.Text()) {
			t.Tolerate(v, "the server gives %s, but should give %s", v.Shown(), rule.Wants())
			return
		}
		t.Expect(v).To(rule)
	})
}

// checkEachCallAnswered accepts any answer. Other requirements cover its content.
func checkEachCallAnswered(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) { t.Expect(s.Reply()).To(match.BeAReply(t)) })
}

type staysMessageParams struct {
	observe.OnStep
	Like string `json:"like" step:"{}"` // the same message, streamed
}

// checkAnsweredByMessageAtOnce needs the stream, which shows whether the message is answered by one.
func checkAnsweredByMessageAtOnce(t *judge.T, p staysMessageParams) {
	s := t.Step(p.Step)
	observe.StopIfFailedInside(t, s)
	if result := s.Reply().Result(); observe.IsMessage(result) {
		t.OK(result)
		return
	}
	if updates := observe.Updates(t, t.Step(p.Like)); !slices.ContainsFunc(updates, observe.IsMessage) {
		t.StopVacuous("the message is not answered by one")
	}
	t.Expect(s.Reply()).To(match.BeAResult())
	t.Expect(s.Result()).To(match.Should("a message, as without the wish for a reply at once", observe.IsMessage, nil))
}
