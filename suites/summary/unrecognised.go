package summary

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/transport"
)

// Unrecognised represents the dialect if nothing of an A2A server was found.
const Unrecognised = "auto"

// ReportUnrecognised returns the report on a server that shows neither a card nor
// JSON-RPC: one requirement that every dialect shares, with what was tried as its
// evidence, so that such a run is never empty and never green. It fails only if the
// server is known to be meant: something at a well-known place claims to be a card, or
// the operator states that it is an A2A server.
func ReportUnrecognised(t *record.Transcript) *report.Report {
	result := undecidedDiscoveryResult(t, "")
	seen := readAnswers(t)
	reached := seen.answered > 0 || len(t.Exchanges) == 0
	// Only who was asked, and asked to the end, can have failed to answer.
	open := t.Facts.Cut
	if seen.answered > 0 && seen.answered == seen.limited {
		open = "the server refused every request because of its rate limit (HTTP 429)"
	}
	var why string
	verdict := report.Void
	switch broken, text := brokenCard(t); {
	case !reached || open != "":
		verdict = report.Decide([]report.Result{result}, true, reached, cutOf(t.Facts))
		why = undecidedReason(t, verdict, open)
		result.Reason = cmp.Or(open, why)
	case broken != nil:
		verdict, why, result.Verdict = report.Nonconformant, text, report.Fail
		result.Reason, result.Evidence = text, []report.Evidence{{Exchange: broken.ID}}
	case len(t.Facts.Given) > 0:
		verdict, result.Verdict = report.Nonconformant, report.Fail
		result.Reason = seen.String()
		why = "the server at " + t.Facts.Target + " shows no agent card and answers no JSON-RPC, although " + strings.Join(t.Facts.Given, " and ") + " says where it is"
	default:
		result.Reason = seen.String()
		why = "not recognised: no agent card or JSON-RPC endpoint was found at " + t.Facts.Target + "; if the card is elsewhere, give --card URL, and if it is the endpoint, --rpc URL and --dialect"
		if t.Facts.Lead != "" {
			why = "not recognised: " + t.Facts.Lead
		}
	}
	r := newReport(t, []report.Result{result})
	if result.Verdict == report.Inconclusive && isEveryAnswerUnauthorizedOrForbidden(t) {
		r.Results[0].Remedy = credentialFlagsToGive(t)
	}
	addFixToFailures(r.Results, schema.CommonFixText)
	r.Verdict, r.Reason, r.Tried = verdict, why, t.Facts.Tried
	return r
}

// undecidedDiscoveryResult returns the result of the requirement that a server can be recognised, undecided,
// with everything that was tried as its evidence.
func undecidedDiscoveryResult(t *record.Transcript, reason string) report.Result {
	req := schema.CommonRequirement(transport.Discoverable)
	evidence := []report.Evidence{}
	for _, x := range t.Exchanges {
		evidence = append(evidence, report.Evidence{Exchange: x.ID})
	}
	return report.Result{ID: req.ID, Level: req.Level, Area: req.Area, Section: req.Section, Statement: req.Statement,
		Verdict: report.Inconclusive, Reason: reason, Evidence: evidence, Findings: []report.Finding{}}
}

// answers counts what came of the questions of a run that recognised nothing.
type answers struct {
	asked    int
	answered int // by anybody but a gateway that has no one behind it
	limited  int // of these, refused because of the rate limit
}

func readAnswers(t *record.Transcript) (a answers) {
	for _, x := range t.Exchanges {
		a.asked++
		if x.Answered() && !binding.Unavailable(x) {
			a.answered++
		}
		if x.Status() == http.StatusTooManyRequests {
			a.limited++
		}
	}
	return a
}

func (a answers) String() string {
	return fmt.Sprintf("%d of %d requests got an HTTP response, but none was an agent card or JSON-RPC", a.answered, a.asked)
}

