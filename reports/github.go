package reports

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// maxAnnotations is how many errors, and how many warnings, GitHub shows of one step.
const maxAnnotations = 10

// GitHub writes workflow commands, of which GitHub Actions makes annotations: an error for
// each cause for which a MUST is broken, a warning for each cause of broken SHOULDs and one
// for all that is undecided, and a notice of the verdict. Several parts share what GitHub
// shows of a step. Nothing on these lines may pass a safetext.Writer, which breaks every command.
func GitHub(w io.Writer, parts []view.Part) error {
	b := bufio.NewWriter(w)
	errs, warns := make([][]annotation, len(parts)), make([][]annotation, len(parts))
	for i, p := range parts {
		if p.Report != nil {
			r := view.CopyWithBoundedTexts(p.Report)
			errs[i], warns[i] = brokenMusts(r), otherCauses(r)
		}
	}
	errors, moreErrors := limitAnnotationsFairly(errs)
	warnings, moreWarnings := limitAnnotationsFairly(warns)
	for i, p := range parts {
		for _, a := range errors[i] {
			a.writeCommand(b, "error")
		}
		for _, a := range warnings[i] {
			a.writeCommand(b, "warning")
		}
		verdictNotice(p).writeCommand(b, "notice")
	}
	var more []string
	if moreErrors > 0 {
		more = append(more, safetext.CountWithNoun(moreErrors, "error"))
	}
	if moreWarnings > 0 {
		more = append(more, safetext.CountWithNoun(moreWarnings, "warning"))
	}
	if len(more) > 0 {
		a := annotation{title: "a2a-conform"}
		a.addLine("%s left out, since GitHub shows %d of each: see %s", strings.Join(more, " and "), maxAnnotations, files.HTMLFile)
		a.writeCommand(b, "notice")
	}
	return b.Flush()
}

// annotation is one workflow command: the place in a file that it is about, if there is one, its title, and the
// lines of its message.
type annotation struct {
	file         string
	line, column int
	title        string
	lines        []string
}

func (a *annotation) addLine(format string, args ...any) {
	a.lines = append(a.lines, fmt.Sprintf(format, args...))
}

// The escapes of GitHub's toolkit (@actions/core, command.ts).
var (
	commandData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// writeCommand writes the annotation as one line. The further lines of its message are indented,
// and commands in brackets (##[error]), which the runner takes wherever they stand, are
// broken: whatever shows the message line by line finds no command in it.
func (a annotation) writeCommand(b *bufio.Writer, command string) {
	message := neutralizeWorkflowCommands(strings.Join(a.lines, "\n    "))
	property := func(text string) string {
		return commandProperty.Replace(neutralizeWorkflowCommands(safetext.Line(text, safetext.MaxName)))
	}
	place := ""
	if a.file != "" {
		place = fmt.Sprintf("file=%s,line=%d,col=%d,", property(a.file), a.line, a.column)
	}
	fmt.Fprintf(b, "::%s %stitle=%s::%s\n", command, place, property(a.title), commandData.Replace(message))
}

// neutralizeWorkflowCommands returns a text as a safetext.Writer writes it.
func neutralizeWorkflowCommands(s string) string {
	var b bytes.Buffer
	i := safetext.NewWriter(&b, false)
	// A buffer takes everything.
	_, _ = i.Write([]byte(s))
	_ = i.Flush()
	return b.String()
}

// brokenMusts returns the errors: suite errors first, since they make any verdict void, then each cause for
// which a MUST is broken.
func brokenMusts(r *report.Report) []annotation {
	out := annotateFailures(view.ResultsOfKind(r, view.SuiteError), nil)
	for i := range out {
		out[i].title = "suite error: " + out[i].title
	}
	return append(out, annotateFailures(view.RootFailures(r, view.Fail), view.DependentFailures(r))...)
}

// otherCauses are the warnings; what is undecided comes first, so that it is never left out.
func otherCauses(r *report.Report) []annotation {
	var out []annotation
	if open := view.ResultsOfKind(r, view.Inconclusive); len(open) > 0 {
		a := annotation{title: "undecided: " + safetext.CountWithNoun(len(open), "requirement")}
		must := 0
		for _, res := range open {
			if res.Level == view.Levels[0] {
				must++
			}
		}
		a.addLine("%s could not be decided (%s at level MUST): %s", safetext.CountWithNoun(len(open), "requirement"), safetext.Thousands(must), view.JoinFirstIDs(open, 12))
		for i, o := range view.GroupUndecidedByRemedy(r) {
			if i == 3 || o.Remedy == "" {
				break
			}
			a.addLine("add %s to decide %d", safetext.Line(o.Remedy, safetext.MaxExcerpt), len(o.Results))
		}
		out = append(out, a)
	}
	return append(out, annotateFailures(view.RootFailures(r, view.Warning), view.DependentFailures(r))...)
}

// annotateFailures are annotations of failures, each with what follows from it.
func annotateFailures(of []*report.Result, follow map[string][]*report.Result) (out []annotation) {
	for _, res := range of {
		a := annotation{title: fmt.Sprintf("%s %s %s", safetext.Line(res.ID, safetext.MaxName), res.Level, view.CiteSection(res.Section))}
		if res.Source != nil {
			a.file, a.line, a.column = filepath.ToSlash(res.Source.File), max(res.Source.Line, 1), 1
		}
		if res.Cause != "" {
			a.addLine("in general: %s", safetext.Line(res.Cause, safetext.MaxExcerpt))
		}
		if res.Statement != "" {
			a.addLine("%s", safetext.Line(res.Statement, safetext.MaxExcerpt))
		}
		a.addLine("%s", safetext.Line(res.Reason, safetext.MaxReason))
		if known := view.DescribeKnown(res); known != "" {
			a.addLine("known: %s", known)
		}
		if more := follow[res.ID]; len(more) > 0 {
			a.addLine("%s the same cause: %s", view.MoreFailuresHave(len(more)), view.JoinFirstIDs(more, 12))
		}
		if res.Reproduce != "" {
			a.addLine("reproduce: sh %s", safetext.Line(res.Reproduce, safetext.MaxName))
		}
		out = append(out, a)
	}
	return out
}

// verdictNotice returns the annotation of the verdict, with what has to be known first.
func verdictNotice(p view.Part) annotation {
	if p.Report == nil {
		a := annotation{title: "a2a-conform: " + string(p.Verdict())}
		a.addLine("%s: %s", safetext.Line(p.Title, safetext.MaxName), p.ExplainVerdict())
		return a
	}
	r := view.CopyWithBoundedTexts(p.Report)
	a := annotation{title: "a2a-conform: " + view.VerdictHeadline(r.Verdict)}
	a.addLine("%s, judged as %s: %s", view.DescribeTargetByKind(r.Target), view.DialectName(r.Target), view.ExplainVerdict(r))
	if known := view.DescribeKnownSDKFaults(r); known != "" {
		a.addLine("%s", known)
	}
	for _, g := range view.ExplainGateOutcome(r) {
		a.addLine("%s", g)
	}
	for _, n := range view.Notices(r) {
		a.addLine("notice: %s", n)
	}
	return a
}

// limitAnnotationsFairly gives each part its share of what GitHub shows, in turns, and counts the rest.
func limitAnnotationsFairly(of [][]annotation) (out [][]annotation, omitted int) {
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
				omitted++
			}
		}
	}
	return out, omitted
}
