package report

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/schema"
)

// ranOn returns the report of a run on a day of November, with a letter for each requirement: p for pass,
// f for fail, w for waived, u for undecided.
func ranOn(day int, verdicts string) *Report {
	r := &Report{Target: Target{Kind: "url", URL: "http://h:1", Dialect: "a2a-1.0", Agent: "A"}, Verdict: Nonconformant,
		Run: Run{StartedAt: time.Date(2026, 11, day, 9, 0, 0, 0, time.UTC), Selection: "full"}}
	for i, v := range verdicts {
		r.Results = append(r.Results, Result{ID: fmt.Sprintf("X-%d", i), Level: schema.Must, Verdict: map[rune]Verdict{'p': Pass, 'f': Fail, 'w': Waived, 'u': Inconclusive}[v]})
	}
	r.Summary = Summarize(r.Results)
	return r
}

func TestHistoryOfFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ runs, want string }{
		{"f f f", "fails since 2026-11-01, 3 runs"},
		{"p f f", "fails since 2026-11-02, 2 runs"},
		{"f u f", "fails since 2026-11-01, 2 runs"},
		{"w w f", "fails since 2026-11-01, 3 runs"},
		{"p p f", "fails in this run, passed before"},
		{"f p f", "fails in this run, passed before; unsteady: it failed before, and passed between"},
		{"f p f f", "fails since 2026-11-03, 2 runs; unsteady: it failed before, and passed between"},
		{"u u f", ""},
		{"f", ""},
		{"f f p", ""},
	} {
		var all []*Report
		for i, v := range strings.Fields(c.runs) {
			all = append(all, ranOn(i+1, v))
		}
		now, got := all[len(all)-1], ""
		var earlier []*PastRun
		for _, r := range all[:len(all)-1] {
			earlier = append([]*PastRun{SummarizePastRun(r)}, earlier...)
		}
		AddHistory(now, earlier)
		if s := now.Results[0].Failing; s != nil {
			got = s.Describe()
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.runs, got, c.want)
		}
		if len(now.History.Runs) != len(all) || !now.History.Runs[len(all)-1].StartedAt.Equal(now.Run.StartedAt) {
			t.Errorf("%s: the runs are %+v", c.runs, now.History.Runs)
		}
	}
}

func TestHistoryOfOthersCountsForNothing(t *testing.T) {
	t.Parallel()
	now := ranOn(10, "fpuw")
	other, dialect, agent, void, later := ranOn(1, "p"), ranOn(2, "p"), ranOn(3, "p"), ranOn(4, ""), ranOn(11, "p")
	other.Target.URL, dialect.Target.Dialect, agent.Target.Agent, void.Verdict = "http://other", "a2a-0.3", "B", Void
	var earlier []*PastRun
	for _, r := range []*Report{other, dialect, agent, void, later, now, ranOn(9, "pfff"), ranOn(9, "pfff")} {
		earlier = append(earlier, SummarizePastRun(r))
	}
	AddHistory(now, earlier)
	h := now.History
	if h.Others != 3 || h.Undecided != 1 || h.Later != 2 || len(h.Runs) != 2 {
		t.Errorf("got %+v", h)
	}
	want := PastCount{StartedAt: now.Run.StartedAt, Verdict: Nonconformant, Passed: 1, Judged: 3, Failures: 2}
	if h.Runs[1] != want {
		t.Errorf("got %+v, want %+v", h.Runs[1], want)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	now := ranOn(1, "f")
	var earlier []*PastRun
	for i := range 100 {
		r := ranOn(1, "f")
		r.Run.StartedAt = r.Run.StartedAt.AddDate(0, 0, -1-i)
		earlier = append(earlier, SummarizePastRun(r))
	}
	AddHistory(now, earlier)
	if len(now.History.Runs) != MaxHistoryRuns || now.History.Earlier != 101-MaxHistoryRuns || now.Results[0].Failing.Runs != 101 {
		t.Errorf("%d runs, %d earlier, a failure in %d", len(now.History.Runs), now.History.Earlier, now.Results[0].Failing.Runs)
	}
}
