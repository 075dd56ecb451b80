package verdict

import (
	"fmt"
	"slices"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// maxUncalled bounds how many interfaces that were not called are listed: no run has more,
// and a recording that somebody wrote by hand may.
const maxUncalled = 60

// Uncalled returns the interfaces of a run that were not called.
func Uncalled(f record.Facts) []record.Withheld {
	return f.Withheld[:min(maxUncalled, len(f.Withheld))]
}

// findUncalledInterfaceFor returns the interface that was not called and by which a requirement could be
// judged that is about that binding alone; nil if there is none, or another one of the
// kind was spoken.
func (c *Decider) findUncalledInterfaceFor(req *schema.Requirement) *record.Withheld {
	facts := &c.Transcript.Facts
	if c.concernsBinding(req, c.Binding().Name()) || slices.ContainsFunc(facts.Bindings, func(by string) bool { return c.concernsBinding(req, by) }) {
		return nil
	}
	all := Uncalled(*facts)
	for i := range all {
		if w := &all[i]; c.concernsBinding(req, w.Binding) {
			return w
		}
	}
	return nil
}

// concernsBinding reports whether a requirement is about a binding of the dialect, among others.
func (c *Decider) concernsBinding(req *schema.Requirement, name string) bool {
	return req.For(c.Dialect.Bindings[name].Kind)
}

// explainNotCalled returns why an interface was not.
func explainNotCalled(w *record.Withheld) string {
	return fmt.Sprintf("the card lists %s at %s, which %s, so it was not called", shorten.Visible(w.Binding, 60), w.URL, w.Why)
}

// addUncalledSubjectResults adds to a verdict that there are interfaces which no one called, and
// which are therefore not tried. A sentence about the binding of one of them is undecided,
// and was tried nowhere else.
func (c *Decider) addUncalledSubjectResults(req *schema.Requirement, r *Result) *Result {
	facts := &c.Transcript.Facts
	if len(facts.Withheld) == 0 || c.part || len(facts.Agents) > 0 && len(r.Subjects) == 0 {
		return r
	}
	out := *r
	out.Subjects = slices.Clone(r.Subjects)
	if len(out.Subjects) == 0 {
		s := report.SubjectResult{Binding: c.Binding().Name(), Verdict: r.Verdict}
		if r.Verdict != report.Pass {
			s.Reason = r.Reason
		}
		out.Subjects = []report.SubjectResult{s}
	}
	open := c.findUncalledInterfaceFor(req)
	if open != nil && (r.Verdict != report.Inconclusive || r.Remedy != open.Remedy) { // it is decided otherwise
		open = nil
	}
	for i := range out.Subjects {
		if open != nil {
			out.Subjects[i].Verdict, out.Subjects[i].Reason = report.NotTried, ""
		}
	}
	for _, w := range Uncalled(*facts) {
		s := report.SubjectResult{Agent: w.Agent, Binding: w.Binding, Verdict: report.NotTried, Reason: explainNotCalled(&w)}
		if open != nil && c.concernsBinding(req, w.Binding) {
			s.Verdict = report.Inconclusive
		}
		out.Subjects = append(out.Subjects, s)
	}
	return &out
}
