package html

import (
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

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

// builder makes the views of results.
type builder struct {
	most       pageLimits
	report     *report.Report
	summarizer *summarizer
	steps      map[int]string
	exchanges  map[int]*record.Exchange
	said       map[*record.Exchange][]record.Said // what a client reported near each
	cited      []*record.Exchange                 // that are on the page
	shown      map[int]bool
	weighty    map[int]bool // those on which a failure rests
	blamed     map[failurePlace]bool
	carded     map[string]bool // requirements with a card
	who        []string        // the subjects, if there are several
	followers  []follower
	panesMade  int
	paneBytes  int
}

func newBuilder(r *report.Report, t *record.Transcript, xs []*record.Exchange, most pageLimits) *builder {
	b := &builder{most: most, report: r, cited: xs, summarizer: newSummarizer(r, t), steps: stepNames(t), exchanges: map[int]*record.Exchange{}, said: indexSaid(t),
		shown: map[int]bool{}, weighty: map[int]bool{}, carded: map[string]bool{}}
	b.blamed = b.failedStates()
	for _, x := range t.Exchanges {
		b.exchanges[x.ID] = x
	}
	for _, x := range xs {
		b.shown[x.ID] = true
	}
	for _, res := range view.ResultsOfKind(r, view.Fail) {
		for _, e := range res.Evidence {
			b.weighty[e.Exchange] = true
		}
	}
	return b
}

func (b *builder) buildProof(e *report.Evidence) *proofView {
	if e == nil || e.Exchange == 0 {
		return nil
	}
	return &proofView{Exchange: e.Exchange, Place: view.DescribePlace(report.Evidence{Exchange: e.Exchange, File: e.File, Said: e.Said}), Linked: b.shown[e.Exchange], Step: firstStep(b.steps[e.Exchange]), Event: e.Event,
		Pointer: safetext.Line(e.Pointer, safetext.MaxName), Excerpt: safetext.Line(e.Excerpt, safetext.MaxExcerpt)}
}

// firstStep is one of the steps that an exchange served: the conversation in which it was made.
func firstStep(names string) string {
	first, _, _ := strings.Cut(names, ", ")
	return first
}

// hasRequirement reports whether a requirement is on the page, so that nothing links to one that is not.
func (b *builder) hasRequirement(id string) bool {
	return slices.ContainsFunc(b.report.Results, func(r report.Result) bool { return r.ID == id })
}

// listSubjects returns the agents and bindings that were judged, if there are several.
func (b *builder) listSubjects() []string {
	if b.who == nil {
		b.who = []string{}
		for i := range b.report.Results {
			for _, s := range b.report.Results[i].Subjects {
				if name := view.SubjectLabel(s); !slices.Contains(b.who, name) {
					b.who = append(b.who, name)
				}
			}
		}
	}
	return b.who
}

// maxSubjects bounds the agents and bindings that have a chip.
const maxSubjects = 24

// failurePlace is a place on which a failure rests.
type failurePlace struct{ exchange, event int }

// failedStates are the places of states on which failures rest.
func (b *builder) failedStates() map[failurePlace]bool {
	out := map[failurePlace]bool{}
	if b.summarizer.dialect == nil {
		return out
	}
	for i := range b.report.Results {
		r := &b.report.Results[i]
		if r.Verdict != report.Fail {
			continue
		}
		for _, e := range r.Evidence {
			if endsInState(e.Pointer) {
				out[failurePlace{e.Exchange, e.Event}] = true
			}
		}
	}
	return out
}

func endsInState(pointer string) bool {
	return len(pointer) > 6 && pointer[len(pointer)-6:] == "/state"
}
