package judge

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// marks lists the marks of each failure, in the order of its violations.
func (c *Case) marks(results []Result) [][]string {
	g := &grouping{c: c, groups: map[string]*group{}, rejected: map[text][]Value{}}
	for _, r := range results {
		if r.Verdict != Fail {
			continue
		}
		for _, v := range r.broken {
			if at := v.said.text(); !v.head && v.said.Exchange != nil {
				g.rejected[at] = append(g.rejected[at], v)
			}
		}
	}
	g.count()
	out := make([][]string, len(results))
	for i, r := range results {
		if r.Verdict != Fail {
			continue
		}
		for _, v := range r.broken {
			if m := g.mark(v); !slices.Contains(out[i], m) {
				out[i] = append(out[i], m)
			}
		}
	}
	return out
}

// grouping tells malformed calls that were answered for the same reason.
type grouping struct {
	c        *Case
	groups   map[string]*group
	rejected map[text][]Value // where the failures are
}

// group is a number of malformed calls that are wrong in the same layer.
type group struct {
	calls, refused int // refused: for their form, and not for something else
	outcomes       map[string]int
	operations     map[string]bool
}

// several is the number of malformed calls from which on their answers tell
// something about the server as a whole.
const several = 5

// count goes through all malformed calls of the run.
func (g *grouping) count() {
	for i := range g.c.Transcript.Plays {
		p := &g.c.Transcript.Plays[i]
		for j := range p.Steps {
			s := &p.Steps[j]
			if !s.Exchange.Answered() || s.Exchange.Dir != wire.Out || !malformed(g.c.by(p, s), s) {
				continue
			}
			how := outcome(g.c.by(p, s), s.Op, s.Exchange)
			for _, name := range append(groupsOf(g.c.by(p, s), s), g.flaw(p.Scenario, s)) {
				if name == "" {
					continue
				}
				of := g.groups[name]
				if of == nil {
					of = &group{outcomes: map[string]int{}, operations: map[string]bool{}}
					g.groups[name] = of
				}
				of.calls++
				of.outcomes[how]++
				of.operations[s.Op] = true
				if forItsForm.MatchString(how) {
					of.refused++
				}
			}
		}
	}
}

// malformed reports whether a step is a call that a server has to refuse for its form.
func malformed(b binding.Binding, s *wire.Step) bool {
	return s != nil && s.Exchange != nil && (s.Invalid || s.Role == wire.Probe && layerOf(b, s.Exchange) == envelope)
}

// The layers in which a call can be wrong.
const (
	envelope   = "envelope"
	parameters = "parameters"
)

// groupsOf names the groups that a malformed call belongs to, the widest first.
func groupsOf(b binding.Binding, s *wire.Step) []string {
	layer := layerOf(b, s.Exchange)
	if layer == envelope {
		return []string{layer}
	}
	return []string{layer, layer + " of " + s.Op}
}

// flaw is the group of the calls, of whatever operation, in which a probe bends the
// same place; empty if there is none.
func (g *grouping) flaw(block string, s *wire.Step) string {
	for _, b := range g.c.Dialect.Blocks {
		for _, p := range b.Probes {
			if b.Name != block || p.Name != s.Name {
				continue
			}
			if names := slices.Sorted(maps.Keys(p.Headers)); len(names) > 0 {
				return "calls with another " + names[0]
			}
			if len(p.Patch) > 0 {
				return "calls with another " + bentPlace(&p, p.Patch[0])
			}
		}
	}
	return ""
}

// misnumbered tells of an error that gives the reason of one error and the number of
// another: who does so, does it wherever that error arises.
func (g *grouping) misnumbered(v Value) string {
	a, b := v.said.Answer, g.c.by(v.said.Play, v.said.Step)
	if a.Details.Node == nil || a.Code.Node == nil {
		return ""
	}
	for _, e := range a.Details.Node.Elems {
		reason := e.Member("reason")
		for _, is := range g.c.Dialect.Errors {
			if reason != nil && reason.Kind == wire.String && is.Reason != "" && reason.String == is.Reason && a.Code.Node.Number != binding.Number(b, is) {
				return fmt.Sprint("the error ", is.Reason, " with the code ", a.Code.Node.Number)
			}
		}
	}
	return ""
}

// layerOf tells in which layer a malformed call is wrong: its envelope, of which
// one sees nothing where it is no JSON, or its parameters.
func layerOf(b binding.Binding, x *wire.Exchange) string {
	ours := b.Sent(x)
	id := ours.ID
	switch {
	case !ours.Framed:
	case !ours.Sound,
		id == nil || id.Kind != wire.String && id.Kind != wire.Number && id.Kind != wire.Null:
		return envelope
	}
	return parameters
}

