package prove

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// stepSet names steps of plays, as "scenario/step". Exchanges bear other numbers
// in another recording; steps keep their names.
type stepSet map[string]bool

// defectSteps returns the steps in which a defect was seen: those that the evidence
// of the requirements it is about points at.
func defectSteps(c *verdict.Decider, about []string) stepSet {
	names := stepNames(c.Transcript, stepName)
	out := stepSet{}
	for _, id := range about {
		r := c.Result(id)
		for _, e := range r.Evidence {
			out.addSteps(names[e.Exchange])
		}
		for _, f := range r.Findings {
			if f.Evidence != nil {
				out.addSteps(names[f.Evidence.Exchange])
			}
		}
	}
	return out
}

func (s stepSet) addSteps(names []string) {
	for _, n := range names {
		s[n] = true
	}
}

// anyOf reports whether a check looked at one of the steps in another case, in which
// steps are named alike.
func (s stepSet) anyOf(c *verdict.Decider, reads []judge.Read, name stepNaming) bool {
	names := stepNames(c.Transcript, name)
	return slices.ContainsFunc(reads, func(r judge.Read) bool {
		return slices.ContainsFunc(names[r.Exchange], func(n string) bool { return s[n] })
	})
}

// playedStepNames returns the steps that were made in a case, by sourced names.
func playedStepNames(c *verdict.Decider) stepSet {
	out := stepSet{}
	for _, names := range stepNames(c.Transcript, stepNameWithSource) {
		out.addSteps(names)
	}
	return out
}

// stepNaming names a step of a play.
type stepNaming func(p *record.Play, s *record.Step) string

func stepName(p *record.Play, s *record.Step) string { return p.Scenario + "/" + s.Name }

// stepNameWithSource is plain, with the step whose exchange this is: if fewer plays are held, a
// message may be another than the one on which the step rests in a whole run.
func stepNameWithSource(p *record.Play, s *record.Step) string { return stepName(p, s) + " " + s.Of }

// stepNames lists the steps of each exchange, by its number.
func stepNames(t *record.Transcript, name stepNaming) map[int][]string {
	out := map[int][]string{}
	for _, p := range t.Plays {
		for _, s := range p.Steps {
			if s.Exchange != nil {
				out[s.Exchange.ID] = append(out[s.Exchange.ID], name(&p, &s))
			}
		}
	}
	return out
}
