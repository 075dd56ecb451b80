package conform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/privacy"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// JudgeProtected judges a recording of others such that its outcome can be written and shown: without secrets, and unless
// bodies is set without the texts of either side (privacy.Protect). A requirement whose verdict depends on what is not shown is
// left out, and a notice names it: a verdict needs its evidence. So is one with a finding on what is shown alone.
func JudgeProtected(r traffic.Recording, bodies bool, side TrafficSide, j Judging) (*TrafficOutcome, error) {
	whole, err := JudgeTraffic(privacy.Protect(r, true), side, j)
	if err != nil || bodies {
		return whole, err
	}
	came := listConclusions(whole)
	whole = nil // it is as large as what follows
	shapes := privacy.Protect(r, false)
	var unshown []string
	for {
		shown, err := JudgeTraffic(shapes, side, j)
		if err != nil {
			return nil, err
		}
		further := slices.DeleteFunc(listUnshown(came, listConclusions(shown)), func(id string) bool { return slices.Contains(unshown, id) })
		if len(further) == 0 { // what follows from a requirement that is left out can come to something else as well
			noticeUnshown(shown, unshown, came)
			return shown, nil
		}
		unshown = append(unshown, further...)
		slices.Sort(unshown)
		if !judgesOthers(shown, unshown) {
			return nil, &UsageError{Text: "what decides the requirements that are selected is shown with --bodies only: " + strings.Join(unshown, ", ")}
		}
		j.Select.Skip = slices.Concat(j.Select.Skip, further)
	}
}

// noticeUnshown notes on the report of each side which of its requirements were left out.
func noticeUnshown(o *TrafficOutcome, unshown []string, came map[string]conclusion) {
	for _, s := range o.Sides() {
		if own := slices.DeleteFunc(slices.Clone(unshown), func(id string) bool { return came[id].side != s.Side }); len(own) > 0 {
			s.Outcome.Report.Notices = append(s.Outcome.Report.Notices, fmt.Sprintf("what decides these requirements is shown with --bodies only, so they are left out: %s", strings.Join(own, ", ")))
		}
	}
}

// judgesOthers reports whether a requirement was judged that is not among some.
func judgesOthers(o *TrafficOutcome, some []string) bool {
	return slices.ContainsFunc(o.Sides(), func(s SideOutcome) bool {
		return slices.ContainsFunc(s.Outcome.Report.Results, func(r report.Result) bool { return !slices.Contains(some, r.ID) })
	})
}

// conclusion is what a requirement came to.
type conclusion struct {
	side     TrafficSide
	verdict  report.Verdict
	findings map[findingPlace]int // how many there are at a place
}

// findingPlace is the place of a finding. It has the depth of the value instead of its pointer, since the names that a side chose
// are others in what is shown.
type findingPlace struct{ exchange, event, said, depth int }

// listConclusions returns what each requirement of either side came to.
func listConclusions(o *TrafficOutcome) map[string]conclusion {
	all := map[string]conclusion{}
	for _, s := range o.Sides() {
		for _, r := range s.Outcome.Report.Results {
			c := conclusion{s.Side, r.Verdict, map[findingPlace]int{}}
			for _, f := range r.Findings {
				at := findingPlace{}
				if e := f.Evidence; e != nil {
					at = findingPlace{e.Exchange, e.Event, e.Said, strings.Count(e.Pointer, "/")}
				}
				c.findings[at]++
			}
			all[r.ID] = c
		}
	}
	return all
}

// listUnshown returns the requirements that came to another verdict on the whole recording than on what is shown of it, or to a
// finding on what is shown that the whole does not have: a text that replaces another one breaks rules that the other one keeps.
func listUnshown(whole, shown map[string]conclusion) (ids []string) {
	for id, was := range whole {
		now, judged := shown[id]
		if judged && (now.verdict != was.verdict || hasFurther(now.findings, was.findings)) {
			ids = append(ids, id)
		}
	}
	return ids
}

// hasFurther reports whether there are more findings at a place than there were.
func hasFurther(now, were map[findingPlace]int) bool {
	for at, n := range now {
		if n > were[at] {
			return true
		}
	}
	return false
}
