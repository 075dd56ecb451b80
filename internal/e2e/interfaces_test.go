package e2e

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reference"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// What two interfaces have in common is shown by one play that goes to and fro between
// them, with few messages, and a recording of it is judged like the run.
func TestInterfacesAreCompared(t *testing.T) {
	t.Parallel()
	server := bundled(t, reference.Options{Dialect: "a2a-1.0"})
	target := conform.Target{URL: server.URL(), Dialect: "a2a-1.0", Behaviour: conform.Behaviour{DefaultStimuli: true,
		Stimuli: map[string]operator.Stimulus{"slow": {Text: "slow 1", Seconds: 1}}}, Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A10-INTEROP-*"}}}} // under way for sure, on a busy machine too
	o, err := conform.Run(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	var recorded bytes.Buffer
	if err := record.WriteHAR(&recorded, o.Transcript); err != nil {
		t.Fatal(err)
	}
	again, err := conform.Replay(&recorded)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range o.Report.Results {
		want := report.Pass
		if r.ID == "A2A10-INTEROP-005" || r.ID == "A2A10-INTEROP-008" {
			want = report.NotApplicable
		}
		if r.Verdict != want || again.Report.Results[i].Verdict != want {
			t.Errorf("%s: %s %s, and when it is judged again %s", r.ID, r.Verdict, r.Reason, again.Report.Results[i].Verdict)
		}
	}
	plays := slices.DeleteFunc(slices.Clone(o.Transcript.Plays), func(p record.Play) bool { return p.Scenario != "crosswise" })
	if len(plays) != 1 || plays[0].Subject.Binding != "JSONRPC" {
		t.Fatalf("it was played %d times", len(plays))
	}
	for step, by := range map[string]string{"get": "JSONRPC", "get-2": "HTTP+JSON", "own-there-2": "JSONRPC", "follow-2": "HTTP+JSON"} {
		if s := plays[0].Step(step); s == nil || s.Exchange == nil || plays[0].By(s) != by {
			t.Errorf("%s is %+v", step, s)
		}
	}
	if n := o.Report.Run.AgentInvocations; n > 4 { // two of them in place of those on which it rests in a whole run
		t.Errorf("%d messages were sent", n)
	}

	target.Binding = "JSONRPC"
	if o, err = conform.Run(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	for _, r := range o.Report.Results[:3] {
		if r.Verdict != report.Inconclusive || r.Remedy == "" {
			t.Errorf("%s where one interface alone is spoken to: %s %s (%s)", r.ID, r.Verdict, r.Reason, r.Remedy)
		}
	}
}

// Whoever wants one binding alone judged is told that the card offers more.
func TestOneBindingOfSeveral(t *testing.T) {
	t.Parallel()
	server := bundled(t, reference.Options{Dialect: "a2a-1.0"})
	for binding, want := range map[string]string{
		"JSONRPC": "the run judged only JSONRPC; the card also offers HTTP+JSON",
		"rest":    "the run judged only HTTP+JSON; the card also offers JSONRPC",
	} {
		target := conform.Target{URL: server.URL(), Dialect: "a2a-1.0", Behaviour: conform.Behaviour{DefaultStimuli: true}, Endpoint: conform.Endpoint{Binding: binding}, Judging: conform.Judging{Select: conform.Selection{Run: []string{"A2A10-GET-*"}}}}
		o, err := conform.Run(t.Context(), target)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(o.Report.Reason, want) {
			t.Errorf("%q does not say %q", o.Report.Reason, want)
		}
	}
}
