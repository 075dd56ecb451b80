package judge_test

import (
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// A check that decides nothing is a fault of ours, whatever the server sent: the
// requirement does not pass, and the run is void.
func TestChecksThatDecideNothing(t *testing.T) {
	const said = "quick/send send\n  < 200 application/json {\"result\":{\"number\":\"7\"}}\nquick/get get unsent=send it was not to be\n"
	results := func(t *judge.T) []judge.Value { return []judge.Value{t.Step("quick/send").Result()} }
	for _, c := range []struct {
		name    string
		check   func(t *judge.T, _ struct{})
		verdict report.Verdict
		reason  string
	}{
		{"an empty check", func(*judge.T, struct{}) {}, report.SuiteError, "ended without an expectation"},
		{"looks and asks for nothing", func(t *judge.T, _ struct{}) { t.Step("quick/send").Result().At("/number").Text() }, report.SuiteError, "ended without an expectation"},
		{"returns early", func(t *judge.T, _ struct{}) {
			s := t.Step("quick/send")
			if !s.Reply().At("/error").Exists() {
				return
			}
			t.OK(s.Reply())
		}, report.SuiteError, "ended without an expectation"},
		{"returns early for each", func(t *judge.T, _ struct{}) {
			judge.Each(t, results(t), func(v judge.Value) {
				if v.At("/group").Exists() {
					t.OK(v)
				}
			})
		}, report.SuiteError, "ended without an expectation"},
		{"panics", func(*judge.T, struct{}) { panic("no such thing") }, report.SuiteError, "no such thing"},
		{"panics after an expectation", func(t *judge.T, _ struct{}) {
			t.OK(t.Step("quick/send").Reply())
			var none []int
			_ = none[len(t.Requirement.After)]
		}, report.SuiteError, "index out of range"},
		{"panics for each", func(t *judge.T, _ struct{}) {
			judge.Each(t, results(t), func(judge.Value) { panic("no such thing") })
		}, report.SuiteError, "no such thing"},
		{"without evidence", func(t *judge.T, _ struct{}) { t.OK(judge.Value{}) }, report.SuiteError, "passed without evidence"},
		{"an unknown step", func(t *judge.T, _ struct{}) { t.Step("quick") }, report.SuiteError, "scenario/step"},

		{"says what it lacked", func(t *judge.T, _ struct{}) { t.StopUndecided("no number was seen") }, report.Inconclusive, "no number was seen"},
		{"a step that was not made", func(t *judge.T, _ struct{}) { t.Step("quick/get") }, report.Inconclusive, "it was not to be"},
		{"nothing of the kind", func(t *judge.T, _ struct{}) { judge.Each(t, []judge.Value{}, t.OK) }, report.NotApplicable, "no thing was seen"},
		{"decides", func(t *judge.T, _ struct{}) { t.OK(t.Step("quick/send").Reply()) }, report.Pass, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := judgetest.Dialect(t, "  - {id: ZZ99-X-001, level: MUST, area: task, section: '1', statement: It holds., every: thing, check: x/y, with: {}}\n")
			checks := judge.Register([]judge.Check{judge.Define("x/y", "a check of this test", c.check)})
			r := verdict.NewDecider(d, judgetest.Transcript(t, said), checks, nil).Result("ZZ99-X-001")
			if r.Verdict != c.verdict || !strings.Contains(r.Reason, c.reason) {
				t.Errorf("%s: %s, want %s: …%s…", r.Verdict, r.Reason, c.verdict, c.reason)
			}
			if void := report.Decide([]report.Result{r.Result}, true, true, report.Whole) == report.Void; void != (c.verdict == report.SuiteError) {
				t.Errorf("the run is void: %v", void)
			}
		})
	}
}

// What is not in the catalogue, or not among the checks, decides nothing either.
func TestRequirementsWithoutACheck(t *testing.T) {
	d := judgetest.Dialect(t, "  - {id: ZZ99-X-001, level: MUST, area: task, section: '1', statement: It holds., check: x/y, with: {}}\n")
	c := verdict.NewDecider(d, judgetest.Transcript(t, ""), judge.Checks{}, nil)
	for _, id := range []string{"ZZ99-X-001", "ZZ99-X-002"} {
		if r := c.Result(id); r.Verdict != report.SuiteError {
			t.Errorf("%s is %s: %s", id, r.Verdict, r.Reason)
		}
	}
}
