package reports

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

	"github.com/a2a-conform/a2a-conform/suites/report"
)

// FleetFile is the page of a fleet's site.
const FleetFile = IndexFile

// fleetCSS is what the page has beside the style of all pages.
//
//go:embed fleet.css
var fleetCSS string

// WriteFleet writes the page and the summary of a fleet into dir, which is made if need be.
func WriteFleet(dir string, f Fleet) error {
	if err := makeDir(dir); err != nil {
		return err
	}
	return writeFiles(dir,
		file{FleetFile, func(w io.Writer) error { return FleetPage(w, f) }},
		file{MarkdownFile, func(w io.Writer) error { return FleetMarkdown(w, f) }},
	)
}

//go:embed fleet.html.tmpl
var fleetFiles embed.FS

// fleetTemplate parses the templates when the first page is made.
var fleetTemplate = sync.OnceValue(func() *template.Template { return ParseTemplates(fleetFiles, nil) })

// fleetPage is what the template shows; every text in it is bounded and visible.
type fleetPage struct {
	CSS      template.CSS
	Script   template.JS
	Policy   string
	Title    string
	Tally    string
	Live     bool
	Unshown  string
	Notes    []string // about what cannot be read
	Bar      stack
	Newest   *roundView
	Waiting  string
	Rounds   []roundView // those before the newest, the latest first
	Turned   string
	Changes  []turnedView // in sight at once
	Folded   []turnedView
	Unlisted int
	Chips    chips
	States   []chip
	Columns  []fleetColumn
	Agents   []fleetRow
	All      string // how many agents there are
	Hidden   string // which of them have no row
	Legend   []verdictMeant
}

type roundView struct {
	Name, Says string
}

