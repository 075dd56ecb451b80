package html

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/reports/safetext"
	"github.com/a2a-conform/a2a-conform/reports/view"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// summarizer describes exchanges in a few words, by the bindings of their dialect.
type summarizer struct {
	subject  string          // client or server: who was judged
	dialect  *schema.Dialect // nil if the program has none of that name
	steps    map[*record.Exchange]playStep
	bindings map[string]binding.Binding
}

// playStep is the step by which an exchange came about first.
type playStep struct {
	play *record.Play
	step *record.Step
}

// outcome is how an exchange ended, for the eye.
type outcome string

const (
	outcomeOK       outcome = "fine"     // it was answered
	outcomeError    outcome = "refused"  // it was answered by an error
	outcomeBroken   outcome = "gone"     // no whole answer came
	outcomeIncoming outcome = "incoming" // the server called
)

// exchangeSummary is an exchange in a few words.
type exchangeSummary struct {
	Did  string // message/send
	Came string // error -32603
	How  outcome
}

func newSummarizer(r *report.Report, t *record.Transcript) *summarizer {
	rd := &summarizer{subject: r.Target.Subject(), steps: map[*record.Exchange]playStep{}, bindings: map[string]binding.Binding{}}
	if d, err := schema.Load(cmp.Or(t.Facts.Dialect, r.Target.Dialect)); err == nil {
		rd.dialect = d
		binding.RegisterRecordTranslators(d)
	}
	for i := range t.Plays {
		p := &t.Plays[i]
		for j := range p.Steps {
			if x := p.Steps[j].Exchange; x != nil && rd.steps[x].play == nil {
				rd.steps[x] = playStep{p, &p.Steps[j]}
			}
		}
	}
	return rd
}

// bindingOf is the binding in which an exchange was held.
func (rd *summarizer) bindingOf(x *record.Exchange) binding.Binding {
	name := ""
	if m := rd.steps[x]; m.play != nil {
		name = m.play.By(m.step)
	}
	if rd.bindings[name] == nil {
		rd.bindings[name] = binding.ByNameOrDefault(rd.dialect, name)
	}
	return rd.bindings[name]
}

// operationOf returns the operation that an exchange requests; "" if it is none.
func (rd *summarizer) operationOf(x *record.Exchange) string {
	m := rd.steps[x]
	if m.step != nil && m.step.Op == "card" {
		return ""
	}
	if sent := rd.bindingOf(x).Sent(x); sent.Op != "" {
		return sent.Op
	}
	if m.step != nil {
		return m.step.Op
	}
	return ""
}

// summarizeExchange is an exchange in a few words.
func (rd *summarizer) summarizeExchange(x *record.Exchange) exchangeSummary {
	switch x.Dir {
	case record.Given:
		return exchangeSummary{"a document", "from a local file", outcomeOK}
	case record.In:
		return exchangeSummary{"the " + rd.subject + " calls: " + safetext.Line(requestLineWithoutVersion(x), maxWords), "we answered " + fmt.Sprint(x.Response.Status()), outcomeIncoming}
	}
	if m := rd.steps[x]; m.step != nil && m.step.Hook != "" { // to a webhook of the client
		s := exchangeSummary{"we notify: " + safetext.Line(m.step.Name, maxWords), x.StatusText(), outcomeOK}
		if !x.Answered() {
			s.Came, s.How = "no answer", outcomeBroken
		}
		return s
	}
	s := exchangeSummary{Did: rd.describeRequest(x)}
	s.Came, s.How = rd.describeOutcome(x)
	return s
}

// maxWords bounds a name in the few words on an exchange.
const maxWords = 60

