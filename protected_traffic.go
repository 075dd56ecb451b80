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
// left out, and a notice names it: a verdict needs its evidence.
func JudgeProtected(r traffic.Recording, bodies bool, side TrafficSide, j Judging) (*TrafficOutcome, error) {
	whole, err := JudgeTraffic(privacy.Protect(r, true), side, j)
	if err != nil || bodies {
		return whole, err
	}
	verdicts := listVerdicts(whole)
	whole = nil // it is as large as what follows
	shapes := privacy.Protect(r, false)
	shown, err := JudgeTraffic(shapes, side, j)
	if err != nil {
		return nil, err
	}
	unshown := listUnshown(verdicts, listVerdicts(shown))
	if len(unshown) == 0 {
		return shown, nil
	}
	if !judgesOthers(shown, unshown) {
		return nil, &UsageError{Text: "what decides the requirements that are selected is shown with --bodies only: " + strings.Join(unshown, ", ")}
	}
	j.Select.Skip = slices.Concat(j.Select.Skip, unshown)
	if shown, err = JudgeTraffic(shapes, side, j); err != nil {
		return nil, err
	}
	for _, s := range shown.Sides() {
		if own := slices.DeleteFunc(slices.Clone(unshown), func(id string) bool { return !s.Outcome.Dialect.Owns(id) }); len(own) > 0 {
			s.Outcome.Report.Notices = append(s.Outcome.Report.Notices, fmt.Sprintf("what decides these requirements is shown with --bodies only, so they are left out: %s", strings.Join(own, ", ")))
		}
	}
	return shown, nil
}

// judgesOthers reports whether a requirement was judged that is not among some.
func judgesOthers(o *TrafficOutcome, some []string) bool {
	return slices.ContainsFunc(o.Sides(), func(s SideOutcome) bool {
		return slices.ContainsFunc(s.Outcome.Report.Results, func(r report.Result) bool { return !slices.Contains(some, r.ID) })
	})
}

// listVerdicts returns the verdict of each requirement on either side.
func listVerdicts(o *TrafficOutcome) map[string]report.Verdict {
	verdicts := map[string]report.Verdict{}
	for _, s := range o.Sides() {
		for _, r := range s.Outcome.Report.Results {
			verdicts[r.ID] = r.Verdict
		}
	}
	return verdicts
}

// listUnshown returns the requirements whose verdict on the whole recording is another one than on what is shown of it.
func listUnshown(whole, shown map[string]report.Verdict) (ids []string) {
	for id, verdict := range whole {
		if was, judged := shown[id]; judged && was != verdict {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
