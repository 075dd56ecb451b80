package prove

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-conform/a2a-conform/harness/operator"
	"github.com/a2a-conform/a2a-conform/harness/record"
)

// A takeOut takes one thing out of a transcript, and reports whether it was
// there.
type takeOut struct {
	what string
	do   func(d *draft) bool
}

// takeOuts lists what can be taken out of a transcript: two things that concern
// the whole of it for each that concerns a part, of every kind in turn.
func takeOuts(t *record.Transcript) []takeOut {
	d := drafted(t)
	whole := slices.Concat(namesOut(d), headersOut(d), repliesOut(d), factsOut(), []takeOut{
		{"every task and context that a message or an event names", contextsOut},
		{"every task, for a message that names its context", tasksOut(`,"contextId":"c"`)},
		{"every task, for a message", tasksOut("")},
		{"the envelope of every event", envelopesOut},
		{"every delivery", deliveriesOut},
		{"every event", eventsOut},
		{"the time that calls and events took", func(d *draft) bool {
			for _, x := range d.calls() {
				y := fresh(x)
				y.End, y.Response.Chunks = y.Start, nil
				d.replace(x, y)
			}
			return true
		}},
		{"what the plays waited for and saw", func(d *draft) bool {
			for i := range d.Plays {
				d.Plays[i].Reached = nil
			}
			return true
		}},
		{"what the steps know of their tasks and contexts", func(d *draft) bool {
			for i := range d.Plays {
				for j := range d.Plays[i].Steps {
					d.Plays[i].Steps[j].Task, d.Plays[i].Steps[j].Context = "", ""
				}
			}
			return true
		}},
	})
	all := [][]takeOut{whole, placesOut(d), playsOut(d), answersOut(d), eachEventOut(d)}
	for _, of := range all {
		lots := map[string]ticket{}
		for _, out := range of {
			lots[out.what] = lot(1, out.what)
		}
		slices.SortStableFunc(of, func(a, b takeOut) int { return lots[a.what].compare(lots[b.what]) })
	}
	half := len(whole) / 2
	return inTurn([][]takeOut{whole[:half], whole[half:], inTurn(all[1:])})
}

// factsOut are things that an operator need not say.
func factsOut() (out []takeOut) {
	for what, forget := range map[string]func(f *record.Facts){
		"the credentials of the operator": func(f *record.Facts) { f.Secrets, f.Ways = nil, nil },
		"the webhook":                     func(f *record.Facts) { f.Webhook = "" },
		"the words of the operator":       func(f *record.Facts) { f.Operator = nil },
		"the rate limit and the timeouts": func(f *record.Facts) { f.RateLimit, f.Timeouts = nil, nil },
		"the seconds that messages take":  func(f *record.Facts) { f.Stimuli = lasting(f.Stimuli, 0) },
		"the endpoint":                    func(f *record.Facts) { f.RPC = "" },
	} {
		out = append(out, takeOut{what, func(d *draft) bool {
			forget(&d.Facts)
			return true
		}})
	}
	return out
}

func lasting(stimuli map[string]operator.Stimulus, seconds float64) map[string]operator.Stimulus {
	out := maps.Clone(stimuli)
	for name, s := range out {
		s.Seconds = seconds
		out[name] = s
	}
	return out
}

// inTurn takes one of each list after the other.
func inTurn(all [][]takeOut) (out []takeOut) {
	for i := 0; ; i++ {
		n := len(out)
		for _, of := range all {
			if i < len(of) {
				out = append(out, of[i])
			}
		}
		if len(out) == n {
			return out
		}
	}
}

// distinct calls make for every different name.
func distinct(names []string, make func(name string) takeOut) (out []takeOut) {
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		out = append(out, make(name))
	}
	return out
}

func namesOut(d *draft) []takeOut {
	var names []string
	d.visit(func(_ string, p place) { names = append(names, p.name()) })
	return distinct(slices.DeleteFunc(names, func(n string) bool { return n == "" }), func(name string) takeOut {
		return takeOut{"every member " + name, outEverywhere(func(_ string, p place) bool { return p.name() == name })}
	})
}

