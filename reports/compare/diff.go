package compare

import (
	"bufio"
	"fmt"
	"io"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// WriteDiffText prints what changed between two reports.
func WriteDiffText(w io.Writer, old, now *report.Report, changes []report.Change) error {
	b := bufio.NewWriter(w)
	for _, k := range report.ChangeKinds() {
		of := view.ChangesOfKind(changes, k)
		if len(of) == 0 {
			continue
		}
		fmt.Fprintf(b, "%s (%d)\n", view.ChangeTitles[k], len(of))
		for _, c := range of {
			fmt.Fprintf(b, "    %s%s\n", view.DescribeChange(c), regressionMark(c))
			if c.Kind == report.ReasonChanged {
				fmt.Fprintf(b, "        before: %s\n", safetext.Line(c.Before, safetext.MaxReason))
			}
			if c.After != "" && (c.Now == report.Fail || c.Now == report.Waived || c.Kind == report.Lost) {
				fmt.Fprintf(b, "        %s\n", safetext.Line(c.After, safetext.MaxReason))
			}
		}
		fmt.Fprintln(b)
	}
	fmt.Fprintf(b, "%s\n%s\n", describeSubjectAndVerdictChange(old, now), describeRegressionCount(changes))
	return b.Flush()
}

// WriteDiffMarkdown writes the same for a job summary or a comment.
func WriteDiffMarkdown(w io.Writer, old, now *report.Report, changes []report.Change) error {
	b := bufio.NewWriter(w)
	head := "✅"
	if len(report.Regressions(changes)) > 0 {
		head = "❌"
	}
	fmt.Fprintf(b, "## %s a2a-conform: %s\n\n%s\n\n", head, describeRegressionCount(changes), safetext.MarkdownCode(describeSubjectAndVerdictChange(old, now), safetext.MaxReason))
	for _, k := range report.ChangeKinds() {
		of := view.ChangesOfKind(changes, k)
		if len(of) == 0 {
			continue
		}
		fmt.Fprintf(b, "### %s (%d)\n\n", view.ChangeTitles[k], len(of))
		for i, c := range of {
			if i == view.MaxListed {
				fmt.Fprintf(b, "- and %d more\n", len(of)-i)
				break
			}
			fmt.Fprintf(b, "- %s%s\n", safetext.MarkdownCode(view.DescribeChange(c), safetext.MaxReason), regressionMark(c))
			if c.After != "" && (c.Now == report.Fail || c.Now == report.Waived || c.Kind == report.Lost) {
				fmt.Fprintf(b, "  - %s\n", safetext.MarkdownCode(c.After, safetext.MaxReason))
			}
		}
		fmt.Fprintln(b)
	}
	return b.Flush()
}

func regressionMark(c report.Change) string {
	if c.Regression() {
		return " (regression)"
	}
	return ""
}

// wasAndIs returns two verdicts of one server in words.
func wasAndIs(was, is report.RunVerdict) string {
	if was == is {
		return "still " + string(is)
	}
	return fmt.Sprintf("was %s, is now %s", was, is)
}

func describeSubjectAndVerdictChange(old, now *report.Report) string {
	s := fmt.Sprintf("%s on %s: %s", view.DialectName(now.Target), view.DescribeTargetWithURL(now.Target), wasAndIs(old.Verdict, now.Verdict))
	if old.Target.URL != now.Target.URL || old.Target.Kind != now.Target.Kind {
		s += "; the old report is about " + view.DescribeTargetWithURL(old.Target)
	}
	if was, is := view.CatalogueVersion(old), view.CatalogueVersion(now); was != is {
		s += fmt.Sprintf("; the catalogue is version %[2]s (was %[1]s)", was, is)
	} else if old.Tool.Catalogue != now.Tool.Catalogue {
		s += "; the catalogue has changed"
	}
	return s
}

// describeRegressionCount counts what matters of a comparison.
func describeRegressionCount(changes []report.Change) string {
	worse := len(report.Regressions(changes))
	switch {
	case len(changes) == 0:
		return "no changes"
	case worse == 0:
		return "no regression"
	}
	return view.CountPhrase(worse, "regression", "regressions")
}
