package html

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/brief"
	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/layout"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// page is what the template shows. Every text in it is bounded and visible
// already; the escaping is html/template's.
type page struct {
	CSS       template.CSS
	Script    template.JS
	Policy    string
	Verdict   string // as in report.json
	Headline  string // the verdict for people
	Subject   string
	Judged    string // what the subject is, such as server
	Protocol  string
	Offers    [][2]string // what else the server offers, and the flag for it
	Meaning   string
	Reason    string
	Tried     []string
	First     []string // what has to be known before the verdict is read
	Notices   []string
	Facts     []fact
	Bars      []layout.Bar
	Causes    []cause
	Further   int    // causes beyond those
	CausesOf  string // how many causes how many failures have
	BrokenOf  string // the broken requirements by level, if there are several levels
	Jumps     []jump
	Decide    []decision
	Undone    int // ways to decide more beyond those
	Columns   []view.Kind
	Counts    []countRow
	Bindings  *bindingsView // nil if there is only one
	Gate      []string
	SDK       string // what of the failures is known of an SDK
	Next      view.Step
	Trend     *trendView // nil if no earlier runs are known
	Waivers   []waiverView
	Sections  []section
	Undecided []undecidedView
	Open      int
	Advice    []adviceParts
	Findings  []findingView
	Chips     layout.Chips
	Areas     []areaView
	Total     int
	Talks     conversations
	Uncited   string // what of the transcript is not on the page
	Prompt    string // how the text on each failure begins that the script makes for a coding agent
	Check     string // the command that judges the server again; "" for a transcript
	LeftOut   string // what a brief page leaves out; "" if it is whole
	Legend    []legendEntry
}

type findingView struct {
	ID, Text string
	Proof    *proofView
}

// newPage is the page without the bytes of exchanges, and who adds them.
func newPage(r *report.Report, t *record.Transcript, most pageLimits) (*page, *builder) {
	var xs []*record.Exchange // none of which a brief page has
	left := 0
	if !most.brief {
		xs, left = selectCitedExchanges(r, t)
	}
	b := newBuilder(r, t, xs, most)
	bindings := newBindingsView(r)
	p := &page{
		CSS: template.CSS(layout.CSS), Script: template.JS(layout.Script), Policy: layout.StyleAndScriptCSP(layout.CSS, layout.Script),
		Bindings: bindings,
		Verdict:  safetext.Line(string(r.Verdict), safetext.MaxName),
		Headline: safetext.Line(view.VerdictHeadline(r.Verdict), safetext.MaxName),
		Subject:  view.DescribeTargetWithURL(r.Target), Judged: r.Target.Subject(), Protocol: view.DialectName(r.Target), Offers: view.Offers(r.Target),
		Meaning: view.DescribeVerdict(r),
		Reason:  safetext.Text(r.Reason, most.reason),
		First:   view.Notices(r),
		Notices: listVerdictCaveats(r),
		Facts:   listFacts(r),
		Bars:    layout.NewTotalAndLevelBars(r),
		Legend:  buildLegend(r, bindings != nil),
		Open:    len(view.ResultsOfKind(r, view.Inconclusive)),
		Gate:    view.ExplainGateOutcome(r),
		SDK:     view.DescribeKnownSDKFaults(r),
		Next:    view.NextStep(r),
		Trend:   buildTrend(r.History),
		Total:   len(r.Results),
	}
	p.Causes, p.Further = firstCauses(r)
	p.CausesOf, p.BrokenOf = formatCauseAndFailureCounts(r), breakdownIfSeveralLevelsBroken(r)
	p.Decide, p.Undone = listUndecidedRemedies(r)
	p.Tried = view.ShortenEachLine(view.ListDiscoveryAttempts(r))
	for i := range atMost(r.Waivers, most.listed) {
		w := &r.Waivers[i]
		p.Waivers = append(p.Waivers, waiverView{safetext.Line(w.ID, safetext.MaxName), view.WaiverStateWord(w.State), strings.TrimPrefix(view.DescribeWaiverWithoutID(w), view.WaiverStateWord(w.State)+", "), safetext.Line(w.Advice, safetext.MaxReason), w.Overdue(), b.hasRequirement(w.ID)})
	}
	p.countLevels(r)
	p.Sections = b.buildProblemSections()
	b.fillFollowerCardPanes()
	for _, o := range atMost(view.GroupUndecidedByRemedy(r), most.listed) {
		p.Undecided = append(p.Undecided, b.buildUndecided(o))
	}
	for _, a := range atMost(view.RemainingAdvice(r), most.listed) {
		p.Advice = append(p.Advice, splitAdviceAroundCommand(a))
	}
	for i := range r.Results {
		p.Findings = append(p.Findings, b.buildFindings(&r.Results[i])...)
	}
	p.Findings = atMost(p.Findings, most.listed)
	for i, a := range view.GroupByArea(r) {
		p.Areas = append(p.Areas, b.buildArea(i, a))
	}
	p.Chips = b.kindLevelAndSubjectChips()
	if !most.brief {
		p.Talks = b.buildLanes(t)
		p.Uncited = describeShownExchanges(t, xs, left)
		p.Prompt, p.Check = brief.DescribeTask(r), view.CheckCommand(r.Target, "")
	}
	p.Jumps = p.listSectionJumps()
	if most.brief {
		if p.LeftOut = leftOutOfBrief; most.rowReason == 0 {
			p.LeftOut += noReasons
		}
	}
	return p, b
}

