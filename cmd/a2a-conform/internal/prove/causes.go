package prove

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// One defect is one cause, however many requirements notice it, and two defects
// are never one: servers with two defects at once show the latter.

// recordCausesAndCheckSingle notes what the failures under a mutant go back to, and demands that it is
// one, or that the others say why they are not (apart).
func (p *proof) recordCausesAndCheckSingle(m *Mutant, c *verdict.Decider, name string) {
	m.Causes = rootsOf(c, m.Fails)
	if p.only != nil || len(m.Causes) == 0 {
		return
	}
	told := 0
	for _, id := range m.Causes {
		if p.Dialect.Requirement(id).Apart[name] != "" {
			told++
		}
	}
	if told < len(m.Causes)-1 {
		p.addProblem("causes", m.Causes[len(m.Causes)-1], name, "is a separate cause in addition to %s, and apart gives no reason", m.Causes[0])
	}
	if told > 0 && told >= len(m.Causes) {
		p.addProblem("causes", m.Causes[0], name, "is listed in apart, but there is only one cause: delete the line")
	}
}

// rootsOf lists the failures that follow from no other.
func rootsOf(c *verdict.Decider, fails []string) (roots []string) {
	for id, root := range causeOfEach(c, fails) {
		if root == "" {
			roots = append(roots, id)
		}
	}
	slices.SortFunc(roots, func(a, b string) int { return cmp.Compare(slices.Index(fails, a), slices.Index(fails, b)) })
	return roots
}

// causeOfEach returns for each failure the one that it follows from.
func causeOfEach(c *verdict.Decider, fails []string) map[string]string {
	out := map[string]string{}
	results := c.Judge(fails)
	c.Causes(results)
	for _, r := range results {
		out[r.ID] = r.Because
	}
	return out
}

const (
	pairsDrawn  = 60 // servers with two defects
	pairsEnough = 40 // of them show both
	pairsSeed   = 20261122
)

// similarMutants are defects, by dialect, that no client can distinguish. In A2A 0.1, for either
// of these, tasks/get answers params of a wrong form as it answers an unknown task; in A2A 0.3 a
// task shows other artifacts than before, here or at another interface, and whether a stream with the id of
// another call is the one to which another interface is compared depends on how many streams came before; in A2A 1.0 a wrong order
// or context in a response to the older version may come from how that version is written, a
// guard that admits every client does so at every endpoint, and bad input may be an internal
// error because one exception handler serves all bindings. In A2X 0.3 both answer params without
// members with the same error, as a server does whose one exception handler answers for all
// operations.
var similarMutants = map[string][][2]string{
	"a2a-0.1": {{"get-number-misnamed", "positional-params"}},
	"a2a-0.3": {{"chunks-apart", "second-interface-drops-metadata"}, {"event-id-wrong-at-times", "grpc-stream-missing"}},
	"a2x-0.3": {{"get-without-id-internal", "message-missing-internal"}},
	"a2a-1.0": {{"version-shapes-older", "answer-begins-anew"}, {"history-in-older-words", "history-reversed"}, {"extended-card-open", "guard-open-stream"}, {"grpc-invalid-input-internal", "malformed-id-traced"}},
}

// drawDefectPairs chooses servers with two defects about different areas, the same ones
// every time.
func (m *Inputs) drawDefectPairs() (out []*Recording) {
	area := map[string]string{}
	for _, info := range reference.Mutants(m.Dialect.Name) {
		area[info.Name] = info.Area
	}
	byVariant := map[string][]*Recording{}
	var of []*Recording
	for _, rec := range m.Live {
		if len(rec.Named) > 0 && !rec.waits {
			of = append(of, rec)
			byVariant[rec.Variant] = append(byVariant[rec.Variant], rec)
		}
	}
	random := rand.New(rand.NewPCG(pairsSeed, 0))
	drawn := map[string]bool{}
	for range 100 * pairsDrawn {
		if len(out) == pairsDrawn || len(of) == 0 {
			break
		}
		a := of[random.IntN(len(of))]
		b := byVariant[a.Variant][random.IntN(len(byVariant[a.Variant]))]
		name := a.Mutant + "+" + b.Mutant
		same := slices.ContainsFunc(similarMutants[m.Dialect.Name], func(of [2]string) bool {
			return slices.Contains(of[:], a.Mutant) && slices.Contains(of[:], b.Mutant)
		})
		if area[a.Mutant] == area[b.Mutant] || drawn[name] || same {
			continue
		}
		drawn[name] = true
		pair := &Recording{Variant: a.Variant, Mutant: name, Named: slices.Concat(a.Named, b.Named), done: make(chan struct{}), both: [2]*Recording{a, b}}
		if a.Scenarios != nil && b.Scenarios != nil {
			pair.Scenarios = slices.Compact(slices.Sorted(slices.Values(slices.Concat(a.Scenarios, b.Scenarios))))
		}
		pair.covered = map[string]bool{}
		for _, r := range m.Dialect.Requirements {
			pair.covered[r.ID] = a.isCovered(r.ID) || b.isCovered(r.ID)
		}
		out = append(out, pair)
	}
	return out
}

// checkDefectPairCauses demands that two defects are two causes, and that what one of them breaks
// does not stand under the other. A pair of which one hides the other shows nothing.
func (p *proof) checkDefectPairCauses() {
	if p.only != nil || len(p.Pairs) == 0 {
		return
	}
	alone := map[string]Mutant{}
	for _, m := range p.out.Mutants {
		alone[m.Name] = m
	}
	shown := 0
	for _, rec := range p.Pairs {
		c := p.mutants[rec]
		if c == nil {
			c = rec.newDecider(p.Dialect, p.checks)
		}
		a, b := alone[rec.both[0].Mutant], alone[rec.both[1].Mutant]
		fails := slices.DeleteFunc(p.selectedIDs(), func(id string) bool { return !rec.isCovered(id) || c.Result(id).Verdict != report.Fail })
		from := causeOfEach(c, fails)
		of := func(m, other Mutant) (out []string) {
			for _, id := range m.Fails {
				if slices.Contains(fails, id) && !slices.Contains(other.Fails, id) {
					out = append(out, id)
				}
			}
			return out
		}
		ofA, ofB := of(a, b), of(b, a)
		if len(ofA) == 0 || len(ofB) == 0 {
			continue
		}
		shown++
		if roots := rootsOf(c, fails); len(roots) < 2 {
			p.addProblem("causes", roots[0], rec.Mutant, "two defects make one cause")
		}
		for id, root := range from {
			if slices.Contains(ofA, id) && slices.Contains(ofB, root) || slices.Contains(ofB, id) && slices.Contains(ofA, root) {
				p.addProblem("causes", id, rec.Mutant, "is grouped under %s, which another defect breaks", root)
			}
		}
	}
	p.out.Pairs = shown
	if len(p.Pairs) == pairsDrawn && shown < pairsEnough {
		p.addProblem("causes", "", "", "of %d servers with two defects only %d show both, and %d are wanted", len(p.Pairs), shown, pairsEnough)
	}
}
