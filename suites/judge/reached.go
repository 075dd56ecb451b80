package judge

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// Reached reports whether the server can be judged at all. It cannot be if every answer, the
// card's included, is a gateway's word that nobody is there, nor if nothing answered where
// calls go. If the selection asks nothing of that place, any answer of the server will do.
func (c *Case) Reached() bool {
	asked, answered, heard, silent := false, false, false, false
	for _, p := range c.Transcript.Plays {
		for _, s := range p.Steps {
			x := s.Exchange
			if x == nil || x.Dir == wire.In {
				continue
			}
			rpc, away := s.Op != "card" && s.Op != "document", binding.Unavailable(x)
			switch {
			case rpc && x.Answered() && !away:
				return true
			case rpc:
				asked, answered = true, answered || away
			case x.Answered() && !away:
				heard = true
			case x.Dir == wire.Out:
				silent = true
			}
		}
	}
	if asked {
		return answered && heard
	}
	return heard || !silent
}

// absent reports whether nothing in the whole transcript was answered by anybody but a
// gateway that has nobody behind it.
func (c *Case) absent() bool {
	asked := false
	for _, x := range c.Transcript.Exchanges {
		if x.Dir == wire.In || x.Dir == wire.Out && x.Answered() && !binding.Unavailable(x) {
			return false
		}
		asked = asked || x.Dir == wire.Out
	}
	return asked
}

// nobodyThere is why nothing was decided in a run in which no server answered.
const nobodyThere = "nothing answered in the whole run"

// WithoutAnswers leaves failures undecided if in the whole run no server was there that could
// have broken anything. What rests on a document of the operator's counts.
func (c *Case) WithoutAnswers(results []Result) {
	if !c.absent() {
		return
	}
	given := func(e Evidence) bool { return e.File != "" }
	for i := range results {
		r := &results[i]
		switch {
		case slices.ContainsFunc(r.Evidence, given):
		case r.Verdict == Fail, r.Verdict == Waived, r.Verdict == Inconclusive && r.Because != "":
			r.Verdict, r.Because, r.Reason, r.Remedy, r.stop = Inconclusive, "", nobodyThere, "", true
			r.Why, r.Others, r.More, r.broken, r.failed = nil, nil, 0, nil, nil
		}
	}
}