func placesOut(d *draft) []takeOut {
	var all []string
	d.visit(func(op string, p place) { all = append(all, op+" "+p.pattern()) })
	return distinct(all, func(key string) takeOut {
		return takeOut{"of every reply to " + key, outEverywhere(func(op string, p place) bool { return op+" "+p.pattern() == key })}
	})
}

// outEverywhere takes the chosen values out of all that was said.
func outEverywhere(chosen func(op string, p place) bool) func(*draft) bool {
	return func(d *draft) bool {
		return d.rewrite(func(op string, t text) []byte {
			return everywhere(t.data, func(p place) bool { return chosen(op, p) }, place.without)
		})
	}
}

// contextsOut leaves the tasks themselves their ids.
func contextsOut(d *draft) bool {
	return outEverywhere(func(_ string, p place) bool {
		return slices.Contains([]string{"taskId", "contextId", "sessionId"}, p.name())
	})(d)
}

func headersOut(d *draft) []takeOut {
	var names []string
	for _, x := range d.calls() {
		for _, f := range x.Response.Fields() {
			names = append(names, f.Name)
		}
	}
	return distinct(names, func(name string) takeOut {
		return takeOut{"the header " + name + " of every answer", func(d *draft) bool {
			for _, x := range d.calls() {
				d.replace(x, reheaded(x, func(all []record.Field) []record.Field {
					return slices.DeleteFunc(all, func(f record.Field) bool { return strings.EqualFold(f.Name, name) })
				}))
			}
			return true
		}}
	})
}

// repliesOut are operations that are always answered with the same, which has
// not what they were asked for.
func repliesOut(d *draft) (out []takeOut) {
	var ops []string
	for _, x := range d.calls() {
		ops = append(ops, d.op(x))
	}
	for _, body := range []string{``, `{}`, `{"jsonrpc":"2.0","id":null,"result":null}`, `{"jsonrpc":"2.0","id":null,"result":{}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}`,
		`{"jsonrpc":"2.0","id":null,"result":{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"hello"}]}}`} {
		out = append(out, distinct(slices.Clone(ops), func(op string) takeOut {
			return takeOut{fmt.Sprintf("every reply to %s, for %q", op, body), func(d *draft) bool {
				for _, x := range d.calls() {
					if d.op(x) == op {
						d.replace(x, answered(x, 200, withID(x, body)))
					}
				}
				return true
			}}
		})...)
	}
	return out
}

// tasksOut leaves an agent that answers with messages alone.
func tasksOut(more string) func(*draft) bool {
	const none = `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Task not found"}}`
	message := `{"jsonrpc":"2.0","id":null,"result":{"kind":"message","messageId":"m","role":"agent","parts":[{"kind":"text","text":"hello"}]` + more + `}}`
	return func(d *draft) bool {
		for _, x := range d.calls() {
			result := x.Reply().Root.Member("result")
			switch op := d.op(x); {
			case x.IsStream() && len(x.Events()) > 0:
				d.replace(x, x.Splice(0, len(x.Response.Body), []byte("data: "+withID(x, message)+"\n\n")))
			case result != nil && op == "send":
				d.replace(x, answered(x, 200, withID(x, message)))
			case result != nil && op != "extended-card":
				d.replace(x, answered(x, 200, withID(x, none)))
			}
		}
		return true
	}
}

// withID gives a reply the id of the call. Over gRPC, whose calls have none, the reply is
// one that nobody can read.
func withID(x *record.Exchange, body string) string {
	if x.GRPC() != nil {
		return body
	}
	if id := x.Call().Root.Member("id"); id != nil && (id.Kind == record.String || id.Kind == record.Number) {
		return strings.Replace(body, `"id":null`, `"id":`+string(x.Request.Body[id.Start:id.End]), 1)
	}
	return body
}

// envelopesOut leaves of each event its result alone.
func envelopesOut(d *draft) bool {
	return d.rewrite(func(_ string, t text) []byte {
		if t.event == 0 {
			return t.data
		}
		return bareEvent(t.data)
	})
}

