package reports

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/report"
)

// maxAnnotations is how many errors, and how many warnings, GitHub shows of one step.
const maxAnnotations = 10

// GitHub writes workflow commands, of which GitHub Actions makes annotations: an error for
// each cause for which a MUST is broken, a warning for each cause of broken SHOULDs and one
// for all that is undecided, and a notice of the verdict. Several parts share what GitHub
// shows of a step. Nothing on these lines may pass an Inert, which breaks every command.
func GitHub(w io.Writer, parts []Part) error {
	b := bufio.NewWriter(w)
	errs, warns := make([][]annotation, len(parts)), make([][]annotation, len(parts))
	for i, p := range parts {
		if p.Report != nil {
			r := canonical(p.Report)
			errs[i], warns[i] = brokenMusts(r), otherCauses(r)
		}
	}
	errors, moreErrors := shared(errs)
	warnings, moreWarnings := shared(warns)
	for i, p := range parts {
		for _, a := range errors[i] {
			a.write(b, "error")
		}
		for _, a := range warnings[i] {
			a.write(b, "warning")
		}
		verdictNotice(p).write(b, "notice")
	}
	var more []string
	if moreErrors > 0 {
		more = append(more, plural(moreErrors, "error"))
	}
	if moreWarnings > 0 {
		more = append(more, plural(moreWarnings, "warning"))
	}
	if len(more) > 0 {
		a := annotation{title: "a2a-conform"}
		a.say("%s left out, since GitHub shows %d of each: see %s", strings.Join(more, " and "), maxAnnotations, HTMLFile)
		a.write(b, "notice")
	}
	return b.Flush()
}

// annotation is one workflow command: its title, and the lines of its message.
type annotation struct {
	title string
	lines []string
}

func (a *annotation) say(format string, args ...any) {
	a.lines = append(a.lines, fmt.Sprintf(format, args...))
}

// The escapes of GitHub's toolkit (@actions/core, command.ts).
var (
	commandData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// write writes the annotation as one line. The further lines of its message are indented,
// and commands in brackets (##[error]), which the runner takes wherever they stand, are
// broken: whatever shows the message line by line finds no command in it.
func (a annotation) write(b *bufio.Writer, command string) {
	message := inert(strings.Join(a.lines, "\n    "))
	fmt.Fprintf(b, "::%s title=%s::%s\n", command, commandProperty.Replace(inert(line(a.title, maxName))), commandData.Replace(message))
}

// inert is a text as Inert lets it through.
func inert(s string) string {
	var b bytes.Buffer
	i := NewInert(&b, false)
	// A buffer takes everything.
	_, _ = i.Write([]byte(s))
	_ = i.Flush()
	return b.String()
}

// brokenMusts are the errors: what the suite failed on, which says more than any verdict,
// and each cause for which a MUST is broken.
func brokenMusts(r *report.Report) []annotation {
	out := causes(pick(r, suiteError), nil)
	for i := range out {
		out[i].title = "suite error: " + out[i].title
	}
	return append(out, causes(roots(r, fail), following(r))...)
}

// otherCauses are the warnings; what is undecided comes first, so that it is never left out.
func otherCauses(r *report.Report) []annotation {
	var out []annotation
	if open := pick(r, inconclusive); len(open) > 0 {
		a := annotation{title: "undecided: " + plural(len(open), "requirement")}
		must := 0
		for _, res := range open {
			if res.Level == levels[0] {
				must++
			}
		}
		a.say("%s could not be decided (%s at level MUST): %s", plural(len(open), "requirement"), thousands(must), ids(open, 12))
		for i, o := range undecided(r) {
			if i == 3 || o.Remedy == "" {
				break
			}
			a.say("add %s to decide %d", line(o.Remedy, maxExcerpt), len(o.Results))
		}
		out = append(out, a)
	}
	return append(out, causes(roots(r, warning), following(r))...)
}

// causes are annotations of failures, each with what follows from it.
func causes(of []*report.Result, follow map[string][]*report.Result) (out []annotation) {
	for _, res := range of {
		a := annotation{title: fmt.Sprintf("%s %s %s", line(res.ID, maxName), res.Level, cite(res.Section))}
		if res.Cause != "" {
			a.say("in general: %s", line(res.Cause, maxExcerpt))
		}
		if res.Statement != "" {
			a.say("%s", line(res.Statement, maxExcerpt))
		}
		a.say("%s", line(res.Reason, maxReason))
		if more := follow[res.ID]; len(more) > 0 {
			a.say("%s the same cause: %s", moreFailures(len(more)), ids(more, 12))
		}
		if res.Reproduce != "" {
			a.say("reproduce: sh %s", line(res.Reproduce, maxName))
		}
		out = append(out, a)
	}
	return out
}

// verdictNotice tells the verdict, and what has to be known with it.
func verdictNotice(p Part) annotation {
	if p.Report == nil {
		a := annotation{title: "a2a-conform: " + string(p.Verdict())}
		a.say("%s: %s", line(p.Title, maxName), p.because())
		return a
	}
	r := canonical(p.Report)
	a := annotation{title: "a2a-conform: " + verdictHeadline(r.Verdict)}
	a.say("%s, judged as %s: %s", Named(r.Target), dialect(r.Target), because(r))
	for _, g := range Gate(r) {
		a.say("%s", g)
	}
	for _, n := range noted(r) {
		a.say("notice: %s", n)
	}
	return a
}

// shared gives each part its share of what GitHub shows, in turns, and counts the rest.
func shared(of [][]annotation) (out [][]annotation, more int) {
	out = make([][]annotation, len(of))
	left, deepest := maxAnnotations, 0
	for _, a := range of {
		deepest = max(deepest, len(a))
	}
	for turn := range deepest {
		for i, a := range of {
			switch {
			case turn >= len(a):
			case left > 0:
				out[i] = append(out[i], a[turn])
				left--
			default:
				more++
			}
		}
	}
	return out, more
}
