package e2e

import (
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// runWithMessages judges a bundled server over JSON-RPC with at most so many messages to the agent.
func runWithMessages(t *testing.T, most int, mutant string) *conform.Outcome {
	t.Helper()
	server := bundled(t, reference.Options{Dialect: "a2a-1.0", Mutant: mutant})
	o, err := conform.Run(t.Context(), conform.Target{URL: server.URL(), Dialect: "a2a-1.0", Endpoint: conform.Endpoint{Binding: "JSONRPC"},
		Behaviour: conform.Behaviour{DefaultStimuli: true, Bundled: true}, Limits: conform.Limits{MaxMessages: most}})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// countMusts counts the MUST requirements that passed or failed.
func countMusts(o *conform.Outcome) int {
	must := o.Report.Summary["MUST"]
	return must.Pass + must.Fail
}

// A few messages decide most of what a full run does, never otherwise than it, and as many as the plan says.
func TestMessageBudget(t *testing.T) {
	whole := runWithMessages(t, 0, "")
	full := map[string]report.Verdict{}
	for _, r := range whole.Report.Results {
		full[r.ID] = r.Verdict
	}
	numbers := testamount.Of([]int{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30}, 3, 10, 20)
	planned, err := whole.DecidedByMessages(numbers)
	if err != nil {
		t.Fatal(err)
	}
	share := map[int]float64{3: 0.6, 10: 0.8}
	for i, n := range numbers {
		o := runWithMessages(t, n, "")
		if got := o.Report.Run.AgentInvocations; got > n {
			t.Errorf("%d messages reached the agent, want at most %d", got, n)
		}
		if o.Report.Verdict != report.Partial {
			t.Errorf("with %d messages the verdict is %s, want partial", n, o.Report.Verdict)
		}
		got, all := countMusts(o), countMusts(whole)
		if float64(got) < share[n]*float64(all) {
			t.Errorf("%d messages decide %d of %d MUST requirements, want %.0f %%", n, got, all, 100*share[n])
		}
		if off := float64(planned[i]-got) / float64(got); off > 0.05 || off < -0.05 {
			t.Errorf("%d messages decide %d MUST requirements, but %d are planned", n, got, planned[i])
		}
		for _, r := range o.Report.Results {
			if was := full[r.ID]; isDecided(r.Verdict) && isDecided(was) && r.Verdict != was {
				t.Errorf("%s: %s with %d messages, %s with all", r.ID, r.Verdict, n, was)
			}
		}
	}
}

func isDecided(v report.Verdict) bool { return v == report.Pass || v == report.Fail }

// A server that takes malformed messages is not sent more of them than it may be, and is found out all the same.
func TestMessageBudgetOfLenientServer(t *testing.T) {
	t.Parallel()
	const most = 10
	o := runWithMessages(t, most, "role-unknown-accepted")
	if got := o.Report.Run.AgentInvocations; got > most {
		t.Errorf("%d messages reached the agent, want at most %d", got, most)
	}
	if o.Report.Summary["MUST"].Fail == 0 {
		t.Error("no requirement is broken")
	}
}
