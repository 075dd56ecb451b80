package reports

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/suites/judge"
)

//go:embed report.css
var css string

// cssBindings is for pages that compare bindings.
//
//go:embed bindings.css
var cssBindings string

//go:embed report.html.tmpl
var htmlText string

var htmlTemplate = template.Must(template.New("report").Parse(htmlText))

// HTML writes a report as one page that needs nothing else: no script, no
// picture, no font. Its policy lets the browser use the one style sheet in it
// and nothing more, should a text of the server ever escape its escaping.
func HTML(w io.Writer, r *judge.Report, t *wire.Transcript) error {
	if t == nil {
		t = &wire.Transcript{}
	}
	return htmlTemplate.Execute(w, newPage(canonical(r), t))
}

// page is what the template shows. Every text in it is bounded and visible
// already; the escaping is html/template's.
type page struct {
	CSS       template.CSS
	Policy    string
	Verdict   string
	Subject   string
	Protocol  string
	Offers    [][2]string // what else the server offers, and the flag for it
	Meaning   string
	Reason    string
	Tried     []string
	First     []string // what has to be known before the verdict is read
	Notices   []string
	Facts     []fact
	Columns   []kind
	Counts    []countRow
	Bindings  *bindingsView // nil where there is one
	Advice    []string
	Gate      []string
	Waivers   []waiverView
	Sections  []section
	Undecided []openView
	Open      int
	Findings  []findingView
	Areas     []areaView
	Exchanges []exchangeView
	Uncited   string // what of the transcript is not on the page
}

type fact struct {
	Name, Value string
	Code        bool
}

type countRow struct {
	Level string
	Cells []cell
	Total string
}

type cell struct {
	Kind kind
	N    int
}

// bindingsView is what the requirements came to in each of several bindings.
type bindingsView struct {
	Columns []kind
	Rows    []bindingRow
	Untried []string // what the cells mean that are not tried
}

type bindingRow struct {
	Who   string
	Cells []cell
}

type section struct {
	Title, ID, Intro string
	Items            []item
}

// item is one requirement on the page.
type item struct {
	ID, Level, Area, Section, Statement string
	Readings                            []string
	Cells                               []cellView // what it came to for each of several subjects
	Kind                                kind
	Reason, Remedy, Because             string
	Violations                          []violationView
	Findings                            []findingView
	More                                int
	Reproduce                           string // the script that repeats it, beside the page
	Follow                              []item // the failures of the same cause
}

type waiverView struct {
	ID, State, Text, Advice string
	Overdue                 bool
}

type violationView struct {
	Text  string // beyond the first, which is the reason
	Proof *proofView
}

type proofView struct {
	Exchange int
	Place    string // exchange 14, or a document of the operator's
	Linked   bool
	Step     string
	Event    int
	Pointer  string
	Excerpt  string
}

type findingView struct {
	ID, Text string
	Proof    *proofView
}

type openView struct {
	Remedy, Because, Reason string
	Items                   []item
}

type areaView struct {
	Name  string
	Tally []cell
	Items []item
}

