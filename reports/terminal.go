package reports

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// printViolationParts prints a violation in its parts, by which known fault of an SDK it comes about, and what to change in
// the server, unless these are "".
func (p *printer) printViolationParts(v *report.Why, fix, known string) {
	for _, part := range [][2]string{{"sent", v.Sent}, {"got", v.Came()}, {"expected", v.Due}, {"known", known}, {"fix", fix}, {"where", v.At.String()}} {
		if strings.TrimSpace(part[1]) != "" {
			p.printLabeledLine(part[0], safetext.Line(part[1], safetext.MaxExcerpt))
		}
	}
}

// Terminal prints the end of a run: notices, what is broken, what could not be decided and what would decide
// it, the counts, the verdict, and on the last line what to do next. Lines are not wrapped. Errors of w are ignored, as with
// any print to a terminal.
func Terminal(w io.Writer, r *report.Report, color bool) {
	TerminalWithRest(w, r, color, RestInPage)
}

// How the reader gets to see what there is no room for on a terminal, for TerminalWithRest.
const (
	RestInPage    = "see " + files.HTMLFile
	RestUnwritten = "--out DIR writes them" // the run had no --out
)

// TerminalWithRest is Terminal for a run that may have written no files: rest names how the reader gets to see what there is no
// room for, such as by which flag it is written.
func TerminalWithRest(w io.Writer, r *report.Report, color bool, rest string) {
	r = view.CopyWithBoundedTexts(r)
	p := &printer{Writer: bufio.NewWriter(w), color: color, sdk: r.SDK, rest: rest}
	defer p.Flush()
	for _, n := range view.Notices(r) {
		fmt.Fprintf(p, "%s %s\n\n", p.colorize(yellow, "NOTICE"), n)
	}
	p.printResults(view.ResultsOfKind(r, view.SuiteError), "ERROR", magenta, nil)
	follow := view.DependentFailures(r)
	p.printResults(view.RootFailures(r, view.Fail), "FAIL", red, follow)
	p.printResults(view.RootFailures(r, view.Warning), "WARN", yellow, follow)
	p.printResults(view.RootFailures(r, view.Note), "NOTE", cyan, follow)
	p.printResults(view.ResultsOfKind(r, view.Waived), "WAIVED", yellow, nil)
	if !nothingJudged(r) { // the reason of the verdict explains it
		p.printUndecided(r)
	}
	p.printFindings(r)
	if !nothingJudged(r) {
		p.printLevelCounts(r)
	}
	p.printBindingCounts(r)
	for _, d := range view.DescribeOperatorDeclarations(r) {
		fmt.Fprintln(p, d)
	}
	for _, w := range view.UndecidedWaivers(r) {
		fmt.Fprintln(p, w)
	}
	p.printRunSummary(r)
}

// nothingJudged reports whether no requirement of a protocol was judged: the protocol was not recognised, or
// the server did not answer. The reason of the verdict explains it.
func nothingJudged(r *report.Report) bool {
	return len(r.Results) == 1 && r.Results[0].Verdict == report.Inconclusive && (r.Verdict == report.Void || r.Verdict == report.Unreachable) && r.Target.Dialect == "auto"
}

// Quiet prints one line: the verdict, what was judged, and why. Above it are only lines that require the
// reader to act.
func Quiet(w io.Writer, r *report.Report) {
	r = view.CopyWithBoundedTexts(r)
	b := bufio.NewWriter(w)
	defer b.Flush()
	for _, n := range view.Notices(r) {
		fmt.Fprintf(b, "notice: %s\n", n)
	}
	for _, g := range view.ExplainGateOutcome(r) {
		fmt.Fprintln(b, g)
	}
	fmt.Fprintf(b, "%s: %s: %s", r.Verdict, view.DescribeTargetByKind(r.Target), view.ExplainVerdict(r))
	if each := view.DescribeFailuresByBinding(r); each != "" {
		fmt.Fprintf(b, " (broken in each binding: %s)", each)
	}
	b.WriteString("\n")
}

type printer struct {
	*bufio.Writer
	color bool
	sdk   *report.SDKFaults // whose known faults some failures are; may be nil
	rest  string            // how to see what there is no room for
}

// Colors of the sixteen that every terminal has and its user may have chosen.
const (
	red     = "31;1"
	green   = "32;1"
	yellow  = "33"
	magenta = "35;1"
	cyan    = "36"
	bold    = "1"
	faint   = "2"
)

