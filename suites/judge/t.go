package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/onsi/gomega/types"
)

// T is what a check judges with: it hands out what the server said, takes
// expectations, and keeps the evidence. A check runs in one goroutine.
type T struct {
	Case        *Case
	Requirement *schema.Requirement

	result     *Result
	expected   int  // expectations that were evaluated
	collecting int  // depth of Each
	seen       bool // an Each had something to look at
	vacuous    string
	failures   int
	item       []*wire.Exchange // those that the item of an Each rests on
	apart      bool             // a violation takes nothing from what rests on the requirement
	withheld   string           // a prerequisite that fails on something the check would have looked at
	unheard    string           // a sign of life that could not be asked for
}

// Expecter is what a matcher of the protocol says beside yes and no: what the
// server did, as a phrase that follows "the server", and what the source asks
// for, as a phrase that follows "asks for".
type Expecter interface {
	types.GomegaMatcher
	Got(actual any) string
	Wants() string
}

// HeadMatcher is a matcher that may be about the status or the headers of a
// response, and not about its body.
type HeadMatcher interface{ OfHead() bool }

// maxViolations bounds what one requirement lists; the rest is counted.
const maxViolations = 20

// The ways in which a check ends before its last line; they travel by panic
// and are caught where the check was called.
type (
	stopFailed       struct{}
	stopInconclusive struct {
		reason, remedy, because string
		recorded                bool // by a step that the transcript records as not made
	}
	stopNotApplicable struct{ reason string }
)

// Assertion is an expectation about a value.
type Assertion struct {
	t       *T
	actual  any
	about   Value
	against []Value
	note    string
	apart   bool
}

// Expect begins an expectation about a value; touching it is the evidence.
func (t *T) Expect(v Value) *Assertion {
	v.t = t
	v.read(false)
	t.cite(v)
	return &Assertion{t: t, actual: v, about: v}
}

// ExpectOf begins an expectation about something computed from about.
func (t *T) ExpectOf(actual any, about Value) *Assertion {
	about.t = t
	about.read(false)
	t.cite(about)
	return &Assertion{t: t, actual: actual, about: about}
}

// Because adds to the failure text what the expectation rests on.
func (a *Assertion) Because(format string, args ...any) *Assertion {
	a.note = fmt.Sprintf(format, args...)
	return a
}

// Against names what the value has to go with, where two places may contradict
// each other.
func (a *Assertion) Against(other Value) *Assertion {
	a.against = append(a.against, other)
	return a
}

// Apart has a violation take nothing from what rests on the requirement: what was
// sent can be read all the same.
func (a *Assertion) Apart(can bool) *Assertion {
	a.apart = can
	return a
}

// To fails the requirement unless the matcher is satisfied.
func (a *Assertion) To(m types.GomegaMatcher) { a.judge(m, true) }

// NotTo fails the requirement if the matcher is satisfied.
func (a *Assertion) NotTo(m types.GomegaMatcher) { a.judge(m, false) }

func (a *Assertion) judge(m types.GomegaMatcher, want bool) {
	a.t.expected++
	ok, err := m.Match(a.actual)
	if err != nil {
		panic(fmt.Errorf("a matcher could not be applied: %w", err))
	}
	if ok == want {
		return
	}
	if f, is := m.(interface{ Field() string }); is && f.Field() != "" {
		a.about = a.about.Header(f.Field())
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
	if h, is := m.(HeadMatcher); is && h.OfHead() {
		a.about.head = true
	}
	a.t.apart = a.apart
	defer func() { a.t.apart = false }()
	a.t.violation(a.about, a.against, a.t.why(a.about, a.against, got, wants, a.note))
}

// insteadOf is what is asked for where a matcher must not be satisfied.
func insteadOf(m types.GomegaMatcher, unwanted string) string {
	if i, is := m.(interface{ Instead() string }); is {
		return i.Instead()
	}
	return "anything but " + unwanted
}

// plainWish is what a matcher that knows nothing of the protocol asks for, in one
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
	return "it " + Shorten(strings.Join(out, " "), 100)
}

// Fail fails the requirement with a text of the check's own; got and wants are
// the phrases of an Expecter, and against is what the value contradicts.
func (t *T) Fail(v Value, got, wants string, against ...Value) {
	t.expected++
	v.t = t
	v.read(false)
	t.cite(v)
	t.violation(v, against, t.why(v, against, got, wants, ""))
}

// OK records that something was evaluated and found right, for rules that no
// matcher expresses; the value is the evidence.
func (t *T) OK(v Value) {
	t.expected++
	v.t = t
	v.read(false)
	t.cite(v)
}

