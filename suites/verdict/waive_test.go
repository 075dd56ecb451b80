package verdict

import (
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

func TestWaivers(t *testing.T) {
	on := time.Date(2026, 3, 31, 23, 59, 0, 0, time.UTC)
	fails := Result{CheckResult: judge.CheckResult{Result: report.Result{ID: "X-1", Verdict: report.Fail, Reason: "the server answered code -32600", Others: []string{"the server answered code -32600 again"},
		Evidence: []report.Evidence{{Exchange: 1, Pointer: "/error/code"}, {Exchange: 2, Pointer: "/error/code"}}}}}
	more := fails
	more.More = 1
	for _, c := range []struct {
		name    string
		waiver  operator.Waiver
		result  Result
		verdict report.Verdict
		state   report.WaiverState
		advice  string
	}{
		{"it fails", operator.Waiver{Until: "2026-12-31"}, fails, report.Waived, report.InForce, ""},
		{"its last day", operator.Waiver{Until: "2026-03-31"}, fails, report.Waived, report.InForce, ""},
		{"the day after", operator.Waiver{Until: "2026-03-30"}, fails, report.Fail, report.Expired, "ended on 2026-03-30"},
		{"no day", operator.Waiver{Until: "soon"}, fails, report.Fail, report.Expired, "later until"},
		{"it passes", operator.Waiver{Until: "2026-12-31"}, Result{CheckResult: judge.CheckResult{Result: report.Result{ID: "X-1", Verdict: report.Pass}}}, report.Pass, report.Stale, "delete its waiver, w.yaml:7"},
		{"it passes and is over", operator.Waiver{Until: "2020-12-31"}, Result{CheckResult: judge.CheckResult{Result: report.Result{ID: "X-1", Verdict: report.Pass}}}, report.Pass, report.Stale, "delete its waiver"},
		{"it passes this time", operator.Waiver{Until: "2026-12-31", Sometimes: true}, Result{CheckResult: judge.CheckResult{Result: report.Result{ID: "X-1", Verdict: report.Pass}}}, report.Pass, report.Undecided, ""},
		{"it passes this time and is over", operator.Waiver{Until: "2020-12-31", Sometimes: true}, Result{CheckResult: judge.CheckResult{Result: report.Result{ID: "X-1", Verdict: report.Pass}}}, report.Pass, report.Stale, "delete its waiver"},
		{"a finding only by now", operator.Waiver{Until: "2026-12-31"}, Result{CheckResult: judge.CheckResult{Result: report.Result{ID: "X-1", Verdict: report.Pass, FindingOnly: "no sentence asks for it"}}}, report.Pass, report.NotJudged, ""},
		{"a finding only by now, and over", operator.Waiver{Until: "2020-12-31"}, Result{CheckResult: judge.CheckResult{Result: report.Result{ID: "X-1", Verdict: report.Pass, FindingOnly: "no sentence asks for it", Findings: []report.Finding{{Text: "x"}}}}}, report.Pass, report.NotJudged, ""},
		{"a finding by now", operator.Waiver{ID: "A2A10-SEND-004", Until: "2026-12-31"}, Result{CheckResult: judge.CheckResult{Result: report.Result{ID: "A2A10-SEND-004", Verdict: report.Pass, Findings: []report.Finding{{Text: "x"}}}}}, report.Pass, report.NotJudged, ""},
		{"no finding any more", operator.Waiver{ID: "A2A10-SEND-004", Until: "2026-12-31"}, Result{CheckResult: judge.CheckResult{Result: report.Result{ID: "A2A10-SEND-004", Verdict: report.Pass}}}, report.Pass, report.Stale, "delete its waiver"},
		{"a finding as before", operator.Waiver{Until: "2026-12-31"}, Result{CheckResult: judge.CheckResult{Result: report.Result{ID: "X-1", Verdict: report.Pass, Findings: []report.Finding{{Text: "x"}}}}}, report.Pass, report.Stale, "delete its waiver"},
		{"it fails this time", operator.Waiver{Until: "2026-12-31", Sometimes: true}, fails, report.Waived, report.InForce, ""},
		{"undecided", operator.Waiver{Until: "2026-12-31"}, Result{CheckResult: judge.CheckResult{Result: report.Result{ID: "X-1", Verdict: report.Inconclusive}}}, report.Inconclusive, report.Undecided, ""},
		{"undecided and over", operator.Waiver{Until: "2020-12-31"}, Result{CheckResult: judge.CheckResult{Result: report.Result{ID: "X-1", Verdict: report.Inconclusive}}}, report.Inconclusive, report.Expired, "w.yaml:7"},
		{"not applicable", operator.Waiver{Until: "2026-12-31"}, Result{CheckResult: judge.CheckResult{Result: report.Result{ID: "X-1", Verdict: report.NotApplicable}}}, report.NotApplicable, report.NotJudged, ""},
		{"another requirement", operator.Waiver{ID: "X-2", Until: "2026-12-31"}, fails, report.Fail, report.NotJudged, ""},
		{"where it says", operator.Waiver{Until: "2026-12-31", Where: "code -32600"}, fails, report.Waived, report.InForce, ""},
		{"elsewhere", operator.Waiver{Until: "2026-12-31", Where: "again"}, fails, report.Fail, report.Stale, "does not contain"},
		{"maybe elsewhere", operator.Waiver{Until: "2026-12-31", Where: "code"}, more, report.Fail, report.Stale, "delete where or"},
		{"maybe at another place", operator.Waiver{Until: "2026-12-31", At: "/error"}, more, report.Fail, report.Stale, "delete at or"},
		{"maybe both", operator.Waiver{Until: "2026-12-31", At: "/error", Where: "code"}, more, report.Fail, report.Stale, "delete at and where or"},
		{"at its place", operator.Waiver{Until: "2026-12-31", At: "/error/code"}, fails, report.Waived, report.InForce, ""},
		{"below its place", operator.Waiver{Until: "2026-12-31", At: "/error"}, fails, report.Waived, report.InForce, ""},
		{"in its conversation", operator.Waiver{Until: "2026-12-31", At: "envelope"}, fails, report.Waived, report.InForce, ""},
		{"at its place and as it says", operator.Waiver{Until: "2026-12-31", At: "envelope /error/code", Where: "code -32600"}, fails, report.Waived, report.InForce, ""},
		{"at another place", operator.Waiver{Until: "2026-12-31", At: "/error/message"}, fails, report.Fail, report.Stale,
			`not at the place that the waiver names (at: "/error/message"): correct the waiver or delete it, w.yaml:7. To waive what fails today, write: at: "envelope /error/code" and where: "answered code -32600"`},
		{"at a place with a longer name", operator.Waiver{Until: "2026-12-31", At: "/error/cod"}, fails, report.Fail, report.Stale, "not at the place"},
		{"only one of two at its step", operator.Waiver{Until: "2026-12-31", At: "envelope/one"}, fails, report.Fail, report.Stale, "not at the place"},
		{"at one of its places each", operator.Waiver{Until: "2026-12-31", At: "envelope/one", AlsoAt: []string{"/error/code"}}, fails, report.Waived, report.InForce, ""},
		{"at none of its places", operator.Waiver{Until: "2026-12-31", At: "quick", AlsoAt: []string{"envelope/one"}}, fails, report.Fail, report.Stale, `at: "quick, envelope/one"`},
		{"at another place, as it says", operator.Waiver{Until: "2026-12-31", At: "quick", Where: "code -32600"}, fails, report.Fail, report.Stale, "not at the place"},
		{"nowhere", operator.Waiver{Until: "2026-12-31", At: "/error"}, Result{CheckResult: judge.CheckResult{Result: report.Result{ID: "X-1", Verdict: report.Fail, Reason: "x"}}}, report.Fail, report.Stale, "not at the place"},
		{"in other words", operator.Waiver{Until: "2026-12-31", At: "/error/code", Where: "sent the code"}, fails, report.Waived, report.Reworded,
			`the waiver still counts. Write instead, in w.yaml:7: where: "answered code -32600"`},
		{"in other words, its day over", operator.Waiver{Until: "2020-12-31", At: "/error/code", Where: "sent the code"}, fails, report.Fail, report.Expired, "ended on 2020-12-31"},
		{"in other words, without a place", operator.Waiver{Until: "2026-12-31", Where: "sent the code"}, fails, report.Fail, report.Stale,
			`write: at: "envelope /error/code" and where: "answered code -32600"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.waiver.ID == "" {
				c.waiver.ID = "X-1"
			}
			c.waiver.Why, c.waiver.File, c.waiver.Line = "ticket 4711", "w.yaml", 7
			k := &Decider{Case: &judge.Case{Transcript: &record.Transcript{Started: on, Facts: record.Facts{Waivers: []operator.Waiver{c.waiver}}, Plays: []record.Play{
				{Scenario: "quick", Steps: []record.Step{{Name: "send"}}},
				{Scenario: "envelope", Steps: []record.Step{{Name: "one", Exchange: &record.Exchange{ID: 1}}, {Name: "two", Exchange: &record.Exchange{ID: 2}}}},
			}}}}
			k.Recorded = k.Transcript
			r := c.result
			k.applyWaiver(&r)
			if r.Verdict != c.verdict {
				t.Errorf("the verdict is %s, want %s", r.Verdict, c.verdict)
			}
			if said := strings.Contains(r.Reason, "ticket 4711"); said != (r.Verdict == report.Waived) {
				t.Errorf("the reason is %q", r.Reason)
			}
			w := k.Waivers([]Result{r})[0]
			if w.State != c.state || !strings.Contains(w.Advice, c.advice) || w.Overdue() != (w.Advice != "" && w.State != report.Reworded) {
				t.Errorf("the waiver is %s, %q; want %s, %q", w.State, w.Advice, c.state, c.advice)
			}
			waived := &report.Report{Verdict: report.Conformant, Run: report.Run{Gate: "no-failures"}, Waivers: []report.Waiver{w}}
			if got, want := report.ExitCode(waived), map[bool]int{true: 1}[w.Overdue()]; got != want {
				t.Errorf("exit code %d, want %d", got, want)
			}
		})
	}
}

// If several agents are judged, a waiver is held against what each of them
// does.
func TestWaiversOfSeveralAgents(t *testing.T) {
	agent := func(texts ...string) *Decider {
		r := &Result{CheckResult: judge.CheckResult{Result: report.Result{ID: "X-1", Verdict: report.Pass}}}
		if len(texts) > 0 {
			r.Verdict, r.Reason, r.Others = report.Waived, "waived until 2026-12-31: ticket 4711; "+texts[0], texts[1:]
			for range texts {
				r.Evidence = append(r.Evidence, report.Evidence{Exchange: 1, Pointer: "/error/code"})
			}
		}
		return &Decider{memo: map[string]*Result{"X-1": r}}
	}
	one, two := "the server answered code 1 to a", "the server answered code 1 to b"
	for _, c := range []struct {
		name   string
		waiver operator.Waiver
		agents []*Decider
		state  report.WaiverState
		advice string
	}{
		{"as it says", operator.Waiver{At: "/error", Where: "to a"}, []*Decider{agent(one), agent()}, report.InForce, ""},
		{"one of them in other words", operator.Waiver{At: "/error", Where: "to a"}, []*Decider{agent(one), agent(two)}, report.Reworded, `where: "answered code 1 to"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.waiver.ID, c.waiver.Why, c.waiver.Until = "X-1", "ticket 4711", "2026-12-31"
			k := &Decider{agents: c.agents, Case: &judge.Case{Transcript: &record.Transcript{Facts: record.Facts{Waivers: []operator.Waiver{c.waiver}}}}}
			k.Recorded = k.Transcript
			worst := *c.agents[0].memo["X-1"]
			worst.Reason = "agent a: " + worst.Reason
			w := k.Waivers([]Result{worst})[0]
			if w.State != c.state || !strings.Contains(w.Advice, c.advice) {
				t.Errorf("the waiver is %s, %q", w.State, w.Advice)
			}
		})
	}
}
