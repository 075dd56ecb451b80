package directory

import (
	"maps"
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

var listChecks = []judge.Check{
	judge.Define("directory/lists", "the list of agents is served as JSON", listsAgents),
	judge.Define("directory/whole", "the entries of the list have the members that are found elsewhere", wholeEntries),
	judge.Define("directory/entries", "every entry that is shown, whoever registered it, says what agents say of themselves in the same form", everyEntry),
	judge.Define("directory/shows", "one agent is shown by its id", showsAgent),
	judge.Define("directory/unknown", "an id that nobody has is not found", unknownEntry),
	judge.Define("directory/media-type", "documents have the media type application/json", documentType),
	judge.Define("directory/served", "a document is served", served),
}

// listedIn are the entries of a list in any of the forms it is usually written
// in: an array, bare or below agents, or an object keyed by id.
func listedIn(v judge.Value) []judge.Value {
	if inner := v.At("/agents"); inner.IsArray() || inner.IsObject() {
		return listedIn(inner)
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

// ofOne is an entry that is shown alone, bare or below agent.
func ofOne(s judge.Step) judge.Value {
	v := s.Reply()
	if inner := v.At("/agent"); inner.IsObject() {
		return inner
	}
	return v
}

func listsAgents(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	t.Expect(s.Head()).To(match.HaveStatus(200))
	t.Expect(s.Reply()).To(match.Should("a list of agents: an array, an array below agents, or an object keyed by id",
		func(v judge.Value) bool { return v.IsArray() || v.IsObject() }, nil))
}

type wholeParams struct {
	shownParams
	Members []string `json:"members"` // names of what an entry has
}

func wholeEntries(t *judge.T, p wholeParams) {
	p.each(t, func(answer judge.Value, agent string, entries []judge.Value) {
		if len(entries) == 0 {
			t.Undecided("the list does not show %s", agent)
		}
		for _, what := range p.Members {
			t.Expect(of(t, entries[0], what)).To(match.BeThere(what + " of " + agent))
		}
	})
}

type entriesParams struct {
	observe.OnStep
	Type  string   `json:"type"`  // the definition of an entry that is found
	Texts []string `json:"texts"` // names of what an entry has as a text
	Lists []string `json:"lists"` // names of what it has as a list of texts
}

// everyEntry: an entry is what its agent registered, which may be anything. No
// sentence says more, so that what is odd about those of others is a finding.
func everyEntry(t *judge.T, p entriesParams) {
	s := t.Step(p.Step)
	if !s.Reply().Exists() {
		t.Undecided("the list of agents could not be read")
	}
	t.OK(s.Reply())
	all := append(listedIn(s.Reply()), t.Instances(p.Type)...)
	if len(all) == 0 {
		return
	}
	judge.Each(t, all, func(e judge.Value) {
		for _, what := range p.Texts {
			if v := of(t, e, what); v.Exists() && !v.IsString() {
				t.Finding(v, "the server shows an agent whose %s is %s, which is not a string", what, v.Shown())
			}
		}
		for _, what := range p.Lists {
			v := of(t, e, what)
			if v.Exists() && (!v.IsArray() || slices.ContainsFunc(v.Elems(), func(w judge.Value) bool { return !w.IsString() })) {
				t.Finding(v, "the server shows an agent whose %s are %s, which is not a list of strings", what, v.Shown())
			}
		}
		t.OK(e)
	})
}

type showsParams struct {
	observe.OnStep
	Agent string `json:"agent" step:"{}"` // the step that registered it
}

func showsAgent(t *judge.T, p showsParams) {
	agent := registered(t, p.Agent)
	s := t.Step(p.Step)
	t.Expect(s.Head()).To(match.HaveStatus(200))
	t.Expect(of(t, ofOne(s), "id")).To(beRegistered(registeredAs(t, agent, "id")))
}

// unknownEntry: the source names no status, so that any refusal will do.
func unknownEntry(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	if status := s.Exchange.Status(); status >= 400 && status < 500 && status != 404 {
		t.Finding(s.Head(), "the server answers HTTP status %d for an agent that nobody registered, where 404 is usual", status)
		t.OK(s.Head())
		return
	}
	t.Expect(s.Head()).Because("nobody registered this id").To(match.HaveStatus(404))
}

func documentType(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		if s.Exchange.Status() != 200 {
			t.Undecided("the call %s/%s was not served: HTTP %d", s.Play.Scenario, s.Name, s.Exchange.Status())
		}
		t.Expect(s.Head()).To(match.HaveMediaType("application/json"))
	})
}

func served(t *judge.T, p observe.OnSteps) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) { t.Expect(s.Head()).To(match.HaveStatus(200)) })
}
