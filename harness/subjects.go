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
	"github.com/a2a-conform/a2a-conform/harness/scenario/endpoint"
)

// The words that choose agents otherwise than by name.
const (
	FirstAgent = "first" // the one that answers at the server's own endpoint
	AllAgents  = "all"   // each of those that the server lists
)

// maxSubjects bounds how many agents one run judges.
const maxSubjects = 20

// subject is an agent that conversations are held with. Without a name it is
// the one that answers at the server's own endpoint.
type subject struct {
	name    string
	rpc     string
	card    *record.Node
	binding binding.Binding // nil for the one that is spoken where nobody says otherwise
}

// choose finds the agents that the operator wants judged. The documents that
// it reads belong to the card play.
func (r *runner) choose(ctx context.Context, f *found) error {
	want := r.target.Agent
	if want == "" || want == FirstAgent {
		return nil
	}
	if f.dialect.Directory.List != "" { // the conversations look for it
		return nil
	}
	at := f.dialect.Agents
	if at.List == "" {
		return usage("--agent %s: in %s, a server has one agent; leave the flag out", want, f.dialect.Title)
	}
	play := &f.plays[slices.IndexFunc(f.plays, func(p record.Play) bool { return p.Scenario == "card" })]
	get := func(step, op, agent, address string) *record.Exchange {
		h := r.target.header()
		h.Set("Accept", "application/json")
		x := r.client.Do(ctx, client.Call{Method: http.MethodGet, URL: address, Header: h, Timeout: r.cardPatience()}, nil)
		play.Steps = append(play.Steps, record.Step{Name: step, Role: record.Main, Op: op, Agent: agent, Exchange: x})
		f.tried = append(f.tried, fmt.Sprintf("GET %s: %s", address, describeOutcome(x)))
		return x
	}
	root := base(r.target.URL, f.dialect)
	list := get("agents", "document", "", root+at.List)
	listed := boundNames(card.ListedAgents(list.Reply().Root))
	if len(listed) == 0 && want != AllAgents {
		listed = []card.Names{{want}} // the operator's word is taken where no list contradicts it
	}
	if len(listed) == 0 {
		return usage("--agent %s: no agent's name could be read from %s (%s)", want, list.URL, describeOutcome(list))
	}
	if want == AllAgents && len(listed) > maxSubjects {
		return usage("--agent all: the server lists %d agents, but one run judges at most %d; choose one with --agent NAME", len(listed), maxSubjects)
	}
	var known []string
	for _, keys := range listed {
		known = append(known, keys[0])
		if want != AllAgents && !slices.Contains(keys, want) {
			continue
		}
		if want != AllAgents { // the name that was given comes first
			keys = append(card.Names{want}, slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return k == want })...)
		}
		s := subject{name: keys[0]}
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
		if slices.ContainsFunc(f.subjects, func(o subject) bool { return o.name == s.name }) {
			continue
		}
		f.subjects = append(f.subjects, s)
	}
	if len(f.subjects) == 0 {
		return usage("--agent %s: the server lists no such agent; it has %s", want, printable(strings.Join(known, ", ")))
	}
	return nil
}

// boundNames leaves out the names of agents that are longer than calls may repeat.
func boundNames(listed []card.Names) (out []card.Names) {
	for _, names := range listed {
		names = slices.DeleteFunc(names, func(name string) bool { return len(name) > record.MaxID })
		if len(names) > 0 {
			out = append(out, names)
		}
	}
	return out
}

// cast is a scenario, the agent that it is played with, and how that is spoken to.
type cast struct {
	scenario conversation.Scenario
	setting  *conversation.Setting
	agent    string
	binding  string
	beside   string // the binding, where it is not the first of the agent's
}

// spoken are the bindings that a conversation goes by; none where it names none.
func (c cast) spoken() (names []string) {
	if c.binding != "" {
		names = append(names, c.binding)
	}
	for _, other := range c.others() {
		names = append(names, other.Binding.Name())
	}
	return names
}

// others are the further interfaces that a conversation goes to.
func (c cast) others() []*conversation.Setting {
	if !c.scenario.Several {
		return nil
	}
	return c.setting.Others
}

// casts says what is played with whom. Where agents were chosen, the server's
// own endpoint is still asked for what concerns the server.
func (r *runner) casts(ctx context.Context, f *found, setting func(subject) *conversation.Setting, names []string) (out []cast, err error) {
	var chosen []conversation.Scenario
	for _, sc := range r.all(f.dialect) {
		if slices.Contains(names, sc.Name) {
			chosen = append(chosen, sc)
		}
	}
	server := subject{rpc: f.rpc, card: f.card}
	var disguise cast
	var crossing []cast // come after the plays at each interface
	add := func(s subject, of func(conversation.Scenario) bool, most int) error {
		speaks, withheld, err := r.speaks(ctx, f.dialect, card.Of(f.dialect, s.card), s.rpc)
		if most > 1 {
			f.withhold(s.name, withheld)
		}
		var all []cast
		for n, by := range speaks[:min(most, len(speaks))] {
			s.binding, s.rpc = by.binding, by.rpc
			with := cast{setting: setting(s), agent: s.name, binding: by.binding.Name()}
			if !by.full {
				with.setting.Needed = func(play, step string) bool {
					return rests(f.dialect, by.binding, func(p, s string) bool { return p == play && (s == step || s == "") })
				}
			}
			if n > 0 {
				with.beside = with.binding
			}
			if disguise.setting == nil || disguise.agent == "" && s.name != "" { // no agent is reached, so that one of several will do
				disguise = with
			}
			all = append(all, with)
			for _, sc := range chosen {
				if of(sc) && !sc.Several && (sc.Binding == "" || sc.Binding == by.binding.Kind()) && (by.full || !sc.Many && partly(f.dialect, sc, by.binding)) {
					with.scenario = sc
					out = append(out, with)
				}
			}
		}
		for _, sc := range chosen {
			if sc.Several && of(sc) && len(all) > 1 {
				crossing = append(crossing, across(sc, all))
			}
		}
		return err
	}
	if len(f.subjects) == 0 {
		err = add(server, func(conversation.Scenario) bool { return true }, maxSubjects)
	} else {
		err = add(server, func(sc conversation.Scenario) bool { return sc.Many || sc.Name == "quick" }, 1)
	}
	for _, s := range f.subjects {
		if err == nil {
			err = add(s, func(sc conversation.Scenario) bool { return !sc.Many }, maxSubjects)
		}
	}
	out = append(out, crossing...)
	if r.target.CompareUserAgents {
		disguise.scenario = endpoint.Disguise
		out = append(out, disguise)
	}
	return out, err
}

// across is a scenario that goes to and fro between all interfaces of an agent, from
// the first.
func across(sc conversation.Scenario, all []cast) cast {
	var others []*conversation.Setting
	for _, c := range all[1:] {
		others = append(others, c.setting)
	}
	c := all[0]
	c.scenario, c.setting.Others = sc, others
	return c
}

// checkAgent finds slips in the choice of agents before anything is sent.
func (t *target) checkAgent() error {
	if t.Agent != "" && t.Agent != FirstAgent && t.RPC != "" {
		return usage("--agent and --rpc are both given, but each sets the address of the calls; leave one of them out")
	}
	if t.Agent != "" && t.Dialect != "" && t.Dialect != "auto" {
		if d, err := t.dialect(t.Dialect); err == nil && t.Agent != FirstAgent && d.Agents.List == "" && (d.Directory.List == "" || t.Agent == AllAgents) {
			return usage("--agent %s: in %s, a server has one agent; leave the flag out", t.Agent, d.Title)
		}
	}
	return nil
}
