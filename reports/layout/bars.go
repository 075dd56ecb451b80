package layout

import (
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Bar is a bar of what requirements came to, all of them or those of a level.
type Bar struct {
	Name  string
	Total int
	Parts []BarPart
	Words string
}

// BarPart of a stack, in thousandths of its width.
type BarPart struct {
	Name  string
	Class string
	N     int
	X, W  int
}

// BarParts are the parts of every stack, in their order.
var BarParts = []struct {
	Name, Class string
	Of          func(report.Count) int
}{
	{"met", "pass", func(c report.Count) int { return c.Pass }},
	{"broken", "fail", func(c report.Count) int { return c.Fail }},
	{"suite error", "suite-error", func(c report.Count) int { return c.SuiteError }},
	{"waived", "waived", func(c report.Count) int { return c.Waived }},
	{"undecided", "inconclusive", func(c report.Count) int { return c.Inconclusive }},
	{"not applicable", "not-applicable", func(c report.Count) int { return c.NotApplicable + c.Vacuous }},
}

// NewTotalAndLevelBars are the bars of a report: over all, and by level.
func NewTotalAndLevelBars(r *report.Report) (out []Bar) {
	var all report.Count
	for _, l := range view.Levels {
		c := r.Summary[string(l)]
		all.Pass, all.Fail, all.SuiteError, all.Waived = all.Pass+c.Pass, all.Fail+c.Fail, all.SuiteError+c.SuiteError, all.Waived+c.Waived
		all.Inconclusive, all.NotApplicable, all.Vacuous = all.Inconclusive+c.Inconclusive, all.NotApplicable+c.NotApplicable, all.Vacuous+c.Vacuous
		if c.Total() > 0 {
			out = append(out, NewBar(string(l), c))
		}
	}
	return append([]Bar{NewBar("all", all)}, out...)
}

func NewBar(name string, c report.Count) Bar {
	s := Bar{Name: name, Total: c.Total()}
	var words []string
	for _, of := range BarParts {
		n := of.Of(c)
		if n == 0 {
			continue
		}
		s.Parts = append(s.Parts, BarPart{Name: of.Name, Class: of.Class, N: n})
		words = append(words, fmt.Sprintf("%s %s", safetext.Thousands(n), of.Name))
	}
	s.ArrangeParts()
	s.Words = fmt.Sprintf("%s: %s", safetext.CountWithNoun(s.Total, "requirement"), strings.Join(words, ", "))
	return s
}

// ArrangeParts gives each part its place and width. What is rare is drawn wider than it is: the widest
// part gives way.
func (s *Bar) ArrangeParts() {
	const width, least = 1000, 8
	sum, widest := 0, 0
	for i := range s.Parts {
		p := &s.Parts[i]
		p.W = max(least, p.N*width/s.Total)
		sum += p.W
		if p.W > s.Parts[widest].W {
			widest = i
		}
	}
	if len(s.Parts) > 0 {
		s.Parts[widest].W += width - sum
	}
	x := 0
	for i := range s.Parts {
		s.Parts[i].X = x
		x += s.Parts[i].W
	}
}
