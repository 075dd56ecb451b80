package conform

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// unrecognised stands for the dialect where nothing of an A2A server was found.
const unrecognised = "auto"

// Unrecognised is the requirement that all dialects share, which fails where
// nothing of an A2A server was found. It belongs to no catalogue.
const Unrecognised = "A2A-DISC-000"

// UnrecognisedStatement is what it asks.
const UnrecognisedStatement = "The server can be told to be an A2A server: it publishes an agent card or answers JSON-RPC."

// unrecognisedOutcome is the report on a server that shows neither a card nor
// JSON-RPC: one failing requirement that every dialect shares, with what was
// tried as its evidence, so that such a run is never empty and never green.
func unrecognisedOutcome(t *wire.Transcript) *Outcome {
	result := judge.Result{
		ID: Unrecognised, Level: schema.Must, Area: "discovery", Section: "every dialect",
		Statement: UnrecognisedStatement,
		Verdict:   judge.Fail, Evidence: []judge.Evidence{}, Findings: []judge.Finding{},
	}
	answered := 0
	for _, x := range t.Exchanges {
		result.Evidence = append(result.Evidence, judge.Evidence{Exchange: x.ID})
		if x.Answered() {
			answered++
		}
	}
	result.Reason = fmt.Sprintf("the server answered %d of %d questions, none of them with an agent card or JSON-RPC", answered, len(t.Exchanges))
	results := []judge.Result{result}
	r := newReport(t, results)
	r.Verdict = judge.Decide(results, true, answered > 0, cutOf(t.Facts))
	r.Tried = t.Facts.Tried
	switch r.Verdict {
	case judge.Unreachable:
		r.Reason = "nothing answered at " + t.Facts.Target + first(t.Facts.Tried)
		if r.Run.Cut != "" {
			r.Reason = r.Run.Cut + " before anything answered at " + t.Facts.Target + "; give a longer --deadline"
		}
	case judge.Nonconformant:
		r.Reason = "what answers at " + t.Facts.Target + " shows no sign of an A2A server; if it is one, give --dialect, --card or --rpc"
	default:
		r.Reason = explain(r)
	}
	return &Outcome{r, t, nil}
}

// first is the first thing that was tried, with its outcome.
func first(tried []string) string {
	if len(tried) == 0 {
		return ""
	}
	return " (" + tried[0] + ")"
}
