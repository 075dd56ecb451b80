package reports

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/a2a-conform/a2a-conform/suites/report"
)

// JUnit writes a report as JUnit XML. A testcase bears the id of its
// requirement. Only what breaks a MUST is a failure; but a run that fails
// nothing is not yet a run that proves something, so one more testcase, named
// verdict, fails unless the gate is met.
func JUnit(w io.Writer, r *report.Report) error {
	r = canonical(r)
	doc := junit.Testsuites{Name: "a2a-conform: " + Named(r.Target), Time: seconds(r.Run.DurationMs)}
	// Dashboards show the names of suites and not their properties. A URL is in
	// no such name: with its port it may be another in every run.
	family := line(r.Target.Dialect, maxName)
	if r.Target.Kind == bundled {
		family = Named(r.Target)
	}
	if r.NeedsCredentials { // before the many cases that are undecided because of it
		doc.AddSuite(verdictSuite(r, 0))
	}
	for _, a := range areas(r) {
		s := newSuite(r, len(doc.Suites), line(family+"."+a.Name, maxName), "0.000")
		if byBinding(r) != nil {
			addBindings(&s, inBindings(a.Results))
		}
		for _, res := range a.Results {
			s.AddTestcase(testcase(s.Name, res))
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
	s := newSuite(r, number, "verdict", seconds(r.Run.DurationMs))
	for _, p := range [][2]string{
		{"tool", r.Tool.Name + " " + r.Tool.Version}, {"catalogue", r.Tool.Catalogue}, {"catalogueVersion", catalogueVersion(r)},
		{"target", r.Target.URL}, {"kind", r.Target.Kind}, {"dialect", r.Target.Dialect}, {"card", r.Target.Card},
		{"selection", r.Run.Selection}, {"gate", r.Run.Gate}, {"verdict", string(r.Verdict)},
		{"exchanges", fmt.Sprint(r.Run.Exchanges)}, {"agentInvocations", fmt.Sprint(r.Run.AgentInvocations)},
	} {
		s.AddProperty(p[0], line(p[1], maxName))
	}
	addBindings(&s, byBinding(r))
	s.AddTestcase(verdictCase(r))
	return s
}

// addBindings says what the testcases of a suite came to in each of several bindings.
func addBindings(s *junit.Testsuite, rows []spoken) {
	for _, row := range rows {
		s.AddProperty("binding "+row.Who, row.words())
	}
}

func newSuite(r *report.Report, id int, name, time string) junit.Testsuite {
	s := junit.Testsuite{ID: id, Name: name, Time: time}
	s.AddProperty("judged", subject(r.Target))
	if !r.Run.StartedAt.IsZero() {
		s.SetTimestamp(r.Run.StartedAt)
	}
	return s
}

func seconds(ms int64) string { return fmt.Sprintf("%d.%03d", ms/1000, ms%1000) }

func testcase(class string, r *report.Result) junit.Testcase {
	c := junit.Testcase{Name: line(r.ID, maxName), Classname: class, Time: "0.000"}
	k := kindOf(r)
	message := line(r.Reason, maxReason)
	switch k {
	case fail:
		c.Failure = &junit.Result{Message: message, Type: string(r.Level), Data: body(r)}
	case suiteError:
		c.Error = &junit.Result{Message: message, Type: string(k), Data: body(r)}
	case inconclusive, waived, notApplicable, vacuous:
		c.Skipped = &junit.Result{Message: said(k, message), Data: body(r)}
	case warning, note:
		c.SystemOut = &junit.Output{Data: said(k, body(r))}
	case pass:
		if text := findings(r); text != "" {
			c.SystemOut = &junit.Output{Data: text}
		}
	}
	return c
}

// waiverCase fails where its owner has something to do.
func waiverCase(w *report.Waiver) junit.Testcase {
	c := junit.Testcase{Name: "waiver of " + line(w.ID, maxName), Classname: "waivers", Time: "0.000"}
	switch text := waivedLine(w); {
	case w.Overdue():
		c.Failure = &junit.Result{Message: line(w.Advice, maxReason), Type: string(w.State), Data: text}
	case w.State == report.Reworded:
		c.SystemOut = &junit.Output{Data: text + "\n" + line(w.Advice, maxReason)}
	case w.State == report.InForce:
		c.SystemOut = &junit.Output{Data: text}
	default:
		c.Skipped = &junit.Result{Message: stateWord(w.State), Data: text}
	}
	return c
}

func verdictCase(r *report.Report) junit.Testcase {
	c := junit.Testcase{Name: "verdict", Classname: "verdict", Time: seconds(r.Run.DurationMs)}
	text := fmt.Sprintf("%s: %s: %s", r.Verdict, Named(r.Target), counts(r))
	if r.NeedsCredentials {
		text = fmt.Sprintf("%s: %s: %s", r.Verdict, Named(r.Target), line(r.Reason, maxReason))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", text, meaning(r))
	if r.Reason != "" {
		fmt.Fprintf(&b, "%s\n", shown(r.Reason, maxReason))
	}
	for _, n := range noted(r) {
		fmt.Fprintf(&b, "notice: %s\n", n)
	}
	for _, g := range Gate(r) {
		fmt.Fprintln(&b, g)
	}
	for _, t := range tried(r) {
		fmt.Fprintf(&b, "tried: %s\n", line(t, maxReason))
	}
	for _, o := range undecided(r) {
		if o.Remedy != "" {
			fmt.Fprintf(&b, "to decide %s: %s\n", o.ids(20), line(o.Remedy, maxExcerpt))
		}
	}
	if report.ExitCode(r) == 0 {
		c.SystemOut = &junit.Output{Data: b.String()}
	} else {
		c.Failure = &junit.Result{Message: text, Type: "gate " + line(r.Run.Gate, maxName), Data: b.String()}
	}
	return c
}

// body is what a reader of a dashboard needs to act on a result.
func body(r *report.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s %s: %s\n", shown(r.Reason, maxReason), r.Level, cite(r.Section), line(r.Statement, maxReason))
	for _, remark := range remarks(r) {
		fmt.Fprintf(&b, "%s\n", line(remark, maxReason))
	}
	if r.Remedy != "" {
		fmt.Fprintf(&b, "to decide it: %s\n", line(r.Remedy, maxExcerpt))
	}
	if r.Because != "" {
		fmt.Fprintf(&b, "because of: %s\n", line(r.Because, maxName))
	}
	if len(inBindings([]*report.Result{r})) > 0 {
		fmt.Fprintf(&b, "%s\n", cells(r))
	}
	all, more := violations(r)
	for i, v := range all {
		if i > 0 && v.Text != "" {
			fmt.Fprintf(&b, "also: %s\n", line(v.Text, maxReason))
		}
		if v.Evidence != nil {
			fmt.Fprintf(&b, "evidence: %s\n", proof(*v.Evidence))
		}
	}
	if more > 0 {
		fmt.Fprintf(&b, "and %d more like these\n", more)
	}
	if r.Reproduce != "" {
		fmt.Fprintf(&b, "reproduce: sh %s\n", line(r.Reproduce, maxName))
	}
	b.WriteString(findings(r))
	return b.String()
}

// proof is a piece of evidence on one line.
func proof(e report.Evidence) string {
	s := place(e)
	if e.Excerpt != "" {
		s += ": " + line(e.Excerpt, maxExcerpt)
	}
	return s
}

func findings(r *report.Result) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "finding: %s", line(f.Text, maxReason))
		if f.Evidence != nil {
			fmt.Fprintf(&b, " (%s)", proof(*f.Evidence))
		}
		b.WriteString("\n")
	}
	return b.String()
}
