package reports

import (
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Gate says what the verdict alone does not: which waivers have to be deleted
// or renewed, what is worse than in the baseline, what is only judged differently,
// and whether that keeps the gate shut. Most runs have nothing to say here.
func Gate(r *report.Report) []string {
	var out []string
	overdue := 0
	for i := range r.Waivers {
		if w := &r.Waivers[i]; w.Overdue() {
			overdue++
			out = append(out, line(w.Advice, maxReason))
		}
	}
	if overdue > 0 {
		out = append(out, fmt.Sprintf("the gate is not met: %s to be deleted or renewed", are2(overdue, "waiver has", "waivers have")))
	}
	if r.Baseline == nil {
		return out
	}
	worse := report.Regressions(r.Baseline.Changes)
	for i, c := range worse {
		if i == maxPrinted {
			out = append(out, fmt.Sprintf("and %d more regressions", len(worse)-i))
			break
		}
		out = append(out, changed(c))
	}
	differently := ofKind(r.Baseline.Changes, report.Rejudged)
	for i, c := range differently {
		if i == maxPrinted {
			out = append(out, fmt.Sprintf("and %d more that this version judges differently", len(differently)-i))
			break
		}
		out = append(out, changed(c))
	}
	file := line(r.Baseline.File, maxName)
	switch {
	case len(worse) > 0:
		out = append(out, fmt.Sprintf("the gate is not met: %s since %s", are2(len(worse), "regression", "regressions"), file))
	case report.ExitCode(r) == 0:
		out = append(out, "the gate is met: no regression since "+file)
	}
	return out
}

func are2(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

// ChangeWords tells two verdicts on a requirement: pass → undecided.
func ChangeWords(c report.Change) string {
	switch was, now := verdictWord(c.Was), verdictWord(c.Now); {
	case c.Kind == report.ReasonChanged:
		return now + " for another reason"
	case c.Was == "":
		return "new: " + now
	case c.Now == "":
		return was + " → not judged"
	default:
		return was + " → " + now
	}
}

// changed is a change on one line.
func changed(c report.Change) string {
	s := fmt.Sprintf("%s %s: ", line(c.ID, maxName), line(string(c.Level), maxName))
	was := "was " + verdictWord(c.Was)
	if c.WasLevel != "" {
		was += " as a " + line(string(c.WasLevel), maxName)
	}
	switch {
	case c.Kind == report.New:
		return s + "is " + verdictWord(c.Now) + ", was not judged before"
	case c.Kind == report.Gone:
		return s + was + ", is not judged now" + since(c)
	case c.Kind == report.ReasonChanged:
		return s + "is " + verdictWord(c.Now) + " for another reason"
	}
	return s + was + ", is now " + verdictWord(c.Now) + since(c)
}

// since says with which version of the catalogue a requirement came to be judged
// differently, and why.
func since(c report.Change) string {
	if c.Since == "" {
		return ""
	}
	return fmt.Sprintf("; judged differently since version %s of the catalogue: %s", line(c.Since, maxName), line(c.Why, maxReason))
}

// waivedLine is a waiver on one line, with what became of it.
func waivedLine(w *report.Waiver) string {
	return line(w.ID, maxName) + " " + waivedText(w)
}

func waivedText(w *report.Waiver) string {
	s := fmt.Sprintf("%s, until %s: %s", stateWord(w.State), line(w.Until, maxName), line(w.Why, maxReason))
	if places := w.Places(); len(places) > 0 {
		s += " (only at: " + line(strings.Join(places, ", "), maxExcerpt) + ")"
	}
	if w.Where != "" {
		s += " (only where: " + line(w.Where, maxExcerpt) + ")"
	}
	if w.File != "" {
		s += fmt.Sprintf(", %s:%d", line(w.File, maxName), w.Line)
	}
	return s
}

// idle are the waivers of which a run says nothing elsewhere: those of which it
// does not know whether they are of use.
func idle(r *report.Report) []string {
	var out []string
	for i := range r.Waivers {
		if w := &r.Waivers[i]; w.State == report.Undecided || w.State == report.NotJudged {
			out = append(out, "waiver of "+waivedLine(w))
		}
	}
	return out
}
