package harness

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/client"
	"github.com/a2a-conform/a2a-conform/harness/conversation"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/scenario"
	"github.com/a2a-conform/a2a-conform/harness/schedule"
)

// Values of --agent that are not the name of an agent.
const (
	FirstAgent = "first" // the agent at the server's own endpoint
	AllAgents  = "all"   // each agent that the server lists
)

// maxAgents bounds how many agents one run judges.
const maxAgents = 20

// agentTarget is an agent under test. Without a name it is the agent at the server's own
// endpoint.
type agentTarget struct {
	name    string
	rpc     string
	card    *record.Node
	binding binding.Binding // nil for the default binding
}

// fetchChosenAgents finds the agents that the operator chose. Its requests belong to the play of the
// card.
func (r *runner) fetchChosenAgents(ctx context.Context, f *discovery) error {
	want := r.target.Agent
	if want == "" || want == FirstAgent {
		return nil
	}
	if f.dialect.Directory.List != "" { // The scenarios request it.
		return nil
	}
	at := f.dialect.Agents
	if at.List == "" {
		return usageErrorf("--agent %s: in %s, a server has one agent; leave the flag out", want, f.dialect.Title)
	}
	play := &f.plays[slices.IndexFunc(f.plays, func(p record.Play) bool { return p.Scenario == "card" })]
	get := func(step, op, agent, address string) *record.Exchange {
		h := r.target.header()
		h.Set("Accept", "application/json")
		x := r.announceAndSendCall(ctx, client.Call{Method: http.MethodGet, URL: address, Header: h, Timeout: r.cardTimeout()}, nil)
		play.Steps = append(play.Steps, record.Step{Name: step, Role: record.Main, Op: op, Agent: agent, Exchange: x})
		f.tried = append(f.tried, fmt.Sprintf("GET %s: %s", address, describeOutcome(x)))
		return x
	}
	root := documentRoot(r.target.URL, f.dialect)
	list := get("agents", "document", "", root+at.List)
	listed := boundNames(card.ListedAgents(list.Reply().Root))
	if len(listed) == 0 && want != AllAgents {
		listed = []card.Names{{want}} // Without a list, the operator's choice counts.
	}
	if len(listed) == 0 {
		return usageErrorf("--agent %s: no agent's name could be read from %s (%s)", want, list.URL, describeOutcome(list))
	}
	if want == AllAgents && len(listed) > maxAgents {
		return usageErrorf("--agent all: the server lists %d agents, but one run judges at most %d; choose one with --agent NAME", len(listed), maxAgents)
	}
	var known []string
	for _, keys := range listed {
		known = append(known, keys[0])
		if want != AllAgents && !slices.Contains(keys, want) {
			continue
		}
		if want != AllAgents { // The given name comes first.
			keys = append(card.Names{want}, slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return k == want })...)
		}
		s := agentTarget{name: keys[0]}
		for i, key := range keys {
			step := fmt.Sprintf("agent-%d", len(f.subjects)+1)
			if i > 0 {
				step += "-other"
			}
			if x := get(step, "card", key, root+at.Path(at.Card, key)); isCard(x) {
				s.name, s.card = key, x.Reply().Root
				break
			}
		}
		s.rpc = root + at.Path(at.RPC, s.name)
		if slices.ContainsFunc(f.subjects, func(o agentTarget) bool { return o.name == s.name }) {
			continue
		}
		f.subjects = append(f.subjects, s)
	}
	if len(f.subjects) == 0 {
		return usageErrorf("--agent %s: the server lists no such agent; it has %s", want, sanitizeAndShorten(strings.Join(known, ", ")))
	}
	return nil
}

// boundNames removes names of agents that are too long to be repeated in calls.
func boundNames(listed []card.Names) (out []card.Names) {
	for _, names := range listed {
		names = slices.DeleteFunc(names, func(name string) bool { return len(name) > record.MaxID })
		if len(names) > 0 {
			out = append(out, names)
		}
	}
	return out
}

