package judge

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/record"
	"github.com/a2a-conform/a2a-conform/internal/shorten"
	"github.com/a2a-conform/a2a-conform/schema"
)

// enough is how many messages have to fail before the agent is taken for one that
// cannot work at all.
const enough = 3

// FailsInside reports whether the agent failed on every message that it took, or on
// every task if it answered some with a mere message, and the text that it gave as a reason. A message that is malformed, or one that asks for a failure,
// may well fail; one that was refused for what it is, or whose task was canceled or not
// seen to its end, shows nothing.
func (c *Case) FailsInside() (what, why string, fails bool) {
	n, what := 0, "message"
	for p, s := range c.Transcript.Steps() {
		if !c.Dialect.Operation(s.Op).Agent || s.Role == record.Probe || s.Invalid || s.Contradicts || s.Exchange == nil || c.isOtherBinding(p, s) || p.Scenario == "fail" || p.Scenario == "stream-fault" {
			continue
		}
		switch said, how := c.classifyMessage(s, p); how {
		case outcomeWorked:
			return "", "", false
		case outcomeMessage:
			what = "task"
		case outcomeFailed:
			if n++; why == "" {
				why = said
			}
		}
	}
	return what, why, n >= enough
}

// messageOutcome is what a message led to.
type messageOutcome int

const (
	outcomeUnknown messageOutcome = iota
	outcomeWorked
	outcomeMessage // no task was made
	outcomeFailed
)

// classifyMessage reads what a message led to: an internal error, or the last that its play
// shows of its task.
func (c *Case) classifyMessage(s *record.Step, p *record.Play) (said string, how messageOutcome) {
	if c.outageReason(s.Exchange) != "" {
		return "", outcomeUnknown
	}
	if !s.Exchange.Answered() {
		return "", outcomeWorked // or hangs, which is another matter
	}
	refused, answer := false, Value{}
	for _, v := range c.readAnswers(s, p) {
		if v.Refuses("InternalError") {
			return fmt.Sprintf("error %s %s", v.ErrorCode().Shown(), shorten.Visible(v.ErrorMessage().Text(), 120)), outcomeFailed
		}
		answer, refused = v, refused || v.Failure().Exists()
	}
	if refused || answer.t == nil { // or a stream without an event
		return "", outcomeUnknown
	}
	var last Value
	var state *schema.State
	for i := range p.Steps {
		o := &p.Steps[i]
		if o != s && (s.Task == "" || o.Task != s.Task || o.Exchange == nil || !o.Exchange.Answered()) {
			continue
		}
		for _, v := range c.readAnswers(o, p) {
			if result := v.Result(); c.Dialect.State(result.Read("task.state").Text()) != nil {
				last, state = result, c.Dialect.State(result.Read("task.state").Text())
			}
		}
	}
	switch {
	case state == nil:
		if c.Dialect.Sorted() && answer.Result().Sort() == "message" {
			return "", outcomeMessage
		}
		return "", outcomeWorked
	case state.Outcome == "failed":
		return fmt.Sprintf("state %s %q", state.Name, shorten.Visible(c.longestStatusText(last), 120)), outcomeFailed
	case state.Outcome == "canceled" || !state.Terminal && !state.Interrupted:
		return "", outcomeUnknown
	}
	return "", outcomeWorked
}

// longestStatusText returns the text that the agent sent with the state of a task: the longest one.
func (c *Case) longestStatusText(task Value) (said string) {
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
