package summary

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// summariseClient completes the report on a client.
func summariseClient(d *schema.Dialect, c *verdict.Decider, t *record.Transcript, r *report.Report, judged []verdict.Result, results []report.Result, causes int) *Judged {
	facts := t.Facts
	r.Run.AgentInvocations = 0 // the agent is ours
	if len(facts.Command) > 0 {
		for i := range t.Plays {
			r.Run.Starts++
			if p := &t.Plays[i]; p.Client == nil || !p.Client.Confirms { // those that were disturbed before are not kept
				r.Run.Starts += max(0, p.Attempt-1)
			}
		}
	}
	r.Target.Kept = slices.ContainsFunc(t.Plays, func(p record.Play) bool { return p.Client != nil && p.Client.Kept })
	r.Target.Role, r.Target.Command = schema.ClientRole, facts.Command
	r.Target.With = facts.With
	if len(facts.Command) > 0 {
		r.Target.URL = ""
	}
	if used := facts.Calibration; used != nil {
		r.Target.Bindings = used.Bindings
	}
	r.Verdict = report.Decide(results, r.Run.Selection == "full", c.Reached(), cutOf(facts))
	if wasNeverStarted(t) || !helloWorked(facts) && r.Verdict != report.Nonconformant && r.Verdict != report.Unreachable {
		r.Verdict = report.Void
	}
	r.Causes = causes
	r.Notices = slices.Concat(describeCalibration(facts), describeEndedStarts(t), describeMisreadLines(t), describeRenewedStarts(t))
	r.Reason = explainClientVerdict(r, t)
	r.Advice = listUndecidedRemedies(results)
	r.Waivers = c.Waivers(judged)
	r.Baseline = compareBaseline(facts.Baseline, results, schema.Changes())
	if facts.Kind == record.TrafficKind {
		removeRunFlags(r)
		limitTrafficVerdict(r)
	}
	return &Judged{Report: r, Dialect: d, of: c}
}

// helloWorked reports whether the client managed the plain scenario, or was not started by a command.
func helloWorked(f record.Facts) bool {
	return len(f.Command) == 0 || f.Calibration == nil || f.Calibration.Works
}

// wasNeverStarted reports whether no program of the client could be started.
func wasNeverStarted(t *record.Transcript) bool {
	started := func(p record.Play) bool { return p.Client == nil || p.Client.Trouble == "" }
	return len(t.Plays) > 0 && !slices.ContainsFunc(t.Plays, started)
}

// describeCalibration states what of the client could not be seen.
func describeCalibration(f record.Facts) (out []string) {
	if used := f.Calibration; used != nil && len(f.Command) > 0 && used.Works && !used.Exits && !used.Prints {
		out = append(out, "neither the exit code nor the output of the client shows whether a call succeeded: whatever depends on what it understood is undecided")
	}
	return out
}

// describeEndedStarts names the scenarios in which the client did not end within its time.
func describeEndedStarts(t *record.Transcript) []string {
	var names []string
	var after time.Duration
	for i := range t.Plays {
		p := &t.Plays[i]
		if p.Client != nil && p.Client.Patience && !slices.Contains(names, p.Scenario) {
			names = append(names, p.Scenario)
			after = max(after, time.Duration(p.Client.Ended-p.Client.Started))
		}
	}
	if len(names) == 0 {
		return nil
	}
	const most = 5
	list := strings.Join(names[:min(most, len(names))], ", ")
	if more := len(names) - most; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return []string{fmt.Sprintf("the client did not end by itself, and was ended after %v, in %s; --patience gives it more time", after.Round(time.Second), list)}
}

// mostLines is how many lines, or starts, notices list one by one.
const mostLines = 3