// describeRequest names what was asked for.
func (rd *summarizer) describeRequest(x *record.Exchange) string {
	asked := safetext.Line(requestLineWithoutVersion(x), maxWords)
	if m := rd.steps[x]; m.step == nil || m.step.Op != "card" {
		switch sent := rd.bindingOf(x).Sent(x); {
		case len(sent.Calls) > 0:
			return fmt.Sprintf("a batch of %s", safetext.CountWithNoun(len(sent.Calls), "call"))
		case sent.Named != "" && (sent.Op == "" || !strings.Contains(sent.Named, "{")):
			return safetext.Line(sent.Named, maxWords)
		case sent.Framed && len(x.Request.Body) > 0 && x.Call().Root == nil:
			return "a body that is not JSON"
		case sent.Framed && len(x.Request.Body) > 0:
			return "a body without a method"
		case sent.Framed && x.Request.Recipe != nil:
			return "a body of " + safetext.CountWithNoun(x.Request.Recipe.Size, "byte")
		}
	}
	return asked
}

// requestLineWithoutVersion is the first line of a request without the version of HTTP.
func requestLineWithoutVersion(x *record.Exchange) string {
	l := view.FirstLine(x.Request.Head)
	if at := strings.LastIndex(l, " HTTP/"); at > 0 {
		l = l[:at]
	}
	return cmp.Or(l, x.URL)
}

// describeOutcome describes the response, and classifies it.
func (rd *summarizer) describeOutcome(x *record.Exchange) (string, outcome) {
	if !x.Answered() {
		return "no answer", outcomeBroken
	}
	b, op := rd.bindingOf(x), rd.operationOf(x)
	if x.IsStream() {
		n := len(x.Events())
		if g := x.GRPC(); g.Failed() {
			return x.StatusText() + " after " + safetext.CountWithNoun(n-1, "event"), outcomeError
		}
		if x.Ended != record.EOF && x.Ended != record.OurClose {
			return "stream broken after " + safetext.CountWithNoun(n, "event"), outcomeBroken
		}
		return "stream of " + safetext.CountWithNoun(n, "event"), outcomeOK
	}
	a := b.Decode(op, x)
	switch {
	case a.Failure.Exists():
		return describeError(b, x, a), outcomeError
	case x.Ended != record.EOF && x.Ended != record.OurClose:
		return "a broken answer", outcomeBroken
	case a.Result.Exists() && op != "":
		if _, state := rd.readTaskIDAndState(op, a.Result.Node); state != "" {
			return "task " + safetext.Line(state, maxWords), outcomeOK
		}
		return "a result", outcomeOK
	}
	return strings.TrimSpace(x.StatusText() + " " + safetext.Line(x.Response.MediaType(), maxWords)), okOrErrorByStatus(x)
}

// okOrErrorByStatus is how an answer ended that is none of the protocol.
func okOrErrorByStatus(x *record.Exchange) outcome {
	if x.Standing() >= 400 {
		return outcomeError
	}
	return outcomeOK
}

// describeError names an error by its own number, or else by the status.
func describeError(b binding.Binding, x *record.Exchange, a binding.Answer) string {
	if b.Kind() != schema.KindJSONRPC {
		if len(a.Names) > 0 {
			return x.StatusText() + " " + safetext.Line(a.Names[0], maxWords)
		}
		return x.StatusText()
	}
	code := "without a code"
	if n := a.Code.Node; n != nil {
		code = safetext.Line(cmp.Or(n.Number, n.String, n.Kind.String()), maxWords)
	}
	return "error " + code
}

// readTaskIDAndState reads the state of a task out of a result or an event, and the id of the task.
func (rd *summarizer) readTaskIDAndState(op string, result *record.Node) (task, state string) {
	if rd.dialect == nil || result == nil {
		return "", ""
	}
	sort, at := binding.Content(rd.dialect, op, result)
	if sort == "" {
		if p, ok := rd.dialect.Pointer(op, "event.kind"); ok {
			sort = stringValue(result.At(p))
		}
	}
	row, content := rd.dialect.Row(op, sort), result.At(at)
	read := func(what string) string {
		p, ok := rd.dialect.Pointer(row, what)
		if !ok {
			return ""
		}
		return stringValue(content.At(p))
	}
	return read("task.id"), read("task.state")
}

// stringValue returns the value of a JSON string, and "" for anything else.
func stringValue(n *record.Node) string {
	if n == nil || n.Kind != record.String {
		return ""
	}
	return n.String
}
