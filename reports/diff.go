package reports

import (
	"bufio"
	"fmt"
	"io"

	"github.com/a2a-conform/a2a-conform/suites/report"
)

// diffTitles are the headings of the kinds of change, in order.
var diffTitles = map[report.ChangeKind]string{
	report.Broken: "Broken", report.Lost: "No longer decided", report.Rejudged: "Judged differently", report.Fixed: "Fixed", report.ReasonChanged: "Broken for another reason",
	report.Otherwise: "Other changes", report.New: "New", report.Gone: "Gone",
}

// Diff prints what changed between two reports.
func Diff(w io.Writer, old, now *report.Report, changes []report.Change) error {
	b := bufio.NewWriter(w)
	for _, k := range report.ChangeKinds() {
		of := ofKind(changes, k)
		if len(of) == 0 {
			continue
		}
		fmt.Fprintf(b, "%s (%d)\n", diffTitles[k], len(of))
		for _, c := range of {
			fmt.Fprintf(b, "    %s%s\n", changed(c), regressionMark(c))
			if c.Kind == report.ReasonChanged {
				fmt.Fprintf(b, "        before: %s\n", line(c.Before, maxReason))
			}
			if c.After != "" && (c.Now == report.Fail || c.Now == report.Waived || c.Kind == report.Lost) {
				fmt.Fprintf(b, "        %s\n", line(c.After, maxReason))
			}
		}
		fmt.Fprintln(b)
	}
	fmt.Fprintf(b, "%s\n%s\n", between(old, now), outcome(changes))
	return b.Flush()
}

// DiffMarkdown writes the same for a job summary or a comment.
func DiffMarkdown(w io.Writer, old, now *report.Report, changes []report.Change) error {
	b := bufio.NewWriter(w)
	head := "✅"
	if len(report.Regressions(changes)) > 0 {
		head = "❌"
	}
	fmt.Fprintf(b, "## %s a2a-conform: %s\n\n%s\n\n", head, outcome(changes), code(between(old, now), maxReason))
	for _, k := range report.ChangeKinds() {
		of := ofKind(changes, k)
		if len(of) == 0 {
			continue
		}
		fmt.Fprintf(b, "### %s (%d)\n\n", diffTitles[k], len(of))
		for i, c := range of {
			if i == maxListed {
				fmt.Fprintf(b, "- and %d more\n", len(of)-i)
				break
			}
			fmt.Fprintf(b, "- %s%s\n", code(changed(c), maxReason), regressionMark(c))
			if c.After != "" && (c.Now == report.Fail || c.Now == report.Waived || c.Kind == report.Lost) {
				fmt.Fprintf(b, "  - %s\n", code(c.After, maxReason))
			}
		}
		fmt.Fprintln(b)
	}
	return b.Flush()
}

func ofKind(changes []report.Change, k report.ChangeKind) (out []report.Change) {
	for _, c := range changes {
		if c.Kind == k {
			out = append(out, c)
		}
	}
	return out
}

func regressionMark(c report.Change) string {
	if c.Regression() {
		return " (regression)"
	}
	return ""
}

// wasAndIs tells two verdicts of one server.
func wasAndIs(was, is report.RunVerdict) string {
	if was == is {
		return "still " + string(is)
	}
	return fmt.Sprintf("was %s, is now %s", was, is)
}

func between(old, now *report.Report) string {
	s := fmt.Sprintf("%s on %s: %s", dialect(now.Target), subject(now.Target), wasAndIs(old.Verdict, now.Verdict))
	if old.Target.URL != now.Target.URL || old.Target.Kind != now.Target.Kind {
		s += "; the old report is about " + subject(old.Target)
	}
	if was, is := catalogueVersion(old), catalogueVersion(now); was != is {
		s += fmt.Sprintf("; the catalogue is version %[2]s (was %[1]s)", was, is)
	} else if old.Tool.Catalogue != now.Tool.Catalogue {
		s += "; the catalogue has changed"
	}
	return s
}

// catalogueVersion is the version of the catalogue that judged a report.
func catalogueVersion(r *report.Report) string {
	if r.Tool.CatalogueVersion == "" {
		return "1"
	}
	return line(r.Tool.CatalogueVersion, maxName)
}

// outcome counts what matters of a comparison.
func outcome(changes []report.Change) string {
	worse := len(report.Regressions(changes))
	switch {
	case len(changes) == 0:
		return "no changes"
	case worse == 0:
		return "no regression"
	}
	return are2(worse, "regression", "regressions")
}
