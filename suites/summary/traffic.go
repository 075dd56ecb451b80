package summary

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// isServerTraffic reports whether a transcript is what a server answered to calls of others.
func isServerTraffic(t *record.Transcript) bool {
	return t.Facts.Kind == record.TrafficKind && t.Facts.Role != record.ClientRole
}

// judgeTraffic judges what a server answered to calls of others. Checks that read all texts see all ordinary calls. A check
// that asks for steps by their names is evaluated once for each view in which calls have these names.
func judgeTraffic(d *schema.Dialect, t *record.Transcript, checks judge.Checks, call Caller, ids []string) (*Judged, error) {
	views := traffic.ListViews(d, t)
	cache := judge.NewCache()
	c := verdict.NewDecider(d, views.Ordinary, checks, cache)
	judged := call(c, ids)
	joined := make([]joinedResult, len(judged))
	judgeForms(verdict.NewDecider(d, views.Forms, checks, cache), judged)
	for i, r := range judged {
		joined[i].whole = &r
	}
	asked := listPlaysAskedFor(d, checks, ids)
	for n := range views.Named {
		v := &views.Named[n]
		var some []string
		var at []int
		for i, id := range ids {
			if slices.ContainsFunc(asked[i], func(play string) bool { return v.Plays[play] }) {
				some, at = append(some, id), append(at, i)
			}
		}
		if len(some) == 0 {
			continue
		}
		in := verdict.NewDecider(d, v.Transcript, checks, cache)
		for k, r := range in.Judge(some) {
			joined[at[k]].addResult(r, in)
		}
	}
	byID := map[string]*verdict.Result{}
	for i := range joined {
		judged[i] = joined[i].decideWhole(d)
		byID[judged[i].ID] = &judged[i]
	}
	for i := range joined {
		joined[i].restOnFailures(d, &judged[i], byID)
		if judged[i].Verdict == report.Fail && joined[i].whole.Verdict == report.Fail && isAboutWordsOfClient(t, judged[i].Evidence) {
			judged[i] = leaveUndecided(&judged[i], "what is wrong is in a message of the client, which the server gave back")
		}
	}
	leaveUnfair(d, judged)
	leaveMissing(d, views.Ordinary, judged)
	j, err := reportJudged(d, t, c, judged)
	if err != nil {
		return nil, err
	}
	removeRunFlags(j.Report)
	limitTrafficVerdict(j.Report)
	if left := views.DescribeLeft(); left != "" {
		j.Report.Notices = append(j.Report.Notices, left)
	}
	return j, nil
}

// judgeForms replaces the results of checks that go by how an answer looks: they see the calls as well that were refused for
// reasons which the recording may not show.
func judgeForms(forms *verdict.Decider, judged []verdict.Result) {
	var ids []string
	at := map[string]int{}
	for i, r := range judged {
		if req := forms.Dialect.Requirement(r.ID); req != nil && traffic.GoesByForm(req.Check) {
			ids = append(ids, r.ID)
			at[r.ID] = i
		}
	}
	for _, r := range forms.Judge(ids) {
		judged[at[r.ID]] = r
	}
}

// listPlaysAskedFor returns for each requirement the plays that its check asks for a step of.
func listPlaysAskedFor(d *schema.Dialect, checks judge.Checks, ids []string) [][]string {
	out := make([][]string, len(ids))
	for i, id := range ids {
		req := d.Requirement(id)
		if req == nil || req.Check == "" || traffic.GoesByIntent(req.Check) {
			continue
		}
		steps, err := checks[req.Check].Needs(req.With)
		for _, step := range steps {
			if play, _, _ := strings.Cut(step, "/"); err == nil && !slices.Contains(out[i], play) {
				out[i] = append(out[i], play)
			}
		}
	}
	return out
}

// joinedResult is what a requirement came to in the views.
type joinedResult struct {
	whole  *verdict.Result  // on all ordinary calls
	best   *verdict.Result  // the one that decides
	in     *verdict.Decider // of the view that it is about
	passed *verdict.Result  // the first that holds
	failed int              // views in which it fails
	judged int              // views in which it is decided
}

