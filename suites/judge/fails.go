package judge

import (
	"fmt"

	"github.com/a2a-conform/a2a-conform/harness/wire"
)

// enough is how many messages have to fail before the agent is taken for one that
// cannot work at all.
const enough = 3

// FailsInside reports whether the agent failed on every message that it was sent,
// and what it said about it. A message that is malformed, or one that asks for a
// failure, may well fail.
func (c *Case) FailsInside() (why string, fails bool) {
	n := 0
	for i := range c.Transcript.Plays {
		p := &c.Transcript.Plays[i]
		for j := range p.Steps {
			s := &p.Steps[j]
			if s.Op != "send" && s.Op != "stream" || s.Role == wire.Probe || s.Invalid || s.Exchange == nil || p.Scenario == "fail" || p.Scenario == "stream-fault" {
				continue
			}
			said, failed := c.failed(s, p)
			if !failed {
				return "", false
			}
			if n++; why == "" {
				why = said
			}
		}
	}
	return why, n >= enough
}

// failed reports whether a message ended in an internal error, or its task in a
// state that says that the work failed.
func (c *Case) failed(s *wire.Step, p *wire.Play) (said string, failed bool) {
	texts := []*Said{}
	if s.Exchange.IsStream() {
		texts = c.events(s.Exchange, s, p)
	} else if s.Exchange.Answered() {
		texts = append(texts, c.body(s.Exchange, s, p))
	}
	t := &T{Case: c, result: &Result{}}
	for _, text := range texts {
		v := Value{t: t, said: text, node: text.Root, bare: text.Bare}
		if code, ok := v.At("/error/code").Int(); ok && code == c.Dialect.Errors["InternalError"] {
			return fmt.Sprintf("error %d %s", code, Shorten(v.At("/error/message").Text(), 120)), true
		}
		result := v.At("/result")
		if state := c.Dialect.State(result.Read("task.state").Text()); state != nil && state.Outcome == "failed" {
			for _, text := range result.Read("task.message").Strings() {
				if len(text.Text()) > len(said) {
					said = text.Text()
				}
			}
			return fmt.Sprintf("state %s %q", state.Name, Shorten(said, 120)), true
		}
	}
	return "", false
}
