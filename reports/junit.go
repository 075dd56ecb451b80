package reports

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// JUnit writes a report as JUnit XML. A testcase has the id of its
// requirement and its statement as its name. Only what breaks a MUST is a failure; but a run that fails
// nothing is not yet a run that proves something, so one more testcase, named
// verdict, fails unless the gate is met.
func JUnit(w io.Writer, r *report.Report) error {
	r = view.CopyWithBoundedTexts(r)
	doc := junit.Testsuites{Name: "a2a-conform: " + view.DescribeTargetByKind(r.Target), Time: formatSeconds(r.Run.DurationMs)}
	// Dashboards show the names of suites and not their properties. A URL is in
	// no such name: with its port it may be another in every run.
	family := safetext.Line(r.Target.Dialect, safetext.MaxName)
	if r.Target.Kind == view.Bundled {
		family = view.DescribeTargetByKind(r.Target)
	}
	if r.NeedsCredentials { // before the many cases that are undecided because of it
		doc.AddSuite(verdictSuite(r, 0))
	}
	for _, a := range view.GroupByArea(r) {
		s := newSuite(r, len(doc.Suites), safetext.Line(family+"."+a.Name, safetext.MaxName), "0.000")
		if view.CountByBinding(r) != nil {
			addBindings(&s, view.CountResultsByBinding(a.Results))
		}
		for _, res := range a.Results {
			s.AddTestcase(newTestcase(s.Name, res))
		}
		doc.AddSuite(s)
	}
	if len(r.Waivers) > 0 {
		s := newSuite(r, len(doc.Suites), "waivers", "0.000")
		for i := range r.Waivers {
			s.AddTestcase(waiverCase(&r.Waivers[i]))
		}
		doc.AddSuite(s)
	}
	if !r.NeedsCredentials {
		doc.AddSuite(verdictSuite(r, len(doc.Suites)))
	}

	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	return doc.WriteXML(w)
}

// verdictSuite is the suite of the run as a whole.
func verdictSuite(r *report.Report, number int) junit.Testsuite {
	s := newSuite(r, number, "verdict", formatSeconds(r.Run.DurationMs))
	for _, p := range [][2]string{
		{"tool", r.Tool.Name + " " + r.Tool.Version}, {"catalogue", r.Tool.Catalogue}, {"catalogueVersion", view.CatalogueVersion(r)},
		{"target", r.Target.URL}, {"kind", r.Target.Kind}, {"dialect", r.Target.Dialect}, {"card", r.Target.Card},
		{"selection", r.Run.Selection}, {"gate", r.Run.Gate}, {"verdict", string(r.Verdict)},
		{"exchanges", fmt.Sprint(r.Run.Exchanges)}, {"agentInvocations", fmt.Sprint(r.Run.AgentInvocations)},
	} {
		s.AddProperty(p[0], safetext.Line(p[1], safetext.MaxName))
	}
	addBindings(&s, view.CountByBinding(r))
	s.AddTestcase(verdictCase(r))
	return s
}

// addBindings adds a property for each binding, with the results of the testcases in it.
func addBindings(s *junit.Testsuite, rows []view.BindingCounts) {
	for _, row := range rows {
		s.AddProperty("binding "+row.Who, row.Describe())
	}
}

func newSuite(r *report.Report, id int, name, time string) junit.Testsuite {
	s := junit.Testsuite{ID: id, Name: name, Time: time}
	s.AddProperty("judged", view.DescribeTargetWithURL(r.Target))
	if !r.Run.StartedAt.IsZero() {
		s.SetTimestamp(r.Run.StartedAt)
	}
	return s
}

func formatSeconds(ms int64) string { return fmt.Sprintf("%d.%03d", ms/1000, ms%1000) }

func newTestcase(class string, r *report.Result) junit.Testcase {
	c := junit.Testcase{Name: testcaseName(r), Classname: class, Time: "0.000"}
	k := view.KindOf(r)
	message := safetext.Line(r.Reason, safetext.MaxReason)
	switch k {
	case view.Fail:
		c.Failure = &junit.Result{Message: message, Type: string(r.Level), Data: describeResult(r)}
	case view.SuiteError:
		c.Error = &junit.Result{Message: message, Type: string(k), Data: describeResult(r)}
	case view.Inconclusive, view.Waived, view.NotApplicable, view.Vacuous:
		c.Skipped = &junit.Result{Message: view.PrefixKind(k, message), Data: describeResult(r)}
	case view.Warning, view.Note:
		c.SystemOut = &junit.Output{Data: view.PrefixKind(k, describeResult(r))}
	case view.Pass:
		if text := describeFindings(r); text != "" {
			c.SystemOut = &junit.Output{Data: text}
		}
	}
	return c
}

// testcaseName returns the id of a requirement and what it demands: many dashboards show only names.
func testcaseName(r *report.Result) string {
	id, statement := safetext.Line(r.ID, safetext.MaxName), safetext.Line(r.Statement, safetext.MaxExcerpt)
	if statement == "" {
		return id
	}
	return id + ": " + statement
}

