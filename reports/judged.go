package reports

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// Variable is the name of the environment variable from which scripts take a credential.
func Variable(secret string) string { return variable(secret) }

// Judged prints the verdict on one requirement: what was sent, what came back and what is
// due where it is broken, and why where it is undecided.
func Judged(w io.Writer, r *report.Report, res *report.Result, t *record.Transcript, color bool) error {
	p := &printer{Writer: bufio.NewWriter(w), color: color}
	word, tint := "UNDECIDED", yellow
	switch {
	case r.Verdict == report.Unreachable:
		word, tint = "UNREACHABLE", red
	case res.Verdict == report.Fail:
		word, tint = map[kind]string{fail: "FAIL", warning: "WARN", note: "NOTE"}[kindOf(res)], red
	case Gone(res, t):
		word, tint = gone(res), green
	}
	fmt.Fprintf(p, "%s %s %s %s\n", p.paint(tint, word), p.paint(bold, line(res.ID, maxName)), res.Level, p.paint(faint, line(res.Area, maxName)+" "+cite(res.Section)))
	fmt.Fprintf(p, "    required  %s\n", line(res.Statement, maxExcerpt))
	switch {
	case word == "UNREACHABLE":
		fmt.Fprintf(p, "    why       no answer from %s\n", line(r.Target.RPC, maxName))
	case res.Verdict == report.Pass:
		fmt.Fprintf(p, "    seen      %s\n", seenIn(res))
	case Gone(res, t):
		fmt.Fprintf(p, "    why       %s\n", line(res.Reason, maxReason))
	case res.Verdict != report.Fail:
		fmt.Fprintf(p, "    why       %s\n", line(undecidedBecause(res), maxReason))
		if res.Remedy != "" {
			fmt.Fprintf(p, "    add       %s\n", line(res.Remedy, maxExcerpt))
		}
		fmt.Fprintf(p, "    or        a2a-conform run %s --run %s\n", line(r.Target.URL, maxName), line(res.ID, maxName))
	case len(res.Why) == 0:
		p.indented(res.Reason)
	default:
		const most = 3
		for i, v := range res.Why {
			if i == most {
				fmt.Fprintf(p, "    and %s\n", plural(len(res.Why)-most+res.More, "more place"))
				break
			}
			p.parts(&v)
		}
	}
	return p.Flush()
}

// gone is the word for a requirement that is not broken any more, or that never was: it
// passes, or nothing is left of what broke it.
func gone(res *report.Result) string {
	if res.Verdict == report.Pass {
		return "PASS"
	}
	return "FIXED"
}

// Gone reports whether a requirement that was broken is not any more: it is met, or it
// does not concern the server, as its card says by now, or the card that broke it has
// nothing left of what it is about.
func Gone(res *report.Result, t *record.Transcript) bool {
	switch {
	case res.Verdict == report.Pass:
		return true
	case res.Verdict != report.NotApplicable || res.Stopped:
		return false
	case !res.Vacuous:
		return true
	}
	cards := 0
	for _, p := range t.Plays {
		for _, s := range p.Steps {
			if s.Op != "card" || !s.Exchange.Obtained() || s.Exchange.Reply().Root == nil {
				return false
			}
			cards++
		}
	}
	return cards > 0
}

// parts prints a violation in its parts.
func (p *printer) parts(v *report.Why) {
	for _, part := range [][2]string{{"sent", v.Sent}, {"got", v.Came()}, {"expected", v.Due}, {"where", v.At.String()}} {
		if strings.TrimSpace(part[1]) != "" {
			p.part(part[0], line(part[1], maxExcerpt))
		}
	}
}

// seenIn says on which calls a requirement holds.
func seenIn(res *report.Result) string {
	var where []string
	for _, e := range res.Evidence {
		if at := line(place(e), maxName); len(where) < 5 {
			where = append(where, at)
		}
	}
	if len(where) == 0 {
		return "the requirement is met"
	}
	return "the requirement is met: " + strings.Join(where, "; ")
}

// undecidedBecause says why a requirement has no verdict.
func undecidedBecause(res *report.Result) string {
	if res.Verdict == report.NotApplicable {
		return "it does not apply to what the server sent: " + res.Reason
	}
	return res.Reason
}