func (p *printer) colorize(code, s string) string {
	if !p.color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p *printer) printResults(results []*report.Result, word, color string, follow map[string][]*report.Result) {
	for i, r := range results {
		if i == view.MaxPrinted {
			fmt.Fprintf(p, "%s %d more: %s\n\n", p.colorize(color, word), len(results)-i, p.rest)
			break
		}
		p.printHeading(word, color, r)
		if r.Cause != "" {
			p.printIndented("in general: " + safetext.Line(r.Cause, safetext.MaxExcerpt))
		}
		p.printViolations(r)
		if each := view.SubjectVerdicts(r); each != "" {
			fmt.Fprintf(p, "    %s\n", each)
		}
		if r.Reproduce != "" {
			p.printLabeledLine("reproduce", p.colorize(faint, "sh "+safetext.Line(r.Reproduce, safetext.MaxName)))
		}
		p.printDependents(follow[r.ID])
		p.WriteString("\n")
	}
}

// printHeading prints the line above a result.
func (p *printer) printHeading(word, color string, r *report.Result) {
	place := safetext.Line(r.Area, safetext.MaxName) + " " + view.CiteSection(r.Section)
	fmt.Fprintf(p, "%s %s %s %s\n", p.colorize(color, word), p.colorize(bold, safetext.Line(r.ID, safetext.MaxName)), r.Level, p.colorize(faint, place))
}

// printViolations prints what is required, and what was sent, what came back and what was
// expected in its place, each on a line.
func (p *printer) printViolations(r *report.Result) {
	if r.Statement != "" {
		p.printLabeledLine("required", safetext.Line(r.Statement, safetext.MaxExcerpt))
		for _, remark := range view.RequirementRemarks(r) {
			fmt.Fprintf(p, "    %s\n", p.colorize(faint, safetext.Line(remark, safetext.MaxExcerpt)))
		}
	}
	const most = 3
	listed, more := view.Violations(r)
	inParts := r.Verdict == report.Fail && listed[0].Why != nil
	all := view.GroupAlikeViolations(listed)
	if !inParts {
		p.printIndented(r.Reason)
	}
	for j, v := range all {
		if j == most {
			for _, left := range all[j:] {
				more += 1 + left.Others
			}
			break
		}
		switch {
		case r.Verdict == report.Fail && v.Why != nil:
			fix, known := "", ""
			if j == 0 { // all violations have the same
				fix, known = r.Fix, view.DescribeKnown(r)
			}
			p.printViolationParts(v.Why, fix, known)
		case j > 0 && v.Text != "":
			p.printIndented("also: " + v.Text)
		}
		if v.Evidence != nil {
			p.printEvidenceNotInText(v.Violation)
		}
		p.printPlacesAlike(v)
	}
	if more > 0 {
		fmt.Fprintf(p, "    %s\n", p.colorize(faint, "and "+safetext.CountWithNoun(more, "more place")))
	}
	if !inParts {
		if known := view.DescribeKnown(r); known != "" {
			p.printLabeledLine("known", known)
		}
		p.printFix(r.Fix)
	}
}

// printPlacesAlike prints in how many more places the same was seen.
func (p *printer) printPlacesAlike(v view.AlikeViolations) {
	if v.Others > 0 {
		fmt.Fprintf(p, "    %s\n", p.colorize(faint, "the same in "+safetext.CountWithNoun(v.Others, "more place")))
	}
}

// printLabeledLine prints one line of an explanation with its name.
func (p *printer) printLabeledLine(name, text string) {
	fmt.Fprintf(p, "    %-9s %s\n", name, text)
}

// printFix prints what to change in the server, if that is known.
func (p *printer) printFix(fix string) {
	if fix != "" {
		p.printLabeledLine("fix", safetext.Line(fix, safetext.MaxExcerpt))
	}
}

// printDependents prints the failures that follow from the one above.
func (p *printer) printDependents(of []*report.Result) {
	const most = 8
	if len(of) == 0 {
		return
	}
	fmt.Fprintf(p, "    %s the same cause:\n", view.MoreFailuresHave(len(of)))
	for i, r := range of {
		if i == most && len(of) > most+1 {
			fmt.Fprintf(p, "        %s\n", p.colorize(faint, "and "+view.JoinFirstIDs(of[i:], 12)))
			break
		}
		beyond := ""
		if view.IsBeyondSDK(p.sdk, r) {
			beyond = " (no known fault of the SDK)"
		}
		fmt.Fprintf(p, "        %s %s %s%s\n", p.colorize(bold, safetext.Line(r.ID, safetext.MaxName)), r.Level, p.colorize(faint, safetext.Line(r.Statement, safetext.MaxExcerpt)), beyond)
	}
}

