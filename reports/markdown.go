package reports

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// writeIndexMarkdown writes the heading over the summaries of several dialects.
func writeIndexMarkdown(w io.Writer, server string, parts []view.Part) error {
	b := bufio.NewWriter(w)
	worst := view.Worst(parts)
	fmt.Fprintf(b, "## %s a2a-conform: %s, %s\n\n", view.VerdictSymbol(worst), worst, safetext.MarkdownCode(server, safetext.MaxName))
	for _, p := range parts {
		where := "no report"
		if p.Report != nil {
			where = "more in " + safetext.MarkdownCode(p.Folder+"/"+files.MarkdownFile, safetext.MaxName)
		}
		fmt.Fprintf(b, "- %s **%s**: %s: %s (%s)\n", view.VerdictSymbol(p.Verdict()), safetext.EscapeMarkdown(safetext.Line(p.Title, safetext.MaxName)), p.Verdict(), safetext.MarkdownCode(p.ExplainVerdict(), safetext.MaxReason), where)
	}
	b.WriteString("\n")
	return b.Flush()
}

// Markdown writes a summary for people in a hurry, such as a GitHub job summary. Text of the server is in
// code spans, in which nothing is markup, a mention or a reference.
func Markdown(w io.Writer, r *report.Report) error {
	r = view.CopyWithBoundedTexts(r)
	b := bufio.NewWriter(w)
	writePrefixedList(b, "notice: ", view.Notices(r))
	fmt.Fprintf(b, "## %s a2a-conform: %s, %s\n\n", view.VerdictSymbol(r.Verdict), view.VerdictHeadline(r.Verdict), safetext.MarkdownCode(view.DescribeTargetByKind(r.Target), safetext.MaxName))
	fmt.Fprintf(b, "**%s**\n\n", safetext.EscapeMarkdown(view.DescribeVerdict(r)))
	if r.Reason != "" {
		fmt.Fprintf(b, "%s\n\n", safetext.MarkdownCode(r.Reason, safetext.MaxReason))
	}
	if known := view.DescribeKnownSDKFaults(r); known != "" {
		fmt.Fprintf(b, "%s\n\n", safetext.EscapeMarkdown(known))
	}
	if next := view.NextStep(r); next != (view.Step{}) {
		fmt.Fprintf(b, "Next, %s", safetext.EscapeMarkdown(next.Why))
		if next.Command != "" {
			fmt.Fprintf(b, ": %s", safetext.MarkdownCode(next.Command, safetext.MaxReason))
		}
		b.WriteString("\n\n")
	}
	server := safetext.MarkdownCode(r.Target.URL, safetext.MaxName)
	switch {
	case r.Target.IsClient() || r.Target.IsGateway():
		server = safetext.MarkdownCode(view.DescribeTargetByKind(r.Target), safetext.MaxName)
	case r.Target.Kind == view.Bundled:
		server = "the **" + safetext.EscapeMarkdown(view.DescribeTargetByKind(r.Target)) + "**, " + server
	case r.Target.Kind == view.Replayed:
		server = "an **unsigned transcript** that names " + server
	}
	if r.Target.Agent != "" {
		server += ", agent " + safetext.MarkdownCode(r.Target.Agent, safetext.MaxName)
	}
	fmt.Fprintf(b, "Judged %s as %s: %s. Gate: %s.", server, safetext.EscapeMarkdown(view.DialectName(r.Target)), view.DescribeCost(r), safetext.MarkdownCode(r.Run.Gate, safetext.MaxName))
	if r.Run.Selection != view.FullSelection {
		fmt.Fprintf(b, " Selection: %s.", safetext.MarkdownCode(r.Run.Selection, safetext.MaxName))
	}
	b.WriteString("\n\n")
	for _, o := range view.Offers(r.Target) {
		fmt.Fprintf(b, "- %s: %s\n", safetext.EscapeMarkdown(o[0]), safetext.MarkdownCode(o[1], safetext.MaxName))
	}
	if len(r.Target.Offers) > 0 {
		b.WriteString("\n")
	}
	writePrefixedList(b, "", view.DescribeOperatorDeclarations(r))
	writePrefixedList(b, "", view.ExplainGateOutcome(r))
	writePrefixedList(b, "tried ", view.ListDiscoveryAttempts(r))
	writeLevelCounts(b, r)
	writeBindingCounts(b, r)
	writeTrend(b, r.History)
	writeResults(b, "Suite errors", view.ResultsOfKind(r, view.SuiteError), nil)
	follow := view.DependentFailures(r)
	writeResults(b, "Failures", view.RootFailures(r, view.Fail), follow)
	writeUndecided(b, r)
	writeResults(b, "Warnings", view.RootFailures(r, view.Warning), follow)
	writeResults(b, "Notes", view.RootFailures(r, view.Note), follow)
	writeResults(b, "Waived", view.ResultsOfKind(r, view.Waived), nil)
	writeWaivers(b, r)
	writeToleratedFindings(b, r)
	fmt.Fprintf(b, "<sub>%s %s, catalogue %s, %s. The bytes that prove each line are in report.html and transcript.har.</sub>\n",
		safetext.EscapeMarkdown(safetext.Line(r.Tool.Name, safetext.MaxName)), safetext.EscapeMarkdown(safetext.Line(r.Tool.Version, safetext.MaxName)), safetext.EscapeMarkdown(view.CatalogueVersion(r)), safetext.MarkdownCode(r.Tool.Catalogue, safetext.MaxName))
	return b.Flush()
}

