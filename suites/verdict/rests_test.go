package verdict_test

import (
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// number is a reply whose task has this number, and refusal one with this code.
func number(step, n string) string {
	return step + " send\n  > {\"id\":\"t\"}\n  < 200 application/json {\"jsonrpc\":\"2.0\",\"id\":\"t\",\"result\":{\"number\":\"" + n + "\"}}\n"
}

func refusal(step, op, code string) string {
	return step + " " + op + "\n  > {\"id\":\"t\"}\n  < 200 application/json {\"jsonrpc\":\"2.0\",\"id\":\"t\",\"error\":{\"code\":" + code + ",\"message\":\"no\"}}\n"
}

// isSeven is a check that asks for results with the number 7, in steps that are
// judged one by one.
var isSeven = judge.Define("x/seven", "the number is 7", func(t *judge.T, p struct {
	Steps []string `json:"steps"`
}) {
	judge.Each(t, t.Steps(p.Steps), func(s judge.Step) { t.Expect(s.Reply().At("/result/number")).To(match.BeText("7")) })
})

// A violation takes from what rests on it only the exchanges that it is seen on.
// Undecided for its sake is what has nothing else to look at.
func TestWhatRestsOnSomethingBroken(t *testing.T) {
	const requirements = `
  - {id: ZZ99-X-001, level: MUST, area: task, section: '1', statement: It holds., check: x/seven, with: {steps: [p/a, p/b]}}
  - {id: ZZ99-X-002, level: MUST, area: task, section: '1', statement: It holds too., after: [ZZ99-X-001], check: x/seven, with: {steps: [p/a, p/b, p/c]}}
  - {id: ZZ99-X-003, level: MUST, area: task, section: '1', statement: And this., after: [ZZ99-X-002], check: x/seven, with: {steps: [p/c]}}
  - {id: ZZ99-X-004, level: MUST, area: task, section: '1', statement: A look., after: [ZZ99-X-001], check: x/seven, with: {steps: [p/d]}}
`
	for _, c := range []struct {
		name, said string
		want       string // of the four
		because    string // of the last that is undecided
	}{
		{"all hold", number("p/a", "7") + number("p/b", "7") + number("p/c", "7") + number("p/d", "7"), "pass pass pass pass", ""},
		{"one is broken, the others are judged", number("p/a", "8") + number("p/b", "7") + number("p/c", "7") + number("p/d", "7"), "fail pass pass pass", ""},
		{"one is broken, and another breaks something else", number("p/a", "8") + number("p/b", "7") + number("p/c", "9") + number("p/d", "7"), "fail fail inconclusive pass", "ZZ99-X-002"},
		{"all that there was is broken", number("p/a", "8") + number("p/b", "8"), "fail inconclusive inconclusive inconclusive", "ZZ99-X-001"},
		{"something else is left", number("p/a", "8") + number("p/b", "8") + number("p/c", "7"), "fail pass pass inconclusive", "ZZ99-X-001"},
		{"what fails may be the consequence", refusal("p/a", "send", "-32603") + refusal("p/b", "send", "-32603") + number("p/c", "8") + number("p/d", "7"), "fail inconclusive inconclusive pass", "ZZ99-X-001"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := judgetest.Dialect(t, requirements)
			k := verdict.NewDecider(d, judgetest.Transcript(t, c.said), judge.Register([]judge.Check{isSeven}), nil)
			var got []string
			because := ""
			for _, r := range k.Judge([]string{"ZZ99-X-001", "ZZ99-X-002", "ZZ99-X-003", "ZZ99-X-004"}) {
				got = append(got, string(r.Verdict))
				if r.Verdict == report.Inconclusive {
					because = r.Because
					if strings.Count(r.Reason, "it depends on") != 1 || !strings.Contains(r.Reason, "it depends on "+r.Because+", which fails") || !strings.Contains(r.Reason, "fix that first: ") {
						t.Errorf("%s is undecided because of %s and does not say so: %s", r.ID, r.Because, r.Reason)
					}
				}
			}
			if s := strings.Join(got, " "); s != c.want || because != c.because {
				t.Errorf("%s because of %s, want %s because of %s", s, because, c.want, c.because)
			}
		})
	}
}

// What is for itself, such as a stream, is decided without the others; what
// belongs together is not.
func TestEachAndEachOf(t *testing.T) {
	const said = "p/a send\n  < 200 application/json {\"result\":{\"number\":\"7\"}}\np/b send\n  < 200 application/json {\"result\":{}}\n"
	judged := func(each func(*judge.T, []judge.Step, func(judge.Step))) *verdict.Result {
		d := judgetest.Dialect(t, "  - {id: ZZ99-X-001, level: MUST, area: task, section: '1', statement: It holds., check: x/y, with: {}}\n")
		check := judge.Define("x/y", "a check of this test", func(t *judge.T, _ struct{}) {
			each(t, t.Steps([]string{"p/a", "p/b"}), func(s judge.Step) {
				if !s.Reply().At("/result/number").Exists() {
					t.StopUndecided("%s has no number", s.Name)
				}
				t.OK(s.Reply())
			})
		})
		return verdict.NewDecider(d, judgetest.Transcript(t, said), judge.Register([]judge.Check{check}), nil).Result("ZZ99-X-001")
	}
	if r := judged(judge.Each[judge.Step]); r.Verdict != report.Inconclusive || r.Reason != "b has no number" {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
	if r := judged(judge.EachOf[judge.Step]); r.Verdict != report.Pass {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}

// Using a permission or not is never a failure: what its check would call one is
// worth a note.
func TestPermissionsNeverFail(t *testing.T) {
	said := number("p/a", "8")
	for _, c := range []struct {
		permission string
		want       report.Verdict
		findings   int
	}{{"", report.Fail, 0}, {"permission: true, ", report.NotApplicable, 1}} {
		d := judgetest.Dialect(t, "  - {id: ZZ99-X-001, level: MAY, use: seen, area: task, section: '1', "+c.permission+"statement: It may hold., check: x/seven, with: {steps: [p/a]}}\n")
		r := verdict.NewDecider(d, judgetest.Transcript(t, said), judge.Register([]judge.Check{isSeven}), nil).Result("ZZ99-X-001")
		if r.Verdict != c.want || len(r.Findings) != c.findings {
			t.Errorf("%q: %s with findings %v: %s", c.permission, r.Verdict, r.Findings, r.Reason)
		}
	}
}