// printEvidenceNotInText prints what the text of a violation does not say already: mostly it
// names the place, and often the value.
func (p *printer) printEvidenceNotInText(v view.Violation) {
	where, what := view.DescribePlace(*v.Evidence), safetext.Line(v.Evidence.Excerpt, safetext.MaxExcerpt)
	text := safetext.Line(v.Text, safetext.MaxReason)
	named := v.Why != nil || strings.Contains(text, "["+where)
	switch {
	case named && (what == "" || strings.Contains(text, what)):
	case named:
		p.printLabeledLine("value", what)
	default:
		fmt.Fprintf(p, "    %s %s\n", p.colorize(faint, "see"), view.DescribeEvidence(*v.Evidence))
	}
}

// printIndented prints a text below its heading, each line indented: no line that a server chose begins like
// a line of this program.
func (p *printer) printIndented(s string) {
	for l := range strings.Lines(safetext.Text(s, safetext.MaxReason)) {
		fmt.Fprintf(p, "    %s\n", strings.TrimRight(l, "\n"))
	}
}

func (p *printer) printUndecided(r *report.Report) {
	if r.Target.IsClient() && (r.Verdict == report.Void || r.Verdict == report.Unreachable) {
		return // all is undecided for the one reason that the last lines have
	}
	groups, more := view.GroupUndecidedByRemedy(r), view.RemainingAdvice(r)
	if len(groups) > 0 {
		fmt.Fprintf(p, "%s %s\n", p.colorize(yellow, "UNDECIDED"), safetext.CountWithNoun(len(view.ResultsOfKind(r, view.Inconclusive)), "requirement"))
		for i, o := range groups {
			if i == view.MaxPrinted {
				fmt.Fprintf(p, "    and %s more: %s\n", safetext.CountWithNoun(len(groups)-i, "group"), p.rest)
				break
			}
			switch {
			case o.Remedy != "":
				fmt.Fprintf(p, "    add %s\n        to decide %s\n", p.colorize(bold, safetext.Line(o.Remedy, safetext.MaxExcerpt)), o.IDs(8))
			case o.Because != "":
				fmt.Fprintf(p, "    blocked by %s\n        %s\n", p.colorize(bold, safetext.Line(o.Because, safetext.MaxName)), o.IDs(8))
			default:
				fmt.Fprintf(p, "    %s\n        %s\n", safetext.Line(o.Reason, safetext.MaxReason), o.IDs(8))
			}
		}
		p.WriteString("\n")
	}
	if len(more) > 0 {
		p.WriteString("to settle the undecided ones:\n")
		for _, a := range more[:min(view.MaxPrinted, len(more))] {
			fmt.Fprintf(p, "    %s\n", p.colorize(bold, safetext.Line(a, safetext.MaxExcerpt)))
		}
		p.WriteString("\n")
	}
}

// printFindings prints one finding each of the first requirements that have some.
func (p *printer) printFindings(r *report.Report) {
	const most = 3
	all := countFindings(r)
	if all == 0 {
		return
	}
	fmt.Fprintf(p, "%s, tolerated but worth knowing:\n", safetext.CountWithNoun(all, "finding"))
	count := 0
	for i := range r.Results {
		if res := &r.Results[i]; len(res.Findings) > 0 && count < most {
			fmt.Fprintf(p, "    %s %s\n", p.colorize(bold, safetext.Line(res.ID, safetext.MaxName)), safetext.Line(res.Findings[0].Text, safetext.MaxExcerpt))
			count++
		}
	}
	if all > count {
		fmt.Fprintf(p, "    and %d more: %s\n", all-count, p.rest)
	}
	first := r.Results[slices.IndexFunc(r.Results, func(res report.Result) bool { return len(res.Findings) > 0 })]
	fmt.Fprintf(p, "    A finding breaks no requirement, and changes neither the verdict nor the exit code. To read about the first: %s\n",
		p.colorize(bold, "a2a-conform explain "+safetext.ShellWord(safetext.Line(first.ID, safetext.MaxName))))
	p.WriteString("\n")
}

func countFindings(r *report.Report) int {
	n := 0
	for i := range r.Results {
		n += len(r.Results[i].Findings)
	}
	return n
}