// AllOK records that everything of a kind was found right. Without any of the
// kind the requirement is vacuous.
func (t *T) AllOK(all []Value) {
	if len(all) == 0 && t.expected == 0 {
		t.vacuous = "nothing of the kind was seen"
	}
	if t.Case.Track {
		t.result.reads = slices.Grow(t.result.reads, len(all))
	}
	for _, v := range all {
		t.OK(v)
	}
}

func (t *T) violation(v Value, against []Value, w Why) {
	if t.Requirement.Permission { // using it or not is never a failure
		t.Finding(v, "the server %s; %s", w.Did, w.Due)
		panic(stopFailed{})
	}
	t.failures++
	r := t.result
	if v.said != nil {
		v.against = against
		r.broken = append(r.broken, v)
	}
	r.apart = (r.apart || t.failures == 1) && t.apart
	if v.said != nil && !t.apart {
		if r.failed == nil {
			r.failed = map[*wire.Exchange]bool{}
		}
		r.failed[v.said.Exchange] = true
	}
	if r.Verdict != Fail {
		r.Verdict, r.Reason = Fail, w.Text()
		r.Evidence, r.Why = []Evidence{v.Evidence()}, []Why{w}
	} else if t.failures <= maxViolations {
		r.Others = append(r.Others, w.Text())
		r.Evidence, r.Why = append(r.Evidence, v.Evidence()), append(r.Why, w)
	} else {
		r.More++
	}
	panic(stopFailed{})
}

// cite keeps the first pieces of evidence of a requirement that holds.
func (t *T) cite(v Value) {
	const kept = 5
	if v.said != nil && t.collecting > 0 {
		t.item = append(t.item, v.said.Exchange)
	}
	if t.result.Verdict == Fail || len(t.result.Evidence) >= kept || v.said == nil || v.said.Exchange == nil {
		return
	}
	e := v.Evidence()
	for _, o := range t.result.Evidence {
		if o.Exchange == e.Exchange && o.Event == e.Event && o.Pointer == e.Pointer {
			return
		}
	}
	t.result.Evidence = append(t.result.Evidence, e)
}

// Finding notes something tolerated but worth knowing.
func (t *T) Finding(v Value, format string, args ...any) {
	if len(t.result.Findings) >= maxViolations {
		return
	}
	e := v.Evidence()
	text := fmt.Sprintf(format, args...)
	for _, f := range t.result.Findings {
		if f.Text == text {
			return
		}
	}
	t.result.Findings = append(t.result.Findings, Finding{text, &e})
}

// Inconclusive ends the check undecided, with the reason and, if there is one,
// the line or flag that would get it decided.
func (t *T) Inconclusive(remedy, format string, args ...any) {
	panic(stopInconclusive{reason: fmt.Sprintf(format, args...), remedy: remedy})
}

// Stopped ends the check undecided because of something that the transcript
// records.
func (t *T) Stopped(format string, args ...any) {
	panic(stopInconclusive{reason: fmt.Sprintf(format, args...), recorded: true})
}

// StoppedFor is Stopped where there is a line or a flag that would get it decided.
func (t *T) StoppedFor(remedy, format string, args ...any) {
	panic(stopInconclusive{reason: fmt.Sprintf(format, args...), remedy: remedy, recorded: true})
}

// NotApplicable ends the check because of something that leaves the sentence
// without a subject: what was agreed on before the run, such as the operator's own
// place for the card, or a permission that the server makes no use of.
func (t *T) NotApplicable(format string, args ...any) {
	panic(stopNotApplicable{fmt.Sprintf(format, args...)})
}

// Vacuous ends the check because there was nothing for the sentence to be
// about.
func (t *T) Vacuous(format string, args ...any) {
	t.vacuous = fmt.Sprintf(format, args...)
	panic(stopFailed{})
}

// Each runs judge on every item and collects every violation. An item that cannot
// be decided keeps none of the others from being judged, and leaves the requirement
// undecided where nothing is broken. Without an item the requirement is vacuous.
func Each[V any](t *T, items []V, judge func(V)) { each(t, items, judge, false) }

// EachOf is Each for items that stand for themselves, such as streams: one that
// cannot be decided takes nothing from the others. Only where none can be the
// requirement is undecided.
func EachOf[V any](t *T, items []V, judge func(V)) { each(t, items, judge, true) }

