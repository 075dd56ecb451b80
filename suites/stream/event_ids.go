package stream

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type eventIDParams struct {
	observe.StepsRules
	Every string `json:"every"` // an operation: its streams are judged in addition to the named steps
}

// checkEventsEchoCallID leaves events that are no responses to the check of the data.
func checkEventsEchoCallID(t *judge.T, p eventIDParams) {
	p.FailIfBroken(t)
	var of []judge.Value
	for _, s := range t.Steps(p.Steps) {
		for _, e := range observe.RequireStream(t, s) {
			if e.IsObject() && !e.Document().Answer.Bare {
				of = append(of, e)
			}
		}
	}
	refusing := observe.FindStreamRefusalEvents(t)
	for _, e := range t.All(judge.EventText) {
		s := e.Document()
		named := slices.Contains(p.Steps, s.Play.Scenario+"/"+s.Step.Name)
		if s.Op == p.Every && !named && refusing[s.Exchange] == 0 && e.IsObject() && !s.Answer.Bare && observe.ReadableID(e) != nil && !observe.MayBeNull(t, e) {
			of = append(of, e)
		}
	}
	judge.Each(t, of, func(e judge.Value) { t.Expect(e.ID()).To(observe.BeNode(e.Sent().ID)) })
}
