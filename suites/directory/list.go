package directory

import (
	"maps"
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

// parseEntryList returns the entries of a list in any of its usual forms: an array, bare or below
// agents, or an object keyed by id.
func parseEntryList(v judge.Value) []judge.Value {
	if inner := v.At("/agents"); inner.IsArray() || inner.IsObject() {
		return parseEntryList(inner)
	}
	if v.IsArray() {
		return v.Elems()
	}
	var out []judge.Value
	members := v.Members()
	for _, id := range slices.Sorted(maps.Keys(members)) {
		if members[id].IsObject() {
			out = append(out, members[id])
		}
	}
	return out
}

// readSingleEntry returns the entry of a document about one agent, bare or below agent.
func readSingleEntry(s judge.Step) judge.Value {
	v := s.Reply()
	if inner := v.At("/agent"); inner.IsObject() {
		return inner
	}
	return v
}

func checkAgentListForm(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	t.Expect(s.Head()).To(match.HaveStatus(200))
	t.Expect(s.Reply()).To(match.Should("a list of agents: an array, an array below agents, or an object keyed by id",
		func(v judge.Value) bool { return v.IsArray() || v.IsObject() }, nil))
}

type wholeParams struct {
	shownParams
	Members []string `json:"members"` // names of what an entry has
}

func checkEntryMembersPresent(t *judge.T, p wholeParams) {
	p.forEachAnswerAndAgent(t, func(answer judge.Value, agent string, entries []judge.Value) {
		observe.StopUndecidedIf(t, len(entries) == 0, "the list does not show %s", agent)
		for _, what := range p.Members {
			t.Expect(observe.ReadEntryMember(t, entries[0], what)).To(match.BeThere(what + " of " + agent))
		}
	})
}

type entriesParams struct {
	observe.OnStep
	Type  string   `json:"type"`  // the definition of an entry that is found
	Texts []string `json:"texts"` // names of what an entry has as a text
	Lists []string `json:"lists"` // names of what it has as a list of texts
}

// noteWrongEntryMemberTypes only has findings: an entry holds what its agent registered, and the source
// does not limit that.
func noteWrongEntryMemberTypes(t *judge.T, p entriesParams) {
	s := t.Step(p.Step)
	observe.StopUndecidedIf(t, !s.Reply().Exists(), "the list of agents could not be read")
	t.OK(s.Reply())
	all := append(parseEntryList(s.Reply()), t.Instances(p.Type)...)
	if len(all) == 0 {
		return
	}
	judge.Each(t, all, func(e judge.Value) {
		for _, what := range p.Texts {
			if v := observe.ReadEntryMember(t, e, what); v.Exists() && !v.IsString() {
				t.Finding(v, "the server shows an agent whose %s is %s, which is not a string", what, v.Shown())
			}
		}
		for _, what := range p.Lists {
			v := observe.ReadEntryMember(t, e, what)
			if v.Exists() && (!v.IsArray() || slices.ContainsFunc(v.Elems(), func(w judge.Value) bool { return !w.IsString() })) {
				t.Finding(v, "the server shows an agent whose %s are %s, which is not a list of strings", what, v.Shown())
			}
		}
		t.OK(e)
	})
}

func checkAgentDocumentServed(t *judge.T, p agentParams) {
	agent := requireAcceptedRegistration(t, p.Agent)
	s := t.Step(p.Step)
	t.Expect(s.Head()).To(match.HaveStatus(200))
	t.Expect(observe.ReadEntryMember(t, readSingleEntry(s), "id")).To(beRegistered(readRegistrationParam(t, agent, "id")))
}

// checkUnknownAgentRefused accepts any refusal with a finding, since the source names no status.
func checkUnknownAgentRefused(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	if status := s.Exchange.Status(); status >= 400 && status < 500 && status != 404 {
		t.Tolerate(s.Head(), "the server answers HTTP status %d for an agent that nobody registered, where 404 is usual", status)
		return
	}
	t.Expect(s.Head()).Because("nobody registered this id").To(match.HaveStatus(404))
}

func checkDocumentsLabelledJSON(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		if s.Exchange.Status() != 200 {
			t.StopUndecided("the call %s/%s was not served: HTTP %d", s.Play.Scenario, s.Name, s.Exchange.Status())
		}
		t.Expect(s.Head()).To(match.HaveMediaType("application/json"))
	})
}