func each[V any](t *T, items []V, judge func(V), some bool) {
	t.collecting++
	defer func() { t.collecting-- }()
	var undecided *stopInconclusive
	decided := false
	for _, item := range items {
		t.seen = true
		func() {
			before := t.expected
			defer func() {
				switch r := recover().(type) {
				case nil:
					decided = decided || t.expected > before
				case stopInconclusive:
					if undecided == nil {
						undecided = &r
					}
				case stopFailed:
					if t.vacuous != "" {
						panic(r)
					}
				default:
					panic(r)
				}
			}()
			t.item = nil
			judge(item)
			t.result.holds(t.item)
		}()
	}
	if undecided != nil && !(some && decided) {
		panic(*undecided)
	}
	if len(items) == 0 && t.expected == 0 {
		t.vacuous = "nothing of the kind was seen"
	}
}

// Step is a move of a play, as a check sees it.
type Step struct {
	*wire.Step
	Play *wire.Play
	t    *T
}

// Step returns a step by "scenario/step". If the run did not come to it, the
// requirement is undecided because of what stopped the scenario.
func (t *T) Step(name string) Step {
	s, why := t.look(name)
	if why != nil {
		panic(*why)
	}
	return s
}

// Find returns a step by "scenario/step" if the run came to it.
func (t *T) Find(name string) (Step, bool) {
	s, why := t.look(name)
	return s, why == nil
}

// Steps returns those of the named steps that were made, each exchange once: plays
// may share one.
func (t *T) Steps(names []string) []Step {
	var out []Step
	var first *stopInconclusive
	had := map[*wire.Exchange]bool{}
	for _, n := range names {
		s, why := t.look(n)
		if why == nil {
			if !had[s.Exchange] {
				out = append(out, s)
			}
			had[s.Exchange] = true
		} else if first == nil {
			first = why
		}
	}
	if len(out) == 0 && first != nil {
		panic(*first)
	}
	return out
}

// Played returns the steps that the named plays made, in their order, each exchange
// once: plays may share one. If there are none, the requirement is undecided because of what stopped the plays.
func (t *T) Played(scenarios ...string) []Step {
	var out []Step
	var first *stopInconclusive
	had := map[*wire.Exchange]bool{}
	for _, n := range scenarios {
		p := t.Case.Transcript.Play(n)
		made := 0
		for i := 0; p != nil && i < len(p.Steps); i++ {
			if s, why := t.look(n + "/" + p.Steps[i].Name); why == nil {
				if !had[s.Exchange] {
					out = append(out, s)
				}
				had[s.Exchange] = true
				made++
			} else if first == nil {
				first = why
			}
		}
		if made == 0 && first == nil {
			_, first = t.look(n + "/…")
		}
	}
	if len(out) == 0 && first != nil {
		panic(*first)
	}
	return out
}

func (t *T) look(name string) (Step, *stopInconclusive) {
	scenario, step, ok := strings.Cut(name, "/")
	if !ok {
		panic(fmt.Errorf("%q is not of the form scenario/step", name))
	}
	p := t.Case.Transcript.Play(scenario)
	if p == nil {
		return Step{}, &stopInconclusive{reason: fmt.Sprintf("not recorded: the scenario %s was not played", scenario)}
	}
	s := p.Step(step)
	switch {
	case s == nil && p.Stop != "":
		return Step{}, &stopInconclusive{reason: fmt.Sprintf("the scenario %s ended before %s: %s", scenario, step, p.Stop), recorded: true}
	case s == nil:
		return Step{}, &stopInconclusive{reason: fmt.Sprintf("not recorded: the scenario %s has no step %s", scenario, step)}
	case s.Exchange == nil:
		reason := fmt.Sprintf("%s was not sent: %s", name, s.NotSent)
		if s.Because != "" {
			reason += fmt.Sprintf(" (because of %s/%s)", scenario, s.Because)
		}
		return Step{}, &stopInconclusive{reason: reason, remedy: s.Remedy, recorded: true}
	}
	if s.Exchange.Ended == wire.Aborted {
		return Step{}, &stopInconclusive{reason: fmt.Sprintf("the run ended before %s was answered", name), recorded: true}
	}
	if why := t.Case.gone(s.Exchange); why != "" {
		why = fmt.Sprintf("%s was not answered: %s", name, why)
		if s.Role == wire.Alive {
			t.unheard = why
		}
		return Step{}, &stopInconclusive{reason: why, recorded: true}
	}
	if id := t.result.spoiled[s.Exchange]; id != "" {
		t.withheld = id
		return Step{}, &stopInconclusive{reason: restsOn(t.Case.Result(id), " in "+name), because: id}
	}
	if s.Limited != "" {
		return Step{}, &stopInconclusive{reason: fmt.Sprintf("%s was not answered for what it asked: %s", name, s.Limited), recorded: true,
			remedy: "declares: {rateLimit: {requests: …, seconds: …}}"}
	}
	if s.Late != "" {
		return Step{}, &stopInconclusive{reason: fmt.Sprintf("%s may have come too late: %s", name, s.Late), recorded: true}
	}
	if err := t.Case.ownFault(s); err != nil {
		panic(err)
	}
	return Step{s, p, t}, nil
}

