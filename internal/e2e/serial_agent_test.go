package e2e

import (
	"testing"
	"time"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/internal/testamount"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A run with an agent that works on one message at a time takes hardly longer than its messages take, and decides the same as with
// one that works on all at once.
func TestSerialAgent(t *testing.T) {
	testamount.SkipInShort(t)
	t.Parallel()
	const latency = time.Second
	judge := func(serial bool) func() (*conform.Outcome, error) {
		server := bundled(t, reference.Options{Dialect: "a2a-1.0", Latency: latency, Serial: serial})
		return begun(t, conform.Target{URL: server.URL(), Dialect: "a2a-1.0", Endpoint: conform.Endpoint{Binding: "JSONRPC"}, Behaviour: conform.Behaviour{DefaultStimuli: true}})
	}
	endSerial, endParallel := judge(true), judge(false)
	serial, err := endSerial()
	if err != nil {
		t.Fatal(err)
	}
	parallel, err := endParallel()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]report.Verdict{}
	for _, r := range parallel.Report.Results {
		want[r.ID] = r.Verdict
	}
	for _, r := range serial.Report.Results {
		if was := want[r.ID]; r.Verdict == report.Fail || r.Verdict != was && isDecided(was) {
			t.Errorf("%s: %s with a serial agent, %s with one that is not: %s", r.ID, r.Verdict, was, r.Reason)
		}
	}
	run := serial.Report.Run
	if took, most := time.Duration(run.DurationMs)*time.Millisecond, time.Duration(run.AgentInvocations)*latency*11/10; took > most {
		t.Errorf("the run took %v for %d messages, want at most %v", took, run.AgentInvocations, most)
	}
}
