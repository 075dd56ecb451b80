package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// row is one requirement in the list of all.
type row struct {
	ID, Level, Statement string
	Sections             []reference
	Remarks              []string
	Cells                []cellView
	Kind                 kind
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
	Kind         kind
}

// areaView is the requirements of one area.
type areaView struct {
	ID    string
	Name  string
	Tally []cell
	Heat  stack
	Rows  []row
}

type openView struct {
	Lines           []string
	What            string
	Because, Reason string
	Rows            []row
}

// The bounds of the exchanges that a row names, and of where in each.
const (
	maxPlaces = 5
	maxSpots  = 3
)

func (b *builder) row(r *report.Result) row {
	v := row{
		ID: line(r.ID, maxName), Level: line(string(r.Level), maxName), Kind: kindOf(r), Sections: references(b.report.Target.Dialect, r.Section),
		Statement: line(r.Statement, maxReason), Remarks: lines(remarks(r)), Cells: b.cells(r), Card: b.carded[r.ID],
		Reason: shown(r.Reason, b.most.rowReason),
	}
	if b.has(r.Because) {
		v.Because = line(r.Because, maxName)
	}
	if b.most.brief {
		return v.shortened(b.most)
	}
	v.Places, v.More = b.places(r)
	return v
}

// shortened is the row of a brief page: what it leaves out is long, and the same in every run.
func (v row) shortened(most amount) row {
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

// places are the exchanges on which a result rests, each with the step that made it and the
// members that count.
func (b *builder) places(r *report.Result) (out []proofView, more int) {
	spots := map[int]int{}
	most := maxPlaces
	if r.Verdict == report.Pass {
		most = maxSpots
	}
	for i := range r.Evidence {
		p := b.proof(&r.Evidence[i])
		if p == nil {
			continue
		}
		at := slices.IndexFunc(out, func(o proofView) bool { return o.Exchange == p.Exchange })
		if at < 0 {
			if len(out) == most {
				more++
				continue
			}
			at = len(out)
			p.Says, _, _ = strings.Cut(p.Step, ", ")
			out = append(out, *p)
		}
		if r.Verdict == report.Pass { // report.json has where
			continue
		}
		if n := spots[p.Exchange]; n < maxSpots && p.Pointer != "" {
			out[at].Says += " " + p.Pointer
		} else if n == maxSpots {
			out[at].Says += " …"
		}
		spots[p.Exchange]++
	}
	return out, more
}

func (b *builder) cells(r *report.Result) (out []cellView) {
	for _, s := range r.Subjects {
		c := cellView{Who: who(s), Kind: cellKind(r, s)}
		c.Subject = slices.Index(b.subjects(), c.Who)
		c.Verdict = c.Kind.Word()
		out = append(out, c)
	}
	return out
}

// subjects are those that were judged, where there are several.
func (b *builder) subjects() []string {
	if b.who == nil {
		b.who = []string{}
		for i := range b.report.Results {
			for _, s := range b.report.Results[i].Subjects {
				if name := who(s); !slices.Contains(b.who, name) {
					b.who = append(b.who, name)
				}
			}
		}
	}
	return b.who
}

func (b *builder) area(i int, a areaResults) areaView {
	v := areaView{ID: fmt.Sprintf("a%d", i+1), Name: line(a.Name, maxName)}
	n := map[kind]int{}
	var all []report.Result
	for _, r := range a.Results {
		v.Rows = append(v.Rows, b.row(r))
		n[kindOf(r)]++
		all = append(all, *r)
	}
	for _, k := range rowKinds {
		if n[k] > 0 {
			v.Tally = append(v.Tally, cell{k, n[k]})
		}
	}
	v.Heat = stacks(&report.Report{Summary: report.Summarize(all)})[0]
	return v
}

// rowKinds are the kinds in the order of chips and tallies: what needs a reader comes first.
var rowKinds = []kind{suiteError, fail, warning, note, inconclusive, waived, pass, notApplicable, vacuous}

// chips are what the list can be narrowed by.
type chips struct {
	Kinds    []chip
	Levels   []chip
	Subjects []chip
}

// chip is one of them: Value is what the script compares.
type chip struct {
	Name, Value, Class string
	N                  int
}

func (b *builder) chips() (out chips) {
	for _, k := range rowKinds {
		if n := len(pick(b.report, k)); n > 0 {
			out.Kinds = append(out.Kinds, chip{k.Word(), k.Class(), k.Class(), n})
		}
	}
	for _, l := range levels {
		if n := b.report.Summary[string(l)].Total(); n > 0 {
			out.Levels = append(out.Levels, chip{string(l), string(l), "", n})
		}
	}
	if all := b.subjects(); len(all) > 1 && !b.most.brief {
		for i, name := range all[:min(len(all), maxSubjects)] {
			out.Subjects = append(out.Subjects, chip{name, fmt.Sprint(i), "", 0})
		}
	}
	return out
}

// maxSubjects bounds the agents and bindings that have a chip.
const maxSubjects = 24

func (b *builder) undecided(o *open) openView {
	v := openView{Lines: alternatives(o.Remedy), Reason: line(o.Reason, b.most.reason)}
	if b.has(o.Because) {
		v.Because = line(o.Because, maxName)
	} else if o.Because != "" {
		v.Reason = "because they depend on " + line(o.Because, maxName)
	}
	v.What = decides(len(o.Results))
	for _, res := range o.Results {
		v.Rows = append(v.Rows, b.row(res))
		if b.most.brief { // the list of all says it
			v.Rows[len(v.Rows)-1].Statement = ""
		}
	}
	return v
}