// describeMisreadLines states what a program printed that was meant to report something and cannot be read, and what to
// print instead.
func describeMisreadLines(t *record.Transcript) (out []string) {
	more := 0
	for i := range t.Plays {
		p := &t.Plays[i]
		if p.Client == nil {
			continue
		}
		for _, m := range p.Client.Misread {
			if len(out) == mostLines {
				more++
				continue
			}
			out = append(out, fmt.Sprintf("line %d of what the client printed in the scenario '%s' is not read (%s): %s; docs/adapters.md has each line with an example",
				m.Line, shorten.Visible(p.Scenario, 60), shorten.Visible(shorten.Clip(m.Text, 80), 80), shorten.Visible(shorten.Clip(m.Why, 200), 200)))
		}
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("%d more lines of the client are not read", more))
	}
	return out
}

// describeRenewedStarts states why a program that plays all scenarios was started more than once.
func describeRenewedStarts(t *record.Transcript) (out []string) {
	more := 0
	for i := range t.Plays {
		p := &t.Plays[i]
		switch {
		case p.Client == nil || p.Client.Renewed == "":
		case len(out) == mostLines:
			more++
		default:
			out = append(out, fmt.Sprintf("the program of the client was started anew for the scenario '%s': %s", shorten.Visible(p.Scenario, 60), shorten.Visible(shorten.Clip(p.Client.Renewed, 200), 200)))
		}
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("it was started anew for %d more scenarios", more))
	}
	return out
}

// explainClientVerdict states in a sentence why the run of a client has its verdict.
func explainClientVerdict(r *report.Report, t *record.Transcript) string {
	must := r.Summary["MUST"]
	switch r.Verdict {
	case report.Unreachable:
		return "the client sent no request in the whole run" + lastOutput(t)
	case report.Void:
		switch {
		case r.Run.Cut != "":
			return r.Run.Cut + lastOutput(t) + "; the report shows what was judged until then, but it proves nothing"
		case !helloWorked(t.Facts):
			return "the client did not manage the plain scenario 'hello', so nothing can be compared with it" + lastOutput(t)
		}
		return "a2a-conform itself failed; this is not the client's fault"
	case report.Nonconformant:
		text := fmt.Sprintf("the client breaks %d of %d decided MUST requirements", must.Fail, must.Decided())
		if must.Inconclusive > 0 {
			text += fmt.Sprintf("; %d more could not be decided", must.Inconclusive)
		}
		if !helloWorked(t.Facts) {
			text += "; it did not manage the plain scenario 'hello' either" + lastOutput(t)
		}
		return text
	case report.Partial:
		var open []string
		if must.Inconclusive > 0 {
			open = append(open, formatMustCount(must.Inconclusive)+" could not be decided")
		}
		if must.Waived > 0 {
			open = append(open, formatMustCountWithVerb(must.Waived)+" waived")
		}
		switch {
		case r.Run.Cut != "":
			open = append(open, r.Run.Cut)
		case r.Run.Selection != "full":
			open = append(open, fmt.Sprintf("only part of the catalogue was judged (%s)", r.Run.Selection))
		}
		return "no MUST requirement on clients is broken, but " + strings.Join(open, ", and ")
	}
	return fmt.Sprintf("the client meets all %d MUST requirements that apply", must.Pass)
}

// lastOutput returns the last lines that the client printed in the plain scenario.
func lastOutput(t *record.Transcript) string {
	p := t.Play("hello")
	if p == nil || p.Client == nil {
		return ""
	}
	if p.Client.Trouble != "" && strings.Contains(t.Facts.Cut, p.Client.Trouble) {
		return ""
	}
	if p.Client.Trouble != "" {
		return ": " + shorten.Visible(shorten.Clip(p.Client.Trouble, 200), 200)
	}
	text := p.Client.Stderr
	if strings.TrimSpace(text) == "" {
		text = p.Client.Stdout
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if text = strings.TrimSpace(strings.Join(lines[max(0, len(lines)-3):], " / ")); text == "" {
		return fmt.Sprintf("; it printed nothing, and ended with exit code %d", p.Client.Exit)
	}
	return "; the last lines that it printed: " + shorten.Visible(shorten.Clip(text, 300), 300)
}
