package verdict

import (
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

const ofSDK, ofOurs = `{"jsonrpc":"2.0","id":"1","error":{"code":-32602,"message":"Invalid JSON-RPC Request."}}`, `{"jsonrpc":"2.0","id":"1","error":{"code":-32602,"message":"bad request"}}`

// refusing is a decider over one call at envelope/no-method, and the failure of A2A10-ENV-015 on its answer.
func refusing(on time.Time, answer string, waivers []operator.Waiver) (*Decider, Result) {
	x := &record.Exchange{ID: 1, Dir: record.Out, Response: record.Message{Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"), Body: []byte(answer)}}
	root := x.Reply().Root
	doc := &judge.Document{Exchange: x, Root: root}
	doc.Answer.Failure.Node = root.Member("error")
	d := &Decider{Case: &judge.Case{Transcript: &record.Transcript{Started: on, Facts: record.Facts{Waivers: waivers},
		Plays: []record.Play{{Scenario: "envelope", Steps: []record.Step{{Name: "no-method", Exchange: x}}}}}}}
	d.Recorded = d.Transcript
	r := Result{CheckResult: judge.CheckResult{Result: report.Result{ID: "A2A10-ENV-015", Verdict: report.Fail, Reason: "the server answered"}, Broken: []judge.Breach{{Document: doc, Node: root}}}}
	return d, r
}

func waiversOf(t *testing.T, word string) []operator.Waiver {
	t.Helper()
	all, err := ReadWaivers("sdk:" + word)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Failures with the marks of a known fault are waived, and no others of the same requirement.
func TestWaiversOfAnSDK(t *testing.T) {
	js := waiversOf(t, "js@1.3.0")
	day, err := time.Parse(time.DateOnly, js[0].Until)
	if err != nil {
		t.Fatal(err)
	}
	before := day.AddDate(0, 0, -1)
	passes := func(r *Result) { r.Verdict, r.Broken = report.Pass, nil }
	for _, c := range []struct {
		name    string
		on      time.Time
		answer  string
		change  func(r *Result)
		verdict report.Verdict
		state   report.WaiverState
		overdue bool
		advice  string
	}{
		{"its bytes", before, ofSDK, nil, report.Waived, report.InForce, false, ""},
		{"its last day", day.Add(23 * time.Hour), ofSDK, nil, report.Waived, report.InForce, false, ""},
		{"the day after", day.AddDate(0, 0, 1), ofSDK, nil, report.Fail, report.Expired, true, "180 days after the fault was last seen: update a2a-conform or the SDK"},
		{"other bytes", before, ofOurs, nil, report.Fail, report.Stale, true, "fails, but not as @a2a-js/sdk 1.3.0 is known to fail it: fix it"},
		{"violations that were not kept", before, ofSDK, func(r *Result) { r.unseen = true }, report.Fail, report.Stale, true, "fix it"},
		{"it passes, as all do", before, ofSDK, passes, report.Pass, report.Stale, true, "A2A10-ENV-015 passes, which @a2a-js/sdk 1.3.0 is known to fail: if the agent is built on another version by now, correct --waivers sdk:js@1.3.0"},
		{"it does not apply", before, ofSDK, func(r *Result) { r.Verdict = report.NotApplicable }, report.NotApplicable, report.NotJudged, false, ""},
		{"it is undecided", before, ofSDK, func(r *Result) { r.Verdict = report.Inconclusive }, report.Inconclusive, report.Undecided, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, r := refusing(c.on, c.answer, js)
			if c.change != nil {
				c.change(&r)
			}
			d.applyWaiver(&r)
			if r.Verdict != c.verdict {
				t.Errorf("the verdict is %s, want %s", r.Verdict, c.verdict)
			}
			for _, w := range d.Waivers([]Result{r}) {
				if w.ID != r.ID {
					t.Errorf("there is a waiver of %s, which was not judged", w.ID)
				}
				if w.State != c.state || w.Overdue() != c.overdue || !strings.Contains(w.Advice, c.advice) {
					t.Errorf("the waiver is %s, %q; want %s, %q", w.State, w.Advice, c.state, c.advice)
				}
			}
		})
	}
}

// One fault that is not there is no reason to close the gate as long as others are.
func TestListOfAnSDKIsOfUse(t *testing.T) {
	d, r := refusing(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), ofSDK, waiversOf(t, "js@1.3.0"))
	d.applyWaiver(&r)
	passes := Result{CheckResult: judge.CheckResult{Result: report.Result{ID: "A2A10-ENV-019", Verdict: report.Pass}}}
	for _, w := range d.Waivers([]Result{r, passes}) {
		switch w.ID {
		case r.ID:
			if w.State != report.InForce {
				t.Errorf("the waiver of %s is %s", w.ID, w.State)
			}
		case passes.ID:
			if w.State != report.Undecided || w.Overdue() || !strings.Contains(w.Advice, "passes") {
				t.Errorf("the waiver of %s is %s, %q", w.ID, w.State, w.Advice)
			}
		}
	}
}

// A file and the faults of an SDK can both waive a requirement; what the file covers needs no more.
func TestWaiversOfAFileAndAnSDK(t *testing.T) {
	own := operator.Waiver{ID: "A2A10-ENV-015", Why: "ticket 4711", Until: "2026-12-31", At: "envelope", File: "w.yaml", Line: 2}
	for _, c := range []struct {
		name, answer string
		own          operator.Waiver
		verdict      report.Verdict
		states       []report.WaiverState
	}{
		{"both cover it", ofSDK, own, report.Waived, []report.WaiverState{report.InForce, report.InForce}},
		{"the file alone covers it", ofOurs, own, report.Waived, []report.WaiverState{report.InForce, report.NotJudged}},
		{"the file is about another place", ofSDK, operator.Waiver{ID: own.ID, Why: own.Why, Until: own.Until, At: "malformed", File: "w.yaml", Line: 2}, report.Waived, []report.WaiverState{report.Stale, report.InForce}},
		{"none covers it", ofOurs, operator.Waiver{ID: own.ID, Why: own.Why, Until: own.Until, At: "malformed", File: "w.yaml", Line: 2}, report.Fail, []report.WaiverState{report.Stale, report.Stale}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, r := refusing(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), c.answer, append([]operator.Waiver{c.own}, waiversOf(t, "js@1.3.0")...))
			r.Evidence = []report.Evidence{{Exchange: 1}}
			d.applyWaiver(&r)
			if r.Verdict != c.verdict {
				t.Errorf("the verdict is %s, want %s", r.Verdict, c.verdict)
			}
			var states []report.WaiverState
			for _, w := range d.Waivers([]Result{r}) {
				if w.ID == r.ID {
					states = append(states, w.State)
				}
			}
			if len(states) != 2 || states[0] != c.states[0] || states[1] != c.states[1] {
				t.Errorf("the waivers are %v, want %v", states, c.states)
			}
		})
	}
}

func TestNamesOfWaiverLists(t *testing.T) {
	if _, err := ReadWaivers("sdk:python@1.0"); err == nil || !strings.Contains(err.Error(), `--waivers: "python@1.0" is no SDK whose faults are known; there are `) {
		t.Errorf("got %v", err)
	}
	for _, s := range schema.KnownSDKs() {
		for _, v := range s.Versions {
			seen := map[string]bool{}
			for _, w := range waiversOf(t, schema.NamedSDK{SDK: s, Version: v.Version}.String()) {
				if seen[w.ID] || w.Why == "" || w.Until == "" || w.SDK == "" {
					t.Errorf("%+v is a second one, or not whole", w)
				}
				seen[w.ID] = true
			}
		}
	}
}
