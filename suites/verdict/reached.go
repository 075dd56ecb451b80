package verdict

import (
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Reached reports whether the server can be judged at all. It cannot be if every answer, the
// card's included, is that of a gateway without a server behind it, nor if nothing answered at
// the endpoint. A server that leaves HTTP/2 has answered. If the selection asks nothing of that
// place, any answer of the server will do.
func (c *Decider) Reached() bool {
	if c.OfClient() { // which is reached if it sent us anything
		return slices.ContainsFunc(c.Transcript.Exchanges, func(x *record.Exchange) bool { return x.Dir == record.In })
	}
	asked, answered, heard, silent := false, false, false, false
	for _, s := range c.Transcript.Steps() {
		x := s.Exchange
		if x == nil || x.Dir == record.In {
			continue
		}
		rpc, away := s.Op != "card" && s.Op != "document", binding.Unavailable(x)
		switch {
		case rpc && (x.Answered() && !away || x.BrokeHTTP2()):
			return true
		case rpc:
			asked, answered = true, answered || away
		case x.Answered() && !away:
			heard = true
		case x.Dir == record.Out:
			silent = true
		}
	}
	if asked {
		return answered && heard
	}
	return heard || !silent
}

// nothingAnswered reports whether nothing in the whole transcript was answered by anybody but a
// gateway that has no one behind it.
func (c *Decider) nothingAnswered() bool {
	asked := false
	for _, x := range c.Transcript.Exchanges {
		if x.Dir == record.In || x.Dir == record.Out && (x.Answered() && !binding.Unavailable(x) || x.BrokeHTTP2()) {
			return false
		}
		asked = asked || x.Dir == record.Out
	}
	return asked
}

// Why nothing was decided in a run in which no server answered, or nothing at the endpoint.
const (
	nobodyThere = "nothing answered in the whole run"
	noEndpoint  = "nothing answered in the whole run where calls go"
)

// withoutAnswers leaves failures undecided if in the whole run no server was there that could
// have broken anything, or if no connection came about at the endpoint. What rests on a
// document, such as the card, counts if that was answered, or was the operator's own.
func (c *Decider) withoutAnswers(results []Result) {
	why, absent := noEndpoint, c.nothingAnswered()
	switch {
	case absent:
		why = nobodyThere
	case c.Reached():
		return
	}
	taken := map[string]bool{}
	for i := range results {
		r := &results[i]
		if (r.Verdict == report.Fail || r.Verdict == report.Waived) && c.hasNoAnswer(r.Evidence, absent) {
			taken[r.ID] = true
			r.leaveUndecided(why)
		}
	}
	for i := range results {
		if r := &results[i]; r.Verdict == report.Inconclusive && r.Because != "" && (taken[r.Because] || absent) {
			r.leaveUndecided(why)
		}
	}
}

// hasNoAnswer reports whether all evidence is about calls to which nothing came. Whoever takes
// a connection and sends nothing is there, unless all of the run went so.
func (c *Decider) hasNoAnswer(evidence []report.Evidence, absent bool) bool {
	return !slices.ContainsFunc(evidence, func(e report.Evidence) bool {
		return e.File != "" || slices.ContainsFunc(c.Transcript.Exchanges, func(x *record.Exchange) bool {
			there := x.Answered() && !binding.Unavailable(x) || x.BrokeHTTP2() || !absent && x.Conn != 0
			return x.ID == e.Exchange && there
		})
	})
}
