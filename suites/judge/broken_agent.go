package judge

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/internal/shorten"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/schema"
)

// enough is how many messages have to fail before the agent is taken for one that
// cannot work at all.
const enough = 3

// FailsInside reports whether the agent failed on every message that it took, or on
// every task where it answered some with a mere message, and what it said about it. A message that is malformed, or one that asks for a failure,
// may well fail; one that was refused for what it is, or whose task was canceled or not
// seen to its end, tells nothing.
func (c *Case) FailsInside() (what, why string, fails bool) {
	n, what := 0, "message"
	for i := range c.Transcript.Plays {
		p := &c.Transcript.Plays[i]
		for j := range p.Steps {
			s := &p.Steps[j]
			if !c.Dialect.Operation(s.Op).Agent || s.Role == record.Probe || s.Invalid || s.Contradicts || s.Exchange == nil || c.foreign(p, s) || p.Scenario == "fail" || p.Scenario == "stream-fault" {
				continue
			}
			switch said, how := c.cameTo(s, p); how {
			case worked:
				return "", "", false
			case talked:
				what = "task"
			case failed:
				if n++; why == "" {
					why = said
				}
			}
		}
	}
	return what, why, n >= enough
}

// fate is what a message led to.
type fate int

const (
	untold fate = iota
	worked
	talked // no task was made
	failed
)

// cameTo reads what a message led to: an internal error, or the last that its play
// shows of its task.
func (c *Case) cameTo(s *record.Step, p *record.Play) (said string, how fate) {
	if c.gone(s.Exchange) != "" {
		return "", untold
	}
	if !s.Exchange.Answered() {
		return "", worked // or hangs, which is another matter
	}
	refused, answer := false, Value{}
	for _, v := range c.texts(s, p) {
		if v.Refuses("InternalError") {
			return fmt.Sprintf("error %s %s", v.ErrorCode().Shown(), shorten.Visible(v.ErrorMessage().Text(), 120)), failed
		}
		answer, refused = v, refused || v.Failure().Exists()
	}
	if refused || answer.t == nil { // or a stream without an event
		return "", untold
	}
	var last Value
	var state *schema.State
	for i := range p.Steps {
		o := &p.Steps[i]
		if o != s && (s.Task == "" || o.Task != s.Task || o.Exchange == nil || !o.Exchange.Answered()) {
			continue
		}
		for _, v := range c.texts(o, p) {
			if result := v.Result(); c.Dialect.State(result.Read("task.state").Text()) != nil {
				last, state = result, c.Dialect.State(result.Read("task.state").Text())
			}
		}
	}
	switch {
	case state == nil:
		if c.Dialect.Sorted() && answer.Result().Sort() == "message" {
			return "", talked
		}
		return "", worked
	case state.Outcome == "failed":
		return fmt.Sprintf("state %s %q", state.Name, shorten.Visible(c.complaint(last), 120)), failed
	case state.Outcome == "canceled" || !state.Terminal && !state.Interrupted:
		return "", untold
	}
	return "", worked
}

// complaint is what the agent says with the state of a task: the longest of the texts.
func (c *Case) complaint(task Value) (said string) {
	message := task.Read("task.message")
	texts := message.Find("text")
	if len(texts) == 0 {
		texts = message.Strings()
	}
	for _, text := range texts {
		if len(text.Text()) > len(said) {
			said = text.Text()
		}
	}
	return said
}

// texts are the texts by which a step was answered.
func (c *Case) texts(s *record.Step, p *record.Play) (out []Value) {
	var said []*Said
	if s.Exchange.IsStream() {
		said = c.events(s.Exchange, s, p)
	} else if s.Exchange.Answered() {
		said = append(said, c.body(s.Exchange, s, p))
	}
	t := &T{Case: c, result: &Result{}}
	for _, text := range said {
		out = append(out, Value{t: t, said: text, node: text.Root})
	}
	return out
}
