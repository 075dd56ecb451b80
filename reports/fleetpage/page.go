package fleetpage

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/a2a-conform/a2a-conform/reports/layout"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// styleSheet adds to the style of all pages.
//
//go:embed fleet.css
var styleSheet string

//go:embed fleet.html.tmpl
var fleetFiles embed.FS

// fleetTemplate parses the templates when the first page is made.
var fleetTemplate = sync.OnceValue(func() *template.Template { return layout.ParseTemplates(fleetFiles, nil) })

// pageView is what the template shows; every text in it is bounded and visible.
type pageView struct {
	CSS      template.CSS
	Script   template.JS
	Policy   string
	Title    string
	Tally    string
	Live     bool
	Unshown  string
	Notes    []string // about what cannot be read
	Bar      layout.Bar
	Newest   *roundView
	Waiting  string
	Rounds   []roundView // those before the newest, the latest first
	Turned   string
	Changes  []changeView // in sight at once
	Folded   []changeView
	Unlisted int
	Chips    layout.Chips
	States   []layout.Chip
	Columns  []columnView
	Agents   []agentView
	All      string // how many agents there are
	List     string // the file that has them for programs; "" if it is not there
	Hidden   string // which of them have no row
	Legend   []verdictMeant
}

type roundView struct {
	Name, Says string
}

type changeView struct {
	Name, Dialect, To, Says string
	Was, Is                 verdictView
	Worse                   bool
}

// verdictView is the verdict of a run with the class whose colour it has.
type verdictView struct{ Word, Class string }

type verdictMeant struct {
	verdictView
	Says string
}

type columnView struct{ Title, Tally string }

// agentView is an agent; Verdicts and States are what it can be narrowed by.
type agentView struct {
	Name, URL, Agent string
	Verdicts, States string
	Cells            [][]targetView // by column
}

type targetView struct {
	ID, Dialect, Page, Label string
	Column                   int
	Verdict                  verdictView
	Value                    string // what the script compares
	Must                     []layout.BarPart
	Reason, Past             string
	Strip                    strip
}

// waitingValue and changedValue are what the script knows the states of a target by.
const (
	waitingValue = "waiting"
	changedValue = "changed"
)

// WritePage writes a page over all agents of a fleet: their verdicts, what changed since the
// round before, and the history of each. Like a report it needs nothing else.
func WritePage(w io.Writer, f Fleet) error {
	m := newOverview(f)
	p := pageView{
		CSS: template.CSS(layout.CSS + styleSheet), Script: template.JS(layout.Script), Policy: layout.StyleAndScriptCSP(layout.CSS+styleSheet, layout.Script),
		Title: m.describeConformant(), Tally: m.describeVerdicts(), Live: f.Live, Unshown: safetext.Line(f.Unshown, safetext.MaxReason), Bar: m.verdictBar(),
		Turned: m.describeChangeCounts(), Chips: m.verdictAndDialectChips(), Unlisted: max(0, len(m.changes)-maxChanges),
	}
	for i, note := range f.Unreadable {
		if i == view.MaxListed {
			p.Notes = append(p.Notes, fmt.Sprintf("%s more values of the broker are unreadable.", safetext.Thousands(len(f.Unreadable)-i)))
			break
		}
		p.Notes = append(p.Notes, safetext.Line(note, safetext.MaxReason))
	}
	for _, r := range slices.Backward(f.Rounds[max(0, len(f.Rounds)-maxRounds):]) {
		p.Rounds = append(p.Rounds, roundView{r.describeIDAndStart(), r.describeRoundProgress()})
	}
	if len(p.Rounds) > 0 {
		p.Newest, p.Rounds = &p.Rounds[0], p.Rounds[1:]
	}
	if m.waiting > 0 {
		p.Waiting = fmt.Sprintf("%s still to come in this round; what is shown of them is older.", view.CountPhrase(m.waiting, "target is", "targets are"))
	}
	turned := m.changesByTarget()
	agents, ids := m.chooseAgentRows(turned), m.uniqueAnchorIDs()
	reached := map[*Target]bool{}
	for _, a := range agents {
		for _, t := range slices.Concat(a.cells...) {
			reached[t] = true
		}
		p.Agents = append(p.Agents, m.buildRow(a, ids, turned))
	}
	p.All = safetext.Thousands(len(m.agents))
	if !f.Live {
		p.List = ListFile
	}
	if n := len(m.agents) - len(agents); n > 0 {
		p.Hidden = fmt.Sprintf("%s of %s have no row, as the page would be too large: those that are conformant and as before are left out first.", safetext.Thousands(n), safetext.CountWithNoun(len(m.agents), "agent"))
	}
	for i, c := range m.changes {
		v := changeView{Name: c.target.displayName(), Dialect: c.target.dialectName(), Says: c.summarizeChangesOrReason(), Was: viewOf(c.was), Is: viewOf(c.is), Worse: c.severityRank() < 2}
		if reached[c.target] {
			v.To = ids[c.target]
		}
		switch {
		case i < maxOpenChanges:
			p.Changes = append(p.Changes, v)
		case i < maxChanges:
			p.Folded = append(p.Folded, v)
		}
	}
	p.States = m.changedAndWaitingChips()
	for i, d := range m.dialects {
		p.Columns = append(p.Columns, columnView{d, m.columnTally(i)})
	}
	for _, v := range slices.Backward(view.VerdictsByGravity) {
		if m.verdicts[v] > 0 {
			p.Legend = append(p.Legend, verdictMeant{viewOf(v), verdictMeanings[v]})
		}
	}
	return fleetTemplate().ExecuteTemplate(w, "fleet.html.tmpl", p)
}

