package html

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/reports/layout"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// row is one requirement in the list of all.
type row struct {
	ID, Level, Statement string
	Sections             []view.Reference
	Remarks              []string
	Cells                []cellView
	Kind                 view.Kind
	Reason, Because      string
	Places               []proofView // of the evidence: each exchange once
	More                 int
	Card                 bool // it has a card
	Brief                bool // without a link to itself
}

// cellView is what a requirement came to for each of several subjects.
type cellView struct {
	Who, Verdict string
	Subject      int
	Kind         view.Kind
}

// areaView is the requirements of one area.
type areaView struct {
	ID    string
	Name  string
	Tally []layout.Cell
	Heat  layout.Bar
	Rows  []row
}

type undecidedView struct {
	Lines           []string
	What            string
	Because, Reason string
	Rows            []row
}

// The bounds of the exchanges that a row names, and of the places in each.
const (
	maxPlaces = 5
	maxSpots  = 3
)

func (b *builder) buildRow(r *report.Result) row {
	v := row{
		ID: safetext.Line(r.ID, safetext.MaxName), Level: safetext.Line(string(r.Level), safetext.MaxName), Kind: view.KindOf(r), Sections: view.References(b.report.Target.Dialect, r.Section),
		Statement: safetext.Line(r.Statement, safetext.MaxReason), Remarks: view.ShortenEachLine(view.RequirementRemarks(r)), Cells: b.subjectCells(r), Card: b.carded[r.ID],
		Reason: safetext.Text(r.Reason, b.most.rowReason),
	}
	if b.hasRequirement(r.Because) {
		v.Because = safetext.Line(r.Because, safetext.MaxName)
	}
	if b.most.brief {
		return v.shortenRow(b.most)
	}
	v.Places, v.More = b.listEvidencePlaces(r)
	return v
}

// shortenRow is the row of a brief page: what it leaves out is long, and the same in every run.
func (v row) shortenRow(most pageLimits) row {
	for i := range v.Sections {
		v.Sections[i].URL = ""
	}
	v.Brief, v.Cells = true, nil
	v.Remarks = slices.DeleteFunc(v.Remarks, func(remark string) bool { return remark != schema.OwnNote })
	if most.rowReason == 0 {
		v.Reason = ""
	}
	return v
}

// listEvidencePlaces are the exchanges on which a result rests, each with the step that made it and the
// members that count.
func (b *builder) listEvidencePlaces(r *report.Result) (out []proofView, omitted int) {
	spots := map[int]int{}
	most := maxPlaces
	if r.Verdict == report.Pass {
		most = maxSpots
	}
	for i := range r.Evidence {
		p := b.buildProof(&r.Evidence[i])
		if p == nil {
			continue
		}
		at := slices.IndexFunc(out, func(o proofView) bool { return o.Exchange == p.Exchange })
		if at < 0 {
			if len(out) == most {
				omitted++
				continue
			}
			at = len(out)
			p.Says, _, _ = strings.Cut(p.Step, ", ")
			out = append(out, *p)
		}
		if r.Verdict == report.Pass { // report.json has the places
			continue
		}
		if n := spots[p.Exchange]; n < maxSpots && p.Pointer != "" {
			out[at].Says += " " + p.Pointer
		} else if n == maxSpots {
			out[at].Says += " …"
		}
		spots[p.Exchange]++
	}
	return out, omitted
}

func (b *builder) subjectCells(r *report.Result) (out []cellView) {
	for _, s := range r.Subjects {
		c := cellView{Who: view.SubjectLabel(s), Kind: view.SubjectKind(r, s)}
		c.Subject = slices.Index(b.listSubjects(), c.Who)
		c.Verdict = c.Kind.Word()
		out = append(out, c)
	}
	return out
}

func (b *builder) buildArea(i int, a view.AreaResults) areaView {
	v := areaView{ID: fmt.Sprintf("a%d", i+1), Name: safetext.Line(a.Name, safetext.MaxName)}
	n := map[view.Kind]int{}
	var all []report.Result
	for _, r := range a.Results {
		v.Rows = append(v.Rows, b.buildRow(r))
		n[view.KindOf(r)]++
		all = append(all, *r)
	}
	for _, k := range view.KindsByGravity {
		if n[k] > 0 {
			v.Tally = append(v.Tally, layout.Cell{Kind: k, N: n[k]})
		}
	}
	v.Heat = layout.NewTotalAndLevelBars(&report.Report{Summary: report.Summarize(all)})[0]
	return v
}

func (b *builder) kindLevelAndSubjectChips() (out layout.Chips) {
	for _, k := range view.KindsByGravity {
		if n := len(view.ResultsOfKind(b.report, k)); n > 0 {
			out.Kinds = append(out.Kinds, layout.Chip{Name: k.Word(), Value: k.Class(), Class: k.Class(), N: n})
		}
	}
	for _, l := range view.Levels {
		if n := b.report.Summary[string(l)].Total(); n > 0 {
			out.Levels = append(out.Levels, layout.Chip{Name: string(l), Value: string(l), N: n})
		}
	}
	if all := b.listSubjects(); len(all) > 1 && !b.most.brief {
		for i, name := range all[:min(len(all), maxSubjects)] {
			out.Subjects = append(out.Subjects, layout.Chip{Name: name, Value: fmt.Sprint(i)})
		}
	}
	return out
}

func (b *builder) buildUndecided(o *view.UndecidedGroup) undecidedView {
	v := undecidedView{Lines: splitAlternativeRemedies(o.Remedy), Reason: safetext.Line(o.Reason, b.most.reason)}
	if b.hasRequirement(o.Because) {
		v.Because = safetext.Line(o.Because, safetext.MaxName)
	} else if o.Because != "" {
		v.Reason = "because they depend on " + safetext.Line(o.Because, safetext.MaxName)
	}
	v.What = describeDecided(len(o.Results))
	for _, res := range o.Results {
		v.Rows = append(v.Rows, b.buildRow(res))
		if b.most.brief { // the list of all requirements has it
			v.Rows[len(v.Rows)-1].Statement = ""
		}
	}
	return v
}
