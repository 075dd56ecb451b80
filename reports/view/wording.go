// Package view derives from a report what every format shows: which kind of result a requirement has,
// what failures have in common, what the baseline and the waivers mean, and the words for all of that.
package view

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// CatalogueVersion is the version of the catalogue that judged a report.
func CatalogueVersion(r *report.Report) string {
	if r.Tool.CatalogueVersion == "" {
		return "1"
	}
	return safetext.Line(r.Tool.CatalogueVersion, safetext.MaxName)
}

func CountPhrase(n int, one, many string) string {
	return safetext.Thousands(n) + " " + singularOrPlural(n, one, many)
}

func singularOrPlural(n int, singular, plural string) string {
	if n == 1 {
		return singular
	}
	return plural
}

// MaxListed bounds each list of the summary: GitHub drops a job summary beyond 1 MiB as a whole.
const MaxListed = 50

// VerdictSymbol returns a symbol for the verdict, which is printed with the word.
func VerdictSymbol(v report.RunVerdict) string {
	return cmp.Or(map[report.RunVerdict]string{report.Conformant: "✅", report.Partial: "🟡", report.Nonconformant: "❌"}[v], "⛔")
}

// ExplainVerdict returns the reason of a run's verdict.
func ExplainVerdict(r *report.Report) string {
	return cmp.Or(safetext.Line(r.Reason, safetext.MaxReason), DescribeVerdict(r))
}

// MaxPrinted bounds what is printed of each kind; beyond it the HTML report is
// the better place to read.
const MaxPrinted = 40

// DescribeVerdict explains in one sentence what the verdict of a run means.
func DescribeVerdict(r *report.Report) string {
	must := r.Summary[string(schema.Must)]
	switch {
	case len(r.Target.Documents) == 0:
	case r.Verdict == report.Conformant:
		return "No test of the level MUST failed."
	case r.Verdict == report.Partial:
		return "No test of the level MUST failed, but not everything was decided."
	case r.Verdict == report.Nonconformant:
		return "Of the tests of the level MUST, " + safetext.Thousands(must.Fail) + " failed."
	}
	switch r.Verdict {
	case report.Conformant:
		return "Every MUST requirement that applies to this " + r.Target.Subject() + " was decided, and none is broken."
	case report.Partial:
		var open []string
		if n := must.Inconclusive; n > 0 {
			open = append(open, CountPhrase(n, "MUST requirement is undecided", "MUST requirements are undecided"))
		}
		if n := must.Waived; n > 0 {
			open = append(open, CountPhrase(n, "MUST requirement is waived", "MUST requirements are waived"))
		}
		if r.Run.Selection != FullSelection {
			open = append(open, "only part of the catalogue was selected")
		}
		if len(open) == 0 {
			open = []string{"not everything was decided"}
		}
		return "The run saw no broken MUST requirement, but does not prove conformance: " + strings.Join(open, "; ") + "."
	case report.Nonconformant:
		return fmt.Sprintf("The %s breaks %s.", r.Target.Subject(), safetext.CountWithNoun(must.Fail, "MUST requirement"))
	case report.Unreachable:
		if r.Target.IsClient() {
			return "The client sent no request in the whole run, so the run says nothing about it."
		}
		if r.Reason != "" {
			return "The server gave no HTTP response in the whole run, or none but a gateway's, so the run says nothing about it."
		}
		return "The RPC endpoint gave no HTTP response in the whole run, so the run says nothing about the server."
	}
	why := "it has no result"
	if n := len(ResultsOfKind(r, SuiteError)); n > 0 {
		why = fmt.Sprintf("a2a-conform itself failed on %s", safetext.CountWithNoun(n, "requirement"))
	} else if r.NeedsCredentials {
		why = "the server let no call in"
	} else if r.Target.IsClient() && r.Run.Cut == "" {
		why = "the client did not manage the plain scenario"
	} else if r.Run.Cut != "" {
		why = "it was stopped early: " + safetext.Line(r.Run.Cut, safetext.MaxName)
	}
	return "This run proves nothing about the " + r.Target.Subject() + ": " + why + "."
}

