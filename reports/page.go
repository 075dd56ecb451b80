package reports

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// page is what the template shows. Every text in it is bounded and visible
// already; the escaping is html/template's.
type page struct {
	CSS       template.CSS
	Script    template.JS
	Policy    string
	Verdict   string // the word of report.json
	Headline  string // the verdict for people
	Subject   string
	Protocol  string
	Offers    [][2]string // what else the server offers, and the flag for it
	Meaning   string
	Reason    string
	Tried     []string
	First     []string // what has to be known before the verdict is read
	Notices   []string
	Facts     []fact
	Bars      []stack
	Causes    []cause
	Further   int // causes beyond those
	Decide    []decision
	Undone    int // ways to decide more beyond those
	Columns   []kind
	Counts    []countRow
	Bindings  *bindingsView // nil where there is one
	Gate      []string
	Waivers   []waiverView
	Sections  []section
	Undecided []openView
	Open      int
	Advice    []advised
	Findings  []findingView
	Chips     chips
	Areas     []areaView
	Total     int
	Talks     conversations
	Uncited   string // what of the transcript is not on the page
	LeftOut   string // what a brief page lacks; "" where it is whole
	Legend    []meant
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
	Items            []card
	Rest             []cause // those without a card
	Total            int
}

type waiverView struct {
	ID, State, Text, Advice string
	Overdue                 bool
	Known                   bool // the requirement is on the page
}

type proofView struct {
	Exchange int
	Place    string // exchange 14, or a document of the operator's
	Linked   bool
	Step     string
	Event    int
	Pointer  string
	Excerpt  string
	Says     string
}

type findingView struct {
	ID, Text string
	Proof    *proofView
}

// builder makes the views of results.
type builder struct {
	most      amount
	report    *report.Report
	reader    *reader
	steps     map[int]string
	exchanges map[int]*record.Exchange
	cited     []*record.Exchange // that are on the page
	shown     map[int]bool
	weighty   map[int]bool // those on which a failure rests
	blamed    map[blame]bool
	carded    map[string]bool // requirements with a card
	who       []string        // the subjects, where there are several
	panesMade int
	paneBytes int
}

func newBuilder(r *report.Report, t *record.Transcript, xs []*record.Exchange, most amount) *builder {
	b := &builder{most: most, report: r, cited: xs, reader: newReader(r, t), steps: stepNames(t), exchanges: map[int]*record.Exchange{},
		shown: map[int]bool{}, weighty: map[int]bool{}, carded: map[string]bool{}}
	b.blamed = b.blames()
	for _, x := range t.Exchanges {
		b.exchanges[x.ID] = x
	}
	for _, x := range xs {
		b.shown[x.ID] = true
	}
	for _, res := range pick(r, fail) {
		for _, e := range res.Evidence {
			b.weighty[e.Exchange] = true
		}
	}
	return b
}

// newPage is the page without the bytes of exchanges, and who adds them.
func newPage(r *report.Report, t *record.Transcript, most amount) (*page, *builder) {
	var xs []*record.Exchange // none of which a brief page has
	left := 0
	if !most.brief {
		xs, left = cited(r, t)
	}
	b := newBuilder(r, t, xs, most)
	bindings := newBindingsView(r)
	p := &page{
		CSS: template.CSS(css), Script: template.JS(pageScript), Policy: policyWith(css, pageScript),
		Bindings: bindings,
		Verdict:  line(string(r.Verdict), maxName),
		Headline: line(verdictHeadline(r.Verdict), maxName),
		Subject:  subject(r.Target), Protocol: dialect(r.Target), Offers: offered(r.Target),
		Meaning: meaning(r),
		Reason:  shown(r.Reason, most.reason),
		First:   noted(r),
		Notices: notices(r),
		Facts:   facts(r),
		Bars:    stacks(r),
		Legend:  legend(r, bindings != nil),
		Open:    len(pick(r, inconclusive)),
		Gate:    Gate(r),
		Total:   len(r.Results),
	}
	p.Causes, p.Further = firstCauses(r)
	p.Decide, p.Undone = decisions(r)
	p.Tried = lines(tried(r))
	for i := range atMost(r.Waivers, most.listed) {
		w := &r.Waivers[i]
		p.Waivers = append(p.Waivers, waiverView{line(w.ID, maxName), stateWord(w.State), strings.TrimPrefix(waivedText(w), stateWord(w.State)+", "), line(w.Advice, maxReason), w.Overdue(), b.has(w.ID)})
	}
	p.countLevels(r)
	p.Sections = b.sections()
	for _, o := range atMost(undecided(r), most.listed) {
		p.Undecided = append(p.Undecided, b.undecided(o))
	}
	for _, a := range atMost(advice(r), most.listed) {
		p.Advice = append(p.Advice, advise(a))
	}
	for i := range r.Results {
		p.Findings = append(p.Findings, b.findings(&r.Results[i])...)
	}
	p.Findings = atMost(p.Findings, most.listed)
	for i, a := range areas(r) {
		p.Areas = append(p.Areas, b.area(i, a))
	}
	p.Chips = b.chips()
	if most.brief {
		if p.LeftOut = leftOutOfBrief; most.rowReason == 0 {
			p.LeftOut += noReasons
		}
		return p, b
	}
	p.Talks = b.lanes(t)
	p.Uncited = uncited(t, xs, left)
	return p, b
}