// writePrefixedList writes texts of others as a list, each behind the same words.
func writePrefixedList(b *bufio.Writer, prefix string, texts []string) {
	for _, text := range texts {
		fmt.Fprintf(b, "- %s%s\n", prefix, safetext.MarkdownCode(text, safetext.MaxReason))
	}
	if len(texts) > 0 {
		b.WriteString("\n")
	}
}

// writeCountTableHead writes the head of a table of counts: what the rows are, and the kinds of results.
func writeCountTableHead(b *bufio.Writer, rowLabel string, kinds []view.Kind) {
	fmt.Fprintf(b, "|%s |", rowLabel)
	for _, k := range kinds {
		fmt.Fprintf(b, " %s |", k.Word())
	}
	b.WriteString("\n|:--|" + strings.Repeat("--:|", len(kinds)) + "\n")
}

func writeLevelCounts(b *bufio.Writer, r *report.Report) {
	var kinds []view.Kind
	for _, c := range view.Columns {
		kinds = append(kinds, c.Kind)
	}
	writeCountTableHead(b, "", kinds)
	for _, l := range view.Levels {
		fmt.Fprintf(b, "| %s |", l)
		for _, c := range view.Columns {
			fmt.Fprintf(b, " %d |", c.Of(r.Summary[string(l)]))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

// writeBindingCounts writes what the requirements came to in each of several bindings.
func writeBindingCounts(b *bufio.Writer, r *report.Report) {
	rows := view.CountByBinding(r)
	if len(rows) == 0 {
		return
	}
	writeCountTableHead(b, " binding", view.KindsIn(rows))
	for _, row := range rows {
		fmt.Fprintf(b, "| %s |", safetext.EscapeMarkdown(row.Who))
		for _, k := range view.KindsIn(rows) {
			fmt.Fprintf(b, " %d |", row.Count[k])
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	writePrefixedList(b, "", view.ExplainUntried(r, rows))
}

func writeResults(b *bufio.Writer, title string, results []*report.Result, follow map[string][]*report.Result) {
	if len(results) == 0 {
		return
	}
	n := len(results)
	for _, r := range results {
		n += len(follow[r.ID])
	}
	heading := fmt.Sprint(n)
	if n > len(results) {
		heading = fmt.Sprintf("%s of %d", safetext.CountWithNoun(len(results), "cause"), n)
	}
	fmt.Fprintf(b, "### %s (%s)\n\n", title, heading)
	for i, r := range results {
		if i == view.MaxListed {
			fmt.Fprintf(b, "- and %d more, in report.html\n", len(results)-i)
			break
		}
		fmt.Fprintf(b, "- **%s** %s %s: %s\n", safetext.EscapeMarkdown(safetext.Line(r.ID, safetext.MaxName)), r.Level, safetext.EscapeMarkdown(view.CiteSection(r.Section)), safetext.EscapeMarkdown(safetext.Line(r.Statement, safetext.MaxExcerpt)))
		for _, remark := range view.RequirementRemarks(r) {
			fmt.Fprintf(b, "  - %s\n", safetext.EscapeMarkdown(safetext.Line(remark, safetext.MaxExcerpt)))
		}
		if r.Cause != "" {
			fmt.Fprintf(b, "  - in general: %s\n", safetext.EscapeMarkdown(safetext.Line(r.Cause, safetext.MaxExcerpt)))
		}
		fmt.Fprintf(b, "  - %s\n", safetext.MarkdownCode(r.Reason, safetext.MaxReason))
		if each := view.SubjectVerdicts(r); each != "" {
			fmt.Fprintf(b, "  - %s\n", safetext.EscapeMarkdown(each))
		}
		const most = 3
		for j, e := range r.Evidence {
			if j == most {
				fmt.Fprintf(b, "  - and %s more\n", safetext.CountWithNoun(len(r.Evidence)-j+r.More, "place"))
				break
			}
			fmt.Fprintf(b, "  - %s", safetext.MarkdownCode(view.DescribePlace(e), safetext.MaxExcerpt))
			if e.Excerpt != "" {
				fmt.Fprintf(b, " is %s", safetext.MarkdownCode(e.Excerpt, safetext.MaxExcerpt))
			}
			b.WriteString("\n")
		}
		if known := view.DescribeKnown(r); known != "" {
			fmt.Fprintf(b, "  - known: %s\n", safetext.EscapeMarkdown(known))
		}
		if streak := r.Failing.Describe(); streak != "" {
			fmt.Fprintf(b, "  - %s\n", safetext.EscapeMarkdown(streak))
		}
		if r.Fix != "" {
			fmt.Fprintf(b, "  - fix: %s\n", safetext.EscapeMarkdown(safetext.Line(r.Fix, safetext.MaxExcerpt)))
		}
		if r.Reproduce != "" {
			fmt.Fprintf(b, "  - reproduce: %s\n", safetext.MarkdownCode("sh "+r.Reproduce, safetext.MaxName))
		}
		if of := follow[r.ID]; len(of) > 0 {
			fmt.Fprintf(b, "  - %s the same cause: %s\n", view.MoreFailuresHave(len(of)), safetext.EscapeMarkdown(view.JoinFirstIDs(of, 40)))
		}
	}
	b.WriteString("\n")
}

// maxTrendRows is how many runs a summary lists: the latest ones.
const maxTrendRows = 10

// writeTrend writes what earlier runs came to, the latest first.
func writeTrend(b *bufio.Writer, h *report.History) {
	if h == nil || len(h.Runs) == 0 {
		return
	}
	fmt.Fprintf(b, "### Trend (%s)\n\n| run | verdict | MUST met | failures |\n|:--|:--|--:|--:|\n", safetext.CountWithNoun(len(h.Runs), "run"))
	for _, p := range slices.Backward(h.Runs[max(0, len(h.Runs)-maxTrendRows):]) {
		fmt.Fprintf(b, "| %s | %s | %d of %d | %d |\n", view.FormatRunDate(p.StartedAt), safetext.EscapeMarkdown(view.DescribePastVerdict(p)), p.Passed, p.Judged, p.Failures)
	}
	b.WriteString("\n")
	if ignored := view.DescribeIgnoredRuns(h); ignored != "" {
		fmt.Fprintf(b, "%s\n\n", ignored)
	}
}

func writeWaivers(b *bufio.Writer, r *report.Report) {
	if len(r.Waivers) == 0 {
		return
	}
	fmt.Fprintf(b, "### Waivers (%d)\n\n", len(r.Waivers))
	for i := range r.Waivers {
		if i == view.MaxListed {
			fmt.Fprintf(b, "- and %d more, in report.html\n", len(r.Waivers)-i)
			break
		}
		fmt.Fprintf(b, "- %s\n", safetext.MarkdownCode(view.WaiverLine(&r.Waivers[i]), safetext.MaxReason))
	}
	b.WriteString("\n")
}

func writeUndecided(b *bufio.Writer, r *report.Report) {
	groups := view.GroupUndecidedByRemedy(r)
	more := view.RemainingAdvice(r)
	if len(groups)+len(more) == 0 {
		return
	}
	fmt.Fprintf(b, "### Undecided (%d)\n\n", len(view.ResultsOfKind(r, view.Inconclusive)))
	for i, o := range groups {
		if i == view.MaxListed {
			fmt.Fprintf(b, "- and %s more, in report.html\n", safetext.CountWithNoun(len(groups)-i, "group"))
			break
		}
		n := len(o.Results)
		switch {
		case o.Remedy != "":
			fmt.Fprintf(b, "- add %s to decide %d: ", safetext.MarkdownCode(o.Remedy, safetext.MaxExcerpt), n)
		case o.Because != "":
			fmt.Fprintf(b, "- blocked by %s, %d: ", safetext.MarkdownCode(o.Because, safetext.MaxName), n)
		default:
			fmt.Fprintf(b, "- %s, %d: ", safetext.MarkdownCode(o.Reason, safetext.MaxReason), n)
		}
		b.WriteString(safetext.EscapeMarkdown(o.IDs(12)) + "\n")
	}
	for _, a := range more[:min(view.MaxListed, len(more))] {
		fmt.Fprintf(b, "- %s\n", safetext.MarkdownCode(a, safetext.MaxExcerpt))
	}
	b.WriteString("\n")
}

func writeToleratedFindings(b *bufio.Writer, r *report.Report) {
	n := countFindings(r)
	if n == 0 {
		return
	}
	fmt.Fprintf(b, "### Findings (%d)\n\nTolerated, but worth knowing.\n\n", n)
	listed := 0
	for i := range r.Results {
		for _, f := range r.Results[i].Findings {
			if listed++; listed > view.MaxListed {
				continue
			}
			fmt.Fprintf(b, "- **%s**: %s", safetext.EscapeMarkdown(safetext.Line(r.Results[i].ID, safetext.MaxName)), safetext.MarkdownCode(f.Text, safetext.MaxReason))
			if f.Evidence != nil {
				fmt.Fprintf(b, " (%s)", safetext.MarkdownCode(view.DescribePlace(*f.Evidence), safetext.MaxExcerpt))
			}
			b.WriteString("\n")
		}
	}
	if n > view.MaxListed {
		fmt.Fprintf(b, "- and %d more, in report.html\n", n-view.MaxListed)
	}
	b.WriteString("\n")
}
