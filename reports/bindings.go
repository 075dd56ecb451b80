package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/suites/report"
)

// notTried is what a cell is called where nothing was said from which a requirement could
// be judged. It is the verdict of no requirement.
const notTried kind = "not tried"

// spoken is what the requirements came to in one of several bindings.
type spoken struct {
	Who   string // the binding, and the agent where there are several
	Count map[kind]int
}

// byBinding counts what the requirements came to in each of several bindings, those that
// were not called last; nil where there is one.
func byBinding(r *report.Report) (out []spoken) {
	if len(r.Target.Bindings)+len(r.Target.Withheld) < 2 {
		return nil
	}
	var all []*report.Result
	for i := range r.Results {
		all = append(all, &r.Results[i])
	}
	return inBindings(all)
}

// inBindings counts some of the results.
func inBindings(results []*report.Result) (out []spoken) {
	for _, res := range results {
		for _, s := range res.Subjects {
			if s.Binding == "" {
				continue
			}
			at := slices.IndexFunc(out, func(o spoken) bool { return o.Who == who(s) })
			if at < 0 {
				at = len(out)
				out = append(out, spoken{who(s), map[kind]int{}})
			}
			out[at].Count[cellKind(res, s)]++
		}
	}
	return out
}

// who is the subject of a cell.
func who(s report.SubjectResult) string {
	return line(strings.TrimSpace(s.Agent+" "+s.Binding), maxName)
}

// cellKind is what a cell is called.
func cellKind(r *report.Result, s report.SubjectResult) kind {
	if s.Verdict == report.NotTried {
		return notTried
	}
	return kindOf(&report.Result{Level: r.Level, Verdict: s.Verdict})
}

// cellKinds are the counts of bindings in the order of every table.
var cellKinds = []kind{pass, fail, warning, note, inconclusive, waived, notApplicable, suiteError, notTried}

// kindsIn are those that occur: a table of bindings has no column of zeros.
func kindsIn(rows []spoken) (out []kind) {
	for _, k := range cellKinds {
		if k == pass || k == fail || slices.ContainsFunc(rows, func(s spoken) bool { return s.Count[k] > 0 }) {
			out = append(out, k)
		}
	}
	return out
}

// words are the counts of a row in words.
func (s spoken) words() string {
	var out []string
	for _, k := range cellKinds {
		if n := s.Count[k]; n > 0 {
			out = append(out, fmt.Sprintf("%s %s", thousands(n), k))
		}
	}
	return strings.Join(out, ", ")
}

// untried says what the cells mean that are not tried; nothing where there are none. How
// an interface is called that was not, a notice of the report says.
func untried(r *report.Report, rows []spoken) (out []string) {
	called := func(s spoken) bool {
		return s.Count[notTried] > 0 && !slices.ContainsFunc(r.Target.Withheld, func(w report.Withheld) bool {
			return s.Who == who(report.SubjectResult{Agent: w.Agent, Binding: w.Binding})
		})
	}
	if slices.ContainsFunc(rows, called) {
		out = append(out, "not tried is not a pass: no call in that binding could decide the requirement, or the requirement is about another binding; --binding each judges every binding in full")
	}
	for _, w := range r.Target.Withheld {
		out = append(out, line(fmt.Sprintf("%s was not called: %s %s", who(report.SubjectResult{Agent: w.Agent, Binding: w.Binding}), w.URL, w.Why), maxReason))
	}
	return out
}
