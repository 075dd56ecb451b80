package reports

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Judged prints the verdict on one requirement: what was sent, what came back and what is expected if it is
// broken, and the reason if it is undecided.
func Judged(w io.Writer, r *report.Report, res *report.Result, t *record.Transcript, color bool) error {
	p := &printer{Writer: bufio.NewWriter(w), color: color}
	word, tint := "UNDECIDED", yellow
	switch {
	case r.Verdict == report.Unreachable:
		word, tint = "UNREACHABLE", red
	case res.Verdict == report.Fail:
		word, tint = map[view.Kind]string{view.Fail: "FAIL", view.Warning: "WARN", view.Note: "NOTE"}[view.KindOf(res)], red
	case Gone(res, t):
		word, tint = "FIXED", green // nothing is left of what broke it
		if res.Verdict == report.Pass {
			word = "PASS" // it is not broken any more, or never was
		}
	}
	p.printHeading(word, tint, res)
	p.printLabeledLine("required", safetext.Line(res.Statement, safetext.MaxExcerpt))
	switch {
	case word == "UNREACHABLE":
		fmt.Fprintf(p, "    why       no answer from %s\n", safetext.Line(r.Target.RPC, safetext.MaxName))
	case res.Verdict == report.Pass:
		fmt.Fprintf(p, "    seen      %s\n", seenIn(res))
	case Gone(res, t):
		fmt.Fprintf(p, "    why       %s\n", safetext.Line(res.Reason, safetext.MaxReason))
	case res.Verdict != report.Fail:
		fmt.Fprintf(p, "    why       %s\n", safetext.Line(undecidedBecause(r, res), safetext.MaxReason))
		if res.Remedy != "" {
			fmt.Fprintf(p, "    add       %s\n", safetext.Line(res.Remedy, safetext.MaxExcerpt))
		}
		fmt.Fprintf(p, "    or        %s\n", judgeAgainCommand(r, res))
	case len(res.Why) == 0:
		p.printIndented(res.Reason)
		p.printFix(res.Fix)
	default:
		const most = 3
		listed, more := view.Violations(res)
		for i, v := range view.GroupAlikeViolations(listed) {
			switch {
			case v.Why == nil: // a place without words of its own
			case i >= most:
				more += 1 + v.Others
			default:
				fix, known := "", ""
				if i == 0 {
					fix, known = res.Fix, view.DescribeKnown(res)
				}
				p.printViolationParts(v.Why, fix, known)
				p.printPlacesAlike(v)
			}
		}
		if more > 0 {
			fmt.Fprintf(p, "    and %s\n", safetext.CountWithNoun(more, "more place"))
		}
	}
	return p.Flush()
}

// judgeAgainCommand returns the command of a new run that judges one requirement.
func judgeAgainCommand(r *report.Report, res *report.Result) string {
	if r.Target.IsClient() || r.Target.IsGateway() {
		return view.CheckCommand(r.Target, res.ID)
	}
	return fmt.Sprintf("a2a-conform run %s --run %s", safetext.Line(r.Target.URL, safetext.MaxName), safetext.Line(res.ID, safetext.MaxName))
}

// Gone reports whether a requirement that was broken no longer is: it is met, or no longer applies to the
// server by its card, or the card that broke it has nothing left that the requirement concerns.
func Gone(res *report.Result, t *record.Transcript) bool {
	switch {
	case res.Verdict == report.Pass:
		return true
	case res.Verdict != report.NotApplicable || res.Stopped:
		return false
	case !res.Vacuous:
		return true
	}
	cards := 0
	for _, s := range t.Steps() {
		if s.Op != "card" || !s.Exchange.Obtained() || s.Exchange.Reply().Root == nil {
			return false
		}
		cards++
	}
	return cards > 0
}

// seenIn lists the calls on which a requirement holds.
func seenIn(res *report.Result) string {
	var where []string
	for _, e := range res.Evidence[:min(5, len(res.Evidence))] {
		where = append(where, safetext.Line(view.DescribePlace(e), safetext.MaxName))
	}
	if len(where) == 0 {
		return "the requirement is met"
	}
	return "the requirement is met: " + strings.Join(where, "; ")
}

// undecidedBecause returns the reason why a requirement has no verdict.
func undecidedBecause(r *report.Report, res *report.Result) string {
	if res.Verdict == report.NotApplicable {
		whose := "server"
		if r.Target.IsClient() {
			whose = "client"
		}
		return "it does not apply to what the " + whose + " sent: " + res.Reason
	}
	return res.Reason
}
