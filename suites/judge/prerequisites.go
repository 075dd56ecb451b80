package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A requirement rests on others. Where one of those does not hold, the check is
// made all the same, on what is left: one stream without its end takes nothing
// from five healthy ones, and a refusal that never needed a task is judged though
// no task could be made. What it comes to counts where it rests on something else
// than what is broken already.

// rest books a prerequisite that does not hold. The exchanges that it fails on are
// left out.
func (r *Result) rest(prerequisite *Result) {
	if prerequisite.Verdict != report.Inconclusive && prerequisite.apart {
		return
	}
	r.rests = append(r.rests, prerequisite)
	if r.spoiled == nil {
		r.spoiled = map[*wire.Exchange]string{}
	}
	for x := range prerequisite.failed {
		r.spoiled[x] = prerequisite.ID
	}
}

// nowhere reports whether a requirement that does not hold holds on nothing.
func (r *Result) nowhere() bool {
	for x := range r.held {
		if !r.failed[x] && r.Verdict != report.Inconclusive {
			return false
		}
	}
	return true
}

// settle leaves a requirement undecided, for the sake of a prerequisite that holds
// nowhere, unless it was decided by something else than what that fails on. Where
// something it rests on is broken, a failure may be nothing but the consequence.
func (c *Case) settle(r *Result) {
	i := slices.IndexFunc(r.rests, (*Result).nowhere)
	if i < 0 || r.Verdict == report.SuiteError || r.Verdict == report.NotApplicable && !r.Vacuous || c.standsAlone(r) {
		return
	}
	root := c.root(r.rests[i])
	r.Verdict, r.Vacuous, r.Because, r.Remedy = report.Inconclusive, false, root.ID, root.Remedy
	r.Reason = restsOn(root, "")
	r.Evidence, r.Findings, r.Why, r.Others, r.More = []report.Evidence{}, []report.Finding{}, nil, nil, 0
	r.failed, r.held, r.broken = nil, nil, nil
}

// root is where a chain of requirements that rest on each other begins: what is
// broken, or could not be judged, for a reason of its own.
func (c *Case) root(p *Result) *Result {
	for seen := map[string]bool{}; p.Verdict == report.Inconclusive && p.Because != "" && !seen[p.Because]; {
		seen[p.Because] = true
		p = c.prior(p.Because)
	}
	return p
}

// restsOn says what a requirement rests on, once, and what to do about it; where
// says in what that fails, if not everywhere.
func restsOn(root *Result, where string) string {
	switch root.Verdict {
	case report.Fail, report.Waived:
		return fmt.Sprintf("it depends on %s, which fails%s; fix that first: %s", root.ID, where, root.Reason)
	}
	return fmt.Sprintf("it depends on %s, which could not be decided: %s", root.ID, root.Reason)
}

// misled takes back a failure where only the operator says where the server is and
// nothing was found there, whatever was asked for: another path may be meant.
func (c *Case) misled(r *Result) {
	if r.Verdict != report.Fail || len(c.Dialect.Card.Paths) > 0 || !binding.AllNotFound(c.binding, c.Transcript) {
		return
	}
	r.Verdict, r.Stopped, r.Remedy = report.Inconclusive, true, "the right path to the URL"
	r.Reason = "every request was answered with HTTP 404: the path may be wrong"
	r.Evidence, r.Findings, r.Others, r.More = []report.Evidence{}, []report.Finding{}, nil, 0
	r.failed, r.held, r.broken, r.Why = nil, nil, nil, nil
}

// standsAlone reports whether a verdict rests on an answer that is unlike those
// that the prerequisites fail on.
func (c *Case) standsAlone(r *Result) bool {
	on := map[*wire.Exchange]bool{}
	switch r.Verdict {
	case report.Fail:
		on = r.failed
	case report.Pass:
		for _, e := range r.Evidence {
			if i := slices.IndexFunc(c.Transcript.Exchanges, func(x *wire.Exchange) bool { return x.ID == e.Exchange }); i >= 0 {
				on[c.Transcript.Exchanges[i]] = true
			}
		}
	}
	broken := map[string]bool{}
	if failing := c.broke(r, broken, map[*Result]bool{}); failing && r.Verdict == report.Fail {
		return false
	}
	for x := range on {
		if !broken[c.sortOf(x)] {
			return true
		}
	}
	return false
}

// broke collects the answers that the prerequisites of a requirement fail on, and
// those that these rest on, and how the harmless message is refused, if it is. It
// reports whether one of them fails, and holds nowhere.
func (c *Case) broke(r *Result, out map[string]bool, seen map[*Result]bool) (failing bool) {
	if seen[r] {
		return false
	}
	seen[r] = true
	for _, p := range r.rests {
		failing = failing || p.Verdict != report.Inconclusive && p.nowhere()
		for x := range p.failed {
			out[c.sortOf(x)] = true
		}
		failing = c.broke(p, out, seen) || failing
	}
	if p := c.Transcript.Play("quick"); p != nil {
		if s := p.Step("send"); s != nil && s.Exchange.Answered() && !s.Exchange.IsStream() {
			if !c.by(p, s).Decode(s.Op, s.Exchange).Result.Exists() {
				out[c.sortOf(s.Exchange)] = true
			}
		}
	}
	return failing
}

// sortOf tells one kind of refusal from others: by its status, type and code, and
// by the members it bears. Each result, stream and delivery is a kind of its own.
func (c *Case) sortOf(x *wire.Exchange) string {
	if x.Dir == wire.Out && !x.Answered() {
		return fmt.Sprint("no answer: ", x.Ended)
	}
	root := x.Reply().Root
	s, p := c.Transcript.StepOf(x)
	answer := c.by(p, s).Decode("", x)
	if x.Dir != wire.Out || x.IsStream() && len(x.Events()) > 0 || answer.Result.Exists() {
		return fmt.Sprint("exchange ", x.ID)
	}
	out := fmt.Sprint(x.Status(), " ", x.Response.MediaType())
	if root == nil {
		return out
	}
	if code := answer.Code.Node; code != nil {
		return out + " code " + code.Number + code.String
	}
	names := map[string]bool{}
	for _, m := range root.Members {
		names[m.Name] = true
	}
	return out + " " + strings.Join(slices.Sorted(maps.Keys(names)), ",")
}

// leaves reports whether a text is left out, and remembers why.
func (t *T) leaves(s *Said) bool {
	if why := t.findExcuse(s.Exchange); why != nil {
		t.refused = why
		return true
	}
	id := t.result.spoiled[s.Exchange]
	if id != "" {
		t.withheld = id
	}
	return id != ""
}

// Held books that the sentence holds on something, where a check goes through
// what is broken alone.
func (t *T) Held(v Value) { t.result.holds([]*wire.Exchange{v.said.Exchange}) }

func (r *Result) holds(on []*wire.Exchange) {
	if r.held == nil {
		r.held = map[*wire.Exchange]bool{}
	}
	for _, x := range on {
		r.held[x] = true
	}
}
