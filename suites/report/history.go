package report

import (
	"fmt"
	"slices"
	"time"
)

// MaxHistoryRuns is how many earlier runs a report has at most: the latest ones.
const MaxHistoryRuns = 60

// History is what earlier runs against the same target, judged by the same dialect, came to.
type History struct {
	Runs    []PastCount `json:"runs"`              // the earliest first; the last one is the run of the report
	Earlier int         `json:"earlier,omitempty"` // runs before the first of these, which are not listed
	// Others are runs of another target or dialect, Undecided those that gave no verdict on the server, and
	// Later those that are not before the run of the report.
	Others    int `json:"others,omitempty"`
	Undecided int `json:"undecided,omitempty"`
	Later     int `json:"later,omitempty"`
}

// PastCount is what a run came to, in numbers.
type PastCount struct {
	StartedAt time.Time  `json:"startedAt"`
	Verdict   RunVerdict `json:"verdict"`
	Passed    int        `json:"passed"`            // MUST requirements that are met
	Judged    int        `json:"judged"`            // MUST requirements that were decided
	Failures  int        `json:"failures"`          // failed and waived requirements of any level
	Partial   bool       `json:"partial,omitempty"` // only a part of the requirements was selected
}

// Streak is for how long a requirement has failed.
type Streak struct {
	Since    time.Time `json:"since"`              // the start of the first of the runs in which it fails without a pass between
	Runs     int       `json:"runs"`               // how many those are, the run of the report included
	New      bool      `json:"new,omitempty"`      // it passed in the run that decided it last before
	Unsteady bool      `json:"unsteady,omitempty"` // it failed before, passed after that, and fails again
}

// Describe returns for how long, in the words of all reports; "" if that is not known.
func (s *Streak) Describe() string {
	if s == nil {
		return ""
	}
	text := fmt.Sprintf("fails since %s, %d runs", s.Since.UTC().Format(time.DateOnly), s.Runs)
	if s.Runs <= 1 {
		if text = "fails in this run only"; s.New {
			text = "fails in this run, passed before"
		}
	}
	if s.Unsteady {
		text += "; unsteady: it failed before, and passed between"
	}
	return text
}

// PastRun is what is kept of the report of an earlier run.
type PastRun struct {
	url, agent, dialect string
	bundled             bool
	count               PastCount
	failed              map[string]bool // of the requirements that were decided
}

// SummarizePastRun keeps of a report what a history needs, which is little.
func SummarizePastRun(r *Report) *PastRun {
	out := &PastRun{url: r.Target.URL, agent: r.Target.Agent, dialect: r.Target.Dialect, bundled: r.Target.Kind == BundledTarget, failed: map[string]bool{},
		count: PastCount{StartedAt: r.Run.StartedAt.UTC(), Verdict: r.Verdict, Partial: r.Run.Selection != "full"}}
	for i := range r.Results {
		res := &r.Results[i]
		failed := res.Verdict == Fail || res.Verdict == Waived
		if failed || res.Verdict == Pass {
			out.failed[res.ID] = failed
		}
		if failed {
			out.count.Failures++
		}
	}
	must := r.Summary["MUST"]
	out.count.Passed, out.count.Judged = must.Pass, must.Decided()
	return out
}

// hasSameTarget reports whether two runs are about one target and dialect. The bundled server has another port in each run.
func (p *PastRun) hasSameTarget(o *PastRun) bool {
	return p.dialect == o.dialect && p.agent == o.agent && p.bundled == o.bundled && (p.url == o.url || p.bundled)
}

// AddHistory adds to a report what earlier runs came to, in any order, and to each of its failures for how
// long it has been one. Runs of other targets or dialects are counted, and nothing else.
func AddHistory(r *Report, earlier []*PastRun) {
	now := SummarizePastRun(r)
	h := &History{}
	var runs []*PastRun
	for _, p := range earlier {
		same := func(o *PastRun) bool { return o.count.StartedAt.Equal(p.count.StartedAt) }
		switch {
		case !p.hasSameTarget(now):
			h.Others++
		case p.count.Verdict == Void || p.count.Verdict == Unreachable:
			h.Undecided++
		case !p.count.StartedAt.Before(now.count.StartedAt):
			h.Later++
		case !slices.ContainsFunc(runs, same): // a report may lie about twice
			runs = append(runs, p)
		}
	}
	slices.SortStableFunc(runs, func(a, b *PastRun) int { return a.count.StartedAt.Compare(b.count.StartedAt) })
	runs = append(runs, now)
	for i := range r.Results {
		if res := &r.Results[i]; now.failed[res.ID] {
			res.Failing = findStreak(res.ID, runs)
		}
	}
	if more := len(runs) - MaxHistoryRuns; more > 0 {
		h.Earlier, runs = more, runs[more:]
	}
	for _, p := range runs {
		h.Runs = append(h.Runs, p.count)
	}
	r.History = h
}

// findStreak finds the runs up to the last one in which a requirement fails. A run that did not decide it ends
// nothing and counts for nothing. It is nil if no earlier run decided it.
func findStreak(id string, runs []*PastRun) *Streak {
	s := &Streak{}
	passed, known := false, 0
	for _, p := range slices.Backward(runs) {
		failed, decided := p.failed[id]
		if !decided {
			continue
		}
		known++
		switch {
		case failed && passed:
			s.Unsteady = true
		case failed:
			s.Since, s.Runs = p.count.StartedAt, s.Runs+1
		default:
			s.New, passed = true, true
		}
	}
	if known < 2 {
		return nil
	}
	return s
}
