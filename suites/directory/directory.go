package directory

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type saysParams struct {
	observe.OnSteps
	At    string   `json:"at"` // in the result
	Words []string `json:"words"`
}

func checkResultValueInList(t *judge.T, p saysParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) { t.Expect(s.Result().At(p.At)).To(match.BeOneOf(p.Words...)) })
}

type repeatsParams struct {
	observe.OnSteps
	At string `json:"at"` // in the result
	Of string `json:"of"` // in the parameters of the call
}

func checkResultRepeatsParam(t *judge.T, p repeatsParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		sent := observe.Params(s).At(p.Of)
		t.Expect(s.Result().At(p.At)).To(match.Should("what the call said, "+observe.DescribeNode(sent), func(v judge.Value) bool {
			return sent != nil && v.Node() != nil && v.Node().Equal(sent)
		}, nil))
	})
}

// listAgentEntries returns the entries of agents in an answer: from a result, or from a document
// in any of the forms that a list has.
func listAgentEntries(t *judge.T, s judge.Step) []judge.Value {
	if at, ok := t.Case.Dialect.Pointer(s.Op, "entries"); ok {
		return s.Result().At(at).Elems()
	}
	return parseEntryList(s.Reply())
}

// readRegistrationParam returns a parameter with which an agent was registered.
func readRegistrationParam(t *judge.T, s judge.Step, what string) *record.Node {
	at, _ := t.Case.Dialect.Pointer("request", what)
	return observe.Params(s).At(at)
}

// findEntriesOfAgent returns the entries of a registered agent: those with its id or, if there are
// none, with its name, which is unique.
func findEntriesOfAgent(t *judge.T, entries []judge.Value, registered judge.Step) (found []judge.Value) {
	for _, what := range []string{"id", "name"} {
		if want := readRegistrationParam(t, registered, what); len(found) == 0 && want != nil {
			found = judge.Filter(entries, func(e judge.Value) bool { return observe.ReadEntryMember(t, e, what).Is(want.String) })
		}
	}
	return found
}

// requireAcceptedRegistration returns a registration that was accepted; otherwise nothing about its agent
// can be judged.
func requireAcceptedRegistration(t *judge.T, step string) judge.Step {
	s := t.Step(step)
	s.Result()
	return s
}

type shownParams struct {
	observe.OnSteps
	Agents []string `json:"agents" step:"{}"` // the steps that registered them
}

// forEachAnswerAndAgent judges every agent on every answer.
func (p shownParams) forEachAnswerAndAgent(t *judge.T, decide func(answer judge.Value, agent string, entries []judge.Value)) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		entries := listAgentEntries(t, s)
		for _, name := range p.Agents {
			agent := requireAcceptedRegistration(t, name)
			decide(s.Reply(), "the agent "+observe.DescribeNode(readRegistrationParam(t, agent, "id")), findEntriesOfAgent(t, entries, agent))
		}
	})
}

func checkRegisteredAgentsListed(t *judge.T, p shownParams) {
	p.forEachAnswerAndAgent(t, func(answer judge.Value, agent string, entries []judge.Value) {
		if len(entries) == 0 {
			t.Fail(answer.Result().Read("entries"), "does not show "+agent, "it to be among the agents")
		}
		t.OK(entries[0])
	})
}

func checkNonMatchingAgentsOmitted(t *judge.T, p shownParams) {
	p.forEachAnswerAndAgent(t, func(answer judge.Value, agent string, entries []judge.Value) {
		if len(entries) > 0 {
			t.Fail(entries[0], "shows "+agent+", which has none of what was wanted", "only agents that match")
		}
		t.OK(answer)
	})
}

func checkAgentShownAtMostOnce(t *judge.T, p shownParams) {
	p.forEachAnswerAndAgent(t, func(answer judge.Value, agent string, entries []judge.Value) {
		if len(entries) > 1 {
			t.Fail(entries[1], fmt.Sprintf("shows %s %d times", agent, len(entries)), "one entry for each agent")
		}
		t.OK(answer)
	})
}

type agentParams struct {
	observe.OnStep
	Agent string `json:"agent" step:"{}"` // the step that registered it
}

type keepsParams struct {
	agentParams
	Member string `json:"member"` // name of what is kept
}

func checkEntryMemberAsRegistered(t *judge.T, p keepsParams) {
	agent, kept := p.requireAgentAndShownMember(t)
	t.Expect(kept).To(beRegistered(readRegistrationParam(t, agent, p.Member)))
}

// requireAgentAndShownMember returns the registration of the agent, and the member as the step shows it.
func (p keepsParams) requireAgentAndShownMember(t *judge.T) (agent judge.Step, member judge.Value) {
	agent = requireAcceptedRegistration(t, p.Agent)
	entries := findEntriesOfAgent(t, listAgentEntries(t, t.Step(p.Step)), agent)
	observe.StopUndecidedIf(t, len(entries) == 0, "the agent is not shown in %s", p.Step)
	return agent, observe.ReadEntryMember(t, entries[0], p.Member)
}

