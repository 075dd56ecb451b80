package fleetpage

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// strip is a history as a row of squares, one for each round.
type strip struct {
	Width int
	Words string
	Runs  []squares
	Marks string // a path with a line below each round that changed
}

// squares are the rounds of one verdict, as a path along their middle: the style sheet draws
// its dashes as squares.
type squares struct{ Class, D string }

// unjudged is the class of what has no verdict yet.
const unjudged = "unjudged"

// The measures of a strip, in pixels.
const (
	stripPitch = 8
	stripSide  = 7
	stripMark  = 10 // the line below a round that changed
)

// verdictClass returns the class of a verdict that is shown by its colour alone: an unreachable server has
// another red than a nonconformant one.
func verdictClass(v report.RunVerdict) string {
	if v == report.Unreachable {
		return string(v)
	}
	return view.KindOfRun(v).Class()
}

// buildHistoryStrip draws a history. If all its rounds are those of the page, the squares of one round are below
// each other in all rows; otherwise the latest ones are.
func (m *overview) buildHistoryStrip(t *Target) strip {
	history := t.History[max(0, len(t.History)-maxRounds):]
	n := max(len(m.columns), len(history))
	if t.Waiting && len(m.columns) == 0 {
		n++
	}
	s := strip{Width: n * stripPitch, Words: t.describeTrend()}
	if n == 0 {
		return s
	}
	at := make([]int, len(history))
	aligned := true
	for i, p := range history {
		at[i] = slices.Index(m.columns, p.Round)
		aligned = aligned && at[i] >= 0 && (i == 0 || at[i] > at[i-1])
	}
	if !aligned {
		for i := range at {
			at[i] = n - len(history) + i
		}
	}
	waits := t.Waiting && (len(at) == 0 || at[len(at)-1] < n-1)
	for i := 0; i < len(history); {
		to := i + 1
		for to < len(history) && at[to] == at[to-1]+1 && history[to].verdictOrVoid() == history[i].verdictOrVoid() {
			to++
		}
		s.addSquares(verdictClass(history[i].verdictOrVoid()), at[i], to-i)
		i = to
	}
	if waits {
		s.addSquares(unjudged, n-1, 1)
	}
	for i, p := range history {
		if p.Changed && i > 0 {
			s.Marks += fmt.Sprintf("M%d %dh%d", at[i]*stripPitch, stripMark, stripSide)
		}
	}
	return s
}

// addSquares adds some rounds of one verdict.
func (s *strip) addSquares(class string, firstColumn, rounds int) {
	d := fmt.Sprintf("M%d 4h%d", firstColumn*stripPitch, rounds*stripPitch-(stripPitch-stripSide))
	for i := range s.Runs {
		if s.Runs[i].Class == class {
			s.Runs[i].D += d
			return
		}
	}
	s.Runs = append(s.Runs, squares{class, d})
}