// verdictMeanings say in plain words what the verdicts of a run mean.
var verdictMeanings = map[report.RunVerdict]string{
	report.Conformant:       "every MUST requirement that applies to the server was decided, and none is broken",
	report.Partial:          "no broken MUST requirement was seen, but some are undecided, or waived, or not all were judged",
	report.Nonconformant:    "the server breaks at least one MUST requirement",
	report.Unreachable:      "the server gave no HTTP response in the whole run, or none but a gateway's, so the run says nothing about it",
	report.NeedsCredentials: "the server let no call in, because the entry has no credentials, or none that it takes",
	report.Void:             "the agent was not judged: it was not recognised, the worker did not allow what its entry asks for, or a2a-conform itself failed",
}

func viewOf(v report.RunVerdict) verdictView {
	return verdictView{string(v), view.KindOfRun(v).Class()}
}

// verdictBar is what the targets came to.
func (m *overview) verdictBar() layout.Bar {
	s := layout.Bar{Name: "all", Total: len(m.Targets)}
	for _, v := range slices.Backward(view.VerdictsByGravity) {
		if n := m.verdicts[v]; n > 0 {
			s.Parts = append(s.Parts, layout.BarPart{Name: string(v), Class: verdictClass(v), N: n})
		}
	}
	if n := len(m.Targets) - m.judged; n > 0 {
		s.Parts = append(s.Parts, layout.BarPart{Name: "not judged yet", Class: unjudged, N: n})
	}
	s.ArrangeParts()
	s.Words = safetext.CountWithNoun(s.Total, "target") + ": " + m.describeVerdicts()
	return s
}

// verdictAndDialectChips returns the chips by which agents are filtered: verdicts, and dialects if there are several.
func (m *overview) verdictAndDialectChips() (out layout.Chips) {
	for _, v := range view.VerdictsByGravity {
		if n := m.verdicts[v]; n > 0 {
			out.Kinds = append(out.Kinds, layout.Chip{Name: string(v), Value: string(v), Class: view.KindOfRun(v).Class(), N: n})
		}
	}
	for i, d := range m.dialects {
		n := 0
		for _, a := range m.agents {
			n += len(a.cells[i])
		}
		if len(m.dialects) > 1 {
			out.Subjects = append(out.Subjects, layout.Chip{Name: d, Value: strconv.Itoa(i), N: n})
		}
	}
	return out
}

