package reports

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/report"
)

// stack is a bar of what requirements came to, all of them or those of a level.
type stack struct {
	Name  string
	Total int
	Parts []share
	Words string
}

// share of a stack, in thousandths of its width.
type share struct {
	Name  string
	Class string
	N     int
	X, W  int
}

// shares are the parts of every stack, in their order.
var shares = []struct {
	name, class string
	of          func(report.Count) int
}{
	{"met", "pass", func(c report.Count) int { return c.Pass }},
	{"broken", "fail", func(c report.Count) int { return c.Fail }},
	{"suite error", "suite-error", func(c report.Count) int { return c.SuiteError }},
	{"waived", "waived", func(c report.Count) int { return c.Waived }},
	{"undecided", "inconclusive", func(c report.Count) int { return c.Inconclusive }},
	{"not applicable", "not-applicable", func(c report.Count) int { return c.NotApplicable + c.Vacuous }},
}

// stacks are the bars of a report: over all, and by level.
func stacks(r *report.Report) (out []stack) {
	var all report.Count
	for _, l := range levels {
		c := r.Summary[string(l)]
		all.Pass, all.Fail, all.SuiteError, all.Waived = all.Pass+c.Pass, all.Fail+c.Fail, all.SuiteError+c.SuiteError, all.Waived+c.Waived
		all.Inconclusive, all.NotApplicable, all.Vacuous = all.Inconclusive+c.Inconclusive, all.NotApplicable+c.NotApplicable, all.Vacuous+c.Vacuous
		if c.Total() > 0 {
			out = append(out, newStack(string(l), c))
		}
	}
	return append([]stack{newStack("all", all)}, out...)
}

func newStack(name string, c report.Count) stack {
	s := stack{Name: name, Total: c.Total()}
	var words []string
	for _, of := range shares {
		n := of.of(c)
		if n == 0 {
			continue
		}
		s.Parts = append(s.Parts, share{Name: of.name, Class: of.class, N: n})
		words = append(words, fmt.Sprintf("%s %s", thousands(n), of.name))
	}
	s.lay()
	s.Words = fmt.Sprintf("%s: %s", plural(s.Total, "requirement"), strings.Join(words, ", "))
	return s
}

// lay gives each part its place and width. What is rare is drawn wider than it is: the widest
// part gives way.
func (s *stack) lay() {
	const width, least = 1000, 8
	sum, widest := 0, 0
	for i := range s.Parts {
		p := &s.Parts[i]
		p.W = max(least, p.N*width/s.Total)
		sum += p.W
		if p.W > s.Parts[widest].W {
			widest = i
		}
	}
	if len(s.Parts) > 0 {
		s.Parts[widest].W += width - sum
	}
	x := 0
	for i := range s.Parts {
		s.Parts[i].X = x
		x += s.Parts[i].W
	}
}

// cause is a failure from which others follow, as a line of the first screen.
type cause struct {
	ID, Text string
	Kind     kind
	Follow   int
}

// maxCauses is how many causes are in the first screen.
const maxCauses = 3

// firstCauses are the first failures that follow from no other: those of the suite, then broken
// MUSTs, then SHOULDs. further counts the rest.
func firstCauses(r *report.Report) (out []cause, further int) {
	follow := following(r)
	for _, k := range []kind{suiteError, fail, warning} {
		for _, res := range roots(r, k) {
			if len(out) == maxCauses {
				further++
				continue
			}
			text := line(res.Reason, maxExcerpt)
			if len(res.Why) > 0 && res.Why[0].Did != "" {
				text = line(res.Why[0].Came(), maxExcerpt)
				if w := res.Why[0]; w.Sent != "" {
					text = line(w.Sent, maxExcerpt) + ": " + text
				}
			}
			if res.Cause != "" {
				text = line(res.Cause, maxExcerpt)
			}
			out = append(out, cause{line(res.ID, maxName), text, k, len(follow[res.ID])})
		}
	}
	return out, further
}

// decision is something to add so that more is decided: one of the lines.
type decision struct {
	Lines []string
	N     int
	What  string
}

// maxDecisions is how many of them are in the first screen.
const maxDecisions = 3

func decisions(r *report.Report) (out []decision, more int) {
	for _, o := range undecided(r) {
		switch {
		case o.Remedy == "":
		case len(out) == maxDecisions:
			more++
		default:
			out = append(out, decision{alternatives(o.Remedy), len(o.Results), decides(len(o.Results))})
		}
	}
	return out, more
}

func decides(n int) string { return "decides " + plural(n, "requirement") }

// alternatives are the lines of a remedy, of which one is enough.
func alternatives(remedy string) (out []string) {
	for one := range strings.SplitSeq(remedy, "  or  ") {
		if one = strings.TrimSpace(one); one != "" {
			out = append(out, line(one, maxExcerpt))
		}
	}
	return out
}

// advised is a line of advice: what to add, and the words around it.
type advised struct{ Before, Line, After string }

var (
	adviceLine = regexp.MustCompile(`^(.*?)((?:--[a-z]|[a-z]+: [{\[]).*?)( decides [0-9]+ more)?$`)
)

// advise takes a line of advice apart: only what is to be copied is shown as such.
func advise(s string) advised {
	if m := adviceLine.FindStringSubmatch(line(s, maxReason)); m != nil {
		return advised{m[1], m[2], m[3]}
	}
	return advised{Before: line(s, maxReason)}
}

// meant says in plain words what a word of the page means.
type meant struct {
	Kind kind
	Says string
}

// legend explains the words that occur.
func legend(r *report.Report, several bool) (out []meant) {
	for _, m := range []meant{
		{pass, "the run saw what the requirement is about, and the server meets it"},
		{fail, "the server breaks a MUST"},
		{warning, "the server does not follow a SHOULD"},
		{note, "the server does something else than a MAY describes"},
		{inconclusive, "the requirement applies, but this run could not decide it; that never counts as passed"},
		{waived, "the requirement fails; the waiver file says why that is tolerated and until when"},
		{notApplicable, "the requirement does not apply to this server"},
		{vacuous, "the requirement is about all things of one kind, and the run saw none"},
		{suiteError, "a2a-conform failed, not the server"},
	} {
		if len(pick(r, m.Kind)) > 0 {
			out = append(out, m)
		}
	}
	if several {
		out = append(out, meant{notTried, "no call in this binding could decide the requirement; that is not a pass"})
	}
	return out
}
