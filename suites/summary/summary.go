// Package summary makes the report of a run from its sealed transcript: it has the requirements
// judged and states in words what came of them, what that is worth, and what would decide more.
package summary

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/transport"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// Caller is a way to judge the selected requirements of a case.
type Caller func(c *verdict.Decider, ids []string) []verdict.Result

// CallDirectly judges by calling the checks, some at the same time.
func CallDirectly(c *verdict.Decider, ids []string) []verdict.Result { return c.Judge(ids) }

// Judged is a transcript that was judged.
type Judged struct {
	Report *report.Report
	// Dialect is the one that was judged: it has the operator's own schema if the run had one.
	Dialect *schema.Dialect
	of      *verdict.Decider
}

// ShortestCalls finds for each failure of the report the fewest calls by which it shows, by the
// id of its requirement. It judges each failure again several times.
func (j *Judged) ShortestCalls() map[string]record.Excerpt {
	if j.of.OfClient() { // its calls are its own: no one can leave some out
		return nil
	}
	return j.of.ShortestCalls(j.Report.Results)
}

// Judge judges a sealed transcript and reports on it. It is all that a replay does.
func Judge(d *schema.Dialect, t *record.Transcript, checks judge.Checks, call Caller) (*Judged, error) {
	d, err := WithSchema(d, t.Facts.Schema)
	if err != nil {
		return nil, err
	}
	sel := t.Facts.Selection
	ids, err := suites.Select(d, sel)
	if err != nil {
		return nil, &operator.UsageError{Text: err.Error()}
	}
	if isServerTraffic(t) {
		return judgeTraffic(d, t, checks, call, ids)
	}
	c := verdict.NewDecider(d, transport.WithoutComparison(t), checks, nil)
	judged := slices.Concat(call(c, ids), brokenBeneath(c, ids))
	if t.Facts.Kind == record.TrafficKind {
		leaveMissing(d, t, judged)
	}
	return reportJudged(d, t, c, judged)
}

// reportJudged makes the report of what was judged.
func reportJudged(d *schema.Dialect, t *record.Transcript, c *verdict.Decider, judged []verdict.Result) (*Judged, error) {
	if !c.OfClient() { // what all dialects share is about servers
		judged = append(judged, judgeCommon(c, t)...)
	}
	c.DecideForRun(judged)
	c.NameSteps(judged)
	causes := c.Causes(judged)
	results := verdict.Reported(judged)
	addFixToFailures(results, d.FixText)
	facts := t.Facts
	full := facts.Selection.String() == "full"
	r := newReport(t, results)
	r.Tool.Catalogue = d.Digest
	r.Target.Title = d.Title
	r.Target.Offers = otherOffers(facts)
	r.Run.AgentInvocations = c.Invocations()
	r.Verdict = report.Decide(results, full && !transport.KnowsSuite(results), c.Reached(), cutOf(facts))
	if c.OfClient() {
		return summariseClient(d, c, t, r, judged, results, causes), nil
	}
	refused, needsCredentials := c.NeedsCredentials()
	if r.NeedsCredentials = needsCredentials; needsCredentials && r.Verdict != report.Nonconformant && r.Verdict != report.Unreachable {
		r.Verdict = report.Void
	}
	if card, ok := c.Card(); ok {
		sum := sha256.Sum256(card.Exchange().Response.Body)
		r.Target.Card = "sha256:" + hex.EncodeToString(sum[:])
		r.Target.Agent = shorten.Visible(c.ReadCard(card).Name(), 100)
	}
	r.Causes = causes
	addKnownFaults(r, c.Failures(judged), facts.SDK)
	r.Notices = slices.Concat(notOffered(d, facts), explainDialectChoice(d, facts), noteOutages(c), noteExpiredCredentials(c), noteFailingAgent(c), withoutTasks(results), Notices(t))
	r.Reason = explainVerdict(r) + describeMessageBudget(facts) + describeBindings(d, r) + describeUnjudgedBindings(c)
	if why := unreachedReason(t); r.Verdict == report.Unreachable && why != "" {
		r.Reason = why
	}
	if needsCredentials {
		r.Reason = explainRefused(r, refused)
	}
	r.Advice = listUndecidedRemedies(results)
	r.Waivers = c.Waivers(judged)
	r.Baseline = compareBaseline(facts.Baseline, results, schema.Changes())
	if r.Verdict == report.Unreachable || r.Target.Card == "" && len(d.Card.Paths) > 0 {
		r.Tried = facts.Tried
	}
	return &Judged{Report: r, Dialect: d, of: c}, nil
}

// describeMessageBudget returns how many messages the operator allowed, for the reason of a verdict; "" for any number.
func describeMessageBudget(f record.Facts) string {
	if f.Messages <= 0 {
		return ""
	}
	return fmt.Sprintf("; --max-messages %d leaves out what needs more messages to the agent", f.Messages)
}

