package summary

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/transport"
)

// explainVerdict states in a sentence why the run has its verdict.
func explainVerdict(r *report.Report) string {
	must := r.Summary["MUST"]
	switch r.Verdict {
	case report.Void:
		if r.Run.Cut != "" {
			return r.Run.Cut + "; the report shows what was judged until then, but it proves nothing"
		}
		return "a2a-conform itself failed; this is not the server's fault"
	case report.Unreachable:
		return fmt.Sprintf("the RPC endpoint %s gave no HTTP response in the whole run; if the endpoint is elsewhere, give --rpc", r.Target.RPC)
	case report.Nonconformant:
		text := fmt.Sprintf("the server breaks %d of %d decided MUST requirements", must.Fail, must.Decided())
		if must.Inconclusive > 0 {
			text += fmt.Sprintf("; %d more could not be decided", must.Inconclusive)
		}
		if all := must.Fail + r.Summary["SHOULD"].Fail + r.Summary["MAY"].Fail; r.Causes < all {
			text += fmt.Sprintf("; all %d failures together (MUST, SHOULD and MAY) have %d cause%s", all, r.Causes, strings.Repeat("s", min(1, r.Causes-1)))
		}
		if r.Run.Cut != "" {
			text += "; " + r.Run.Cut + ", so it may break more"
		}
		return text
	case report.Partial:
		if transport.KnowsSuite(r.Results) {
			return onlyForUs(r)
		}
		if r.Run.Selection != "full" {
			return fmt.Sprintf("no MUST requirement is broken, but only part of the catalogue was judged (%s)", r.Run.Selection)
		}
		if r.Run.Cut != "" {
			return r.Run.Cut + fmt.Sprintf("; until then no MUST requirement was broken without a waiver, %s undecided", formatMustCountWithVerb(must.Inconclusive))
		}
		switch {
		case must.Waived == 0:
			return fmt.Sprintf("no MUST requirement is broken, but %s could not be decided", formatMustCount(must.Inconclusive))
		case must.Inconclusive == 0:
			return fmt.Sprintf("no MUST requirement is broken without a waiver; %s waived", formatMustCountWithVerb(must.Waived))
		}
		return fmt.Sprintf("no MUST requirement is broken without a waiver (%s waived), but %d could not be decided", formatMustCountWithVerb(must.Waived), must.Inconclusive)
	}
	return fmt.Sprintf("the server meets all %d MUST requirements that apply", must.Pass)
}

// onlyForUs returns why a run is partial whose server knows the suite.
func onlyForUs(r *report.Report) string {
	text, must := "no MUST requirement is broken", r.Summary["MUST"]
	if must.Waived > 0 {
		text += " without a waiver"
	}
	if r.Run.Cut != "" {
		text = r.Run.Cut + "; " + text
	}
	if must.Inconclusive > 0 {
		text += ", " + formatMustCountWithVerb(must.Inconclusive) + " undecided"
	}
	return text + ", but the server answers other clients differently, so other clients may not get what this run saw (" + transport.ComparedClients + ")"
}

// explainRefused states that no call was let in, before anything else. What is broken all the
// same follows.
func explainRefused(r *report.Report, refused string) string {
	switch {
	case r.Verdict != report.Void:
		return refused + "; what could be seen all the same: " + explainVerdict(r)
	case r.Summary["MUST"].SuiteError+r.Summary["SHOULD"].SuiteError+r.Summary["MAY"].SuiteError > 0, r.Run.Cut != "":
		return explainVerdict(r) + "; " + refused
	}
	return refused
}

// formatMustCount counts requirements of the highest level.
func formatMustCount(n int) string {
	if n == 1 {
		return "1 MUST requirement"
	}
	return fmt.Sprintf("%d MUST requirements", n)
}

// formatMustCountWithVerb begins a sentence about them.
func formatMustCountWithVerb(n int) string {
	if n == 1 {
		return formatMustCount(n) + " is"
	}
	return formatMustCount(n) + " are"
}

// listUndecidedRemedies gathers what would get undecided requirements decided, one line for
// each remedy, the one that helps most first. Behaviours for which no message
// is known make one declaration together.
func listUndecidedRemedies(results []report.Result) []string {
	count := map[string]int{}
	var order, silent []string
	for _, r := range results {
		if r.Verdict != report.Inconclusive || r.Remedy == "" {
			continue
		}
		if count[r.Remedy]++; count[r.Remedy] == 1 {
			order = append(order, r.Remedy)
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return count[b] - count[a] })
	var out []string
	for _, remedy := range order {
		out = append(out, fmt.Sprintf("%s decides %d more", remedy, count[remedy]))
		if _, rest, ok := strings.Cut(remedy, "never: ["); ok {
			name, _, _ := strings.Cut(rest, "]")
			silent = append(silent, name)
		}
	}
	if len(silent) > 1 {
		out = append(out, fmt.Sprintf("if your agent never does any of these, declare it: declares: {never: [%s]}", strings.Join(silent, ", ")))
	}
	return out
}