// mark is what a violation has in common with others of the same cause. What is
// inside of something that is broken as a whole has its mark.
func (g *grouping) mark(v Value) string {
	x, s, b := v.said.Exchange, v.said.Step, g.c.by(v.said.Play, v.said.Step)
	if x == nil || x.Dir != wire.Out {
		return place(v)
	}
	if unavailable(v) && (!v.head || v.header == StatusLine) {
		return "the service is unavailable"
	}
	if outer, within := g.within(v); within {
		return g.mark(outer)
	}
	if other, broken := g.contradicted(v); broken {
		other.against = nil // each of the two may contradict the other
		return g.mark(other)
	}
	if !x.Answered() {
		return fmt.Sprint("no answer to ", v.op(), ": ", x.Ended)
	}
	if r, _ := g.c.replyAt(v.said, v.ptr); r.at != "" && r.answer.IsResponse() && !v.head {
		return g.member(v)
	}
	if v.said.Event == 0 && v.said.Kind == ReplyText && !v.head && !v.said.Answer.IsResponse() {
		return outcome(b, v.op(), x)
	}
	if v.said.Event > 0 && v.said.Kind == EventText && !v.said.Answer.Bare && !v.said.Answer.IsResponse() {
		return "event with " + shapeOf(v.said.Root)
	}
	if !v.head && (v.whole() || strings.HasPrefix(v.ptr, v.said.Answer.Details.At+"/")) {
		if m := g.misnumbered(v); m != "" {
			return m
		}
	}
	if malformed(b, s) && (v.head || v.whole() || v.said.Answer.Envelope.Exists() && v.ptr == v.said.Answer.ID.At && v.node != nil) {
		layer := layerOf(b, x)
		if of := g.groups[layer]; of != nil && of.refused == 0 && of.calls >= several {
			return "never refused for its " + layer
		}
		name := g.flaw(v.said.Play.Scenario, s)
		if of := g.groups[name]; layer == parameters && of != nil && of.refused == 0 && len(of.operations) > 1 {
			return name + strings.TrimPrefix(outcome(b, v.op(), x), v.op())
		}
	}
	if a := v.said.Answer; a.Result.Present() && a.Failure.Present() && !v.head && (v.whole() || v.ptr == a.Result.At || strings.HasPrefix(v.ptr, a.Failure.At+"/")) {
		return "both result and error"
	}
	switch {
	case v.head:
		return headMark(v)
	case letIn(v):
		return fmt.Sprint("a result for ", s.As)
	case !v.whole() || v.said.Kind == CardText || v.said.Kind == CardElsewhere || v.said.Kind == OtherText:
		return g.member(v)
	}
	how := outcome(b, v.op(), x)
	if strings.HasSuffix(how, accepted) {
		v.ptr = ""
		if malformed(b, s) {
			names := groupsOf(b, s)
			if of := g.groups[names[len(names)-1]]; of != nil && of.calls >= several && of.outcomes[how]*2 > of.calls {
				return how
			}
		}
		return place(v)
	}
	switch { // what is well-formed and refused all the same is refused for a reason of its own
	case malformed(b, s) || !strings.Contains(how, refused) || v.said.Play == nil:
	case g.c.Dialect.Operation(s.Op).Agent: // each message is another
		v.ptr = ""
		return place(v)
	default:
		how += " in " + v.said.Play.Scenario
		if flaw := g.flaw(v.said.Play.Scenario, s); s.Role == wire.Probe && flaw != "" {
			how += " of " + flaw
		}
	}
	return how
}

// unavailable reports whether the service answers nothing at all for the time being, in the
// words of HTTP (RFC 9110, section 15.6.4) or of gRPC, whose clients read one as the other.
func unavailable(v Value) bool {
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
	return s != nil && slices.Contains([]wire.Caller{wire.Nobody, wire.Stranger, wire.Second, wire.Low}, s.As) &&
		v.node != nil && v.said.Answer.Result.Present() && v.ptr == v.said.Answer.Result.At
}

// forItsForm matches the outcome of a call that is refused for its form, by the
// codes of JSON-RPC 2.0, section 5.1.
var forItsForm = regexp.MustCompile(refused + `HTTP \d+ code -32(700|600|602) `)

// within finds what a violation is inside of and that is broken as a whole: an
// object, an event, or a response that should not have come.
func (g *grouping) within(v Value) (outer Value, found bool) {
	for _, o := range g.rejected[v.said.text()] {
		whole := o.ptr != "" || o.said.Event > 0 || g.c.unasked(o.said)
		if rest, below := strings.CutPrefix(v.ptr, o.ptr); whole && below && strings.HasPrefix(rest, "/") && (!found || len(o.ptr) < len(outer.ptr)) {
			outer, found = o, true
		}
	}
	return outer, found
}

