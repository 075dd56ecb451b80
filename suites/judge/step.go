package judge

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
)

// Step is a move of a play, as a check sees it.
type Step struct {
	*record.Step
	Play *record.Play
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

// Everywhere returns a step as it was made in each of the plays of its scenario that the
// case sees, which are several where it is about several interfaces. What was asked while
// the server was away is left out, and what was refused for want of credentials.
func (t *T) Everywhere(scenario, step string) (out []Step) {
	var refused *stopInconclusive
	for i := range t.Case.Transcript.Plays {
		p := &t.Case.Transcript.Plays[i]
		if p.Scenario != scenario {
			continue
		}
		s := p.Step(step)
		if s == nil || s.Exchange == nil || s.Exchange.Ended == record.Aborted || t.Case.gone(s.Exchange) != "" {
			continue
		}
		if why := t.findExcuse(s.Exchange); why != nil {
			t.refused, refused = why, why
			continue
		}
		out = append(out, Step{s, p, t})
	}
	if len(out) == 0 && refused != nil {
		panic(*refused)
	}
	return out
}

// Steps returns those of the named steps that were made, each exchange once: plays
// may share one.
func (t *T) Steps(names []string) []Step {
	var out []Step
	var first *stopInconclusive
	had := map[*record.Exchange]bool{}
	for _, n := range names {
		s, why := t.look(n)
		if why == nil {
			if !had[s.Exchange] {
				out = append(out, s)
			}
			had[s.Exchange] = true
		} else {
			first = first.or(why)
		}
	}
	if len(out) == 0 && first != nil {
		panic(*first)
	}
	return out
}

// or is the stop that keeps several items from being judged: the first, but what the
// agent never does only if there is no other.
func (s *stopInconclusive) or(other *stopInconclusive) *stopInconclusive {
	if s == nil || s.never && !other.never {
		return other
	}
	return s
}

// Played returns the steps that the named plays made, in their order, each exchange
// once: plays may share one. If there are none, the requirement is undecided because of what stopped the plays.
func (t *T) Played(scenarios ...string) []Step {
	var out []Step
	var first *stopInconclusive
	had := map[*record.Exchange]bool{}
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
			} else {
				first = first.or(why)
			}
		}
		if made == 0 {
			if _, why := t.look(n + "/…"); why != nil {
				first = first.or(why)
			}
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
		return Step{}, &stopInconclusive{reason: fmt.Sprintf("the conversation '%s' was not part of this run", scenario)}
	}
	s := p.Step(step)
	switch {
	case (s == nil || s.Exchange == nil) && p.Lacks != "":
		why := t.Case.lacking(p.Lacks, fmt.Sprintf("the call %s was not sent: %s", name, p.Stop))
		return Step{}, &why
	case s == nil && p.Stop != "":
		return Step{}, &stopInconclusive{reason: fmt.Sprintf("the conversation '%s' stopped before its call '%s': %s", scenario, step, p.Stop), recorded: true}
	case s == nil:
		return Step{}, &stopInconclusive{reason: fmt.Sprintf("the conversation '%s' has no call '%s' in this run", scenario, step)}
	case s.Exchange == nil:
		reason := fmt.Sprintf("the call %s was not sent: %s", name, s.NotSent)
		if s.Because != "" {
			reason += fmt.Sprintf(" (see %s/%s)", scenario, s.Because)
		}
		return Step{}, &stopInconclusive{reason: reason, remedy: s.Remedy, recorded: true, unsayable: s.Unsayable}
	}
	if s.Exchange.Ended == record.Aborted {
		return Step{}, &stopInconclusive{reason: fmt.Sprintf("the run ended before the call %s was answered", name), recorded: true}
	}
	if why := t.Case.gone(s.Exchange); why != "" {
		why = fmt.Sprintf("the call %s was not answered: %s", name, why)
		if s.Role == record.Alive {
			t.unheard = why
		}
		return Step{}, &stopInconclusive{reason: why, recorded: true}
	}
	if why := t.findExcuse(s.Exchange); why != nil {
		t.refused = why
		return Step{}, why
	}
	if t.Case.beside && s.Exchange.Untrusted() { // the endpoint that the run goes by was trusted, or there would be no run
		return Step{}, &stopInconclusive{reason: fmt.Sprintf("the call %s was not answered: %s", name, s.Exchange.Trouble), recorded: true,
			remedy: "--ca FILE, or another address with --rpc"}
	}
	if id := t.result.spoiled[s.Exchange]; id != "" {
		t.withheld = id
		return Step{}, &stopInconclusive{reason: restsOn(t.Case.prior(id), " in "+name), because: id}
	}
	if s.Limited != "" {
		return Step{}, &stopInconclusive{reason: fmt.Sprintf("the call %s got no answer to its question: %s", name, s.Limited), recorded: true,
			remedy: "declares: {rateLimit: {requests: …, seconds: …}}"}
	}
	if s.Late != "" {
		return Step{}, &stopInconclusive{reason: fmt.Sprintf("the call %s may have been too late: %s", name, s.Late), remedy: betterText("slow"), recorded: true}
	}
	if why := requestNotKept(s.Exchange); why != "" {
		return Step{}, &stopInconclusive{reason: why, recorded: true}
	}
	if err := t.Case.ownFault(s, p); err != nil {
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
	switch x := s.Exchange; {
	case x.Ended == record.Limit && x.Response.Framing.Coding != "":
		s.t.Inconclusive("", "the answer could not be read: %s", x.Trouble)
	case x.Ended == record.Limit:
		s.t.Inconclusive("", "the answer is too large to keep in full: %s", x.Trouble)
	}
}