// changedAndWaitingChips are chips of what the newest round is to the targets.
func (m *overview) changedAndWaitingChips() (out []layout.Chip) {
	if n := len(m.changes); n > 0 {
		out = append(out, layout.Chip{Name: "changed", Value: changedValue, N: n})
	}
	if m.waiting > 0 {
		out = append(out, layout.Chip{Name: "still to come", Value: waitingValue, N: m.waiting})
	}
	return out
}

func (m *overview) columnTally(at int) string {
	n := map[report.RunVerdict]int{}
	for _, a := range m.agents {
		for _, t := range a.cells[at] {
			if t.isJudged() {
				n[t.Latest.verdictOrVoid()]++
			}
		}
	}
	return view.TallyVerdictsBestFirst(n)
}

// uniqueAnchorIDs are the places of the targets on the page, each another.
func (m *overview) uniqueAnchorIDs() map[*Target]string {
	out, taken := map[*Target]string{}, map[string]bool{}
	for i := range m.Targets {
		t := &m.Targets[i]
		id := t.anchorID(i)
		if taken[id] {
			id = (&Target{}).anchorID(i)
		}
		out[t], taken[id] = id, true
	}
	return out
}

func (m *overview) buildRow(a *agent, ids map[*Target]string, turned map[*Target]targetChange) agentView {
	row := agentView{Name: safetext.Line(a.name, safetext.MaxName), URL: safetext.Line(a.url, safetext.MaxName)}
	var verdicts, states []string
	add := func(to *[]string, s string) {
		if !slices.Contains(*to, s) {
			*to = append(*to, s)
		}
	}
	for i, of := range a.cells {
		var cell []targetView
		for _, t := range of {
			v := m.buildTarget(t)
			v.ID, v.Column = ids[t], i
			if len(m.dialects) == 1 {
				v.Dialect = ""
			}
			if row.Agent == "" {
				row.Agent = safetext.Line(t.Agent, safetext.MaxName)
			}
			if v.Value != "" {
				add(&verdicts, v.Value)
			}
			if t.Waiting {
				add(&states, waitingValue)
			}
			if _, changed := turned[t]; changed {
				add(&states, changedValue)
			}
			cell = append(cell, v)
		}
		row.Cells = append(row.Cells, cell)
	}
	// A row is called by the first name that is set, and repeats none.
	if row.Name == "" {
		row.Name, row.Agent = cmp.Or(row.Agent, row.URL, "no name"), ""
	}
	if row.Agent == row.Name {
		row.Agent = ""
	}
	if row.URL == row.Name {
		row.URL = ""
	}
	row.Verdicts, row.States = strings.Join(verdicts, " "), strings.Join(states, " ")
	return row
}

func (m *overview) buildTarget(t *Target) targetView {
	v := targetView{Dialect: t.dialectName(), Strip: m.buildHistoryStrip(t)}
	if !t.isJudged() {
		v.Verdict = verdictView{"no result", view.NotApplicable.Class()}
		if t.Waiting {
			v.Verdict.Word = "not judged yet"
		}
		v.Reason = safetext.Line(t.Reason, maxCellReason)
		return v
	}
	is := t.Latest.verdictOrVoid()
	v.Verdict, v.Value, v.Must, v.Page = viewOf(is), string(is), t.mustParts(), t.reportLink()
	v.Label = v.Verdict.Word + ": the report of " + safetext.Abbreviate(t.displayName(), 60)
	if is != report.Conformant {
		v.Reason = safetext.Line(t.Reason, maxCellReason)
	}
	past := []string{"since " + t.streakStartDate()}
	if t.Latest.Tries > 1 {
		past = append(past, fmt.Sprintf("held %s times", safetext.Thousands(t.Latest.Tries)))
	}
	switch newest := m.newestRound().ID; {
	case t.Waiting:
		past = append(past, "the newest round is still to come")
	case len(m.Rounds) > 0 && t.Latest.Round != newest:
		past = append(past, "last judged "+t.Latest.At.UTC().Format(time.DateOnly))
	}
	v.Past = strings.Join(past, ", ")
	return v
}