// buildProblemSections are the cards of what is not kept, by what it is called.
func (b *builder) buildProblemSections() (out []section) {
	subject := b.report.Target.Subject()
	failed := [3]string{"MUST requirements that the " + subject + " breaks, by cause: failures with the same cause stand below the first of them.",
		"SHOULD requirements that the " + subject + " does not follow. There may be good reasons.", "MAY requirements where the " + subject + " does something else."}
	if len(b.report.Target.Documents) > 0 {
		failed = [3]string{"Tests of the level MUST that failed.", "Tests of the level SHOULD that failed.", "Tests of the level MAY that failed."}
	}
	for _, s := range []struct {
		title, id, intro string
		kind             view.Kind
	}{
		{"Suite errors", "suite-errors", "a2a-conform failed here, not the " + subject + ". Please report it; until it is fixed, the run proves nothing.", view.SuiteError},
		{"Failures", "failures", failed[0], view.Fail},
		{"Warnings", "warnings", failed[1], view.Warning},
		{"Notes", "notes", failed[2], view.Note},
		{"Waived", "waived", "These fail; the waiver file says why that is tolerated and until when.", view.Waived},
	} {
		out = append(out, b.buildSection(s.title, s.id, s.intro, s.kind))
	}
	return out
}

func (p *page) countLevels(r *report.Report) {
	for _, c := range view.Columns {
		p.Columns = append(p.Columns, c.Kind)
	}
	for _, l := range view.Levels {
		count := r.Summary[string(l)]
		row := countRow{Level: string(l), Total: safetext.Thousands(count.Total())}
		for _, c := range view.Columns {
			k := c.Kind
			if k == view.Fail {
				k = view.KindOf(&report.Result{Level: l, Verdict: report.Fail})
			}
			row.Cells = append(row.Cells, layout.Cell{Kind: k, N: c.Of(count)})
		}
		p.Counts = append(p.Counts, row)
	}
}

func describeShownExchanges(t *record.Transcript, xs []*record.Exchange, left int) string {
	n := t.Spoken()
	if n == 0 {
		return ""
	}
	s := fmt.Sprintf("This page shows the bytes of %d of the run's %s: those that are evidence for a verdict.", (&record.Transcript{Exchanges: xs}).Spoken(), safetext.CountWithNoun(n, "exchange"))
	if left > 0 {
		s += fmt.Sprintf(" %s more would make this page too large.", safetext.CountWithNoun(left, "cited exchange"))
	}
	return s + " All bytes of all exchanges are in " + files.TranscriptFile + "."
}

func (b *builder) buildFindings(r *report.Result) []findingView {
	var out []findingView
	for _, f := range r.Findings {
		out = append(out, findingView{safetext.Line(r.ID, safetext.MaxName), safetext.Line(f.Text, b.most.reason), b.buildProof(f.Evidence)})
	}
	return out
}
