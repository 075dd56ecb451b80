package conform

import (
	"fmt"
	"net/http"

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
const UnrecognisedStatement = "The server can be recognised as an A2A server: it publishes an agent card or answers JSON-RPC."

// unrecognisedOutcome is the report on a server that shows neither a card nor
// JSON-RPC: one failing requirement that every dialect shares, with what was
// tried as its evidence, so that such a run is never empty and never green.
func unrecognisedOutcome(t *wire.Transcript) *Outcome {
	result := judge.Result{
		ID: Unrecognised, Level: schema.Must, Area: "discovery", Section: "every dialect",
		Statement: UnrecognisedStatement,
		Verdict:   judge.Fail, Evidence: []judge.Evidence{}, Findings: []judge.Finding{},
	}
	answered, refused := 0, 0
	for _, x := range t.Exchanges {
		result.Evidence = append(result.Evidence, judge.Evidence{Exchange: x.ID})
		if x.Answered() {
			answered++
		}
		if x.Status() == http.StatusTooManyRequests {
			refused++
		}
	}
	result.Reason = fmt.Sprintf("the server answered %d of %d questions, none of them with an agent card or JSON-RPC", answered, len(t.Exchanges))
	// Only who was asked, and asked to the end, can have failed to answer.
	open := t.Facts.Cut
	if answered > 0 && answered == refused {
		open = "the server refused every request because of its rate limit (HTTP 429)"
	}
	reached := answered > 0 || len(t.Exchanges) == 0
	if open != "" {
		result.Verdict, result.Reason = judge.Inconclusive, open
	}
	results := []judge.Result{result}
	r := newReport(t, results)
	r.Verdict = judge.Decide(results, true, reached, cutOf(t.Facts))
	r.Tried = t.Facts.Tried
	switch {
	case r.Verdict == judge.Unreachable && r.Run.Cut != "":
		r.Reason = r.Run.Cut + " before anything answered at " + t.Facts.Target + "; give a longer --deadline"
	case r.Verdict == judge.Unreachable:
		r.Reason = "nothing answered at " + t.Facts.Target + first(t.Facts.Tried)
	case r.Verdict == judge.Nonconformant:
		r.Reason = "the server at " + t.Facts.Target + " shows no sign of an A2A server; if it is one, give --dialect, --card or --rpc"
	case r.Verdict == judge.Partial:
		r.Reason = open + "; until then nothing showed whether " + t.Facts.Target + " is an A2A server"
	default:
		r.Reason = explain(r)
	}
	return &Outcome{r, t, nil}
}

// slipOutcome is the report on a server whose own words leave open what to do: what
// it said, and what the operator has to say before anything can be judged.
func slipOutcome(t *wire.Transcript) *Outcome {
	result := judge.Result{
		ID: Unrecognised, Level: schema.Must, Area: "discovery", Section: "every dialect",
		Statement: UnrecognisedStatement,
		Verdict:   judge.Inconclusive, Reason: t.Facts.Hint, Evidence: []judge.Evidence{}, Findings: []judge.Finding{},
	}
	for _, x := range t.Exchanges {
		result.Evidence = append(result.Evidence, judge.Evidence{Exchange: x.ID})
	}
	r := newReport(t, []judge.Result{result})
	r.Verdict, r.Reason, r.Tried = judge.Void, t.Facts.Hint, t.Facts.Tried
	return &Outcome{r, t, nil}
}

// first is the first thing that was tried, with its outcome.
func first(tried []string) string {
	if len(tried) == 0 {
		return ""
	}
	return " (" + tried[0] + ")"
}