func deliveriesOut(d *draft) bool {
	found := false
	for i := range d.Plays {
		d.Plays[i].Steps = slices.DeleteFunc(d.Plays[i].Steps, func(s record.Step) bool {
			delivery := s.Exchange != nil && s.Exchange.Dir == record.In
			found = found || delivery
			return delivery
		})
	}
	return found
}

func eventsOut(d *draft) bool {
	all := d.streams()
	for _, x := range all {
		d.replace(x, reframed(x, nil))
	}
	return len(all) > 0
}

// playsOut are plays that were not held, ended early, or left a step out.
func playsOut(of *draft) (out []takeOut) {
	for i, p := range of.Plays {
		out = append(out, takeOut{"the play " + p.Scenario, func(d *draft) bool {
			d.Plays = slices.Delete(d.Plays, i, i+1)
			return true
		}})
		for j, s := range p.Steps {
			name := p.Scenario + "/" + s.Name
			out = append(out, takeOut{name + " and what came after it", func(d *draft) bool {
				d.Plays[i].Steps, d.Plays[i].Stop = d.Plays[i].Steps[:j:j], "the run's time was up"
				d.Facts.Cut, d.over = "the deadline was reached", true
				return true
			}}, takeOut{"the answer to " + name + " and what came after it", func(d *draft) bool {
				d.Plays[i].Steps = d.Plays[i].Steps[: j+1 : j+1]
				d.Facts.Cut, d.over = "the deadline was reached", true
				x := d.Plays[i].Steps[j].Exchange
				if x == nil || x.Dir == record.In {
					return false
				}
				d.replace(x, unanswered(x, record.Aborted))
				return true
			}}, takeOut{name + ", which was not sent", func(d *draft) bool {
				d.Plays[i].Steps[j].Exchange, d.Plays[i].Steps[j].NotSent = nil, "no earlier answer named a task to ask about"
				return true
			}}, takeOut{"what " + name + " shows, as it came too late", func(d *draft) bool {
				d.Plays[i].Steps[j].Late = "its task had ended"
				return true
			}})
		}
	}
	return out
}

// answersOut are single answers that did not come, or came without what they
// bring.
func answersOut(of *draft) (out []takeOut) {
	for _, x := range of.calls() {
		for _, how := range []struct {
			what string
			do   func(*record.Exchange) *record.Exchange
		}{
			{"the answer", func(x *record.Exchange) *record.Exchange { return unanswered(x, record.Reset) }},
			{"the answer, which did not come in time,", func(x *record.Exchange) *record.Exchange { return unanswered(x, record.Timeout) }},
			{"the body of the answer", func(x *record.Exchange) *record.Exchange { return x.Splice(0, len(x.Response.Body), nil) }},
			{"the answer, for HTTP 404,", func(x *record.Exchange) *record.Exchange { return answered(x, 404, `{"detail":"Not Found"}`) }},
			{"the headers of the answer", func(x *record.Exchange) *record.Exchange {
				return reheaded(x, func([]record.Field) []record.Field { return nil })
			}},
		} {
			out = append(out, takeOut{how.what + " to " + of.name(x), func(d *draft) bool {
				d.replace(x, how.do(x))
				return true
			}})
		}
	}
	return out
}

// eachEventOut are streams that lack an event, or all but one, or end early.
func eachEventOut(of *draft) (out []takeOut) {
	const enough = 40 // of a stream
	for _, x := range of.streams() {
		n := len(x.Events())
		for k := range min(n, enough) {
			for _, o := range []struct {
				what string
				keep func(j int) bool
			}{
				{"block %d of the stream", func(j int) bool { return j != k }},
				{"all but block %d of the stream", func(j int) bool { return j == k }},
				{"block %d and what follows it of the stream", func(j int) bool { return j < k }},
			} {
				out = append(out, takeOut{fmt.Sprintf(o.what+" of %s", k+1, of.name(x)), func(d *draft) bool {
					d.replace(x, reframed(x, blocks(n, o.keep)))
					return true
				}})
			}
		}
	}
	return out
}

// blocks are the numbers of the blocks that are kept, from 0.
func blocks(n int, keep func(int) bool) (out []int) {
	for i := range n {
		if keep(i) {
			out = append(out, i)
		}
	}
	return out
}