// ranks orders verdicts by which of several views decides.
var ranks = []report.Verdict{report.Fail, report.SuiteError, report.Pass, report.Inconclusive, report.NotApplicable}

// addResult takes a result of a view. A failure decides, and else what holds somewhere and fails nowhere.
func (j *joinedResult) addResult(r verdict.Result, in *verdict.Decider) {
	if r.Verdict == report.Fail {
		j.failed++
	}
	if r.Verdict == report.Pass && j.passed == nil {
		j.passed = &r
	}
	if r.Verdict == report.Fail || r.Verdict == report.Pass {
		j.judged++
	}
	if j.best == nil || slices.Index(ranks, r.Verdict) < slices.Index(ranks, j.best.Verdict) {
		j.best, j.in = &r, in
	}
}

// restOnFailures leaves a failure in a view undecided if a requirement that it depends on fails, and is not decided in that
// view, or rests on such a one itself: the failure may be nothing but the consequence.
func (j *joinedResult) restOnFailures(d *schema.Dialect, r *verdict.Result, all map[string]*verdict.Result) {
	if r.Verdict != report.Fail || j.in == nil || j.whole.Verdict == report.Fail {
		return
	}
	for _, id := range listPrerequisites(d, r.ID) {
		root, here := all[id], j.in.Result(id)
		if here.Verdict == report.Inconclusive && here.Because != "" {
			root = all[here.Because]
		} else if here.Verdict.IsDecided() {
			continue
		}
		if root != nil && root.Verdict == report.Fail {
			*r = leaveUndecided(r, judge.DescribeDependency(&root.Result, ""))
			r.Because = root.ID
			return
		}
	}
}

// listPrerequisites returns the requirements that one depends on, and those that they depend on.
func listPrerequisites(d *schema.Dialect, id string) (out []string) {
	next := []string{id}
	for len(next) > 0 {
		req := d.Requirement(next[0])
		next = next[1:]
		if req == nil {
			continue
		}
		for _, after := range req.After {
			if !slices.Contains(out, after) {
				out, next = append(out, after), append(next, after)
			}
		}
	}
	return out
}

// decideWhole returns the result on the whole of the traffic.
func (j *joinedResult) decideWhole(d *schema.Dialect) verdict.Result {
	req := d.Requirement(j.whole.ID)
	if req != nil && traffic.GoesByIntent(req.Check) && j.whole.Verdict.IsDecided() {
		return leaveUndecided(j.whole, "it depends on what a message was sent for, and traffic does not show that")
	}
	switch {
	case j.best == nil:
		return *j.whole
	case j.whole.Verdict == report.Fail:
		return *j.whole
	case j.best.Verdict == report.Fail && j.passed != nil && req != nil && traffic.HoldsAnywhere(req.Check):
		return *j.passed
	case j.best.Verdict == report.Fail:
		out := *j.best
		if j.judged > 1 {
			out.Reason = fmt.Sprintf("%s (in %d of %d conversations)", out.Reason, j.failed, j.judged)
		}
		return out
	case j.whole.Verdict.IsDecided():
		return *j.whole
	case j.best.Verdict == report.Pass, j.whole.Verdict == report.Inconclusive:
		return *j.best
	}
	return *j.whole
}

// leaveUnfair leaves failures undecided for which others than the server may be the reason.
func leaveUnfair(d *schema.Dialect, judged []verdict.Result) {
	for i := range judged {
		r := &judged[i]
		req := d.Requirement(r.ID)
		cannot := func(at report.Evidence) bool { return !traffic.CanFail(req.Check, at.Pointer) }
		if r.Verdict == report.Fail && req != nil && slices.ContainsFunc(r.Evidence, cannot) {
			*r = leaveUndecided(r, "somebody else may be the reason, and traffic does not show that")
		}
	}
}

