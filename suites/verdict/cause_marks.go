package verdict

import (
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/suites/judge"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// causeMark is what violations of one cause share.
type causeMark struct {
	name string
	by   int // the binding in which the violation was seen; 0 for the one that the agent prefers
}

// sign is something that a violation may have in common with others.
type sign struct {
	key   string
	words string // what is wrong, for people; empty if the failure says it
}

// markFailures lists the marks of each failure, in the order of its violations, and what is
// wrong in general, by mark.
func (c *Decider) markFailures(results []Result) (marks [][]causeMark, words map[string]string) {
	g := &grouping{c: c, layers: map[layerName]*layerCount{}, accepted: map[acceptedFamily]map[string]bool{}, rejected: map[textName][]judge.Breach{}, calls: map[callName][]judge.Breach{}, joined: map[string]string{}}
	for _, r := range results {
		for _, v := range r.Broken {
			if r.Verdict == report.Fail && (!v.OfHead || v.Header == "") && v.Said.Exchange != nil {
				v.OfHead = false // it is about the answer as a whole
				g.rejected[nameText(v.Said)] = append(g.rejected[nameText(v.Said)], v)
				g.addCall(v)
			}
		}
	}
	g.countMalformed()
	marks = make([][]causeMark, len(results))
	shared := map[sign]int{}
	for i, r := range results {
		if r.Verdict != report.Fail {
			continue
		}
		for _, v := range r.Broken {
			signs := g.findSigns(v)
			for _, s := range signs {
				g.joinSigns(signs[0].key, s.key)
				shared[s]++
			}
			marks[i] = append(marks[i], causeMark{signs[0].key, g.bindingOf(v)})
		}
	}
	for i := range marks {
		var found []causeMark
		for _, m := range marks[i] {
			if m.name = g.findMark(m.name); !slices.Contains(found, m) {
				found = append(found, m)
			}
		}
		marks[i] = found
	}
	return marks, g.chooseWords(shared)
}

// chooseWords chooses the words for each mark: those of the sign that most violations share.
func (g *grouping) chooseWords(shared map[sign]int) map[string]string {
	words, most := map[string]string{}, map[string]int{}
	for s, n := range shared {
		mark := g.findMark(s.key)
		if s.words != "" && (n > most[mark] || n == most[mark] && s.words < words[mark]) {
			words[mark], most[mark] = s.words, n
		}
	}
	return words
}

// grouping finds out what violations have in common. Each has one or more signs, and
// violations that share a sign, or are linked by others that do, have one mark.
type grouping struct {
	c        *Decider
	layers   map[layerName]*layerCount
	accepted map[acceptedFamily]map[string]bool // the kinds of flaws that were accepted
	rejected map[textName][]judge.Breach        // the places of the failures
	calls    map[callName][]judge.Breach        // the failures about whole answers, and about the details of errors
	joined   map[string]string                  // sets of signs, each with another of its set
}

// callName is a call of a conversation, whatever the binding in which it was made.
type callName struct{ agent, scenario, step string }

func nameCall(s *judge.Said) callName { return callName{s.Step.Agent, s.Play.Scenario, s.Step.Name} }

func (g *grouping) addCall(v judge.Breach) {
	if v.Said.Play != nil && v.Said.Step != nil && (v.IsWhole() || v.IsInDetails()) {
		name := nameCall(v.Said)
		g.calls[name] = append(g.calls[name], v)
	}
}

// findCallElsewhere finds a failure about the answer to the same call in a binding that the
// agent prefers to the one of a violation: the code behind both bindings answered so.
func (g *grouping) findCallElsewhere(v judge.Breach) (other judge.Breach, found bool) {
	if v.Said.Play == nil || v.Said.Step == nil || !v.IsWhole() && !v.IsInDetails() && v.Header != report.StatusLine {
		return judge.Breach{}, false
	}
	for _, o := range g.calls[nameCall(v.Said)] {
		if g.bindingOf(o) < g.bindingOf(v) && o.IsInDetails() == v.IsInDetails() && g.outcomeOf(o) == g.outcomeOf(v) {
			return o, true
		}
	}
	return judge.Breach{}, false
}

// outcomeOf reports whether the call of a violation was taken, refused, or neither.
func (g *grouping) outcomeOf(v judge.Breach) string {
	answer := decodeAnswer(g.c.BindingOf(v.Said.Play, v.Said.Step), v.Operation(), v.Said.Exchange)
	switch {
	case answer.Failure.Present():
		return refused
	case answer.Result.Present():
		return accepted
	}
	return ""
}

// acceptedFamily is a family of operations in one binding.
type acceptedFamily struct{ binding, family string }

// findMark is the sign that stands for all that are joined with one.
func (g *grouping) findMark(sign string) string {
	for g.joined[sign] != "" {
		sign = g.joined[sign]
	}
	return sign
}

func (g *grouping) joinSigns(a, b string) {
	if a, b = g.findMark(a), g.findMark(b); a != b {
		g.joined[b] = a
	}
}

// bindingOf is the number of the binding in which a violation was seen.
func (g *grouping) bindingOf(v judge.Breach) int {
	if v.Said.Play == nil {
		return 0
	}
	return max(0, slices.Index(g.c.Transcript.Facts.Bindings, v.Said.Play.By(v.Said.Step)))
}

// isUnavailable reports whether the service answers nothing at all for the time being, in the
// words of HTTP (RFC 9110, section 15.6.4) or of gRPC, whose clients read one as the other.
func isUnavailable(v judge.Breach) bool {
	if g := v.Said.Exchange.GRPC(); g != nil {
		return g.Status() == "UNAVAILABLE" && len(g.Details) == 0
	}
	return v.Said.Exchange.Status() == http.StatusServiceUnavailable && !v.Said.Answer.IsResponse()
}

// letIn reports whether a violation is that somebody got a result who shows no valid
// credential, or those of another client: whoever mends the guard for one call mends it
// for all that are let in so.
func letIn(v judge.Breach) bool {
	s := v.Said.Step
	return s != nil && slices.Contains([]wire.Caller{wire.Nobody, wire.Stranger, wire.Second, wire.Low}, s.As) &&
		v.Node != nil && v.Said.Answer.Result.Present() && v.Pointer == v.Said.Answer.Result.At
}

// findOuter finds what a violation is inside of and that is broken as a whole: an
// object, an event, a response that should not have come, or a result in place of a
// refusal.
func (g *grouping) findOuter(v judge.Breach) (outer judge.Breach, found bool) {
	for _, o := range g.rejected[nameText(v.Said)] {
		whole := o.Pointer != "" || o.Said.Event > 0 || g.c.unasked(o.Said) || wronglyTaken(o)
		if rest, below := strings.CutPrefix(v.Pointer, o.Pointer); whole && below && strings.HasPrefix(rest, "/") && (!found || len(o.Pointer) < len(outer.Pointer)) {
			outer, found = o, true
		}
	}
	return outer, found
}

// wronglyTaken reports whether a violation is that a call has a result that had to be
// refused.
func wronglyTaken(v judge.Breach) bool {
	return v.Due != nil && v.Pointer == "" && v.Said.Answer.Result.Present() && !v.Said.Answer.Failure.Present()
}

// answerTo finds a failure about the whole answer to a call that had to be refused: its
// status is that of the wrong answer.
func (g *grouping) answerTo(v judge.Breach) (answer judge.Breach, found bool) {
	for event := range 1 + len(v.Said.Exchange.Events()) {
		for _, o := range g.rejected[textName{v.Said.Exchange, event}] {
			if (o.IsWhole() || o.Pointer == o.Said.Answer.Result.At) && (o.Due != nil || g.isMalformed(o.Said.Play, o.Said.Step)) {
				return o, true
			}
		}
	}
	return judge.Breach{}, false
}

// findTakenCall finds a call that had to be refused and was taken instead, earlier in the
// same conversation and about the same task: what is wrong with that task afterwards comes
// of it.
func (g *grouping) findTakenCall(v judge.Breach) (call judge.Breach, found bool) {
	s, p := v.Said.Step, v.Said.Play
	if s == nil || p == nil || s.Task == "" || v.IsWhole() || !v.Said.Answer.Result.Present() {
		return judge.Breach{}, false
	}
	for i := range p.Steps {
		o := &p.Steps[i]
		if o.Task != s.Task || o.Exchange == nil || o.Exchange == v.Said.Exchange || o.Exchange.End > v.Said.Exchange.Start || o.Invalid {
			continue
		}
		for _, other := range g.rejected[textName{o.Exchange, 0}] {
			if wronglyTaken(other) {
				return other, true
			}
		}
	}
	return judge.Breach{}, false
}

// lacksNewMember reports whether a violation is that a card lacks something, and the card
// is one of another version, which may not have it.
func (g *grouping) lacksNewMember(v judge.Breach) bool {
	at := g.c.Dialect.Detect.Version
	if v.Said.Kind != judge.CardText && v.Said.Kind != judge.CardElsewhere || at == "" || v.Node != nil && v.Pointer != at {
		return false
	}
	return slices.ContainsFunc(g.rejected[nameText(v.Said)], func(o judge.Breach) bool {
		return o.Pointer == at && o.Node != nil
	})
}

// findContradicted finds a failure at the place that a violation contradicts: two
// places clash if one of them is broken already.
func (g *grouping) findContradicted(v judge.Breach) (other judge.Breach, found bool) {
	for _, a := range v.Against {
		if a.Said == nil {
			continue
		}
		for _, o := range g.rejected[nameText(a.Said)] {
			if !slices.ContainsFunc(o.Against, v.Covers) && (o.Pointer == a.Pointer || strings.HasPrefix(o.Pointer, a.Pointer+"/") || o.Pointer != "" && strings.HasPrefix(a.Pointer, o.Pointer+"/")) {
				return o, true
			}
		}
	}
	return judge.Breach{}, false
}

// unasked reports whether a text answers a notification.
func (c *Decider) unasked(s *judge.Said) bool {
	sent := c.BindingOf(s.Play, s.Step).Sent(s.Exchange)
	return sent.Framed && sent.Call != nil && sent.Call.Kind == wire.Object && sent.ID == nil
}

// textName names a body, or one event of a stream.
type textName struct {
	in    *wire.Exchange
	event int
}

func nameText(s *judge.Said) textName { return textName{s.Exchange, s.Event} }