// ListBreaking returns the exchanges on which requirements of some levels fail.
func (j *Judged) ListBreaking(levels ...schema.Level) map[*record.Exchange]bool {
	out := map[*record.Exchange]bool{}
	for _, r := range j.Report.Results {
		if (r.Verdict == report.Fail || r.Verdict == report.Waived) && slices.Contains(levels, r.Level) {
			for x := range j.of.Result(r.ID).Failed {
				out[x] = true
			}
		}
	}
	return out
}

// addFixToFailures adds to each failure what to change in the server.
func addFixToFailures(results []report.Result, fixOf func(id string) string) {
	for i := range results {
		if r := &results[i]; r.Verdict == report.Fail {
			r.Fix = fixOf(r.ID)
		}
	}
}

// Conversation names a scenario, and the agent and interface that it was performed with.
type Conversation struct {
	Scenario string
	record.Subject
}

// Invocations counts the messages that reached the agent in each conversation. Plays that were held again,
// because something disturbed them, count once.
func (j *Judged) Invocations() map[Conversation]int {
	out := map[Conversation]int{}
	for i := range j.of.Transcript.Plays {
		p := &j.of.Transcript.Plays[i]
		if p.Attempt <= 1 {
			out[Conversation{p.Scenario, p.Subject}] += j.of.InvocationsOf(p)
		}
	}
	return out
}

// WithSchema returns the dialect as the operator's schema has it judged, if there is one.
func WithSchema(d *schema.Dialect, s *operator.Schema) (*schema.Dialect, error) {
	if s == nil {
		return d, nil
	}
	own, err := d.Given(s.File, []byte(s.Text))
	if err != nil {
		return nil, &operator.UsageError{Text: "--schema: " + err.Error()}
	}
	return own, nil
}

// brokenBeneath returns the broken requirements that the judged ones rest on,
// though they were not selected: leaving them out would hide why nothing could
// be decided.
func brokenBeneath(c *verdict.Decider, ids []string) (out []verdict.Result) {
	for _, id := range ids {
		root := c.Result(id).Because
		if root == "" || slices.Contains(ids, root) || slices.ContainsFunc(out, func(r verdict.Result) bool { return r.ID == root }) {
			continue
		}
		if r := c.Result(root); r.Verdict == report.Fail || r.Verdict == report.Waived {
			out = append(out, *r)
		}
	}
	return out
}

// cutOf reports how a run ended.
func cutOf(f record.Facts) report.Cut {
	switch {
	case f.Stopped:
		return report.Interrupted
	case f.Cut != "":
		return report.OutOfTime
	}
	return report.Whole
}

// newReport fills in what the transcript alone reports.
func newReport(t *record.Transcript, results []report.Result) *report.Report {
	facts := t.Facts
	r := &report.Report{
		SchemaVersion: "1",
		Tool:          report.Tool{Name: "a2a-conform", Version: facts.Tool, CatalogueVersion: schema.Changes().Latest()},
		Target: report.Target{Kind: facts.Kind, URL: facts.Target, RPC: facts.RPC, Agents: facts.Agents, Bindings: facts.Bindings, Withheld: uncalledInterfaces(facts), Dialect: facts.Dialect,
			Declares: map[string][]string{}, Insecure: facts.Insecure},
		Run: report.Run{StartedAt: t.Started.UTC(), DurationMs: t.Duration.Milliseconds(), Exchanges: t.Spoken(),
			Repeats: transport.CountRepeats(t), Selection: facts.Selection.String(), Gate: facts.Gate, Waited: facts.Waited, Cut: facts.Cut},
		Summary: report.Summarize(results),
		Results: results,
	}
	if len(facts.Never) > 0 {
		r.Target.Declares["never"] = facts.Never
	}
	if len(facts.Operator) > 0 {
		r.Target.Declares["words"] = facts.Operator
	}
	if l := facts.RateLimit; l != nil {
		r.Target.Declares["rateLimit"] = []string{fmt.Sprintf("%d requests in %v s", l.Requests, l.Seconds)}
	}
	if l := facts.Timeouts; l != nil {
		for name, seconds := range map[string]float64{"call": l.Call, "stream": l.Stream} {
			if seconds > 0 {
				r.Target.Declares["timeouts."+name] = []string{fmt.Sprintf("%v s", seconds)}
			}
		}
	}
	return r
}

// uncalledInterfaces returns the interfaces that were not called, as the report has them.
func uncalledInterfaces(f record.Facts) (out []report.Withheld) {
	for _, w := range verdict.Uncalled(f) {
		out = append(out, report.Withheld(w))
	}
	return out
}
