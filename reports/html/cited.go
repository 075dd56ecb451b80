package html

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// stepNames maps an exchange to the steps it served, such as quick/send.
func stepNames(t *record.Transcript) map[int]string {
	out := map[int]string{}
	for _, p := range t.Plays {
		for _, s := range p.Steps {
			if s.Exchange == nil {
				continue
			}
			name := p.Scenario + "/" + s.Name
			if p.Attempt > 1 {
				name += fmt.Sprintf(" (attempt %d)", p.Attempt)
			}
			if have := out[s.Exchange.ID]; have != "" && have != name {
				name = have + ", " + name
			}
			out[s.Exchange.ID] = safetext.Line(name, safetext.MaxName)
		}
	}
	return out
}

// How many exchanges are on the page: those that something other than a pass
// rests on, and those that only passes cite.
const (
	maxWeighty = 300
	maxPassing = 100
)

// selectCitedExchanges returns the exchanges that results cite, in order, and how many more
// are cited and left out.
func selectCitedExchanges(r *report.Report, t *record.Transcript) (out []*record.Exchange, omitted int) {
	const passing, weighty = 1, 2
	weight := map[int]int{}
	for i := range r.Results {
		res := &r.Results[i]
		own := weighty
		if k := view.KindOf(res); k == view.Pass || k == view.NotApplicable || k == view.Vacuous {
			own = passing
		}
		for _, e := range res.Evidence {
			weight[e.Exchange] = max(weight[e.Exchange], own)
		}
		for _, w := range res.Why {
			if w.Against != nil { // the other of two places that contradict each other
				weight[w.Against.At.Exchange] = max(weight[w.Against.At.Exchange], own)
			}
		}
		for _, f := range res.Findings {
			if f.Evidence != nil {
				weight[f.Evidence.Exchange] = weighty
			}
		}
	}
	room := map[int]int{passing: maxPassing, weighty: maxWeighty}
	for _, x := range t.Exchanges {
		w := weight[x.ID]
		switch {
		case w == 0:
		case room[w] > 0:
			room[w]--
			out = append(out, x)
		default:
			omitted++
		}
	}
	return out, omitted
}