// printLevelCounts prints the table, leaving out the columns that hold only zeros.
func (p *printer) printLevelCounts(r *report.Report) {
	head, rows := fmt.Sprintf("%-6s", ""), make([]string, len(view.Levels))
	for i, l := range view.Levels {
		rows[i] = fmt.Sprintf("%-6s", l)
	}
	for _, c := range view.Columns {
		any := c.Kind == view.Pass || c.Kind == view.Fail
		for _, l := range view.Levels {
			any = any || c.Of(r.Summary[string(l)]) > 0
		}
		if !any {
			continue
		}
		width := max(len(c.Kind.Word()), 4)
		head += fmt.Sprintf("  %*s", width, c.Kind.Word())
		for i, l := range view.Levels {
			cell := fmt.Sprintf("  %*d", width, c.Of(r.Summary[string(l)]))
			if c.Kind == view.Fail && i == 0 && c.Of(r.Summary[string(l)]) > 0 {
				cell = p.colorize(red, cell)
			}
			rows[i] += cell
		}
	}
	fmt.Fprintf(p, "%s\n%s\n\n", p.colorize(faint, head), strings.Join(rows, "\n"))
}

// printBindingCounts prints the results of the requirements in each of several bindings. The table is indented, so
// that no name of others begins a line.
func (p *printer) printBindingCounts(r *report.Report) {
	rows := view.CountByBinding(r)
	if len(rows) == 0 {
		return
	}
	const name = "binding"
	wide := len(name)
	for _, row := range rows {
		wide = max(wide, utf8.RuneCountInString(row.Who))
	}
	head := fmt.Sprintf("%-*s", wide, name)
	for _, k := range view.KindsIn(rows) {
		head += fmt.Sprintf("  %*s", max(len(k.Word()), 4), k.Word())
	}
	fmt.Fprintf(p, "    %s\n", p.colorize(faint, head))
	for _, row := range rows {
		fmt.Fprintf(p, "    %-*s", wide, row.Who)
		for _, k := range view.KindsIn(rows) {
			cell := fmt.Sprintf("  %*d", max(len(k.Word()), 4), row.Count[k])
			if k == view.Fail && row.Count[k] > 0 {
				cell = p.colorize(red, cell)
			}
			p.WriteString(cell)
		}
		p.WriteString("\n")
	}
	for _, says := range view.ExplainUntried(r, rows) {
		fmt.Fprintf(p, "    %s\n", p.colorize(faint, says))
	}
	p.WriteString("\n")
}

func (p *printer) printRunSummary(r *report.Report) {
	for _, t := range view.ListDiscoveryAttempts(r) {
		fmt.Fprintf(p, "tried %s\n", safetext.Line(t, safetext.MaxReason))
	}
	if w := view.DescribeWaits(r.Run.Waited); len(w) > 0 {
		fmt.Fprintf(p, "%s\n", p.colorize(faint, "spent waiting: "+strings.Join(w, ", ")))
	}
	if r.Target.Insecure {
		fmt.Fprintf(p, "%s\n", p.colorize(yellow, "the server's certificate was not verified"))
	}
	judged := view.DescribeTargetWithURL(r.Target) + " as " + view.DialectName(r.Target)
	if nothingJudged(r) {
		judged = "nothing at " + view.DescribeTargetWithURL(r.Target)
	}
	fmt.Fprintf(p, "judged %s: %s\n", judged, view.DescribeCost(r))
	for _, o := range view.Offers(r.Target) {
		fmt.Fprintf(p, "%s: %s\n", o[0], o[1])
	}
	for _, g := range view.ExplainGateOutcome(r) {
		tint := red
		if report.ExitCode(r) == 0 {
			tint = green
		}
		fmt.Fprintf(p, "%s %s\n", p.colorize(tint, "GATE"), g)
	}
	color := cmp.Or(map[report.RunVerdict]string{report.Conformant: green, report.Partial: yellow}[r.Verdict], red)
	fmt.Fprintf(p, "%s %s\n", p.colorize(color, strings.ToUpper(view.VerdictHeadline(r.Verdict))), view.ExplainVerdict(r))
	if known := view.DescribeKnownSDKFaults(r); known != "" {
		fmt.Fprintln(p, known)
	}
	if next := view.NextStep(r); next != (view.Step{}) {
		fmt.Fprintf(p, "next: %s", next.Why)
		if next.Command != "" {
			fmt.Fprintf(p, ": %s", p.colorize(bold, next.Command))
		}
		p.WriteString("\n")
	}
}