// Reply is the JSON the server answered with. Where there is none the value
// says in words what came instead.
func (s Step) Reply() Value {
	x := s.Exchange
	s.kept()
	if x.IsStream() {
		return s.t.Case.streamAsReply(s.t, s.Step, s.Play)
	}
	said := s.t.Case.body(x, s.Step, s.Play)
	return Value{t: s.t, said: said, node: said.Root, why: instead(x, said.Root)}
}

// kept leaves the requirement undecided where the answer went beyond a bound of
// ours, of which nothing can be held against the server.
func (s Step) kept() {
	if x := s.Exchange; x.Ended == wire.Limit {
		s.t.Inconclusive("", "the answer is larger than the suite keeps: %s", x.Trouble)
	}
}

// instead says what came in place of JSON; "" if JSON came.
func instead(x *wire.Exchange, root *wire.Node) string {
	switch {
	case root != nil:
		return ""
	case !x.Answered() && x.Ended == wire.Timeout:
		return fmt.Sprintf("gave no answer within %.1f s", (x.End - x.Start).Seconds())
	case !x.Answered() && x.Ended == wire.NoDial:
		return "could not be reached: " + Shorten(x.Trouble, 160)
	case !x.Answered():
		return "closed the connection without an answer"
	case x.Ended == wire.Reset:
		return fmt.Sprintf("broke off its answer (HTTP %d) after %d bytes", x.Status(), len(x.Response.Body))
	case x.Ended == wire.Timeout:
		return fmt.Sprintf("had not ended its answer (HTTP %d, %d bytes so far) after %.1f s", x.Status(), len(x.Response.Body), (x.End - x.Start).Seconds())
	case len(x.Response.Body) == 0:
		return fmt.Sprintf("answered HTTP %d without a body", x.Status())
	}
	mt := x.Response.MediaType()
	if mt == "" {
		mt = "a body without Content-Type"
	}
	return fmt.Sprintf("answered HTTP %d with %s that is not JSON", x.Status(), mt)
}

// Head is the response as a whole, for expectations about status and headers.
func (s Step) Head() Value {
	return Value{t: s.t, said: s.t.Case.body(s.Exchange, s.Step, s.Play), head: true, why: instead(s.Exchange, nil)}
}

// Result is the result of a step that serves another purpose: where the server
// refused it, the requirement is undecided, and the one that owns the step
// fails.
func (s Step) Result() Value {
	reply := s.Reply()
	if r := reply.At("/result"); r.Exists() && !r.IsNull() {
		return r
	}
	s.t.Stopped("%s/%s was not answered with a result: %s", s.Play.Scenario, s.Name, s.Outcome())
	return Value{}
}

// Outcome says in words how the server answered.
func (s Step) Outcome() string {
	reply := s.Reply()
	switch e := reply.At("/error"); {
	case reply.node == nil:
		return "the server " + reply.Missing()
	case e.Exists():
		return fmt.Sprintf("the server answered error %s %s", e.At("/code").Shown(), e.At("/message").Shown())
	case reply.At("/result").Exists():
		return "the server answered a result"
	}
	return fmt.Sprintf("the server answered HTTP %d without result or error", s.Exchange.Status())
}

// Accepted reports whether the reply has a result; null is one where the
// dialect says nothing of the results of the operation.
func (s Step) Accepted() bool {
	r := s.Reply().At("/result")
	_, described := s.t.Case.Dialect.Types.Reply[s.Op]
	return r.Exists() && (!r.IsNull() || strings.HasPrefix(s.Op, "push-") && !described && !s.Reply().At("/error").Exists())
}

// Events are the events of a step whose answer is a stream. Of a stream that was
// too large they are those at its beginning.
func (s Step) Events() []Value {
	var out []Value
	for _, said := range s.t.Case.events(s.Exchange, s.Step, s.Play) {
		v := Value{t: s.t, said: said, node: said.Root, bare: said.Bare}
		if v.node == nil {
			v.why = "sent an event whose data is not JSON"
		}
		out = append(out, v)
	}
	if len(out) == 0 {
		s.kept()
	}
	return out
}