func newPage(r *judge.Report, t *wire.Transcript) *page {
	b := &builder{report: r, steps: stepNames(t), shown: map[int]bool{}}
	xs, left := cited(r, t)
	for _, x := range xs {
		b.shown[x.ID] = true
	}
	css, bindings := css, newBindingsView(r)
	if bindings != nil {
		css += cssBindings
	}
	p := &page{
		CSS:      template.CSS(css),
		Policy:   policy(css),
		Bindings: bindings,
		Verdict:  line(string(r.Verdict), maxName),
		Subject:  subject(r.Target), Protocol: dialect(r.Target), Offers: offered(r.Target),
		Meaning: meaning(r),
		Reason:  shown(r.Reason, maxReason),
		First:   noted(r),
		Notices: notices(r),
		Facts:   facts(r),
		Open:    len(pick(r, inconclusive)),
	}
	for _, s := range r.Tried {
		p.Tried = append(p.Tried, line(s, maxReason))
	}
	for _, s := range r.Advice {
		p.Advice = append(p.Advice, line(s, maxReason))
	}
	p.Gate = Gate(r)
	for i := range r.Waivers {
		w := &r.Waivers[i]
		p.Waivers = append(p.Waivers, waiverView{line(w.ID, maxName), string(w.State), strings.TrimPrefix(waivedText(w), string(w.State)+", "), line(w.Advice, maxReason), w.Overdue()})
	}
	for _, c := range columns {
		p.Columns = append(p.Columns, c.kind)
	}
	for _, l := range levels {
		count := r.Summary[string(l)]
		row := countRow{Level: string(l), Total: thousands(count.Total())}
		for _, c := range columns {
			k := c.kind
			if k == fail {
				k = kindOf(&judge.Result{Level: l, Verdict: judge.Fail})
			}
			row.Cells = append(row.Cells, cell{k, c.of(count)})
		}
		p.Counts = append(p.Counts, row)
	}
	for _, s := range []struct {
		kind             kind
		title, id, intro string
	}{
		{suiteError, "Suite errors", "suite-errors", "The suite failed here, not the server. Please report it; until then the run proves nothing."},
		{fail, "Failures", "failures", "A MUST that the server breaks."},
	} {
		p.Sections = append(p.Sections, b.section(s.title, s.id, s.intro, s.kind))
	}
	for _, o := range undecided(r) {
		v := openView{Remedy: line(o.Remedy, maxExcerpt), Because: line(o.Because, maxName), Reason: line(o.Reason, maxReason)}
		for _, res := range o.Results {
			v.Items = append(v.Items, b.item(res))
		}
		p.Undecided = append(p.Undecided, v)
	}
	p.Sections = append(p.Sections,
		b.section("Warnings", "warnings", "A SHOULD that the server does not follow. It may have reasons.", warning),
		b.section("Notes", "notes", "A MAY that the server does otherwise.", note),
		b.section("Waived", "waived", "These fail, and the waiver file says why and until when.", waived))
	for i := range r.Results {
		p.Findings = append(p.Findings, b.findings(&r.Results[i])...)
	}
	for _, a := range areas(r) {
		p.Areas = append(p.Areas, b.area(a))
	}
	p.Exchanges = exchangeViews(r, xs, b.steps)
	if n := t.Spoken(); n > 0 {
		p.Uncited = fmt.Sprintf("%d of the run's %s are shown: those that a verdict rests on.", (&wire.Transcript{Exchanges: xs}).Spoken(), plural(n, "exchange"))
		if left > 0 {
			p.Uncited += fmt.Sprintf(" %s more would make this page too large.", plural(left, "cited exchange"))
		}
		p.Uncited += " Every byte of all of them is in " + TranscriptFile + "."
	}
	return p
}

func newBindingsView(r *judge.Report) *bindingsView {
	rows := byBinding(r)
	if len(rows) == 0 {
		return nil
	}
	v := &bindingsView{Columns: kindsIn(rows), Untried: untried(r, rows)}
	for _, row := range rows {
		shown := bindingRow{Who: row.Who}
		for _, k := range v.Columns {
			shown.Cells = append(shown.Cells, cell{k, row.Count[k]})
		}
		v.Rows = append(v.Rows, shown)
	}
	return v
}

// notices are what a reader must know before believing the verdict.
func notices(r *judge.Report) (out []string) {
	if r.Target.Kind == bundled {
		out = append(out, "The server that was judged is the one that comes with this program, not yours.")
	}
	if r.Target.Insecure {
		out = append(out, "Certificates were not verified: who answered is not proven.")
	}
	if r.Run.Selection != "full" {
		out = append(out, "Only a part of the catalogue was judged: "+line(r.Run.Selection, maxName))
	}
	if r.Run.Cut != "" {
		out = append(out, "The run ended early: "+line(r.Run.Cut, maxReason))
	}
	return append(out, declared(r)...)
}

// declared lists the operator's words on which a report rests.
func declared(r *judge.Report) (out []string) {
	for _, k := range slices.Sorted(maps.Keys(r.Target.Declares)) {
		if v := r.Target.Declares[k]; len(v) > 0 {
			out = append(out, line("The operator declares "+k+": "+strings.Join(v, ", "), maxReason))
		} else {
			out = append(out, line("The operator declares "+k, maxReason))
		}
	}
	return out
}

func facts(r *judge.Report) []fact {
	out := []fact{{"target", line(r.Target.URL, maxName), true}}
	add := func(name, value string, code bool) {
		if value != "" {
			out = append(out, fact{name, line(value, maxName), code})
		}
	}
	if r.Target.RPC != r.Target.URL {
		add("endpoint", r.Target.RPC, true)
	}
	add("agent", r.Target.Agent, false)
	add("protocol", dialect(r.Target), false)
	add("when", r.Run.StartedAt.Format("2 January 2006, 15:04:05 MST"), false)
	add("duration", took(r.Run.DurationMs), false)
	add("exchanges", thousands(r.Run.Exchanges), false)
	add("agent invocations", thousands(r.Run.AgentInvocations), false)
	add("spent waiting", strings.Join(waits(r.Run.Waited), ", "), false)
	add("gate", r.Run.Gate, false)
	add("tool", strings.TrimSpace(r.Tool.Name+" "+r.Tool.Version), false)
	add("catalogue version", catalogueVersion(r), false)
	add("catalogue", r.Tool.Catalogue, true)
	add("card", r.Target.Card, true)
	return out
}

// builder makes the views of results.
type builder struct {
	report *judge.Report
	steps  map[int]string
	shown  map[int]bool // exchanges that are on the page
}

