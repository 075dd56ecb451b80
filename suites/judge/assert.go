package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/suites/report"
	"github.com/onsi/gomega/types"
)

// Expecter is what a matcher of the protocol can state besides yes and no: what the
// server did, as a phrase that follows "the server", and what the source asks
// for, as a phrase that follows "expected".
type Expecter interface {
	types.GomegaMatcher
	Got(actual any) string
	Wants() string
}

// Doubter is a matcher that may be unable to decide about a value which it is not
// satisfied by: the value may be the one that is asked for, and does not say so. Doubt is
// the reason, or empty. Then the requirement is undecided, and not broken.
type Doubter interface{ Doubt(actual any) string }

// HeadMatcher is a matcher that may be about the head of a response and not about
// its body: the field it is about, if a single one, and whether it is.
type HeadMatcher interface {
	Field() (name string, ofHead bool)
}

// Assertion is an expectation about a value.
type Assertion struct {
	t            *T
	actual       any
	about        Value
	comparedWith []Value
	note         string
	independent  bool
}

// Expect begins an expectation about a value; touching it is the evidence.
func (t *T) Expect(v Value) *Assertion {
	v.t = t
	return t.ExpectOf(v, v)
}

// ExpectOf begins an expectation about something computed from about.
func (t *T) ExpectOf(actual any, about Value) *Assertion {
	return &Assertion{t: t, actual: actual, about: t.citeAsRead(about)}
}

// citeAsRead returns the value as one of this check, which has looked at it and cites it.
func (t *T) citeAsRead(v Value) Value {
	v.t = t
	v.trackRead(false)
	t.citeEvidence(v)
	return v
}

// Because adds to the failure text what the expectation rests on.
func (a *Assertion) Because(format string, args ...any) *Assertion {
	a.note = fmt.Sprintf(format, args...)
	return a
}

// ComparedWith names what the value has to go with, if two places may contradict
// each other.
func (a *Assertion) ComparedWith(other Value) *Assertion {
	a.comparedWith = append(a.comparedWith, other)
	if v, is := a.actual.(Value); is { // whose text shows their first difference
		v.comparedWith = append(v.comparedWith, other)
		a.actual = v
	}
	return a
}

// KeepDependentsJudged has a violation take nothing from what rests on the requirement: what was
// sent can be read all the same.
func (a *Assertion) KeepDependentsJudged(keep bool) *Assertion {
	a.independent = keep
	return a
}

// To fails the requirement unless the matcher is satisfied.
func (a *Assertion) To(m types.GomegaMatcher) { a.applyMatcher(m, true) }

// NotTo fails the requirement if the matcher is satisfied.
func (a *Assertion) NotTo(m types.GomegaMatcher) { a.applyMatcher(m, false) }

func (a *Assertion) applyMatcher(m types.GomegaMatcher, want bool) {
	a.t.expected++
	ok, err := m.Match(a.actual)
	if err != nil {
		panic(fmt.Errorf("a matcher could not be applied: %w", err))
	}
	if ok == want {
		return
	}
	if d, is := m.(Doubter); is && want {
		if doubt := d.Doubt(a.actual); doubt != "" {
			a.t.StopUndecided("%s", doubt)
		}
	}
	if h, is := m.(HeadMatcher); is {
		a.about = a.about.markAsHeadOrHeader(h.Field())
	}
	var got, wants string
	if e, is := m.(Expecter); is {
		got, wants = e.Got(a.actual), e.Wants()
	} else {
		got, wants = fmt.Sprintf("sent %v", a.actual), plainWish(m, a.actual)
	}
	if !want {
		wants = insteadOf(m, wants)
	}
	a.t.independent = a.independent
	defer func() { a.t.independent = false }()
	a.t.recordViolationAndStop(a.about, a.comparedWith, a.t.explainFailure(a.about, a.comparedWith, got, wants, a.note))
}

// insteadOf returns what is asked for if a matcher must not be satisfied.
func insteadOf(m types.GomegaMatcher, unwanted string) string {
	if i, is := m.(interface{ Instead() string }); is {
		return i.Instead()
	}
	return "anything but " + unwanted
}

