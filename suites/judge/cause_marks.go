package judge

import (
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/record"
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
func (c *Case) markFailures(results []Result) (marks [][]causeMark, words map[string]string) {
	g := &grouping{c: c, layers: map[layerName]*layerCount{}, accepted: map[acceptedFamily]map[string]bool{}, rejected: map[text][]Value{}, calls: map[callName][]Value{}, joined: map[string]string{}}
	for _, r := range results {
		for _, v := range r.broken {
			if r.Verdict == report.Fail && (!v.head || v.header == "") && v.said.Exchange != nil {
				v.head = false // it is about the answer as a whole
				g.rejected[v.said.text()] = append(g.rejected[v.said.text()], v)
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
		for _, v := range r.broken {
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
	c        *Case
	layers   map[layerName]*layerCount
	accepted map[acceptedFamily]map[string]bool // the kinds of flaws that were accepted
	rejected map[text][]Value                   // the places of the failures
	calls    map[callName][]Value               // the failures about whole answers, and about the details of errors
	joined   map[string]string                  // sets of signs, each with another of its set
}

// callName is a call of a conversation, whatever the binding in which it was made.
type callName struct{ agent, scenario, step string }

func nameCall(s *Said) callName { return callName{s.Step.Agent, s.Play.Scenario, s.Step.Name} }

func (g *grouping) addCall(v Value) {
	if v.said.Play != nil && v.said.Step != nil && (v.whole() || v.inDetails()) {
		name := nameCall(v.said)
		g.calls[name] = append(g.calls[name], v)
	}
}

// findCallElsewhere finds a failure about the answer to the same call in a binding that the
// agent prefers to the one of a violation: the code behind both bindings answered so.
func (g *grouping) findCallElsewhere(v Value) (other Value, found bool) {
	if v.said.Play == nil || v.said.Step == nil || !v.whole() && !v.inDetails() && v.header != report.StatusLine {
		return Value{}, false
	}
	for _, o := range g.calls[nameCall(v.said)] {
		if g.bindingOf(o) < g.bindingOf(v) && o.inDetails() == v.inDetails() && g.outcomeOf(o) == g.outcomeOf(v) {
			return o, true
		}
	}
	return Value{}, false
}

// inDetails reports whether a violation is about the details of an error: what they hold, or
// that there are none.
func (v Value) inDetails() bool {
	at := v.said.Answer.Details.At
	return at != "" && (v.ptr == at || strings.HasPrefix(v.ptr, at+"/"))
}

// outcomeOf reports whether the call of a violation was taken, refused, or neither.
func (g *grouping) outcomeOf(v Value) string {
	answer := decodeAnswer(g.c.by(v.said.Play, v.said.Step), v.op(), v.said.Exchange)
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
func (g *grouping) bindingOf(v Value) int {
	if v.said.Play == nil {
		return 0
	}
	return max(0, slices.Index(g.c.Transcript.Facts.Bindings, v.said.Play.By(v.said.Step)))
}

// isUnavailable reports whether the service answers nothing at all for the time being, in the
// words of HTTP (RFC 9110, section 15.6.4) or of gRPC, whose clients read one as the other.
func isUnavailable(v Value) bool {
	if g := v.said.Exchange.GRPC(); g != nil {
		return g.Status() == "UNAVAILABLE" && len(g.Details) == 0
	}
	return v.said.Exchange.Status() == http.StatusServiceUnavailable && !v.said.Answer.IsResponse()
}

// letIn reports whether a violation is that somebody got a result who shows no valid
// credential, or those of another client: whoever mends the guard for one call mends it
// for all that are let in so.
func letIn(v Value) bool {
	s := v.said.Step
	return s != nil && slices.Contains([]record.Caller{record.Nobody, record.Stranger, record.Second, record.Low}, s.As) &&
		v.node != nil && v.said.Answer.Result.Present() && v.ptr == v.said.Answer.Result.At
}

// findOuter finds what a violation is inside of and that is broken as a whole: an
// object, an event, a response that should not have come, or a result in place of a
// refusal.
func (g *grouping) findOuter(v Value) (outer Value, found bool) {
	for _, o := range g.rejected[v.said.text()] {
		whole := o.ptr != "" || o.said.Event > 0 || g.c.unasked(o.said) || wronglyTaken(o)
		if rest, below := strings.CutPrefix(v.ptr, o.ptr); whole && below && strings.HasPrefix(rest, "/") && (!found || len(o.ptr) < len(outer.ptr)) {
			outer, found = o, true
		}
	}
	return outer, found
}

// wronglyTaken reports whether a violation is that a call has a result that had to be
// refused.
func wronglyTaken(v Value) bool {
	return v.due != nil && v.ptr == "" && v.said.Answer.Result.Present() && !v.said.Answer.Failure.Present()
}

// answerTo finds a failure about the whole answer to a call that had to be refused: its
// status is that of the wrong answer.
func (g *grouping) answerTo(v Value) (answer Value, found bool) {
	for event := range 1 + len(v.said.Exchange.Events()) {
		for _, o := range g.rejected[text{v.said.Exchange, event}] {
			if (o.whole() || o.ptr == o.said.Answer.Result.At) && (o.due != nil || g.isMalformed(o.said.Play, o.said.Step)) {
				return o, true
			}
		}
	}
	return Value{}, false
}

// findTakenCall finds a call that had to be refused and was taken instead, earlier in the
// same conversation and about the same task: what is wrong with that task afterwards comes
// of it.
func (g *grouping) findTakenCall(v Value) (call Value, found bool) {
	s, p := v.said.Step, v.said.Play
	if s == nil || p == nil || s.Task == "" || v.whole() || !v.said.Answer.Result.Present() {
		return Value{}, false
	}
	for i := range p.Steps {
		o := &p.Steps[i]
		if o.Task != s.Task || o.Exchange == nil || o.Exchange == v.said.Exchange || o.Exchange.End > v.said.Exchange.Start || o.Invalid {
			continue
		}
		for _, other := range g.rejected[text{o.Exchange, 0}] {
			if wronglyTaken(other) {
				return other, true
			}
		}
	}
	return Value{}, false
}

// lacksNewMember reports whether a violation is that a card lacks something, and the card
// is one of another version, which may not have it.
func (g *grouping) lacksNewMember(v Value) bool {
	at := g.c.Dialect.Detect.Version
	if v.said.Kind != CardText && v.said.Kind != CardElsewhere || at == "" || v.node != nil && v.ptr != at {
		return false
	}
	return slices.ContainsFunc(g.rejected[v.said.text()], func(o Value) bool {
		return o.ptr == at && o.node != nil
	})
}

// findContradicted finds a failure at the place that a violation contradicts: two
// places clash if one of them is broken already.
func (g *grouping) findContradicted(v Value) (other Value, found bool) {
	for _, a := range v.against {
		if a.said == nil {
			continue
		}
		for _, o := range g.rejected[a.said.text()] {
			if !slices.ContainsFunc(o.against, v.holds) && (o.ptr == a.ptr || strings.HasPrefix(o.ptr, a.ptr+"/") || o.ptr != "" && strings.HasPrefix(a.ptr, o.ptr+"/")) {
				return o, true
			}
		}
	}
	return Value{}, false
}

// holds reports whether something lies at the place of a value, or in it.
func (v Value) holds(w Value) bool {
	return w.said == v.said && (w.ptr == v.ptr || strings.HasPrefix(w.ptr, v.ptr+"/"))
}

// unasked reports whether a text answers a notification.
func (c *Case) unasked(s *Said) bool {
	sent := c.by(s.Play, s.Step).Sent(s.Exchange)
	return sent.Framed && sent.Call != nil && sent.Call.Kind == record.Object && sent.ID == nil
}
