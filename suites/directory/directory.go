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

var directoryChecks = []judge.Check{
	judge.Define("result/says", "a result has one of the words at a place", resultSays),
	judge.Define("result/repeats", "a result repeats what the call said", resultRepeats),
	judge.Define("directory/finds", "an agent that registered is among those that are shown", finds),
	judge.Define("directory/leaves-out", "an agent that does not match is not among those that are shown", leavesOut),
	judge.Define("directory/once", "an agent is shown once", shownOnce),
	judge.Define("directory/keeps", "a member of an agent is shown as it was registered", keepsMember),
	judge.Define("directory/dated", "an agent is dated with its registration", dated),
	judge.Define("directory/finds-none", "a search for what nobody has finds nobody", findsNone),
	judge.Define("directory/renewed", "a second registration that is confirmed takes effect", renewed),
	judge.Define("directory/forgets", "what a second registration gives up no longer matches", forgets),
	judge.Define("directory/not-executed", "a registration that came by another HTTP method is not executed", notRegistered),
}

type saysParams struct {
	observe.OnSteps
	At    string   `json:"at"` // in the result
	Words []string `json:"words"`
}

func resultSays(t *judge.T, p saysParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) { t.Expect(s.Result().At(p.At)).To(match.BeOneOf(p.Words...)) })
}

type repeatsParams struct {
	observe.OnSteps
	At string `json:"at"` // in the result
	Of string `json:"of"` // in the parameters of the call
}

func resultRepeats(t *judge.T, p repeatsParams) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		sent := observe.Member(observe.Params(s), p.Of)
		t.Expect(s.Result().At(p.At)).To(match.Should("what the call said, "+observe.DescribeNode(sent), func(v judge.Value) bool {
			return sent != nil && v.Node() != nil && v.Node().Equal(sent)
		}, nil))
	})
}

// shown are the agents that an answer shows: below a result, or as a document in
// any of the forms that a list has.
func shown(t *judge.T, s judge.Step) []judge.Value {
	if at, ok := t.Case.Dialect.Pointer(s.Op, "entries"); ok {
		return s.Result().At(at).Elems()
	}
	return listedIn(s.Reply())
}

// registeredAs is what we said of an agent in its registration.
func registeredAs(t *judge.T, s judge.Step, what string) *record.Node {
	at, _ := t.Case.Dialect.Pointer("request", what)
	return observe.Member(observe.Params(s), at)
}

// of reads a member of an entry by its name.
func of(t *judge.T, entry judge.Value, what string) judge.Value {
	at, _ := t.Case.Dialect.Pointer("entry", what)
	return entry.At(at)
}

// entriesOf are the entries for an agent that registered: those of its id or,
// where there are none, of its name, which nobody else has.
func entriesOf(t *judge.T, entries []judge.Value, registered judge.Step) (found []judge.Value) {
	for _, what := range []string{"id", "name"} {
		if want := registeredAs(t, registered, what); len(found) == 0 && want != nil {
			for _, e := range entries {
				if of(t, e, what).Is(want.String) {
					found = append(found, e)
				}
			}
		}
	}
	return found
}

// registered is a registration that was accepted; otherwise nothing can be said
// of its agent.
func registered(t *judge.T, step string) judge.Step {
	s := t.Step(step)
	s.Result()
	return s
}

type shownParams struct {
	observe.OnSteps
	Agents []string `json:"agents" step:"{}"` // the steps that registered them
}

// each judges every agent on every answer.
func (p shownParams) each(t *judge.T, decide func(answer judge.Value, agent string, entries []judge.Value)) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		entries := shown(t, s)
		for _, name := range p.Agents {
			agent := registered(t, name)
			decide(s.Reply(), "the agent "+observe.DescribeNode(registeredAs(t, agent, "id")), entriesOf(t, entries, agent))
		}
	})
}

func finds(t *judge.T, p shownParams) {
	p.each(t, func(answer judge.Value, agent string, entries []judge.Value) {
		if len(entries) == 0 {
			t.Fail(answer.Result().Read("entries"), "does not show "+agent, "it to be among the agents")
		}
		t.OK(entries[0])
	})
}

func leavesOut(t *judge.T, p shownParams) {
	p.each(t, func(answer judge.Value, agent string, entries []judge.Value) {
		if len(entries) > 0 {
			t.Fail(entries[0], "shows "+agent+", which has none of what was wanted", "only agents that match")
		}
		t.OK(answer)
	})
}

