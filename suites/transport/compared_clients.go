package transport

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// ComparedClients is the requirement about servers that know the suite. What such a server was
// seen to do is not what others get, so that no run with the finding is conformant.
const ComparedClients = "A2A-FACE-000"

// WithoutComparison returns a transcript without the calls that were made to be compared. The
// requirements are judged as they are without them.
func WithoutComparison(t *record.Transcript) *record.Transcript {
	if t.Play(binding.DisguisePlay) == nil {
		return t
	}
	return t.WithPlays(func(p *record.Play) bool { return p.Scenario != binding.DisguisePlay })
}

// checkComparedClients compares how the suite and another client were answered, if a run looked
// for that. A difference counts only if every further pair of calls showed it too.
func checkComparedClients(t *judge.T, _ struct{}) {
	recorded := t.Recorded()
	if !recorded.Facts.Disguise {
		t.StopNotApplicable("the run compared no clients")
	}
	p := recorded.Play(binding.DisguisePlay)
	if p == nil {
		t.StopInconclusive("", "the run ended before it could make calls in the way another client makes them")
	}
	compared, open := 0, p.Stop
	for i := range p.Steps {
		kind, ok := strings.CutSuffix(p.Steps[i].Name, binding.Disguised)
		if !ok || p.Step(kind) == nil {
			continue
		}
		pairs := listDisguisedCallPairs(p, kind)
		difference, why := pairs.describeDifference()
		if why != "" {
			open = why
			continue
		}
		compared++
		own, others := pairs[0].own.Exchange, pairs[0].others.Exchange
		t.Cite(own)
		t.Cite(others)
		if difference != "" {
			t.Remark(others, "the server answers %s differently if the client does not call itself a2a-conform: %s (the first are exchanges %d and %d)", callWords[kind], difference, own.ID, others.ID)
		}
	}
	if compared == 0 && open != "" {
		t.StopInconclusive("", "nothing could be compared: %s", open)
	}
	if compared == 0 {
		t.StopInconclusive("", "the run ended before it could make calls in the way another client makes them")
	}
}

// callWords say what the calls are that were compared.
var callWords = map[string]string{"unknown-task": "a look-up of an unknown task", "unknown-method": "a call to an unknown method", "broken-json": "a call with incomplete JSON"}

// facePair is one call as the suite made it, and as another client did.
type facePair struct{ own, others *record.Step }

type facePairs []facePair

// listDisguisedCallPairs returns the pairs of calls of one kind that were made to their end.
func listDisguisedCallPairs(p *record.Play, kind string) (out facePairs) {
	for _, ending := range binding.PairEndings {
		own, others := p.Step(kind+ending), p.Step(kind+binding.Disguised+ending)
		if own == nil || others == nil {
			break
		}
		out = append(out, facePair{own, others})
	}
	return out
}

// describeDifference returns in what all pairs differ, "" if in nothing, or why nothing can be
// compared. If the answers to one client change, it counts as a difference only if the answers
// to the other client are always alike and none of the changing ones is like them. That takes
// all pairs, as does a client that alone is limited.
func (pairs facePairs) describeDifference() (how, why string) {
	if len(pairs) == 0 {
		return "", "a call was not repeated"
	}
	all := len(pairs) == len(binding.PairEndings)
	if all && pairs.limitOthersAlone() {
		return fmt.Sprintf("only other clients are limited, %d times of %d", len(pairs), len(pairs)), ""
	}
	for i, p := range pairs {
		why := explainIncomparable(p.own, p.others)
		if why != "" && i == 0 {
			return "", why
		}
		if why != "" && pairs[:i].allDiffer() { // what came so far differs, and there was no time for more
			return "", why
		}
		if why != "" {
			return "", ""
		}
	}
	if len(pairs) == 1 {
		return "", ""
	}
	first, other := fingerprintAnswer(pairs[0].own.Exchange), fingerprintAnswer(pairs[0].others.Exchange)
	ownAlike, othersAlike := true, true
	for _, p := range pairs {
		own, others := fingerprintAnswer(p.own.Exchange), fingerprintAnswer(p.others.Exchange)
		ownAlike, othersAlike = ownAlike && own == first, othersAlike && others == other
	}
	text := fmt.Sprintf("%s, %d times each", first.Differs(other), len(pairs))
	switch {
	case ownAlike && othersAlike && first != other:
		return text, ""
	case all && ownAlike && pairs.neverLooksLike(first, func(p facePair) *record.Step { return p.others }):
		return "always alike for a2a-conform, and never so for another client: at first " + text, ""
	case all && othersAlike && pairs.neverLooksLike(other, func(p facePair) *record.Step { return p.own }):
		return "always alike for another client, and never so for a2a-conform: at first " + text, ""
	}
	return "", ""
}

// limitOthersAlone reports whether the rate limit refused each call of the other client, and
// none of the suite's.
func (pairs facePairs) limitOthersAlone() bool {
	return !slices.ContainsFunc(pairs, func(p facePair) bool {
		return explainIncomparable(p.own) != "" || p.others.Exchange == nil || p.others.Limited == ""
	})
}

// allDiffer reports whether the two clients were answered differently in each of the pairs.
func (pairs facePairs) allDiffer() bool {
	return !slices.ContainsFunc(pairs, func(p facePair) bool {
		return fingerprintAnswer(p.own.Exchange) == fingerprintAnswer(p.others.Exchange)
	})
}

// neverLooksLike reports whether no answer of one side looks like a face.
func (pairs facePairs) neverLooksLike(face binding.Fingerprint, side func(facePair) *record.Step) bool {
	return !slices.ContainsFunc(pairs, func(p facePair) bool { return fingerprintAnswer(side(p).Exchange) == face })
}

// explainIncomparable returns why steps cannot be compared; "" if they can.
func explainIncomparable(steps ...*record.Step) string {
	for _, s := range steps {
		switch {
		case s.Exchange == nil:
			return s.NotSent
		case s.Limited != "":
			return s.Limited
		case s.Exchange.Ended == record.Aborted:
			return "the run's time was up"
		}
	}
	return ""
}

// fingerprintAnswer returns what an answer looks like. The compared calls are sent as calls without a
// negotiated binding are, whatever the dialect.
func fingerprintAnswer(x *record.Exchange) binding.Fingerprint {
	return binding.FingerprintOf(binding.ByNameOrDefault(nil, ""), x)
}

// KnowsSuite reports whether a server was seen to know the suite.
func KnowsSuite(results []report.Result) bool {
	return slices.ContainsFunc(results, func(r report.Result) bool { return r.ID == ComparedClients && len(r.Findings) > 0 })
}