// DescribeMusts counts the results of the MUST requirements in words, for places without a table.
func DescribeMusts(r *report.Report) string {
	var out []string
	for _, c := range Columns {
		if n := c.Of(r.Summary[string(schema.Must)]); n > 0 {
			out = append(out, fmt.Sprintf("%s %s", safetext.Thousands(n), c.Kind.Word()))
		}
	}
	what := "requirement"
	if len(r.Target.Documents) > 0 {
		what = "test"
	}
	if len(out) == 0 {
		return "no MUST " + what + " was judged"
	}
	return "MUST " + what + "s: " + strings.Join(out, ", ")
}

// ShortenEachLine are the sentences of a list, each bounded.
func ShortenEachLine(of []string) (out []string) {
	for _, s := range of {
		out = append(out, safetext.Line(s, safetext.MaxReason))
	}
	return out
}

// FullSelection is the selection of a report on all requirements.
const FullSelection = "full"

// Notices are the notices of a report, each on one line, and with them what to
// write for the waivers that hold by their place alone: they keep no gate shut.
func Notices(r *report.Report) (out []string) {
	if r.NeedsCredentials && r.Reason != "" {
		out = append(out, safetext.Line(r.Reason, safetext.MaxReason))
	}
	out = append(out, ShortenEachLine(r.Notices)...)
	for i := range r.Waivers {
		if w := &r.Waivers[i]; w.State == report.Reworded {
			out = append(out, safetext.Line(w.Advice, safetext.MaxReason))
		}
	}
	return out
}

// DescribeCost describes the cost of a run: exchanges, agent invocations and time, or of a client how
// often it was started.
func DescribeCost(r *report.Report) string {
	run := r.Run
	switch {
	case run.Starts > 0:
		return fmt.Sprintf("%s of the client, %s, %s", safetext.CountWithNoun(run.Starts, "start"), safetext.CountWithNoun(run.Exchanges, "request"), FormatRunTime(run.DurationMs))
	case r.Target.IsClient():
		return fmt.Sprintf("%s, %s", safetext.CountWithNoun(run.Exchanges, "request"), FormatRunTime(run.DurationMs))
	}
	return fmt.Sprintf("%s, %s, %s", safetext.CountWithNoun(run.Exchanges, "exchange"), safetext.CountWithNoun(run.AgentInvocations, "agent invocation"), FormatRunTime(run.DurationMs))
}

func FormatRunTime(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	d := time.Duration(ms) * time.Millisecond
	if d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// DescribeWaits lists what the run waited for, longest first.
func DescribeWaits(w map[string]float64) []string {
	names := slices.SortedFunc(maps.Keys(w), func(a, b string) int {
		return cmp.Or(cmp.Compare(w[b], w[a]), cmp.Compare(a, b))
	})
	var out []string
	for _, n := range names {
		out = append(out, fmt.Sprintf("%.1f s for %s", w[n], safetext.Line(n, safetext.MaxName)))
	}
	return out
}

// VerdictHeadline is what the verdict of a run is called above all else.
func VerdictHeadline(v report.RunVerdict) string {
	if v == report.Void {
		return "no result"
	}
	return string(v)
}

// MoreFailuresHave begins a sentence on failures that follow from another one.
func MoreFailuresHave(n int) string { return CountPhrase(n, "more failure has", "more failures have") }

// WaiverStateWord returns the name of the state of a waiver for people.
func WaiverStateWord(s report.WaiverState) string { return cmp.Or(stateWords[s], string(s)) }

var stateWords = map[report.WaiverState]string{
	report.InForce: "in force", report.Reworded: "in force, the text of the failure has changed",
	report.Stale: "not needed any more", report.NotJudged: "not judged",
}
