package judge

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/card"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
)

// OfClient reports whether the tested side of the transcript is a client.
func (c *Case) OfClient() bool { return c.entire.Facts.Role == record.ClientRole }

// SecondMessageRemedy returns what the operator adds so that a client sends a second message: it has no command if it is
// used by hand.
func SecondMessageRemedy(f *record.Facts) string {
	if len(f.Command) == 0 {
		return "the second message that the page asks for, in the same conversation"
	}
	return "{second} in the command"
}

// Request is one call of the client under test. The calls of a batch are several requests of one
// exchange.
type Request struct {
	Step
	Op   string // the operation that it asks for; "" for none that the dialect has
	By   binding.Binding
	Sent binding.Sent
	// Body is the whole body; Call is the envelope, or the body if the binding has none; Params are the parameters, those
	// in the address among them.
	Body, Call, Params Value
}

// readRequest returns what the client sent in an exchange.
func (c *Case) readRequest(x *record.Exchange, s *record.Step, p *record.Play) *Document {
	return c.readOnce(reading{exchange: x, request: true}, p, s, func() []*Document {
		doc := x.Call()
		return []*Document{{Kind: RequestText, Op: s.Op, Exchange: x, Root: doc.Root, Faults: doc.Faults, Step: s, Play: p}}
	})[0]
}

// collectRequests lists the requests of the client that arrived in full, in the order of the plays.
func (c *Case) collectRequests() (out []Request) {
	for _, doc := range c.documents {
		if doc.Kind != RequestText || !arrivedInFull(doc.Exchange) {
			continue
		}
		by := c.BindingOf(doc.Play, doc.Step)
		whole := Value{doc: doc, node: doc.Root}
		step := Step{Step: doc.Step, Play: doc.Play}
		if !c.Dialect.Has(doc.Op) && doc.Op != "" || doc.Step.Binding == "" { // a card, or a request elsewhere
			out = append(out, Request{Step: step, Op: doc.Op, By: by, Body: whole, Call: whole, Params: whole})
			continue
		}
		sent := by.Sent(doc.Exchange)
		for i, one := range sent.Each() {
			r := Request{Step: step, Op: one.Op, By: by, Sent: one, Body: whole, Call: whole, Params: whole}
			if len(sent.Calls) > 0 {
				r.Call = whole.At(fmt.Sprintf("/%d", i))
			}
			switch {
			case one.Framed:
				r.Params = r.Call.At(one.ParamsAt)
			case one.Params != doc.Root:
				read := &Document{Kind: RequestText, Op: doc.Op, Exchange: doc.Exchange, Root: one.Params, Written: doc.Root, Step: doc.Step, Play: doc.Play}
				if doc.Root == nil {
					read.Written = &record.Node{Kind: record.Object}
				}
				r.Params = Value{doc: read, node: read.Root}
			}
			out = append(out, r)
		}
	}
	return out
}

// arrivedInFull reports whether a request of the client is recorded as a whole.
func arrivedInFull(x *record.Exchange) bool {
	f := x.Request.Framing
	return f.Cut == "" && (f.Declared < 0 || f.Received >= f.Declared) && x.Ended != record.Limit
}

// IsCall reports whether the request was made at an address of the protocol, and not for a card or
// elsewhere. What a redirect made of a call is one only if it still is an operation.
func (r Request) IsCall() bool {
	return r.Step.Binding != "" && (r.Op != "" || !strings.HasPrefix(r.Name, "redirected"))
}

// Head returns the head of the request, for an expectation about one field of it.
func (r Request) Head(name string) Value {
	v := Value{t: r.t, doc: r.Call.doc}
	return v.Header(name)
}

// Header returns the header fields of the request.
func (r Request) Header() http.Header { return r.Exchange.Request.Header() }

// Method returns the HTTP method of the request.
func (r Request) Method() string { return r.Exchange.Request.Method() }

// Requests returns the requests of the client in all plays that match, each once.
func (t *T) Requests(match func(Request) bool) (out []Request) {
	for _, r := range t.Case.requests() {
		if match(r) {
			r.t, r.Body.t, r.Call.t, r.Params.t = t, t, t, t
			out = append(out, r)
		}
	}
	return out
}

// Calls returns the calls of some operations; without one, all calls of the protocol, but for those of another version of
// it. If the client made none in the whole run, the requirement does not concern it.
func (t *T) Calls(ops ...string) []Request { return t.selectCalls(ops, true) }

// CallsOfAnyVersion returns what Calls does, and the calls in the words of another version of the protocol.
func (t *T) CallsOfAnyVersion(ops ...string) []Request { return t.selectCalls(ops, false) }

