package reports

import (
	"html/template"
	"io"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// diffPage is what the template shows; every text in it is bounded and visible.
type diffPage struct {
	CSS      template.CSS
	Policy   string
	Outcome  string
	Worse    bool
	Between  string
	Sides    []side
	Sections []changeSection
}

// side is one of the two reports.
type side struct {
	Name, When, Verdict, Class string
	Must                       stack
}

type changeSection struct {
	Title, Class string
	Items        []changeView
	More         int
}

type changeView struct {
	ID, Level, Since, Statement string
	Sections                    []reference
	Was, Now                    kind
	Before, After               string
	Regression                  bool
}

// maxChanges bounds what is shown of each kind of change.
const maxChanges = 300

// DiffHTML writes what changed between two reports as a page that needs nothing else.
func DiffHTML(w io.Writer, old, now *report.Report, changes []report.Change) error {
	old, now = canonical(old), canonical(now)
	p := diffPage{CSS: template.CSS(css), Policy: policy(css), Outcome: outcome(changes), Worse: len(report.Regressions(changes)) > 0, Between: between(old, now),
		Sides: []side{newSide("before", old), newSide("now", now)}}
	was, is := byID(old), byID(now)
	for _, k := range report.ChangeKinds() {
		of := ofKind(changes, k)
		s := changeSection{Title: diffTitles[k], Class: changeClass(k)}
		for i, c := range of {
			if i == maxChanges {
				s.More = len(of) - i
				break
			}
			v := changeView{ID: line(c.ID, maxName), Level: line(string(c.Level), maxName), Since: strings.TrimPrefix(since(c), "; "), Regression: c.Regression(),
				Before: shown(c.Before, maxReason), After: shown(c.After, maxReason)}
			if r := was[c.ID]; r != nil {
				v.Was = kindOf(r)
			}
			r := is[c.ID]
			if r != nil {
				v.Now = kindOf(r)
			} else {
				r = was[c.ID]
			}
			if r != nil {
				v.Statement, v.Sections = line(r.Statement, maxReason), references(now.Target.Dialect, r.Section)
			}
			if v.Before == v.After {
				v.Before = ""
			}
			s.Items = append(s.Items, v)
		}
		if len(of) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	return compareTemplate().ExecuteTemplate(w, "diff.html.tmpl", p)
}

// WriteDiff writes the page to a file, as a whole or not at all.
func WriteDiff(dir, name string, old, now *report.Report, changes []report.Change) error {
	return writeFile(dir, name, func(w io.Writer) error { return DiffHTML(w, old, now, changes) })
}

func newSide(name string, r *report.Report) side {
	return side{Name: name, When: when(r), Verdict: line(string(r.Verdict), maxName), Class: verdictKind(r.Verdict).Class(), Must: newStack("MUST", r.Summary[string(schema.Must)])}
}

func byID(r *report.Report) map[string]*report.Result {
	out := map[string]*report.Result{}
	for i := range r.Results {
		out[r.Results[i].ID] = &r.Results[i]
	}
	return out
}

// changeClass is the class whose colour a kind of change has.
func changeClass(k report.ChangeKind) string {
	switch k {
	case report.Broken:
		return fail.Class()
	case report.Lost, report.ReasonChanged:
		return warning.Class()
	case report.Fixed:
		return pass.Class()
	}
	return notApplicable.Class()
}