// sections are the cards of what is not kept, by what it is called.
func (b *builder) sections() (out []section) {
	for _, s := range []struct {
		title, id, intro string
		kind             kind
	}{
		{"Suite errors", "suite-errors", "a2a-conform failed here, not the server. Please report it; until it is fixed, the run proves nothing.", suiteError},
		{"Failures", "failures", "MUST requirements that the server breaks, by cause: failures with the same cause stand below the first of them.", fail},
		{"Warnings", "warnings", "SHOULD requirements that the server does not follow. There may be good reasons.", warning},
		{"Notes", "notes", "MAY requirements where the server does something else.", note},
		{"Waived", "waived", "These fail; the waiver file says why that is tolerated and until when.", waived},
	} {
		out = append(out, b.section(s.title, s.id, s.intro, s.kind))
	}
	return out
}

func (p *page) countLevels(r *report.Report) {
	for _, c := range columns {
		p.Columns = append(p.Columns, c.kind)
	}
	for _, l := range levels {
		count := r.Summary[string(l)]
		row := countRow{Level: string(l), Total: thousands(count.Total())}
		for _, c := range columns {
			k := c.kind
			if k == fail {
				k = kindOf(&report.Result{Level: l, Verdict: report.Fail})
			}
			row.Cells = append(row.Cells, cell{k, c.of(count)})
		}
		p.Counts = append(p.Counts, row)
	}
}

func uncited(t *record.Transcript, xs []*record.Exchange, left int) string {
	n := t.Spoken()
	if n == 0 {
		return ""
	}
	s := fmt.Sprintf("This page shows the bytes of %d of the run's %s: those that are evidence for a verdict.", (&record.Transcript{Exchanges: xs}).Spoken(), plural(n, "exchange"))
	if left > 0 {
		s += fmt.Sprintf(" %s more would make this page too large.", plural(left, "cited exchange"))
	}
	return s + " All bytes of all exchanges are in " + TranscriptFile + "."
}

func (b *builder) proof(e *report.Evidence) *proofView {
	if e == nil || e.Exchange == 0 {
		return nil
	}
	return &proofView{Exchange: e.Exchange, Place: place(report.Evidence{Exchange: e.Exchange, File: e.File}), Linked: b.shown[e.Exchange], Step: firstStep(b.steps[e.Exchange]), Event: e.Event,
		Pointer: line(e.Pointer, maxName), Excerpt: line(e.Excerpt, maxExcerpt)}
}

// firstStep is one of the steps that an exchange served: the conversation in which it was made.
func firstStep(names string) string {
	first, _, _ := strings.Cut(names, ", ")
	return first
}

func (b *builder) findings(r *report.Result) []findingView {
	var out []findingView
	for _, f := range r.Findings {
		out = append(out, findingView{line(r.ID, maxName), line(f.Text, b.most.reason), b.proof(f.Evidence)})
	}
	return out
}

// has reports whether a requirement is on the page, so that nothing links to one that is not.
func (b *builder) has(id string) bool {
	return slices.ContainsFunc(b.report.Results, func(r report.Result) bool { return r.ID == id })
}
