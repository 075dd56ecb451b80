package limits

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

type togetherParams struct {
	Scenario string   `json:"scenario"`
	Calls    []string `json:"calls"` // beginnings of the names of the calls that count
	// Otherwise is a scenario with shorter calls that decides if the first was not played. If
	// some of its calls were refused, it repeats them all.
	Otherwise string   `json:"otherwise" step:"{}/call-1,optional"`
	Beyond    string   `json:"beyond" step:"{scenario}/{}"` // the one that is too many
	Limit     string   `json:"limit"`                       // calls or tasks
	Codes     []string `json:"codes" names:"error"`         // errors that refuse it
}

func (p togetherParams) chooseDialectLimit(t *judge.T) int {
	if p.Limit == "tasks" {
		return t.Case.Dialect.Limits.Tasks
	}
	return t.Case.Dialect.Limits.Calls
}

// listAllButExcessCall returns the calls except the one that is too many.
func (p togetherParams) listAllButExcessCall(t *judge.T) []judge.Step {
	return slices.DeleteFunc(t.Played(p.Scenario), func(s judge.Step) bool {
		return s.Name == p.Beyond || !slices.ContainsFunc(p.Calls, func(c string) bool { return strings.HasPrefix(s.Name, c) })
	})
}

// listStepsByPrefix returns the steps of a scenario whose names have the prefix.
func listStepsByPrefix(t *judge.T, scenario, prefix string) []judge.Step {
	return slices.DeleteFunc(t.Played(scenario), func(s judge.Step) bool { return !strings.HasPrefix(s.Name, prefix) })
}

// isRefusedForConcurrency reports whether a call was refused because of the calls that run at the same
// time: by one of the errors, or by HTTP status 429 or 503.
func isRefusedForConcurrency(t *judge.T, s judge.Step, codes []string) bool {
	x := s.Exchange
	return x.Answered() && (x.Standing() == 429 || x.Standing() == 503 || !x.IsStream() && s.Reply().Refuses(codes...))
}

// checkConcurrencyLimitEnforced accepts the refusal of any of the calls, for they may arrive in another order.
// It fails only if all of them were served and the last one cannot have waited for the end of
// another.
func checkConcurrencyLimitEnforced(t *judge.T, p togetherParams) {
	last, all := t.Step(p.Scenario+"/"+p.Beyond), p.listAllButExcessCall(t)
	kind, _, _ := strings.Cut(p.Beyond, "-") // others may be beyond another limit
	for _, s := range append(slices.Clone(all), last) {
		if strings.HasPrefix(s.Name, kind) && isRefusedForConcurrency(t, s, p.Codes) {
			t.OK(s.Head())
			return
		}
	}
	if !last.Accepted() {
		t.StopUndecided("the call %s/%s was refused, but not for the number of calls: %s", p.Scenario, p.Beyond, last.Outcome())
	}
	// All that were served were under way when the latest of them was made, and
	// one that had to wait ends as much later as a message takes.
	served := append(slices.DeleteFunc(slices.Clone(all), func(s judge.Step) bool { return !s.Accepted() }), last)
	made, first, end := last.Exchange.Start, last.Exchange.End, last.Exchange.End
	for _, s := range served {
		made, first, end = max(made, s.Exchange.Start), min(first, s.Exchange.End), max(end, s.Exchange.End)
	}
	if first < made || len(served) <= p.chooseDialectLimit(t) {
		t.TooQuick("slow", "when one more call was made, fewer calls than the limit were still running (%d were served): make stimuli.slow take longer", len(served))
	}
	lasts := observe.Seconds(t.Case.Transcript.Facts.Stimuli["slow"].Seconds)
	if lasts == 0 || end-first >= lasts*3/4 {
		t.Tolerate(last.Head(), "the server lets a call beyond the limit wait, or serves it")
		return
	}
	t.Fail(last.Head(), fmt.Sprintf("carried out %d at the same time", len(served)),
		fmt.Sprintf("no more than %d at the same time: a refusal (%s, or HTTP status 429 or 503), or a wait", p.chooseDialectLimit(t), strings.Join(p.Codes, " or ")))
}

// checkConcurrencyUpToLimit requires that of all calls that were sent together, with the one beyond, as many
// as the limit allows are not refused for their number. If a crowd was sent again, refusals of
// the first attempt do not count.
func checkConcurrencyUpToLimit(t *judge.T, p togetherParams) {
	var all []judge.Step
	if play := t.Case.Transcript.Play(p.Scenario); p.Otherwise == "" || play != nil && play.Stop == "" {
		all = append(p.listAllButExcessCall(t), t.Step(p.Scenario+"/"+p.Beyond))
	} else if all = listStepsByPrefix(t, p.Otherwise, "again-"); len(all) == 0 {
		all = listStepsByPrefix(t, p.Otherwise, "call-")
	}
	refused := slices.DeleteFunc(slices.Clone(all), func(s judge.Step) bool { return !isRefusedForConcurrency(t, s, p.Codes) })
	observe.StopUndecidedIf(t, len(all) < p.chooseDialectLimit(t), "only %d calls were made", len(all))
	t.OK(all[0].Head())
	if n := len(all) - len(refused); n < p.chooseDialectLimit(t) {
		t.Fail(refused[0].Head(), fmt.Sprintf("refused %d of %d (%s)", len(refused), len(all), strings.TrimPrefix(refused[0].Outcome(), "the server ")),
			fmt.Sprintf("%d at the same time to be served", p.chooseDialectLimit(t)))
	}
}

type exhaustedParams struct {
	Scenario string   `json:"scenario" step:"{}/"`
	Codes    []string `json:"codes" names:"error"`
	Unless   []string `json:"unless" names:"error"` // errors that say another reason
}

// checkExhaustionErrorCode judges the calls beyond a limit that were refused without another reason. It
// skips refusals by a proxy that does not use JSON-RPC and so has no code, and late ones, which
// come from an agent that failed.
func checkExhaustionErrorCode(t *judge.T, p exhaustedParams) {
	soon := observe.Seconds(t.Case.Transcript.Facts.Stimuli["slow"].Seconds) / 2
	of := judge.Filter(t.Played(p.Scenario), func(s judge.Step) bool {
		x := s.Exchange
		return x.Answered() && x.End-x.Start < soon && !x.IsStream() && match.IsError(s.Reply()) && !s.Reply().Refuses(p.Unless...)
	})
	judge.Each(t, of, func(s judge.Step) { t.Expect(s.Reply()).To(match.BeRPCError(t, p.Codes...)) })
}
