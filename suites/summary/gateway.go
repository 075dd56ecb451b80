package summary

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/gateway"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// JudgeGateway judges a sealed record in which the same conversations were held directly and through a gateway, and reports on
// it. An error is a fault of the catalogue.
func JudgeGateway(d *schema.Dialect, t *record.Transcript) (*report.Report, error) {
	invocations := judge.NewCase(d, t, nil, nil).Invocations()
	results, err := gateway.Judge(d, t)
	if err != nil {
		return nil, err
	}
	r := newReport(t, results)
	r.Tool.Catalogue = schema.LoadGateways().Digest
	r.Target.Role, r.Target.Through, r.Target.Title = schema.GatewayRole, t.Facts.Through, schema.LoadGateways().Title+", "+d.Title
	r.Target.ThroughGRPC, r.Target.Server, r.Target.Variant, r.Target.Flags = t.Facts.ThroughGRPC, t.Facts.Server, t.Facts.Variant, t.Facts.Flags
	r.Run.AgentInvocations = invocations
	reached := slices.ContainsFunc(t.Plays, func(p record.Play) bool {
		return slices.ContainsFunc(p.Steps, func(s record.Step) bool {
			return s.Side == record.ThroughSide && s.Exchange.Answered() && !gateway.IsServerLost(s.Exchange.Status())
		})
	})
	r.Verdict = report.Decide(results, t.Facts.Selection.String() == "full", reached, cutOf(t.Facts))
	for i := range results {
		if results[i].Verdict == report.Fail {
			r.Causes++
		}
	}
	r.Reason = explainGatewayVerdict(r)
	r.Advice = listUndecidedRemedies(results)
	return r, nil
}

// explainGatewayVerdict returns the reason of the verdict on a gateway.
func explainGatewayVerdict(r *report.Report) string {
	must := r.Summary["MUST"]
	switch r.Verdict {
	case report.Void:
		return r.Run.Cut
	case report.Unreachable:
		return fmt.Sprintf("the gateway at %s gave no HTTP response in the whole run, or only 502, 503 or 504", r.Target.Through)
	case report.Nonconformant:
		text := fmt.Sprintf("the gateway breaks %d of %d decided MUST requirements", must.Fail, must.Decided())
		if must.Inconclusive > 0 {
			text += fmt.Sprintf("; %d more could not be decided", must.Inconclusive)
		}
		return text
	case report.Partial:
		return fmt.Sprintf("the gateway breaks no MUST requirement, but %s could not be decided", formatMustCount(must.Inconclusive))
	}
	return fmt.Sprintf("the gateway meets all %d MUST requirements that apply", must.Pass)
}
