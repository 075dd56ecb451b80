package proxycmd

import (
	"fmt"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/proxy"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/traffic"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// judgeFailing judges the threads alone in which something failed, for what is written with --hold: nil if nothing failed. If a
// failure needs more than its threads, it returns the outcome on the whole.
func (f *flags) judgeFailing(p *proxy.Proxy, whole *conform.TrafficOutcome) (*conform.TrafficOutcome, error) {
	shown := listShown(whole)
	if len(shown) == 0 {
		return nil, nil
	}
	all := p.Record()
	part := traffic.KeepThreads(all, func(p traffic.Passed) bool {
		return p.In != nil && shown[sent{record.In, p.In.Start}] || p.Out != nil && shown[sent{record.Out, p.Out.Start}]
	})
	part.Notes = append(part.Notes, fmt.Sprintf("the reports are on the threads alone in which something failed, with %d of %d exchanges", len(part.Passed), len(all.Passed)))
	o, err := f.judge(part, f.bodies, conform.TrafficSide(f.side), f.judging)
	if err != nil || !hasSameFailures(whole, o) {
		return whole, err
	}
	return o, nil
}

// sent is by what an exchange is known again in a copy of the record: its side, and the moment of its request.
type sent struct {
	dir   record.Direction
	start record.Instant
}

// listShown returns the exchanges that the failures of an outcome rest on.
func listShown(o *conform.TrafficOutcome) map[sent]bool {
	out := map[sent]bool{}
	for _, side := range o.Sides() {
		ids := map[int]bool{}
		for _, r := range side.Outcome.Report.Results {
			for _, e := range r.Evidence {
				ids[e.Exchange] = ids[e.Exchange] || r.Verdict == report.Fail
			}
		}
		for _, x := range side.Outcome.Transcript.Exchanges {
			if ids[x.ID] {
				out[sent{x.Dir, x.Start}] = true
			}
		}
	}
	return out
}

// hasSameFailures reports whether all that fails in an outcome fails in another one.
func hasSameFailures(whole, part *conform.TrafficOutcome) bool {
	type failure struct {
		side conform.TrafficSide
		id   string
	}
	left := map[failure]bool{}
	for _, side := range whole.Sides() {
		for _, r := range side.Outcome.Report.Results {
			left[failure{side.Side, r.ID}] = r.Verdict == report.Fail
		}
	}
	for _, side := range part.Sides() {
		for _, r := range side.Outcome.Report.Results {
			if r.Verdict == report.Fail {
				delete(left, failure{side.Side, r.ID})
			}
		}
	}
	for _, fails := range left {
		if fails {
			return false
		}
	}
	return true
}
