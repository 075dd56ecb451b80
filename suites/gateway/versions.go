package gateway

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

func init() {
	checks["gateway/same-outcome"] = checkSameOutcome
	checks["gateway/same-forms"] = checkSameForms
}

// checkSameOutcome judges whether an error is the same through the gateway.
func checkSameOutcome(j *judged, p params) outcome {
	var seen []*record.Exchange
	var uncontrolled *outcome
	for _, q := range j.listOfKind("", p.Play, "") {
		if whyUnusable(q) != "" {
			continue
		}
		direct, through := j.answersOf(q, "send")
		if !direct.Failure.Exists() {
			continue
		}
		if stop := j.requireControl(q); stop != nil {
			uncontrolled = stop
			continue
		}
		seen = append(seen, q.direct, q.through)
		if !slices.Equal(direct.Names, through.Names) {
			return j.failWith([]*record.Exchange{q.direct, q.through}, "the call fails directly with %s; through the gateway %s", describeNames(direct), describeNames(through))
		}
	}
	switch {
	case len(seen) == 0 && uncontrolled != nil:
		return *uncontrolled
	case len(seen) == 0:
		return leaveUndecided("no call of this kind fails directly, so that nothing can be compared")
	}
	return j.passWith("the calls fail through the gateway as they do directly", seen...)
}

// describeNames names the error of an answer.
func describeNames(a binding.Answer) string {
	switch {
	case len(a.Names) > 0:
		return strings.Join(a.Names, " or ")
	case a.Failure.Exists():
		return "an error that the protocol does not have"
	case a.Result.Exists():
		return "a result"
	}
	return "no answer of the protocol"
}

// formOf describes the form of an answer: its status, its error, and the names of the members that show in which version it is
// written. Of a card they are its own.
func (j *judged) formOf(q *pair, x *record.Exchange) string {
	out := []string{fmt.Sprint(x.Status())}
	a := binding.ByNameOrDefault(j.dialect, q.binding).Decode("send", x)
	result := a.Result.Node
	if strings.HasPrefix(q.step, "card") {
		result = x.Reply().Root
	}
	for _, n := range []*record.Node{result, result.Member("task")} {
		if n == nil {
			continue
		}
		var members []string
		for _, m := range n.Members {
			members = append(members, m.Name)
		}
		slices.Sort(members)
		out = append(out, strings.Join(members, " "))
	}
	if a.Failure.Exists() {
		out = append(out, describeNames(a))
	}
	return strings.Join(out, "; ")
}

// checkSameForms judges whether an agent of two versions answers through the gateway in the version of each call.
func checkSameForms(j *judged, p params) outcome {
	var seen []*record.Exchange
	var refused *pair
	for i := range j.pairs {
		q := &j.pairs[i]
		if q.play != p.Play || whyUnusable(q) != "" {
			continue
		}
		if servesNothing(q) {
			refused = q
			continue
		}
		seen = append(seen, q.direct, q.through)
		if direct, through := j.formOf(q, q.direct), j.formOf(q, q.through); direct != through {
			return j.failWith([]*record.Exchange{q.direct, q.through}, "the call (%s) is answered directly in the form %s, and through the gateway in the form %s", q.step, showText(direct), showText(through))
		}
	}
	switch {
	case len(seen) == 0 && refused != nil:
		return leaveUndecided("%s", refusedByGateway(refused))
	case len(seen) == 0:
		return notApplicable("the agent has one version at each address")
	}
	return j.passWith("the calls of each version are answered in the same form on both ways", seen...)
}
