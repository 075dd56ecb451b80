package html

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/reportstest"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// large is a report on so many requirements and exchanges, of which one in so many fails, as
// they are in a run on a server that breaks much.
func large(requirements, exchanges, every int, bindings ...string) (*report.Report, *record.Transcript) {
	t := &record.Transcript{Started: reportstest.Started, Facts: record.Facts{Dialect: "a2a-1.0", Bindings: bindings}}
	for i := range exchanges {
		if i%8 == 0 {
			play := record.Play{Scenario: fmt.Sprintf("conversation-%d", i/8), Attempt: 1}
			play.Subject.Binding = bindings[i%len(bindings)]
			t.Plays = append(t.Plays, play)
		}
		answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d","result":{"task":{"id":"E4JGTL4MHTVYAKUL5GYKBPMTGQ-%d","contextId":"c-%d","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-01T00:00:00Z"},"artifacts":[%s]}}}`,
			i, i/8, i/8, strings.TrimSuffix(strings.Repeat(`{"artifactId":"artifact-0","name":"story.txt","parts":[{"text":"The first piece, the second piece, and the last."}]},`, 1+i%9), ","))
		x := reportstest.Post(fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d","method":"SendMessage","params":{"message":{"messageId":"m-%d","role":"ROLE_USER","parts":[{"text":"Write a short report about bridges."}]}}}`, i, i),
			"200 OK", "application/json", answer, time.Duration(i)*5*reportstest.Millisecond)
		p := &t.Plays[len(t.Plays)-1]
		p.Steps = append(p.Steps, record.Step{Name: fmt.Sprintf("step-%d", i%8), Role: record.Main, Op: "send", Exchange: x})
	}
	t.Seal()
	var results []report.Result
	for i := range requirements {
		r := report.Result{ID: fmt.Sprintf("A2A10-AREA-%03d", i), Level: []schema.Level{schema.Must, schema.Must, schema.Should}[i%3], Area: fmt.Sprintf("area%d", i/30), Section: "3.2.2; 9.5",
			Statement: "By default SendMessage waits until the task is terminal or interrupted, whichever of them comes first.", Verdict: report.Pass}
		for j := range 3 {
			x := (i*3 + j) % exchanges
			r.Evidence = append(r.Evidence, report.Evidence{Exchange: x + 1, Step: "conversation/step", Pointer: "/result/task/status/state", Excerpt: `"TASK_STATE_COMPLETED"`})
		}
		if i%every == 0 {
			r.Verdict, r.Reason = report.Fail, fmt.Sprintf("SendMessage: the server sent state \"TASK_STATE_COMPLETED\"; expected a working one (A2A 1.0.1 §3.2.2) [exchange %d]", i+1)
			r.Why = []report.Why{{Sent: "SendMessage", Did: `sent state "TASK_STATE_COMPLETED"`, Due: "a working one (A2A 1.0.1 §3.2.2)", At: report.At{Exchange: i*3%exchanges + 1, Pointer: "/result/task/status/state"}}}
		}
		for _, b := range bindings {
			if len(bindings) > 1 {
				r.Subjects = append(r.Subjects, report.SubjectResult{Binding: b, Verdict: r.Verdict})
			}
		}
		results = append(results, r)
	}
	r := reportstest.SampleReport(results...)
	r.Target.Dialect, r.Target.Bindings = "a2a-1.0", bindings
	return r, t
}

// TestHTMLSize checks that a page stays small whatever was broken, as it is kept by CI and sent
// around.
func TestHTMLSize(t *testing.T) {
	for _, c := range []struct {
		requirements, exchanges, every, most int
		bindings                             []string
	}{
		{420, 300, 20, 900_000, []string{"JSONRPC"}},
		{420, 300, 4, 900_000, []string{"JSONRPC"}},
		{556, 460, 20, 1_200_000, []string{"JSONRPC", "HTTP+JSON", "GRPC"}},
		{556, 460, 4, 1_200_000, []string{"JSONRPC", "HTTP+JSON", "GRPC"}},
	} {
		r, tr := large(c.requirements, c.exchanges, c.every, c.bindings...)
		page := render(t, r, tr)
		t.Logf("%d requirements, every %dth broken, %d exchanges of which %d have their bytes, %d bindings: %d bytes",
			c.requirements, c.every, c.exchanges, strings.Count(page, `class="exchange"`), len(c.bindings), len(page))
		if len(page) > c.most {
			t.Errorf("a page has %d bytes, want at most %d", len(page), c.most)
		}
	}
}