type turnedView struct {
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

type fleetColumn struct{ Title, Tally string }

// fleetRow is an agent; Verdicts and States are what it can be narrowed by.
type fleetRow struct {
	Name, URL, Agent string
	Verdicts, States string
	Cells            [][]targetView // by column
}

type targetView struct {
	ID, Dialect, Page, Label string
	Column                   int
	Verdict                  verdictView
	Value                    string // what the script compares
	Must                     []share
	Reason, Past             string
	Strip                    strip
}

// strip is a history as a row of squares, one for each round.
type strip struct {
	Width int
	Words string
	Runs  []squares
	Marks string // a path with a line below each round that changed
}

// squares are the rounds of one verdict, as a path along their middle: the style sheet draws
// its dashes as squares.
type squares struct{ Class, D string }

// unjudged is the class of what has no verdict yet.
const unjudged = "unjudged"

// The measures of a strip, in pixels.
const (
	stripPitch = 8
	stripSide  = 7
	stripMark  = 10 // where the line of a change is
)

// waitingValue and changedValue are what the script knows the states of a target by.
const (
	waitingValue = "waiting"
	changedValue = "changed"
)

// FleetPage writes a page over all agents of a fleet: their verdicts, what changed since the
// round before, and the history of each. Like a report it needs nothing else.
func FleetPage(w io.Writer, f Fleet) error {
	m := newFleet(f)
	p := fleetPage{
		CSS: template.CSS(css + fleetCSS), Script: template.JS(pageScript), Policy: policyWith(css+fleetCSS, pageScript),
		Title: m.headline(), Tally: m.tally(), Live: f.Live, Unshown: line(f.Unshown, maxReason), Bar: m.bar(),
		Turned: m.changed(), Chips: m.chips(), Unlisted: max(0, len(m.changes)-maxTurned),
	}
	for i, note := range f.Unreadable {
		if i == maxListed {
			p.Notes = append(p.Notes, fmt.Sprintf("%s more values of the broker are unreadable.", thousands(len(f.Unreadable)-i)))
			break
		}
		p.Notes = append(p.Notes, line(note, maxReason))
	}
	for _, r := range slices.Backward(f.Rounds[max(0, len(f.Rounds)-maxRounds):]) {
		p.Rounds = append(p.Rounds, roundView{r.name(), r.says()})
	}
	if len(p.Rounds) > 0 {
		p.Newest, p.Rounds = &p.Rounds[0], p.Rounds[1:]
	}
	if m.waiting > 0 {
		p.Waiting = fmt.Sprintf("%s still to come in this round; what is shown of them is older.", are2(m.waiting, "target is", "targets are"))
	}
	turned := map[*FleetTarget]bool{}
	for _, c := range m.changes {
		turned[c.target] = true
	}
	agents, ids := m.shown(turned), m.anchors()
	reached := map[*FleetTarget]bool{}
	for _, a := range agents {
		for _, t := range slices.Concat(a.cells...) {
			reached[t] = true
		}
		p.Agents = append(p.Agents, m.row(a, ids, turned))
	}
	p.All = thousands(len(m.agents))
	if n := len(m.agents) - len(agents); n > 0 {
		p.Hidden = fmt.Sprintf("%s of %s have no row, as the page would be too large: those that are conformant and as before are left out first.", thousands(n), plural(len(m.agents), "agent"))
	}
	for i, c := range m.changes {
		v := turnedView{Name: c.target.called(), Dialect: c.target.dialect(), Says: c.Says(), Was: viewOf(c.was), Is: viewOf(c.is), Worse: c.rank() < 2}
		if reached[c.target] {
			v.To = ids[c.target]
		}
		switch {
		case i < maxTurnedOpen:
			p.Changes = append(p.Changes, v)
		case i < maxTurned:
			p.Folded = append(p.Folded, v)
		}
	}
	p.States = m.states()
	for i, d := range m.dialects {
		p.Columns = append(p.Columns, fleetColumn{d, m.columnTally(i)})
	}
	for _, v := range slices.Backward(gravest) {
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

func viewOf(v report.RunVerdict) verdictView { return verdictView{string(v), verdictKind(v).Class()} }

// drawn is the class of a verdict where it is a colour without a word: that no server was there
// is another red than that it breaks something.
func drawn(v report.RunVerdict) string {
	if v == report.Unreachable {
		return string(v)
	}
	return verdictKind(v).Class()
}

// bar is what the targets came to.
func (m *fleet) bar() stack {
	s := stack{Name: "all", Total: len(m.Targets)}
	for _, v := range slices.Backward(gravest) {
		if n := m.verdicts[v]; n > 0 {
			s.Parts = append(s.Parts, share{Name: string(v), Class: drawn(v), N: n})
		}
	}
	if n := len(m.Targets) - m.judged; n > 0 {
		s.Parts = append(s.Parts, share{Name: "not judged yet", Class: unjudged, N: n})
	}
	s.lay()
	s.Words = plural(s.Total, "target") + ": " + m.tally()
	return s
}

// chips are what the agents can be narrowed by: verdicts, and dialects where there are several.
func (m *fleet) chips() (out chips) {
	for _, v := range gravest {
		if n := m.verdicts[v]; n > 0 {
			out.Kinds = append(out.Kinds, chip{string(v), string(v), verdictKind(v).Class(), n})
		}
	}
	for i, d := range m.dialects {
		n := 0
		for _, a := range m.agents {
			n += len(a.cells[i])
		}
		if len(m.dialects) > 1 {
			out.Subjects = append(out.Subjects, chip{d, strconv.Itoa(i), "", n})
		}
	}
	return out
}

// states are chips of what the newest round is to the targets.
func (m *fleet) states() (out []chip) {
	if n := len(m.changes); n > 0 {
		out = append(out, chip{"changed", changedValue, "", n})
	}
	if m.waiting > 0 {
		out = append(out, chip{"still to come", waitingValue, "", m.waiting})
	}
	return out
}

func (m *fleet) columnTally(at int) string {
	n := map[report.RunVerdict]int{}
	for _, a := range m.agents {
		for _, t := range a.cells[at] {
			if t.judged() {
				n[t.Latest.verdict()]++
			}
		}
	}
	return talliedVerdicts(n)
}

// anchors are the places of the targets on the page, each another.
func (m *fleet) anchors() map[*FleetTarget]string {
	out, taken := map[*FleetTarget]string{}, map[string]bool{}
	for i := range m.Targets {
		t := &m.Targets[i]
		id := t.anchor(i)
		if taken[id] {
			id = (&FleetTarget{}).anchor(i)
		}
		out[t], taken[id] = id, true
	}
	return out
}

func (m *fleet) row(a *fleetAgent, ids map[*FleetTarget]string, turned map[*FleetTarget]bool) fleetRow {
	row := fleetRow{Name: line(a.name, maxName), URL: line(a.url, maxName)}
	var verdicts, states []string
	add := func(to *[]string, s string) {
		if !slices.Contains(*to, s) {
			*to = append(*to, s)
		}
	}
	for i, of := range a.cells {
		var cell []targetView
		for _, t := range of {
			v := m.view(t)
			v.ID, v.Column = ids[t], i
			if len(m.dialects) == 1 {
				v.Dialect = ""
			}
			if row.Agent == "" {
				row.Agent = line(t.Agent, maxName)
			}
			if v.Value != "" {
				add(&verdicts, v.Value)
			}
			if t.Waiting {
				add(&states, waitingValue)
			}
			if turned[t] {
				add(&states, changedValue)
			}
			cell = append(cell, v)
		}
		row.Cells = append(row.Cells, cell)
	}
	// The first of its names is what a row is called; none stands there twice.
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

func (m *fleet) view(t *FleetTarget) targetView {
	v := targetView{Dialect: t.dialect(), Strip: m.strip(t)}
	if !t.judged() {
		v.Verdict = verdictView{"no result", notApplicable.Class()}
		if t.Waiting {
			v.Verdict.Word = "not judged yet"
		}
		v.Reason = line(t.Reason, maxFleetSays)
		return v
	}
	is := t.Latest.verdict()
	v.Verdict, v.Value, v.Must, v.Page = viewOf(is), string(is), t.musts(), t.link()
	v.Label = v.Verdict.Word + ": the report of " + short(t.called(), 60)
	if is != report.Conformant {
		v.Reason = line(t.Reason, maxFleetSays)
	}
	past := []string{"since " + t.since()}
	if t.Latest.Tries > 1 {
		past = append(past, fmt.Sprintf("held %s times", thousands(t.Latest.Tries)))
	}
	switch newest := m.newest().ID; {
	case t.Waiting:
		past = append(past, "the newest round is still to come")
	case len(m.Rounds) > 0 && t.Latest.Round != newest:
		past = append(past, "last judged "+t.Latest.At.UTC().Format(time.DateOnly))
	}
	v.Past = strings.Join(past, ", ")
	return v
}

// strip draws a history. Where all its rounds are those of the page, the squares of one round
// stand below each other in all rows; or else the latest ones do.
func (m *fleet) strip(t *FleetTarget) strip {
	history := t.History[max(0, len(t.History)-maxRounds):]
	n := max(len(m.columns), len(history))
	if t.Waiting && len(m.columns) == 0 {
		n++
	}
	s := strip{Width: n * stripPitch, Words: t.trend()}
	if n == 0 {
		return s
	}
	at := make([]int, len(history))
	aligned := true
	for i, p := range history {
		at[i] = slices.Index(m.columns, p.Round)
		aligned = aligned && at[i] >= 0 && (i == 0 || at[i] > at[i-1])
	}
	if !aligned {
		for i := range at {
			at[i] = n - len(history) + i
		}
	}
	waits := t.Waiting && (len(at) == 0 || at[len(at)-1] < n-1)
	for i := 0; i < len(history); {
		to := i + 1
		for to < len(history) && at[to] == at[to-1]+1 && history[to].verdict() == history[i].verdict() {
			to++
		}
		s.draw(drawn(history[i].verdict()), at[i], to-i)
		i = to
	}
	if waits {
		s.draw(unjudged, n-1, 1)
	}
	for i, p := range history {
		if p.Changed && i > 0 {
			s.Marks += fmt.Sprintf("M%d %dh%d", at[i]*stripPitch, stripMark, stripSide)
		}
	}
	return s
}

// draw adds some rounds of one verdict.
func (s *strip) draw(class string, at, rounds int) {
	d := fmt.Sprintf("M%d 4h%d", at*stripPitch, rounds*stripPitch-(stripPitch-stripSide))
	for i := range s.Runs {
		if s.Runs[i].Class == class {
			s.Runs[i].D += d
			return
		}
	}
	s.Runs = append(s.Runs, squares{class, d})
}
