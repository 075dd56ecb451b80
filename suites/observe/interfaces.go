package observe

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

// Crossing names steps that were made at the first interface of an agent, and pairs of steps at
// two of them. The same step at another interface has the name of the first, followed by the
// number of the interface.
type Crossing struct {
	Steps []string     `json:"steps" step:"{}"`
	Pairs []PairParams `json:"pairs"`
}

// Each judges a step at one interface and the same step at another. If an agent has one interface
// alone, the requirement does not apply; if others were not called, it is undecided.
func (p Crossing) Each(t *judge.T, of func(one, other judge.Step)) {
	SeveralInterfaces(t)
	var pairs [][2]string
	for _, name := range p.Steps {
		for _, other := range StepNamesAtOtherInterfaces(t, name) {
			pairs = append(pairs, [2]string{name, other})
		}
	}
	for _, pair := range p.Pairs { // of a third interface, if there is one
		if _, made := t.Find(pair.Step); made || len(pairs) == 0 {
			pairs = append(pairs, [2]string{pair.Step, pair.Then})
		}
	}
	if len(pairs) == 0 {
		t.Step(p.Steps[0]) // gives the reason why there is none
		t.StopUndecided("the run made no call at another interface")
	}
	judge.EachOf(t, pairs, func(pair [2]string) { of(t.Step(pair[0]), t.Step(pair[1])) })
}

// StepNamesAtOtherInterfaces returns the steps that did at further interfaces what a step did at the first,
// whether they were sent or not.
func StepNamesAtOtherInterfaces(t *judge.T, name string) (others []string) {
	scenario, step, _ := strings.Cut(name, "/")
	play := t.Case.Transcript.Play(scenario)
	if play == nil {
		return nil
	}
	for i := range play.Steps {
		number, has := strings.CutPrefix(play.Steps[i].Name, step+"-")
		if _, err := strconv.Atoi(number); has && err == nil {
			others = append(others, scenario+"/"+play.Steps[i].Name)
		}
	}
	return others
}

// SeveralInterfaces ends a check that compares interfaces if there is one alone, or if one alone
// was called.
func SeveralInterfaces(t *judge.T) {
	var spoken []string
	for p, s := range TranscriptSteps(t) {
		if by := cmp.Or(p.By(s), t.Case.Binding().Name()); !slices.Contains(spoken, by) {
			spoken = append(spoken, by)
		}
	}
	if len(spoken) > 1 {
		return
	}
	card, known := t.Card(), binding.Names(t.Case.Dialect)
	var offered []string
	at := map[string]judge.Value{}
	for _, i := range t.Case.ReadCard(card).Interfaces() {
		if name := i.Transport(); slices.Contains(known, name) && i.URL() != "" && !slices.Contains(offered, name) {
			offered, at[name] = append(offered, name), card.At(i.URLAt())
		}
	}
	if len(offered) < 2 {
		t.OK(card)
		t.StopNotApplicable("the card does not list two interfaces that a2a-conform can speak (%s)", strings.Join(known, ", "))
	}
	for _, w := range t.Case.Transcript.Facts.Withheld {
		if slices.Contains(offered, w.Binding) {
			t.OK(at[w.Binding])
			t.StopUndecidedWithRemedy(w.Remedy, "the run called only one of the agent's interfaces: the one for %s at %s %s", w.Binding, shorten.Visible(w.URL, 80), shorten.Visible(w.Why, 120))
		}
	}
	other := offered[slices.IndexFunc(offered, func(name string) bool { return !slices.Contains(spoken, name) })]
	t.OK(at[other])
	t.StopUndecidedWithRemedy("--binding all, and no --rpc", "the run called only one of the agent's interfaces, not the one for %s at %s", other, at[other].Shown())
}

// DescribeBindings names the bindings of two steps.
func DescribeBindings(t *judge.T, one, other judge.Step) string {
	return fmt.Sprintf("by %s and by %s", BindingName(t, one), BindingName(t, other))
}

// BindingName names the binding by which a step travelled.
func BindingName(t *judge.T, s judge.Step) string {
	return shorten.Visible(cmp.Or(s.Play.By(s.Step), t.Case.Binding().Name()), 40)
}

// NormalizeTime returns a time as text, the same however it is written: in which zone, and with how
// many digits below the millisecond. What is no time is returned as it is.
func NormalizeTime(text string) string {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return text
	}
	return at.UTC().Truncate(time.Millisecond).Format("2006-01-02T15:04:05.000Z")
}
