package prove

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/schema/shape"
)

// Derived mutants are edits of what was recorded. A sample of them also runs
// live, one for each definition and keyword, so that it is shown that a server
// with such a defect is caught from the first byte to the verdict.

// maxSampledRules is how many derived mutants of a dialect run live at most.
const maxSampledRules = 30

// sampleRuleRecordings chooses the rules, at most so many and the same ones every time: the first of each
// definition and keyword that can be broken on what a healthy server reported,
// spread over the schema.
func (m *Inputs) sampleRuleRecordings(most int) ([]*Recording, error) {
	rules, owners := m.listRulesWithOwners()
	full := m.Variants[0]
	healthy := full.newDecider(m.Dialect, nil)
	p := &proof{Inputs: m}
	seen := map[string]bool{}
	var all []*Recording
	for i, r := range rules {
		key := r.Definition + " " + r.Keyword
		if seen[key] || len(owners[i]) == 0 || r.Keyword == "not" {
			continue
		}
		for e := range p.findEdits(healthy, r, listRuleBreaks(nil, r, false)[0]) {
			seen[key] = true
			names, _, err := neededScenarios(m.Dialect, owners[i])
			if err != nil {
				return nil, err
			}
			if scenario := e.said.Play.Scenario; !slices.Contains(names, scenario) {
				names = append(names, scenario)
			}
			all = append(all, &Recording{Variant: full.Variant, Mutant: "live " + e.describeRule(), Named: owners[i], Scenarios: names, brokenRule: &r, done: make(chan struct{})})
			break
		}
	}
	if len(all) <= most {
		return all, nil
	}
	out := make([]*Recording, most)
	for i := range out {
		out[i] = all[i*len(all)/most]
	}
	return out, nil
}

// newRuleBreakingEdit returns an edit of answers that breaks a rule wherever its definition
// occurs.
func newRuleBreakingEdit(d *schema.Dialect, rule shape.Rule) answerEdit {
	s := answerBreaker{d, rule}
	return func(p *proxy, to proxyCall, r *http.Response) error {
		switch kind := mediaType(r); {
		case isJSON(kind):
			return replaceBody(r, func(text []byte) []byte { return s.breakRuleInJSON(to.by, to.op, p.replaceTargetHost(text)) })
		case kind == "text/event-stream":
			replaceLines(r, "", func(line string) string {
				if data, ok := strings.CutPrefix(line, "data:"); ok {
					line = "data: " + string(s.breakRuleInJSON(to.by, "event", []byte(strings.TrimPrefix(data, " "))))
				}
				return line + "\n"
			})
		}
		return nil
	}
}

type answerBreaker struct {
	dialect *schema.Dialect
	rule    shape.Rule
}

// breakRuleInJSON spoils one JSON text.
func (s *answerBreaker) breakRuleInJSON(by binding.Binding, op string, text []byte) []byte {
	root, faults := record.ObserveJSON(text)
	if root == nil || len(faults) > 0 {
		return text
	}
	types := s.dialect.Types
	shapes := s.dialect.Shapes()
	var places []string
	visit := func(definition, pointer string) {
		node := root.At(pointer)
		if node == nil || !shapes.Has(definition) {
			return
		}
		shapes.Walk(definition, node.Interface(), func(d, p string, _ any) {
			if d == s.rule.Definition {
				places = append(places, pointer+p)
			}
		})
	}
	switch op {
	case "card":
		visit(types.Card, "")
	case "event":
		if e := by.Event("stream", root); e.Bare || !e.Envelope.Exists() {
			visit(types.Event, e.Result.At)
		} else {
			visit(types.Frame, "")
		}
	default:
		a := by.Event(op, root)
		if a.Envelope.Exists() {
			visit(types.Envelope, "")
		}
		if a.Result.Exists() {
			visit(s.dialect.Operation(op).Result, a.Result.At)
		}
	}
	value := root.Interface()
	changed := false
	for _, place := range places {
		w := listRuleBreaks(nil, s.rule, false)[0] // the way that was found to break the rule
		if _, ok := w.treeEdit(&value, place); ok {
			changed = true
		}
	}
	if !changed {
		return text
	}
	out, err := json.Marshal(value)
	if err != nil {
		return text
	}
	return out
}
