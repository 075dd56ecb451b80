package reports

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/binding"
	"github.com/a2a-conform/a2a-conform/harness/wire"
	"github.com/a2a-conform/a2a-conform/schema"
	"github.com/a2a-conform/a2a-conform/suites/report"
)

// reader says in a few words what exchanges are, by the bindings of the dialect in which
// they were held.
type reader struct {
	dialect *schema.Dialect // nil where the program has none of that name
	made    map[*wire.Exchange]move
	known   map[string]binding.Binding
}

// move is the step by which an exchange came about first.
type move struct {
	play *wire.Play
	step *wire.Step
}

// came is how an exchange ended, for the eye.
type came string

const (
	fine     came = "fine"     // it was answered
	refused  came = "refused"  // it was answered by an error
	broken   came = "gone"     // no whole answer came
	incoming came = "incoming" // the server called
)

// saying is an exchange in a few words.
type saying struct {
	Did  string // message/send
	Came string // error -32603
	How  came
}

func newReader(r *report.Report, t *wire.Transcript) *reader {
	rd := &reader{made: map[*wire.Exchange]move{}, known: map[string]binding.Binding{}}
	if d, err := schema.Load(cmp.Or(t.Facts.Dialect, r.Target.Dialect)); err == nil {
		rd.dialect = d
		binding.LoadProtos(d)
	}
	for i := range t.Plays {
		p := &t.Plays[i]
		for j := range p.Steps {
			if x := p.Steps[j].Exchange; x != nil && rd.made[x].play == nil {
				rd.made[x] = move{p, &p.Steps[j]}
			}
		}
	}
	return rd
}

// by is the binding in which an exchange was held.
func (rd *reader) by(x *wire.Exchange) binding.Binding {
	name := ""
	if m := rd.made[x]; m.play != nil {
		name = m.play.By(m.step)
	}
	if rd.known[name] == nil {
		rd.known[name] = binding.ForName(rd.dialect, name)
	}
	return rd.known[name]
}

// op is the operation that an exchange asked for; "" where it is none.
func (rd *reader) op(x *wire.Exchange) string {
	m := rd.made[x]
	if m.step != nil && m.step.Op == "card" {
		return ""
	}
	if sent := rd.by(x).Sent(x); sent.Op != "" {
		return sent.Op
	}
	if m.step != nil {
		return m.step.Op
	}
	return ""
}

// say is an exchange in a few words.
func (rd *reader) say(x *wire.Exchange) saying {
	switch x.Dir {
	case wire.Given:
		return saying{"a document", "from a local file", fine}
	case wire.In:
		return saying{"the server calls: " + line(target(x), maxWords), "we answered " + fmt.Sprint(x.Response.Status()), incoming}
	}
	s := saying{Did: rd.did(x)}
	s.Came, s.How = rd.came(x)
	return s
}

// maxWords bounds a name in the few words on an exchange.
const maxWords = 60

// did names what was asked for.
func (rd *reader) did(x *wire.Exchange) string {
	asked := line(target(x), maxWords)
	if m := rd.made[x]; m.step == nil || m.step.Op != "card" {
		switch sent := rd.by(x).Sent(x); {
		case len(sent.Calls) > 0:
			return fmt.Sprintf("a batch of %s", plural(len(sent.Calls), "call"))
		case sent.Named != "" && (sent.Op == "" || !strings.Contains(sent.Named, "{")):
			return line(sent.Named, maxWords)
		case sent.Framed && len(x.Request.Body) > 0 && x.Call().Root == nil:
			return "a body that is not JSON"
		case sent.Framed && len(x.Request.Body) > 0:
			return "a body without a method"
		case sent.Framed && x.Request.Recipe != nil:
			return "a body of " + plural(x.Request.Recipe.Size, "byte")
		}
	}
	return asked
}

// target is the first line of a request without the version of HTTP.
func target(x *wire.Exchange) string {
	l := firstLine(x.Request.Head)
	if at := strings.LastIndex(l, " HTTP/"); at > 0 {
		l = l[:at]
	}
	return cmp.Or(l, x.URL)
}

// came says what came back.
func (rd *reader) came(x *wire.Exchange) (string, came) {
	if !x.Answered() {
		return "no answer", broken
	}
	b, op := rd.by(x), rd.op(x)
	if x.IsStream() {
		n := len(x.Events())
		if g := x.GRPC(); g.Failed() {
			return x.StatusText() + " after " + plural(n-1, "event"), refused
		}
		if x.Ended != wire.EOF && x.Ended != wire.OurClose {
			return "stream broken after " + plural(n, "event"), broken
		}
		return "stream of " + plural(n, "event"), fine
	}
	a := b.Decode(op, x)
	switch {
	case a.Failure.Exists():
		return refusal(b, x, a), refused
	case x.Ended != wire.EOF && x.Ended != wire.OurClose:
		return "a broken answer", broken
	case a.Result.Exists() && op != "":
		if _, state := rd.state(op, a.Result.Node); state != "" {
			return "task " + line(state, maxWords), fine
		}
		return "a result", fine
	}
	return strings.TrimSpace(x.StatusText() + " " + line(x.Response.MediaType(), maxWords)), standing(x)
}

// standing is how an answer ended that is none of the protocol.
func standing(x *wire.Exchange) came {
	if x.Standing() >= 400 {
		return refused
	}
	return fine
}

// refusal names an error: by its number where it has one of its own, else by the status.
func refusal(b binding.Binding, x *wire.Exchange, a binding.Answer) string {
	if b.Kind() != schema.KindJSONRPC {
		if len(a.Names) > 0 {
			return x.StatusText() + " " + line(a.Names[0], maxWords)
		}
		return x.StatusText()
	}
	code := "without a code"
	if n := a.Code.Node; n != nil {
		code = line(cmp.Or(n.Number, n.String, n.Kind.String()), maxWords)
	}
	return "error " + code
}

// state reads the state of a task out of a result or an event, and the id of the task.
func (rd *reader) state(op string, result *wire.Node) (task, state string) {
	if rd.dialect == nil || result == nil {
		return "", ""
	}
	sort, at := binding.Content(rd.dialect, op, result)
	if sort == "" {
		if p, ok := rd.dialect.Pointer(op, "event.kind"); ok {
			sort = text(result.At(p))
		}
	}
	row, content := rd.dialect.Row(op, sort), result.At(at)
	read := func(what string) string {
		p, ok := rd.dialect.Pointer(row, what)
		if !ok {
			return ""
		}
		return text(content.At(p))
	}
	return read("task.id"), read("task.state")
}

// text is what a string says.
func text(n *wire.Node) string {
	if n == nil || n.Kind != wire.String {
		return ""
	}
	return n.String
}