func (t *T) selectCalls(ops []string, ofThisVersion bool) (out []Request) {
	all := t.Requests(func(r Request) bool { return r.isCallOf(ops) })
	if ofThisVersion {
		all = slices.DeleteFunc(all, Request.IsOfOtherVersion)
	}
	if len(all) == 0 {
		t.stopAsNeverUsed(ops)
	}
	for _, r := range all {
		if t.Requirement.For(r.By.Kind()) {
			out = append(out, r)
		}
	}
	if len(out) == 0 {
		t.StopNotApplicable("it is about a binding (%s) that the client did not use", t.Requirement.Binding)
	}
	return out
}

// isCallOf reports whether the request is a call of one of some operations; without one, any call.
func (r Request) isCallOf(ops []string) bool {
	return r.IsCall() && (len(ops) == 0 || slices.Contains(ops, r.Op))
}

// stopAsNeverUsed ends the check, since the client made no call of some operations. If the run went through the
// plain scenarios, the client has no use for them.
func (t *T) stopAsNeverUsed(ops []string) {
	used := t.Case.entire.Facts.Calibration
	if used == nil || len(ops) == 0 || slices.ContainsFunc(ops, func(op string) bool { return !slices.Contains(used.NeverUsed, op) }) {
		t.StopVacuous("the client sent no such request in this run")
	}
	t.StopNotApplicable("the client uses none of these operations: %s", strings.Join(ops, ", "))
}

// Start is one start of the client's program: a play, and how the program fared.
type Start struct {
	Play *record.Play
	Run  *record.ClientRun
	t    *T
}

