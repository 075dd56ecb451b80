// Package ginkgo judges as a Ginkgo suite: a container for each area, a spec for
// each requirement. It is for the command alone: Ginkgo puts flags of its own into
// every program that imports it, the tests of whoever uses the library included.
package ginkgo

import (
	"flag"
	"fmt"
	"io"
	"sync"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/formatter"
	"github.com/onsi/ginkgo/v2/types"
)

// specs guards the one suite that Ginkgo allows in a process.
var specs sync.Mutex
var ran bool

// failer receives Ginkgo's overall outcome, which is not ours: skipped specs
// and failing SHOULDs have verdicts that Ginkgo has no word for.
type failer struct{}

func (failer) Fail() {}

// Judge judges the given requirements in catalogue order, each as a spec that is labelled with
// its id, area and level, and writes Ginkgo's report to out. If out is nil, Ginkgo does not have
// to note the place of each skipped spec. The verdicts are returned apart from Ginkgo's own
// states. Ginkgo runs one suite in a process; a second call judges without it, and so does a call
// in a `go test` whose flags would make Ginkgo end the process.
func Judge(c *verdict.Decider, ids []string, out io.Writer) []verdict.Result {
	specs.Lock()
	defer specs.Unlock()
	if ran || hasTestFlagsGinkgoRefuses() {
		return c.Judge(ids)
	}
	ran = true
	shown := out != nil
	if !shown {
		out = io.Discard
	}
	results := make([]verdict.Result, len(ids))
	judged := make([]bool, len(ids))
	areas := map[string][]int{}
	var order []string
	for i, id := range ids {
		area := c.Dialect.Requirement(id).Area
		if areas[area] == nil {
			order = append(order, area)
		}
		areas[area] = append(areas[area], i)
	}
	// Ginkgo shuffles containers at the top, and keeps the order in one.
	ginkgo.Describe(c.Dialect.Name, func() {
		for _, area := range order {
			ginkgo.Describe(area, ginkgo.Label("area:"+area), func() {
				for _, i := range areas[area] {
					req := c.Dialect.Requirement(ids[i])
					labels, place := ginkgo.Label(req.ID, "level:"+string(req.Level)), types.NewCustomCodeLocation(req.File)
					ginkgo.It(req.ID+" "+req.Statement, labels, place, func() {
						results[i] = *c.Result(req.ID)
						judged[i] = true
						if shown {
							reportResult(req, &results[i])
						}
					})
				}
			})
		}
	})
	suite, reporter := ginkgo.GinkgoConfiguration()
	suite.FailOnEmpty = true
	suite.RandomizeAllSpecs = false
	reporter.NoColor = true
	reporter.Succinct = !shown
	reporter.Verbose = shown
	formatter.ColorableStdOut = out
	formatter.ColorableStdErr = out
	end := c.JudgeInBackground(ids)
	ginkgo.RunSpecs(failer{}, c.Dialect.Title, suite, reporter)
	end()
	for i, id := range ids {
		if !judged[i] { // a spec that Ginkgo did not come to still has a verdict
			results[i] = *c.Result(id)
		}
	}
	return results
}

// hasTestFlagsGinkgoRefuses reports whether flags of `go test` were given that Ginkgo refuses.
func hasTestFlagsGinkgoRefuses() (given bool) {
	flag.Visit(func(f *flag.Flag) {
		given = given || f.Name == "test.count" && f.Value.String() != "1" || f.Name == "test.parallel"
	})
	return given
}

// reportResult reports a verdict to Ginkgo.
func reportResult(req *schema.Requirement, r *verdict.Result) {
	switch {
	case r.Verdict == report.SuiteError, r.Verdict == report.Fail && r.Level == schema.Must:
		ginkgo.Fail(fmt.Sprintf("%s %s: %s", req.ID, r.Verdict, r.Reason), 1)
	case r.Verdict == report.Fail:
		ginkgo.AddReportEntry(string(r.Level)+" not met", r.Reason, types.ReportEntryVisibilityAlways)
	case r.Verdict != report.Pass:
		ginkgo.Skip(fmt.Sprintf("%s: %s", r.Verdict, r.Reason), 1)
	}
}