// beRegistered compares lists as sets; of a URL the last slash does not count.
func beRegistered(want *record.Node) match.Matcher {
	return match.Should("what was registered, "+observe.DescribeNode(want), func(v judge.Value) bool {
		if want == nil || want.Kind == record.String {
			return want != nil && v.IsString() && strings.TrimSuffix(v.Text(), "/") == strings.TrimSuffix(want.String, "/")
		}
		got := judge.Map(v.Elems(), judge.Value.Text)
		return v.IsArray() && !slices.ContainsFunc(want.Elems, func(w *record.Node) bool { return !slices.Contains(got, w.String) })
	}, nil)
}

// checkMemberIsRegistrationTime accepts a difference of two minutes from the suite's clock, or from the server's if
// it sends a Date.
func checkMemberIsRegistrationTime(t *judge.T, p keepsParams) {
	agent, v := p.requireAgentAndShownMember(t)
	at, ok := observe.ParseTimestamp(v.Text())
	if !ok {
		t.StopUndecided("%s is not a date-time", v.Shown())
	}
	const near, anywhere = 2 * time.Minute, 15 * time.Hour // if the time has no offset
	clocks := []time.Time{t.Case.Transcript.Started.Add(time.Duration(agent.Exchange.Start))}
	if server, err := time.Parse(time.RFC1123, agent.Exchange.Response.Header().Get("Date")); err == nil {
		clocks = append(clocks, server)
	}
	t.Expect(v).To(match.Should("a time within two minutes of the registration at "+clocks[0].UTC().Format(time.RFC3339), func(judge.Value) bool {
		return slices.ContainsFunc(clocks, func(c time.Time) bool {
			return at.Sub(c).Abs() <= near || at.Offset == "" && at.Sub(c).Abs() <= anywhere
		})
	}, nil))
}

func checkSearchFindsNoAgents(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	reply := s.Reply()
	at, _ := t.Case.Dialect.Pointer(s.Op, "entries")
	if result := reply.Result(); match.Present(result) && !result.At(at).IsArray() {
		t.StopUndecided("the result has no list of agents")
	}
	t.Expect(reply).To(match.Should("an empty list of agents", func(v judge.Value) bool {
		list := v.Result().At(at)
		return list.IsArray() && len(list.Elems()) == 0
	}, match.Outcome))
}

type renewParams struct {
	observe.OnSteps
	Again string `json:"again" step:"{}"` // the second registration of an agent
}

// requireSecondRegistration returns the second registration. If it was refused, the requirement is vacuous.
func (p renewParams) requireSecondRegistration(t *judge.T) judge.Step {
	s := t.Step(p.Again)
	if !s.Accepted() {
		t.OK(s.Reply())
		t.StopVacuous("the second registration was refused")
	}
	return s
}

func checkReregistrationTakesEffect(t *judge.T, p renewParams) {
	again := p.requireSecondRegistration(t)
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		entries := findEntriesOfAgent(t, append(listAgentEntries(t, s), readSingleEntry(s)), again)
		observe.StopUndecidedIf(t, len(entries) == 0, "the agent is not shown in %s/%s", s.Play.Scenario, s.Name)
		for _, what := range []string{"name", "endpoint"} { // of several entries one may be old
			want := beRegistered(readRegistrationParam(t, again, what))
			if !slices.ContainsFunc(entries, func(e judge.Value) bool { return want.Holds(observe.ReadEntryMember(t, e, what)) }) {
				t.Expect(observe.ReadEntryMember(t, entries[0], what)).To(want)
			}
			t.OK(observe.ReadEntryMember(t, entries[0], what))
		}
	})
}

func checkOldCapabilityForgotten(t *judge.T, p renewParams) {
	again := p.requireSecondRegistration(t)
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		if entries := findEntriesOfAgent(t, listAgentEntries(t, s), again); len(entries) > 0 {
			t.Fail(entries[0], "finds the agent by a capability that its second registration no longer has", "the second registration to count")
		}
		t.OK(s.Reply())
	})
}

// checkNonPostRegistersNothing requires that the answer has no result, and that a search does not find the
// agent of the call.
func checkNonPostRegistersNothing(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	observe.RequireControlAccepted(t, s)
	if s.Exchange.Reply().Root != nil {
		t.Expect(s.Reply()).NotTo(match.InsteadOf(match.BeAResult(), "no result, since only a POST is a call"))
	}
	then := t.Step(p.Step + "-then")
	if entries := findEntriesOfAgent(t, listAgentEntries(t, then), s); len(entries) > 0 {
		t.Fail(entries[0], "executed the call that came by another method: its agent is found", "only POST to execute a call")
	}
	t.OK(s.Head())
}
