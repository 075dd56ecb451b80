package conform

import (
	"context"

	"github.com/a2a-conform/a2a-conform/harness/livepage"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/harness/serve"
	"github.com/a2a-conform/a2a-conform/suites/summary"
)

// AttendClient serves a client that is used by hand until the context ends, and judges what it sent. The command, the
// function, the jobs and the patience of the target are not used. Without a Judge, at gets one that judges as in the end.
// The error is a mistake of the operator (*UsageError), or a fault of the suite.
func AttendClient(ctx context.Context, target ClientTarget, at serve.Attached) (*Outcome, error) {
	return AttendClientWith(ctx, target, at, summary.CallDirectly)
}

// AttendClientWith is AttendClient with another way to call the checks in the end.
func AttendClientWith(ctx context.Context, target ClientTarget, at serve.Attached, call summary.Caller) (*Outcome, error) {
	d, err := completeClientTarget(&target)
	if err != nil {
		return nil, err
	}
	config := serve.Config{Dialect: d, Text: target.Text, Second: target.Second, Naming: target.IDs, Facts: listClientFacts(d, &target), With: target.With, Hook: target.Hook}
	if config.Scenarios, _, err = chooseClientScenarios(d, &target); err != nil {
		return nil, err
	}
	if at.Judge == nil {
		at.Judge = func(t *record.Transcript) livepage.Summary {
			outcome, err := judgeTranscript(d, t, summary.CallDirectly)
			if err != nil {
				return livepage.Summary{Verdict: "not judged", Reason: err.Error()}
			}
			return summary.SummarizeForPage(outcome.Report)
		}
	}
	transcript, err := serve.Attend(ctx, config, at)
	if err != nil {
		return nil, &UsageError{Text: err.Error()}
	}
	return judgeTranscript(d, transcript, call)
}