// brokenCard returns a document at a well-known place that claims to be JSON and is no card, and what
// is wrong with it; nil if there is none.
func brokenCard(t *record.Transcript) (*record.Exchange, string) {
	for _, p := range t.Plays {
		for _, s := range p.Steps {
			x := s.Exchange
			if s.Op != "card" || !x.Obtained() || !x.ClaimsJSON() {
				continue
			}
			if x.Ended == record.Limit || x.Ended == record.Timeout {
				continue // we stopped reading, so the text that we have is not the server's
			}
			what := "holds JSON, but no object"
			if broken := x.BrokenJSON(); broken != "" {
				what = "is not JSON: " + broken
			}
			return x, fmt.Sprintf("the agent card at %s %s", shorten.Visible(x.URL, 160), what)
		}
	}
	return nil, ""
}

// undecidedReason explains why a run came to nothing in which no server answered, or that was not
// asked to the end.
func undecidedReason(t *record.Transcript, verdict report.RunVerdict, open string) string {
	target := t.Facts.Target
	switch {
	case verdict == report.Void:
		return open + "; the report shows what was judged until then, but it proves nothing"
	case verdict == report.Unreachable && t.Facts.Cut != "":
		return t.Facts.Cut + " before anything answered at " + target + "; give a longer --deadline"
	case verdict == report.Unreachable:
		return cmp.Or(unreachedReason(t), "nothing answered at "+target+firstOutcomeSuffix(t.Facts.Tried))
	}
	return open + "; until then nothing showed whether " + target + " is an A2A server"
}

// unreachedReason explains why no one was there, if the answers of gateways or something else that
// came say so; "" if nothing came.
func unreachedReason(t *record.Transcript) string {
	var gateway *record.Exchange
	for _, x := range t.Exchanges {
		if x.Dir == record.Out && binding.Unavailable(x) {
			gateway = x
		} else if x.Answered() {
			return ""
		}
	}
	switch {
	case gateway != nil && gateway.GRPC() != nil:
		return "every call was answered UNAVAILABLE: the server at " + t.Facts.Target + " is down, or nobody is behind its gateway"
	case gateway != nil:
		return fmt.Sprintf("every answer was a gateway's (HTTP %d): the server behind %s is down", gateway.Status(), t.Facts.Target)
	case t.Facts.Lead != "":
		return "no HTTP response came from " + t.Facts.Target + ": " + t.Facts.Lead
	}
	return ""
}

// ReportMistake returns the report on a server whose own words leave open what to do: what
// it reported, and what the operator has to say before anything can be judged.
func ReportMistake(t *record.Transcript) *report.Report {
	result := undecidedDiscoveryResult(t, t.Facts.Hint)
	if t.Facts.Guarded {
		result.Remedy = credentialFlagsToGive(t)
	}
	r := newReport(t, []report.Result{result})
	r.Verdict, r.Reason, r.Tried, r.NeedsCredentials = report.Void, t.Facts.Hint, t.Facts.Tried, t.Facts.Guarded
	return r
}

// isEveryAnswerUnauthorizedOrForbidden reports whether the server refused every request as one refuses a client
// without the right credentials.
func isEveryAnswerUnauthorizedOrForbidden(t *record.Transcript) bool {
	forbidden := 0
	for _, x := range t.Exchanges {
		switch status := x.Status(); {
		case status == http.StatusUnauthorized || status == http.StatusForbidden:
			forbidden++
		case x.Answered():
			return false
		}
	}
	return forbidden > 0
}

// credentialFlagsToGive returns the flags by which the operator gives credentials, or other ones than
// those that the server refused.
func credentialFlagsToGive(t *record.Transcript) string {
	if len(t.Facts.Secrets) > 0 {
		return "valid credentials, by " + judge.CredentialFlags
	}
	return judge.CredentialFlags
}

// firstOutcomeSuffix returns what the first question came to.
func firstOutcomeSuffix(tried []string) string {
	if len(tried) == 0 {
		return ""
	}
	_, outcome, _ := strings.Cut(tried[0], ": ")
	return ": " + outcome
}
