package verdict

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// isWaiverExpired reports whether the last day of a waiver is before the day of the run.
// An Until that is no date has never begun to hold.
func (c *Decider) isWaiverExpired(w operator.Waiver) bool {
	until, err := time.Parse(time.DateOnly, w.Until)
	return err != nil || !c.Transcript.Started.UTC().Before(until.AddDate(0, 0, 1))
}

// applyWaiver turns a failure that a waiver covers into a waived one.
func (c *Decider) applyWaiver(r *Result) {
	if r.Verdict != report.Fail {
		return
	}
	i := slices.IndexFunc(c.Transcript.Facts.Waivers, func(w operator.Waiver) bool {
		return w.ID == r.ID && !c.isWaiverExpired(w) && c.covers(w, r)
	})
	if i < 0 {
		return
	}
	w := c.Transcript.Facts.Waivers[i]
	r.Verdict = report.Waived
	r.Reason = waivedReason(w) + r.Reason
}

// covers reports whether a waiver is about a failure as it is.
func (c *Decider) covers(w operator.Waiver, r *Result) bool {
	if w.SDK != "" {
		return c.coversKnown(w.SDK, r)
	}
	return c.matchWaiver(w, c.collectFailure(w, r)) != report.Stale
}

func waivedReason(w operator.Waiver) string {
	return fmt.Sprintf("waived until %s: %s; ", w.Until, w.Why)
}

// failure is what a waiver is held against: all violations of a requirement, by
// whichever agent.
type failure struct {
	texts    []string
	evidence []report.Evidence
	more     int // counted and not listed
}

func (c *Decider) collectFailure(w operator.Waiver, r *Result) failure {
	of := []*Result{r}
	if len(c.agents) > 0 {
		of = nil
		for _, a := range c.agents {
			if own := a.Result(r.ID); own.Verdict == report.Fail || own.Verdict == report.Waived {
				of = append(of, own)
			}
		}
	}
	var f failure
	for _, r := range of {
		f.texts = append(append(f.texts, strings.TrimPrefix(r.Reason, waivedReason(w))), r.Others...)
		f.evidence = append(f.evidence, r.Evidence...)
		f.more += r.More
	}
	return f
}

// matchWaiver determines whether a waiver covers a failure: InForce, Reworded, or Stale if it
// does not. Every violation has to be the one that the waiver is about, and
// those that are counted and not listed could be others.
func (c *Decider) matchWaiver(w operator.Waiver, f failure) report.WaiverState {
	switch {
	case len(w.Places()) == 0 && w.Where == "":
		return report.InForce
	case f.more > 0, len(w.Places()) > 0 && !c.isFailureOnlyAtPlaces(w.Places(), f):
		return report.Stale
	case isInAllTexts(w.Where, f):
		return report.InForce
	case len(w.Places()) > 0, isQuotedInEarlierWording(w.Where, f):
		return report.Reworded
	}
	return report.Stale
}

// isFailureOnlyAtPlaces reports whether all of a failure is at some places.
func (c *Decider) isFailureOnlyAtPlaces(places []string, f failure) bool {
	return len(f.evidence) > 0 && !slices.ContainsFunc(f.evidence, func(e report.Evidence) bool {
		return !slices.ContainsFunc(places, func(place string) bool { return report.Covers(place, e, c.stepNames(e.Exchange)) })
	})
}

func isInAllTexts(where string, f failure) bool {
	return !slices.ContainsFunc(f.texts, func(text string) bool { return !strings.Contains(text, where) })
}

// Waivers returns what became of each waiver, given what was judged.
func (c *Decider) Waivers(results []Result) []report.Waiver {
	var out []report.Waiver
	for _, given := range c.Transcript.Facts.Waivers {
		w := report.Waiver{KnownFailure: report.KnownFailure(given), State: report.NotJudged}
		if i := slices.IndexFunc(results, func(r Result) bool { return r.ID == given.ID }); i >= 0 {
			w.State, w.Advice = c.waiverStateAndAdvice(given, &results[i])
		} else if given.SDK != "" { // its list is about several dialects
			continue
		}
		out = append(out, w)
	}
	markUselessSDKWaiversStale(out)
	return out
}

