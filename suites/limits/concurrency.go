package limits

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/match"
	"github.com/a2a-conform/a2a-conform/suites/observe"
)

var togetherChecks = []judge.Check{
	judge.Define("limits/beyond", "one more at the same time than the limit allows is refused", beyondLimit),
	judge.Define("limits/up-to", "as many at the same time as the limit allows are not refused for their number", upToLimit),
	judge.Define("limits/exhausted", "a refusal for want of resources has the named code", exhausted),
}

type togetherParams struct {
	Scenario string   `json:"scenario"`
	Calls    []string `json:"calls"` // beginnings of the names of the calls that count
	// Otherwise is where shorter calls decide if the scenario was not played: a
	// crowd of them, and where some were refused the same once more.
	Otherwise string   `json:"otherwise" step:"{}/call-1,optional"`
	Beyond    string   `json:"beyond" step:"{scenario}/{}"` // the one that is too many
	Limit     string   `json:"limit"`                       // calls or tasks
	Codes     []string `json:"codes" names:"error"`         // errors that refuse it
}

func (p togetherParams) limit(t *judge.T) int {
	if p.Limit == "tasks" {
		return t.Case.Dialect.Limits.Tasks
	}
	return t.Case.Dialect.Limits.Calls
}

// others are the calls beside the one that is too many.
func (p togetherParams) others(t *judge.T) []judge.Step {
	return slices.DeleteFunc(t.Played(p.Scenario), func(s judge.Step) bool {
		return s.Name == p.Beyond || !slices.ContainsFunc(p.Calls, func(c string) bool { return strings.HasPrefix(s.Name, c) })
	})
}

// begunBy are the steps of a scenario whose names begin so.
func begunBy(t *judge.T, scenario, prefix string) []judge.Step {
	return slices.DeleteFunc(t.Played(scenario), func(s judge.Step) bool { return !strings.HasPrefix(s.Name, prefix) })
}

// tooMany reports whether a call was refused for what goes on beside it: by one
// of the errors, or by an HTTP status that says so.
func tooMany(t *judge.T, s judge.Step, codes []string) bool {
	x := s.Exchange
	return x.Answered() && (x.Standing() == 429 || x.Standing() == 503 || !x.IsStream() && observe.IsRefusal(t, s.Reply(), codes))
}

// beyondLimit: which of the calls is refused is the server's affair, for they
// may arrive in another order. It fails only where all of them were served and
// the last one cannot have waited for the end of another.
func beyondLimit(t *judge.T, p togetherParams) {
	last, all := t.Step(p.Scenario+"/"+p.Beyond), p.others(t)
	kind, _, _ := strings.Cut(p.Beyond, "-") // others may be beyond another limit
	for _, s := range append(slices.Clone(all), last) {
		if strings.HasPrefix(s.Name, kind) && tooMany(t, s, p.Codes) {
			t.OK(s.Head())
			return
		}
	}
	if !last.Accepted() {
		t.Undecided("the call %s/%s was refused, but not for the number of calls: %s", p.Scenario, p.Beyond, last.Outcome())
	}
	// All that were served were under way when the latest of them was made, and
	// one that had to wait ends as much later as a message takes.
	served := append(slices.DeleteFunc(slices.Clone(all), func(s judge.Step) bool { return !s.Accepted() }), last)
	made, first, end := last.Exchange.Start, last.Exchange.End, last.Exchange.End
	for _, s := range served {
		made, first, end = max(made, s.Exchange.Start), min(first, s.Exchange.End), max(end, s.Exchange.End)
	}
	if first < made || len(served) <= p.limit(t) {
		t.TooQuick("slow", "when one more call was made, fewer calls than the limit were still running (%d were served): make stimuli.slow take longer", len(served))
	}
	lasts := observe.Seconds(t.Case.Transcript.Facts.Stimuli["slow"].Seconds)
	if lasts == 0 || end-first >= lasts*3/4 {
		t.Finding(last.Head(), "the server lets a call beyond the limit wait, or serves it")
		t.OK(last.Head())
		return
	}
	t.Fail(last.Head(), fmt.Sprintf("carried out %d at the same time", len(served)),
		fmt.Sprintf("no more than %d at the same time: a refusal (%s, or HTTP status 429 or 503), or a wait", p.limit(t), strings.Join(p.Codes, " or ")))
}

// upToLimit: of all that were sent together, with the one beyond, so many must
// not be refused for their number as the limit allows. Where a crowd was sent
// again, what was refused the first time does not count.
func upToLimit(t *judge.T, p togetherParams) {
	var all []judge.Step
	if play := t.Case.Transcript.Play(p.Scenario); p.Otherwise == "" || play != nil && play.Stop == "" {
		all = append(p.others(t), t.Step(p.Scenario+"/"+p.Beyond))
	} else if all = begunBy(t, p.Otherwise, "again-"); len(all) == 0 {
		all = begunBy(t, p.Otherwise, "call-")
	}
	refused := slices.DeleteFunc(slices.Clone(all), func(s judge.Step) bool { return !tooMany(t, s, p.Codes) })
	if len(all) < p.limit(t) {
		t.Undecided("only %d calls were made", len(all))
	}
	t.OK(all[0].Head())
	if n := len(all) - len(refused); n < p.limit(t) {
		t.Fail(refused[0].Head(), fmt.Sprintf("refused %d of %d (%s)", len(refused), len(all), strings.TrimPrefix(refused[0].Outcome(), "the server ")),
			fmt.Sprintf("%d at the same time to be served", p.limit(t)))
	}
}

type exhaustedParams struct {
	Scenario string   `json:"scenario" step:"{}/"`
	Codes    []string `json:"codes" names:"error"`
	Unless   []string `json:"unless" names:"error"` // errors that say another reason
}

// exhausted: what is refused beyond a limit and for no other reason that it
// names. A gate that speaks no JSON-RPC has no code to give, and an agent that
// fails does so after some work.
func exhausted(t *judge.T, p exhaustedParams) {
	var of []judge.Step
	soon := observe.Seconds(t.Case.Transcript.Facts.Stimuli["slow"].Seconds) / 2
	for _, s := range t.Played(p.Scenario) {
		if s.Exchange.Answered() && s.Exchange.End-s.Exchange.Start < soon && !s.Exchange.IsStream() && match.IsError(s.Reply()) && !observe.IsRefusal(t, s.Reply(), p.Unless) {
			of = append(of, s)
		}
	}
	judge.Each(t, of, func(s judge.Step) { t.Expect(s.Reply()).To(match.BeRPCError(t, p.Codes...)) })
}