// leaveUndecided returns a result without a verdict, and the reason.
func leaveUndecided(r *verdict.Result, why string) verdict.Result {
	out := *r
	out.Verdict, out.Reason, out.Remedy, out.Because = report.Inconclusive, why, "", ""
	out.Evidence, out.Findings, out.Why, out.Others, out.More = []report.Evidence{}, []report.Finding{}, nil, nil, 0
	out.Failed, out.Held, out.Broken, out.Rest = nil, nil, nil, nil
	return out
}

// limitTrafficVerdict takes care that traffic is never more than partial: what did not occur was not asked for.
func limitTrafficVerdict(r *report.Report) {
	switch r.Verdict {
	case report.Nonconformant, report.Unreachable:
	default:
		r.Verdict = report.Partial
		r.Reason = "no MUST requirement is broken by what was recorded, and traffic does not show the rest"
	}
	r.NeedsCredentials = false
}

// removeRunFlags takes out of a report by which flags of a run more would be decided: nothing was run.
func removeRunFlags(r *report.Report) {
	r.Advice = nil
	for i := range r.Results {
		r.Results[i].Remedy = ""
	}
}

// isAboutWordsOfClient reports whether all that a failure of a server rests on is in messages of the client that the server
// gives back, as a history has them.
func isAboutWordsOfClient(t *record.Transcript, evidence []report.Evidence) bool {
	for _, at := range evidence {
		x := t.FindExchange(at.Exchange)
		if x == nil {
			return false
		}
		root := x.Reply().Root
		if events := x.Events(); at.Event > 0 && at.Event <= len(events) {
			root = events[at.Event-1].Root
		}
		before, rest, is := strings.Cut(at.Pointer, "/history/")
		index, _, _ := strings.Cut(rest, "/")
		role := root.At(before + "/history/" + index + "/role")
		if !is || role == nil || !strings.Contains(strings.ToLower(role.String), "user") {
			return false
		}
	}
	return len(evidence) > 0
}

// judgeCommon judges what all dialects share. Of traffic, what ordinary calls show is looked at, and no other client was
// compared.
func judgeCommon(c *verdict.Decider, t *record.Transcript) []verdict.Result {
	if t.Facts.Kind != record.TrafficKind {
		return c.JudgeCommon(schema.Commons(), t)
	}
	all := schema.Commons()
	gaps := collectGaps(c.Transcript)
	all = slices.DeleteFunc(slices.Clone(all), func(r schema.Common) bool {
		return r.Check == "" || traffic.NeedsWhatIsMissing(r.Check, gaps) || traffic.GoesByIntent(r.Check)
	})
	return c.JudgeCommon(all, c.Transcript)
}

// collectGaps returns what is missing in some exchange of a transcript.
func collectGaps(t *record.Transcript) (gaps record.Gaps) {
	for _, x := range t.Exchanges {
		if g := x.Gaps; g != nil {
			gaps.Fields, gaps.Bytes, gaps.Times = gaps.Fields || g.Fields, gaps.Bytes || g.Bytes, gaps.Times || g.Times
			gaps.Request, gaps.Response = gaps.Request || g.Request, gaps.Response || g.Response
		}
	}
	return gaps
}

// leaveMissing leaves requirements undecided whose checks look at something that the recording does not show.
func leaveMissing(d *schema.Dialect, t *record.Transcript, judged []verdict.Result) {
	gaps := collectGaps(t)
	for i := range judged {
		req := d.Requirement(judged[i].ID)
		switch {
		case req == nil || !judged[i].Verdict.IsDecided():
		case traffic.NeedsWhatIsMissing(req.Check, gaps):
			judged[i] = leaveUndecided(&judged[i], "the recording lacks what it is judged by: raw bytes, or the times at which they came")
		case t.Facts.Before && traffic.NeedsBeginning(req.Check):
			judged[i] = leaveUndecided(&judged[i], "it depends on what came before the recording begins")
		}
	}
}
