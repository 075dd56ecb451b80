package html

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// trendView is what earlier runs came to, as a picture and a table.
type trendView struct {
	Says    string // for those who do not see the picture
	Line    string // the path of the line of met requirements
	Lowest  string // what the bottom of the picture means for the line
	Bars    []trendBar
	Rows    []trendRow // the latest first
	Width   int
	Ignored string
}

// trendBar is the failures of a run.
type trendBar struct {
	X, Y, H int
	Says    string
}

// trendRow is a run in numbers.
type trendRow struct {
	At, Verdict, Must, Failures string
}

// The size of the picture: its height, and what each run takes of its width.
const (
	trendHeight = 100
	trendStep   = 40
)

// buildTrend returns what the history of a report shows; nil if there is none. A single run has rows alone.
func buildTrend(h *report.History) *trendView {
	if h == nil || len(h.Runs) == 0 {
		return nil
	}
	v := &trendView{Width: len(h.Runs) * trendStep, Ignored: view.DescribeIgnoredRuns(h)}
	most, lowest := 1, 1.0
	for _, p := range h.Runs {
		most, lowest = max(most, p.Failures), min(lowest, computeMetShare(p))
	}
	lowest = min(math.Floor(lowest*10)/10, 0.9)
	var points []string
	for i, p := range h.Runs {
		x, height := i*trendStep, scaleHeight(p.Failures, most, trendHeight*6/10)
		v.Bars = append(v.Bars, trendBar{x + trendStep/4, trendHeight - height, height, view.FormatRunDate(p.StartedAt) + ": " + view.DescribePastCount(p)})
		if p.Judged > 0 {
			points = append(points, fmt.Sprintf("%d %.0f", x+trendStep/2, 5+(1-computeMetShare(p))/(1-lowest)*(trendHeight-10)))
		}
		v.Rows = append(v.Rows, trendRow{view.FormatRunDate(p.StartedAt), view.DescribePastVerdict(p), safetext.Thousands(p.Passed) + " of " + safetext.Thousands(p.Judged), safetext.Thousands(p.Failures)})
	}
	slices.Reverse(v.Rows)
	first, last := h.Runs[0], h.Runs[len(h.Runs)-1]
	if len(points) > 0 {
		v.Line = "M" + strings.Join(points, " L")
	}
	v.Lowest = fmt.Sprintf("%.0f %%", lowest*100)
	v.Says = fmt.Sprintf("trend of %s: at first %s, now %s", safetext.CountWithNoun(len(h.Runs), "run"), view.DescribePastCount(first), view.DescribePastCount(last))
	if len(h.Runs) == 1 {
		v.Bars = nil
	}
	return v
}

// computeMetShare returns the share of the decided MUST requirements that are met, from 0 to 1, whatever numbers a report has.
func computeMetShare(p report.PastCount) float64 {
	if p.Judged <= 0 {
		return 1
	}
	return min(max(float64(p.Passed)/float64(p.Judged), 0), 1)
}

// scaleHeight returns n of most as a part of a height; anything above 0 is seen.
func scaleHeight(n, most, height int) int {
	if n <= 0 {
		return 0
	}
	return cmp.Or(int(float64(n)/float64(most)*float64(height)), 1)
}