// plainWish returns what a matcher that knows nothing of the protocol asks for, in one
// line.
func plainWish(m types.GomegaMatcher, actual any) string {
	var out []string
	for line := range strings.Lines(m.FailureMessage(actual)) {
		line = strings.TrimSpace(line)
		if kind, rest, ok := strings.Cut(line, ">: "); ok && strings.HasPrefix(kind, "<") {
			line = rest // without the name of the type in Go
		}
		if len(out) > 0 || strings.HasPrefix(line, "to ") || strings.HasPrefix(line, "not to ") {
			out = append(out, line)
		}
	}
	if len(out) == 0 {
		return "something else"
	}
	return "it " + shorten.Visible(strings.Join(out, " "), 100)
}

// Fail fails the requirement with a text of the check's own; got and wants are
// the phrases of an Expecter, and against is what the value contradicts.
func (t *T) Fail(v Value, got, wants string, against ...Value) {
	t.expected++
	v = t.citeAsRead(v)
	t.recordViolationAndStop(v, against, t.explainFailure(v, against, got, wants, ""))
}

// OK records that something was evaluated and found right, for rules that no
// matcher expresses; the value is the evidence.
func (t *T) OK(v Value) {
	t.expected++
	t.citeAsRead(v)
}

// AllOK records that everything of a kind was found right. Without any of the
// kind the requirement is vacuous.
func (t *T) AllOK(all []Value) {
	if len(all) == 0 && t.expected == 0 {
		t.vacuous = "the run saw nothing that it is about"
	}
	if t.Case.Track {
		t.result.reads = slices.Grow(t.result.reads, len(all))
	}
	for _, v := range all {
		t.OK(v)
	}
}

func (t *T) recordViolationAndStop(v Value, against []Value, w report.Why) {
	if t.Requirement.Tolerant() { // whichever way is taken, it is never a failure
		t.Finding(v, "%s; expected %s", w.Came(), w.Due)
		if t.Requirement.Permission {
			t.StopUnused("%s", w.Came())
		}
		panic(stopFailed{})
	}
	t.StopAsStored(v)
	t.stopIfCut(v)
	t.stopIfMissing(v)
	t.failures++
	r := t.result
	switch {
	case v.doc == nil:
	case t.failures <= mostGrouped:
		r.Broken = append(r.Broken, v.asBreach(against, t.dueErrors(v)))
	case t.failures <= mostKept:
		r.Rest = append(r.Rest, v.asBreach(nil, nil))
	}
	r.Independent = (r.Independent || t.failures == 1) && t.independent
	if v.doc != nil && !t.independent {
		if r.Failed == nil {
			r.Failed = map[*record.Exchange]bool{}
		}
		r.Failed[v.doc.Exchange] = true
	}
	if r.Verdict != report.Fail {
		r.Verdict, r.Reason = report.Fail, w.Text()
		r.Evidence, r.Why = []report.Evidence{v.Evidence()}, []report.Why{w}
	} else if t.failures <= maxViolations {
		r.Others = append(r.Others, w.Text())
		r.Evidence, r.Why = append(r.Evidence, v.Evidence()), append(r.Why, w)
	} else {
		r.More++
	}
	panic(stopFailed{})
}

// stopIfCut ends the check undecided if a violation is that a body cannot be read, and only a part
// of that body is recorded: the rest may have been as it should.
func (t *T) stopIfCut(v Value) {
	if v.doc == nil || v.doc.Exchange == nil || v.head || v.doc.Line != nil {
		return
	}
	x := v.doc.Exchange
	body := &x.Response
	if x.Dir == record.In {
		body = &x.Request
	}
	if x.Ended == record.Limit && (v.doc.Root == nil || body.Framing.Cut != "" && !x.IsStream()) {
		t.StopUndecided("the body of exchange %d is recorded only in part: %s", x.ID, x.Trouble)
	}
}

// stopIfMissing ends the check undecided if a violation is about something that the recording of others may lack.
func (t *T) stopIfMissing(v Value) {
	if v.doc == nil || v.doc.Exchange == nil || v.doc.Exchange.Gaps == nil || v.doc.Line != nil {
		return
	}
	x := v.doc.Exchange
	body := x.Gaps.Response
	if x.Dir == record.In {
		body = x.Gaps.Request
	}
	switch {
	case v.head && x.Gaps.Fields:
		t.StopUndecided("header fields of exchange %d may be missing in the recording, or masked", x.ID)
	case !v.head && body:
		t.StopUndecided("the body of exchange %d is not recorded in full", x.ID)
	}
}