// contradicted finds a failure at the place that a violation contradicts: two
// places clash where one of them is broken already.
func (g *grouping) contradicted(v Value) (other Value, found bool) {
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
	return sent.Framed && sent.Call != nil && sent.Call.Kind == wire.Object && sent.ID == nil
}

// headMark is the mark of a violation about status or headers.
func headMark(v Value) string {
	x := v.said.Exchange
	how := fmt.Sprint("HTTP ", x.Status())
	if x.Status() < 400 {
		how += " " + x.Response.MediaType()
	}
	if v.header != "" && v.header != StatusLine && x.Response.Header().Get(v.header) == "" {
		return how + " without a header"
	}
	if v.header == "" || v.header == StatusLine {
		return how
	}
	return how + " " + v.header
}

const (
	accepted = " accepted"
	refused  = " refused: "
)

// outcome says how a call was answered. Of refusals it does not matter what is
// asked for where the envelope is wrong.
func outcome(b binding.Binding, op string, x *wire.Exchange) string {
	if layerOf(b, x) == envelope {
		op = "a call"
	}
	root, answer := x.Reply().Root, b.Decode(op, x).AsResponse()
	if x.IsStream() {
		if events := x.Events(); len(events) > 0 {
			root = events[0].Root
			answer = b.Event(op, root).AsResponse()
		}
	}
	e := answer.Failure.Node
	switch {
	case !answer.IsResponse() || answer.Bare:
		return fmt.Sprint("no response: HTTP ", x.Status(), " ", x.Response.MediaType(), " ", shapeOf(root))
	case answer.Failure.Present():
		code := ""
		if n := answer.Code.Node; n != nil {
			code = n.Number + n.String
		}
		return fmt.Sprint(op, refused, "HTTP ", x.Status(), " code ", code, " ", shapeOf(e))
	case !answer.Result.Exists():
		return fmt.Sprint("neither result nor error: HTTP ", x.Status(), " ", shapeOf(root))
	}
	return op + accepted
}

// member is the mark of a violation inside of what was sent: the member of the
// innermost type that holds it.
func (g *grouping) member(v Value) string {
	of, at := "", ""
	for _, definition := range g.c.Dialect.Shapes().Definitions() {
		for _, p := range g.c.Places(v.said, definition) {
			if rest, within := strings.CutPrefix(v.ptr, p.Pointer); within && strings.HasPrefix(rest, "/") && (of == "" || len(rest) < len(at)) {
				of, at = definition, rest
			}
		}
	}
	if of == "" {
		return place(v)
	}
	if g.another(v, strings.TrimSuffix(v.ptr, at)) {
		return fmt.Sprint("no ", of, " from ", v.op())
	}
	return "member " + of + unnumbered(at)
}

// another reports whether what should be of a type is something else: several
// members that it has to have are missing.
func (g *grouping) another(v Value, at string) bool {
	missing := map[string]bool{}
	for _, o := range g.rejected[v.said.text()] {
		if rest, below := strings.CutPrefix(o.ptr, at); below && o.node == nil && strings.LastIndex(rest, "/") == 0 {
			missing[rest] = true
		}
	}
	return len(missing) > 1
}

// place is the mark of a violation that is like no other.
func place(v Value) string {
	return fmt.Sprint("exchange ", v.said.Exchange.ID, " event ", v.said.Event, " ", v.ptr)
}

// unnumbered is a pointer without the positions in lists.
func unnumbered(pointer string) string {
	tokens := strings.Split(pointer, "/")
	for i, t := range tokens {
		if t != "" && strings.Trim(t, "0123456789") == "" {
			tokens[i] = "*"
		}
	}
	return strings.Join(tokens, "/")
}

// whole reports whether a violation is about an answer as a whole: that it came,
// or which one it is.
func (v Value) whole() bool {
	a := v.said.Answer
	return v.ptr == "" || v.ptr == a.Failure.At || v.ptr == a.Code.At || v.ptr == a.Result.At && v.node == nil
}

func (v Value) op() string {
	if v.said.Step != nil {
		return v.said.Step.Op
	}
	return v.said.Op
}

// shapeOf names the members of a text.
func shapeOf(n *wire.Node) string {
	if n == nil {
		return "no JSON"
	}
	if n.Kind != wire.Object {
		return fmt.Sprint(n.Kind)
	}
	var names []string
	for _, m := range n.Members {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ",")
}
