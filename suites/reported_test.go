package suites_test

import (
	"strings"
	"testing"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/judge/judgetest"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// A check reads what the program of a client reported, and its evidence is the line.
func TestJudgeWhatWasReported(t *testing.T) {
	t.Parallel()
	check := judge.Define("test/reported", "Is no task reported as ended?", func(t *judge.T, _ struct{}) {
		for _, s := range t.ReportingStarts("hello") {
			for _, r := range s.Reported("status", "task") {
				if r.HasState("ready") {
					t.Fail(r.Value.At("/state"), "reported the state "+r.State, "another one")
				}
				t.OK(r.Value)
			}
		}
	})
	send := call("hello/send send", "do", message(""), done)
	for _, c := range []struct {
		text, needs string
		want        report.Verdict
		says        string
	}{
		{"knows works adapter\n" + send + "reports hello 5 {\"saw\":\"error\"}\nreports hello 6 {\"saw\":\"status\",\"state\":\"BUSY\"}\n", "adapter", report.Pass, ""},
		{"knows works adapter\n" + send + "reports hello 5 {\"saw\":\"card\"}\nreports hello 6 {\"saw\":\"status\",\"state\":\"Task_State_READY\"}\n", "adapter", report.Fail, "reported the state Task_State_READY"},
		{"knows works\n" + send, "", report.Inconclusive, "reports nothing of what its client saw"},
		{"knows works\n" + send, "adapter", report.Inconclusive, "it needs an adapter"},
		{"knows works adapter cannot=list\n" + send + "reports hello 6 {\"saw\":\"status\"}\n", "adapter.list", report.NotApplicable, "nothing for the command list"},
		{"knows works adapter cannot=list\n" + send + "reports hello 6 {\"saw\":\"status\"}\n", "adapter.get", report.Pass, ""},
	} {
		d := judgetest.Dialect(t, "  - {id: ZZ99-X-001, level: MUST, area: task, section: '1', statement: It holds., check: test/reported}\n")
		d.Requirement("ZZ99-X-001").Needs = strings.Fields(c.needs)
		r := verdict.NewDecider(d, clientTranscript(t, c.text), judge.Checks{"test/reported": check}, nil).Result("ZZ99-X-001")
		if r.Verdict != c.want || !strings.Contains(r.Reason, c.says) {
			t.Errorf("%s: %s (%s), want %s (%s)", c.text, r.Verdict, r.Reason, c.want, c.says)
		}
		if c.want == report.Fail && (len(r.Evidence) != 1 || r.Evidence[0].Said != 2 || r.Evidence[0].Exchange != 1 || r.Evidence[0].Pointer != "/state" || r.Evidence[0].Excerpt != `"Task_State_READY"` || r.Why[0].At.Said != 2) {
			t.Errorf("the evidence is %+v, %+v", r.Evidence, r.Why)
		}
	}
}
