package judge

import (
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/wire"
)

func TestWaivers(t *testing.T) {
	on := time.Date(2026, 3, 31, 23, 59, 0, 0, time.UTC)
	fails := Result{ID: "X-1", Verdict: Fail, Reason: "the server answered code -32600", Others: []string{"the server answered code -32600 again"}}
	more := fails
	more.More = 1
	for _, c := range []struct {
		name    string
		waiver  wire.Waiver
		result  Result
		verdict Verdict
		state   WaiverState
		advice  string
	}{
		{"it fails", wire.Waiver{Until: "2026-12-31"}, fails, Waived, InForce, ""},
		{"its last day", wire.Waiver{Until: "2026-03-31"}, fails, Waived, InForce, ""},
		{"the day after", wire.Waiver{Until: "2026-03-30"}, fails, Fail, Expired, "ended on 2026-03-30"},
		{"no day", wire.Waiver{Until: "soon"}, fails, Fail, Expired, "later until"},
		{"it passes", wire.Waiver{Until: "2026-12-31"}, Result{ID: "X-1", Verdict: Pass}, Pass, Stale, "delete its waiver, w.yaml:7"},
		{"it passes and is over", wire.Waiver{Until: "2020-12-31"}, Result{ID: "X-1", Verdict: Pass}, Pass, Stale, "delete its waiver"},
		{"undecided", wire.Waiver{Until: "2026-12-31"}, Result{ID: "X-1", Verdict: Inconclusive}, Inconclusive, Undecided, ""},
		{"undecided and over", wire.Waiver{Until: "2020-12-31"}, Result{ID: "X-1", Verdict: Inconclusive}, Inconclusive, Expired, "w.yaml:7"},
		{"not applicable", wire.Waiver{Until: "2026-12-31"}, Result{ID: "X-1", Verdict: NotApplicable}, NotApplicable, NotJudged, ""},
		{"another requirement", wire.Waiver{ID: "X-2", Until: "2026-12-31"}, fails, Fail, NotJudged, ""},
		{"where it says", wire.Waiver{Until: "2026-12-31", Where: "code -32600"}, fails, Waived, InForce, ""},
		{"elsewhere", wire.Waiver{Until: "2026-12-31", Where: "again"}, fails, Fail, Stale, "another way"},
		{"maybe elsewhere", wire.Waiver{Until: "2026-12-31", Where: "code"}, more, Fail, Stale, "leave where out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.waiver.ID == "" {
				c.waiver.ID = "X-1"
			}
			c.waiver.Why, c.waiver.File, c.waiver.Line = "ticket 4711", "w.yaml", 7
			k := &Case{Transcript: &wire.Transcript{Started: on, Facts: wire.Facts{Waivers: []wire.Waiver{c.waiver}}}}
			r := c.result
			k.waive(&r)
			if r.Verdict != c.verdict {
				t.Errorf("the verdict is %s, want %s", r.Verdict, c.verdict)
			}
			if said := strings.Contains(r.Reason, "ticket 4711"); said != (r.Verdict == Waived) {
				t.Errorf("the reason is %q", r.Reason)
			}
			w := k.Waivers([]Result{r})[0]
			if w.State != c.state || !strings.Contains(w.Advice, c.advice) || w.Overdue() != (w.Advice != "") {
				t.Errorf("the waiver is %s, %q; want %s, %q", w.State, w.Advice, c.state, c.advice)
			}
			report := &Report{Verdict: Conformant, Run: Run{Gate: "no-failures"}, Waivers: []Waiver{w}}
			if got, want := ExitCode(report), map[bool]int{true: 1}[w.Overdue()]; got != want {
				t.Errorf("exit code %d, want %d", got, want)
			}
		})
	}
}
