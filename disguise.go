package conform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// TwoFaced is the requirement that all dialects share about servers that know the
// suite. No protocol has a sentence on it, so that what is observed is a finding; but
// what such a server was seen to do is not what others get, so that no run with the
// finding is conformant. It belongs to no catalogue, and stands only in reports of
// runs that looked for it.
const TwoFaced = "A2A-FACE-000"

// TwoFacedStatement is what it asks.
const TwoFacedStatement = "A server answers the same call in the same way, whatever the client calls itself."

// undisguised is a transcript without the calls that were made to be compared. The
// requirements are judged as they are without them.
func undisguised(t *wire.Transcript) *wire.Transcript {
	if t.Play(binding.DisguisePlay) == nil {
		return t
	}
	plain, aside := *t, map[*wire.Exchange]bool{}
	plain.Plays = slices.DeleteFunc(slices.Clone(t.Plays), func(p wire.Play) bool {
		if p.Scenario != binding.DisguisePlay {
			return false
		}
		for _, s := range p.Steps {
			aside[s.Exchange] = true
		}
		return true
	})
	plain.Exchanges = slices.DeleteFunc(slices.Clone(t.Exchanges), func(x *wire.Exchange) bool { return aside[x] })
	return &plain
}

// faced compares how the suite and another client were answered, where a run looked
// for that. A difference counts that a second pair of calls showed too, while the
// answers to the same client were alike.
func faced(t *wire.Transcript) []judge.Result {
	if !t.Facts.Disguise {
		return nil
	}
	r := judge.Result{ID: TwoFaced, Level: schema.May, Area: "transport", Section: "every dialect", Statement: TwoFacedStatement,
		Verdict: judge.Inconclusive, Reason: "the run ended before it could make calls in the way another client makes them", Evidence: []judge.Evidence{}, Findings: []judge.Finding{}}
	p := t.Play(binding.DisguisePlay)
	if p == nil {
		return []judge.Result{r}
	}
	compared, open := 0, p.Stop
	for i := range p.Steps {
		other := &p.Steps[i]
		kind, ok := strings.CutSuffix(other.Name, binding.Disguised)
		if !ok || p.Step(kind) == nil {
			continue
		}
		as := p.Step(kind)
		if why := incomparable(as, other); why != "" {
			open = why
			continue
		}
		compared++
		for _, s := range []*wire.Step{as, other} {
			r.Evidence = append(r.Evidence, judge.Evidence{Exchange: s.Exchange.ID, Step: p.Scenario + "/" + s.Name})
		}
		differs := faceOf(as.Exchange).Differs(faceOf(other.Exchange))
		if differs == "" || !again(p, as, other) {
			continue
		}
		shown := r.Evidence[len(r.Evidence)-1]
		r.Findings = append(r.Findings, judge.Finding{Evidence: &shown,
			Text: fmt.Sprintf("the server answers %s differently if the client does not call itself a2a-conform: %s, twice each (exchanges %d and %d)", callWords[kind], differs, as.Exchange.ID, other.Exchange.ID)})
	}
	if compared > 0 {
		r.Verdict, r.Reason = judge.Pass, ""
	} else if open != "" {
		r.Reason = "nothing could be compared: " + open
	}
	return []judge.Result{r}
}

// callWords say what the calls are that were compared.
var callWords = map[string]string{"unknown-task": "a look-up of an unknown task", "unknown-method": "a call to an unknown method", "broken-json": "a call with incomplete JSON"}

// incomparable says why two steps tell nothing about each other.
func incomparable(steps ...*wire.Step) string {
	for _, s := range steps {
		switch {
		case s == nil || s.Exchange == nil && s.NotSent == "":
			return "a call was not repeated"
		case s.Exchange == nil:
			return s.NotSent
		case s.Limited != "":
			return s.Limited
		case s.Exchange.Ended == wire.Aborted:
			return "the run's time was up"
		}
	}
	return ""
}

// faceOf is what an answer looks like. The calls that are compared travel as those
// without another choice do, whatever the dialect.
func faceOf(x *wire.Exchange) binding.Face { return binding.FaceOf(binding.Of(nil, ""), x) }

// again reports whether the second pair of calls was answered as the first.
func again(p *wire.Play, as, other *wire.Step) bool {
	as2, other2 := p.Step(as.Name+binding.Again), p.Step(other.Name+binding.Again)
	return incomparable(as2, other2) == "" &&
		faceOf(as.Exchange) == faceOf(as2.Exchange) && faceOf(other.Exchange) == faceOf(other2.Exchange)
}

// twoFaced reports whether a server was seen to know the suite.
func twoFaced(results []judge.Result) bool {
	return slices.ContainsFunc(results, func(r judge.Result) bool { return r.ID == TwoFaced && len(r.Findings) > 0 })
}

// onlyForUs is why a run is partial whose server knows the suite.
func onlyForUs(r *judge.Report) string {
	text, must := "no MUST requirement is broken", r.Summary["MUST"]
	if must.Waived > 0 {
		text += " without a waiver"
	}
	if r.Run.Cut != "" {
		text = r.Run.Cut + "; " + text
	}
	if must.Inconclusive > 0 {
		text += ", " + areMusts(must.Inconclusive) + " undecided"
	}
	return text + ", but the server answers other clients differently, so other clients may not get what this run saw (" + TwoFaced + ")"
}