// citeEvidence keeps the first pieces of evidence of a requirement that holds.
func (t *T) citeEvidence(v Value) {
	const kept = 5
	if v.doc != nil && t.collecting > 0 {
		t.itemEvidence = append(t.itemEvidence, v.doc.Exchange)
	}
	if t.result.Verdict == report.Fail || len(t.result.Evidence) >= kept || v.doc == nil || v.doc.Exchange == nil {
		return
	}
	e := v.Evidence()
	if !slices.ContainsFunc(t.result.Evidence, func(o report.Evidence) bool {
		return o.Exchange == e.Exchange && o.Event == e.Event && o.Said == e.Said && o.Pointer == e.Pointer
	}) {
		t.result.Evidence = append(t.result.Evidence, e)
	}
}

// Finding notes something tolerated but worth knowing.
func (t *T) Finding(v Value, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(t.result.Findings) >= maxViolations || slices.ContainsFunc(t.result.Findings, func(f report.Finding) bool { return f.Text == text }) {
		return
	}
	e := v.Evidence()
	t.result.Findings = append(t.result.Findings, report.Finding{Text: text, Evidence: &e})
}

// Tolerate notes a finding about something that departs from what is usual without being a
// breach, and records it as evaluated, with the value as evidence.
func (t *T) Tolerate(v Value, format string, args ...any) {
	t.Finding(v, format, args...)
	t.OK(v)
}

// dueErrors returns the errors that the requirement asks for, if it is about a refusal; nil if
// it is not, or asks for anything but these errors.
func (t *T) dueErrors(v Value) []string {
	all, is := t.Requirement.With["codes"].([]any)
	if asks, _ := t.Requirement.With["refused"].(bool); !is && !asks && !strings.HasSuffix(t.Requirement.Check, "/refused") {
		return nil
	}
	out := TextsIn(all)
	if len(out) > 0 && v.doc.Answer.Refuses(out...) {
		return nil
	}
	return out
}

// What all dialects share is about exchanges as such, and not about what a dialect reads in them.

// Recorded returns the whole transcript of the run, with the calls that are kept from other checks
// because they were made only to be compared.
func (t *T) Recorded() *record.Transcript { return t.Case.Recorded }

// Cite notes that the verdict rests on an exchange as a whole.
func (t *T) Cite(x *record.Exchange) {
	t.expected++
	t.result.Evidence = append(t.result.Evidence, report.Evidence{Exchange: x.ID})
}

// Remark notes something about an exchange that is tolerated but worth knowing.
func (t *T) Remark(x *record.Exchange, format string, args ...any) {
	t.result.Findings = append(t.result.Findings, report.Finding{Text: fmt.Sprintf(format, args...), Evidence: &report.Evidence{Exchange: x.ID}})
}

// Each runs judge on every item and collects every violation. An item that cannot
// be decided keeps none of the others from being judged, and leaves the requirement
// undecided if nothing is broken. Without an item the requirement is vacuous.
func Each[V any](t *T, items []V, judge func(V)) { judgeEach(t, items, judge, false) }

// EachOf is Each for items that stand for themselves, such as streams: one that
// cannot be decided takes nothing from the others. Only if none can be the
// requirement is undecided.
func EachOf[V any](t *T, items []V, judge func(V)) { judgeEach(t, items, judge, true) }

func judgeEach[V any](t *T, items []V, judge func(V), someDecidedSuffices bool) {
	t.collecting++
	defer func() { t.collecting-- }()
	var undecided *Stop
	decided := false
	for _, item := range items {
		func() {
			before := t.expected
			defer func() {
				switch r := recover().(type) {
				case nil:
					decided = decided || t.expected > before
					t.used = t.used || t.expected > before
				case Stop:
					undecided = undecided.firstUnlessNever(&r)
				case stopFailed:
					if t.vacuous != "" {
						panic(r)
					}
				default:
					panic(r)
				}
			}()
			t.itemEvidence = nil
			judge(item)
			t.result.markExchangesConforming(t.itemEvidence)
		}()
	}
	if undecided != nil && !(someDecidedSuffices && decided) {
		panic(*undecided)
	}
	if len(items) == 0 && t.expected == 0 {
		t.vacuous = "the run saw nothing that it is about"
	}
}