func (c *Decider) waiverStateAndAdvice(w operator.Waiver, r *Result) (report.WaiverState, string) {
	if w.SDK != "" {
		return c.describeKnownFault(w, r)
	}
	place := "the waiver"
	if w.File != "" {
		place = fmt.Sprintf("%s:%d", w.File, w.Line)
	}
	f := c.collectFailure(w, r)
	switch {
	case r.Verdict == report.Waived && c.matchWaiver(w, f) == report.Reworded:
		return report.Reworded, suggestRewording(w, f, place)
	case r.Verdict == report.Waived && c.matchWaiver(w, f) == report.Stale && c.isWaivedBySDK(r):
		return report.Stale, c.suggestWaiverCorrection(w, f, place)
	case r.Verdict == report.Waived:
		return report.InForce, ""
	case r.Verdict == report.Pass && isNowFindingOnly(r):
		return report.NotJudged, ""
	case r.Verdict == report.Pass && w.Sometimes && !c.isWaiverExpired(w):
		return report.Undecided, ""
	case r.Verdict == report.Pass:
		return report.Stale, fmt.Sprintf("%s passes: delete its waiver, %s", w.ID, place)
	case r.Verdict == report.NotApplicable:
		return report.NotJudged, ""
	case c.isWaiverExpired(w):
		return report.Expired, fmt.Sprintf("the waiver of %s ended on %s: delete it or give it a later until, %s", w.ID, w.Until, place)
	case r.Verdict == report.Fail:
		return report.Stale, c.suggestWaiverCorrection(w, f, place)
	}
	return report.Undecided, ""
}

// isNowFindingOnly reports whether what a waiver covered is a finding by now: because of what we
// changed, and not of what the server did, so that the owner of the waiver has nothing to
// do about it.
func isNowFindingOnly(r *Result) bool {
	return r.FindingOnly != "" || len(r.Findings) > 0 && schema.Changes().Has(r.ID)
}

// suggestRewording returns what to write if a waiver holds by its place, or by the words of an earlier
// version.
func suggestRewording(w operator.Waiver, f failure, place string) string {
	fails := "as its waiver says"
	if len(w.Places()) > 0 {
		fails = "at the place that its waiver names"
	}
	s := fmt.Sprintf("%s fails %s, but the text of the failure does not contain its where (%q) any more; the waiver still counts. ", w.ID, fails, w.Where)
	if text := chooseExcerpt(f.texts); text != "" {
		return s + fmt.Sprintf("Write instead, in %s: %s", place, yamlLine("where", text))
	}
	return s + "Delete where in " + place
}

// suggestWaiverCorrection describes in what a waiver differs from the failure that it should cover,
// and what to write if that is meant.
func (c *Decider) suggestWaiverCorrection(w operator.Waiver, f failure, place string) string {
	if f.more > 0 {
		var given []string
		for _, g := range [][2]string{{"at", strings.Join(w.Places(), ", ")}, {"where", w.Where}} {
			if g[1] != "" {
				given = append(given, g[0])
			}
		}
		keys := strings.Join(given, " and ")
		return fmt.Sprintf("%s fails in %d more places than the report lists, so %s cannot be compared with all of them: delete %[3]s or the whole waiver, %[4]s", w.ID, f.more, keys, place)
	}
	s := fmt.Sprintf("%s fails, but the text of the failure does not contain the waiver's where (%q)", w.ID, w.Where)
	if places := w.Places(); len(places) > 0 && !c.isFailureOnlyAtPlaces(places, f) {
		s = fmt.Sprintf("%s fails, but not at the place that the waiver names (at: %q)", w.ID, strings.Join(places, ", "))
	}
	s += fmt.Sprintf(": correct the waiver or delete it, %s", place)
	var lines []string
	if at := report.PlacesOf(c.withSteps(f.evidence)); len(at) > 0 {
		lines = append(lines, "at: "+report.WritePlaces(at))
	}
	if text := chooseExcerpt(f.texts); text != "" {
		lines = append(lines, yamlLine("where", text))
	}
	if len(lines) > 0 {
		s += ". To waive what fails today, write: " + strings.Join(lines, " and ")
	}
	return s
}

func (c *Decider) withSteps(evidence []report.Evidence) []report.Evidence {
	named := []Result{{CheckResult: judge.CheckResult{Result: report.Result{Evidence: slices.Clone(evidence)}}}}
	c.NameSteps(named)
	return named[0].Evidence
}

// isQuotedInEarlierWording reports whether all texts of a failure contain what a waiver quotes, in the
// words of earlier versions.
func isQuotedInEarlierWording(quote string, f failure) bool {
	quote = withoutDetails(quote)
	return len(f.texts) > 0 && !slices.ContainsFunc(f.texts, func(text string) bool {
		return !strings.Contains(withoutDetails(toEarlierWords(text)), quote) && !strings.Contains(withoutDetails(text), quote)
	})
}
