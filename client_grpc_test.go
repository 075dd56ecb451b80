package conform_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	conform "github.com/a2a-conform/a2a-conform"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reference/client"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// A record of calls of gRPC gives the same verdicts again, of a healthy client and of a broken one.
func TestReplayOfCallsOfGRPC(t *testing.T) {
	t.Parallel()
	for mutant, broken := range map[string]map[string]string{
		"":                     {},
		"grpc-get-without-id":  {"a2a-1.0": "A2A10-CL-GRPC-003", "a2a-0.3": "A2A03-CL-GRPC-003"},
		"grpc-fields-of-draft": {"a2a-1.0": "A2A10-CL-GRPC-002", "a2a-0.3": "A2A03-CL-GRPC-002"},
	} {
		for _, dialect := range []string{"a2a-1.0", "a2a-0.3"} { // which have gRPC
			t.Run(dialect+"/"+mutant, func(t *testing.T) {
				t.Parallel()
				run := func(ctx context.Context, c *conform.ClientRun) error {
					code := client.Run(ctx, client.Options{URL: c.URL, Text: c.Text, Second: c.Second, Dialect: dialect, Variant: "grpc", Mutant: mutant, Stdout: c.Out, Stderr: c.Out})
					if code != 0 {
						return errors.New("no answer")
					}
					return nil
				}
				o, err := conform.RunClient(t.Context(), conform.ClientTarget{Dialect: dialect, Func: run, Command: []string{"client", "{url}", "{text}", "{second}"},
					Scenarios: []string{"only-grpc", "only-grpc-poll", "only-grpc-stream", "only-grpc-error"}})
				if err != nil {
					t.Fatal(err)
				}
				var har bytes.Buffer
				if err := record.WriteHAR(&har, o.Transcript); err != nil {
					t.Fatal(err)
				}
				again, err := conform.Replay(&har)
				if err != nil {
					t.Fatal(err)
				}
				passed := 0
				for i, r := range o.Report.Results {
					second := again.Report.Results[i]
					if r.ID != second.ID || r.Verdict != second.Verdict || r.Reason != second.Reason || len(r.Findings) != len(second.Findings) {
						t.Errorf("%s is %s (%s) at first, and %s %s (%s) in the replay", r.ID, r.Verdict, r.Reason, second.ID, second.Verdict, second.Reason)
					}
					switch q := o.Dialect.Requirement(r.ID); {
					case r.Verdict == report.Fail && r.ID != broken[dialect], r.Verdict != report.Fail && r.ID == broken[dialect]:
						t.Errorf("%s is %s: %s", r.ID, r.Verdict, r.Reason)
					case q.Binding == "grpc" && r.Verdict == report.Pass:
						passed++
					}
				}
				if passed < 3 {
					t.Errorf("%d requirements on gRPC passed", passed)
				}
			})
		}
	}
}
