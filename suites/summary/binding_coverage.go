package summary

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/a2a-conform/a2a-conform/suites/verdict"
)

// describeBindings describes how much was tried in the bindings next to the preferred one, if there
// are any: of the requirements about the binding itself, and of those about calls in any
// binding, each as far as they apply. What the card alone shows is no call's affair.
func describeBindings(d *schema.Dialect, r *report.Report) string {
	var out strings.Builder
	for i, name := range r.Target.Bindings {
		if i == 0 || len(d.Bindings) == 0 {
			continue
		}
		kind := d.Bindings[name].Kind
		var own, ownTried, shared, sharedTried int
		for _, res := range r.Results {
			q := d.Requirement(res.ID)
			if q == nil || res.Verdict == report.NotApplicable || !slices.ContainsFunc(res.Subjects, func(s report.SubjectResult) bool { return s.Binding == name }) {
				continue
			}
			tried := slices.ContainsFunc(res.Subjects, func(s report.SubjectResult) bool {
				return s.Binding == name && s.Verdict != report.NotTried && s.Verdict != report.Inconclusive
			})
			switch {
			case q.Binding == kind:
				if own++; tried {
					ownTried++
				}
			case q.For(kind) && (tried || ofCalls(res)):
				if shared++; tried {
					sharedTried++
				}
			}
		}
		if own+shared == 0 { // nothing of what was selected can be seen there
			continue
		}
		fmt.Fprintf(&out, "; over %s, the run tried %d of %d requirements about that binding alone, and %d of %d about all bindings", shorten.Visible(name, 60), ownTried, own, sharedTried, shared)
	}
	return out.String()
}

// describeUnjudgedBindings names the bindings that the card offers and the operator did not want judged.
// Those that were not called since they may be another's have a notice of their own.
func describeUnjudgedBindings(c *verdict.Decider) string {
	card, ok := c.Card()
	facts := c.Transcript.Facts
	if !ok || len(facts.Bindings) != 1 {
		return ""
	}
	var out []string
	for _, i := range c.ReadCard(card).Interfaces() {
		name := i.Transport()
		_, known := c.Dialect.Bindings[name]
		withheld := slices.ContainsFunc(facts.Withheld, func(w record.Withheld) bool { return w.Binding == name })
		if known && !withheld && i.URL() != "" && name != facts.Bindings[0] && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return fmt.Sprintf("; the run judged only %s; the card also offers %s", facts.Bindings[0], strings.Join(out, ", "))
}

// ofCalls reports whether a verdict rests on something else than the fetching of the card.
func ofCalls(r report.Result) bool {
	return slices.ContainsFunc(r.Evidence, func(e report.Evidence) bool { return e.Step != "" && !strings.HasPrefix(e.Step, "card/") })
}
