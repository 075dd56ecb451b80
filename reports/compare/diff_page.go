package compare

import (
	"html/template"
	"io"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/files"
	"github.com/a2a-conform/a2a-conform/reports/layout"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// diffView is what the template shows; every text in it is bounded and visible.
type diffView struct {
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
	Must                       layout.Bar
}

type changeSection struct {
	Title, Class string
	Items        []changeView
	More         int
}

type changeView struct {
	ID, Level, Since, Statement string
	Sections                    []view.Reference
	Was, Now                    view.Kind
	Before, After               string
	Regression                  bool
}

// maxChanges bounds what is shown of each kind of change.
const maxChanges = 300

// WriteDiffPage writes what changed between two reports as a page that needs nothing else.
func WriteDiffPage(w io.Writer, old, now *report.Report, changes []report.Change) error {
	old, now = view.CopyWithBoundedTexts(old), view.CopyWithBoundedTexts(now)
	p := diffView{CSS: template.CSS(layout.CSS), Policy: layout.CSPAllowingOnlyStyle(layout.CSS), Outcome: describeRegressionCount(changes), Worse: len(report.Regressions(changes)) > 0, Between: describeSubjectAndVerdictChange(old, now),
		Sides: []side{newSide("before", old), newSide("now", now)}}
	was, is := resultsByID(old), resultsByID(now)
	for _, k := range report.ChangeKinds() {
		of := view.ChangesOfKind(changes, k)
		s := changeSection{Title: view.ChangeTitles[k], Class: changeClass(k)}
		for i, c := range of {
			if i == maxChanges {
				s.More = len(of) - i
				break
			}
			v := changeView{ID: safetext.Line(c.ID, safetext.MaxName), Level: safetext.Line(string(c.Level), safetext.MaxName), Since: strings.TrimPrefix(view.ExplainRejudged(c), "; "), Regression: c.Regression(),
				Before: safetext.Text(c.Before, safetext.MaxReason), After: safetext.Text(c.After, safetext.MaxReason)}
			if r := was[c.ID]; r != nil {
				v.Was = view.KindOf(r)
			}
			r := is[c.ID]
			if r != nil {
				v.Now = view.KindOf(r)
			} else {
				r = was[c.ID]
			}
			if r != nil {
				v.Statement, v.Sections = safetext.Line(r.Statement, safetext.MaxReason), view.References(now.Target.Dialect, r.Section)
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
	return files.Write(dir, name, func(w io.Writer) error { return WriteDiffPage(w, old, now, changes) })
}

func newSide(name string, r *report.Report) side {
	return side{Name: name, When: formatStartTime(r), Verdict: safetext.Line(string(r.Verdict), safetext.MaxName), Class: view.KindOfRun(r.Verdict).Class(), Must: layout.NewBar("MUST", r.Summary[string(schema.Must)])}
}

func resultsByID(r *report.Report) map[string]*report.Result {
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
		return view.Fail.Class()
	case report.Lost, report.ReasonChanged:
		return view.Warning.Class()
	case report.Fixed:
		return view.Pass.Class()
	}
	return view.NotApplicable.Class()
}