func shownOnce(t *judge.T, p shownParams) {
	p.each(t, func(answer judge.Value, agent string, entries []judge.Value) {
		if len(entries) > 1 {
			t.Fail(entries[1], fmt.Sprintf("shows %s %d times", agent, len(entries)), "one entry for each agent")
		}
		t.OK(answer)
	})
}

type keepsParams struct {
	observe.OnStep
	Agent  string `json:"agent" step:"{}"` // the step that registered it
	Member string `json:"member"`          // name of what is kept
}

func keepsMember(t *judge.T, p keepsParams) {
	agent := registered(t, p.Agent)
	entries := entriesOf(t, shown(t, t.Step(p.Step)), agent)
	if len(entries) == 0 {
		t.Undecided("the agent is not shown in %s", p.Step)
	}
	want := registeredAs(t, agent, p.Member)
	t.Expect(of(t, entries[0], p.Member)).To(beRegistered(want))
}

// beRegistered compares lists as sets; of a URL the last slash does not count.
func beRegistered(want *record.Node) match.Matcher {
	return match.Should("what was registered, "+observe.DescribeNode(want), func(v judge.Value) bool {
		if want == nil || want.Kind == record.String {
			return want != nil && v.IsString() && strings.TrimSuffix(v.Text(), "/") == strings.TrimSuffix(want.String, "/")
		}
		var got []string
		for _, e := range v.Elems() {
			got = append(got, e.Text())
		}
		return v.IsArray() && !slices.ContainsFunc(want.Elems, func(w *record.Node) bool { return !slices.Contains(got, w.String) })
	}, nil)
}

// dated: two minutes on either side of our own clock, or of the server's where
// it tells the time, are near enough.
func dated(t *judge.T, p keepsParams) {
	agent := registered(t, p.Agent)
	entries := entriesOf(t, shown(t, t.Step(p.Step)), agent)
	if len(entries) == 0 {
		t.Undecided("the agent is not shown in %s", p.Step)
	}
	v := of(t, entries[0], p.Member)
	at, ok := observe.ParseTimestamp(v.Text())
	if !ok {
		t.Undecided("%s is not a date-time", v.Shown())
	}
	const near, anywhere = 2 * time.Minute, 15 * time.Hour // where no offset is written
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

func findsNone(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	reply := s.Reply()
	at, _ := t.Case.Dialect.Pointer(s.Op, "entries")
	if result := reply.Result(); match.Present(result) && !result.At(at).IsArray() {
		t.Undecided("the result has no list of agents")
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

// confirmed is the second registration; where it was refused there is nothing to
// judge.
func (p renewParams) confirmed(t *judge.T) judge.Step {
	s := t.Step(p.Again)
	if !s.Accepted() {
		t.OK(s.Reply())
		t.Vacuous("the second registration was refused")
	}
	return s
}

func renewed(t *judge.T, p renewParams) {
	again := p.confirmed(t)
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		entries := entriesOf(t, append(shown(t, s), ofOne(s)), again)
		if len(entries) == 0 {
			t.Undecided("the agent is not shown in %s/%s", s.Play.Scenario, s.Name)
		}
		for _, what := range []string{"name", "endpoint"} { // of several entries one may be old
			want := beRegistered(registeredAs(t, again, what))
			if !slices.ContainsFunc(entries, func(e judge.Value) bool { return want.Holds(of(t, e, what)) }) {
				t.Expect(of(t, entries[0], what)).To(want)
			}
			t.OK(of(t, entries[0], what))
		}
	})
}

func forgets(t *judge.T, p renewParams) {
	again := p.confirmed(t)
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) {
		if entries := entriesOf(t, shown(t, s), again); len(entries) > 0 {
			t.Fail(entries[0], "finds the agent by a capability that its second registration no longer has", "the second registration to count")
		}
		t.OK(s.Reply())
	})
}

// notRegistered: the answer holds no result, and a search does not find what the
// call named.
func notRegistered(t *judge.T, p observe.OnStep) {
	s := t.Step(p.Step)
	observe.RequireControlAccepted(t, s)
	if s.Exchange.Reply().Root != nil {
		t.Expect(s.Reply()).NotTo(match.InsteadOf(match.BeAResult(), "no result, since only a POST is a call"))
	}
	then := t.Step(p.Step + "-then")
	if entries := entriesOf(t, shown(t, then), s); len(entries) > 0 {
		t.Fail(entries[0], "executed the call that came by another method: its agent is found", "only POST to execute a call")
	}
	t.OK(s.Head())
}
