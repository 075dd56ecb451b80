package verdict

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// splitByConfirmation returns what a client is judged by at first, and what its failures are
// judged by once more: the plays that were performed again, in place of the earlier ones. The
// second is nil if no play was performed again to confirm a failure.
func splitByConfirmation(t *record.Transcript) (first, again *record.Transcript) {
	repeated := map[string]bool{}
	for i := range t.Plays {
		if p := &t.Plays[i]; p.Client != nil && p.Client.Confirms {
			repeated[p.Scenario] = true
		}
	}
	if len(repeated) == 0 {
		return t, nil
	}
	confirms := func(p *record.Play) bool { return p.Client != nil && p.Client.Confirms }
	return t.WithPlays(func(p *record.Play) bool { return !confirms(p) }),
		t.WithPlays(func(p *record.Play) bool { return confirms(p) == repeated[p.Scenario] })
}

// undecideIfNotConfirmed takes back the failure of a client that did not show again when its
// scenario was played alone.
func (c *Decider) undecideIfNotConfirmed(r *Result) {
	if c.confirming == nil || r.Verdict != report.Fail {
		return
	}
	if again := c.confirming.Result(r.ID).Verdict; again == report.Fail || again == report.Waived {
		return
	}
	r.Verdict, r.Stopped = report.Inconclusive, true
	r.Reason = "unsteady: " + r.Reason + "; when the scenario was played again, alone, this did not show"
	r.Others, r.Why, r.More = nil, nil, 0
	r.Failed, r.Held, r.Broken = nil, nil, nil
}

// lacksClientNeed leaves a requirement on clients undecided if the operator did not give what it
// needs, with the words that would.
func (d *decision) lacksClientNeed(need string) bool {
	facts := d.runFacts()
	given := slices.Contains(facts.Operator, need) // the words of the operator
	kind, word, _ := strings.Cut(need, ".")
	remedy := ""
	if extra := schema.ClientNeedExtra(need); extra != "" {
		given, remedy = given || slices.Contains(facts.With, extra), "--with "+extra
	}
	switch kind {
	case "drive":
		given, remedy = given || len(facts.Command) > 0, "a command that starts the client, in place of --listen: a2a-conform client --dialect "+facts.Dialect+" -- COMMAND {url} {text}"
	case "turns":
		asked := slices.ContainsFunc(facts.Command, func(w string) bool { return strings.Contains(w, "{second}") })
		given, remedy = given || asked || facts.Calibration != nil && facts.Calibration.Second, judge.SecondMessageRemedy(facts)
	case "credential":
		given = given || len(facts.Secrets) > 0
	case "declares":
		if given = given || slices.Contains(facts.Operator, word); remedy == "" {
			remedy = "declares: {" + word + ": …}"
		}
		if word == "production" && !given {
			return d.leaveOut("it is judged only if you state that the client is in production: --declare production")
		}
	case "adapter":
		if facts.Calibration != nil && slices.Contains(facts.Calibration.Cannot, word) && !d.req.Obliged {
			return d.leaveOut("the client has nothing for the command %s: its program printed {\"cannot\":%[1]q}", word)
		}
		given = given || slices.Contains(facts.Operator, kind) || facts.Calibration != nil && facts.Calibration.Adapter
		remedy = judge.AdapterRemedy(facts)
	}
	return !given && d.leaveUndecided(remedy, "it needs %s, which this run has not", schema.ExplainClientNeed(need))
}
