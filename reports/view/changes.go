package view

import (
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// ChangeTitles are the headings of the kinds of change, in order.
var ChangeTitles = map[report.ChangeKind]string{
	report.Broken: "Broken", report.Lost: "No longer decided", report.Rejudged: "Judged differently", report.Fixed: "Fixed", report.ReasonChanged: "Broken for another reason",
	report.Otherwise: "Other changes", report.New: "New", report.Gone: "Gone",
}

func ChangesOfKind(changes []report.Change, k report.ChangeKind) (out []report.Change) {
	for _, c := range changes {
		if c.Kind == k {
			out = append(out, c)
		}
	}
	return out
}

// VerdictChange describes two verdicts on a requirement: pass → undecided.
func VerdictChange(c report.Change) string {
	switch was, now := VerdictWord(c.Was), VerdictWord(c.Now); {
	case c.Kind == report.ReasonChanged:
		return now + " for another reason"
	case c.Was == "":
		return "new: " + now
	case c.Now == "":
		return was + " → not judged"
	default:
		return was + " → " + now
	}
}

// DescribeChange is a change on one line.
func DescribeChange(c report.Change) string {
	s := fmt.Sprintf("%s %s: ", safetext.Line(c.ID, safetext.MaxName), safetext.Line(string(c.Level), safetext.MaxName))
	was := "was " + VerdictWord(c.Was)
	if c.WasLevel != "" {
		was += " as a " + safetext.Line(string(c.WasLevel), safetext.MaxName)
	}
	switch {
	case c.Kind == report.New:
		return s + "is " + VerdictWord(c.Now) + ", was not judged before"
	case c.Kind == report.Gone:
		return s + was + ", is not judged now" + ExplainRejudged(c)
	case c.Kind == report.ReasonChanged:
		return s + "is " + VerdictWord(c.Now) + " for another reason"
	}
	return s + was + ", is now " + VerdictWord(c.Now) + ExplainRejudged(c)
}

// ExplainRejudged states since which version of the catalogue a requirement is judged differently, and why.
func ExplainRejudged(c report.Change) string {
	if c.Since == "" {
		return ""
	}
	return fmt.Sprintf("; judged differently since version %s of the catalogue: %s", safetext.Line(c.Since, safetext.MaxName), safetext.Line(c.Why, safetext.MaxReason))
}

// MaxNamed is how many servers of a group are named.
const MaxNamed = 8

// ListChangedIDsByKind lists the requirements of each kind of change.
func ListChangedIDsByKind(changes []report.Change) (out []string) {
	for _, k := range report.ChangeKinds() {
		if of := ChangesOfKind(changes, k); len(of) > 0 {
			out = append(out, fmt.Sprintf("%s: %s", strings.ToLower(ChangeTitles[k]), changedIDs(of)))
		}
	}
	return out
}

// changedIDs lists the requirements of some changes; of many the first.
func changedIDs(of []report.Change) string {
	var out []string
	for _, c := range of {
		out = append(out, safetext.Line(c.ID, safetext.MaxName))
	}
	return JoinFirstNames(out, MaxNamed)
}