// Starts returns the plays of some scenarios, of which each name may be a pattern of path.Match.
// If there is none, the requirement is undecided.
func (t *T) Starts(scenarios ...string) (out []Start) {
	for i := range t.Case.Transcript.Plays {
		p := &t.Case.Transcript.Plays[i]
		if s := (Start{p, p.Client, t}); p.Client != nil && s.IsOf(scenarios...) {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		t.StopUndecided("the scenarios that it needs were not part of this run%s", describeMissingScenarios(scenarios))
	}
	return out
}

// describeMissingScenarios returns how the operator has scenarios played, of which each name may be a pattern; "" if any will do.
func describeMissingScenarios(patterns []string) string {
	var names []string
	for _, pattern := range patterns {
		if name := strings.TrimRight(pattern, "-*"); name != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ": --scenario " + strings.Join(names[:min(4, len(names))], ",") + " plays them"
}

// AllStarts returns all plays of the client.
func (t *T) AllStarts() []Start { return t.Starts("*") }

// Requests returns those of one start.
func (s Start) Requests(match func(Request) bool) []Request {
	return s.t.Requests(func(r Request) bool { return r.Play == s.Play && match(r) })
}

// Calls returns the calls of some operations in one start; without one, all calls of the protocol, but for those of another
// version of it.
func (s Start) Calls(ops ...string) []Request {
	all := s.Requests(func(r Request) bool { return r.isCallOf(ops) && s.t.Requirement.For(r.By.Kind()) })
	return slices.DeleteFunc(all, Request.IsOfOtherVersion)
}

// Last returns the last request of the start, as what a sentence about the whole of it rests on.
// Without one nothing can be decided.
func (s Start) Last() Value {
	for _, r := range slices.Backward(s.t.Case.requests()) {
		if r.Play == s.Play {
			r.Call.t = s.t
			return r.Call
		}
	}
	s.t.StopUndecided("the client sent no request in the scenario '%s'", s.Play.Scenario)
	return Value{}
}

// Ended reports whether the client had its time: it ended by itself, or its time was up. Only then
// does it count that something is missing.
func (s Start) Ended() bool {
	return s.Run.Trouble == "" && (s.Run.Ended > 0 || s.Run.Patience || s.Play.Has("ended") || s.Play.Has("patience"))
}

// Cards returns the cards that the client was given in this start, the last one at the end.
func (s Start) Cards() (out []card.Card) {
	for i := range s.Play.Steps {
		x := s.Play.Steps[i].Exchange
		if op := s.Play.Steps[i].Op; x == nil || op != "card" && op != "extended-card" || x.Status() != http.StatusOK {
			continue
		}
		root := x.Reply().Root
		if s.Play.Steps[i].Op == "extended-card" {
			root = s.t.Case.BindingOf(s.Play, &s.Play.Steps[i]).Decode("extended-card", x).Result.Node
		}
		if is := card.Of(s.t.Case.Dialect, root); root != nil && root.Kind == record.Object && hasAddress(is) {
			out = append(out, is)
		}
	}
	return out
}

// hasAddress reports whether a card has an interface that can be called, of this version or of another.
func hasAddress(c card.Card) bool {
	return slices.ContainsFunc(c.Addresses(), func(a card.Address) bool {
		u, err := url.Parse(a.URL)
		return err == nil && u.IsAbs() && u.Host != ""
	})
}

// Shown is what a client showed of whether it did what it was asked to.
type Shown struct {
	Known   bool
	Success bool
	How     string // in words that follow "the client"
}

// Shows returns what the client showed at the end of a start: by its exit code if the calibration
// showed that it distinguishes success from failure, and by the marker words if it prints the texts that
// it is sent.
func (s Start) Shows() Shown {
	r, c := s.Run, s.t.Case.entire.Facts.Calibration
	switch {
	case len(r.Command) == 0 || r.Trouble != "" || c == nil:
		return Shown{How: "was not started by a command"}
	case r.Signal != "":
		return Shown{true, false, "was ended by the signal " + shorten.Visible(r.Signal, 20)}
	case r.Patience:
		return Shown{true, false, fmt.Sprintf("did not end within %.0f s", (s.end() - r.Started).Seconds())}
	case c.Exits && r.Exit != 0:
		return Shown{true, false, fmt.Sprintf("ended with exit code %d", r.Exit)}
	}
	if c.Prints {
		for _, m := range r.Markers {
			if m.Sent && !m.Printed && m.In != "error" {
				return Shown{true, false, fmt.Sprintf("did not print the word %s, which the %s carried", shorten.Visible(m.Word, 40), shorten.Visible(m.In, 20))}
			}
		}
	}
	switch {
	case c.Exits:
		return Shown{true, true, "ended with exit code 0"}
	case c.Prints && r.Printed():
		return Shown{true, true, "printed what the agent wrote"}
	}
	return Shown{How: "shows neither by its exit code nor by its output whether a call succeeded"}
}

// end returns when the client ended, or was ended.
func (s Start) end() record.Instant {
	for _, m := range s.Play.Reached {
		if s.Run.Ended == 0 && m.Name == "patience" {
			return m.At
		}
	}
	return s.Run.Ended
}

// describeScenario returns what our server did in the play of a client's request.
func (r *callDescriber) describeScenario() string {
	if r.doc.Play.About == "" {
		return "in the scenario '" + shorten.Visible(r.doc.Play.Scenario, 60) + "'"
	}
	return shorten.Visible(shorten.Clip("in the scenario '"+r.doc.Play.Scenario+"' ("+r.doc.Play.About+")", mostSent), mostSent)
}

// IsOf reports whether the start is one of some scenarios, of which each name may be a pattern of path.Match.
func (s Start) IsOf(scenarios ...string) bool {
	return slices.ContainsFunc(scenarios, func(pattern string) bool {
		is, err := path.Match(pattern, s.Play.Scenario)
		return is && err == nil
	})
}

// Delivered is what an answer of ours brought to the client about a task.
type Delivered struct {
	At                   record.Instant // when the answer had left
	Task, Context, State string
	Texts                []string // all texts of the answer, ids among them
	Exchange             *record.Exchange
	Result               Value // of the answer
}

// Delivered returns what the answers of a start brought to the client, in the order in which the calls came. What broke off
// while it was sent counts as far as it is recorded.
func (s Start) Delivered() []Delivered {
	if known, ok := s.t.Case.delivered.Load(s.Play); ok {
		return slices.Clone(known.([]Delivered))
	}
	out := s.listDelivered()
	s.t.Case.delivered.Store(s.Play, out)
	return slices.Clone(out)
}

// Delivered returns what the answer to a request brought to the client.
func (r Request) Delivered() []Delivered {
	by, known := r.t.Case.answered.Load(r.Play)
	if !known {
		by = GroupBy(r.Of().Delivered(), func(d Delivered) *record.Exchange { return d.Exchange })
		r.t.Case.answered.Store(r.Play, by)
	}
	return slices.Clone(by.(map[*record.Exchange][]Delivered)[r.Exchange])
}

// listDelivered returns what answers brought to the client.
func (s Start) listDelivered() (out []Delivered) {
	for i := range s.Play.Steps {
		step := &s.Play.Steps[i]
		if step.Exchange == nil || step.Binding == "" || !step.Exchange.Answered() {
			continue
		}
		for _, v := range s.t.Case.readAnswers(step, s.Play) {
			result := v.Result()
			if !result.Exists() {
				continue
			}
			out = append(out, Delivered{At: step.Exchange.End, Task: result.Read("task.id").Text(), Context: result.Read("task.context").Text(), State: result.Read("task.state").Text(), Exchange: step.Exchange, Result: result,
				Texts: result.Texts()})
		}
	}
	return out
}

// Of returns the start in which a request was sent.
func (r Request) Of() Start { return Start{r.Play, r.Play.Client, r.t} }