func (b *builder) section(title, id, intro string, k kind) section {
	s := section{Title: title, ID: id, Intro: intro}
	follow := following(b.report)
	for _, r := range roots(b.report, k) {
		it := b.item(r)
		for _, f := range follow[r.ID] {
			it.Follow = append(it.Follow, b.item(f))
		}
		s.Items = append(s.Items, it)
	}
	return s
}

// cellView is what a requirement came to for one of several subjects.
type cellView struct {
	Who, Verdict string
	Kind         kind // "" where the page compares no bindings
}

func (b *builder) item(r *judge.Result) item {
	it := item{
		ID: line(r.ID, maxName), Level: line(string(r.Level), maxName), Kind: kindOf(r), Area: line(r.Area, maxName),
		Section: cite(r.Section), Statement: line(r.Statement, maxReason), Readings: lines(r.Readings), Reason: shown(r.Reason, maxReason),
		Remedy: line(r.Remedy, maxExcerpt), Because: line(r.Because, maxName), Findings: b.findings(r), Reproduce: scriptLink(r.Reproduce),
	}
	for _, s := range r.Subjects {
		cell := cellView{Who: who(s), Verdict: strings.ReplaceAll(line(string(s.Verdict), maxName), "-", " ")}
		if s.Binding != "" {
			cell.Kind = cellKind(r, s)
		}
		it.Cells = append(it.Cells, cell)
	}
	all, more := violations(r)
	it.More = more
	for i, v := range all {
		view := violationView{Proof: b.proof(v.Evidence)}
		if i > 0 {
			view.Text = line(v.Text, maxReason)
		}
		if view.Proof != nil || view.Text != "" {
			it.Violations = append(it.Violations, view)
		}
	}
	return it
}

func (b *builder) proof(e *judge.Evidence) *proofView {
	if e == nil || e.Exchange == 0 {
		return nil
	}
	return &proofView{Exchange: e.Exchange, Place: place(judge.Evidence{Exchange: e.Exchange, File: e.File}), Linked: b.shown[e.Exchange], Step: b.steps[e.Exchange], Event: e.Event,
		Pointer: line(e.Pointer, maxName), Excerpt: line(e.Excerpt, maxExcerpt)}
}

func (b *builder) findings(r *judge.Result) []findingView {
	var out []findingView
	for _, f := range r.Findings {
		out = append(out, findingView{line(r.ID, maxName), line(f.Text, maxReason), b.proof(f.Evidence)})
	}
	return out
}

func (b *builder) area(a areaResults) areaView {
	v := areaView{Name: line(a.Name, maxName)}
	n := map[kind]int{}
	for _, r := range a.Results {
		v.Items = append(v.Items, b.item(r))
		n[kindOf(r)]++
	}
	for _, k := range []kind{suiteError, fail, warning, note, inconclusive, waived, pass, notApplicable, vacuous} {
		if n[k] > 0 {
			v.Tally = append(v.Tally, cell{k, n[k]})
		}
	}
	return v
}

// Class is the kind as a CSS class.
func (k kind) Class() string { return strings.ReplaceAll(string(k), " ", "-") }

// stepNames maps an exchange to the steps it served, such as quick/send.
func stepNames(t *wire.Transcript) map[int]string {
	out := map[int]string{}
	for _, p := range t.Plays {
		for _, s := range p.Steps {
			if s.Exchange == nil {
				continue
			}
			name := p.Scenario + "/" + s.Name
			if p.Attempt > 1 {
				name += fmt.Sprintf(" (attempt %d)", p.Attempt)
			}
			if have := out[s.Exchange.ID]; have != "" && have != name {
				name = have + ", " + name
			}
			out[s.Exchange.ID] = line(name, maxName)
		}
	}
	return out
}

// How many exchanges are on the page: those that something other than a pass
// rests on, and those that only passes cite.
const (
	maxWeighty = 300
	maxPassing = 100
)

// cited returns the exchanges that results cite, in order, and how many more
// are cited and left out.
func cited(r *judge.Report, t *wire.Transcript) (out []*wire.Exchange, left int) {
	const passing, weighty = 1, 2
	weight := map[int]int{}
	for i := range r.Results {
		res := &r.Results[i]
		own := weighty
		if k := kindOf(res); k == pass || k == notApplicable || k == vacuous {
			own = passing
		}
		for _, e := range res.Evidence {
			weight[e.Exchange] = max(weight[e.Exchange], own)
		}
		for _, f := range res.Findings {
			if f.Evidence != nil {
				weight[f.Evidence.Exchange] = weighty
			}
		}
	}
	room := map[int]int{passing: maxPassing, weighty: maxWeighty}
	for _, x := range t.Exchanges {
		w := weight[x.ID]
		switch {
		case w == 0:
		case room[w] > 0:
			room[w]--
			out = append(out, x)
		default:
			left++
		}
	}
	return out, left
}

// span says how long something took, with a unit that fits.
func span(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