// instead says what came in place of JSON; "" if JSON came.
func instead(x *record.Exchange, root *record.Node) string {
	switch {
	case root != nil:
		return ""
	case !x.Answered() && x.Ended == record.Timeout:
		return fmt.Sprintf("gave no answer within %.1f s", (x.End - x.Start).Seconds())
	case !x.Answered() && x.Ended == record.NoDial:
		return "could not be reached: " + shorten.Visible(x.Trouble, 160)
	case !x.Answered():
		return "closed the connection without an answer"
	case x.Ended == record.Reset:
		return fmt.Sprintf("broke off its answer (HTTP %d) after %d bytes", x.Status(), len(x.Response.Body))
	case x.Ended == record.Timeout:
		return fmt.Sprintf("had not ended its answer (HTTP %d, %d bytes so far) after %.1f s", x.Status(), len(x.Response.Body), (x.End - x.Start).Seconds())
	case x.GRPC() != nil && len(x.GRPC().Messages) == 0:
		return fmt.Sprintf("answered %s without a message", x.StatusText())
	case x.GRPC() != nil:
		return fmt.Sprintf("answered %s with a message that cannot be read", x.StatusText())
	case len(x.Response.Body) == 0:
		return AnsweredBy(x, "") + " without a body"
	}
	return AnsweredBy(x, BodyWords(x)) + notJSON(x)
}

// BodyWords is a body that is no answer of the protocol: its type, and how it begins.
func BodyWords(x *record.Exchange) string {
	mt := cmp.Or(shorten.Visible(x.Response.MediaType(), 60), "a body without Content-Type")
	begins := strings.Join(strings.Fields(string(x.Response.Body[:min(len(x.Response.Body), 200)])), " ")
	return mt + " " + strconv.Quote(shorten.Clip(shorten.Visible(begins, 60), 40))
}

// notJSON says what is wrong with a body that is no JSON, unless the status says that the
// call failed anyway.
func notJSON(x *record.Exchange) string {
	if x.Status() >= 400 {
		return ""
	}
	return ", which is not JSON"
}

// AnsweredBy says how a call was answered over HTTP, with what: a status of failure is a
// refusal, whatever the body.
func AnsweredBy(x *record.Exchange, what string) string {
	words, with := "answered", " with "
	verb, _, _ := strings.Cut(string(x.Request.Head[:min(len(x.Request.Head), 16)]), " ")
	switch status := x.Status(); {
	case verb != http.MethodPost && status == http.StatusNotFound: // it may be a document that is not there
	case status/100 == 4:
		words, with = "refused the call with", " and "
	case status/100 == 5:
		words, with = "failed with", " and "
	}
	words += fmt.Sprintf(" HTTP %d", x.Status())
	if what != "" {
		words += with + what
	}
	return words
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
	if r := reply.Result(); r.Exists() && !r.IsNull() {
		return r
	}
	s.t.Stopped("the call %s/%s was not answered with a result: %s", s.Play.Scenario, s.Name, s.Outcome())
	return Value{}
}

// Outcome says in words how the server answered.
func (s Step) Outcome() string {
	reply := s.Reply()
	switch e := reply.Failure(); {
	case reply.node == nil:
		return "the server " + reply.Missing()
	case e.Exists():
		return "the server answered " + describeError(reply)
	case reply.Result().Exists():
		return "the server answered a result"
	}
	return fmt.Sprintf("the server answered HTTP %d without result or error", s.Exchange.Status())
}

// describeError returns which error an answer is, by what it has of a code and a message, and
// else as it stands there.
func describeError(reply Value) string {
	text := "error"
	for _, part := range []Value{reply.ErrorCode(), reply.ErrorMessage()} {
		if part.Exists() {
			text += " " + part.Shown()
		}
	}
	if text == "error" {
		status := reply.Exchange().StatusText()
		return fmt.Sprintf("%s with %s", status, reply.Failure().Named())
	}
	return text
}

// Accepted reports whether the reply has a result; null is one where the
// dialect says nothing of the results of the operation.
func (s Step) Accepted() bool {
	r := s.Reply().Result()
	op := s.t.Case.Dialect.Operation(s.Op)
	return r.Exists() && (!r.IsNull() || op.Claim == "push" && op.Result == "" && !s.Reply().Failure().Exists())
}

// Events are the events of a step whose answer is a stream. Of a stream that was
// too large they are those at its beginning.
func (s Step) Events() []Value {
	var out []Value
	for _, said := range s.t.Case.events(s.Exchange, s.Step, s.Play) {
		v := Value{t: s.t, said: said, node: said.Root}
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