// assignScenariosToAgents decides which of the named scenarios are performed with which agent and interface. If the
// operator chose agents, the server's own endpoint is still called for what concerns the server.
func (r *runner) assignScenariosToAgents(ctx context.Context, f *discovery, setting func(agentTarget) *conversation.Setting, scenarioNames []string) (out []schedule.Assignment, err error) {
	var chosen []conversation.Scenario
	for _, sc := range r.scenarios(f.dialect) {
		if slices.Contains(scenarioNames, sc.Name) {
			chosen = append(chosen, sc)
		}
	}
	server := agentTarget{rpc: f.rpc, card: f.card}
	var disguise schedule.Assignment
	var crossing []schedule.Assignment // added after the plays of each interface
	add := func(s agentTarget, of func(conversation.Scenario) bool, most int) error {
		speaks, withheld, err := r.chooseCalledInterfaces(ctx, f.dialect, card.Of(f.dialect, s.card), s.rpc)
		if most > 1 {
			f.addWithheld(s.name, withheld)
		}
		var all []schedule.Assignment
		for n, by := range speaks[:min(most, len(speaks))] {
			s.binding, s.rpc = by.binding, by.rpc
			with := schedule.Assignment{Setting: setting(s), Agent: s.name, Binding: by.binding.Name()}
			if !by.full {
				on := with.Setting
				on.Needed = func(play, step string) bool {
					return isReadByBindingRequirement(on, by.binding, func(p, s string) bool { return p == play && (s == step || s == "") })
				}
			}
			if n > 0 {
				with.FurtherBinding = with.Binding
			}
			if disguise.Setting == nil || disguise.Agent == "" && s.name != "" { // The plays with changed user agents need only one agent.
				disguise = with
			}
			all = append(all, with)
			for _, sc := range chosen {
				if of(sc) && !sc.MultiInterface && (sc.Binding == "" || sc.Binding == by.binding.Kind()) && (by.full || !sc.MultiAgent && isNeededInBinding(with.Setting, sc, by.binding)) {
					with.Scenario = sc
					out = append(out, with)
				}
			}
		}
		for _, sc := range chosen {
			if sc.MultiInterface && of(sc) && len(all) > 1 {
				crossing = append(crossing, assignToAllInterfaces(sc, all))
			}
		}
		return err
	}
	if len(f.subjects) == 0 {
		err = add(server, func(conversation.Scenario) bool { return true }, maxAgents)
	} else {
		err = add(server, func(sc conversation.Scenario) bool { return sc.MultiAgent || sc.Name == "quick" }, 1)
	}
	for _, s := range f.subjects {
		if err == nil {
			err = add(s, func(sc conversation.Scenario) bool { return !sc.MultiAgent }, maxAgents)
		}
	}
	out = append(out, crossing...)
	if r.target.CompareUserAgents {
		disguise.Scenario = scenario.UserAgentComparisonScenario()
		out = append(out, disguise)
	}
	return out, err
}

// assignToAllInterfaces assigns a scenario to all interfaces of an agent together.
func assignToAllInterfaces(sc conversation.Scenario, all []schedule.Assignment) schedule.Assignment {
	var others []*conversation.Setting
	for _, a := range all[1:] {
		others = append(others, a.Setting)
	}
	a := all[0]
	a.Scenario, a.Setting.Others = sc, others
	return a
}

// checkAgent reports mistakes in the choice of agents before anything is sent.
func (t *target) checkAgent() error {
	if t.Agent != "" && t.Agent != FirstAgent && t.RPC != "" {
		return usageErrorf("--agent and --rpc are both given, but each sets the address of the calls; leave one of them out")
	}
	if t.Agent != "" && t.Dialect != "" && t.Dialect != "auto" {
		if d, err := t.loadDialect(t.Dialect); err == nil && t.Agent != FirstAgent && d.Agents.List == "" && (d.Directory.List == "" || t.Agent == AllAgents) {
			return usageErrorf("--agent %s: in %s, a server has one agent; leave the flag out", t.Agent, d.Title)
		}
	}
	return nil
}