// waiverCase returns the testcase of a waiver, which fails if its owner has to act.
func waiverCase(w *report.Waiver) junit.Testcase {
	c := junit.Testcase{Name: "waiver of " + safetext.Line(w.ID, safetext.MaxName), Classname: "waivers", Time: "0.000"}
	switch text := view.WaiverLine(w); {
	case w.Overdue():
		c.Failure = &junit.Result{Message: safetext.Line(w.Advice, safetext.MaxReason), Type: string(w.State), Data: text}
	case w.State == report.Reworded:
		c.SystemOut = &junit.Output{Data: text + "\n" + safetext.Line(w.Advice, safetext.MaxReason)}
	case w.State == report.InForce:
		c.SystemOut = &junit.Output{Data: text}
	default:
		c.Skipped = &junit.Result{Message: view.WaiverStateWord(w.State), Data: text}
	}
	return c
}

func verdictCase(r *report.Report) junit.Testcase {
	c := junit.Testcase{Name: "verdict", Classname: "verdict", Time: formatSeconds(r.Run.DurationMs)}
	text := fmt.Sprintf("%s: %s: %s", r.Verdict, view.DescribeTargetByKind(r.Target), view.DescribeMusts(r))
	if r.NeedsCredentials {
		text = fmt.Sprintf("%s: %s: %s", r.Verdict, view.DescribeTargetByKind(r.Target), safetext.Line(r.Reason, safetext.MaxReason))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", text, view.DescribeVerdict(r))
	if r.Reason != "" {
		fmt.Fprintf(&b, "%s\n", safetext.Text(r.Reason, safetext.MaxReason))
	}
	for _, n := range view.Notices(r) {
		fmt.Fprintf(&b, "notice: %s\n", n)
	}
	for _, g := range view.ExplainGateOutcome(r) {
		fmt.Fprintln(&b, g)
	}
	for _, t := range view.ListDiscoveryAttempts(r) {
		fmt.Fprintf(&b, "tried: %s\n", safetext.Line(t, safetext.MaxReason))
	}
	for _, o := range view.GroupUndecidedByRemedy(r) {
		if o.Remedy != "" {
			fmt.Fprintf(&b, "to decide %s: %s\n", o.IDs(20), safetext.Line(o.Remedy, safetext.MaxExcerpt))
		}
	}
	if report.ExitCode(r) == 0 {
		c.SystemOut = &junit.Output{Data: b.String()}
	} else {
		c.Failure = &junit.Result{Message: text, Type: "gate " + safetext.Line(r.Run.Gate, safetext.MaxName), Data: b.String()}
	}
	return c
}

// describeResult is what a reader of a dashboard needs to act on a result.
func describeResult(r *report.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s %s: %s\n", safetext.Text(r.Reason, safetext.MaxReason), r.Level, view.CiteSection(r.Section), safetext.Line(r.Statement, safetext.MaxReason))
	for _, remark := range view.RequirementRemarks(r) {
		fmt.Fprintf(&b, "%s\n", safetext.Line(remark, safetext.MaxReason))
	}
	if r.Remedy != "" {
		fmt.Fprintf(&b, "to decide it: %s\n", safetext.Line(r.Remedy, safetext.MaxExcerpt))
	}
	if r.Because != "" {
		fmt.Fprintf(&b, "because of: %s\n", safetext.Line(r.Because, safetext.MaxName))
	}
	if len(view.CountResultsByBinding([]*report.Result{r})) > 0 {
		fmt.Fprintf(&b, "%s\n", view.SubjectVerdicts(r))
	}
	all, more := view.Violations(r)
	for i, v := range all {
		if i > 0 && v.Text != "" {
			fmt.Fprintf(&b, "also: %s\n", safetext.Line(v.Text, safetext.MaxReason))
		}
		if v.Evidence != nil {
			fmt.Fprintf(&b, "evidence: %s\n", view.DescribeEvidence(*v.Evidence))
		}
	}
	if more > 0 {
		fmt.Fprintf(&b, "and %d more like these\n", more)
	}
	if known := view.DescribeKnown(r); known != "" {
		fmt.Fprintf(&b, "known: %s\n", known)
	}
	if r.Fix != "" {
		fmt.Fprintf(&b, "fix: %s\n", safetext.Line(r.Fix, safetext.MaxExcerpt))
	}
	if r.Reproduce != "" {
		fmt.Fprintf(&b, "reproduce: sh %s\n", safetext.Line(r.Reproduce, safetext.MaxName))
	}
	b.WriteString(describeFindings(r))
	return b.String()
}

func describeFindings(r *report.Result) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "finding: %s", safetext.Line(f.Text, safetext.MaxReason))
		if f.Evidence != nil {
			fmt.Fprintf(&b, " (%s)", view.DescribeEvidence(*f.Evidence))
		}
		b.WriteString("\n")
	}
	return b.String()
}
