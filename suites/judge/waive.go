package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// WaiverState is what became of a waiver in a run.
type WaiverState string

// The states of a waiver. A stale or expired one has to leave its file, or to
// be renewed, before the gate is met again.
const (
	InForce   WaiverState = "in-force"   // the requirement fails, and the waiver covers it
	Stale     WaiverState = "stale"      // there is nothing left that it covers
	Expired   WaiverState = "expired"    // its last day is over
	Undecided WaiverState = "undecided"  // whether the requirement still fails is not known
	NotJudged WaiverState = "not-judged" // the run does not judge the requirement
)

// Waiver is a waiver and what became of it.
type Waiver struct {
	wire.Waiver
	State  WaiverState `json:"state"`
	Advice string      `json:"advice,omitempty"` // what its owner has to do, with file and line
}

// Overdue reports whether the waiver has to be deleted or renewed.
func (w *Waiver) Overdue() bool { return w.State == Stale || w.State == Expired }

// lastDay is the form of Until.
const lastDay = time.DateOnly

// over reports whether the last day of a waiver is before the day of the run.
// An Until that is no date has never begun to hold.
func (c *Case) over(w wire.Waiver) bool {
	until, err := time.Parse(lastDay, w.Until)
	return err != nil || !c.Transcript.Started.UTC().Before(until.AddDate(0, 0, 1))
}

// waive turns a failure that a waiver covers into a waived one.
func (c *Case) waive(r *Result) {
	i := slices.IndexFunc(c.Transcript.Facts.Waivers, func(w wire.Waiver) bool { return w.ID == r.ID })
	if i < 0 || r.Verdict != Fail {
		return
	}
	w := c.Transcript.Facts.Waivers[i]
	if c.over(w) || !covers(w, r) {
		return
	}
	r.Verdict = Waived
	r.Reason = fmt.Sprintf("waived until %s: %s; %s", w.Until, w.Why, r.Reason)
}

// covers reports whether every violation is the one that the waiver is about.
// Violations that are counted and not listed could be others.
func covers(w wire.Waiver, r *Result) bool {
	if w.Where == "" {
		return true
	}
	return r.More == 0 && !slices.ContainsFunc(append([]string{r.Reason}, r.Others...),
		func(text string) bool { return !strings.Contains(text, w.Where) })
}

// Waivers says what became of each waiver, given what was judged.
func (c *Case) Waivers(results []Result) []Waiver {
	var out []Waiver
	for _, given := range c.Transcript.Facts.Waivers {
		w := Waiver{Waiver: given, State: NotJudged}
		if i := slices.IndexFunc(results, func(r Result) bool { return r.ID == given.ID }); i >= 0 {
			w.State, w.Advice = c.became(given, &results[i])
		}
		out = append(out, w)
	}
	return out
}

func (c *Case) became(w wire.Waiver, r *Result) (WaiverState, string) {
	place := "the waiver"
	if w.File != "" {
		place = fmt.Sprintf("%s:%d", w.File, w.Line)
	}
	switch {
	case r.Verdict == Waived:
		return InForce, ""
	case r.Verdict == Pass:
		return Stale, fmt.Sprintf("%s passes: delete its waiver, %s", w.ID, place)
	case r.Verdict == NotApplicable:
		return NotJudged, ""
	case c.over(w):
		return Expired, fmt.Sprintf("the waiver of %s ended on %s: delete it or give it a later until, %s", w.ID, w.Until, place)
	case r.Verdict == Fail && r.More > 0:
		return Stale, fmt.Sprintf("%s fails in %d more places than the report lists, so that where (%q) cannot be held against all of them: leave where out or delete the waiver, %s", w.ID, r.More, w.Where, place)
	case r.Verdict == Fail:
		return Stale, fmt.Sprintf("%s fails in another way than the waiver's where (%q) says: mend where or delete the waiver, %s", w.ID, w.Where, place)
	}
	return Undecided, ""
}
